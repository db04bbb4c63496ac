// The formula with the numbers of the pinned cell, for a paper or a slide.
#include "core/analysis/cell_explanation.h"
#include "core/attention/find_row.h"
#include "core/attention/rows.h"
#include "core/code/script.h"
#include "core/figure/context.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace heed {

namespace {

std::string tex(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
        if (c == '~' || c == '^' || c == '\\') {
            out += c == '\\' ? "\\textbackslash{}" : c == '~' ? "\\textasciitilde{}" : "\\textasciicircum{}";
            continue;
        }
        out += c;
    }
    return out;
}

std::string plain(double value, int decimals) {
    if (std::isnan(value)) return "\\mathrm{NaN}";
    if (std::isinf(value)) return value > 0 ? "\\infty" : "-\\infty";
    std::string text = decimal(value, decimals);
    const std::string minus = "−";
    if (text.starts_with(minus)) text.replace(0, minus.size(), "-");
    return text;
}

// A row for each score function and normaliser; missing_code() names those that have none.
struct Formula {
    std::string_view id;
    std::string_view latex;
};
constexpr Formula scores[] = {
    {"scaled-dot", "q_i \\cdot k_j"},
    {"dot", "q_i \\cdot k_j"},
    {"cosine", "\\frac{q_i \\cdot k_j}{\\lVert q_i \\rVert \\lVert k_j \\rVert}"},
    {"additive", "v^{\\top} \\tanh(W_q q_i + W_k k_j)"},
};
constexpr Formula weights[] = {
    {"softmax", "\\frac{e^{s_{ij}}}{\\sum_{j'} e^{s_{ij'}}}"},
    {"naive-softmax", "\\frac{e^{s_{ij}}}{\\sum_{j'} e^{s_{ij'}}}"},
    {"sparsemax", "\\max(0, s_{ij} - \\tau_i)"},
    {"l1", "\\frac{s_{ij}}{\\sum_{j'} |s_{ij'}|}"},
    {"l2", "\\frac{s_{ij}}{\\sqrt{\\sum_{j'} s_{ij'}^2}}"},
    {"argmax", "[\\,j = \\arg\\max_{j'} s_{ij'}\\,]"},
};

std::string formula(std::span<const Formula> table, std::string_view id) {
    return std::string(find_row(table, id).latex);
}

// The normaliser's rule holds for visible cells; in a row that sees no key the policy decides.
std::string weight_line(const Model& model, const CellExplanation& cell) {
    const std::string value = plain(static_cast<double>(cell.weight), 4);
    if (cell.is_visible)
        return formula(weights, at_argmax_limit(model) ? "argmax" : std::string_view(model.normalizer)) +
               " &= " + value;
    if (std::any_of(cell.row_visible.begin(), cell.row_visible.end(), [](std::uint8_t seen) { return seen != 0; }))
        return "0 &= " + value + " \\quad \\text{(hidden)}";
    const std::string why = " \\quad \\text{(the query sees no key)}";
    switch (model.masked_row) {
        case MaskedRow::zero:
            return "0 &= " + value + why;
        case MaskedRow::uniform:
            return "\\frac{1}{" + std::to_string(effective_n_keys(model)) + "} &= " + value + why;
        case MaskedRow::nan:
            break;
    }
    return "\\tfrac{0}{0} &= " + value + why;
}

}  // namespace

bool has_score_formula(std::string_view id) {
    return std::any_of(std::begin(scores), std::end(scores), [&](const Formula& row) { return row.id == id; });
}

bool has_normalizer_formula(std::string_view id) {
    return std::any_of(std::begin(weights), std::end(weights), [&](const Formula& row) { return row.id == id; });
}

std::string latex_text(const Scene& scene, const AttentionTrace& trace) {
    const Model& model = scene.model;
    const Cell at = pinned_cell(scene);
    const CellExplanation cell = explain_cell(model, trace, shown_head(scene), at);
    std::string scale;
    if (cell.scale_is_root_d_k)
        scale = "\\frac{1}{\\sqrt{" + std::to_string(model.d_k) + "}} \\cdot ";
    else if (cell.scale != 1)
        scale = plain(static_cast<double>(cell.scale), 4) + " \\cdot ";
    std::string temperature;
    if (model.temperature != 1 && model.temperature != 0)
        temperature = "\\frac{1}{" + plain(static_cast<double>(model.temperature), 3) + "} \\cdot ";

    std::string text = "% needs amsmath; i is \"" + tex(query_label(model, at.query)) + "\", j is \"" +
                       tex(key_label(model, at.key)) + "\", head " + std::to_string(shown_head(scene)) + "\n";
    text += "\\begin{align}\n";
    text += "  " + formula(scores, model.score) + " &= " + plain(static_cast<double>(cell.score), 4) + " \\\\\n";
    text += "  s_{ij} = " + scale + temperature + plain(static_cast<double>(cell.score), 4) +
            " &= " + plain(static_cast<double>(cell.scaled), 4) + " \\\\\n";
    if (model.soft_cap) {
        const std::string cap = plain(static_cast<double>(*model.soft_cap), 2);
        text += "  " + cap + " \\tanh\\frac{" + plain(static_cast<double>(cell.scaled), 4) + "}{" + cap +
                "} &= " + plain(static_cast<double>(cell.capped), 4) + " \\\\\n";
    }
    if (cell.bias != 0 || cell.position_bias != 0)
        text += "  s_{ij} + b_{ij} &= " + plain(static_cast<double>(cell.logit), 4) + " \\\\\n";
    return text + "  \\alpha_{ij} = " + weight_line(model, cell) + "\n\\end{align}\n";
}

}  // namespace heed
