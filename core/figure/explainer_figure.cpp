#include "core/figure/explainer_figure.h"

#include "core/analysis/cell_explanation.h"
#include "core/figure/axis_labels.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float padding = 16;

// The mouse may be on a token alone, with no cell.
bool is_cell(const std::optional<Cell>& cell) { return cell && cell->query >= 0 && cell->key >= 0; }

class Explainer {
public:
    explicit Explainer(const FigureContext& context)
        : context_(context),
          colors_(context.colors()),
          text_(context.options.text_size),
          head_(shown_head(context.scene)),
          cell_(is_cell(context.hovered) ? *context.hovered : pinned_cell(context.scene)),
          step_(std::clamp(context.scene.display.pipeline.explainer_step, 1, explainer_steps)),
          explanation_(explain_cell(context.scene.model, context.trace, head_, cell_)) {
        figure_ = {.width = context.width,
                   .height = context.height,
                   .theme = context.theme,
                   .marks = {},
                   .targets = {},
                   .frames = {}};
    }

    Figure draw() {
        const float top = padding + text_ + 14;
        const float bottom = context_.height - padding;
        const float room = context_.width - 2 * padding;
        const float gap = 28;
        const float output_w = std::clamp(room * 0.15F, 96.0F, 150.0F);
        const float row_w = std::clamp(room * 0.27F, 150.0F, 380.0F);
        const float strips_w = room - row_w - output_w - 2 * gap;
        draw_heading();
        draw_strips({padding, top, strips_w, bottom - top});
        if (step_ >= 4) draw_row({padding + strips_w + gap, top, row_w, bottom - top});
        if (step_ >= 5) draw_output({context_.width - padding - output_w, top, output_w, bottom - top});
        return std::move(figure_);
    }

private:
    void words(std::string text, Point at, float size, Color color, AlignX align = AlignX::left,
               AlignY align_y = AlignY::baseline, Font font = Font::words, bool plain = false) {
        figure_.marks.emplace_back(TextMark{std::move(text), at, {size, font, color}, align, align_y, 0, plain});
    }

    void draw_heading() {
        const float y = padding + text_ * 0.8F;
        float x = padding;
        const auto piece = [&](std::string text, Color color, Font font, bool plain) {
            const float width =
                plain ? context_.measure.width(text, text_, font) : rich_width(context_.measure, text, text_, font);
            words(std::move(text), {x, y}, text_, color, AlignX::left, AlignY::baseline, font, plain);
            x += width + 6;
        };
        const Model& model = context_.scene.model;
        const float longest = context_.width * 0.2F;
        piece(std::string(context_.word("Cell")), colors_.text, Font::bold, false);
        piece("“" + shorten(context_.measure, query_label(model, cell_.query), text_, Font::bold, longest) + "”",
              colors_.query, Font::bold, true);
        piece(std::string(context_.word("asks")), colors_.dim, Font::words, false);
        piece("“" + shorten(context_.measure, key_label(model, cell_.key), text_, Font::bold, longest) + "”",
              colors_.key, Font::bold, true);
        if (model.n_heads > 1)
            piece(fill(context_.word("in head {0}"), {std::to_string(head_)}), colors_.dim, Font::words, false);

        if (context_.options.title) return;  // on paper there is nothing to press
        const std::string step =
            fill(context_.word("step {0} of {1}"), {std::to_string(step_), std::to_string(explainer_steps)});
        const float button = text_ * 1.6F;
        const float right = context_.width - padding;
        const float middle = y - text_ * 0.35F;
        step_button("step forward", "›", {right - button, middle - button / 2, button, button},
                    step_ < explainer_steps);
        const float step_w = context_.measure.width(step, text_ - 2, Font::words);
        words(step, {right - button - 8, middle}, text_ - 2, colors_.dim, AlignX::right, AlignY::middle);
        step_button("step back", "‹", {right - 2 * button - step_w - 16, middle - button / 2, button, button},
                    step_ > 1);
    }

    void step_button(const char* id, const char* sign, Rect area, bool is_enabled) {
        figure_.marks.emplace_back(
            BoxMark{.area = area, .fill = colors_.field, .stroke = colors_.hairline, .radius = 6});
        words(sign, area.center(), text_ + 2, is_enabled ? colors_.text : colors_.track, AlignX::center, AlignY::middle,
              Font::bold);
        figure_.targets.push_back({.id = id, .kind = TargetKind::button, .area = area, .tooltip = {}});
    }

    // A strip of numbers; `kind` tells strips of the same cell apart.
    void strip(const std::vector<float>& numbers, std::uint64_t kind, Rect area, float magnitude, bool is_vertical) {
        Matrix matrix(1, static_cast<Index>(numbers.size()));
        std::ranges::copy(numbers, matrix.data());
        HeatmapMark heatmap;
        heatmap.id = "strip " + std::to_string(kind);
        heatmap.values = view_of(std::move(matrix), strip_version(kind));
        heatmap.transposed = is_vertical;
        heatmap.area = area;
        heatmap.scale = {color_map(context_.scene.display.diverging_map).id, -magnitude, magnitude, false};
        heatmap.number_size = text_ - 4;
        const float cell_w = is_vertical ? area.w : area.w / static_cast<float>(numbers.size());
        const float cell_h = is_vertical ? area.h / static_cast<float>(numbers.size()) : area.h;
        const float number_w = context_.measure.width(decimal(-magnitude, 1), heatmap.number_size, Font::mono) + 2;
        const float wide_w =
            context_.measure.width(decimal(-static_cast<double>(magnitude), 2), heatmap.number_size, Font::mono) + 2;
        if (cell_w >= number_w && cell_h >= heatmap.number_size * 1.2F && context_.options.numbers)
            heatmap.decimals = cell_w >= wide_w ? 2 : 1;
        heatmap.grid = std::min(cell_w, cell_h) >= 10;
        figure_.marks.emplace_back(std::move(heatmap));
    }

    std::uint64_t strip_version(std::uint64_t kind) const {
        return bits_at(context_.trace.version, kind + (static_cast<std::uint64_t>(head_) << 8U),
                       static_cast<std::uint64_t>(cell_.query), static_cast<std::uint64_t>(cell_.key));
    }

    static float magnitude(std::initializer_list<const std::vector<float>*> lists) {
        float largest = 1e-6F;
        for (const auto* list : lists)
            for (const float number : *list)
                if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
        return largest;
    }

    void draw_strips(Rect area) {
        const CellExplanation& cell = explanation_;
        const float name_w = text_ * 3.6F;
        const float end_w = text_ * 4.6F;  // room for the score at the end of the running sum
        const auto count = static_cast<float>(cell.terms.size());
        const float strip_w = std::min(area.w - name_w - end_w, count * 40);
        const float strip_h = std::clamp(area.h * 0.14F, 12.0F, 28.0F);
        const float strip_gap = std::clamp(area.h * 0.035F, 3.0F, 8.0F);
        const Rect first{area.x + name_w, area.y, strip_w, strip_h};
        const auto at_row = [&](int row) {
            return Rect{first.x, first.y + static_cast<float>(row) * (strip_h + strip_gap), strip_w, strip_h};
        };
        const auto name = [&](const std::string& text, Rect beside, Color color) {
            words(text, {beside.x - 10, beside.center().y}, text_ - 1, color, AlignX::right, AlignY::middle,
                  Font::bold);
        };
        const float side = magnitude({&cell.left, &cell.right});
        strip(cell.left, 1, at_row(0), side, false);
        name(cell.left_name, at_row(0), colors_.query);
        strip(cell.right, 2, at_row(1), side, false);
        name(cell.right_name, at_row(1), colors_.key);
        if (step_ < 2) return;
        strip(cell.terms, 3, at_row(2), magnitude({&cell.terms}), false);
        name(cell.terms_name, at_row(2), colors_.text);
        const float line_h = text_ * 1.7F;
        const float curve_top = at_row(3).y;
        draw_running_sum({first.x, curve_top, strip_w, std::max(20.0F, area.bottom() - line_h - curve_top - 6)});
        if (step_ >= 3)
            words(score_arithmetic(context_.scene.model, cell, context_.language), {first.x, area.bottom()}, text_ - 1,
                  colors_.dim, AlignX::left, AlignY::bottom, Font::mono);
    }

    void draw_running_sum(Rect area) {
        const std::vector<float>& sums = explanation_.running_sum;
        float low = 0;
        float high = 0;
        for (const float sum : sums) {
            if (!std::isfinite(sum)) continue;
            low = std::min(low, sum);
            high = std::max(high, sum);
        }
        if (high - low < 1e-6F) high = low + 1;
        const auto y_of = [&](float value) { return area.bottom() - (value - low) / (high - low) * area.h; };
        const float zero = y_of(0);
        figure_.marks.emplace_back(LineMark{{{area.x, zero}, {area.right(), zero}}, colors_.hairline});
        words(std::string(context_.word("sum")), {area.x - 10, std::max(zero, area.y + text_ * 0.8F)}, text_ - 2,
              colors_.dim, AlignX::right, AlignY::middle);
        LineMark curve{{{area.x, zero}}, colors_.query, 2};
        for (std::size_t t = 0; t < sums.size(); ++t)
            curve.points.push_back({area.x + area.w * (static_cast<float>(t) + 1) / static_cast<float>(sums.size()),
                                    std::isfinite(sums[t]) ? y_of(sums[t]) : zero});
        const Point end = curve.points.back();
        figure_.marks.emplace_back(std::move(curve));
        figure_.marks.emplace_back(CircleMark{end, 4, colors_.query});
        words(decimal(explanation_.score, 3), {end.x + 8, end.y}, text_ - 1, colors_.query, AlignX::left,
              AlignY::middle, Font::mono);
    }

    void draw_row(Rect area) {
        const CellExplanation& cell = explanation_;
        const Model& model = context_.scene.model;
        const float small = text_ - 2;
        words(fill(context_.word("weights of “{0}”"),
                   {shorten(context_.measure, query_label(model, cell_.query), small, Font::words, area.w * 0.5F)}),
              {area.x, area.y}, small, colors_.dim, AlignX::left, AlignY::top, Font::words, true);
        LabelSpec labels;
        for (int j = 0; j < static_cast<int>(cell.row_weights.size()); ++j)
            labels.labels.push_back(key_label(model, j));
        labels.style = {text_ - 3, Font::words, colors_.key};
        labels.pinned = cell_.key;
        const auto count = static_cast<float>(cell.row_weights.size());
        const float bar_w = std::min(area.w / count, 48.0F);
        const float labels_h = column_labels_height(context_.measure, labels, bar_w, text_ * 4);
        const float lines_h = small * 1.35F * 2;
        const Rect bars{area.x, area.y + small * 3.0F, bar_w * count,
                        std::max(16.0F, area.h - small * 3.0F - labels_h - lines_h - 6)};
        draw_bars(bars, bar_w);
        add_column_labels(figure_, context_.measure, labels, bars, text_ * 4, false);
        words(weight_arithmetic(model, cell, context_.language), {area.x, area.bottom() - small * 1.35F}, small,
              colors_.dim, AlignX::left, AlignY::bottom, Font::mono);
        words(fill(context_.word("{0} % of this query’s attention"),
                   {cell.share > 0 && cell.share < 0.0005F
                        ? std::string("< 0.1")
                        : decimal(static_cast<double>(cell.share) * 100, cell.share < 0.1F ? 1 : 0)}),
              {area.x, area.bottom()}, small, colors_.text, AlignX::left, AlignY::bottom);
    }

    void draw_bars(Rect bars, float bar_w) {
        const CellExplanation& cell = explanation_;
        const float largest = magnitude({&cell.row_weights});
        bool has_negative = false;
        for (const float weight : cell.row_weights) has_negative = has_negative || weight < 0;
        const float zero = has_negative ? bars.center().y : bars.bottom();
        const float unit = (has_negative ? bars.h / 2 : bars.h) / largest;
        const float thickness = std::max(1.0F, bar_w * 0.66F);
        const bool has_numbers = context_.measure.width("0.00", text_ - 3, Font::mono) + 2 <= bar_w;
        for (std::size_t j = 0; j < cell.row_weights.size(); ++j) {
            const float x = bars.x + (static_cast<float>(j) + 0.5F) * bar_w;
            const bool is_this = static_cast<int>(j) == cell_.key;
            if (cell.row_visible[j] == 0) {
                figure_.marks.emplace_back(
                    BoxMark{.area = {x - thickness / 2, zero - 8, thickness, 8}, .hatched = true});
                continue;
            }
            const float weight = cell.row_weights[j];
            const float length = std::isfinite(weight) ? std::abs(weight) * unit : 0;
            const float top = weight >= 0 ? zero - length : zero;
            figure_.marks.emplace_back(BoxMark{.area = {x - thickness / 2, top, thickness, length},
                                               .fill = is_this ? colors_.query : colors_.track});
            if (has_numbers || is_this)
                words(decimal(weight, 2), {x, weight >= 0 ? top - 3 : top + length + 3}, text_ - 3,
                      is_this ? colors_.query : colors_.dim, AlignX::center, weight >= 0 ? AlignY::bottom : AlignY::top,
                      Font::mono);
        }
        figure_.marks.emplace_back(LineMark{{{bars.x, zero}, {bars.right(), zero}}, colors_.hairline});
    }

    void draw_output(Rect area) {
        const CellExplanation& cell = explanation_;
        const float small = text_ - 2;
        const float top = area.y + small * 1.8F;
        const float column = (area.w - 16) / 3;
        const float height = std::min(area.bottom() - top, static_cast<float>(cell.value.size()) * 28);
        const float size = magnitude({&cell.value, &cell.output});
        const auto column_at = [&](int i) {
            return Rect{area.x + static_cast<float>(i) * (column + 8), top, column, height};
        };
        const auto head = [&](const std::string& text, int i, Color color) {
            words(text, {column_at(i).center().x, top - 6}, small, color, AlignX::center, AlignY::baseline, Font::bold);
        };
        strip(cell.value, 4, column_at(0), size, true);
        head("v", 0, colors_.value);
        strip(cell.carried, 5, column_at(1), size, true);
        head("α·v", 1, colors_.text);
        strip(cell.output, 6, column_at(2), size, true);
        head("Σ α·v", 2, colors_.output);
    }

    const FigureContext& context_;
    const Palette& colors_;
    float text_;
    int head_;
    Cell cell_;
    int step_;
    CellExplanation explanation_;
    Figure figure_;
};

}  // namespace

Figure explainer_figure(const FigureContext& context) { return Explainer(context).draw(); }

}  // namespace heed
