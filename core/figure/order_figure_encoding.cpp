// One position encoding by itself: its table beside its clocks (or slopes) and two plots.
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/color_bar.h"
#include "core/figure/kept.h"
#include "core/figure/order_encoding.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/position_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

namespace heed {
namespace {

constexpr int fewest_places = 32;  // so that waves are seen where there are few tokens
constexpr int most_places = 4096;

struct TableKey {
    std::string encoding;
    int first = 0, count = 0, width = 0;
    std::uint64_t seed = 0;
    friend bool operator==(const TableKey&, const TableKey&) = default;
};

bool tells_exactly(const Matrix& table, int decimals) {
    if (decimals < 0) return true;
    const Matrix shifted = table * std::pow(10.0F, static_cast<float>(decimals));
    return ((shifted.array() - shifted.array().round()).abs() < 1e-3F).all();
}

class EncodingPage : EncodingPart {
public:
    EncodingPage(const PanelPen& pen, Rect room) : EncodingPart(pen), room_(room) {}

    void draw() {
        const bool is_scenes = encoding_.id == model_.position->encoding;
        const std::string name = pen_.word(encoding_.name);
        room_ = below_intro(is_scenes ? fill(context_.word("{0}: what this scene uses"), {name})
                            : position_encoding(model_.position->encoding).uses_places()
                                ? fill(context_.word("{0}: what it would be; this scene uses {1}"),
                                       {name, context_.word(position_encoding(model_.position->encoding).name)})
                                : fill(context_.word("{0}: what it would be; this scene has no positions"), {name}));
        const float map_w = std::clamp(room_.w * 0.4F, 150.0F, 520.0F);
        draw_table({room_.x, room_.y, map_w, room_.h});
        const Rect right{room_.x + map_w + 30, room_.y, room_.w - map_w - 30, room_.h};
        float top_h = clocks_height(pen_, right);
        const float two_plots = 2 * (pen_.text * 3 + 30 + plot_under) + plot_gap;
        bool is_stacked = right.h - top_h - plot_gap >= std::max(two_plots, pen_.text * 26) || right.w < 420;
        if (is_stacked && right.h - top_h - plot_gap < two_plots) {
            is_stacked = right.w < 340;
            if (is_stacked) top_h = 0;  // the plots come first
        }
        if (top_h > 0) add_clocks(pen_, {right.x, right.y, right.w, top_h});
        const float used = top_h > 0 ? top_h + plot_gap : 0;
        const Rect plots{right.x, right.y + used, right.w, right.h - used};
        if (is_stacked) {
            const float h = (plots.h - plot_gap) / 2;
            add_closeness(pen_, {plots.x, plots.y, plots.w, h});
            add_shift(pen_, {plots.x, plots.y + h + plot_gap, plots.w, h});
        } else {
            const float w = (plots.w - 24) / 2;
            add_closeness(pen_, {plots.x, plots.y, w, plots.h});
            add_shift(pen_, {plots.x + w + 24, plots.y, w, plots.h});
        }
    }

private:
    static constexpr float plot_gap = 10;

    Rect below_intro(const std::string& sentence) const {
        const Rect left = pen_.intro(room_, sentence);
        const float line = pen_.text * 1.7F;
        return {left.x, left.y + line, left.w, left.h - line};
    }

    // The table itself: places down, components across; or the bias on every score.
    void draw_table(Rect room) const {
        const bool is_bias = encoding_.bias != nullptr;
        const int head = shown_head(context_);
        const int places = std::clamp(std::max(effective_n_keys(model_), model_.query_offset + model_.n_queries),
                                      fewest_places, most_places);
        const std::shared_ptr<const Matrix> numbers =
            is_bias
                ? kept(context_, "encoding bias", ScoreKey{context_.trace.version, std::string(encoding_.id), head, {}},
                       [&] { return encoding_bias(model_, encoding_, head); })
                : table_of(0, places);
        const Matrix& table = *numbers;
        if (is_bias)
            title(fill(context_.word("The bias on the scores of head {0}"), {shown_number(head)}),
                  pen_.word("queries down, keys across"), room);
        else
            title(pen_.word(encoding_.turn != nullptr ? "What becomes of (1, 0) in each pair"
                                                      : "What is added to each token"),
                  fill(context_.word("{0} places down, {1} components across"),
                       {std::to_string(table.rows()), std::to_string(table.cols())}),
                  room);
        StagePanel panel;
        panel.id = "encoding";
        HeatmapMark& map = panel.heatmap;
        map.id = panel.id;
        map.values = {table.data(), table.rows(), table.cols(), numbers, version_of(table)};
        const float far = std::max(largest_magnitude(context_, map.values, {}), 1e-6F);
        map.scale = {color_map(context_.display.cells->diverging_map).id, -far, far};
        const LabelSpec down = numbers_of(static_cast<int>(table.rows()));
        const LabelSpec across = numbers_of(static_cast<int>(table.cols()));
        const float label_w =
            context_.options.tick_labels ? row_labels_width(widest_label(context_.measure, down, pen_.text * 4)) : 0;
        const float head_h = pen_.text * 3.2F;
        const float foot = context_.options.tick_labels ? pen_.text * 1.8F : 4;
        const float bar_w = bar_width(map);
        map.area = {std::round(room.x + label_w), std::round(room.y + head_h), room.w - label_w - bar_w,
                    std::max(20.0F, room.h - head_h - foot)};
        const float cell =
            std::min(map.area.w / static_cast<float>(table.cols()), map.area.h / static_cast<float>(table.rows()));
        if (is_bias && cell > 3) {
            map.area.w = cell * static_cast<float>(table.cols());
            map.area.h = cell * static_cast<float>(table.rows());
        }
        map.grid = cell >= 8;
        const NumberLook look = fitting_numbers(context_, panel, map.area.w / static_cast<float>(table.cols()),
                                                map.area.h / static_cast<float>(table.rows()));
        // A bias is a number of equal steps, which one decimal would round to unequal ones.
        map.decimals = is_bias && look.decimals < 2 && !tells_exactly(table, look.decimals) ? -1 : look.decimals;
        map.number_size = look.size;
        const float cell_h = map.area.h / static_cast<float>(table.rows());
        const int row = is_bias ? seen_ - model_.query_offset : seen_;
        if (row >= 0 && row < table.rows() && cell_h >= 3) map.lit_row = row;
        if (bar_w > 0) add_bar_beside(pen_.figure, context_, map, map.area.right());
        pen_.figure.marks.emplace_back(BoxMark{.area = {map.area.x - 1, map.area.y - 1, map.area.w + 2, map.area.h + 2},
                                               .stroke = pen_.colors.hairline});
        pen_.figure.targets.push_back({.id = map.id,
                                       .kind = TargetKind::cells,
                                       .area = map.area,
                                       .rows = table.rows(),
                                       .cols = table.cols(),
                                       .tooltip = {}});
        const Rect area = map.area;
        const int lit = map.lit_row;
        pen_.figure.marks.emplace_back(std::move(map));
        if (!context_.options.tick_labels) return;
        LabelSpec lit_down = down;
        lit_down.lit = lit;
        add_row_labels(pen_.figure, context_.measure, lit_down, area, pen_.text * 4);
        add_column_labels(pen_.figure, context_.measure, across, area, pen_.text * 4, false);
    }

    LabelSpec numbers_of(int count) const {
        LabelSpec spec;
        spec.style = {pen_.text - 3, Font::mono, pen_.colors.dim};
        spec.count = count;
        spec.label_at = [](int i) { return shown_number(i); };
        spec.never_turned = true;
        return spec;
    }

    float bar_width(const HeatmapMark& map) const {
        if (!context_.options.color_bars) return 0;
        return beside_bar_size(context_, map, bar_numbers(context_, map), 1).width;
    }

    // Tables are kept by what they are made from; their numbers say which one it is.
    std::uint64_t version_of(const Matrix& table) const {
        std::uint64_t version = mix_bits(std::hash<std::string_view>()(encoding_.id) ^ model_.seed);
        for (const std::uint64_t part :
             {static_cast<std::uint64_t>(table.rows()), static_cast<std::uint64_t>(table.cols()),
              static_cast<std::uint64_t>(encoding_.bias != nullptr ? shown_head(context_) : 0),
              static_cast<std::uint64_t>(encoding_.bias != nullptr ? context_.trace.version : 0)})
            version = mix_bits(version ^ part);
        return version;
    }

    Rect room_;
};

}  // namespace

EncodingPart::EncodingPart(const PanelPen& pen)
    : pen_(pen),
      context_(pen.context),
      model_(pen.context.model),
      display_(*pen.context.display.order),
      encoding_(looked_at_encoding(model_, display_)),
      width_(encoding_width(model_, encoding_)),
      pin_(pinned_cell(pen.context)),
      position_(pin_.query + model_.query_offset),
      seen_(context_.hovered && context_.hovered->query >= 0 ? context_.hovered->query + model_.query_offset
                                                             : position_) {}

void EncodingPart::title(const std::string& words, const std::string& note, Rect room) const {
    pen_.words(shorten(context_.measure, words, pen_.text - 1, Font::bold, room.w), {room.x, room.y + pen_.text * 0.6F},
               pen_.colors.text, AlignX::left, Font::bold, 1, true);
    if (!note.empty())
        pen_.words(shorten(context_.measure, note, pen_.text - 2, Font::words, room.w),
                   {room.x, room.y + pen_.text * 1.95F}, pen_.colors.dim, AlignX::left, Font::words, 2, true);
}

std::shared_ptr<const Matrix> EncodingPart::table_of(int first, int count) const {
    const TableKey key{std::string(encoding_.id), first, count, width_, model_.seed};
    return kept(context_, "encoding table", key,
                [&] { return encoding_table(encoding_, first, count, width_, model_.seed); });
}

void add_encoding_page(const PanelPen& pen, Rect room) { EncodingPage(pen, room).draw(); }

}  // namespace heed
