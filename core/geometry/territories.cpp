#include "core/geometry/territories.h"

#include "core/attention/score_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

// A dot product of a query in the plane is that of what lies outside it, and a slope along each axis.
struct Slopes {
    std::vector<double> rest, across, up;
};

Eigen::VectorXd outside(const QueryRow& row, const Plane& plane) {
    Eigen::VectorXd q(plane.d());
    for (Index t = 0; t < plane.d(); ++t) q(t) = static_cast<double>(row.q[static_cast<std::size_t>(t)]);
    if (plane.d() <= 2) return Eigen::VectorXd::Zero(plane.d());
    return q - plane.vector(plane.point(row.q.data()));
}

Slopes slopes_of(const QueryRow& row, const Plane& plane) {
    const Eigen::VectorXd rest = outside(row, plane);
    Slopes slopes;
    for (Index j = 0; j < row.n_keys(); ++j) {
        const Eigen::VectorXd key = row.keys->row(j).transpose().cast<double>();
        slopes.rest.push_back(rest.dot(key));
        slopes.across.push_back(plane.across.dot(key));
        slopes.up.push_back(plane.up.dot(key));
    }
    return slopes;
}

PlaceWinner winner_of(const QueryRow& row, std::span<const double> weights) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    PlaceWinner best;
    double second = none;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (row.visible[j] == 0) continue;
        if (std::isnan(weights[j])) return {};
        if (best.key < 0 || weights[j] > best.weight) {
            if (best.key >= 0) second = best.weight;
            best.weight = weights[j];
            best.key = static_cast<int>(j);
        } else {
            second = std::max(second, weights[j]);
        }
    }
    best.lead = second == none ? best.weight : best.weight - second;
    // Scores that are equal differ by roundings of their sums, from place to place another way.
    constexpr double rounding = 1e-9;
    if (best.key >= 0 && second != none && (best.weight == second || best.lead <= rounding * std::abs(best.weight)))
        best.key = tied_keys;
    return best;
}

}  // namespace

double nanoseconds_of_a_place(const QueryRow& row) {
    const ScoreFunction& score = score_function(row.model.score);
    const double terms = score.is_dot              ? 2
                         : score.uses_hidden_layer ? 4 * static_cast<double>(row.model.d_additive)
                                                   : static_cast<double>(row.model.d_k);
    return 60 + static_cast<double>(row.n_keys()) * (40 + terms * score.nanoseconds);
}

PlaceWinner winner_at(const QueryRow& row, const Plane& plane, PlanePoint at) {
    if (row.visible_keys() == 0) return {};
    const Matrix query = (outside(row, plane) + plane.vector(at)).transpose().cast<float>();
    ExactMatrix scores(1, row.n_keys());
    raw_scores(row, query, scores);
    std::vector<double> weights(static_cast<std::size_t>(row.n_keys()));
    weights_of(row, {scores.data(), weights.size()}, weights);
    return winner_of(row, weights);
}

Territories territories(const QueryRow& row, const Plane& plane, const Outlook& outlook, Index rows, Index cols) {
    const auto m = static_cast<std::size_t>(row.n_keys());
    const auto places = static_cast<std::size_t>(rows * cols);
    Territories out{rows, cols, std::vector<std::int32_t>(places, nobody), std::vector<float>(places, 0)};
    if (row.visible_keys() == 0) return out;
    const bool is_dot = score_function(row.model.score).is_dot;
    const Slopes slopes = is_dot ? slopes_of(row, plane) : Slopes{};
    const Eigen::VectorXd rest = outside(row, plane);
    Matrix queries(is_dot ? 0 : cols, plane.d());
    ExactMatrix scores(is_dot ? 1 : cols, row.n_keys());
    std::vector<double> weights(m);
    for (Index i = 0; i < rows; ++i) {
        const double y = outlook.height * (1 - 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(rows));
        const auto x_of = [&](Index j) {
            return outlook.width * (2 * (static_cast<double>(j) + 0.5) / static_cast<double>(cols) - 1);
        };
        if (!is_dot) {
            for (Index j = 0; j < cols; ++j)
                queries.row(j) = (rest + plane.vector({x_of(j), y})).transpose().cast<float>();
            raw_scores(row, queries, scores);
        }
        for (Index j = 0; j < cols; ++j) {
            if (is_dot)
                for (std::size_t k = 0; k < m; ++k)
                    scores(0, static_cast<Index>(k)) = slopes.rest[k] + x_of(j) * slopes.across[k] + y * slopes.up[k];
            weights_of(row, {scores.row(is_dot ? 0 : j).data(), m}, weights);
            const PlaceWinner winner = winner_of(row, weights);
            out.winner[out.at(i, j)] = winner.key;
            out.weight[out.at(i, j)] = static_cast<float>(winner.weight);
        }
    }
    return out;
}

}  // namespace heed
