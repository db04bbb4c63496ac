#include "core/analysis/cell_explanation.h"

#include "core/analysis/contributions.h"
#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/percent.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

std::vector<float> row_of(const Stack& stack, int index, int row) {
    const auto matrix = stack[index];
    return {matrix.row(row).begin(), matrix.row(row).end()};
}

bool turns_vectors(const Model& model) { return position_encoding(model.position->encoding).turn != nullptr; }

// The name of what the score compares: q′ and k′ where the position has turned q and k.
std::string compared_name(const Model& model, std::string_view name) {
    if (!turns_vectors(model)) return std::string(name);
    std::string primed;
    for (std::size_t at = 0; at < name.size(); ++at) {
        primed += name[at];
        const bool is_index = at + 1 < name.size() && name[at + 1] == '}';  // of W_{q}
        if ((name[at] == 'q' || name[at] == 'k') && !is_index) primed += "′";
    }
    return primed;
}

void explain_score(const Model& model, const AttentionTrace& trace, int head, Cell cell, CellExplanation& out) {
    const ScoreInputs all = score_inputs(model, trace, head, cell.query, cell.query + 1);
    ScoreTerms terms =
        score_function(model.score)
            .explain({all.q, all.k.middleRows(cell.key, 1), all.additive_w_q, all.additive_w_k, all.additive_v});
    out.left = std::move(terms.left);
    out.right = std::move(terms.right);
    out.terms = std::move(terms.terms);
    out.left_name = compared_name(model, terms.left_name);
    out.right_name = compared_name(model, terms.right_name);
    out.terms_name = compared_name(model, terms.terms_name);
    float sum = 0;
    for (const float term : out.terms) out.running_sum.push_back(sum += term);
}

// As T → 0 the normaliser gets other numbers than scores and biases added up.
void explain_limit(const Model& model, const AttentionTrace& trace, int head, Cell cell, CellExplanation& out) {
    std::vector<double> scores, logits(out.row_logits.size());
    for (const float score : row_of(trace.scores, head, cell.query)) scores.push_back(static_cast<double>(score));
    std::vector<std::uint8_t> winners = out.row_visible;
    normalizer_input(model, head, cell.query, scores, logits, winners);
    out.winners = static_cast<int>(std::ranges::count_if(winners, [](std::uint8_t wins) { return wins != 0; }));
    out.wins = winners[static_cast<std::size_t>(cell.key)] != 0;
    if (normalizer(model.normalizer->id).has_argmax_limit) return;
    for (std::size_t j = 0; j < logits.size(); ++j) out.row_logits[j] = static_cast<float>(logits[j]);
}

std::vector<std::string_view> masks_hiding(const Model& model, int head, Cell cell) {
    std::vector<std::string_view> names;
    const int position = cell.query + model.query_offset;
    const int n_keys = effective_n_keys(model);
    bool has_pattern = false;
    bool is_opened = false;
    for (const Mask& mask : masks()) {
        if (!mask.is_on(*model.mask)) continue;
        const bool visible = mask.visible(*model.mask, position, cell.key, n_keys);
        if (mask.kind == MaskKind::opens) {
            has_pattern = true;
            is_opened = is_opened || visible;
        } else if (!visible) {
            names.push_back(mask.name);
        }
    }
    if (has_pattern && !is_opened)
        for (const Mask& mask : masks())
            if (mask.kind == MaskKind::opens && mask.is_on(*model.mask)) names.push_back(mask.name);
    const auto of_head = [&](const auto& list) -> const auto& {
        return list[list.size() > 1 ? static_cast<std::size_t>(head) : 0];
    };
    if (model.mask->painted && (*of_head(model.painted_mask))(cell.query, cell.key) == 0) names.emplace_back("Painted");
    if (model.bias_on && (*of_head(model.bias))(cell.query, cell.key) == -std::numeric_limits<float>::infinity())
        names.emplace_back("Bias");
    return names;
}

std::string scale_arithmetic(const Model& model, const CellExplanation& cell) {
    const bool has_temperature = cell.temperature != 1 && cell.temperature != 0;
    std::string text = decimal(cell.score, 3);
    if (cell.scale_is_root_d_k)
        text += " ÷ √" + std::to_string(model.d_k);
    else if (cell.scale != 1 || !has_temperature)
        text += " × " + (cell.scale == 1 ? std::string("1") : compact(cell.scale));
    if (has_temperature) text += " ÷ " + compact(cell.temperature);
    return text + " = " + decimal(cell.scaled, 3) + (cell.temperature == 0 ? ", T → 0" : "");
}

std::string bias_arithmetic(const Model& model, const CellExplanation& cell, Language language) {
    std::string text = decimal(cell.capped, 3);
    const auto added = [&](float value, std::string_view name) {
        text += (value < 0 ? " − " : " + ") + decimal(std::abs(value), 3) + " (" + std::string(name) + ")";
    };
    if (model.bias_on) added(cell.bias, tr(language, "bias"));
    if (position_encoding(model.position->encoding).bias != nullptr)
        added(cell.position_bias, tr(language, position_encoding(model.position->encoding).name));
    return text + " = " + decimal(cell.logit, 3);
}

std::string mask_arithmetic(const CellExplanation& cell, Language language) {
    std::string names;
    for (const std::string_view name : cell.hidden_by)
        names += (names.empty() ? "" : ", ") + std::string(tr(language, name));
    return (std::isfinite(cell.logit) ? decimal(cell.logit, 3) + " → −∞" : "−∞") + " (" + names + ")";
}

std::string filled_row(const Model& model, const CellExplanation& cell, Language language) {
    const std::string value = decimal(cell.weight, 3);
    switch (model.normalizer->masked_row) {
        case MaskedRow::zero:
            return std::string(tr(language, "every key is hidden: the row is filled with zeros, by choice"));
        case MaskedRow::uniform:
            return fill(tr(language, "every key is hidden: the row is filled with 1/{0} = {1}, by choice"),
                        {std::to_string(cell.row_weights.size()), value});
        case MaskedRow::nan:
            break;
    }
    return std::string(tr(language, "every key is hidden: the row is filled with NaN, by choice"));
}

bool has_bias(const Model& model) {
    return model.bias_on || position_encoding(model.position->encoding).bias != nullptr;
}

// Why a key has the weight it has as T → 0, where only the largest scaled scores of a row count.
std::string limit_sentence(const Model& model, const CellExplanation& cell, const std::string& weight,
                           Language language) {
    if (!cell.wins) return fill(tr(language, "not the largest scaled score of its row: {0}"), {weight});
    if (cell.winners == 1) return fill(tr(language, "the largest scaled score of its row: {0}"), {weight});
    return fill(
        tr(language, has_bias(model) ? "one of the {0} largest scaled scores, between which the bias decides: {1}"
                                     : "one of the {0} largest scaled scores, which share: {1}"),
        {std::to_string(cell.winners), weight});
}

std::string weight_arithmetic(const Model& model, const CellExplanation& cell, Language language) {
    const Normalizer& rule = normalizer(model.normalizer->id);
    if (!cell.is_visible) return rule.is_softmax ? "e^{−∞} = 0" : std::string(tr(language, "hidden: 0"));
    const bool is_tiny = cell.weight != 0 && std::abs(cell.weight) < 0.0005F;
    const std::string weight = is_tiny ? compact(cell.weight) : decimal(cell.weight, 3);
    if (at_argmax_limit(model)) return limit_sentence(model, cell, weight, language);
    const auto key = static_cast<std::size_t>(cell.key);
    return rule.explain(
        {cell.row_logits, cell.row_weights, cell.row_visible, key, decimal(cell.row_logits[key], 3), weight}, language);
}

std::string output_sentence(const CellExplanation& cell, Language language) {
    const auto words = [&](std::string_view english) { return std::string(tr(language, english)); };
    if (!cell.head_is_on) return words("the head is switched off: it carries nothing to the output");
    if (!std::isfinite(cell.output_share)) return words("the output is not a number");
    if (cell.weight == 0) return words("carries nothing to the output");
    if (cell.output_is_zero) return words("the head’s output is 0, so no key has a share of it");
    return fill(words("carries {0} % of the head’s output o: α·v·o ÷ ‖o‖^{2}"), {percent_digits(cell.output_share)});
}

}  // namespace

CellExplanation explain_cell(const Model& model, const AttentionTrace& trace, int head, Cell cell) {
    CellExplanation out;
    out.key = cell.key;
    explain_score(model, trace, head, cell, out);
    out.score = trace.scores[head](cell.query, cell.key);
    out.scale = score_scale(model);
    out.scale_is_root_d_k =
        model.scale->scaling == Scaling::automatic && score_function(model.score).scales_by_root_d_k;
    out.temperature = model.temperature;
    out.scaled = out.score * score_factor(model);
    out.capped = static_cast<float>(scaled_score(model, static_cast<double>(out.score)));
    if (model.bias_on)
        out.bias = (*model.bias[model.bias.size() > 1 ? static_cast<std::size_t>(head) : 0])(cell.query, cell.key);
    if (const auto bias = position_encoding(model.position->encoding).bias)
        out.position_bias = bias(cell.query + model.query_offset, cell.key, head, model.n_heads);
    out.logit = out.capped + out.bias + out.position_bias;

    const MaskMatrix& visible = trace.visible_of(head);
    const auto n_keys = static_cast<int>(visible.cols());
    for (int j = 0; j < n_keys; ++j) {
        out.row_visible.push_back(visible(cell.query, j));
        out.row_logits.push_back(stage_value(model, trace, Stage::masked, head, cell.query, j));
    }
    if (is_limit(model)) explain_limit(model, trace, head, cell, out);
    out.row_weights = row_of(trace.weights, head, cell.query);
    out.is_visible = visible(cell.query, cell.key) != 0;
    if (!out.is_visible) out.hidden_by = masks_hiding(model, head, cell);
    out.weight = out.row_weights[static_cast<std::size_t>(cell.key)];
    float total = 0;
    for (const float weight : out.row_weights) total += std::abs(weight);
    out.share = total > 0 ? std::abs(out.weight) / total : 0;
    out.value = row_of(trace.v, kv_head_of(model, head), cell.key);
    // A hidden value never takes part, whatever it holds.
    for (const float number : out.value) out.carried.push_back(out.weight == 0 ? 0 : out.weight * number);
    out.output = row_of(trace.head_output, head, cell.query);
    out.row_is_hidden = std::ranges::all_of(out.row_visible, [](std::uint8_t seen) { return seen == 0; });
    out.head_is_on = model.heads[static_cast<std::size_t>(head)].on;
    const std::vector<double> shares = output_shares(out.row_weights, std::as_const(trace.v)[kv_head_of(model, head)]);
    out.output_is_zero = shares.empty();
    out.output_share = shares.empty() ? 0 : shares[static_cast<std::size_t>(cell.key)];
    return out;
}

std::vector<ExplainedLine> explained_lines(const Model& model, const CellExplanation& cell, Language language) {
    std::vector<ExplainedLine> lines;
    const auto line = [&](int step, std::string_view name, std::string text) {
        lines.push_back({step, name.empty() ? std::string() : std::string(tr(language, name)), std::move(text)});
    };
    if (turns_vectors(model))
        line(1, "", std::string(tr(language, "q′ and k′ are q and k, rotated by their positions")));
    line(2, "score", decimal(cell.score, 3));
    line(3, "scale", scale_arithmetic(model, cell));
    if (model.scale->soft_cap) {
        const std::string cap = compact(*model.scale->soft_cap);
        std::string inside = decimal(cell.scaled, 3) + " ÷ " + cap;
        if (model.temperature == 0) inside = cell.scaled > 0 ? "∞" : cell.scaled < 0 ? "−∞" : "0";
        line(3, "soft cap", cap + "·tanh(" + inside + ") = " + decimal(cell.capped, 3));
    }
    if (has_bias(model))
        line(3, "bias",
             !is_limit(model) ? bias_arithmetic(model, cell, language)
                              : std::string(tr(language, normalizer(model.normalizer->id).has_argmax_limit
                                                             ? "counts only between equal scores, as T → 0"
                                                             : "counts only where every score is 0, as T → 0")));
    if (!cell.is_visible) line(3, "mask", mask_arithmetic(cell, language));
    if (cell.row_is_hidden) {
        line(4, "", filled_row(model, cell, language));
    } else {
        line(4, "weight", weight_arithmetic(model, cell, language));
        if (std::isfinite(cell.weight))
            line(4, "",
                 fill(tr(language, "{0} % of this query’s attention"),
                      {percent_digits(static_cast<double>(cell.share))}));
    }
    line(5, "", output_sentence(cell, language));
    return lines;
}

}  // namespace heed
