#include "core/figure/explainer_figure.h"

#include "core/analysis/cell_explanation.h"
#include "core/counting.h"
#include "core/display/pipeline_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/page.h"
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
          head_(shown_head(context)),
          cell_(is_cell(context.hovered) ? *context.hovered : pinned_cell(context)),
          step_(std::clamp(context.display.pipeline->explainer_step, 1, explainer_steps)),
          explanation_(explain_cell(context.model, context.trace, head_, cell_)) {
        figure_ = empty_figure(context);
    }

    Figure draw() {
        const Rect page = add_page(figure_, context_, padding);
        const float top = page.y;
        const float bottom = page.bottom();
        const float body = top + text_ + 14;
        const std::vector<Part> parts = make_parts();
        // A low and wide place has all parts side by side, a high one two and two; none is drawn larger than reads well.
        const float tallest = text_ * 17;
        const float gap = text_ * 2;
        if (bottom - body < text_ * 26) {
            const float height = std::min(bottom - body, tallest);
            const Rect row = row_of_parts(parts, height);
            draw_heading({row.x, top, row.w, text_});
            draw_parts(parts, row, body);
        } else {
            const float height = std::min((bottom - body - gap) / 2, tallest);
            std::vector<Part> upper(parts.begin(), parts.begin() + 2);
            std::vector<Part> lower(parts.begin() + 2, parts.end());
            for (std::size_t i = 0; i < 2; ++i) {  // the columns line up
                upper[i].least = lower[i].least = std::max(upper[i].least, lower[i].least);
                upper[i].natural = lower[i].natural = std::max(upper[i].natural, lower[i].natural);
            }
            const Rect row = row_of_parts(upper, height);
            draw_heading({row.x, top, row.w, text_});
            draw_parts(upper, row, body);
            draw_parts(lower, row, body + height + gap);
        }
        return std::move(figure_);
    }

private:
    static constexpr float part_gap = 18;

    // A column of the picture. Its width depends on the sizes alone, never on the numbers of the cell.
    struct Part {
        float least = 0;
        float natural = 0;
        void (Explainer::*draw)(Rect) = nullptr;
    };

    std::vector<Part> make_parts() const {
        const auto terms = static_cast<float>(explanation_.terms.size());
        const auto keys = static_cast<float>(explanation_.row_weights.size());
        const float others = text_ * (12.3F + 9.0F + 7.4F) + 3 * part_gap;
        // Wide enough for a number in every cell, where the other columns can spare it.
        const float with_numbers = text_ * (7.8F + terms * 1.88F);
        const bool has_room = with_numbers + others <= context_.width - 2 * padding;
        return {{has_room ? std::max(text_ * 15.2F, with_numbers) : text_ * 15.2F,
                 text_ * (8.2F + std::clamp(terms * 2.9F, 9.0F, 40.0F)), &Explainer::draw_strips},
                {text_ * 12.3F, text_ * 24, &Explainer::draw_lines},
                {text_ * 9.0F, text_ * std::clamp(keys * 3.4F, 14.0F, 40.0F), &Explainer::draw_row},
                {text_ * 7.4F, text_ * 10.5F, &Explainer::draw_output}};
    }

    // Where a row of parts lies: kept together, at the left of the window and in the middle of a page.
    Rect row_of_parts(const std::vector<Part>& parts, float height) const {
        float natural = part_gap * static_cast<float>(parts.size() - 1);
        for (const Part& part : parts) natural += part.natural;
        const float width = std::min(natural, context_.width - 2 * padding);
        return {is_on_paper() ? (context_.width - width) / 2 : padding, 0, width, height};
    }

    void draw_parts(const std::vector<Part>& parts, Rect row, float y) {
        float least = 0;
        float natural = 0;
        for (const Part& part : parts) {
            least += part.least;
            natural += part.natural;
        }
        const float room = row.w - part_gap * static_cast<float>(parts.size() - 1);
        const float stretch = std::clamp((room - least) / (natural - least), 0.0F, 1.0F);
        const float squeeze = std::min(1.0F, room / least);
        float x = row.x;
        for (const Part& part : parts) {
            const float width = (part.least + (part.natural - part.least) * stretch) * squeeze;
            (this->*part.draw)({x, y, width, row.h});
            x += width + part_gap;
        }
    }

    bool is_on_paper() const { return context_.on_paper; }

    void words(std::string text, Point at, float size, Color color, AlignX align = AlignX::left,
               AlignY align_y = AlignY::baseline, Font font = Font::words, bool plain = false) {
        figure_.marks.emplace_back(TextMark{std::move(text), at, {size, font, color}, align, align_y, 0, plain});
    }

    std::string step_words(int step) const {
        constexpr std::string_view names[explainer_steps] = {"query and key", "score", "scale and mask", "weight",
                                                             "output"};
        return fill(context_.word("step {0} of {1}: {2}"), {std::to_string(step), std::to_string(explainer_steps),
                                                            context_.word(names[static_cast<std::size_t>(step - 1)])});
    }

    void draw_heading(Rect row) {
        const float y = row.y + text_ * 0.8F;
        // On paper there is nothing to press.
        const float right = is_on_paper() ? row.right() : draw_stepper(row.right(), y - text_ * 0.35F) - text_;
        const Model& model = context_.model;
        struct Piece {
            std::string text;
            Color color;
            Font font;
            bool is_token;
        };
        std::vector<Piece> pieces = {{std::string(context_.word("Cell")), colors_.text, Font::bold, false},
                                     {query_label(model, cell_.query), colors_.query, Font::bold, true},
                                     {std::string(context_.word("asks")), colors_.dim, Font::words, false},
                                     {key_label(model, cell_.key), colors_.key, Font::bold, true}};
        if (model.n_heads > 1)
            pieces.push_back(
                {fill(context_.word("in head {0}"), {shown_number(head_)}), colors_.dim, Font::words, false});
        constexpr float space = 6;
        float room = right - row.x - space * static_cast<float>(pieces.size());
        for (const Piece& piece : pieces)
            room -= context_.measure.width(piece.is_token ? "“”" : piece.text, text_, piece.font);
        float x = row.x;
        for (Piece& piece : pieces) {
            if (piece.is_token)
                piece.text =
                    "“" + shorten(context_.measure, piece.text, text_, piece.font, std::max(text_, room / 2)) + "”";
            const float width = context_.measure.width(piece.text, text_, piece.font);
            words(std::move(piece.text), {x, y}, text_, piece.color, AlignX::left, AlignY::baseline, piece.font, true);
            x += width + space;
        }
    }

    // The buttons stay where they are from step to step. Returns their left end.
    float draw_stepper(float right, float middle) {
        float widest = 0;
        for (int step = 1; step <= explainer_steps; ++step)
            widest = std::max(widest, context_.measure.width(step_words(step), text_ - 2, Font::words));
        const float button = text_ * 1.6F;
        step_button("step forward", "›", {right - button, middle - button / 2, button, button},
                    step_ < explainer_steps);
        words(step_words(step_), {right - button - 8 - widest / 2, middle}, text_ - 2, colors_.dim, AlignX::center,
              AlignY::middle);
        const float left = right - 2 * button - widest - 16;
        step_button("step back", "‹", {left, middle - button / 2, button, button}, step_ > 1);
        return left;
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
        heatmap.scale = {color_map(context_.display.diverging_map).id, -magnitude, magnitude, false};
        heatmap.number_size = text_ - 4;
        const float cell_w = is_vertical ? area.w : area.w / static_cast<float>(numbers.size());
        const float cell_h = is_vertical ? area.h / static_cast<float>(numbers.size()) : area.h;
        const auto fits = [&](int decimals) {
            const std::string widest = decimal(-static_cast<double>(magnitude), decimals);
            return context_.measure.width(widest, heatmap.number_size, Font::mono) + 4 <= cell_w;
        };
        const int most = decimals_for(heatmap.scale);
        const int fewest = fewest_decimals_for(heatmap.scale);
        if (fits(fewest) && cell_h >= heatmap.number_size * 1.2F && context_.options.numbers)
            heatmap.decimals = fits(most) ? most : fewest;
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
        const float end_w = text_ * 4.2F;  // room for the score at the end of the running sum
        const auto count = static_cast<float>(cell.terms.size());
        const float strip_w = std::min(area.w - name_w - end_w, count * text_ * 2.9F);
        const float strip_h = std::clamp(area.h * 0.14F, 12.0F, text_ * 2);
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
        const float curve_top = at_row(3).y + 4;
        draw_running_sum({first.x, curve_top, strip_w, std::max(20.0F, area.bottom() - curve_top - 6)}, end_w);
    }

    void draw_lines(Rect area) {
        add_explained_lines(figure_, context_, explained_lines(context_.model, explanation_, context_.language), step_,
                            area);
    }

    void draw_running_sum(Rect area, float end_w) {
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
        std::string score = decimal(explanation_.score, 3);
        if (context_.measure.width(score, text_ - 1, Font::mono) > end_w - 8) score = compact(explanation_.score);
        words(std::move(score), {end.x + 8, end.y}, text_ - 1, colors_.query, AlignX::left, AlignY::middle, Font::mono);
    }

    void draw_row(Rect area) {
        if (step_ < 4) return;
        const CellExplanation& cell = explanation_;
        const Model& model = context_.model;
        const float small = text_ - 2;
        const std::string_view heading = context_.word("weights of “{0}”");
        const float token_w = area.w - context_.measure.width(fill(heading, {""}), small, Font::words);
        words(fill(heading, {shorten(context_.measure, query_label(model, cell_.query), small, Font::words,
                                     std::max(small, token_w))}),
              {area.x, area.y + small}, small, colors_.dim, AlignX::left, AlignY::baseline, Font::words, true);
        LabelSpec labels;
        labels.count = static_cast<int>(cell.row_weights.size());
        labels.label_at = [&model](int key) { return key_label(model, key); };
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
        const float number_size = text_ - 3;
        const bool has_numbers = context_.measure.width("0.00", number_size, Font::mono) + 2 <= bar_w;
        for (std::size_t j = 0; j < cell.row_weights.size(); ++j) {
            const float x = bars.x + (static_cast<float>(j) + 0.5F) * bar_w;
            const bool is_this = static_cast<int>(j) == cell_.key;
            const bool is_hidden = cell.row_visible[j] == 0;
            const float weight = cell.row_weights[j];
            // A hidden key has no bar, unless the whole row is hidden and was filled.
            const float length =
                std::max(std::isfinite(weight) ? std::abs(weight) * unit : 0, is_hidden ? std::min(8.0F, bars.h) : 0);
            const float top = weight < 0 ? zero : zero - length;
            BoxMark bar{.area = {x - thickness / 2, top, thickness, length}, .hatched = is_hidden};
            if (!is_hidden) bar.fill = is_this ? colors_.query : colors_.track;
            figure_.marks.emplace_back(std::move(bar));
            const bool is_filled = cell.row_is_hidden || !is_hidden;
            if (!is_this && !(has_numbers && is_filled)) continue;
            const std::string number = decimal(weight, 2);
            const float half = context_.measure.width(number, number_size, Font::mono) / 2;
            words(number,
                  {std::clamp(x, column.x + half, std::max(column.x + half, column.right() - half)),
                   weight < 0 ? zero + length + 3 : top - 3},
                  number_size, is_this ? colors_.query : colors_.dim, AlignX::center,
                  weight < 0 ? AlignY::top : AlignY::bottom, Font::mono);
        }
        figure_.marks.emplace_back(LineMark{{{bars.x, zero}, {bars.right(), zero}}, colors_.hairline});
    }

    void draw_output(Rect area) {
        if (step_ < 5) return;
        const CellExplanation& cell = explanation_;
        const float small = text_ - 2;
        const float top = area.y + small * 1.8F;
        const float column = (std::min(area.w, text_ * 10.5F) - 16) / 3;
        const float height = std::min(area.bottom() - top, static_cast<float>(cell.value.size()) * text_ * 2);
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
