// The formula with the numbers of the pinned cell, for a paper or a slide.
#include "core/analysis/cell_explanation.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/code/script.h"
#include "core/counting.h"
#include "core/figure/context.h"
#include "core/files/shown.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heed {

namespace {

// Fit for one line of a comment: what a token says cannot end it.
std::string tex(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const std::string_view character = text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
        if (length == 0 || is_control(character))
            out += "\xEF\xBF\xBD";  // U+FFFD
        else if (character == "~" || character == "^" || character == "\\")
            out += character == "\\"  ? "\\textbackslash{}"
                   : character == "~" ? "\\textasciitilde{}"
                                      : "\\textasciicircum{}";
        else
            (out += std::string_view("&%$#_{}").find(character) != std::string_view::npos ? "\\" : "") += character;
    }
    return out;
}

// "1.2e-05" as 1.2 \cdot 10^{-5}.
std::string with_power(std::string text) {
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    const int exponent = std::stoi(text.substr(e + 1));
    return text.substr(0, e) + " \\cdot 10^{" + std::to_string(exponent) + "}";
}

std::string not_finite(double value) {
    return std::isnan(value) ? "\\mathrm{NaN}" : value > 0 ? "\\infty" : "-\\infty";
}

// Four decimals; a number that these would make 0 keeps its digits.
std::string computed(double value) {
    if (!std::isfinite(value)) return not_finite(value);
    char text[64];
    const bool is_tiny = value != 0 && std::abs(value) < 0.00005;
    const bool is_huge = std::abs(value) >= 1e7;
    std::snprintf(text, sizeof text, is_tiny || is_huge ? "%.2e" : "%.4f", value);
    return with_power(text);
}

// What the user chose, digit by digit.
std::string chosen(float value) {
    if (!std::isfinite(value)) return not_finite(static_cast<double>(value));
    char text[64];
    return with_power({text, std::to_chars(text, text + sizeof text, value).ptr});
}

// A factor, or what follows a sign: a minus of its own needs brackets.
std::string bracketed(const std::string& number) {
    return number.starts_with('-') ? "\\left(" + number + "\\right)" : number;
}

// The normaliser's rule holds for visible cells; in a row that sees no key the policy decides.
std::string weight_line(const Model& model, const CellExplanation& cell) {
    const std::string value = computed(static_cast<double>(cell.weight));
    if (cell.is_visible)
        return (is_limit(model) ? "\\lim_{T \\to 0} " : "") + std::string(normalizer(model.normalizer->id).latex) +
               " &= " + value;
    if (!cell.row_is_hidden) return "0 &= " + value + " \\quad \\text{(hidden)}";
    const std::string why = " \\quad \\text{(the query sees no key)}";
    switch (model.normalizer->masked_row) {
        case MaskedRow::zero:
            return "0 &= " + value + why;
        case MaskedRow::uniform:
            return "\\frac{1}{" + std::to_string(effective_n_keys(model)) + "} &= " + value + why;
        case MaskedRow::nan:
            break;
    }
    return "\\tfrac{0}{0} &= " + value + why;
}

// The lines between the score and the weight. The last of them is s_ij, which the normaliser's formula speaks of.
class LogitLines {
public:
    LogitLines(const Model& model, const CellExplanation& cell) : model_(model), cell_(cell) {
        const PositionEncoding& position = position_encoding(model.position->encoding);
        has_bias_ = model.bias_on && std::isfinite(cell.bias);
        has_position_ = position.bias != nullptr;
    }

    // At temperature 0 everything is the limit for T -> 0, which is reached by the soft cap or else by the weight.
    std::string text() {
        const bool adds = has_bias_ || has_position_;
        const std::string scaled = model_.scale->soft_cap || adds || is_limit(model_) ? "t_{ij}" : "s_{ij}";
        const std::string capped = !model_.scale->soft_cap ? scaled : adds ? "u_{ij}" : "s_{ij}";
        add(scaled, factors(), cell_.scaled);
        if (model_.scale->soft_cap) {
            const std::string cap = chosen(*model_.scale->soft_cap);
            const bool is_step = model_.temperature == 0;
            add(capped,
                (is_step ? "\\lim_{T \\to 0} " : "") + cap + " \\tanh\\frac{" + scaled + "}{" +
                    (is_step ? "T \\cdot " : "") + cap + "}",
                cell_.capped);
        }
        if (is_limit(model_))
            lines_ += "  s_{ij} &= " + sum("\\frac{" + scaled + "}{T}") + " \\\\\n";
        else if (adds)
            add("s_{ij}", sum(capped), cell_.capped + added_bias() + cell_.position_bias);
        return lines_;
    }

private:
    void add(const std::string& name, const std::string& formula, float value) {
        lines_ += "  " + name + " = " + formula + " &= " + computed(static_cast<double>(value)) + " \\\\\n";
    }

    std::string factors() const {
        std::string text;
        const auto factor = [&](const std::string& one) { text += (text.empty() ? "" : " \\cdot ") + one; };
        if (cell_.scale_is_root_d_k)
            factor("\\frac{1}{\\sqrt{" + std::to_string(model_.d_k) + "}}");
        else if (cell_.scale != 1)
            factor(chosen(cell_.scale));
        if (model_.temperature != 1 && model_.temperature != 0) factor("\\frac{1}{" + chosen(model_.temperature) + "}");
        factor("r_{ij}");
        return text;
    }

    float added_bias() const { return has_bias_ ? cell_.bias : 0; }

    std::string sum(const std::string& capped) const {
        std::string text = capped;
        if (has_bias_) text += " + " + bracketed(chosen(cell_.bias));
        if (has_position_)
            text += " + \\underbrace{" + bracketed(computed(static_cast<double>(cell_.position_bias))) + "}_{" +
                    std::string(position_encoding(model_.position->encoding).latex) + "}";
        return text;
    }

    const Model& model_;
    const CellExplanation& cell_;
    bool has_bias_ = false;
    bool has_position_ = false;
    std::string lines_;
};

}  // namespace

std::string latex_text(const Scene& scene, const AttentionTrace& trace) {
    const Model& model = scene.model;
    const Cell at = pinned_cell(scene);
    const CellExplanation cell = explain_cell(model, trace, shown_head(scene), at);
    std::string text = "% needs amsmath; i is \"" + tex(query_label(model, at.query)) + "\", j is \"" +
                       tex(key_label(model, at.key)) + "\", head " + shown_number(shown_head(scene)) + "\n";
    text += "\\begin{align}\n";
    text += "  r_{ij} = " + std::string(score_function(model.score).latex) +
            " &= " + computed(static_cast<double>(cell.score)) + " \\\\\n";
    text += LogitLines(model, cell).text();
    return text + "  \\alpha_{ij} = " + weight_line(model, cell) + "\n\\end{align}\n";
}

}  // namespace heed
