#include "core/figure/explainer_figure.h"

#include "core/analysis/cell_explanation.h"
#include "core/analysis/projection_explanation.h"
#include "core/counting.h"
#include "core/display/pipeline_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/explainer_parts.h"
#include "core/figure/projection_links.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed {

// In the file of its name.
Figure projection_explainer(const FigureContext& context, const StageCell& entry);

namespace {

// The mouse may be on a token alone, with no cell.
bool is_cell(const std::optional<Cell>& cell) { return cell && cell->query >= 0 && cell->key >= 0; }

class WeightExplainer : private ExplainerParts {
public:
    WeightExplainer(const FigureContext& context, Cell cell)
        : ExplainerParts(context, {"query and key", "score", "scale and mask", "weight", "output"},
                         bits_at(0, 1, static_cast<std::uint64_t>(cell.query), static_cast<std::uint64_t>(cell.key))),
          cell_(cell),
          explanation_(explain_cell(context.model, context.trace, head_, cell_)) {}

    Figure draw() { return ExplainerParts::draw(make_parts(), heading(), {}); }

private:
    std::vector<Part> make_parts() {
        const auto terms = static_cast<float>(explanation_.terms.size());
        const auto keys = static_cast<float>(explanation_.row_weights.size());
        const float others = text_ * (14.0F + 9.0F + 7.4F) + 3 * part_gap;
        // Wide enough for a number in every cell, where the other columns can spare it.
        const float with_numbers = text_ * (7.8F + terms * 1.88F);
        const bool has_room = with_numbers + others <= context_.width - 2 * padding;
        return {{has_room ? std::max(text_ * 15.2F, with_numbers) : text_ * 15.2F,
                 text_ * (8.2F + std::clamp(terms * 2.9F, 9.0F, 40.0F)), [this](Rect area) { draw_strips(area); }},
                {text_ * 14.0F, text_ * 24, [this](Rect area) { draw_lines(area); }},
                {text_ * 9.0F, text_ * std::clamp(keys * 3.4F, 14.0F, 40.0F), [this](Rect area) { draw_row(area); }},
                {text_ * 7.4F, text_ * 10.5F, [this](Rect area) { draw_output(area); }}};
    }

    std::vector<Piece> heading() const {
        const Model& model = context_.model;
        std::vector<Piece> pieces = {{std::string(context_.word("Cell")), colors_.text, Font::bold, false, true},
                                     {query_label(model, cell_.query), colors_.query, Font::bold, true},
                                     {std::string(context_.word("asks")), colors_.dim, Font::words, false},
                                     {key_label(model, cell_.key), colors_.key, Font::bold, true}};
        if (model.n_heads > 1)
            pieces.push_back(
                {fill(context_.word("in head {0}"), {shown_number(head_)}), colors_.dim, Font::words, false, true});
        return pieces;
    }

    bool can_follow() const { return context_.model.source == Source::projected && !is_on_paper(); }

    void draw_strips(Rect area) {
        const CellExplanation& cell = explanation_;
        // The score may compare something made from q and k; then its strips show no components of theirs.
        const bool is_q = can_follow() && cell.left_name.starts_with("q") && cell.left_name.size() < 5;
        const bool is_k = can_follow() && cell.right_name.starts_with("k") && cell.right_name.size() < 5;
        draw_sum(area,
                 {.left = cell.left,
                  .right = cell.right,
                  .terms = cell.terms,
                  .running_sum = cell.running_sum,
                  .left_name = cell.left_name,
                  .right_name = cell.right_name,
                  .terms_name = cell.terms_name,
                  .left_color = colors_.query,
                  .right_color = colors_.key,
                  .sum_color = colors_.query,
                  .total = cell.score,
                  .left_vector = is_q ? "q" : "",
                  .right_vector = is_k ? "k" : ""},
                 step_ >= 2, step_ >= 2);
    }

    void draw_lines(Rect area) {
        add_explained_lines(figure_, context_, explained_lines(context_.model, explanation_, context_.language), step_,
                            area);
    }

    void draw_row(Rect area) {
        if (step_ < 4) return;
        const CellExplanation& cell = explanation_;
        const Model& model = context_.model;
        const float small = text_ - 2;
        const std::string_view heading = context_.word("weights of “{0}”");
        const float token_w = area.w - context_.measure.width(fill(heading, {""}), small, Font::words);
        const std::string token =
            shorten(context_.measure, query_label(model, cell_.query), small, Font::words, std::max(small, token_w));
        // Where nothing of the token is left to read or it has no room, the panel's heading names it.
        std::string title = fill(heading, {token});
        if (token == "…" || context_.measure.width(title, small, Font::words) > area.w)
            title = context_.word("Weights");
        words(std::move(title), {area.x, area.y + small}, small, colors_.dim, AlignX::left, AlignY::baseline,
              Font::words, true);
        LabelSpec labels;
        labels.count = static_cast<int>(cell.row_weights.size());
        labels.label_at = [&model](int key) { return key_label(model, key); };
        labels.pictures = label_pictures(context_, false, labels.count);
        labels.style = {text_ - 3, Font::words, colors_.key};
        labels.pinned = cell_.key;
        const float label_room = std::min(text_ * 4, area.h * 0.4F);
        const ColumnWidths widths = column_widths(context_.measure, labels, label_room);
        const auto count = static_cast<float>(cell.row_weights.size());
        float bar_w = std::min(area.w / count, 48.0F);
        // Turned labels end at their bar and begin to the left of it: the first one must begin inside the column.
        const bool is_turned = are_turned(widths, labels.style.size, bar_w);
        const float overhang = is_turned ? std::max(0.0F, (widths.widest + text_) * 0.7072F - bar_w / 2) : 0;
        if (is_turned) bar_w = std::min((area.w - overhang) / count, 48.0F);
        const float labels_h = column_labels_height(widths, labels.style.size, bar_w);
        const float number_h = text_ + 2;
        const float bars_top = area.y + small * 1.4F + number_h;
        const float below = labels_h + (has_negative_weights() ? number_h : 0);
        const Rect bars{area.x + overhang, bars_top, bar_w * count, std::max(8.0F, area.bottom() - bars_top - below)};
        draw_bars(bars, bar_w, area);
        // A bar and the label under it answer for their key.
        figure_.targets.push_back({.id = {std::string(keys_target), "row"},
                                   .kind = TargetKind::cells,
                                   .area = {bars.x, bars.y, bars.w, bars.h + below},
                                   .rows = 1,
                                   .cols = static_cast<Index>(cell.row_weights.size()),
                                   .tooltip = {}});
        const Rect labelled{bars.x, bars.y, bars.w, bars.h + (has_negative_weights() ? number_h : 0)};
        add_column_labels(figure_, context_.measure, labels, labelled, label_room, false);
    }

    bool has_negative_weights() const {
        return std::ranges::any_of(explanation_.row_weights, [](float weight) { return weight < 0; });
    }

    void draw_bars(Rect bars, float bar_w, Rect column) {
        const CellExplanation& cell = explanation_;
        const float largest = magnitude({&cell.row_weights});
        const float zero = has_negative_weights() ? bars.center().y : bars.bottom();
        const float unit = (bars.h - (bars.bottom() - zero)) / largest;
        const float thickness = std::max(1.0F, bar_w * 0.66F);
        const auto middle = [&](std::size_t j) { return bars.x + (static_cast<float>(j) + 0.5F) * bar_w; };
        const auto length = [&](std::size_t j) {
            const float weight = cell.row_weights[j];
            // A hidden key has no bar, unless the whole row is hidden and was filled.
            return std::max(std::isfinite(weight) ? std::abs(weight) * unit : 0,
                            cell.row_visible[j] == 0 ? std::min(8.0F, bars.h) : 0);
        };
        for (std::size_t j = 0; j < cell.row_weights.size(); ++j) {
            const float top = cell.row_weights[j] < 0 ? zero : zero - length(j);
            const bool is_hidden = cell.row_visible[j] == 0;
            BoxMark bar{.area = {middle(j) - thickness / 2, top, thickness, length(j)}, .hatched = is_hidden};
            if (!is_hidden) bar.fill = static_cast<int>(j) == cell_.key ? colors_.query : colors_.track;
            figure_.marks.emplace_back(bar);
        }
        figure_.marks.emplace_back(LineMark{{{bars.x, zero}, {bars.right(), zero}}, colors_.hairline});
        // Over all bars: a number may be wider than its own.
        const float number_size = text_ - 3;
        const bool has_numbers = context_.measure.width("0.00", number_size, Font::mono) + 2 <= bar_w;
        for (std::size_t j = 0; j < cell.row_weights.size(); ++j) {
            const float weight = cell.row_weights[j];
            const bool is_this = static_cast<int>(j) == cell_.key;
            const bool is_filled = cell.row_is_hidden || cell.row_visible[j] != 0;
            if (!is_this && !(has_numbers && is_filled)) continue;
            const std::string number = decimal(weight, 2);
            const float half = context_.measure.width(number, number_size, Font::mono) / 2;
            const float x = std::clamp(middle(j), column.x + half, std::max(column.x + half, column.right() - half));
            // Clear of its own bar, and of the neighbours it is as wide as.
            float clear = length(j);
            for (std::size_t k = 0; k < cell.row_weights.size(); ++k)
                if (std::abs(middle(k) - x) < half + thickness / 2 && (cell.row_weights[k] < 0) == (weight < 0))
                    clear = std::max(clear, length(k));
            words(number, {x, weight < 0 ? zero + clear + 3 : zero - clear - 3}, number_size,
                  is_this ? colors_.query : colors_.dim, AlignX::center, weight < 0 ? AlignY::top : AlignY::bottom,
                  Font::mono);
        }
    }

    void draw_output(Rect area) {
        if (step_ < 5) return;
        const CellExplanation& cell = explanation_;
        const float small = text_ - 2;
        const float top = area.y + small * 1.8F;
        const float gap = area.w < text_ * 8 ? 4 : 8;
        const float column = (std::min(area.w, text_ * 10.5F) - 2 * gap) / 3;
        const float height = std::min(area.bottom() - top, static_cast<float>(cell.value.size()) * text_ * 2);
        const float size = magnitude({&cell.value, &cell.output});
        const auto column_at = [&](int i) {
            return Rect{area.x + static_cast<float>(i) * (column + gap), top, column, height};
        };
        // The heads share a size in which none touches the next; the sum is o in the words beside it.
        const float head_room = column + gap - 5;
        const auto fits = [&](const std::string& text, float at_size) {
            return context_.measure.width(text, at_size, Font::bold) <= head_room;
        };
        const float head_size = fits("Σ α·v", small) ? small : small - 2;
        const std::string sum = fits("Σ α·v", head_size) ? "Σ α·v" : "o";
        const auto head = [&](const std::string& text, int i, Color color) {
            words(text, {column_at(i).center().x, top - 6}, head_size, color, AlignX::center, AlignY::baseline,
                  Font::bold);
        };
        strip(cell.value, 4, column_at(0), size, true);
        if (can_follow()) add_components("v", cell.value.size(), column_at(0), true);
        head("v", 0, colors_.value);
        strip(cell.carried, 5, column_at(1), size, true);
        head("α·v", 1, colors_.text);
        strip(cell.output, 6, column_at(2), size, true);
        head(sum, 2, colors_.output);
    }

    Cell cell_;
    CellExplanation explanation_;
};

}  // namespace

int steps_of_explained(const Model& model, const Display& display) {
    const std::optional<StageCell> entry = pinned_entry(model, display);
    return entry && display.pinned ? projection_steps(model, entry->stage) : explainer_steps;
}

void step_explanation(Scene& scene, int by) {
    int& step = scene.display.pipeline->explainer_step;
    const int steps = steps_of_explained(scene.model, scene.display);
    step = std::clamp(std::min(step, steps) + by, 1, steps);
}

Figure explainer_figure(const FigureContext& context) {
    if (const std::optional<StageCell> entry = explained_entry(context)) return projection_explainer(context, *entry);
    const Cell cell = is_cell(context.hovered) ? *context.hovered : pinned_cell(context);
    return WeightExplainer(context, cell).draw();
}

}  // namespace heed
