#include "core/typeset/formula_shapes.h"

#include "core/typeset/glyph_metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {

namespace {

struct Shift {
    float x, y;
    void move(Point& p) const {
        p.x += x;
        p.y += y;
    }
    void operator()(TextMark& mark) const { move(mark.at); }
    void operator()(CircleMark& mark) const { move(mark.center); }
    void operator()(LineMark& mark) const {
        for (Point& p : mark.points) move(p);
    }
    void operator()(AreaMark& mark) const {
        for (Point& p : mark.outline) move(p);
    }
    template <typename T>
    void operator()(T&) const {}  // formulas are made of no other marks
};

Rect bounds_of(const std::vector<Point>& points, float margin) {
    Rect bounds{points[0].x, points[0].y, 0, 0};
    float right = points[0].x;
    float bottom = points[0].y;
    for (const Point& p : points) {
        bounds.x = std::min(bounds.x, p.x);
        bounds.y = std::min(bounds.y, p.y);
        right = std::max(right, p.x);
        bottom = std::max(bottom, p.y);
    }
    return {bounds.x - margin, bounds.y - margin, right - bounds.x + 2 * margin, bottom - bounds.y + 2 * margin};
}

void put_line(FormulaBox& box, std::vector<Point> points, float width, Color color) {
    const Rect extent = bounds_of(points, width / 2);
    put_mark(box, LineMark{std::move(points), color, width}, extent);
}

void put_area(FormulaBox& box, std::vector<Point> outline, Color color) {
    const Rect extent = bounds_of(outline, 0);
    put_mark(box, AreaMark{std::move(outline), color}, extent);
}

// A parenthesis: heaviest in the middle. As a bow of the given depth; mirrored for the right one.
void put_parenthesis(FormulaBox& box, float top, float bottom, float left, float bow, float stroke, bool is_right,
                     Color color) {
    constexpr int n = 24;
    std::vector<Point> outline;
    const auto place = [&](float share, float inset) {
        const float off = std::abs(2 * share - 1);
        const float x = left + bow * std::pow(off, 2.1F) + inset * stroke * (1 - 0.3F * off * off);
        return Point{is_right ? 2 * left + bow + stroke - x : x, top + share * (bottom - top)};
    };
    for (int i = 0; i <= n; ++i) outline.push_back(place(static_cast<float>(i) / n, 0));
    for (int i = n; i >= 0; --i) outline.push_back(place(static_cast<float>(i) / n, 1));
    put_area(box, std::move(outline), color);
}

// A curly bracket: four quarter bends and two straight parts.
void put_brace(FormulaBox& box, float top, float bottom, float left, float width, float stroke, bool is_right,
               Color color) {
    std::vector<Point> points;
    const float bend = std::min(width / 2 * 1.5F, (bottom - top) / 4);
    const float middle = (top + bottom) / 2;
    const auto arc = [&](float x0, float x1, float y0, float y1, bool starts_flat) {
        for (int i = 0; i <= 8; ++i) {
            const float t = static_cast<float>(i) / 8 * std::numbers::pi_v<float> / 2;
            const float x = starts_flat ? std::sin(t) : 1 - std::cos(t);
            const float y = starts_flat ? 1 - std::cos(t) : std::sin(t);
            points.push_back({x0 + (x1 - x0) * x, y0 + (y1 - y0) * y});
        }
    };
    const float x_end = left + width;
    const float x_mid = left + width / 2;
    arc(x_end, x_mid, top, top + bend, true);
    arc(x_mid, left, middle - bend, middle, false);
    arc(left, x_mid, middle, middle + bend, true);
    arc(x_mid, x_end, bottom - bend, bottom, false);
    if (is_right)
        for (Point& p : points) p.x = 2 * left + width - p.x;
    put_line(box, std::move(points), stroke, color);
}

}  // namespace

float rule_thickness(float size) { return std::max(0.8F, 0.06F * size); }
float stroke_thickness(float size) { return std::max(0.9F, 0.078F * size); }

void put_mark(FormulaBox& into, Mark mark, Rect extent) {
    into.marks.push_back(std::move(mark));
    into.extents.push_back(extent);
}

void put(FormulaBox& into, const FormulaBox& part, float x, float y) {
    for (const Mark& mark : part.marks) {
        into.marks.push_back(mark);
        std::visit(Shift{x, y}, into.marks.back());
    }
    for (const Rect& extent : part.extents) into.extents.push_back({extent.x + x, extent.y + y, extent.w, extent.h});
}

FormulaBox make_fence(std::string_view fence, float ascent, float descent, float size, Color color) {
    FormulaBox box;
    box.ascent = ascent;
    box.descent = descent;
    if (fence.empty()) return box;
    const float top = -ascent;
    const float bottom = descent;
    const float height = bottom - top;
    const float stroke = stroke_thickness(size) * std::min(1.25F, 0.9F + 0.08F * height / size);
    const float side = 0.1F * size;
    const float inset = stroke / 2;
    if (fence == "(" || fence == ")") {
        const float bow = std::min(0.12F * size + 0.09F * height, 0.55F * size);
        put_parenthesis(box, top, bottom, side, bow, stroke, fence == ")", color);
        box.width = bow + stroke + 1.6F * side;
        if (fence == ")")
            put(
                box = FormulaBox{box.width, ascent, descent, {}, {}},
                [&] {
                    FormulaBox again;
                    put_parenthesis(again, top, bottom, 0.6F * side, bow, stroke, true, color);
                    return again;
                }(),
                0, 0);
    } else if (fence == "|" || fence == "‖") {
        const float gap = 0.2F * size;
        put_line(box, {{side + inset, top}, {side + inset, bottom}}, stroke, color);
        if (fence == "‖") put_line(box, {{side + inset + gap, top}, {side + inset + gap, bottom}}, stroke, color);
        box.width = 2 * side + stroke + (fence == "‖" ? gap : 0);
    } else if (fence == "{" || fence == "}") {
        const float width = 0.38F * size;
        put_brace(box, top + inset, bottom - inset, side, width, stroke, fence == "}", color);
        box.width = width + 2 * side;
    } else if (fence == "⟨" || fence == "⟩") {
        const float width = 0.12F * size + 0.12F * height;
        const float tip = fence == "⟨" ? side : side + width;
        const float end = fence == "⟨" ? side + width : side;
        put_line(box, {{end, top}, {tip, (top + bottom) / 2}, {end, bottom}}, stroke, color);
        box.width = width + 2 * side;
    } else {  // square ones, with the feet they have
        const float foot = 0.22F * size;
        const bool is_left = fence == "[" || fence == "⌊" || fence == "⌈";
        const bool has_top = fence != "⌊" && fence != "⌋";
        const bool has_bottom = fence != "⌈" && fence != "⌉";
        const float back = is_left ? side + inset : 0.6F * side + foot - inset;
        const float end = is_left ? side + foot : 0.6F * side;
        std::vector<Point> points;
        if (has_top) points.push_back({end, top + inset});
        points.push_back({back, has_top ? top + inset : top});
        points.push_back({back, has_bottom ? bottom - inset : bottom});
        if (has_bottom) points.push_back({end, bottom - inset});
        put_line(box, std::move(points), stroke, color);
        box.width = foot + 1.6F * side;
    }
    return box;
}

RootSign make_root(float width, float ascent, float descent, float size, bool is_display, Color color) {
    const float rule = rule_thickness(size);
    RootSign sign;
    sign.clearance = rule + (is_display ? 0.14F : 0.08F) * size;
    const float top = -ascent - sign.clearance - rule / 2;
    const float bottom = std::max(descent, 0.02F * size) + 0.04F * size;
    const float height = bottom - top;
    const float w = 0.46F * size + 0.05F * height;
    const float heavy = 1.55F * rule;
    // The hook is as large as the letters, however tall the sign.
    const float hook = bottom - std::min(0.5F * height, 0.42F * size + 0.12F * height);
    const float rest = 0.14F * w;
    put_line(sign.box, {{0.06F * w, hook + 0.07F * size}, {rest + 0.04F * w, hook}}, rule, color);
    put_area(sign.box,
             {{rest, hook},
              {rest + heavy, hook - 0.02F * size},
              {0.47F * w + rule * 0.6F, bottom - rule},
              {0.43F * w, bottom}},
             color);
    put_line(sign.box, {{0.45F * w, bottom - rule / 2}, {w, top}, {w + width + 0.06F * size, top}}, rule, color);
    sign.box.width = w;
    sign.box.ascent = -top + rule / 2;
    sign.box.descent = bottom;
    return sign;
}

bool is_large_sign(std::string_view text) { return text == "∑" || text == "∏" || text == "∫"; }

FormulaBox make_large_sign(std::string_view text, float size, bool is_display, Color color) {
    FormulaBox box;
    const float height = (text == "∫" ? (is_display ? 2.1F : 1.2F) : (is_display ? 1.36F : 1.0F)) * size;
    const float top = -math_axis * size - height / 2;
    const float bottom = top + height;
    const float bar = 0.07F * size * (is_display ? 1.15F : 1);
    const float side = 0.06F * size;
    box.ascent = -top;
    box.descent = bottom;
    if (text == "∑") {
        const float w = 0.8F * height;
        const float slant = 1.45F * bar;
        const float middle = 0.44F * w;
        const float y = (top + bottom) / 2;
        const float l = side;
        put_area(box,
                 {{l, top},
                  {l + w, top},
                  {l + w, top + bar},
                  {l + slant, top + bar},
                  {l + middle + slant, y},
                  {l + slant, bottom - bar},
                  {l + w, bottom - bar},
                  {l + w, bottom},
                  {l, bottom},
                  {l, bottom - bar},
                  {l + middle, y},
                  {l, top + bar}},
                 color);
        box.width = w + 2 * side;
    } else if (text == "∏") {
        const float w = 0.84F * height;
        const float l = side;
        const float leg = 1.2F * bar;
        put_area(box,
                 {{l, top},
                  {l + w, top},
                  {l + w, top + bar},
                  {l + 0.9F * w, top + bar},
                  {l + 0.9F * w, bottom},
                  {l + 0.9F * w - leg, bottom},
                  {l + 0.9F * w - leg, top + bar},
                  {l + 0.1F * w + leg, top + bar},
                  {l + 0.1F * w + leg, bottom},
                  {l + 0.1F * w, bottom},
                  {l + 0.1F * w, top + bar},
                  {l, top + bar}},
                 color);
        box.width = w + 2 * side;
    } else {
        // Two hooks of half an em and a slanted stem between them.
        const float hook = 0.13F * size + 0.05F * height;
        const float lean = 0.07F * height;
        const float center = side + hook + lean;
        std::vector<Point> points;
        const float inset = bar * 0.6F;
        for (int i = 0; i <= 10; ++i) {  // from the upper end over the top
            const float t =
                static_cast<float>(i) / 10 * std::numbers::pi_v<float> * 0.62F - 0.12F * std::numbers::pi_v<float>;
            points.push_back({center + lean + hook * std::cos(t) * 0.92F,
                              top + inset + hook * (1 - std::sin(std::max(t, 0.0F)) - std::min(t, 0.0F))});
        }
        const std::size_t half = points.size();
        for (std::size_t i = 0; i < half; ++i) {
            const Point p = points[half - 1 - i];
            points.push_back({2 * center - p.x, top + bottom - p.y});
        }
        put_line(box, std::move(points), 1.15F * bar, color);
        box.width = 2 * (hook + lean) + 2 * side;
    }
    return box;
}

bool is_drawn_sign(std::string_view text) {
    return text == "⊙" || text == "⊕" || text == "⊗" || text == "∘" || text == "⋮" || text == "⋱" || text == "|" ||
           text == "‖" || text == "⟨" || text == "⟩";
}

FormulaBox make_drawn_sign(std::string_view text, float size, Color color) {
    if (text == "|" || text == "‖" || text == "⟨" || text == "⟩")
        return make_fence(text, 0.76F * size, 0.16F * size, size, color);
    FormulaBox box;
    const float stroke = stroke_thickness(size) * 0.85F;
    const float axis = -math_axis * size;
    const auto dot = [&](float x, float y, float radius) {
        CircleMark mark{{x, y}, radius, color, {0, 0, 0, 0}, 1};
        put_mark(box, mark, {x - radius, y - radius, 2 * radius, 2 * radius});
    };
    if (text == "⋮" || text == "⋱") {
        for (int i = -1; i <= 1; ++i) {
            const float step = 0.27F * size * static_cast<float>(i);
            dot((text == "⋱" ? 0.45F : 0.14F) * size + (text == "⋱" ? step : 0), axis + step, 0.062F * size);
        }
        box.width = (text == "⋱" ? 0.9F : 0.28F) * size;
        box.ascent = (math_axis + 0.34F) * size;
        box.descent = 0.06F * size;
        return box;
    }
    const float radius = (text == "∘" ? 0.15F : 0.3F) * size;
    const float center = radius + (text == "∘" ? 0.09F : 0.06F) * size;
    CircleMark ring{{center, axis}, radius - stroke / 2, {0, 0, 0, 0}, color, stroke};
    put_mark(box, ring, {center - radius, axis - radius, 2 * radius, 2 * radius});
    if (text == "⊙") dot(center, axis, 0.075F * size);
    if (text == "⊕" || text == "⊗") {
        const float reach = radius - stroke;
        const float turn = text == "⊗" ? std::numbers::sqrt2_v<float> / 2 : 1;
        const float skew = text == "⊗" ? turn : 0;
        put_line(box, {{center - reach * turn, axis - reach * skew}, {center + reach * turn, axis + reach * skew}},
                 stroke, color);
        put_line(box, {{center - reach * skew, axis + reach * turn}, {center + reach * skew, axis - reach * turn}},
                 stroke, color);
    }
    box.width = 2 * center;
    box.ascent = math_axis * size + radius;
    box.descent = std::max(0.0F, radius - math_axis * size);
    return box;
}

FormulaBox make_accent(std::string_view accent, float width, float size, Color color) {
    FormulaBox box;
    const float rule = rule_thickness(size);
    if (accent == "hat") {
        const float half = std::clamp(width * 0.36F, 0.16F * size, 0.5F * size);
        const float rise = 0.13F * size;
        put_line(box, {{-half, -rule / 2}, {0, -rise - rule / 2}, {half, -rule / 2}}, rule * 1.1F, color);
        box.ascent = rise + rule;
    } else if (accent == "tilde") {
        const float half = std::clamp(width * 0.4F, 0.2F * size, 0.5F * size);
        std::vector<Point> points;
        for (int i = 0; i <= 12; ++i) {
            const float t = static_cast<float>(i) / 6 - 1;
            points.push_back(
                {half * t, -0.09F * size + 0.06F * size * std::sin(t * std::numbers::pi_v<float> * 0.95F)});
        }
        put_line(box, std::move(points), rule * 1.1F, color);
        box.ascent = 0.17F * size;
    } else if (accent == "vec") {
        const float half = std::clamp(width * 0.45F, 0.25F * size, 2.0F * size);
        const float head = 0.1F * size;
        const float y = -head - rule / 2;
        put_line(box, {{-half, y}, {half, y}}, rule, color);
        put_line(box, {{half - head, y - head}, {half, y}, {half - head, y + head}}, rule, color);
        box.ascent = 2 * head + rule;
    } else if (accent == "dot" || accent == "ddot") {
        const float radius = 0.065F * size;
        for (const float x : {-0.13F, 0.13F}) {
            const float at = accent == "dot" ? 0 : x * size;
            put_mark(box, CircleMark{{at, -radius}, radius, color, {0, 0, 0, 0}, 1},
                     {at - radius, -2 * radius, 2 * radius, 2 * radius});
            if (accent == "dot") break;
        }
        box.ascent = 2 * radius;
    } else {  // bar: as wide as a letter; line and under: as wide as what they belong to
        const float half = accent == "bar" ? std::clamp(width * 0.4F, 0.18F * size, 0.4F * size) : width / 2;
        put_line(box, {{-half, -rule / 2}, {half, -rule / 2}}, rule, color);
        box.ascent = rule;
    }
    return box;
}

}  // namespace heed
