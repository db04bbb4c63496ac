#include "core/geometry/output_path.h"

#include "core/attention/normalizers.h"
#include "core/attention/rows.h"
#include "core/geometry/hull.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"

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

struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool has_nan = false;
    void add(double number) {
        has_nan = has_nan || std::isnan(number);
        low = std::min(low, number);
        high = std::max(high, number);
    }
    double spread() const { return has_nan ? std::numeric_limits<double>::quiet_NaN() : high - low; }
    double size() const {
        return has_nan ? std::numeric_limits<double>::quiet_NaN() : std::max(std::abs(low), std::abs(high));
    }
};

// Of the visible scores at temperature 1, before a soft cap.
Extent extent_of_scores(const QueryRow& row, std::span<const double> scores) {
    Model at_one = row.model;
    at_one.temperature = 1;
    at_one.scale->soft_cap.reset();
    Extent extent;
    for (std::size_t j = 0; j < scores.size(); ++j)
        if (row.visible[j] != 0) extent.add(scaled_score(at_one, scores[j]));
    return extent;
}

Extent extent_of_bias(const QueryRow& row) {
    std::vector<double> bias(row.visible.size());
    row_bias(row.model, row.head, row.query, bias);
    Extent extent;
    for (std::size_t j = 0; j < bias.size(); ++j)
        if (row.visible[j] != 0) extent.add(bias[j]);
    return extent;
}

// The temperatures around which the weights change; none where no temperature changes them. Softmax and its kin see
// differences of s/T + b only, L1 and L2 the ratios of its terms; a soft cap bends what is as large as itself.
std::vector<double> turning_points(const QueryRow& row, const Extent& scores) {
    const Extent bias = extent_of_bias(row);
    std::vector<double> points;
    const bool sees_differences = normalizer(row.model.normalizer->id).has_argmax_limit;
    const double drive = sees_differences ? scores.spread() : scores.size();
    if (!(drive > 0)) return points;
    const double against = sees_differences ? bias.spread() : bias.size();
    if (sees_differences) points.push_back(drive);
    if (against > 0) points.push_back(drive / against);
    if (row.model.scale->soft_cap) points.push_back(scores.size() / static_cast<double>(*row.model.scale->soft_cap));
    return points;
}

}  // namespace

OutputPath output_path(const QueryRow& row, ConstMatrixRef values) {
    const auto m = static_cast<std::size_t>(row.n_keys());
    ExactMatrix scores(1, row.n_keys());
    raw_scores(row, Eigen::Map<const Matrix>(row.q.data(), 1, static_cast<Index>(row.q.size())), scores);
    const Extent extent = extent_of_scores(row, {scores.data(), m});
    OutputPath path;
    if (!std::isfinite(extent.spread())) return path;
    const std::vector<double> points = turning_points(row, extent);
    if (points.empty()) {
        path.stays = true;
        return path;
    }
    const int steps = values.size() > many_numbers ? coarse_steps : fine_steps;
    const double coldest = std::log10(std::ranges::min(points)) - decades;
    const double hottest = std::log10(std::ranges::max(points)) + decades;
    QueryRow other = row;
    std::vector<double> weights(m);
    path.outputs.resize(steps + 2, values.cols());
    for (int i = 0; i < steps + 2; ++i) {
        const double exponent = coldest + (hottest - coldest) * static_cast<double>(i - 1) / steps;
        other.model.temperature = i == 0 ? 0.0F : static_cast<float>(std::clamp(std::pow(10.0, exponent), 1e-37, 1e37));
        path.temperatures.push_back(other.model.temperature);
        weights_of(other, {scores.data(), m}, weights);
        path.outputs.row(i) = weighted(weights, row.visible, values).transpose().cast<float>();
        if (i == 0) path.weights.assign(weights.begin(), weights.end());
    }
    if (!path.outputs.allFinite()) return {};
    const float size = std::max(1e-30F, values.cwiseAbs().maxCoeff());
    if ((path.outputs.rowwise() - path.outputs.row(0)).cwiseAbs().maxCoeff() > 1e-5F * size) return path;
    path = {};
    path.stays = true;
    return path;
}

HotEnd hot_end(const QueryRow& row) {
    const Extent bias = extent_of_bias(row);
    const Normalizer& rule = normalizer(row.model.normalizer->id);
    const bool evens_out = rule.has_argmax_limit && &rule != &argmax_row();  // its winner wins at any temperature
    if (bias.spread() == 0 && evens_out) return HotEnd::centroid;
    return bias.size() > 0 ? HotEnd::bias : HotEnd::elsewhere;
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
