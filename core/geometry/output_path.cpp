#include "core/geometry/output_path.h"

#include "core/attention/rows.h"
#include "core/geometry/hull.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr int fine_steps = 60;
constexpr int coarse_steps = 24;  // where there are many numbers to add up
constexpr Index many_numbers = 8192;
constexpr double decades = 2.5;  // of the temperature on each side of the scores' spread

Eigen::VectorXd weighted(const std::vector<double>& weights, const std::vector<std::uint8_t>& visible,
                         ConstMatrixRef values) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(values.cols());
    for (std::size_t j = 0; j < weights.size(); ++j)
        if (visible[j] != 0) sum += weights[j] * values.row(static_cast<Index>(j)).transpose().cast<double>();
    return sum;
}

// Of the visible logits at temperature 1.
double spread_of(const QueryRow& row, std::span<const double> scores) {
    Model at_one = row.model;
    at_one.temperature = 1;
    double low = 0, high = 0;
    bool is_first = true;
    for (std::size_t j = 0; j < scores.size(); ++j) {
        if (row.visible[j] == 0) continue;
        const double logit = scaled_score(at_one, scores[j]);
        low = is_first ? logit : std::min(low, logit);
        high = is_first ? logit : std::max(high, logit);
        is_first = false;
    }
    return high - low;
}

}  // namespace

OutputPath output_path(const QueryRow& row, ConstMatrixRef values) {
    const auto m = static_cast<std::size_t>(row.n_keys());
    ExactMatrix scores(1, row.n_keys());
    raw_scores(row, Eigen::Map<const Matrix>(row.q.data(), 1, static_cast<Index>(row.q.size())), scores);
    const double spread = spread_of(row, {scores.data(), m});
    const int steps = values.size() > many_numbers ? coarse_steps : fine_steps;
    OutputPath path;
    if (!(spread > 0) || !std::isfinite(spread)) return path;
    QueryRow other = row;
    std::vector<double> weights(m);
    path.outputs.resize(steps + 2, values.cols());
    for (int i = 0; i < steps + 2; ++i) {
        const double exponent = -decades + 2 * decades * static_cast<double>(i - 1) / steps;
        other.model.temperature = i == 0 ? 0.0F : static_cast<float>(spread * std::pow(10.0, exponent));
        path.temperatures.push_back(other.model.temperature);
        weights_of(other, {scores.data(), m}, weights);
        path.outputs.row(i) = weighted(weights, row.visible, values).transpose().cast<float>();
        if (i == 0) path.weights.assign(weights.begin(), weights.end());
    }
    const float size = std::max(1e-30F, values.cwiseAbs().maxCoeff());
    const bool moves =
        path.outputs.allFinite() && (path.outputs.rowwise() - path.outputs.row(0)).cwiseAbs().maxCoeff() > 1e-5F * size;
    return moves ? path : OutputPath{};
}

float temperature_nearest(const OutputPath& path, const Plane& plane, PlanePoint at) {
    double nearest = std::numeric_limits<double>::infinity();
    float temperature = path.temperatures.front();
    for (Index i = 0; i + 1 < path.outputs.rows(); ++i) {
        const PlanePoint a = plane.point(path.outputs.row(i).data());
        const PlanePoint b = plane.point(path.outputs.row(i + 1).data());
        const double dx = b.x - a.x;
        const double dy = b.y - a.y;
        const double square = dx * dx + dy * dy;
        const double share = square > 0 ? std::clamp(((at.x - a.x) * dx + (at.y - a.y) * dy) / square, 0.0, 1.0) : 0.0;
        const double distance = std::hypot(a.x + share * dx - at.x, a.y + share * dy - at.y);
        if (distance >= nearest) continue;
        nearest = distance;
        const auto low = static_cast<double>(path.temperatures[static_cast<std::size_t>(i)]);
        const auto high = static_cast<double>(path.temperatures[static_cast<std::size_t>(i + 1)]);
        temperature = static_cast<float>(low > 0 ? low * std::pow(high / low, share) : high * share);
    }
    return temperature;
}

OutputPlace output_place(const std::vector<float>& weights, const std::vector<std::uint8_t>& visible,
                         ConstMatrixRef values, const Eigen::VectorXd& output) {
    OutputPlace place;
    std::vector<Index> seen;
    std::vector<double> shares(weights.size(), 0);
    double size = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (visible[j] == 0) continue;
        const auto v = values.row(static_cast<Index>(j)).cast<double>();
        seen.push_back(static_cast<Index>(j));
        shares[j] = static_cast<double>(weights[j]);
        place.weight_sum += shares[j];
        place.has_negative = place.has_negative || shares[j] < 0;
        place.carried += std::abs(shares[j]) * v.norm();
        size = std::max(size, v.norm());
    }
    place.length = output.norm();
    place.is_finite = std::isfinite(place.length) && std::isfinite(place.weight_sum) && std::isfinite(size);
    if (seen.empty() || !place.is_finite) return place;
    // Weights that are shares make the output a point of the hull. What rounding adds is no way out of it.
    const double rounding = 1e-6 * std::max(size, 1e-300);
    const bool are_shares = !place.has_negative && std::abs(place.weight_sum - 1) < 1e-5;
    if (are_shares && (weighted(shares, visible, values) - output).norm() < 10 * rounding) return place;
    Matrix rows(static_cast<Index>(seen.size()), values.cols());
    for (std::size_t i = 0; i < seen.size(); ++i) rows.row(static_cast<Index>(i)) = values.row(seen[i]);
    const double distance = nearest_in_hull(output, rows).distance;
    place.outside = distance > rounding ? distance : 0;
    return place;
}

}  // namespace heed
