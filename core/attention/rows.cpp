#include "core/attention/rows.h"

#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/attention/statistics.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/operands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace heed {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::span<const std::uint8_t> mask_row(const AttentionTrace& trace, int head, Index query) {
    const MaskMatrix& visible = trace.visible_of(head);
    return {visible.row(query).data(), static_cast<std::size_t>(visible.cols())};
}

void store(std::span<const double> numbers, Stack::View out, Index row) {
    float* const to = out.row(row).data();
    for (std::size_t j = 0; j < numbers.size(); ++j) to[j] = static_cast<float>(numbers[j]);
}

}  // namespace

double masked_row_weight(MaskedRow policy, std::size_t n_keys) {
    switch (policy) {
        case MaskedRow::zero:
            return 0;
        case MaskedRow::uniform:
            return 1.0 / static_cast<double>(n_keys);
        case MaskedRow::nan:
            break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

bool logits_are_kept(const Model& model) {
    return model.scale->soft_cap || model.bias_on || position_encoding(model.position->encoding).bias;
}

bool is_limit(const Model& model) { return model.temperature == 0.0F && !model.scale->soft_cap; }

bool at_argmax_limit(const Model& model) {
    return is_limit(model) && normalizer(model.normalizer->id).has_argmax_limit;
}

double scaled_score(const Model& model, double score) {
    const double scaled = score * exact_score_factor(model);
    if (!model.scale->soft_cap) return scaled;
    const auto cap = static_cast<double>(*model.scale->soft_cap);
    if (model.temperature == 0.0F && scaled != 0) return std::isnan(scaled) ? scaled : std::copysign(cap, scaled);
    return cap * std::tanh(scaled / cap);
}

void take_limit(const Normalizer& rule, std::span<const double> bias, std::span<double> logits,
                std::span<std::uint8_t> visible) {
    double largest = -std::numeric_limits<double>::infinity();
    bool has_nan = false;
    bool all_zero = true;
    for (std::size_t j = 0; j < logits.size(); ++j) {
        if (!visible[j]) continue;
        has_nan = has_nan || std::isnan(logits[j]);
        all_zero = all_zero && logits[j] == 0;
        largest = std::max(largest, logits[j]);
    }
    if (has_nan || !(rule.has_argmax_limit || all_zero)) return;
    for (std::size_t j = 0; j < logits.size(); ++j) {
        if (rule.has_argmax_limit && logits[j] != largest) visible[j] = 0;
        logits[j] = bias[j];
    }
}

void normalizer_input(const Model& model, int head, Index query, std::span<const double> scores,
                      std::span<double> logits, std::span<std::uint8_t> visible) {
    if (!is_limit(model)) return row_logits(model, head, query, scores, logits);
    thread_local Scratch scratch;
    const std::span<double> bias = scratch.row(static_cast<Index>(scores.size()));
    row_bias(model, head, query, bias);
    for (std::size_t j = 0; j < scores.size(); ++j) logits[j] = scaled_score(model, scores[j]);
    take_limit(normalizer(model.normalizer->id), bias, logits, visible);
}

ScoreInputs score_inputs(const Model& model, const AttentionTrace& trace, int head, Index first_query,
                         Index end_query) {
    return {trace.q[head].middleRows(first_query, end_query - first_query), trace.k[kv_head_of(model, head)],
            used(model.additive_w_q, operand_shape(model, Operand::additive_w_q)),
            used(model.additive_w_k, operand_shape(model, Operand::additive_w_k)),
            used(model.additive_v, operand_shape(model, Operand::additive_v))};
}

namespace {

void add_bias(const Model& model, int head, Index query, std::span<double> to) {
    if (model.bias_on) {
        const SharedMatrix& block = model.bias[model.bias.size() == 1 ? 0 : static_cast<std::size_t>(head)];
        const float* const bias = block->row(query).data();
        for (std::size_t j = 0; j < to.size(); ++j)
            if (bias[j] != -infinity) to[j] += static_cast<double>(bias[j]);
    }
    if (const auto bias = position_encoding(model.position->encoding).bias) {
        const int position = static_cast<int>(query) + model.query_offset;
        for (std::size_t j = 0; j < to.size(); ++j)
            to[j] += static_cast<double>(bias(position, static_cast<int>(j), head, model.n_heads));
    }
}

}  // namespace

void row_bias(const Model& model, int head, Index query, std::span<double> out) {
    std::ranges::fill(out, 0.0);
    add_bias(model, head, query, out);
}

void row_logits(const Model& model, int head, Index query, std::span<const double> scores, std::span<double> out) {
    for (std::size_t j = 0; j < scores.size(); ++j) out[j] = scaled_score(model, scores[j]);
    add_bias(model, head, query, out);
}

HeadRows::HeadRows(const Model& model, AttentionTrace& trace, int head) : model_(model), trace_(trace), head_(head) {}

void HeadRows::score(Index first_query, Index end_query, ExactRef scores) const {
    score_function(model_.score).scores(score_inputs(model_, trace_, head_, first_query, end_query), scores);
    trace_.scores[head_].middleRows(first_query, end_query - first_query) = scores.cast<float>();
}

void HeadRows::weights(Index query, std::span<const double> scores, std::span<const double> logits,
                       std::span<double> out) const {
    const Normalizer& rule = normalizer(model_.normalizer->id);
    const std::span<const std::uint8_t> visible = mask_row(trace_, head_, query);
    if (!trace_.sees_a_key(head_, query)) {
        std::ranges::fill(out, masked_row_weight(model_.normalizer->masked_row, out.size()));
    } else if (is_limit(model_)) {
        thread_local std::vector<std::uint8_t> winners;
        thread_local std::vector<double> entering;
        winners.assign(visible.begin(), visible.end());
        entering.resize(out.size());
        normalizer_input(model_, head_, query, scores, entering, winners);
        rule.weights(entering, winners, out);
    } else {
        rule.weights(logits, visible, out);
    }
}

void HeadRows::finish(Index query, std::span<const double> scores) const {
    thread_local Scratch scratch;
    const auto n_keys = static_cast<Index>(scores.size());
    const Index d_v = trace_.v.cols();
    const std::span<double> all = scratch.row(2 * n_keys + d_v);
    const std::span<double> logits = all.subspan(0, scores.size());
    const std::span<double> row_weights = all.subspan(scores.size(), scores.size());
    Eigen::Map<ExactMatrix> output(all.data() + 2 * n_keys, 1, d_v);

    row_logits(model_, head_, query, scores, logits);
    if (!trace_.logits.empty()) store(logits, trace_.logits[head_], query);
    weights(query, scores, logits, row_weights);
    store(row_weights, trace_.weights[head_], query);

    // Hidden values are skipped, not multiplied by 0: they may be NaN. In a row that sees nothing the policy decides.
    const std::span<const std::uint8_t> visible = mask_row(trace_, head_, query);
    const bool all_keys = !trace_.sees_a_key(head_, query) && model_.normalizer->masked_row != MaskedRow::zero;
    const Index first = all_keys ? 0 : trace_.first_visible_of(head_, query);
    const Index end = all_keys ? n_keys : trace_.end_visible_of(head_, query);
    const auto values = std::as_const(trace_.v)[kv_head_of(model_, head_)];
    output.setZero();
    for (Index j = first; j < end; ++j)
        if (visible[static_cast<std::size_t>(j)] || all_keys)
            output += row_weights[static_cast<std::size_t>(j)] * values.row(j).cast<double>();
    trace_.head_output[head_].row(query) = output.cast<float>();

    const std::span<const float> kept(trace_.weights[head_].row(query).data(), scores.size());
    trace_.row(head_, query) = row_statistics(kept, static_cast<int>(query) + model_.query_offset);
}

}  // namespace heed
