#include "core/figure/mark_look.h"

#include "core/language.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace heed {
namespace {

// In ems, from Inter; JetBrains Mono and WenQuanYi Micro Hei are within a hundredth or two.
constexpr float ascent = 0.97F;
constexpr float descent = 0.24F;
constexpr float half_capital = 0.364F;

// Room between a number and the edges of its cell, both sides together.
constexpr float number_margin = 2;

Point between(Point a, Point b, float x_share, float y_share) {
    return {a.x + (b.x - a.x) * x_share, a.y + (b.y - a.y) * y_share};
}

// The two inner control points of one long edge.
std::pair<Point, Point> edge_controls(Point from, Point to, bool vertical_ends) {
    if (!vertical_ends) return {between(from, to, 0.5F, 0), between(from, to, 0.5F, 1)};
    if (std::abs(from.y - to.y) > 0.5F) return {between(from, to, 0, 0.5F), between(from, to, 1, 0.5F)};
    // Both ends on one level: an arc above it, as high as it is wide across half.
    const float rise = std::abs(to.x - from.x) * (2.0F / 3.0F);
    return {{from.x, from.y - rise}, {to.x, to.y - rise}};
}

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string number_text(float value, int decimals) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
    return decimal(value, decimals);
}

}  // namespace

float baseline_below(AlignY align, float size) {
    switch (align) {
        case AlignY::top:
            return ascent * size;
        case AlignY::middle:
            return half_capital * size;
        case AlignY::bottom:
            return -descent * size;
        case AlignY::baseline:
            break;
    }
    return 0;
}

RibbonCurves ribbon_curves(const RibbonMark& ribbon) {
    RibbonCurves curves;
    std::tie(curves.top_1, curves.top_2) = edge_controls(ribbon.from_top, ribbon.to_top, ribbon.vertical_ends);
    std::tie(curves.bottom_1, curves.bottom_2) =
        edge_controls(ribbon.from_bottom, ribbon.to_bottom, ribbon.vertical_ends);
    return curves;
}

Color hidden_ground(const Palette& palette) { return mix(palette.panel, palette.field, 0.8F); }

Color hatch_color(const Palette& palette) { return mix(palette.panel, palette.faint, 0.55F); }

Color crosshair_color(const Palette& palette) { return with_alpha(palette.accent, 0.6F); }

Color ink_on(Color ground) { return luminance(ground) > 0.5F ? hex(0x1a1f26) : hex(0xffffff); }

Color cell_color(const HeatmapMark& heatmap, Index row, Index col, Theme theme) {
    const auto cell = static_cast<std::size_t>(row * heatmap.values.cols + col);
    if (heatmap.cell_colors && cell < heatmap.cell_colors->size()) return (*heatmap.cell_colors)[cell];
    return color_at(heatmap.scale, heatmap.shown_value(row, col), theme);
}

Dot cell_dot(const HeatmapMark& heatmap, Index row, Index col, Theme theme) {
    const float place = place_on_scale(heatmap.scale, heatmap.shown_value(row, col));
    const bool diverging = color_map(heatmap.scale.map).kind == MapKind::diverging;
    const float share = diverging ? std::abs(2 * place - 1) : place;
    const Rect cell = heatmap.cell_rect(row, col);
    const ColorTable& table = color_table(heatmap.scale.map, theme);
    Dot dot;
    dot.radius = 0.46F * std::min(cell.w, cell.h) * std::sqrt(std::clamp(share, 0.0F, 1.0F));
    dot.ring = diverging && place < 0.5F;
    dot.color = dot.ring ? table.front() : table.back();
    const auto index = static_cast<std::size_t>(row * heatmap.values.cols + col);
    if (heatmap.cell_colors && index < heatmap.cell_colors->size()) dot.color = (*heatmap.cell_colors)[index];
    return dot;
}

std::string cell_number(const HeatmapMark& heatmap, Index row, Index col) {
    return number_text(heatmap.shown_value(row, col), std::max(heatmap.decimals, 0));
}

bool numbers_fit(const HeatmapMark& heatmap, const TextMeasure& measure) {
    if (heatmap.decimals < 0 || heatmap.values.rows == 0 || heatmap.values.cols == 0) return false;
    const Rect cell = heatmap.cell_rect(0, 0);
    if (cell.h < heatmap.number_size * 1.1F || cell.w < heatmap.number_size) return false;
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    for (Index row = 0; row < heatmap.values.rows; ++row)
        for (Index col = 0; col < heatmap.values.cols; ++col) {
            const float value = heatmap.shown_value(row, col);
            if (!heatmap.visible.at(row, col) || !std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    if (low > high) return true;  // nothing but infinities and NaN, which are short
    // The longest number is the lowest or the highest one: digits are equally wide.
    const std::size_t longest =
        std::max(characters(number_text(low, heatmap.decimals)), characters(number_text(high, heatmap.decimals)));
    const float digit = measure.width("0", heatmap.number_size, Font::mono);
    return static_cast<float>(longest) * digit + number_margin <= cell.w;
}

}  // namespace heed
