#include "core/geometry/hull.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {

namespace {

using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double turn(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// The shares with which the corral's points come nearest to the origin, wherever on their flat that is: (eeᵀ + PPᵀ)·a ∝ e.
Eigen::VectorXd flat_shares(const Points& points, const std::vector<Index>& corral) {
    const auto size = static_cast<Index>(corral.size());
    Eigen::MatrixXd products(size, size);
    for (Index i = 0; i < size; ++i)
        for (Index j = 0; j <= i; ++j)
            products(i, j) = products(j, i) =
                1 +
                points.row(corral[static_cast<std::size_t>(i)]).dot(points.row(corral[static_cast<std::size_t>(j)]));
    const Eigen::VectorXd shares = products.fullPivLu().solve(Eigen::VectorXd::Ones(size));
    return shares / shares.sum();
}

void drop_empty(std::vector<Index>& corral, Eigen::VectorXd& shares, double least) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < corral.size(); ++i) {
        if (shares(static_cast<Index>(i)) <= least) continue;
        corral[kept] = corral[i];
        shares(static_cast<Index>(kept++)) = shares(static_cast<Index>(i));
    }
    corral.resize(kept);
    shares.conservativeResize(static_cast<Index>(kept));
    shares /= shares.sum();
}

// Wolfe's algorithm for the hull's point nearest to the origin, of points of about length 1. With `enough` above 0 it ends as
// soon as the distance is known to be above 0 or is below `enough`.
Eigen::VectorXd nearest_to_origin(const Points& points, double enough) {
    constexpr double least_share = 1e-12;
    Index first = 0;
    points.rowwise().squaredNorm().minCoeff(&first);
    std::vector<Index> corral{first};
    Eigen::VectorXd shares = Eigen::VectorXd::Ones(1);
    Eigen::VectorXd nearest = points.row(first).transpose();
    const auto combine = [&] {
        nearest.setZero();
        for (std::size_t i = 0; i < corral.size(); ++i)
            nearest += shares(static_cast<Index>(i)) * points.row(corral[i]).transpose();
    };
    const Index most_rounds = 20 * (points.rows() + points.cols());
    for (Index round = 0; round < most_rounds; ++round) {
        const Eigen::VectorXd along = points * nearest;
        Index next = 0;
        const double lowest = along.minCoeff(&next);
        const double square = nearest.squaredNorm();
        if (lowest > square - 1e-15 || square < 1e-26) break;
        if (enough > 0 && (lowest > 0 || square < enough * enough)) break;
        if (std::ranges::find(corral, next) != corral.end()) break;
        corral.push_back(next);
        shares.conservativeResize(shares.size() + 1);
        shares(shares.size() - 1) = 0;
        while (true) {
            const Eigen::VectorXd wanted = flat_shares(points, corral);
            if (wanted.minCoeff() > least_share) {
                shares = wanted;
                break;
            }
            double step = 1;
            for (Index i = 0; i < wanted.size(); ++i)
                if (wanted(i) <= least_share && shares(i) > wanted(i))
                    step = std::min(step, shares(i) / (shares(i) - wanted(i)));
            shares = step * wanted + (1 - step) * shares;
            const std::size_t before = corral.size();
            drop_empty(corral, shares, least_share);
            if (corral.size() == before || corral.size() == 1) break;
        }
        combine();
    }
    return nearest;
}

}  // namespace

std::vector<std::size_t> convex_hull(std::span<const PlanePoint> points) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return points[a].x < points[b].x || (points[a].x == points[b].x && points[a].y < points[b].y);
    });
    order.erase(
        std::unique(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a] == points[b]; }),
        order.end());
    if (order.size() < 3) return order;
    // Andrew's chains: the lower one from left to right, then the upper one back.
    std::vector<std::size_t> hull;
    const auto add = [&](std::size_t next, std::size_t base) {
        while (hull.size() >= base + 2 && turn(points[hull[hull.size() - 2]], points[hull.back()], points[next]) <= 0)
            hull.pop_back();
        hull.push_back(next);
    };
    for (const std::size_t next : order) add(next, 0);
    const std::size_t lower = hull.size() - 1;
    for (auto next = order.rbegin() + 1; next != order.rend(); ++next) add(*next, lower);
    hull.pop_back();
    return hull;
}

NearestInHull nearest_in_hull(const Eigen::VectorXd& point, ConstMatrixRef rows) {
    Points points = rows.cast<double>().rowwise() - point.transpose();
    const double size = points.cwiseAbs().maxCoeff();
    if (!(size > 0) || !std::isfinite(size)) return {0, Eigen::VectorXd::Zero(point.size())};
    points /= size;
    const Eigen::VectorXd towards = nearest_to_origin(points, 0) * size;
    return {towards.norm(), towards};
}

std::vector<std::uint8_t> strictly_inside(ConstMatrixRef rows) {
    // Pushed away from the middle by a thousandth, only what lies strictly inside is still in the hull.
    constexpr double push = 1e-3;
    constexpr double nothing = 1e-9;
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(rows.rows()), 0);
    Points points = rows.cast<double>();
    if (points.rows() < 3 || !points.allFinite()) return inside;
    const Eigen::RowVectorXd middle = points.colwise().mean();
    points.rowwise() -= middle;
    const double size = points.cwiseAbs().maxCoeff();
    if (!(size > 0)) return inside;
    points /= size;
    if (points.cols() == 2) {  // only its corners matter for a hull
        std::vector<PlanePoint> flat;
        for (Index i = 0; i < points.rows(); ++i) flat.push_back({points(i, 0), points(i, 1)});
        const std::vector<std::size_t> corners = convex_hull(flat);
        if (corners.size() >= 3) {
            for (std::size_t i = 0; i < flat.size(); ++i) {
                const PlanePoint at{flat[i].x * (1 + push), flat[i].y * (1 + push)};
                bool is_inside = true;
                for (std::size_t c = 0; c < corners.size(); ++c)
                    is_inside =
                        is_inside && turn(flat[corners[c]], flat[corners[(c + 1) % corners.size()]], at) > nothing;
                inside[i] = is_inside ? 1 : 0;
            }
            return inside;
        }
    }
    for (Index i = 0; i < points.rows(); ++i) {
        const Eigen::RowVectorXd at = points.row(i) * (1 + push);
        const Points around = points.rowwise() - at;
        inside[static_cast<std::size_t>(i)] = nearest_to_origin(around, nothing).norm() < nothing ? 1 : 0;
    }
    return inside;
}

}  // namespace heed
