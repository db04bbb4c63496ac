#include "core/figure/heads_tiles.h"

#include "core/analysis/head_statistics.h"
#include "core/attention/statistics.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/display/heads_display.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/heads_figure.h"
#include "core/figure/kept.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace heed {

namespace {

constexpr float full_gap = 14;
constexpr float tight_gap = 7;
constexpr float tightest_gap = 4;          // among more than 32
constexpr float narrowest_full_tile = 84;  // below it, the switch stands beside the number and the gain has no digits
constexpr float narrowest_tile = 36;
constexpr float widest_words = 150;  // what the words of a tile need, however small its map is
constexpr float smallest_map = 14;
constexpr float smallest_map_with_bars = 24;
constexpr float bar_height = 3;
constexpr float bar_step = 5;

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

// One thing that is told of a head: its name, its value, and the share of the largest it could be.
struct Statistic {
    std::string_view name;
    std::string number;
    float share = 0;
};

std::vector<Statistic> statistics_of(const FigureContext& context, int head) {
    const WeightStatistics& s = context.trace.heads[static_cast<std::size_t>(head)];
    const auto n_keys = static_cast<float>(context.trace.weights.cols());
    std::vector<Statistic> told = {
        {context.word("entropy"), entropy_words(context.model, s).bits,
         have_entropy(context.model) ? s.entropy / std::log2(std::max(2.0F, n_keys)) : 0.0F}};
    if (have_distances(context.model))
        told.push_back({context.word("distance"), mean_in_digits(s.mean_distance, 1),
                        s.mean_distance / std::max(1.0F, n_keys - 1)});
    told.push_back({context.word("peak"), mean_in_digits(s.peak, 2), s.peak});
    return told;
}

using AllStatistics = std::shared_ptr<const std::vector<std::vector<Statistic>>>;  // by head

AllStatistics all_statistics(const FigureContext& context) {
    return kept(context, "head statistics", std::tuple(context.trace.version, context.language), [&] {
        std::vector<std::vector<Statistic>> all;
        for (int head = 0; head < context.model.n_heads; ++head) all.push_back(statistics_of(context, head));
        return all;
    });
}

// Of an archetype, where a tile has no room for the whole.
std::string_view brief_name(const Archetype& archetype) {
    if (archetype.id == "previous-token") return "Previous";
    if (archetype.id == "next-token") return "Next";
    if (archetype.id == "first-token") return "First";
    return archetype.name;
}

enum class Telling { words, bars, nothing };  // how the statistics stand below a small map

class HeadTiles {
public:
    HeadTiles(Figure& figure, const FigureContext& context, Rect room, float largest_map)
        : figure_(figure),
          context_(context),
          colors_(context.colors()),
          text_(context.options.text_size),
          model_(context.model),
          trace_(context.trace),
          display_(context.display),
          archetypes_(archetypes_of(context)),
          statistics_(all_statistics(context)),
          room_(room) {
        choose_grid(largest_map);
    }

    float draw() {
        const HeadOrder wanted = context_.display.heads->sort;
        const bool is_possible = have_distances(model_) || !is_about_distance(wanted);
        const std::vector<int> order = ordered_heads(is_possible ? wanted : HeadOrder::number, trace_);
        const float tile_h = grid_.header + grid_.map_h + grid_.footer;
        constexpr std::size_t most_marks = 24;  // of a tile; they are large to move
        figure_.marks.reserve(figure_.marks.size() + most_marks * order.size());
        for (std::size_t place = 0; place < order.size(); ++place) {
            const auto column = static_cast<float>(static_cast<int>(place) % grid_.columns);
            const auto row = static_cast<float>(static_cast<int>(place) / grid_.columns);
            draw_tile(order[place],
                      {room_.x + column * (grid_.tile_w + grid_.gap), room_.y + row * (tile_h + grid_.gap)});
        }
        const auto n_rows = static_cast<float>((model_.n_heads + grid_.columns - 1) / grid_.columns);
        float y = room_.y + n_rows * (tile_h + grid_.gap) + text_ * 0.2F;
        for (const std::string& line : grid_.legend) {
            words(line, {room_.x, y}, text_ - 3, colors_.dim, AlignX::left, AlignY::top);
            y += text_ * 1.15F;
        }
        return grid_.width();
    }

private:
    struct Grid {
        int columns = 1;
        Telling telling = Telling::nothing;
        float gap = full_gap;
        float too_high = 0;  // by how much it leaves the room, whatever the size of its maps
        float tile_w = 0, map_w = 0, map_h = 0, header = 0, footer = 0;
        std::vector<std::string> legend;  // what the bars are
        bool is_full() const { return tile_w >= narrowest_full_tile; }
        float width() const { return static_cast<float>(columns) * (tile_w + gap) - gap; }
    };

    void words(std::string text, Point at, float size, Color color, AlignX align = AlignX::left,
               AlignY align_y = AlignY::middle, Font font = Font::words, bool plain = false) {
        figure_.marks.emplace_back(TextMark{std::move(text), at, {size, font, color}, align, align_y, 0, plain});
    }

    Index shown_rows() const {
        return context_.display.cells->keys_down ? trace_.weights.cols() : trace_.weights.rows();
    }
    Index shown_cols() const {
        return context_.display.cells->keys_down ? trace_.weights.rows() : trace_.weights.cols();
    }
    float word_line() const { return (text_ - 4) * 1.5F; }

    // What a line of statistics takes, with its name and its number.
    float widest_line() const {
        float widest = 0;
        for (const std::vector<Statistic>& of_head : *statistics_)
            for (const Statistic& one : of_head)
                widest = std::max(widest, context_.measure.width(one.name, text_ - 4, Font::words) +
                                              context_.measure.width(one.number, text_ - 4, Font::mono));
        return widest + 8;
    }

    // What the bars are told in is as wide as the tiles are, which depends on the room that it leaves them.
    Grid grid_for(int columns, Telling telling, float largest_map) const {
        const Grid first = grid_for(columns, telling, largest_map, room_.w);
        return telling == Telling::bars ? grid_for(columns, telling, largest_map, first.width()) : first;
    }

    Grid grid_for(int columns, Telling telling, float largest_map, float legend_w) const {
        const float aspect = static_cast<float>(shown_cols()) / static_cast<float>(shown_rows());
        const int rows = (model_.n_heads + columns - 1) / columns;
        Grid grid;
        grid.columns = columns;
        grid.telling = telling;
        grid.gap = model_.n_heads > 32 ? tightest_gap : model_.n_heads > 16 ? tight_gap : full_gap;
        grid.tile_w = (room_.w - grid.gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
        if (telling == Telling::bars)
            grid.legend = wrapped(
                context_.measure,
                std::string(context_.word(have_distances(model_) ? "bars: entropy, mean distance, mean largest weight"
                                                                 : "bars: entropy, mean largest weight")),
                text_ - 3, Font::words, legend_w);
        const auto n_statistics = static_cast<float>(have_distances(model_) ? 3 : 2);
        const float legend_h = static_cast<float>(grid.legend.size()) * text_ * 1.15F;
        const float tile_h = (room_.h - legend_h - grid.gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
        grid.header = text_ * (grid.is_full() ? 1.35F : model_.n_heads > 32 ? 1.0F : 1.15F);
        grid.footer = (telling == Telling::words  ? word_line() * n_statistics + 4
                       : telling == Telling::bars ? bar_step * n_statistics + 2
                                                  : 0) +
                      (tells_head_settings(context_) ? text_ * (grid.is_full() ? 1.5F : 0.7F) : 0);
        grid.too_high = std::max(0.0F, 4 - (tile_h - grid.header - grid.footer)) * static_cast<float>(rows);
        const float free_h = std::max(4.0F, tile_h - grid.header - grid.footer);
        grid.map_w = std::min({grid.tile_w, free_h * aspect, largest_map, largest_map * aspect});
        grid.map_h = grid.map_w / aspect;
        // A small map's tile is not wider than its words need.
        grid.tile_w = std::min(grid.tile_w, std::max(grid.map_w, grid.is_full() ? widest_words : narrowest_tile));
        return grid;
    }

    // Maps as large as the room allows: tries every number of columns. Of those that come close, the narrowest, which leaves
    // most to the large map beside them. Words are worth a fifth of a map's size, bars are left out only where maps are tiny.
    // Where none fits, the one that leaves the room least.
    void choose_grid(float largest_map) {
        widest_line_ = widest_line();
        float best_value = std::numeric_limits<float>::lowest();
        for (const Telling telling : {Telling::nothing, Telling::bars, Telling::words})
            for (int columns = 1; columns <= model_.n_heads; ++columns) {
                const Grid grid = grid_for(columns, telling, largest_map);
                if (telling == Telling::words && grid.tile_w < widest_line_) break;
                if (grid.tile_w < narrowest_tile && columns > 1) break;
                const float side = std::min(grid.map_w, grid.map_h);
                if (telling != Telling::nothing && (side < smallest_map_with_bars || grid.too_high > 0)) continue;
                const float worth = telling == Telling::words ? 1.25F : telling == Telling::bars ? 1.0F : 0.4F;
                const float fit = side < smallest_map ? 0.25F : 1.0F;
                const float value = grid.too_high > 0 ? -grid.too_high
                                                      : grid.map_w * worth * fit * (1 - 0.25F * grid.width() / room_.w);
                if (value <= best_value) continue;
                best_value = value;
                grid_ = grid;
            }
    }

    HeatmapMark weights_map(int head, Rect area) {
        display_.head = head;
        StagePanel panel = unmeasured_panel(with_layer(context_, model_, trace_, display_), Stage::weights);
        panel.heatmap.area = area;
        const Rect cell = panel.heatmap.cell_rect(0, 0);
        const NumberLook look = fitting_numbers(context_, panel, cell.w, cell.h);
        HeatmapMark map = std::move(panel.heatmap);
        map.id = "head " + std::to_string(head);
        map.number_size = look.size;
        map.decimals = look.decimals;
        // Lines along the row and column, or even the frame, would hide cells as small as these.
        if (cell.w < 14) map.lit_row = map.lit_col = -1;
        if (cell.w < 6) map.pinned_row = map.pinned_col = -1;
        return map;
    }

    void draw_tile(int head, Point at) {
        const bool is_shown = head == shown_head(context_);
        const bool is_hovered = context_.hovered_head == head;
        const HeadSetting& setting = model_.heads[static_cast<std::size_t>(head)];
        const Rect map{std::round(at.x), std::round(at.y + grid_.header), grid_.map_w, grid_.map_h};
        draw_header(head, {map.x, at.y, grid_.tile_w, grid_.header}, setting, is_shown);
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
                                   .transposed = context_.display.cells->keys_down,
                                   .tooltip = {}});
        const float y = draw_statistics(head, {map.x, map.bottom() + 4});
        if (!tells_head_settings(context_)) return;
        if (grid_.is_full())
            add_head_setting(figure_, context_, head,
                             {map.x, y, std::min(grid_.tile_w, std::max(map.w, narrowest_full_tile)), text_ * 1.5F});
        else
            draw_small_gain(head, setting, {map.x, y, grid_.tile_w, text_ * 0.7F});
    }

    // Its colour and number; then the archetype, or the key/value head where heads share one; in a narrow tile the switch.
    void draw_header(int head, Rect area, const HeadSetting& setting, bool is_shown) {
        const bool is_full = grid_.is_full();
        const float size = is_full ? text_ - 2 : text_ - 4;
        const float middle = area.y + size * 0.5F;
        const float box = is_full ? 8 : 6;
        figure_.marks.emplace_back(
            BoxMark{.area = {area.x, middle - box / 2, box, box}, .fill = head_color(colors_, head), .radius = 2});
        const std::string name = is_full ? fill(context_.word("Head {0}"), {shown_number(head)}) : shown_number(head);
        const float left = area.x + box + (is_full ? 5.0F : 3.0F);
        words(name, {left, middle}, size, setting.on ? colors_.text : colors_.faint, AlignX::left, AlignY::middle,
              is_shown ? Font::bold : Font::words);
        if (is_full)
            draw_badge(head, left + context_.measure.width(name, size, Font::bold) + 8,
                       {area.x, area.y, std::min(area.w, std::max(grid_.map_w, widest_words)), area.h}, middle);
        else if (tells_head_settings(context_) && !context_.on_paper)
            draw_small_switch(head, setting, {area.right() - 12, middle - 3.5F, 12, 7});
    }

    void draw_badge(int head, float left, Rect area, float middle) {
        const float small = text_ - 3;
        const Archetype& archetype = (*archetypes_)[static_cast<std::size_t>(head)];
        const bool has_name = archetype.id != "none";
        const std::string name = has_name ? std::string(context_.word(archetype.name)) : "";
        const std::string brief = has_name ? std::string(context_.word(brief_name(archetype))) : "";
        // From the longest on; which keys and values a head uses matters more than what it does with them.
        std::vector<std::string> choices;
        Color color = colors_.dim;
        if (model_.n_kv_heads < model_.n_heads) {
            const std::string group = shown_number(kv_head_of(model_, head));
            if (has_name) choices = {"K, V " + group + " · " + name, "K" + group + " · " + brief};
            choices.insert(choices.end(), {"K, V " + group, "K" + group});
            color = colors_.key;
        } else if (has_name) {
            choices = {name, brief};
        }
        // It ends where the map does, unless nothing fits there.
        float right = area.x + std::min(area.w, grid_.map_w);
        const auto fits = [&](const std::string& words) {
            return context_.measure.width(words, small, Font::words) <= right - left;
        };
        auto chosen = std::ranges::find_if(choices, fits);
        if (chosen == choices.end()) {
            right = area.right();
            chosen = std::ranges::find_if(choices, fits);
        }
        if (choices.empty() || right - left < text_ * 1.5F) return;
        const std::string& badge = chosen == choices.end() ? choices.back() : *chosen;
        words(shorten(context_.measure, badge, small, Font::words, right - left), {right, middle}, small, color,
              AlignX::right, AlignY::middle, Font::words, true);
    }

    // Returns where they end.
    float draw_statistics(int head, Point at) {
        if (grid_.telling == Telling::nothing) return at.y - 4;
        const float width = std::min(grid_.tile_w, std::max(grid_.map_w, widest_line_));
        const bool in_words = grid_.telling == Telling::words;
        for (const Statistic& one : (*statistics_)[static_cast<std::size_t>(head)]) {
            const float bar_y = in_words ? at.y + word_line() - 3 : at.y;
            const float height = in_words ? 2 : bar_height;
            const float share = std::isfinite(one.share) ? std::clamp(one.share, 0.0F, 1.0F) : 0;
            const float bar_w = in_words ? width : grid_.map_w;
            figure_.marks.emplace_back(BoxMark{.area = {at.x, bar_y, bar_w, height}, .fill = colors_.track});
            figure_.marks.emplace_back(BoxMark{.area = {at.x, bar_y, bar_w * share, height}, .fill = colors_.dim});
            if (in_words) {
                const float middle = at.y + (word_line() - 4) / 2;
                words(std::string(one.name), {at.x, middle}, text_ - 4, colors_.dim);
                words(one.number, {at.x + width, middle}, text_ - 4, colors_.text, AlignX::right, AlignY::middle,
                      Font::mono);
            }
            at.y += in_words ? word_line() : bar_step;
        }
        return at.y;
    }

    void draw_small_switch(int head, const HeadSetting& setting, Rect knob) {
        figure_.marks.emplace_back(
            BoxMark{.area = knob, .fill = setting.on ? colors_.accent : colors_.track, .radius = knob.h / 2});
        figure_.marks.emplace_back(
            CircleMark{.center = {setting.on ? knob.right() - knob.h / 2 : knob.x + knob.h / 2, knob.center().y},
                       .radius = 2.5F,
                       .fill = colors_.panel});
        figure_.targets.push_back({.id = {"switch", head},
                                   .kind = TargetKind::button,
                                   .area = {knob.x - 3, knob.y - 3, knob.w + 5, knob.h + 6},
                                   .tooltip = std::string(context_.word("Switch this head on or off"))});
    }

    // A track without digits: the tooltip of the large tiles says what it is.
    void draw_small_gain(int head, const HeadSetting& setting, Rect area) {
        if (context_.on_paper) return;
        const float middle = area.center().y;
        const Frame frame{
            {"gain", head}, {area.x + 3, area.y, area.w - 6, area.h}, {0, largest_gain, false}, {0, 1, false}};
        const float x = frame.place(std::clamp(static_cast<double>(setting.gain), 0.0, largest_gain), 0).x;
        figure_.marks.emplace_back(BoxMark{.area = {area.x, middle - 1, area.w, 2}, .fill = colors_.track});
        figure_.marks.emplace_back(
            CircleMark{.center = {x, middle}, .radius = 3, .fill = setting.on ? colors_.accent : colors_.faint});
        figure_.targets.push_back({.id = {"gain", head},
                                   .kind = TargetKind::handle,
                                   .area = area,
                                   .tooltip = std::string(context_.word("Gain of this head; double-click for 1")),
                                   .frame = {"gain", head}});
        figure_.frames.push_back(frame);
    }

    Figure& figure_;
    const FigureContext& context_;
    const Palette& colors_;
    float text_;
    const Model& model_;
    const AttentionTrace& trace_;
    Display display_;  // with the head of the tile that is drawn
    Archetypes archetypes_;
    AllStatistics statistics_;
    Rect room_;
    Grid grid_;
    float widest_line_ = 0;  // found once for all tiles
};

}  // namespace

float add_head_tiles(Figure& figure, const FigureContext& context, Rect room, float largest_map) {
    return HeadTiles(figure, context, room, largest_map).draw();
}

bool has_changed_heads(const Model& model) {
    return std::any_of(model.heads.begin(), model.heads.begin() + model.n_heads,
                       [](const HeadSetting& head) { return head != HeadSetting{}; });
}

bool tells_head_settings(const FigureContext& context) { return !context.on_paper || has_changed_heads(context.model); }

void add_head_setting(Figure& figure, const FigureContext& context, int head, Rect area) {
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    const HeadSetting& setting = context.model.heads[static_cast<std::size_t>(head)];
    const float middle = area.center().y;
    const auto words = [&](std::string told, float x, float size, Color color, AlignX align) {
        figure.marks.emplace_back(
            TextMark{std::move(told), {x, middle}, {size, Font::mono, color}, align, AlignY::middle});
    };
    const std::string gain = "×" + decimal(static_cast<double>(setting.gain), 2);
    if (context.on_paper)
        return words(setting.on ? gain : std::string(context.word("off")), area.x, text - 3,
                     setting == HeadSetting{} ? colors.dim : colors.accent, AlignX::left);
    const Rect knob{area.x, middle - 6, 22, 12};
    figure.marks.emplace_back(BoxMark{.area = knob, .fill = setting.on ? colors.accent : colors.track, .radius = 6});
    figure.marks.emplace_back(CircleMark{
        .center = {setting.on ? knob.right() - 6 : knob.x + 6, middle}, .radius = 4.5F, .fill = colors.panel});
    figure.targets.push_back({.id = {"switch", head},
                              .kind = TargetKind::button,
                              .area = {knob.x - 2, knob.y - 4, knob.w + 4, knob.h + 8},
                              .tooltip = std::string(context.word("Switch this head on or off"))});
    const float text_w = context.measure.width("×0.00", text - 4, Font::mono) + 10;
    constexpr float shortest_track = 36;
    const float room = area.right() - knob.right() - 12;
    const bool has_number = room - text_w >= shortest_track;  // else what the tooltip is for
    const Rect track{knob.right() + 12, middle - 2, std::max(10.0F, has_number ? room - text_w : room - 6), 4};
    const Frame frame{{"gain", head}, {track.x, middle - 8, track.w, 16}, {0, largest_gain, false}, {0, 1, false}};
    const float x = frame.place(std::clamp(static_cast<double>(setting.gain), 0.0, largest_gain), 0).x;
    const Color color = setting.on ? colors.accent : colors.faint;
    figure.marks.emplace_back(BoxMark{.area = track, .fill = colors.track, .radius = 2});
    figure.marks.emplace_back(BoxMark{.area = {track.x, track.y, x - track.x, 4}, .fill = color, .radius = 2});
    figure.marks.emplace_back(
        CircleMark{.center = {x, middle}, .radius = 5, .fill = colors.panel, .stroke = color, .stroke_width = 2});
    if (has_number)
        words(gain, area.right(), text - 4, setting.gain == 1 ? colors.faint : colors.accent, AlignX::right);
    figure.targets.push_back({.id = {"gain", head},
                              .kind = TargetKind::handle,
                              .area = {track.x - 6, middle - 8, track.w + 12, 16},
                              .tooltip = std::string(context.word("Gain of this head; double-click for 1")),
                              .frame = {"gain", head}});
    figure.frames.push_back(frame);
}

std::string head_statistics_words(const FigureContext& context, int head) {
    const WeightStatistics& s = context.trace.heads[static_cast<std::size_t>(head)];
    const std::string entropy = entropy_words(context.model, s).bits;
    const std::string peak = mean_in_digits(s.peak, 2);
    return have_distances(context.model)
               ? fill(context.word("entropy {0} bits · mean distance {1} · mean largest weight {2}"),
                      {entropy, mean_in_digits(s.mean_distance, 1), peak})
               : fill(context.word("entropy {0} bits · mean largest weight {1}"), {entropy, peak});
}

}  // namespace heed
