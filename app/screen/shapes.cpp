#include "app/screen/shapes.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/theme.h"
#include "core/figure/mark_look.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace heed::app {
namespace {

bool is_finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// Far outside places would overflow the rasteriser's fixed point.
ImVec2 on_screen(const FigurePlace& place, Point p) {
    const ImVec2 at = place.at(p);
    return {std::clamp(at.x, -30000.0F, 30000.0F), std::clamp(at.y, -30000.0F, 30000.0F)};
}

// In pieces that nowhere turn back: at a sharp corner AddPolyline lets the stroke run out to nothing, which leaves loose
// dashes of a curve that goes steeply up and down.
void stroke(ImDrawList* list, const std::vector<ImVec2>& points, ImU32 color, float width) {
    const auto piece = [&](std::size_t first, std::size_t last) {
        if (last > first)
            stroke_polyline(list, points.data() + first, static_cast<int>(last - first + 1), color, width);
    };
    std::size_t first = 0;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const ImVec2 in(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
        const ImVec2 out(points[i + 1].x - points[i].x, points[i + 1].y - points[i].y);
        if (in.x * out.x + in.y * out.y >= 0) continue;
        piece(first, i);
        first = i;
    }
    if (!points.empty()) piece(first, points.size() - 1);
}

void stroke_dashed(ImDrawList* list, const std::vector<ImVec2>& points, ImU32 color, float width, float on, float off) {
    std::vector<ImVec2> dash;
    float left = on;  // of the dash or gap in progress
    bool is_on = true;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        ImVec2 from = points[i];
        const ImVec2 to = points[i + 1];
        float length = std::hypot(to.x - from.x, to.y - from.y);
        if (is_on && dash.empty()) dash.push_back(from);
        while (length > left) {
            const float share = left / length;
            from = ImVec2(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
            length -= left;
            if (is_on) {
                dash.push_back(from);
                stroke(list, dash, color, width);
                dash.clear();
            } else {
                dash.push_back(from);
            }
            is_on = !is_on;
            left = is_on ? on : off;
        }
        left -= length;
        if (is_on) dash.push_back(to);
    }
    stroke(list, dash, color, width);
}

// A strip thinner than a pixel becomes two pixels wide and as much fainter: whichever pixels it meets, they share its ink.
// With a sharp core it would leave out those whose middle it misses, and be dotted.
constexpr float faintest = 0.25F;  // of its colour
constexpr float thin_edges = 4;    // apart: a steep strip between them may be thinner than a pixel
struct ThinStrip {
    ImVec2 middle, out;  // half of its width
    float strength = 1;
};
std::optional<ThinStrip> thin_strip(ImVec2 a, ImVec2 b, ImVec2 along) {
    const float apart = std::hypot(b.x - a.x, b.y - a.y);
    const float length = std::hypot(along.x, along.y);
    if (apart >= thin_edges || length < 1e-6F) return std::nullopt;
    const float side = (a.x - b.x) * along.y - (a.y - b.y) * along.x < 0 ? -1.0F : 1.0F;  // a is outside
    const ImVec2 out(side * along.y / length, -side * along.x / length);
    const float thickness = (a.x - b.x) * out.x + (a.y - b.y) * out.y;
    if (thickness >= 1) return std::nullopt;
    return ThinStrip{{(a.x + b.x) / 2, (a.y + b.y) / 2}, out, apart < 1e-3F ? 0.0F : std::max(thickness, faintest)};
}

ImU32 fainter(ImU32 color, float strength) {
    const ImU32 alpha = (color & IM_COL32_A_MASK) >> IM_COL32_A_SHIFT;
    return (color & ~IM_COL32_A_MASK) |
           (static_cast<ImU32>(std::lround(static_cast<float>(alpha) * strength)) << IM_COL32_A_SHIFT);
}

// A strip of quads between two edges of equal length, with soft long edges: a fringe a pixel wide fades to nothing.
void fill_strip(ImDrawList* list, const std::vector<ImVec2>& a, const std::vector<ImVec2>& b, ImU32 color) {
    const auto n = static_cast<int>(std::min(a.size(), b.size()));
    if (n < 2) return;
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    const ImU32 clear = color & ~IM_COL32_A_MASK;
    list->PrimReserve((n - 1) * 18, n * 4);
    const unsigned first = list->_VtxCurrentIdx;
    for (int i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        // Outwards, across the strip.
        const auto normal = [&](const std::vector<ImVec2>& edge, const std::vector<ImVec2>& other) {
            const ImVec2 from = edge[static_cast<std::size_t>(std::max(i - 1, 0))];
            const ImVec2 to = edge[static_cast<std::size_t>(std::min(i + 1, n - 1))];
            ImVec2 out(to.y - from.y, from.x - to.x);
            const float length = std::hypot(out.x, out.y);
            if (length < 1e-6F) return ImVec2(0, 0);
            const float towards = (other[k].x - edge[k].x) * out.x + (other[k].y - edge[k].y) * out.y;
            const float scale = (towards > 0 ? -0.5F : 0.5F) / length;
            return ImVec2(out.x * scale, out.y * scale);
        };
        const ImVec2 before = a[static_cast<std::size_t>(std::max(i - 1, 0))];
        const ImVec2 after = a[static_cast<std::size_t>(std::min(i + 1, n - 1))];
        if (const auto thin = thin_strip(a[k], b[k], ImVec2(after.x - before.x, after.y - before.y))) {
            const ImVec2 m = thin->middle;
            const ImVec2 out = thin->out;
            const ImU32 core = fainter(color, thin->strength);
            list->PrimWriteVtx(ImVec2(m.x + out.x, m.y + out.y), white, clear);
            list->PrimWriteVtx(m, white, core);
            list->PrimWriteVtx(m, white, core);
            list->PrimWriteVtx(ImVec2(m.x - out.x, m.y - out.y), white, clear);
            continue;
        }
        const ImVec2 na = normal(a, b);
        const ImVec2 nb = normal(b, a);
        list->PrimWriteVtx(ImVec2(a[k].x + na.x, a[k].y + na.y), white, clear);
        list->PrimWriteVtx(ImVec2(a[k].x - na.x, a[k].y - na.y), white, color);
        list->PrimWriteVtx(ImVec2(b[k].x - nb.x, b[k].y - nb.y), white, color);
        list->PrimWriteVtx(ImVec2(b[k].x + nb.x, b[k].y + nb.y), white, clear);
    }
    for (unsigned i = 0; i + 1 < static_cast<unsigned>(n); ++i)
        for (unsigned lane = 0; lane < 3; ++lane) {
            const unsigned v = first + i * 4 + lane;
            for (const unsigned index : {v, v + 1, v + 5, v, v + 5, v + 4})
                list->PrimWriteIdx(static_cast<ImDrawIdx>(index));
        }
}

ImVec2 cubic(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, float t) {
    const float s = 1 - t;
    const float wa = s * s * s, wb = 3 * s * s * t, wc = 3 * s * t * t, wd = t * t * t;
    return {wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y};
}

}  // namespace

void draw_line(ImDrawList* list, const LineMark& mark, const FigurePlace& place) {
    const float width = mark.width * place.scale;
    const float unit = std::max(mark.width, 1.0F) * place.scale;
    std::vector<ImVec2> run;
    const auto finish = [&] {
        if (mark.dashed)
            stroke_dashed(list, run, u32(mark.color), width, dash_on * unit, dash_off * unit);
        else
            stroke(list, run, u32(mark.color), width);
        run.clear();
    };
    for (const Point& p : mark.points) {
        if (is_finite(p))
            run.push_back(on_screen(place, p));
        else
            finish();
    }
    finish();
}

void draw_area(ImDrawList* list, const AreaMark& mark, const FigurePlace& place) {
    std::vector<ImVec2> points;
    for (const Point& p : mark.outline)
        if (is_finite(p)) points.push_back(on_screen(place, p));
    if (points.size() < 3) return;
    // ImGui fills what bends inwards only where it goes round clockwise.
    double twice_area = 0;
    for (std::size_t i = 0, before = points.size() - 1; i < points.size(); before = i++)
        twice_area += static_cast<double>(points[before].x) * static_cast<double>(points[i].y) -
                      static_cast<double>(points[i].x) * static_cast<double>(points[before].y);
    if (twice_area < 0) std::reverse(points.begin(), points.end());
    list->AddConcavePolyFilled(points.data(), static_cast<int>(points.size()), u32(mark.color));
}

void draw_band(ImDrawList* list, const BandMark& mark, const FigurePlace& place) {
    std::vector<ImVec2> upper;
    std::vector<ImVec2> lower;
    for (std::size_t i = 0; i < std::min(mark.upper.size(), mark.lower.size()); ++i) {
        if (is_finite(mark.upper[i]) && is_finite(mark.lower[i])) {
            upper.push_back(on_screen(place, mark.upper[i]));
            lower.push_back(on_screen(place, mark.lower[i]));
            continue;
        }
        fill_strip(list, upper, lower, u32(mark.color));
        upper.clear();
        lower.clear();
    }
    fill_strip(list, upper, lower, u32(mark.color));
}

void draw_ribbon(ImDrawList* list, const RibbonMark& mark, const FigurePlace& place) {
    if (mark.color.a == 0) return;
    const RibbonCurves curves = ribbon_curves(mark);
    const ImVec2 top[4] = {place.at(mark.from_top), place.at(curves.top_1), place.at(curves.top_2),
                           place.at(mark.to_top)};
    const ImVec2 bottom[4] = {place.at(mark.from_bottom), place.at(curves.bottom_1), place.at(curves.bottom_2),
                              place.at(mark.to_bottom)};
    const float length = std::hypot(top[3].x - top[0].x, top[3].y - top[0].y);
    const float bend = std::max(std::abs(top[3].y - top[0].y), std::abs(top[1].y - top[0].y));
    const int pieces = bend < 1 ? 1 : std::clamp(static_cast<int>(std::sqrt(length) * 1.2F), 8, 40);
    std::vector<ImVec2> a(static_cast<std::size_t>(pieces) + 1);
    std::vector<ImVec2> b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const float t = static_cast<float>(i) / static_cast<float>(pieces);
        a[i] = cubic(top[0], top[1], top[2], top[3], t);
        b[i] = cubic(bottom[0], bottom[1], bottom[2], bottom[3], t);
    }
    fill_strip(list, a, b, u32(mark.color));
}

void draw_hatching(ImDrawList* list, const Rect& area, const FigurePlace& place, ImU32 color) {
    const auto first = static_cast<int>(std::floor((area.x + area.y) / hatch_spacing));
    const auto last = static_cast<int>(std::ceil((area.right() + area.bottom()) / hatch_spacing));
    list->PushClipRect(place.at(area.x, area.y), place.at(area.right(), area.bottom()), true);
    for (int k = first; k <= last; ++k) {
        const float sum = static_cast<float>(k) * hatch_spacing;
        const float low = std::max(area.x, sum - area.bottom());
        const float high = std::min(area.right(), sum - area.y);
        if (low >= high) continue;
        list->AddLine(place.at(low - 1, sum - low + 1), place.at(high + 1, sum - high - 1), color,
                      hatch_width * place.scale);
    }
    list->PopClipRect();
}

void draw_color_bar(ImDrawList* list, const ColorBarMark& mark, const FigurePlace& place, Theme theme) {
    const ColorTable& table = color_table(mark.scale.map, theme);
    const Rect& area = mark.area;
    constexpr int pieces = 32;  // each a gradient of its own between two entries of the table
    for (int i = 0; i < pieces; ++i) {
        const ImU32 low = u32(table[static_cast<std::size_t>(i * 255 / pieces)]);
        const ImU32 high = u32(table[static_cast<std::size_t>((i + 1) * 255 / pieces)]);
        const float a = static_cast<float>(i) / pieces;
        const float b = static_cast<float>(i + 1) / pieces;
        if (mark.horizontal)
            list->AddRectFilledMultiColor(place.at(area.x + area.w * a, area.y),
                                          place.at(area.x + area.w * b, area.bottom()), low, high, high, low);
        else
            list->AddRectFilledMultiColor(place.at(area.x, area.bottom() - area.h * b),
                                          place.at(area.right(), area.bottom() - area.h * a), high, high, low, low);
    }
}

}  // namespace heed::app
