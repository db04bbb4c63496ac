#include "core/analysis/cell_explanation.h"

#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {

namespace {

std::vector<float> row_of(const Stack& stack, int index, int row) {
    const auto matrix = stack[index];
    return {matrix.row(row).begin(), matrix.row(row).end()};
}

void explain_score(const Model& model, const AttentionTrace& trace, int head, Cell cell, CellExplanation& out) {
    out.left = row_of(trace.q, head, cell.query);
    out.right = row_of(trace.k, kv_head_of(model, head), cell.key);
    out.left_name = "q";
    out.right_name = "k";
    out.terms_name = "q ⊙ k";
    if (model.score == "cosine") {
        for (auto* side : {&out.left, &out.right}) {
            const float length = std::sqrt(std::inner_product(side->begin(), side->end(), side->begin(), 0.0F));
            for (float& number : *side) number = length > 0 ? number / length : 0;
        }
        out.left_name = "q/‖q‖";
        out.right_name = "k/‖k‖";
        out.terms_name = "⊙";
    }
    if (model.score == "additive") {
        const auto hidden = [&](const SharedMatrix& weights, const std::vector<float>& vector) {
            std::vector<float> result(static_cast<std::size_t>(model.d_additive));
            for (std::size_t a = 0; a < result.size(); ++a)
                for (std::size_t t = 0; t < vector.size(); ++t)
                    result[a] += (*weights)(static_cast<Index>(a), static_cast<Index>(t)) * vector[t];
            return result;
        };
        out.left = hidden(model.additive_w_q, out.left);
        out.right = hidden(model.additive_w_k, out.right);
        out.left_name = "W_{q}q";
        out.right_name = "W_{k}k";
        out.terms_name = "v·tanh";
    }
    float sum = 0;
    for (std::size_t t = 0; t < out.left.size(); ++t) {
        const float term = model.score == "additive"
                               ? (*model.additive_v)(0, static_cast<Index>(t)) * std::tanh(out.left[t] + out.right[t])
                               : out.left[t] * out.right[t];
        sum += term;
        out.terms.push_back(term);
        out.running_sum.push_back(sum);
    }
}

std::vector<std::string_view> masks_hiding(const Model& model, int head, Cell cell) {
    std::vector<std::string_view> names;
    const int position = cell.query + model.query_offset;
    const int n_keys = effective_n_keys(model);
    bool has_pattern = false;
    bool is_opened = false;
    for (const Mask& mask : masks()) {
        if (!mask.is_on(model.mask)) continue;
        const bool visible = mask.visible(model.mask, position, cell.key, n_keys);
        if (mask.kind == MaskKind::opens) {
            has_pattern = true;
            is_opened = is_opened || visible;
        } else if (!visible) {
            names.push_back(mask.name);
        }
    }
    if (has_pattern && !is_opened)
        for (const Mask& mask : masks())
            if (mask.kind == MaskKind::opens && mask.is_on(model.mask)) names.push_back(mask.name);
    const auto of_head = [&](const auto& list) -> const auto& {
        return list[list.size() > 1 ? static_cast<std::size_t>(head) : 0];
    };
    if (model.mask.painted && (*of_head(model.painted_mask))(cell.query, cell.key) == 0) names.emplace_back("Painted");
    if (model.bias_on && (*of_head(model.bias))(cell.query, cell.key) == -std::numeric_limits<float>::infinity())
        names.emplace_back("Bias");
    return names;
}

template <typename Values>
float share_of_output(const std::vector<float>& weights, const Values& values, int key) {
    float total = 0;
    float own = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] == 0) continue;  // a hidden value never takes part, whatever it holds
        const float length = std::abs(weights[j]) * values.row(static_cast<Index>(j)).norm();
        total += length;
        if (static_cast<int>(j) == key) own = length;
    }
    return total == 0 ? 0 : own / total;
}

// Whole percents, with a decimal where the first digit would be lost.
std::string percent(float share) {
    if (share > 0 && share < 0.0005F) return "< 0.1";
    return decimal(static_cast<double>(share) * 100, share > 0 && share < 0.1F ? 1 : 0);
}

std::string scale_arithmetic(const Model& model, const CellExplanation& cell) {
    const bool has_temperature = cell.temperature != 1 && cell.temperature != 0;
    std::string text = decimal(cell.score, 3);
    if (cell.scale_is_root_d_k)
        text += " ÷ √" + std::to_string(model.d_k);
    else if (cell.scale != 1 || !has_temperature)
        text += " × " + (cell.scale == 1 ? std::string("1") : compact(cell.scale));
    if (has_temperature) text += " ÷ " + compact(cell.temperature);
    return text + " = " + decimal(cell.scaled, 3);
}

std::string bias_arithmetic(const Model& model, const CellExplanation& cell, Language language) {
    std::string text = decimal(cell.capped, 3);
    const auto added = [&](float value, std::string_view name) {
        text += (value < 0 ? " − " : " + ") + decimal(std::abs(value), 3) + " (" + std::string(name) + ")";
    };
    if (model.bias_on) added(cell.bias, tr(language, "bias"));
    if (position_encoding(model.position).bias != nullptr)
        added(cell.position_bias, tr(language, position_encoding(model.position).name));
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
    switch (model.masked_row) {
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

std::string weight_arithmetic(const Model& model, const CellExplanation& cell, Language language) {
    const bool has_exponent = model.normalizer == "softmax" || model.normalizer == "naive-softmax";
    if (!cell.is_visible) return has_exponent ? "e^{−∞} = 0" : std::string(tr(language, "hidden: 0"));
    const bool is_tiny = cell.weight != 0 && std::abs(cell.weight) < 0.0005F;
    const std::string weight = is_tiny ? compact(cell.weight) : decimal(cell.weight, 3);
    const std::string logit = decimal(cell.logit, 3);
    const bool is_limit = model.temperature == 0 && normalizer(model.normalizer).has_argmax_limit;
    if (is_limit || model.normalizer == "argmax")
        return fill(tr(language, cell.weight > 0 ? "the largest of its row: {0}" : "not the largest of its row: {0}"),
                    {weight});
    double sum = 0;
    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < cell.row_logits.size(); ++j)
        if (cell.row_visible[j] != 0) largest = std::max(largest, cell.row_logits[j]);
    for (std::size_t j = 0; j < cell.row_logits.size(); ++j) {
        if (cell.row_visible[j] == 0) continue;
        const double value = static_cast<double>(cell.row_logits[j]);
        if (model.normalizer == "softmax") sum += std::exp(value - static_cast<double>(largest));
        if (model.normalizer == "naive-softmax") sum += static_cast<double>(std::exp(cell.row_logits[j]));
        if (model.normalizer == "l1") sum += std::abs(value);
        if (model.normalizer == "l2") sum += value * value;
    }
    if (model.normalizer == "softmax")
        return "e^{" + logit + (largest < 0 ? " + " : " − ") + decimal(std::abs(largest), 3) + "} ÷ " +
               decimal(sum, 3) + " = " + weight;
    if (model.normalizer == "naive-softmax") return "e^{" + logit + "} ÷ " + compact(sum) + " = " + weight;
    if (model.normalizer == "l1") return logit + " ÷ " + decimal(sum, 3) + " = " + weight;
    if (model.normalizer == "l2") return logit + " ÷ √" + decimal(sum, 3) + " = " + weight;
    // Sparsemax: the threshold follows from any key that keeps weight.
    float threshold = largest;
    for (std::size_t j = 0; j < cell.row_logits.size(); ++j)
        if (cell.row_weights[j] > 0) threshold = cell.row_logits[j] - cell.row_weights[j];
    return "max(0, " + logit + " − " + decimal(threshold, 3) + ") = " + weight;
}

std::string output_sentence(const CellExplanation& cell, Language language) {
    if (!std::isfinite(cell.output_share)) return std::string(tr(language, "the output is not a number"));
    if (cell.weight == 0) return std::string(tr(language, "carries nothing to the output"));
    return fill(tr(language, "carries {0} % of the output: ‖α·v‖ ÷ Σ ‖α·v‖"), {percent(cell.output_share)});
}

}  // namespace

CellExplanation explain_cell(const Model& model, const AttentionTrace& trace, int head, Cell cell) {
    CellExplanation out;
    explain_score(model, trace, head, cell, out);
    out.score = trace.scores[head](cell.query, cell.key);
    out.scale = score_scale(model);
    out.scale_is_root_d_k = model.scaling == Scaling::automatic && score_function(model.score).scales_by_root_d_k;
    out.temperature = model.temperature;
    out.scaled = out.score * score_factor(model);
    out.capped = model.soft_cap ? *model.soft_cap * std::tanh(out.scaled / *model.soft_cap) : out.scaled;
    if (model.bias_on)
        out.bias = (*model.bias[model.bias.size() > 1 ? static_cast<std::size_t>(head) : 0])(cell.query, cell.key);
    if (const auto bias = position_encoding(model.position).bias)
        out.position_bias = bias(cell.query + model.query_offset, cell.key, head, model.n_heads);
    out.logit = out.capped + out.bias + out.position_bias;

    const MaskMatrix& visible = trace.visible_of(head);
    const auto n_keys = static_cast<int>(visible.cols());
    for (int j = 0; j < n_keys; ++j) {
        out.row_visible.push_back(visible(cell.query, j));
        out.row_logits.push_back(stage_value(model, trace, Stage::masked, head, cell.query, j));
    }
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
    out.output_share = share_of_output(out.row_weights, trace.v[kv_head_of(model, head)], cell.key);
    return out;
}

std::vector<ExplainedLine> explained_lines(const Model& model, const CellExplanation& cell, Language language) {
    std::vector<ExplainedLine> lines;
    const auto line = [&](int step, std::string_view name, std::string text) {
        lines.push_back({step, name.empty() ? std::string() : std::string(tr(language, name)), std::move(text)});
    };
    line(2, "score", decimal(cell.score, 3));
    line(3, "scale", scale_arithmetic(model, cell));
    if (model.soft_cap) {
        const std::string cap = compact(*model.soft_cap);
        line(3, "soft cap", cap + "·tanh(" + decimal(cell.scaled, 3) + " ÷ " + cap + ") = " + decimal(cell.capped, 3));
    }
    if (model.bias_on || position_encoding(model.position).bias != nullptr)
        line(3, "bias", bias_arithmetic(model, cell, language));
    if (!cell.is_visible) line(3, "mask", mask_arithmetic(cell, language));
    if (cell.row_is_hidden) {
        line(4, "", filled_row(model, cell, language));
    } else {
        line(4, "weight", weight_arithmetic(model, cell, language));
        if (std::isfinite(cell.weight))
            line(4, "", fill(tr(language, "{0} % of this query’s attention"), {percent(cell.share)}));
    }
    line(5, "", output_sentence(cell, language));
    return lines;
}

}  // namespace heed
