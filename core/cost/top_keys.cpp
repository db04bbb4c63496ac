#include "core/cost/top_keys.h"

#include "core/cost/row_softmax.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/gemm.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace heed {

namespace {

using ConstStrided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

// The smallest score that is among the `top` best, where `sign` is the factor's. `copy` is scratch.
float threshold(const float* scores, Index count, Index top, float sign, std::vector<float>& copy) {
    copy.resize(static_cast<std::size_t>(count));
    for (Index j = 0; j < count; ++j) copy[static_cast<std::size_t>(j)] = sign * scores[j];
    const auto last = copy.begin() + (top - 1);
    std::nth_element(copy.begin(), last, copy.end(), std::greater<>());
    return *last;
}

// A bound that at least `top` scores reach, and not many more: halving the range of the scores is far cheaper than sorting
// them. The lowest score where that does not come to an end, as with many equal ones.
float rough_bound(const float* scores, Index count, Index top) {
    const auto [lowest, highest] = std::minmax_element(scores, scores + count);
    float low = *lowest, high = *highest;
    for (int halvings = 0; halvings < 24; ++halvings) {
        const float middle = low + (high - low) / 2;
        const Index reached = count_at_least(scores, count, middle);
        if (reached >= top && reached <= 2 * top) return middle;
        (reached < top ? high : low) = middle;
    }
    return low;
}

// One output row from the best keys: of equal scores at the threshold the first ones, until there are enough.
void top_row(const CostCall& call, Index head, Index i, float* scores, std::vector<float>& copy) {
    const Index m = call.shape.m;
    const Index d_v = call.shape.d_v;
    const Index top = std::min<Index>(call.parameters.top, m);
    if (call.factor < 0) std::transform(scores, scores + m, scores, std::negate<>());
    const float bound = rough_bound(scores, m, top);
    copy.resize(static_cast<std::size_t>(m));  // at once: it is the thread's own and grows only once
    Index candidates = 0;
    for (Index j = 0; j < m; ++j)
        if (scores[j] >= bound) copy[static_cast<std::size_t>(candidates++)] = scores[j];
    float* output = call.output.row(head, i);
    std::fill_n(output, d_v, 0.0F);
    if (candidates < top) {  // NaN among the scores
        std::fill_n(output, d_v, std::numeric_limits<float>::quiet_NaN());
        return;
    }
    const auto first = copy.begin();
    std::nth_element(first, first + (top - 1), first + candidates, std::greater<>());
    const float least = first[top - 1];
    const float most = *std::max_element(first, first + top);
    Index ties = top - std::count_if(first, first + top, [least](float score) { return score > least; });
    float sum = 0;
    for (Index j = 0; j < m; ++j) {
        if (!(scores[j] >= least) || (scores[j] == least && ties-- <= 0)) continue;
        const float weight = std::exp((scores[j] - most) * std::abs(call.factor));
        sum += weight;
        const float* values = call.v.row(call.shape.kv_head_of(head), j);
        for (Index c = 0; c < d_v; ++c) output[c] += weight * values[c];
    }
    for (Index c = 0; c < d_v; ++c) output[c] /= sum;
}

}  // namespace

Index top_rows_together(Index n, Index m) {
    constexpr Index held = Index{1} << 20U;  // scores: 4 MB
    return std::min(n, std::max<Index>(96, held / std::max<Index>(1, m) / 96 * 96));
}

void top_forward(const CostCall& call, CostScratch& scratch) {
    const AttentionShape& shape = call.shape;
    const Index together = top_rows_together(shape.n, shape.m);
    float* held = scratch.weights.reserve(together * shape.m);
    ThreadPool& pool = scratch.workspace.pool();
    if (scratch.rows.size() < static_cast<std::size_t>(pool.thread_count()))
        scratch.rows.resize(static_cast<std::size_t>(pool.thread_count()));
    for (Index head = 0; head < shape.heads; ++head) {
        const ConstStrided k(call.k.row(shape.kv_head_of(head), 0), shape.m, shape.d_k,
                             Eigen::OuterStride<>(call.k.row_stride));
        for (Index first = 0; first < shape.n; first += together) {
            if (call.cancel != nullptr && call.cancel->load(std::memory_order_relaxed)) return;
            const Index count = std::min(together, shape.n - first);
            const ConstStrided q(call.q.row(head, first), count, shape.d_k, Eigen::OuterStride<>(call.q.row_stride));
            Eigen::Map<Matrix> scores(held, count, shape.m);
            multiply_by_transposed(q, k, scores, scratch.workspace);
            constexpr Index rows_each = 16;
            pool.parallel_for((count + rows_each - 1) / rows_each, [&](Index task, int slot) {
                for (Index i = task * rows_each; i < std::min(count, (task + 1) * rows_each); ++i)
                    top_row(call, head, first + i, held + i * shape.m, scratch.rows[static_cast<std::size_t>(slot)]);
            });
        }
    }
}

void top_weights(const CostHead& head, CostScratch& scratch, MatrixRef out) {
    const Index m = out.cols();
    const float sign = head.factor < 0 ? -1.0F : 1.0F;
    multiply_by_transposed(head.q, head.k, out, scratch.workspace);
    std::vector<float> seen, copy;
    for (Index i = 0; i < out.rows(); ++i) {
        const auto is_seen = [&](Index j) { return head.visible == nullptr || (*head.visible)(i, j) != 0; };
        seen.clear();
        for (Index j = 0; j < m; ++j)
            if (is_seen(j)) seen.push_back(out(i, j));
        const auto top = std::min<Index>(head.parameters.top, static_cast<Index>(seen.size()));
        if (top == 0) {
            out.row(i).setZero();
            continue;
        }
        const float least = threshold(seen.data(), static_cast<Index>(seen.size()), top, sign, copy);
        Index ties = top - std::count_if(seen.begin(), seen.end(), [&](float score) { return sign * score > least; });
        std::vector<std::uint8_t> kept(static_cast<std::size_t>(m));
        for (Index j = 0; j < m; ++j) {
            const float score = sign * out(i, j);
            kept[static_cast<std::size_t>(j)] =
                static_cast<std::uint8_t>(is_seen(j) && (score > least || (score == least && ties-- > 0)));
        }
        softmax_where(out.row(i).data(), m, head.factor,
                      [&](Index j) { return kept[static_cast<std::size_t>(j)] != 0; });
    }
}

}  // namespace heed
