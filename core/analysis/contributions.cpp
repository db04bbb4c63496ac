#include "core/analysis/contributions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr float pattern_rounding = 1e-5F;  // of weights: less beyond even attention is none

bool is_through_w_o(const Model& model, bool wanted) { return wanted && model.output_projection; }

auto w_o_of(const Model& model, int head) {
    return model.w_o[static_cast<std::size_t>(head)]->topLeftCorner(model.d_v, model.d_model);
}

}  // namespace

Matrix contribution_map(const Model& model, const AttentionTrace& trace, int head, bool through_w_o) {
    const auto weights = trace.weights[head];
    const auto values = trace.v[kv_head_of(model, head)];
    Matrix map(weights.rows(), weights.cols());
    Eigen::RowVectorXf carried;
    for (Index j = 0; j < weights.cols(); ++j) {
        if (is_through_w_o(model, through_w_o))
            carried = values.row(j) * w_o_of(model, head);
        else
            carried = values.row(j);
        const float size = carried.norm();
        // A hidden value never takes part, whatever it holds.
        for (Index i = 0; i < weights.rows(); ++i) map(i, j) = weights(i, j) == 0 ? 0 : std::abs(weights(i, j)) * size;
    }
    return map;
}

std::vector<double> output_shares(std::span<const float> weights, const ConstMatrixRef& values) {
    constexpr double rounding = 1e-6;  // of float weights
    Eigen::RowVectorXd output = Eigen::RowVectorXd::Zero(values.cols());
    double lengths = 0;
    const auto carried = [&](std::size_t j) -> Eigen::RowVectorXd {
        return static_cast<double>(weights[j]) * values.row(static_cast<Index>(j)).cast<double>();
    };
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] == 0) continue;  // a hidden value never takes part, whatever it holds
        const Eigen::RowVectorXd part = carried(j);
        output += part;
        lengths += part.norm();
    }
    std::vector<double> shares;
    if (output.norm() <= rounding * lengths) return shares;
    for (std::size_t j = 0; j < weights.size(); ++j)
        shares.push_back(weights[j] == 0 ? 0 : carried(j).dot(output) / output.squaredNorm());
    return shares;
}

Matrix head_contribution(const Model& model, const AttentionTrace& trace, int head) {
    const auto block = trace.joined.middleCols(Index{head} * model.d_v, model.d_v);
    if (model.output_projection) return block * w_o_of(model, head);
    Matrix contribution = Matrix::Zero(trace.output.rows(), trace.output.cols());
    contribution.middleCols(Index{head} * model.d_v, model.d_v) = block;
    return contribution;
}

std::vector<float> contribution_sizes(const Model& model, const AttentionTrace& trace, int query) {
    std::vector<float> sizes;
    for (int head = 0; head < model.n_heads; ++head) {
        const auto block = trace.joined.row(query).segment(Index{head} * model.d_v, model.d_v);
        sizes.push_back(model.output_projection ? (block * w_o_of(model, head)).norm() : block.norm());
    }
    return sizes;
}

bool any_head_has_pattern(const AttentionTrace& trace) {
    for (Index head = 0; head < trace.weights.count(); ++head) {
        const auto weights = trace.weights[head];
        const MaskMatrix& visible = trace.visible_of(head);
        for (Index i = 0; i < weights.rows(); ++i) {
            const auto seen = (visible.row(i).array() != 0).eval();
            if (!seen.any()) continue;
            const auto row = seen.select(weights.row(i).array(), 0.0F).eval();
            const auto beyond = seen.select(row - row.sum() / static_cast<float>(seen.count()), 0.0F).eval();
            if (!(beyond.abs().maxCoeff() < pattern_rounding)) return true;  // also where it is no number
        }
    }
    return false;
}

Matrix head_similarity(const AttentionTrace& trace) {
    const Index heads = trace.weights.count();
    const Index cells = trace.weights.rows() * trace.weights.cols();
    Matrix pattern = Matrix::Zero(heads, cells);
    std::vector<bool> is_nan(static_cast<std::size_t>(heads), false);
    for (Index head = 0; head < heads; ++head) {
        const auto weights = trace.weights[head];
        const MaskMatrix& visible = trace.visible_of(head);
        bool has_broken_row = false, has_row = false;
        Eigen::Map<Matrix> out(pattern.row(head).data(), weights.rows(), weights.cols());
        for (Index i = 0; i < weights.rows(); ++i) {
            // A row without a visible key, or one that is NaN, says nothing about what heads have in common.
            const auto seen = (visible.row(i).array() != 0).eval();
            const auto row = seen.select(weights.row(i).array(), 0.0F).eval();
            const bool is_finite = row.isFinite().all();
            has_broken_row = has_broken_row || !is_finite;
            if (!seen.any() || !is_finite) continue;
            has_row = true;
            out.row(i) = seen.select(row - row.sum() / static_cast<float>(seen.count()), 0.0F);
        }
        is_nan[static_cast<std::size_t>(head)] = has_broken_row && !has_row;
    }
    Matrix similarity = pattern * pattern.transpose();
    const Eigen::VectorXf lengths = similarity.diagonal().cwiseSqrt();
    for (Index a = 0; a < heads; ++a)
        for (Index b = 0; b < heads; ++b) {
            if (is_nan[static_cast<std::size_t>(a)] || is_nan[static_cast<std::size_t>(b)]) {
                similarity(a, b) = std::numeric_limits<float>::quiet_NaN();
                continue;
            }
            const bool is_even[] = {lengths(a) < pattern_rounding, lengths(b) < pattern_rounding};
            similarity(a, b) = is_even[0] || is_even[1] ? (is_even[0] && is_even[1] ? 1.0F : 0.0F)
                                                        : similarity(a, b) / (lengths(a) * lengths(b));
        }
    return similarity;
}

Matrix mean_weights(const AttentionTrace& trace) {
    Matrix mean = trace.weights[0];
    for (Index head = 1; head < trace.weights.count(); ++head) mean += trace.weights[head];
    return mean / static_cast<float>(trace.weights.count());
}

Matrix largest_weights(const AttentionTrace& trace) {
    Matrix max = trace.weights[0];
    for (Index head = 1; head < trace.weights.count(); ++head) max = max.cwiseMax(trace.weights[head]);
    return max;
}

Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> winning_heads(const AttentionTrace& trace) {
    Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> winner(trace.weights.rows(),
                                                                               trace.weights.cols());
    for (Index i = 0; i < winner.rows(); ++i)
        for (Index j = 0; j < winner.cols(); ++j) {
            constexpr float rounding = 1e-6F;
            float largest = 0;
            winner(i, j) = no_head;
            for (Index head = 0; head < trace.weights.count(); ++head) {
                const float weight = trace.weights[head](i, j);
                if (!(weight > 0)) continue;
                if (weight > largest * (1 + rounding))
                    winner(i, j) = static_cast<int>(head);
                else if (weight >= largest * (1 - rounding))
                    winner(i, j) = tied_heads;
                largest = std::max(largest, weight);
            }
        }
    return winner;
}

}  // namespace heed
