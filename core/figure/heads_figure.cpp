#include "core/figure/heads_figure.h"

#include "core/analysis/contributions.h"
#include "core/analysis/head_statistics.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/display/heads_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/color_bar.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/heads_overlay.h"
#include "core/figure/heads_tiles.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/plot.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {

namespace {

constexpr float padding = 16;
constexpr float gap = 14;

float statistic(const WeightStatistics& head, HeadOrder order) {
    switch (order) {
        case HeadOrder::entropy:
            return head.entropy;
        case HeadOrder::distance:
            return head.mean_distance;
        case HeadOrder::peak:
            return head.peak;
        case HeadOrder::first_token:
            return head.first_token;
        case HeadOrder::diagonal:
            return head.diagonal;
        case HeadOrder::previous_token:
            return head.previous_token;
        case HeadOrder::number:
            break;
    }
    return 0;
}

// A matrix that depends on the trace alone; `which` tells them apart.
template <typename Make>
MatrixView kept_view(const FigureContext& context, std::uint64_t which, Make make) {
    const std::uint64_t version = bits_at(context.trace.version, 43, which, 0);
    return *kept(context, "heads", version, [&] { return view_of(make(), version); });
}

class HeadsFigure {
public:
    explicit HeadsFigure(const FigureContext& context)
        : context_(context),
          colors_(context.colors()),
          text_(context.options.text_size),
          model_(context.model),
          trace_(context.trace) {
        figure_ = empty_figure(context);
        const Cell pin = pinned_cell(context);
        if (context.hovered)
            lit_ = context.hovered;
        else if (context.display.pinned && context.options.pins)
            lit_ = pin;
    }

    // Small multiples at the left, and the large map beside them, which is the largest thing. One head is not shown twice.
    Figure draw() {
        const Rect room = add_page(figure_, context_, padding);
        if (model_.n_heads == 1) {
            draw_only(room);
            return std::move(figure_);
        }
        const float share = model_.n_heads <= 16 ? 0.4F : 0.52F;
        const Rect tiles{room.x, room.y, room.w * share, room.h};
        const float side_w = room.w - tiles.w - 2 * gap;
        const float largest = 0.45F * std::min(side_w * (is_wide(side_w, room.h) ? wide_detail : 1.0F), room.h * 0.8F);
        const float side_x = room.x + add_head_tiles(figure_, context_, tiles, largest) + 2 * gap;
        draw_side({side_x, room.y, room.right() - side_x, room.h});
        return std::move(figure_);
    }

private:
    static constexpr float wide_detail = 0.6F;  // the large map's share of a side that is wider than it is high

    static bool is_wide(float width, float height) { return width > height * 1.05F; }

    void words(std::string text, Point at, float size, Color color, AlignX align = AlignX::left,
               AlignY align_y = AlignY::baseline, Font font = Font::words, bool plain = false) {
        figure_.marks.emplace_back(TextMark{std::move(text), at, {size, font, color}, align, align_y, 0, plain});
    }

    // Words on as many lines as they need; returns where they end.
    float lines(const std::string& text, Rect room, float size, Color color, Font font) {
        float y = room.y;
        for (const std::string& line : wrapped(context_.measure, text, size, font, room.w)) {
            words(line, {room.x, y}, size, color, AlignX::left, AlignY::top, font);
            y += size * 1.3F;
        }
        return y;
    }

    Index shown_rows() const {
        return context_.display.cells->keys_down ? trace_.weights.cols() : trace_.weights.rows();
    }
    Index shown_cols() const {
        return context_.display.cells->keys_down ? trace_.weights.rows() : trace_.weights.cols();
    }

    // The map, and beside it what it does, its switch and its gain, and what they do to the output.
    void draw_only(Rect room) {
        const float side_w = std::clamp(room.w * 0.3F, 150.0F, 420.0F);
        const Rect map = {room.x, room.y, room.w - side_w - 2 * gap, room.h};
        const float used = draw_detail(map, text_ * 1.6F, false).right();
        Rect side{used + 3 * gap, room.y + text_ * 1.6F, room.right() - used - 3 * gap, room.h - text_ * 1.6F};
        const float end =
            lines(head_statistics_words(context_, 0), {side.x, side.y, side_w, 0}, text_ - 1, colors_.dim, Font::words);
        float y = end + text_ * 0.5F;
        if (tells_head_settings(context_)) {
            add_head_setting(figure_, context_, 0, {side.x, y, std::min(220.0F, side.w), text_ * 1.5F});
            y += text_ * 2.5F;
        }
        draw_lower({side.x, y, side.w, room.bottom() - y});
    }

    void draw_side(Rect room) {
        const float title = text_ * 1.6F;
        if (is_wide(room.w, room.h)) {
            const Rect left{room.x, room.y, room.w * wide_detail - gap, room.h};
            const Rect right{left.right() + 2 * gap, room.y, room.w - left.w - 2 * gap, room.h};
            const float bars_h = std::min(room.h * 0.45F, 220.0F);
            draw_detail(left, title);
            draw_contributions({right.x, right.y, right.w, bars_h});
            draw_lower({right.x, right.y + bars_h + 2 * gap, right.w, right.h - bars_h - 2 * gap});
            return;
        }
        const float bars_h = std::clamp(room.h * 0.2F, text_ * 6, 150.0F);
        // In a low window the weights come first; what a switch does to the output is shown all the same.
        const bool has_lower = room.h >= text_ * 36 || has_changed_heads(model_);
        const float lower_h = has_lower ? std::clamp(room.h * 0.24F, 100.0F, 240.0F) : -gap;
        const float upper_h = room.h - bars_h - lower_h - 2 * gap;
        draw_detail({room.x, room.y, room.w, upper_h}, title);
        draw_contributions({room.x, room.y + upper_h + gap, room.w, bars_h});
        if (has_lower) draw_lower({room.x, room.bottom() - lower_h, room.w, lower_h});
    }

    Rect fitted(Rect room, Index rows, Index cols) const {
        const float cell = std::min(room.w / static_cast<float>(cols), room.h / static_cast<float>(rows));
        return {room.x, room.y, cell * static_cast<float>(cols), cell * static_cast<float>(rows)};
    }

    // Returns where its cells and its colour bar are.
    Rect draw_detail(Rect room, float title, bool tells = true) {
        const HeadsDetail detail = context_.display.heads->detail;
        const int head = context_.hovered_head.value_or(shown_head(context_));
        const bool is_one = detail == HeadsDetail::head || context_.hovered_head.has_value() || model_.n_heads == 1;
        Display display = context_.display;
        display.head = head;
        FigureContext context = with_layer(context_, model_, trace_, display);
        if (!is_one && detail == HeadsDetail::winner) context.options.color_bars = false;  // its colours are heads
        StagePanel panel = is_one ? stage_panel(context, Stage::weights) : heads_overlay_panel(context, detail);
        panel.has_row_sums = false;
        panel.note = {};
        if (is_one) panel.title = fill(context_.word("Weights of head {0}"), {shown_number(head)});
        measure_panel(context, panel);
        const auto told = is_one && tells ? wrapped(context_.measure, head_statistics_words(context_, head), text_ - 2,
                                                    Font::words, room.w)
                                          : std::vector<std::string>();
        const float told_h = static_cast<float>(told.size()) * text_ * 1.2F;
        float cell = 8;
        PanelMargins margins;
        for (int pass = 0; pass < 3; ++pass) {
            margins = panel_margins(context, panel, {shown_rows(), shown_cols()}, cell, true, true);
            cell = std::max(0.02F,
                            std::min((room.w - margins.left) / static_cast<float>(shown_cols()),
                                     (room.h - title - margins.bottom - told_h) / static_cast<float>(shown_rows())));
        }
        const Rect cells{room.x + margins.left, room.y + title, cell * static_cast<float>(shown_cols()),
                         cell * static_cast<float>(shown_rows())};
        // Words may use the room left of the cells too.
        const float wide = std::max(room.w - margins.left, 1.0F);
        if (panel.title_width > wide) {
            panel.title = shorten(context_.measure, plain_text(panel.title), text_, Font::bold, wide);
            measure_panel(context, panel);
        }
        panel.id = "detail";
        panel.heatmap.id = "detail";
        PanelDress dress;
        dress.title_room = wide;
        add_stage_panel(figure_, context, std::move(panel), dress, cells);
        float y = cells.bottom() + margins.bottom + text_ * 0.3F;
        for (const std::string& line : told) {
            words(line, {room.x, y}, text_ - 2, colors_.dim, AlignX::left, AlignY::top);
            y += text_ * 1.2F;
        }
        return {cells.x, cells.y, std::max(cells.w, margins.right + cells.w), cells.h};
    }

    void draw_contributions(Rect room) {
        const int query = lit_ && lit_->query >= 0 ? lit_->query : pinned_cell(context_).query;
        const std::string length = model_.output_projection ? "‖α·V·W_{O}‖" : "‖α·V‖";
        const std::string token =
            shorten(context_.measure, query_label(model_, query), text_ - 1, Font::bold, room.w * 0.4F);
        const float top = lines(fill(context_.word("What each head brings to “{0}”, {1}"), {token, length}), room,
                                text_ - 1, colors_.text, Font::bold) +
                          text_ * 1.4F;  // the number of the longest bar, clear of the title
        const std::vector<float> sizes = contribution_sizes(model_, trace_, query);
        float largest = 1e-9F;
        for (const float size : sizes)
            if (std::isfinite(size)) largest = std::max(largest, size);
        const float label_h = text_ * 1.2F;
        PlotMark plot;
        plot.id = "head contributions";
        plot.area = {room.x, top, room.w, std::max(10.0F, room.bottom() - top - label_h)};
        plot.framed = false;
        plot.text_size = text_ - 4;
        plot.x.shown = {0, static_cast<double>(sizes.size())};
        plot.x.policy = TickPolicy::named;
        plot.x.locked = true;
        plot.y.shown = {0, static_cast<double>(largest)};
        plot.y.policy = TickPolicy::none;
        const auto step_of = [&](float width) { return width / static_cast<float>(sizes.size()); };
        float widest = 0;
        for (const float size : sizes)
            widest =
                std::max(widest, context_.measure.width(compact(static_cast<double>(size)), text_ - 4, Font::mono));
        const bool has_numbers = widest + 3 <= step_of(plot.area.w);
        if (!has_numbers) {  // an axis says what they would
            const float axis_w = context_.measure.width("0.00", text_ - 4, Font::mono) + 8;
            plot.area.x += axis_w;
            plot.area.w = std::max(10.0F, plot.area.w - axis_w);
            plot.y.policy = TickPolicy::numbers;
        }
        const float step = step_of(plot.area.w);
        Series bars{.id = "contributions",
                    .name = length,
                    .kind = SeriesKind::bars,
                    .thickness = static_cast<double>(std::min(step * 0.7F, 36.0F) / step)};
        const int label_step =
            std::max(1, static_cast<int>(std::ceil(context_.measure.width("00", text_ - 4, Font::mono) * 1.4F / step)));
        for (std::size_t head = 0; head < sizes.size(); ++head) {
            const double at = static_cast<double>(head) + 0.5;
            const auto size = static_cast<double>(sizes[head]);
            bars.x.push_back(at);
            bars.y.push_back(size);
            bars.colors.push_back(head_color(colors_, static_cast<int>(head)));
            if (has_numbers)
                plot.notes.push_back({.text = compact(size),
                                      .x = at,
                                      .y = std::isfinite(size) ? size : 0.0,
                                      .shift = {0, -3},
                                      .style = {text_ - 4, Font::mono, colors_.dim},
                                      .align_y = AlignY::bottom});
            plot.x.ticks.push_back(
                {at, static_cast<int>(head) % label_step == 0 ? shown_number(static_cast<int>(head)) : std::string()});
        }
        plot.series.push_back(std::move(bars));
        plot.series.push_back(
            {.id = "zero", .kind = SeriesKind::rules, .y = {0}, .color = colors_.hairline, .width = 1, .lying = true});
        add_plot(figure_, context_, std::move(plot));
    }

    // Where a head is off or scaled, what that does to the output; otherwise how alike the heads are.
    void draw_lower(Rect room) {
        const bool shows_change = has_changed_heads(model_);
        if (!shows_change && model_.n_heads == 1) return;
        HeatmapMark map;
        map.id = shows_change ? "output change" : "similarity";
        map.values =
            shows_change ? kept_view(context_, 1, [&] { return output_change(); }) : kept_view(context_, 2, [&] {
                return any_head_has_pattern(trace_) ? head_similarity(trace_) : Matrix();
            });
        const float magnitude = shows_change ? largest_magnitude(context_, map.values, {}) : 1;
        map.scale = {color_map(context_.display.cells->diverging_map).id, -magnitude, magnitude, false};
        const std::string title(context_.word(shows_change ? "Change of the output by switches and gains"
                                                           : "Which heads look alike (cosine beyond even attention)"));
        const float top = lines(title + "  " + range_words(map.scale), room, text_ - 1, colors_.text, Font::bold) + 4;
        if (map.values.rows == 0)  // what is even everywhere is neither alike nor different
            return words("–", {room.x, top}, text_ - 1, colors_.dim, AlignX::left, AlignY::top, Font::mono);
        LabelSpec labels;
        labels.style = {text_ - 4, Font::mono, colors_.dim};
        labels.lit = shown_head(context_);
        labels.never_turned = true;
        LabelSpec rows = labels;  // heads against heads, or tokens against components
        if (shows_change) {
            labels.lit = -1;
            for (Index i = 0; i < map.values.cols; ++i) labels.labels.push_back(shown_number(i));
            rows.style = {text_ - 4, Font::words, colors_.query};
            rows.lit = lit_ ? lit_->query : -1;
            rows.labels.clear();
            rows.count = model_.n_queries;
            rows.label_at = [this](int i) { return query_label(model_, i); };
            rows.pictures = label_pictures(context_, true, rows.count);
        } else {
            for (int head = 0; head < model_.n_heads; ++head) labels.labels.push_back(shown_number(head));
            rows.labels = labels.labels;
        }
        const float label_room = shows_change ? room.w * 0.3F : text_ * 2;
        const float left = row_labels_width(widest_label(context_.measure, rows, label_room));
        const Rect inside{room.x + left, top, room.w - left, room.bottom() - top - text_ * 1.5F};
        if (std::min(inside.w, inside.h) < text_ * 2) return;
        map.area = shows_change ? inside : fitted(inside, map.values.rows, map.values.cols);
        if (shows_change) map.area.h = std::min(inside.h, static_cast<float>(map.values.rows) * 28);
        const float cell = map.area.w / static_cast<float>(map.values.cols);
        map.number_size = text_ - 4;
        if (context_.measure.width("−0.00", map.number_size, Font::mono) + 4 <= cell &&
            map.area.h / static_cast<float>(map.values.rows) > text_)
            map.decimals = 2;
        figure_.targets.push_back({.id = map.id,
                                   .kind = TargetKind::cells,
                                   .area = map.area,
                                   .rows = map.values.rows,
                                   .cols = map.values.cols,
                                   .tooltip = {}});
        add_row_labels(figure_, context_.measure, rows, map.area, label_room);
        add_column_labels(figure_, context_.measure, labels, map.area, text_ * 2, false);
        figure_.marks.emplace_back(std::move(map));
    }

    Matrix output_change() const {
        Matrix plain = Matrix::Zero(trace_.output.rows(), trace_.output.cols());
        for (int head = 0; head < model_.n_heads; ++head) {
            const Index first = Index{head} * model_.d_v;
            if (model_.output_projection)
                plain += trace_.head_output[head] *
                         model_.w_o[static_cast<std::size_t>(head)]->topLeftCorner(model_.d_v, model_.d_model);
            else
                plain.middleCols(first, model_.d_v) = trace_.head_output[head];
        }
        return trace_.output - plain;
    }

    const FigureContext& context_;
    const Palette& colors_;
    float text_;
    const Model& model_;
    const AttentionTrace& trace_;
    std::optional<Cell> lit_;
    Figure figure_;
};

}  // namespace

std::vector<int> ordered_heads(HeadOrder by, const AttentionTrace& trace) {
    std::vector<int> order(trace.heads.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return statistic(trace.heads[static_cast<std::size_t>(a)], by) >
               statistic(trace.heads[static_cast<std::size_t>(b)], by);
    });
    return order;
}

Figure heads_figure(const FigureContext& context) { return HeadsFigure(context).draw(); }

}  // namespace heed
