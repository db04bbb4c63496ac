#include "core/analysis/contributions.h"

#include <cmath>

namespace heed {

namespace {

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

Matrix head_similarity(const AttentionTrace& trace) {
    const Index heads = trace.weights.count();
    Matrix flat = Eigen::Map<const Matrix>(trace.weights.data(), heads, trace.weights.rows() * trace.weights.cols());
    // A row without a visible key may be NaN by choice; it says nothing about what heads have in common.
    flat = flat.unaryExpr([](float weight) { return std::isfinite(weight) ? weight : 0.0F; });
    Matrix similarity = flat * flat.transpose();
    const Eigen::VectorXf lengths = similarity.diagonal().cwiseSqrt();
    for (Index a = 0; a < heads; ++a)
        for (Index b = 0; b < heads; ++b) {
            const float product = lengths(a) * lengths(b);
            similarity(a, b) = product > 0 ? similarity(a, b) / product : 0;
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
            float largest = 0;
            winner(i, j) = -1;
            for (Index head = 0; head < trace.weights.count(); ++head)
                if (const float weight = trace.weights[head](i, j); weight > largest) {
                    largest = weight;
                    winner(i, j) = static_cast<int>(head);
                }
        }
    return winner;
}

}  // namespace heed
