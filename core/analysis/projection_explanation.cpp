#include "core/analysis/projection_explanation.h"

#include "core/attention/operands.h"
#include "core/attention/positions.h"
#include "core/attention/projections.h"
#include "core/counting.h"
#include "core/model/position_settings.h"

#include <cmath>

namespace heed {

namespace {

// The one row of the turn's matrix that makes this component: turning back is the transpose of turning.
TurnExplanation explain_turn(const Model& model, const AttentionTrace& trace, int head, const StageCell& entry) {
    const Projection& projection = *projection_of(entry.stage);
    TurnExplanation turn;
    turn.position = entry.row + (projection.is_of_query ? model.query_offset : 0);
    Matrix unit = Matrix::Zero(1, model.d_k);
    unit(0, entry.col) = 1;
    position_encoding(model.position->encoding).turn(unit, turn.position, -1);
    for (int c = 0; c < model.d_k; ++c)
        if (unit(0, c) != 0)
            turn.terms.push_back({c, static_cast<double>(unit(0, c)),
                                  stage_value(model, trace, *projection.unrotated, head, entry.row, c)});
    turn.value = stage_value(model, trace, entry.stage, head, entry.row, entry.col);
    return turn;
}

std::string component_name(std::string_view vector, int component) {
    return std::string(vector) + "_{" + shown_number(component) + "}";
}

// "0.523·cos(2.00) …" would need the angle's own sentence; the factors themselves are shorter and are what is used.
std::string turn_arithmetic(const TurnExplanation& turn) {
    std::string text;
    for (const TurnExplanation::Term& term : turn.terms) {
        const double factor = text.empty() ? term.factor : std::abs(term.factor);
        if (!text.empty()) text += term.factor < 0 ? " − " : " + ";
        const bool is_negative = std::signbit(term.value);
        text += decimal(factor, 3) + "·" + (is_negative ? "(" : "") + decimal(static_cast<double>(term.value), 3) +
                (is_negative ? ")" : "");
    }
    return text + " = " + decimal(static_cast<double>(turn.value), 3);
}

std::string source_sentence(const Model& model, const ProjectionExplanation& of, Language language) {
    const Projection& projection = *projection_of(of.entry.stage);
    const std::string token =
        projection.is_of_query ? query_label(model, of.entry.row) : key_label(model, of.entry.row);
    if (!of.has_position) return fill(tr(language, "x is the embedding of “{0}”"), {token});
    if (of.factor == 1) return fill(tr(language, "x is the embedding of “{0}” and its position: x + p"), {token});
    return fill(tr(language, "x is the embedding of “{0}” and its position: √{1}·x + p"),
                {token, std::to_string(model.d_model)});
}

}  // namespace

int projection_steps(const Model& model, Stage result) {
    const Projection& projection = *projection_of(result);
    return projection.unrotated && has_stage(model, *projection.unrotated) ? 4 : 3;
}

ProjectionExplanation explain_projection(const Model& model, const AttentionTrace& trace, int head,
                                         const StageCell& entry) {
    const Projection& projection = *projection_of(entry.stage);
    ProjectionExplanation out;
    out.entry = entry;
    out.source = projected_from(model, projection.is_of_query);
    out.weights = projection.weights;
    for (int t = 0; t < model.d_model; ++t) {
        const float x = stage_value(model, trace, out.source, head, entry.row, t);
        const float w = stage_value(model, trace, out.weights, head, t, entry.col);
        const double term = static_cast<double>(x) * static_cast<double>(w);
        out.input.push_back(x);
        out.column.push_back(w);
        out.terms.push_back(static_cast<float>(term));
        out.running_sum.push_back(static_cast<float>(out.sum += term));
    }
    const bool is_turned = projection.unrotated && has_stage(model, *projection.unrotated);
    out.value = stage_value(model, trace, is_turned ? *projection.unrotated : entry.stage, head, entry.row, entry.col);
    const int width = entry.stage == Stage::v ? model.d_v : model.d_k;
    for (int c = 0; c < width; ++c) out.vector.push_back(stage_value(model, trace, entry.stage, head, entry.row, c));
    if (is_turned) out.turn = explain_turn(model, trace, head, entry);
    out.has_position = has_stage(model, Stage::x_in);
    out.factor = embedding_factor(model);
    return out;
}

PlacedComponent explain_placed(const Model& model, const AttentionTrace& trace, const StageCell& entry) {
    const bool is_query = entry.stage == Stage::x_in;
    const Stage embeddings = is_query || model.self_attention ? Stage::x : Stage::y;
    PlacedComponent out;
    out.embedding = stage_value(model, trace, embeddings, 0, entry.row, entry.col);
    out.factor = embedding_factor(model);
    out.value = stage_value(model, trace, entry.stage, 0, entry.row, entry.col);
    Matrix row = Matrix::Zero(1, model.d_model);
    position_encoding(model.position->encoding).add(row, entry.row + (is_query ? model.query_offset : 0), model.seed);
    out.position = row(0, entry.col);
    return out;
}

std::vector<ExplainedLine> explained_lines(const Model& model, const ProjectionExplanation& of, Language language) {
    const Projection& projection = *projection_of(of.entry.stage);
    std::vector<ExplainedLine> lines;
    lines.push_back({1, {}, source_sentence(model, of, language)});
    lines.push_back({1,
                     {},
                     fill(tr(language, "w is column {0} of {1}"),
                          {shown_number(of.entry.col), projection.weights == Stage::w_q   ? "W_{Q}"
                                                       : projection.weights == Stage::w_k ? "W_{K}"
                                                                                          : "W_{V}"})});
    const std::string name = component_name(projection.vector, of.entry.col);
    const std::string value = decimal(static_cast<double>(of.value), 3);
    lines.push_back({3, name, "Σ x·w = " + value});
    // The pipeline adds in 32 bits, in an order of its own.
    if (decimal(of.sum, 3) != value)
        lines.push_back(
            {3, {}, fill(tr(language, "without rounding to 32 bits the sum is {0}"), {decimal(of.sum, 6)})});
    if (of.turn) {
        lines.push_back({4,
                         {},
                         fill(tr(language, "position {0} rotates it together with its pair"),
                              {std::to_string(of.turn->position)})});
        lines.push_back(
            {4, component_name(std::string(projection.vector) + "′", of.entry.col), turn_arithmetic(*of.turn)});
    }
    return lines;
}

}  // namespace heed
