#include "core/figure/color_bar.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float gap = 8;  // between the cells and the bar
constexpr float thickness = 6;
constexpr float number_gap = 5;
constexpr float shortest_below = 32;
constexpr float longest_below = 120;

float number_size(const FigureContext& context) { return context.options.text_size - 3; }

TextStyle number_style(const FigureContext& context) {
    return {number_size(context), Font::mono, context.colors().dim};
}

float number_width(const FigureContext& context, const std::string& text) {
    return context.measure.width(text, number_size(context), Font::mono);
}

}  // namespace

std::string range_words(const ColorScale& scale) {
    if (scale.low == -scale.high) return "±" + compact(scale.high);
    return compact(scale.low) + " – " + compact(scale.high);
}

float beside_bar_width(const FigureContext& context, const HeatmapMark& heatmap) {
    return gap + thickness + number_gap +
           std::max(number_width(context, compact(heatmap.scale.low)), number_width(context, compact(heatmap.scale.high)));
}

float below_bar_height(const FigureContext& context) { return gap + number_size(context); }

float below_bar_width(const FigureContext& context, const HeatmapMark& heatmap) {
    return number_width(context, compact(heatmap.scale.low)) + number_width(context, compact(heatmap.scale.high)) +
           2 * number_gap + shortest_below;
}

void add_bar_beside(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float left) {
    const float half = number_size(context) * 0.4F;  // numbers end where the bar does
    const Rect bar{left + gap, heatmap.area.y, thickness, std::max(heatmap.area.h, shortest_beside_bar)};
    figure.marks.emplace_back(ColorBarMark{bar, heatmap.scale, false});
    const float x = bar.right() + number_gap;
    const auto number = [&](float value, float y) {
        figure.marks.emplace_back(
            TextMark{compact(value), {x, y}, number_style(context), AlignX::left, AlignY::middle});
    };
    number(heatmap.scale.high, bar.y + half);
    number(heatmap.scale.low, bar.bottom() - half);
}

void add_bar_below(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float top) {
    const TextStyle style = number_style(context);
    const std::string low = compact(heatmap.scale.low);
    const std::string high = compact(heatmap.scale.high);
    const float low_w = number_width(context, low);
    const float length = std::clamp(heatmap.area.w - low_w - number_width(context, high) - 2 * number_gap, shortest_below,
                                    longest_below);
    const float middle = top + gap + number_size(context) / 2;
    figure.marks.emplace_back(TextMark{low, {heatmap.area.x, middle}, style, AlignX::left, AlignY::middle});
    const Rect bar{heatmap.area.x + low_w + number_gap, middle - thickness / 2, length, thickness};
    figure.marks.emplace_back(ColorBarMark{bar, heatmap.scale, true});
    figure.marks.emplace_back(TextMark{high, {bar.right() + number_gap, middle}, style, AlignX::left, AlignY::middle});
}

}  // namespace heed
