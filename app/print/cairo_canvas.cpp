#include "app/print/cairo_canvas.h"

#include "app/print/print_text.h"
#include "core/figure/mark_look.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed::app {
namespace {

// On a page, cells reach this far under their right and lower neighbours: viewers blend the edges of abutting rectangles
// with what lies below, which must not be the paper.
constexpr float page_overlap = 0.4F;

// An image on a page is finer than any printer needs for the sizes figures have.
constexpr Index finest_page_image = 1024;

// Premultiplied 0xAARRGGBB, as Cairo wants it.
std::uint32_t premultiplied(const std::uint8_t* rgba) {
    const std::uint32_t alpha = rgba[3];
    const auto channel = [&](int i) { return (static_cast<std::uint32_t>(rgba[i]) * alpha + 127U) / 255U; };
    return alpha << 24U | channel(0) << 16U | channel(1) << 8U | channel(2);
}

// A line with emoji on a page, from the current point: words stay text, emoji become pictures. Left to itself Cairo would
// put the pictures in at the resolution of the screen.
void show_line_with_pictures(cairo_t* cairo, PangoLayoutLine* line) {
    constexpr double finest = 8;       // pixels per logical pixel
    constexpr double largest = 16384;  // pixels; Cairo has no images beyond twice that
    double x = 0;
    double y = 0;
    cairo_get_current_point(cairo, &x, &y);
    const char* text = pango_layout_get_text(line->layout);
    for (const GSList* node = line->runs; node != nullptr; node = node->next) {
        auto* run = static_cast<PangoGlyphItem*>(node->data);
        PangoRectangle ink;
        PangoRectangle logical;
        pango_glyph_string_extents(run->glyphs, run->item->analysis.font, &ink, &logical);
        if (has_colour_glyphs(run->item->analysis.font)) {
            const double left = pango_units_to_double(ink.x) - 1;
            const double top = pango_units_to_double(ink.y) - 1;
            const double width = pango_units_to_double(ink.width) + 2;
            const double height = pango_units_to_double(ink.height) + 2;
            const double detail = std::min(finest, largest / std::max(width, height));
            cairo_surface_t* picture = cairo_image_surface_create(
                CAIRO_FORMAT_ARGB32, static_cast<int>(width * detail) + 1, static_cast<int>(height * detail) + 1);
            cairo_t* painter = cairo_create(picture);
            cairo_scale(painter, detail, detail);
            cairo_move_to(painter, -left, -top);
            pango_cairo_show_glyph_item(painter, text, run);
            cairo_destroy(painter);
            cairo_save(cairo);
            cairo_translate(cairo, x + left, y + top);
            cairo_scale(cairo, 1 / detail, 1 / detail);
            cairo_set_source_surface(cairo, picture, 0, 0);
            cairo_paint(cairo);
            cairo_restore(cairo);
            cairo_surface_destroy(picture);
        } else {
            cairo_move_to(cairo, x, y);
            pango_cairo_show_glyph_item(cairo, text, run);
        }
        x += pango_units_to_double(logical.width);
    }
}

// Moves the middle of a line of this width, both in device units, so that its edges lie between pixels.
double snapped(double place, double width) { return std::round(place - width / 2) + width / 2; }

}  // namespace

CairoCanvas::CairoCanvas(cairo_t* cairo, Surface surface, double scale)
    : cairo_(cairo), surface_(surface), scale_(scale) {
    cairo_scale(cairo_, scale, scale);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
}

void CairoCanvas::trace(const Path& path) const {
    cairo_new_path(cairo_);
    const Point* p = path.points().data();
    for (const Path::Verb verb : path.verbs()) {
        switch (verb) {
            case Path::Verb::move:
                cairo_move_to(cairo_, p->x, p->y), ++p;
                break;
            case Path::Verb::line:
                cairo_line_to(cairo_, p->x, p->y), ++p;
                break;
            case Path::Verb::cubic:
                cairo_curve_to(cairo_, p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y), p += 3;
                break;
            case Path::Verb::close:
                cairo_close_path(cairo_);
                break;
        }
    }
}

void CairoCanvas::set_color(Color color) const {
    cairo_set_source_rgba(cairo_, color.r / 255.0, color.g / 255.0, color.b / 255.0, color.a / 255.0);
}

void CairoCanvas::fill(const Path& path, Color color) {
    const Rect bounds = path.bounds();
    const bool sharp =
        surface_ == Surface::pixels && path.is_axis_aligned() && std::min(bounds.w, bounds.h) * scale_ > 1.5;
    cairo_set_antialias(cairo_, sharp ? CAIRO_ANTIALIAS_NONE : CAIRO_ANTIALIAS_DEFAULT);
    trace(path);
    set_color(color);
    cairo_fill(cairo_);
}

void CairoCanvas::stroke(const Path& path, const Stroke& stroke) {
    double width = static_cast<double>(stroke.width);
    cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_DEFAULT);
    if (surface_ == Surface::pixels && path.is_axis_aligned()) {
        const double pixels = std::max(1.0, std::round(width * scale_));
        Path crisp;
        const auto snap = [&](float place) {
            return static_cast<float>(snapped(static_cast<double>(place) * scale_, pixels) / scale_);
        };
        const Point* p = path.points().data();
        for (const Path::Verb verb : path.verbs()) {
            if (verb == Path::Verb::close) {
                crisp.close();
                continue;
            }
            const Point place{snap(p->x), snap(p->y)};
            verb == Path::Verb::move ? crisp.move_to(place) : crisp.line_to(place);
            ++p;
        }
        trace(crisp);
        width = pixels / scale_;
    } else {
        trace(path);
    }
    set_color(stroke.color);
    cairo_set_line_width(cairo_, width);
    if (stroke.dashed) {
        const double unit = std::max(1.0, width);
        const double dashes[] = {dash_on * unit, dash_off * unit};
        cairo_set_dash(cairo_, dashes, 2, 0);
        cairo_stroke(cairo_);
        cairo_set_dash(cairo_, nullptr, 0, 0);
    } else {
        cairo_stroke(cairo_);
    }
}

void CairoCanvas::fill_cells(std::span<const ColorCell> cells) {
    if (surface_ == Surface::pixels) {
        // Edges are rounded to whole pixels, the same way for both neighbours.
        cairo_save(cairo_);
        cairo_identity_matrix(cairo_);
        const auto edge = [&](float place) { return std::round(static_cast<double>(place) * scale_); };
        for (const ColorCell& cell : cells) {
            const double x = edge(cell.area.x);
            const double y = edge(cell.area.y);
            cairo_rectangle(cairo_, x, y, edge(cell.area.right()) - x, edge(cell.area.bottom()) - y);
            set_color(cell.color);
            cairo_fill(cairo_);
        }
        cairo_restore(cairo_);
        return;
    }
    float right = 0;
    float bottom = 0;
    for (const ColorCell& cell : cells) {
        right = std::max(right, cell.area.right());
        bottom = std::max(bottom, cell.area.bottom());
    }
    for (const ColorCell& cell : cells) {
        const float overlap = cell.color.a == 255 ? page_overlap : 0;
        const Rect& area = cell.area;
        cairo_rectangle(cairo_, area.x, area.y, std::min(area.w + overlap, right - area.x),
                        std::min(area.h + overlap, bottom - area.y));
        set_color(cell.color);
        cairo_fill(cairo_);
    }
}

void CairoCanvas::image(Rect area, const Pixels& pixels) {
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, pixels.width, pixels.height);
    if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
        unsigned char* data = cairo_image_surface_get_data(surface);
        const int stride = cairo_image_surface_get_stride(surface);
        for (int y = 0; y < pixels.height; ++y) {
            auto* row = reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
            for (int x = 0; x < pixels.width; ++x) row[x] = premultiplied(pixels.at(x, y));
        }
        cairo_surface_mark_dirty(surface);
        cairo_save(cairo_);
        cairo_translate(cairo_, area.x, area.y);
        cairo_scale(cairo_, static_cast<double>(area.w) / pixels.width, static_cast<double>(area.h) / pixels.height);
        cairo_set_source_surface(cairo_, surface, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
        cairo_paint(cairo_);
        cairo_restore(cairo_);
    }
    cairo_surface_destroy(surface);
}

void CairoCanvas::gradient(Rect area, const ColorTable& table, bool horizontal) {
    cairo_pattern_t* pattern = horizontal ? cairo_pattern_create_linear(area.x, 0, area.right(), 0)
                                          : cairo_pattern_create_linear(0, area.bottom(), 0, area.y);
    for (const int stop : gradient_stops(table)) {
        const Color color = table[static_cast<std::size_t>(stop)];
        cairo_pattern_add_color_stop_rgb(pattern, stop / (color_table_size - 1.0), color.r / 255.0, color.g / 255.0,
                                         color.b / 255.0);
    }
    cairo_set_antialias(cairo_, surface_ == Surface::pixels ? CAIRO_ANTIALIAS_NONE : CAIRO_ANTIALIAS_DEFAULT);
    cairo_rectangle(cairo_, area.x, area.y, area.w, area.h);
    cairo_set_source(cairo_, pattern);
    cairo_fill(cairo_);
    cairo_pattern_destroy(pattern);
}

void CairoCanvas::text(const PlacedText& text) {
    double width = 0;
    for (const TextRun& run : text.runs)
        width += static_cast<double>(set_line(run.text, text.style.size * run.scale, text.style.font).width);
    double x = text.align == AlignX::left ? 0 : text.align == AlignX::center ? -width / 2 : -width;

    cairo_save(cairo_);
    cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_DEFAULT);
    cairo_translate(cairo_, text.at.x, text.at.y);
    cairo_rotate(cairo_, -static_cast<double>(text.angle) * std::numbers::pi / 180);
    set_color(text.style.color);
    for (const TextRun& run : text.runs) {
        const TextLine line = set_line(run.text, text.style.size * run.scale, text.style.font);
        cairo_move_to(cairo_, x, static_cast<double>(text.baseline - run.rise * text.style.size));
        if (surface_ == Surface::page && line.in_colour) {
            show_line_with_pictures(cairo_, line.line);
        } else if (surface_ == Surface::page || line.in_colour) {
            pango_cairo_show_layout_line(cairo_, line.line);
        } else {
            // Cairo puts drawn glyphs on whole pixels, which spaces small text unevenly; outlines go where they belong.
            pango_cairo_layout_line_path(cairo_, line.line);
            cairo_fill(cairo_);
        }
        x += static_cast<double>(line.width);
    }
    cairo_restore(cairo_);
    cairo_new_path(cairo_);
}

void CairoCanvas::push_clip(const Path& path) {
    cairo_save(cairo_);
    cairo_set_antialias(
        cairo_, surface_ == Surface::pixels && path.is_axis_aligned() ? CAIRO_ANTIALIAS_NONE : CAIRO_ANTIALIAS_DEFAULT);
    trace(path);
    cairo_clip(cairo_);
}

void CairoCanvas::pop_clip() { cairo_restore(cairo_); }

Canvas::ImageSize CairoCanvas::finest_image(Rect area) const {
    if (surface_ == Surface::page) return {finest_page_image, finest_page_image};
    const auto pixels = [&](float length) {
        return std::max<Index>(1, static_cast<Index>(std::floor(static_cast<double>(length) * scale_ + 1e-3)));
    };
    return {pixels(area.w), pixels(area.h)};
}

}  // namespace heed::app
