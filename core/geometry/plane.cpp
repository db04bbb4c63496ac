#include "core/geometry/plane.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index most_exact = 160;  // sizes whose eigenvectors are found at once
constexpr int rounds = 40;         // of the subspace iteration above that
constexpr Index guard = 6;         // directions that are carried along, so that the first two settle sooner

// Finite rows of all parts below each other, divided by the largest number so that no square overflows.
Rows finite_rows(const std::vector<ConstMatrixRef>& parts) {
    Index count = 0;
    for (const ConstMatrixRef& part : parts)
        for (Index i = 0; i < part.rows(); ++i) count += part.row(i).allFinite() ? 1 : 0;
    Rows rows(count, parts.front().cols());
    Index at = 0;
    for (const ConstMatrixRef& part : parts)
        for (Index i = 0; i < part.rows(); ++i)
            if (part.row(i).allFinite()) rows.row(at++) = part.row(i).cast<double>();
    if (rows.size() > 0)
        if (const double largest = rows.cwiseAbs().maxCoeff(); largest > 0) rows /= largest;
    return rows;
}

// Two orthonormal columns that span what the rows spread most along.
Eigen::MatrixXd principal_directions(const Rows& rows) {
    const Index d = rows.cols();
    if (d <= most_exact) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(rows.transpose() * rows);
        return solver.eigenvectors().rightCols(2).rowwise().reverse();
    }
    if (rows.rows() >= 2 && rows.rows() <= most_exact) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(rows * rows.transpose());
        return rows.transpose() * solver.eigenvectors().rightCols(2).rowwise().reverse();
    }
    Eigen::MatrixXd basis(d, std::min(d, guard));
    for (Index i = 0; i < d; ++i)
        for (Index j = 0; j < basis.cols(); ++j) basis(i, j) = std::cos(static_cast<double>((i + 1) * (j + 1)));
    for (int round = 0; round < rounds; ++round) {
        const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows.transpose() * (rows * basis));
        basis = qr.householderQ() * Eigen::MatrixXd::Identity(d, basis.cols());
    }
    const Eigen::MatrixXd inside = rows * basis;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(inside.transpose() * inside);
    return basis * solver.eigenvectors().rightCols(2).rowwise().reverse();
}

// The largest component points across or up, so that the same vectors always give the same picture.
void fix_sign(Eigen::VectorXd& direction) {
    Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction(largest) < 0) direction = -direction;
}

std::optional<double> share_of(const Plane& plane, const Rows& rows, const std::vector<ConstMatrixRef>& parts) {
    Index count = 0;
    for (const ConstMatrixRef& part : parts) count += part.rows();
    const double whole = rows.squaredNorm();
    if (whole == 0 || rows.rows() < count) return std::nullopt;
    return std::min(1.0, ((rows * plane.across).squaredNorm() + (rows * plane.up).squaredNorm()) / whole);
}

// Length 1, and at right angles to each other.
bool straighten(Eigen::VectorXd& across, Eigen::VectorXd& up) {
    const double length = across.norm();
    if (!(length > 1e-12) || !std::isfinite(length)) return false;
    across /= length;
    up -= across * across.dot(up);
    const double height = up.norm();
    if (!(height > 1e-9) || !std::isfinite(height)) return false;
    up /= height;
    return true;
}

}  // namespace

PlanePoint Plane::point(const float* vector) const {
    PlanePoint at;
    for (Index t = 0; t < d(); ++t) {
        at.x += static_cast<double>(vector[t]) * across(t);
        at.y += static_cast<double>(vector[t]) * up(t);
    }
    return at;
}

Plane principal_plane(const std::vector<ConstMatrixRef>& parts) {
    const Index d = parts.front().cols();
    Plane plane;
    plane.across = Eigen::VectorXd::Unit(d, 0);
    plane.up = d > 1 ? Eigen::VectorXd(Eigen::VectorXd::Unit(d, 1)) : Eigen::VectorXd(Eigen::VectorXd::Zero(d));
    if (d <= 2) return plane;
    plane.share = std::nullopt;
    const Rows rows = finite_rows(parts);
    if (rows.squaredNorm() == 0) return plane;
    const Eigen::MatrixXd directions = principal_directions(rows);
    Eigen::VectorXd across = directions.col(0);
    Eigen::VectorXd up = directions.col(1);
    if (!(across.norm() > 1e-12)) return plane;
    if (!straighten(across, up)) {  // all of them lie on one line: any direction beside it will do
        for (Index t = 0; t < d; ++t) {
            up = Eigen::VectorXd::Unit(d, t);
            if (std::abs(across(t)) < 0.9 && straighten(across, up)) break;
        }
    }
    fix_sign(across);
    fix_sign(up);
    plane.across = across;
    plane.up = up;
    plane.share = share_of(plane, rows, parts);
    return plane;
}

Plane plane_along(Eigen::VectorXd across, Eigen::VectorXd up, const std::vector<ConstMatrixRef>& parts) {
    if (parts.front().cols() <= 2 || !straighten(across, up)) return principal_plane(parts);
    Plane plane{std::move(across), std::move(up)};
    plane.share = share_of(plane, finite_rows(parts), parts);
    return plane;
}

}  // namespace heed
