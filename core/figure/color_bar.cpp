#include "core/figure/color_bar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

constexpr float gap = 8;  // between the cells and the bar
constexpr float thickness = 6;
constexpr float number_gap = 5;
constexpr float shortest_beside = 30;  // its two numbers do not touch
constexpr float shortest_below = 32;
constexpr float longest_below = 120;
constexpr float dot_gap = 6;  // between the dots of a key

float number_size(const FigureContext& context) { return context.options.text_size - 3; }

TextStyle number_style(const FigureContext& context) {
    return {number_size(context), Font::mono, context.colors().dim};
}

float number_width(const FigureContext& context, const std::string& text) {
    return context.measure.width(text, number_size(context), Font::mono);
}

struct DotKey {
    float value;
    float radius;
    int decimals;
    std::string number() const { return decimal(static_cast<double>(value), decimals); }
};
// One digit of a tenth of the scale.
int dot_decimals(const ColorScale& scale) { return std::max(1, decimals_for(scale) - (scale.high < 0.1F ? 0 : 1)); }
// A tenth, a half and the whole of the scale, with radii as mark_look.h has them.
std::array<DotKey, 3> dot_keys(const HeatmapMark& heatmap, float cell) {
    const bool is_diverging = color_map(heatmap.scale.map).kind == MapKind::diverging;
    const auto key = [&](float share_of_high) {
        const float value = heatmap.scale.high * share_of_high;
        const float place = place_on_scale(heatmap.scale, value);
        const float share = is_diverging ? std::abs(2 * place - 1) : place;
        return DotKey{value, 0.46F * cell * std::sqrt(std::clamp(share, 0.0F, 1.0F)), dot_decimals(heatmap.scale)};
    };
    return {key(0.1F), key(0.5F), key(1)};
}

// What a dot takes of the line it stands in.
float dot_step(const FigureContext& context, const DotKey& key) {
    return std::max(2 * key.radius, number_size(context)) + dot_gap;
}

float shorter_side(const HeatmapMark& heatmap) {
    const Rect cell = heatmap.cell_rect(0, 0);
    return std::min(cell.w, cell.h);
}

void add_dot(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, const DotKey& key, Point center,
             float number_x) {
    figure.marks.emplace_back(
        CircleMark{center, key.radius, color_table(heatmap.scale.map, context.theme).back(), {0, 0, 0, 0}, 0});
    figure.marks.emplace_back(
        TextMark{key.number(), {number_x, center.y}, number_style(context), AlignX::left, AlignY::middle});
}

void add_dots_beside(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float left) {
    const std::array<DotKey, 3> keys = dot_keys(heatmap, shorter_side(heatmap));
    const float widest = keys.back().radius;
    float y = heatmap.area.y;
    for (const DotKey& key : keys) {
        const float step = dot_step(context, key);
        const Point center{left + gap + widest, y + (step - dot_gap) / 2};
        add_dot(figure, context, heatmap, key, center, center.x + widest + number_gap);
        y += step;
    }
}

void add_dots_below(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float top) {
    const std::array<DotKey, 3> keys = dot_keys(heatmap, shorter_side(heatmap));
    const float middle = top + gap + (dot_step(context, keys.back()) - dot_gap) / 2;
    float x = heatmap.area.x;
    for (const DotKey& key : keys) {
        add_dot(figure, context, heatmap, key, {x + key.radius, middle}, x + 2 * key.radius + number_gap);
        x += 2 * key.radius + number_gap + number_width(context, key.number()) + dot_gap;
    }
}

}  // namespace

std::string range_words(const ColorScale& scale) {
    if (scale.low == -scale.high) return "±" + compact(scale.high);
    return compact(scale.low) + " – " + upper_end(scale);
}

BarNumbers bar_numbers(const FigureContext& context, const HeatmapMark& heatmap) {
    return {number_width(context, compact(heatmap.scale.low)), number_width(context, upper_end(heatmap.scale)),
            number_width(context, decimal(heatmap.scale.high, dot_decimals(heatmap.scale)))};
}

BarNumbers widest_bar_numbers(const FigureContext& context, const HeatmapMark& heatmap) {
    BarNumbers numbers = bar_numbers(context, heatmap);
    if (heatmap.scale.low < 0) {
        numbers.low = std::max(numbers.low, number_width(context, "−0.000"));
        numbers.high = std::max(numbers.high, number_width(context, "0.000"));
    } else if (heatmap.values.cols > few_keys) {
        numbers.high = std::max(numbers.high, number_width(context, "≥ 0.000"));
    }
    return numbers;
}

std::string widest_range_words(const HeatmapMark& heatmap) {
    if (heatmap.scale.low == -heatmap.scale.high) return "±0.000";
    return heatmap.values.cols > few_keys ? compact(heatmap.scale.low) + " – ≥ 0.000" : range_words(heatmap.scale);
}

BarSize beside_bar_size(const FigureContext& context, const HeatmapMark& heatmap, const BarNumbers& numbers,
                        float cell) {
    if (heatmap.style == HeatmapStyle::dots) {
        const std::array<DotKey, 3> keys = dot_keys(heatmap, cell);
        BarSize size{gap + 2 * keys.back().radius + number_gap + numbers.dot, 0};
        for (const DotKey& key : keys) size.height += dot_step(context, key);
        return size;
    }
    return {gap + thickness + number_gap + std::max(numbers.low, numbers.high), shortest_beside};
}

BarSize below_bar_size(const FigureContext& context, const HeatmapMark& heatmap, const BarNumbers& numbers,
                       float cell) {
    if (heatmap.style == HeatmapStyle::dots) {
        const std::array<DotKey, 3> keys = dot_keys(heatmap, cell);
        BarSize size{0, gap + dot_step(context, keys.back()) - dot_gap};
        for (const DotKey& key : keys) size.width += 2 * key.radius + number_gap + numbers.dot + dot_gap;
        return size;
    }
    return {numbers.low + numbers.high + 2 * number_gap + shortest_below, gap + number_size(context)};
}

void add_bar_beside(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float left) {
    if (heatmap.style == HeatmapStyle::dots) return add_dots_beside(figure, context, heatmap, left);
    const float half = number_size(context) * 0.4F;  // numbers end where the bar does
    const Rect bar{left + gap, heatmap.area.y, thickness, std::max(heatmap.area.h, shortest_beside)};
    figure.marks.emplace_back(ColorBarMark{bar, heatmap.scale, false});
    const float x = bar.right() + number_gap;
    const auto number = [&](std::string text, float y) {
        figure.marks.emplace_back(
            TextMark{std::move(text), {x, y}, number_style(context), AlignX::left, AlignY::middle});
    };
    number(upper_end(heatmap.scale), bar.y + half);
    number(compact(heatmap.scale.low), bar.bottom() - half);
}

void add_bar_below(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float top) {
    if (heatmap.style == HeatmapStyle::dots) return add_dots_below(figure, context, heatmap, top);
    const TextStyle style = number_style(context);
    const std::string low = compact(heatmap.scale.low);
    const std::string high = upper_end(heatmap.scale);
    const float low_w = number_width(context, low);
    const float length = std::clamp(heatmap.area.w - low_w - number_width(context, high) - 2 * number_gap,
                                    shortest_below, longest_below);
    const float middle = top + gap + number_size(context) / 2;
    figure.marks.emplace_back(TextMark{low, {heatmap.area.x, middle}, style, AlignX::left, AlignY::middle});
    const Rect bar{heatmap.area.x + low_w + number_gap, middle - thickness / 2, length, thickness};
    figure.marks.emplace_back(ColorBarMark{bar, heatmap.scale, true});
    figure.marks.emplace_back(TextMark{high, {bar.right() + number_gap, middle}, style, AlignX::left, AlignY::middle});
}

}  // namespace heed
