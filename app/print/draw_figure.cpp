#include "app/print/draw_figure.h"

#include "app/print/print_text.h"
#include "core/figure/mark_look.h"
#include "core/figure/plot.h"

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

bool is_drawn(Color color) { return color.a != 0; }

bool is_finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// A polyline; a point that is NaN or infinite leaves a gap.
Path polyline(const std::vector<Point>& points) {
    Path path;
    bool is_open = false;
    for (const Point& p : points) {
        if (!is_finite(p)) {
            is_open = false;
            continue;
        }
        is_open ? path.line_to(p) : path.move_to(p);
        is_open = true;
    }
    return path;
}

// The stretches of a band where both edges are numbers.
Path band_outline(const BandMark& band) {
    Path path;
    const std::size_t count = std::min(band.upper.size(), band.lower.size());
    const auto is_there = [&](std::size_t i) { return is_finite(band.upper[i]) && is_finite(band.lower[i]); };
    for (std::size_t start = 0; start < count; ++start) {
        if (!is_there(start)) continue;
        std::size_t end = start;
        while (end < count && is_there(end)) ++end;
        path.move_to(band.upper[start]);
        for (std::size_t i = start + 1; i < end; ++i) path.line_to(band.upper[i]);
        for (std::size_t i = end; i > start; --i) path.line_to(band.lower[i - 1]);
        path.close();
        start = end;
    }
    return path;
}

class MarkDrawer {
public:
    MarkDrawer(Canvas& canvas, Theme theme) : canvas_(canvas), theme_(theme) {}

    void operator()(const TextMark& mark) {
        PlacedText text{mark.plain ? std::vector<TextRun>{{mark.text}} : text_runs(mark.text),
                        mark.at,
                        baseline_below(mark.align_y, mark.style.size),
                        mark.align_x,
                        mark.angle,
                        mark.style};
        for (TextRun& run : text.runs) run.text = clean_text(run.text);
        std::erase_if(text.runs, [](const TextRun& run) { return run.text.empty(); });
        if (!text.runs.empty() && mark.style.size > 0 && is_finite(mark.at)) canvas_.text(text);
    }

    void operator()(const HeatmapMark& mark) { draw_heatmap(canvas_, mark, theme_); }

    void operator()(const LineMark& mark) {
        const Path path = polyline(mark.points);
        if (!path.empty() && mark.width > 0) canvas_.stroke(path, {mark.color, mark.width, mark.dashed});
    }

    void operator()(const AreaMark& mark) {
        Path path = polyline(mark.outline);
        if (path.empty()) return;
        path.close();
        canvas_.fill(path, mark.color);
    }

    void operator()(const BandMark& mark) {
        const Path path = band_outline(mark);
        if (!path.empty()) canvas_.fill(path, mark.color);
    }

    // The stroke lies inside the area.
    void operator()(const BoxMark& mark) {
        Path outline;
        outline.add_rounded_rect(mark.area, mark.radius);
        if (is_drawn(mark.fill)) canvas_.fill(outline, mark.fill);
        if (mark.hatched) draw_hatching(canvas_, outline, hatch_color(palette(theme_)));
        if (!is_drawn(mark.stroke) || !(mark.stroke_width > 0)) return;
        const float inset = std::min({mark.stroke_width, mark.area.w, mark.area.h}) / 2;
        Path middle;
        middle.add_rounded_rect(
            {mark.area.x + inset, mark.area.y + inset, mark.area.w - 2 * inset, mark.area.h - 2 * inset},
            std::max(0.0F, mark.radius - inset));
        canvas_.stroke(middle, {mark.stroke, mark.stroke_width});
    }

    void operator()(const CircleMark& mark) {
        if (!is_finite(mark.center) || !(mark.radius > 0)) return;
        Path outline;
        outline.add_circle(mark.center, mark.radius);
        if (is_drawn(mark.fill)) canvas_.fill(outline, mark.fill);
        if (is_drawn(mark.stroke)) canvas_.stroke(outline, {mark.stroke, mark.stroke_width});
    }

    void operator()(const RibbonMark& mark) {
        const RibbonCurves curves = ribbon_curves(mark);
        Path path;
        path.move_to(mark.from_top);
        path.cubic_to(curves.top_1, curves.top_2, mark.to_top);
        path.line_to(mark.to_bottom);
        path.cubic_to(curves.bottom_2, curves.bottom_1, mark.from_bottom);
        path.close();
        canvas_.fill(path, mark.color);
    }

    void operator()(const ColorBarMark& mark) {
        if (mark.area.w > 0 && mark.area.h > 0)
            canvas_.gradient(mark.area, color_table(mark.scale.map, theme_), mark.horizontal);
    }

    void operator()(const ClipMark& mark) {
        if (mark.push) {
            Path path;
            path.add_rect(mark.area);
            canvas_.push_clip(path);
            ++open_clips_;
        } else if (open_clips_ > 0) {
            canvas_.pop_clip();
            --open_clips_;
        }
    }

    void operator()(const PlotRef& plot) {
        for (const Mark& mark : lower(*plot, theme_)) std::visit(*this, mark);
    }

    void close_clips() {
        for (; open_clips_ > 0; --open_clips_) canvas_.pop_clip();
    }

private:
    Canvas& canvas_;
    Theme theme_;
    int open_clips_ = 0;
};

}  // namespace

void draw_figure(Canvas& canvas, const Figure& figure) {
    MarkDrawer drawer(canvas, figure.theme);
    for (const Mark& mark : figure.marks) std::visit(drawer, mark);
    drawer.close_clips();
}

void draw_hatching(Canvas& canvas, const Path& outline, Color color) {
    const Rect bounds = outline.bounds();
    if (!(bounds.w > 0 && bounds.h > 0)) return;
    // Each line is x + y = k · spacing; all of them pass through the figure's own grid, so neighbours are in step.
    Path lines;
    const int first = static_cast<int>(std::floor((bounds.x + bounds.y) / hatch_spacing));
    const int last = static_cast<int>(std::ceil((bounds.right() + bounds.bottom()) / hatch_spacing));
    for (int k = first; k <= last; ++k) {
        const float sum = static_cast<float>(k) * hatch_spacing;
        const float low = std::max(bounds.x, sum - bounds.bottom());
        const float high = std::min(bounds.right(), sum - bounds.y);
        if (low >= high) continue;
        lines.move_to({low - 1, sum - low + 1});
        lines.line_to({high + 1, sum - high - 1});
    }
    canvas.push_clip(outline);
    if (!lines.empty()) canvas.stroke(lines, {color, hatch_width});
    canvas.pop_clip();
}

}  // namespace heed::app
