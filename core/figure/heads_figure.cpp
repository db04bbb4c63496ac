#include "core/figure/heads_figure.h"

#include "core/analysis/contributions.h"
#include "core/analysis/head_statistics.h"
#include "core/display/heads_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/heads_overlay.h"
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
constexpr float smallest_tile_for_words = 104;
constexpr float smallest_tile_for_gain = 84;
constexpr float widest_side = 560;        // from here on, the large map has what else is told beside it
constexpr float widest_spare_tile = 150;  // a small map's tile is not wider than its words need

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

bool is_about_distance(HeadOrder order) {
    return order == HeadOrder::distance || order == HeadOrder::diagonal || order == HeadOrder::previous_token;
}

using Archetypes = std::shared_ptr<const std::vector<Archetype>>;

Archetypes archetypes_of(const FigureContext& context) {
    return kept(context, "archetypes", context.trace.version, [&] {
        std::vector<Archetype> all;
        for (int head = 0; head < context.model.n_heads; ++head)
            all.push_back(head_archetype(context.model, context.trace, head));
        return all;
    });
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
          trace_(context.trace),
          archetypes_(archetypes_of(context)) {
        figure_ = empty_figure(context);
        const Cell pin = pinned_cell(context);
        if (context.hovered)
            lit_ = context.hovered;
        else if (context.display.pinned && context.options.pins)
            lit_ = pin;
    }

    Figure draw() {
        const Rect room = add_page(figure_, context_, padding);
        const float least_side_w = std::clamp(room.w * 0.3F, 180.0F, 420.0F);
        const Grid grid = choose_grid({room.x, room.y, room.w - least_side_w - 2 * gap, room.h});
        draw_tiles(room, grid);
        const float side_x = room.x + grid.width() + 2 * gap;
        draw_side({side_x, room.y, room.right() - side_x, room.h});
        return std::move(figure_);
    }

private:
    void words(std::string text, Point at, float size, Color color, AlignX align = AlignX::left,
               AlignY align_y = AlignY::baseline, Font font = Font::words, bool plain = false) {
        figure_.marks.emplace_back(TextMark{std::move(text), at, {size, font, color}, align, align_y, 0, plain});
    }

    struct Grid {
        int columns = 1;
        float tile_w = 0, map_w = 0, map_h = 0, header = 0, footer = 0;
        float width() const { return static_cast<float>(columns) * (tile_w + gap) - gap; }
    };
    // Tiles as large as the room allows: tries every number of columns. Of those that come close, the narrowest, which leaves
    // most to the large map beside them.
    Grid choose_grid(Rect room) const {
        const float aspect = static_cast<float>(shown_cols()) / static_cast<float>(shown_rows());
        Grid best;
        for (int columns = 1; columns <= model_.n_heads; ++columns) {
            const int rows = (model_.n_heads + columns - 1) / columns;
            Grid grid;
            grid.columns = columns;
            grid.tile_w = (room.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
            const float tile_h = (room.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
            grid.header = text_ * 1.35F;
            grid.footer = (grid.tile_w >= smallest_tile_for_words ? text_ * 1.25F : 0) +
                          (grid.tile_w >= smallest_tile_for_gain && has_gains() ? text_ * 1.5F : 0);
            const float free_h = std::max(4.0F, tile_h - grid.header - grid.footer);
            grid.map_w = std::min({grid.tile_w, free_h * aspect, 420.0F});
            grid.map_h = grid.map_w / aspect;
            grid.tile_w = std::min(grid.tile_w, std::max(grid.map_w, widest_spare_tile));
            const bool is_close = grid.map_w >= 0.9F * best.map_w && grid.width() < 0.8F * best.width();
            if (best.map_w == 0 || grid.map_w * 0.9F > best.map_w || is_close ||
                (grid.map_w > best.map_w && grid.width() < 1.25F * best.width()))
                best = grid;
        }
        return best;
    }

    Index shown_rows() const { return context_.display.keys_down ? trace_.weights.cols() : trace_.weights.rows(); }
    Index shown_cols() const { return context_.display.keys_down ? trace_.weights.rows() : trace_.weights.cols(); }

    void draw_tiles(Rect room, const Grid& grid) {
        const HeadOrder wanted = context_.display.heads->sort;
        const bool is_possible = have_distances(model_) || !is_about_distance(wanted);
        const std::vector<int> order = ordered_heads(is_possible ? wanted : HeadOrder::number, trace_);
        const float tile_h = grid.header + grid.map_h + grid.footer;
        for (std::size_t place = 0; place < order.size(); ++place) {
            const auto column = static_cast<float>(static_cast<int>(place) % grid.columns);
            const auto row = static_cast<float>(static_cast<int>(place) / grid.columns);
            draw_tile(order[place], {room.x + column * (grid.tile_w + gap), room.y + row * (tile_h + gap)}, grid);
        }
        const auto n_rows = static_cast<float>((model_.n_heads + grid.columns - 1) / grid.columns);
        const float end = room.y + n_rows * (tile_h + gap);
        const std::string legend(context_.word(have_distances(model_)
                                                   ? "H entropy in bits · Δ mean distance · ↑ mean largest weight"
                                                   : "H entropy in bits · ↑ mean largest weight"));
        if (grid.tile_w >= smallest_tile_for_words && end + text_ <= room.bottom() + gap &&
            context_.measure.width(legend, text_ - 3, Font::words) <= grid.width())
            words(legend, {room.x, end}, text_ - 3, colors_.dim, AlignX::left, AlignY::top);
    }

    HeatmapMark weights_map(int head, Rect area) const {
        StagePanel panel = stage_panel(for_head(head), Stage::weights);
        HeatmapMark map = std::move(panel.heatmap);
        map.id = "head " + std::to_string(head);
        map.area = area;
        const Rect cell = map.cell_rect(0, 0);
        map.number_size = text_ - 3;
        if (context_.display.numbers && context_.options.numbers && cell.h > text_ * 1.2F &&
            context_.measure.width(decimal(map.scale.low < 0 ? -1.0 : 1.0, decimals_for(map.scale)), map.number_size,
                                   Font::mono) +
                    4 <=
                cell.w)
            map.decimals = decimals_for(map.scale);
        if (cell.w < 6)
            map.lit_row = map.lit_col = map.pinned_row = map.pinned_col = -1;  // frames would hide the cells
        return map;
    }

    FigureContext for_head(int head) const {
        // Another head in front; everything else as it is.
        head_display_ = context_.display;
        head_display_.head = head;
        return with_layer(context_, model_, trace_, head_display_);
    }

    void draw_tile(int head, Point at, const Grid& grid) {
        const bool is_shown = head == shown_head(context_);
        const bool is_hovered = context_.hovered_head == head;
        const HeadSetting& setting = model_.heads[static_cast<std::size_t>(head)];
        const Rect map{std::round(at.x), std::round(at.y + grid.header), grid.map_w, grid.map_h};
        const float small = text_ - 2;
        const float middle = at.y + small * 0.5F;
        figure_.marks.emplace_back(
            BoxMark{.area = {map.x, middle - 4, 8, 8}, .fill = head_color(colors_, head), .radius = 2});
        const std::string name =
            grid.tile_w >= 70 ? fill(context_.word("Head {0}"), {std::to_string(head)}) : std::to_string(head);
        words(name, {map.x + 13, middle}, small, setting.on ? colors_.text : colors_.faint, AlignX::left,
              AlignY::middle, is_shown ? Font::bold : Font::words);
        draw_badge(head, name, map, middle, grid);
        figure_.marks.emplace_back(weights_map(head, map));
        const Color frame = is_shown ? colors_.accent : is_hovered ? colors_.dim : colors_.hairline;
        figure_.marks.emplace_back(BoxMark{.area = {map.x - 1, map.y - 1, map.w + 2, map.h + 2},
                                           .stroke = frame,
                                           .stroke_width = is_shown ? 2.0F : 1.0F});
        if (!setting.on) figure_.marks.emplace_back(BoxMark{.area = map, .fill = with_alpha(colors_.panel, 0.7F)});
        figure_.targets.push_back({.id = {"head", head},
                                   .kind = TargetKind::cells,
                                   .area = map,
                                   .rows = shown_rows(),
                                   .cols = shown_cols(),
                                   .transposed = context_.display.keys_down,
                                   .tooltip = {}});
        float y = map.bottom();
        if (grid.tile_w >= smallest_tile_for_words) {
            const WeightStatistics& s = trace_.heads[static_cast<std::size_t>(head)];
            // As many of them as fit.
            std::string line;
            for (const std::string& part :
                 {"H " + decimal(static_cast<double>(s.entropy), 2),
                  have_distances(model_) ? " Δ " + decimal(static_cast<double>(s.mean_distance), 1) : std::string(),
                  " ↑ " + decimal(static_cast<double>(s.peak), 2)})
                if (context_.measure.width(line + part, text_ - 4, Font::mono) <= grid.tile_w) line += part;
            words(std::move(line), {map.x, y + text_ * 0.7F}, text_ - 4, colors_.dim, AlignX::left, AlignY::middle,
                  Font::mono);
            y += text_ * 1.25F;
        }
        if (grid.tile_w >= smallest_tile_for_gain && has_gains())
            draw_gain(head, setting, {map.x, y, std::min(grid.tile_w, std::max(map.w, 84.0F)), text_ * 1.5F});
    }

    // The archetype at the right of the name, or the key/value head where heads share one.
    void draw_badge(int head, const std::string& name, Rect map, float middle, const Grid& grid) {
        const float small = text_ - 3;
        const Archetype& archetype = (*archetypes_)[static_cast<std::size_t>(head)];
        std::string badge = archetype.id == "none" ? "" : std::string(context_.word(archetype.name));
        Color color = colors_.dim;
        if (model_.n_kv_heads < model_.n_heads) {
            badge = "K, V " + std::to_string(kv_head_of(model_, head)) + (badge.empty() ? "" : " · " + badge);
            color = colors_.key;
        }
        const float right = map.x + std::min(grid.tile_w, std::max(map.w, smallest_tile_for_words));
        const float room = right - map.x - 13 - context_.measure.width(name, text_ - 2, Font::bold) - 8;
        if (badge.empty() || room < text_ * 1.5F) return;
        words(shorten(context_.measure, badge, small, Font::words, room), {right, middle}, small, color, AlignX::right,
              AlignY::middle, Font::words, true);
    }

    // Paper tells of gains only where one is not the usual.
    bool has_gains() const { return !context_.on_paper || has_changed_heads(); }

    void draw_gain(int head, const HeadSetting& setting, Rect area) {
        const float middle = area.center().y;
        if (context_.on_paper) {
            words(setting.on ? "×" + decimal(static_cast<double>(setting.gain), 2) : std::string(context_.word("off")),
                  {area.x, middle}, text_ - 3, setting == HeadSetting{} ? colors_.dim : colors_.accent, AlignX::left,
                  AlignY::middle, Font::mono);
            return;
        }
        const Rect knob{area.x, middle - 6, 22, 12};
        figure_.marks.emplace_back(
            BoxMark{.area = knob, .fill = setting.on ? colors_.accent : colors_.track, .radius = 6});
        figure_.marks.emplace_back(CircleMark{
            .center = {setting.on ? knob.right() - 6 : knob.x + 6, middle}, .radius = 4.5F, .fill = colors_.panel});
        figure_.targets.push_back({.id = {"switch", head},
                                   .kind = TargetKind::button,
                                   .area = {knob.x - 2, knob.y - 4, knob.w + 4, knob.h + 8},
                                   .tooltip = std::string(context_.word("Switch this head on or off"))});
        const float text_w = context_.measure.width("×0.00", text_ - 4, Font::mono);
        const Rect track{knob.right() + 12, middle - 2, std::max(10.0F, area.right() - knob.right() - 12 - text_w - 10),
                         4};
        const Frame frame{{"gain", head}, {track.x, middle - 8, track.w, 16}, {0, largest_gain, false}, {0, 1, false}};
        const float x = frame.place(std::clamp(static_cast<double>(setting.gain), 0.0, largest_gain), 0).x;
        figure_.marks.emplace_back(BoxMark{.area = track, .fill = colors_.track, .radius = 2});
        figure_.marks.emplace_back(BoxMark{.area = {track.x, track.y, x - track.x, 4},
                                           .fill = setting.on ? colors_.accent : colors_.faint,
                                           .radius = 2});
        figure_.marks.emplace_back(CircleMark{.center = {x, middle},
                                              .radius = 5,
                                              .fill = colors_.panel,
                                              .stroke = setting.on ? colors_.accent : colors_.faint,
                                              .stroke_width = 2});
        words("×" + decimal(static_cast<double>(setting.gain), 2), {area.right(), middle}, text_ - 4,
              setting.gain == 1 ? colors_.faint : colors_.accent, AlignX::right, AlignY::middle, Font::mono);
        figure_.targets.push_back({.id = {"gain", head},
                                   .kind = TargetKind::handle,
                                   .area = {track.x - 6, middle - 8, track.w + 12, 16},
                                   .tooltip = std::string(context_.word("Gain of this head; double-click for 1")),
                                   .frame = {"gain", head}});
        figure_.frames.push_back(frame);
    }

    void draw_side(Rect room) {
        const float title = text_ * 1.6F;
        if (room.w >= widest_side) {
            const Rect left{room.x, room.y, room.w * 0.56F - gap, room.h};
            const Rect right{left.right() + 2 * gap, room.y, room.w - left.w - 2 * gap, room.h};
            const float bars_h = std::min(room.h * 0.42F, 220.0F);
            draw_detail(left, title);
            const float x = right.x + text_ * 1.6F;  // the numbers of the heads stand to the left of it
            draw_contributions({x, right.y, right.right() - x, bars_h}, title);
            draw_lower({x, right.y + bars_h + 2 * gap, right.right() - x, right.h - bars_h - 2 * gap}, title);
            return;
        }
        const float bars_h = std::clamp(room.h * 0.24F, 70.0F, 170.0F);
        // In a low window the weights come first; what a switch does to the output is shown all the same.
        const bool has_lower = room.h >= 360 || has_changed_heads();
        const float lower_h = has_lower ? std::clamp(room.h * 0.3F, 90.0F, 240.0F) : -gap;
        const float upper_h = room.h - bars_h - lower_h - 2 * gap;
        const float x = draw_detail({room.x, room.y, room.w, upper_h}, title);
        draw_contributions({x, room.y + upper_h + gap, room.right() - x, bars_h}, title);
        if (has_lower) draw_lower({x, room.bottom() - lower_h, room.right() - x, lower_h}, title);
    }

    Rect fitted(Rect room, Index rows, Index cols) const {
        const float cell = std::min(room.w / static_cast<float>(cols), room.h / static_cast<float>(rows));
        return {room.x, room.y, cell * static_cast<float>(cols), cell * static_cast<float>(rows)};
    }

    // Returns the left edge of its cells, for what stands below to line up with.
    float draw_detail(Rect room, float title) {
        const HeadsDetail detail = context_.display.heads->detail;
        const int head = context_.hovered_head.value_or(shown_head(context_));
        const bool is_one = detail == HeadsDetail::head || context_.hovered_head.has_value();
        FigureContext context = for_head(head);
        if (!is_one && detail == HeadsDetail::winner) context.options.color_bars = false;  // its colours are heads
        StagePanel panel = is_one ? stage_panel(context, Stage::weights) : heads_overlay_panel(context, detail);
        panel.has_row_sums = false;
        panel.note = {};
        if (is_one) panel.title = fill(context_.word("Weights of head {0}"), {std::to_string(head)});
        measure_panel(context, panel);
        const PanelMargins margins = panel_margins(context, panel, {shown_rows(), shown_cols()},
                                                   room.w / static_cast<float>(shown_cols()) * 0.8F, true, true);
        const Rect cells =
            fitted({room.x + margins.left, room.y + title, room.w - margins.left, room.h - title - margins.bottom},
                   shown_rows(), shown_cols());
        panel.id = "detail";
        panel.heatmap.id = "detail";
        add_stage_panel(figure_, context, std::move(panel), cells, true, true);
        return cells.x;
    }

    void draw_contributions(Rect room, float title) {
        const int query = lit_ ? std::max(0, lit_->query) : 0;
        words(fill(context_.word("What each head brings to “{0}”"),
                   {shorten(context_.measure, query_label(model_, query), text_ - 1, Font::bold, room.w * 0.3F)}),
              {room.x, room.y + text_}, text_ - 1, colors_.text, AlignX::left, AlignY::baseline, Font::bold, true);
        if (room.h >= text_ * 9)
            words(model_.output_projection ? "‖α·V·W_{O}‖" : "‖α·V‖", {room.x, room.y + text_ * 2.2F}, text_ - 3,
                  colors_.dim);
        const std::vector<float> sizes = contribution_sizes(model_, trace_, query);
        float largest = 1e-9F;
        for (const float size : sizes)
            if (std::isfinite(size)) largest = std::max(largest, size);
        const float label_h = text_ * 1.2F;
        PlotMark plot;
        plot.id = "head contributions";
        plot.area = {room.x, room.y + title + text_, room.w, std::max(10.0F, room.h - title - text_ - label_h)};
        plot.framed = false;
        plot.text_size = text_ - 4;
        plot.x.shown = {0, static_cast<double>(sizes.size())};
        plot.x.policy = TickPolicy::named;
        plot.x.locked = true;
        plot.y.shown = {0, static_cast<double>(largest)};
        plot.y.policy = TickPolicy::none;
        const float step = plot.area.w / static_cast<float>(sizes.size());
        Series bars{.id = "contributions",
                    .name = model_.output_projection ? "‖α·V·W_{O}‖" : "‖α·V‖",
                    .kind = SeriesKind::bars,
                    .thickness = static_cast<double>(std::min(step * 0.7F, 36.0F) / step)};
        const bool has_numbers = context_.measure.width("0.00", text_ - 4, Font::mono) + 2 <= step;
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
                {at, static_cast<int>(head) % label_step == 0 ? std::to_string(head) : std::string()});
        }
        plot.series.push_back(std::move(bars));
        plot.series.push_back(
            {.id = "zero", .kind = SeriesKind::rules, .y = {0}, .color = colors_.hairline, .width = 1, .lying = true});
        add_plot(figure_, context_.measure, context_.display, std::move(plot));
    }

    bool has_changed_heads() const {
        return std::any_of(model_.heads.begin(), model_.heads.begin() + model_.n_heads,
                           [](const HeadSetting& head) { return head != HeadSetting{}; });
    }

    // Where a head is off or scaled, what that does to the output; otherwise how alike the heads are.
    void draw_lower(Rect room, float title) {
        const bool shows_change = has_changed_heads();
        if (!shows_change && model_.n_heads == 1) return;
        words(std::string(context_.word(shows_change ? "Change of the output by switches and gains"
                                                     : "Which heads look alike (cosine beyond even attention)")),
              {room.x, room.y + text_}, text_ - 1, colors_.text, AlignX::left, AlignY::baseline, Font::bold);
        HeatmapMark map;
        map.id = shows_change ? "output change" : "similarity";
        map.values = shows_change ? kept_view(context_, 1, [&] { return output_change(); })
                                  : kept_view(context_, 2, [&] { return head_similarity(trace_); });
        const float magnitude = shows_change ? largest_magnitude(map.values, {}) : 1;
        map.scale = {color_map(context_.display.diverging_map).id, -magnitude, magnitude, false};
        const Rect inside{room.x, room.y + title, room.w, room.h - title - text_ * 1.3F};
        map.area = shows_change ? inside : fitted(inside, map.values.rows, map.values.cols);
        if (shows_change) map.area.h = std::min(inside.h, static_cast<float>(map.values.rows) * 28);
        const float cell = map.area.w / static_cast<float>(map.values.cols);
        map.number_size = text_ - 4;
        if (context_.measure.width("0.00", map.number_size, Font::mono) + 4 <= cell &&
            map.area.h / static_cast<float>(map.values.rows) > text_)
            map.decimals = 2;
        figure_.targets.push_back({.id = map.id,
                                   .kind = TargetKind::cells,
                                   .area = map.area,
                                   .rows = map.values.rows,
                                   .cols = map.values.cols,
                                   .tooltip = {}});
        if (!shows_change) {
            LabelSpec labels;
            for (int head = 0; head < model_.n_heads; ++head) labels.labels.push_back(std::to_string(head));
            labels.style = {text_ - 4, Font::mono, colors_.dim};
            labels.lit = shown_head(context_);
            add_row_labels(figure_, context_.measure, labels, map.area, text_ * 2);
            add_column_labels(figure_, context_.measure, labels, map.area, text_ * 2, false);
        }
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
    Archetypes archetypes_;
    std::optional<Cell> lit_;
    mutable Display head_display_;
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
