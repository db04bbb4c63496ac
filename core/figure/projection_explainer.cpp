// A number of Q, K or V, step by step: the embedding and a column of W, their products, the sum, and the turn of a position.
#include "core/analysis/projection_explanation.h"
#include "core/attention/projections.h"
#include "core/counting.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/explainer_parts.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cstdint>

namespace heed {

namespace {

std::vector<std::string_view> step_names(const Model& model, Stage result) {
    std::vector<std::string_view> names = {"x and w", "products", "their sum"};
    if (projection_steps(model, result) > 3) names.emplace_back("rotation");
    return names;
}

class ProjectionExplainer : private ExplainerParts {
public:
    ProjectionExplainer(const FigureContext& context, const StageCell& entry)
        : ExplainerParts(context, step_names(context.model, entry.stage),
                         bits_at(0, 2 + static_cast<std::uint64_t>(entry.stage), static_cast<std::uint64_t>(entry.row),
                                 static_cast<std::uint64_t>(entry.col))),
          projection_(*projection_of(entry.stage)),
          color_(entry.stage == Stage::q   ? colors_.query
                 : entry.stage == Stage::k ? colors_.key
                                           : colors_.value),
          explanation_(explain_projection(context.model, context.trace, head_, entry)) {}

    Figure draw() { return ExplainerParts::draw(make_parts(), heading(), "Back to the weight"); }

private:
    std::vector<Part> make_parts() {
        const auto terms = static_cast<float>(explanation_.terms.size());
        const auto width = static_cast<float>(explanation_.vector.size());
        const float others = text_ * (14.0F + 7.0F) + 2 * part_gap;
        const float with_numbers = text_ * (7.8F + terms * 1.88F);
        const bool has_room = with_numbers + others <= context_.width - 2 * padding;
        return {
            {has_room ? std::max(text_ * 15.2F, with_numbers) : text_ * 15.2F,
             text_ * (8.2F + std::clamp(terms * 2.9F, 9.0F, 40.0F)), [this](Rect area) { draw_strips(area); }},
            {text_ * 14.0F, text_ * 24, [this](Rect area) { draw_lines(area); }},
            {text_ * 7.0F, text_ * std::clamp(width * 2.9F, 9.0F, 30.0F), [this](Rect area) { draw_vector(area); }}};
    }

    std::string vector_name() const { return std::string(projection_.vector) + (explanation_.turn ? "′" : ""); }
    std::string token() const {
        const int row = explanation_.entry.row;
        return projection_.is_of_query ? query_label(context_.model, row) : key_label(context_.model, row);
    }

    std::vector<Piece> heading() const {
        const StageCell& entry = explanation_.entry;
        std::vector<Piece> pieces = {
            {fill(context_.word("Component {0} of {1}"), {shown_number(entry.col), vector_name()}), color_, Font::bold,
             false},
            {std::string(context_.word("of the token")), colors_.dim, Font::words, false, true},
            {token(), color_, Font::bold, true}};
        if (context_.model.n_heads > 1)
            pieces.push_back(
                {fill(context_.word("in head {0}"), {shown_number(head_)}), colors_.dim, Font::words, false, true});
        return pieces;
    }

    void draw_strips(Rect area) {
        draw_sum(area,
                 {.left = explanation_.input,
                  .right = explanation_.column,
                  .terms = explanation_.terms,
                  .running_sum = explanation_.running_sum,
                  .left_name = "x",
                  .right_name = "w",
                  .terms_name = "x ⊙ w",
                  .left_color = colors_.text,
                  .right_color = color_,
                  .sum_color = color_,
                  .total = explanation_.value},
                 step_ >= 2, step_ >= 3);
    }

    void draw_lines(Rect area) {
        add_explained_lines(figure_, context_, explained_lines(context_.model, explanation_, context_.language), step_,
                            area);
    }

    // All of q, k or v as it goes on, with this component in a frame.
    void draw_vector(Rect area) {
        const bool is_last = step_ == projection_steps(context_.model, explanation_.entry.stage);
        if (!is_last) return;
        const auto count = static_cast<float>(explanation_.vector.size());
        const float small = text_ - 2;
        words(vector_name(), {area.x, area.y + small}, small, color_, AlignX::left, AlignY::baseline, Font::bold);
        const Rect strip_area{area.x, area.y + small * 1.8F, std::min(area.w, count * text_ * 2.9F), text_ * 2};
        strip(explanation_.vector, 4, strip_area, magnitude({&explanation_.vector}), false);
        add_components(projection_.vector, explanation_.vector.size(), strip_area, false);
        const float width = strip_area.w / count;
        figure_.marks.emplace_back(BoxMark{.area = {strip_area.x + width * static_cast<float>(explanation_.entry.col),
                                                    strip_area.y, width, strip_area.h},
                                           .stroke = color_,
                                           .stroke_width = 2});
    }

    const Projection& projection_;
    Color color_;
    ProjectionExplanation explanation_;
};

}  // namespace

Figure projection_explainer(const FigureContext& context, const StageCell& entry) {
    return ProjectionExplainer(context, entry).draw();
}

}  // namespace heed
