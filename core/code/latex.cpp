// The formula with the numbers of the pinned cell, for a paper or a slide.
#include "core/analysis/cell_explanation.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/code/script.h"
#include "core/figure/context.h"

#include <cmath>

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

std::string score_formula(const Model& model) {
    if (model.score == "cosine") return "\\frac{q_i \\cdot k_j}{\\lVert q_i \\rVert \\lVert k_j \\rVert}";
    if (model.score == "additive") return "v^{\\top} \\tanh(W_q q_i + W_k k_j)";
    return "q_i \\cdot k_j";
}

std::string normalizer_formula(const Model& model) {
    const bool is_limit = model.temperature == 0 && normalizer(model.normalizer).has_argmax_limit;
    if (is_limit || model.normalizer == "argmax") return "\\alpha_{ij} = [\\,j = \\arg\\max_{j'} s_{ij'}\\,]";
    if (model.normalizer == "sparsemax") return "\\alpha_{ij} = \\max(0, s_{ij} - \\tau_i)";
    if (model.normalizer == "l1") return "\\alpha_{ij} = \\frac{s_{ij}}{\\sum_{j'} |s_{ij'}|}";
    if (model.normalizer == "l2") return "\\alpha_{ij} = \\frac{s_{ij}}{\\sqrt{\\sum_{j'} s_{ij'}^2}}";
    return "\\alpha_{ij} = \\frac{e^{s_{ij}}}{\\sum_{j'} e^{s_{ij'}}}";
}

}  // namespace

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
    text += "  " + score_formula(model) + " &= " + plain(static_cast<double>(cell.score), 4) + " \\\\\n";
    text += "  s_{ij} = " + scale + temperature + plain(static_cast<double>(cell.score), 4) +
            " &= " + plain(static_cast<double>(cell.scaled), 4) + " \\\\\n";
    if (model.soft_cap) {
        const std::string cap = plain(static_cast<double>(*model.soft_cap), 2);
        text += "  " + cap + " \\tanh\\frac{" + plain(static_cast<double>(cell.scaled), 4) + "}{" + cap +
                "} &= " + plain(static_cast<double>(cell.capped), 4) + " \\\\\n";
    }
    if (cell.bias != 0 || cell.position_bias != 0)
        text += "  s_{ij} + b_{ij} &= " + plain(static_cast<double>(cell.logit), 4) + " \\\\\n";
    text += "  " + normalizer_formula(model) + " &= " + (cell.is_visible ? "" : "0 \\text{ (hidden)} = ") +
            plain(static_cast<double>(cell.weight), 4) + "\n";
    return text + "\\end{align}\n";
}

}  // namespace heed
