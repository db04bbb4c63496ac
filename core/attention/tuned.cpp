#include "core/attention/tuned.h"

#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/attention/statistics.h"
#include "core/kernels/gemm.h"
#include "core/model/normalizer_settings.h"
#include "core/operands.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

// The matrices of a stack from this head on, as the kernels want them.
template <typename T, typename Matrices>
HeadMatrices<T> from_head(Matrices& stack, Index head) {
    const Index size = stack.rows() * stack.cols();
    return {stack.data() + head * size, size, stack.cols()};
}

bool is_cancelled(const std::atomic<bool>* cancel) { return cancel && cancel->load(std::memory_order_relaxed); }

// The kernel's softmax serves, whatever the scores are.
bool is_kernel_softmax(const Model& model) {
    return normalizer(model.normalizer->id).has_kernel && !at_argmax_limit(model) && std::isfinite(score_factor(model));
}

// Calls use(head, first, end) for blocks of rows of the marked heads, shared among the threads.
template <typename Use>
void each_row_block(const Model& model, const HeadSet& heads, Workspace& workspace, const std::atomic<bool>* cancel,
                    Use&& use) {
    const Index n = model.n_queries;
    const Index block = std::clamp<Index>(32768 / effective_n_keys(model), 1, 64);
    const Index blocks = (n + block - 1) / block;
    workspace.pool().parallel_for(model.n_heads * blocks, [&](Index task, int) {
        const Index head = task / blocks;
        if (is_cancelled(cancel) || !heads[static_cast<std::size_t>(head)]) return;
        const Index first = task % blocks * block;
        use(static_cast<int>(head), first, std::min(n, first + block));
    });
}

void fill_scores(const Model& model, AttentionTrace& trace, const HeadSet& heads, Workspace& workspace,
                 const std::atomic<bool>* cancel) {
    if (score_function(model.score).is_dot) {
        for (int head = 0; head < model.n_heads && !is_cancelled(cancel); ++head)
            if (heads[static_cast<std::size_t>(head)])
                multiply_by_transposed(trace.q[head], trace.k[kv_head_of(model, head)], trace.scores[head], workspace);
        return;
    }
    each_row_block(model, heads, workspace, cancel, [&](int head, Index first, Index end) {
        thread_local Scratch scratch;
        HeadRows(model, trace, head).score(first, end, scratch.matrix(end - first, trace.scores.cols()));
    });
}

// Raw scores of a row, widened.
std::span<const double> score_row(const AttentionTrace& trace, int head, Index query) {
    thread_local Scratch scratch;
    const std::span<double> out = scratch.row(trace.scores.cols());
    const auto row = trace.scores[head].row(query);
    for (Index j = 0; j < trace.scores.cols(); ++j) out[static_cast<std::size_t>(j)] = static_cast<double>(row(j));
    return out;
}

void fill_logits(const Model& model, AttentionTrace& trace, const HeadSet& heads, Workspace& workspace,
                 const std::atomic<bool>* cancel) {
    each_row_block(model, heads, workspace, cancel, [&](int head, Index first, Index end) {
        thread_local Scratch scratch;
        const std::span<double> logits = scratch.row(trace.scores.cols());
        for (Index i = first; i < end; ++i) {
            row_logits(model, head, i, score_row(trace, head, i), logits);
            auto kept = trace.logits[head].row(i);
            for (Index j = 0; j < kept.cols(); ++j) kept(j) = static_cast<float>(logits[static_cast<std::size_t>(j)]);
        }
    });
}

struct Measuring {
    const Model& model;
    AttentionTrace& trace;
    Index first_head;  // of the call
};

void measure(void* context, Index head, Index begin, Index end) {
    const auto& [model, trace, first_head] = *static_cast<Measuring*>(context);
    const Index h = first_head + head;
    for (Index i = begin; i < end; ++i) {
        trace.row(h, i) = {};
        if (!trace.sees_a_key(h, i)) continue;
        const std::span<const float> weights(trace.weights[h].row(i).data(),
                                             static_cast<std::size_t>(trace.weights.cols()));
        const int position = static_cast<int>(i) + model.query_offset;
        const RowSums sums = row_sums(weights, trace.first_visible_of(h, i), trace.end_visible_of(h, i), position);
        trace.row(h, i) = row_statistics(sums, weights, position);
    }
}

// Softmax and output of some neighbouring heads that share a mask; fuses the scores in where they are not there yet.
void kernel_heads(const Model& model, AttentionTrace& trace, Workspace& workspace, Index head, Index heads,
                  bool fused) {
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    const Index kv_head = kv_head_of(model, static_cast<int>(head));
    const Index kv_heads = std::max<Index>(1, heads / heads_per_kv_head(model));
    Measuring measuring{model, trace, head};
    AttentionCall call;
    call.shape = {heads, kv_heads, n, m, model.d_k, model.d_v};
    call.q = from_head<const float>(trace.q, head);
    call.k = from_head<const float>(trace.k, kv_head);
    call.v = from_head<const float>(trace.v, kv_head);
    const bool from_logits = !trace.logits.empty();
    call.score_factor = from_logits ? 1.0F : trace.score_factor;
    const std::size_t mask = trace.mask_of(head);
    call.first_visible = trace.first_visible.data() + mask * static_cast<std::size_t>(n);
    call.end_visible = trace.end_visible.data() + mask * static_cast<std::size_t>(n);
    if (trace.hidden_cells == 0 && trace.visible.size() == 1) call.first_visible = call.end_visible = nullptr;
    if (!trace.visible_is_contiguous) {
        call.visible = trace.visible[mask].data();
        call.visible_row_stride = m;
    }
    call.score_use = fused ? ScoreUse::keep : ScoreUse::given;
    call.scores = from_head<float>(from_logits ? trace.logits : trace.scores, head);
    call.weights = from_head<float>(trace.weights, head);
    call.output = from_head<float>(trace.head_output, head);
    call.weights_done = measure;
    call.weights_done_context = &measuring;
    attention_forward(call, workspace);
}

// The kernel leaves zeros where a row sees no key.
void apply_policy(const Model& model, AttentionTrace& trace) {
    if (model.normalizer->masked_row == MaskedRow::zero) return;
    const double weight =
        masked_row_weight(model.normalizer->masked_row, static_cast<std::size_t>(trace.weights.cols()));
    for (int head = 0; head < model.n_heads; ++head)
        for (Index i = 0; i < model.n_queries; ++i) {
            if (trace.sees_a_key(head, i)) continue;
            auto row = trace.weights[head].row(i);
            row.setConstant(static_cast<float>(weight));
            const auto values = std::as_const(trace.v)[kv_head_of(model, head)];
            for (Index c = 0; c < values.cols(); ++c) {
                double sum = 0;
                for (Index j = 0; j < values.rows(); ++j) sum += static_cast<double>(values(j, c));
                trace.head_output[head](i, c) = static_cast<float>(weight * sum);
            }
            trace.row(head, i) = row_statistics({row.data(), static_cast<std::size_t>(row.cols())},
                                                static_cast<int>(i) + model.query_offset);
        }
}

// How many heads from this one on are marked alike.
Index run_length(const HeadSet& heads, Index head) {
    Index end = head + 1;
    while (end < max_heads && heads[static_cast<std::size_t>(end)] == heads[static_cast<std::size_t>(head)]) ++end;
    return end - head;
}

bool kernel_softmax(const Model& model, AttentionTrace& trace, const HeadSet& chosen, Workspace& workspace,
                    const std::atomic<bool>* cancel, bool fused) {
    // All heads at once, unless their masks differ or it takes long enough to be cancelled on the way.
    constexpr Index long_enough = Index{1} << 24U;  // weights: about 40 ms
    const Index group = heads_per_kv_head(model);
    Index most = model.n_heads;
    if (trace.visible.size() > 1)
        most = 1;
    else if (trace.weights.count() * trace.weights.rows() * trace.weights.cols() > long_enough)
        most = group;
    for (Index head = 0; head < model.n_heads;) {
        if (is_cancelled(cancel)) return false;
        const Index heads = std::min(most, run_length(chosen, head));
        if (chosen[static_cast<std::size_t>(head)]) kernel_heads(model, trace, workspace, head, heads, fused);
        head += heads;
    }
    apply_policy(model, trace);
    return true;
}

}  // namespace

bool is_worth_tuning(const Model& model) {
    const std::int64_t cells = std::int64_t{model.n_heads} * model.n_queries * effective_n_keys(model);
    const std::int64_t projections =
        model.source == Source::direct
            ? 0
            : std::int64_t{model.n_heads} * (model.n_queries + effective_n_keys(model)) * model.d_model;
    return cells * (model.d_k + model.d_v + 16) + projections * model.d_k > (std::int64_t{1} << 20U);
}

bool operands_are_modest(const AttentionTrace& trace) {
    constexpr float limit = 1e15F;
    constexpr Index together = 4096;  // looked at without a branch
    for (const Stack* stack : {&trace.q, &trace.k}) {
        const Index size = stack->count() * stack->rows() * stack->cols();
        for (Index first = 0; first < size; first += together) {
            int immodest = 0;
            for (Index i = first; i < std::min(size, first + together); ++i)
                immodest |= static_cast<int>(!(std::abs(stack->data()[i]) < limit));
            if (immodest != 0) return false;
        }
    }
    return true;
}

bool tuned_heads(const Model& model, AttentionTrace& trace, const HeadSet& heads, Workspace& workspace,
                 const std::atomic<bool>* cancel) {
    const bool softmax = is_kernel_softmax(model);
    const bool fused =
        softmax && score_function(model.score).is_dot && trace.logits.empty() && !trace.origin.has_scores;
    if (!fused && !trace.origin.has_scores) fill_scores(model, trace, heads, workspace, cancel);
    if (is_cancelled(cancel)) return false;
    if (softmax) {
        if (!trace.logits.empty()) fill_logits(model, trace, heads, workspace, cancel);
        if (!kernel_softmax(model, trace, heads, workspace, cancel, fused)) return false;
    } else {
        each_row_block(model, heads, workspace, cancel, [&](int head, Index first, Index end) {
            const HeadRows rows(model, trace, head);
            for (Index i = first; i < end; ++i) rows.finish(i, score_row(trace, head, i));
        });
    }
    return !is_cancelled(cancel);
}

void tuned_output(const Model& model, AttentionTrace& trace, Workspace& workspace) {
    bool add = false;
    for (int head = 0; head < model.n_heads; ++head) {
        if (!model.heads[static_cast<std::size_t>(head)].on) continue;
        const auto w_o = used(model.w_o[static_cast<std::size_t>(head)], operand_shape(model, Operand::w_o));
        multiply(trace.joined.middleCols(head * model.d_v, model.d_v), w_o, trace.output, workspace, {1.0F, add});
        add = true;
    }
    if (!add) trace.output.setZero();
}

}  // namespace heed
