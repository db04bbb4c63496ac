#include "core/attention/pipeline.h"

#include "core/attention/kept.h"
#include "core/attention/masks.h"
#include "core/attention/operands.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/attention/statistics.h"
#include "core/attention/tuned.h"
#include "core/model/scale_settings.h"
#include "core/operands.h"
#include "core/version.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

namespace heed {

namespace {

double exact_scale(const Model& model) {
    switch (model.scale->scaling) {
        case Scaling::off:
            return 1;
        case Scaling::typed:
            return static_cast<double>(model.scale->typed_scale);
        case Scaling::automatic:
            break;
    }
    return score_function(model.score).scales_by_root_d_k ? 1 / std::sqrt(static_cast<double>(model.d_k)) : 1;
}

void resize_stages(const Model& model, AttentionTrace& trace) {
    const Index heads = model.n_heads;
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    trace.scores.resize(heads, n, m);
    trace.logits.resize(logits_are_kept(model) ? heads : 0, n, m);
    trace.weights.resize(heads, n, m);
    trace.head_output.resize(heads, n, model.d_v);
    trace.joined.resize(n, heads * model.d_v);
    trace.output.resize(n, model.output_projection ? model.d_model : heads * model.d_v);
    trace.rows.resize(static_cast<std::size_t>(heads * n));
}

void compute_masks(const Model& model, AttentionTrace& trace, ThreadPool& pool) {
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    const std::size_t count = mask_is_shared(model) ? 1 : static_cast<std::size_t>(model.n_heads);
    trace.visible.resize(count);
    trace.first_visible.resize(count * static_cast<std::size_t>(n));
    trace.end_visible.resize(count * static_cast<std::size_t>(n));
    trace.hidden_cells = 0;
    trace.visible_is_contiguous = true;
    for (std::size_t mask = 0; mask < count; ++mask) {
        MaskMatrix& visible = trace.visible[mask];
        visible.resize(n, m);
        std::atomic<int> hidden = 0;
        std::atomic<bool> contiguous = true;
        const auto fill_rows = [&](Index first, Index end) {
            for (Index i = first; i < end; ++i) {
                std::uint8_t* const row = visible.row(i).data();
                visible_row(model, static_cast<int>(mask), static_cast<int>(i), row);
                const RowBounds bounds = row_bounds({row, static_cast<std::size_t>(m)});
                const std::size_t at = mask * static_cast<std::size_t>(n) + static_cast<std::size_t>(i);
                trace.first_visible[at] = bounds.first;
                trace.end_visible[at] = bounds.end;
                hidden.fetch_add(static_cast<int>(m) - bounds.count, std::memory_order_relaxed);
                if (!bounds.is_contiguous()) contiguous.store(false, std::memory_order_relaxed);
            }
        };
        constexpr Index few = 1 << 16;  // cells that one thread fills before another wakes
        const Index rows_each = std::max<Index>(1, few / m);
        if (n <= rows_each)
            fill_rows(0, n);
        else
            pool.parallel_for((n + rows_each - 1) / rows_each, [&](Index task, int) {
                fill_rows(task * rows_each, std::min(n, (task + 1) * rows_each));
            });
        if (mask == 0) trace.hidden_cells = hidden;
        if (!contiguous) trace.visible_is_contiguous = false;
    }
}

bool plain_heads(const Model& model, AttentionTrace& trace, const std::atomic<bool>* cancel) {
    thread_local Scratch scratch;
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    const Index block = std::max<Index>(1, 32768 / m);  // of doubles: stays in the second level cache
    for (int head = 0; head < model.n_heads; ++head) {
        const HeadRows rows(model, trace, head);
        for (Index first = 0; first < n; first += block) {
            if (cancel && cancel->load(std::memory_order_relaxed)) return false;
            const Index end = std::min(n, first + block);
            auto scores = scratch.matrix(end - first, m);
            rows.score(first, end, scores);
            for (Index i = first; i < end; ++i)
                rows.finish(i, {scores.row(i - first).data(), static_cast<std::size_t>(m)});
        }
    }
    return true;
}

void join_heads(const Model& model, AttentionTrace& trace) {
    const Index d_v = model.d_v;
    for (int head = 0; head < model.n_heads; ++head) {
        const HeadSetting& setting = model.heads[static_cast<std::size_t>(head)];
        auto place = trace.joined.middleCols(head * d_v, d_v);
        if (setting.on)
            place = setting.gain * trace.head_output[head];
        else
            place.setZero();
    }
    if (!model.output_projection) trace.output = trace.joined;
}

void plain_output(const Model& model, AttentionTrace& trace) {
    const Index d_v = model.d_v;
    thread_local Scratch scratch;
    auto sum = scratch.matrix(1, model.d_model);
    for (Index i = 0; i < trace.joined.rows(); ++i) {
        sum.setZero();
        for (int head = 0; head < model.n_heads; ++head) {
            if (!model.heads[static_cast<std::size_t>(head)].on) continue;
            const auto w_o = used(model.w_o[static_cast<std::size_t>(head)], operand_shape(model, Operand::w_o));
            for (Index t = 0; t < d_v; ++t)
                sum += static_cast<double>(trace.joined(i, head * d_v + t)) * w_o.row(t).cast<double>();
        }
        trace.output.row(i) = sum.cast<float>();
    }
}

}  // namespace

double exact_score_factor(const Model& model) {
    const double scale = exact_scale(model);
    return model.temperature == 0.0F ? scale : scale / static_cast<double>(model.temperature);
}

float score_scale(const Model& model) { return static_cast<float>(exact_scale(model)); }

float score_factor(const Model& model) { return static_cast<float>(exact_score_factor(model)); }

bool run_attention(const Model& model, AttentionTrace& trace, Path path, const std::atomic<bool>* cancel) {
    thread_local Workspace workspace;
    const auto start = std::chrono::steady_clock::now();
    trace.version = next_version();
    trace.score_factor = score_factor(model);
    resize_stages(model, trace);

    // What holds is known before anything is touched; nothing holds should this computation be cancelled.
    const bool tuned = path == Path::always_tuned || (path == Path::tuned && is_worth_tuning(model));
    TraceOrigin& origin = trace.origin;
    const bool keep_masks = origin.has_masks && same_masks(model, origin.model);
    const bool keep_keys = tuned && origin.has_operands && same_queries_and_keys(model, origin.model);
    const bool keep_values = tuned && origin.has_operands && same_values(model, origin.model);
    const bool keep_scores = tuned && origin.has_scores && same_scores(model, origin.model);
    const HeadSet changed = tuned && origin.has_scores ? changed_heads(model, origin.model) : HeadSet().set();
    origin.model = model;
    origin.has_masks = origin.has_operands = origin.has_scores = false;

    if (!keep_masks) compute_masks(model, trace, workspace.pool());
    origin.has_masks = true;
    compute_operands(model, trace, {!keep_keys, !keep_values}, tuned ? &workspace : nullptr);
    origin.has_operands = tuned;
    if (tuned && !keep_keys) origin.operands_are_modest = operands_are_modest(trace);

    if (tuned && origin.operands_are_modest) {
        origin.has_scores = keep_scores;
        const bool done = tuned_heads(model, trace, changed, workspace, cancel);
        origin.has_scores = done;
        if (!done) return false;
    } else if (!plain_heads(model, trace, cancel)) {
        return false;
    }
    join_heads(model, trace);
    if (model.output_projection) tuned ? tuned_output(model, trace, workspace) : plain_output(model, trace);
    summarize(model, trace);
    trace.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return true;
}

AttentionTrace run_attention(const Model& model, Path path) {
    AttentionTrace trace;
    run_attention(model, trace, path);
    return trace;
}

}  // namespace heed
