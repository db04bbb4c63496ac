#include "app/print/svg_canvas.h"

#include "app/print/print_text.h"
#include "core/figure/mark_look.h"
#include "core/files/shown.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace heed::app {
namespace {

constexpr Index finest_svg_image = 1024;

// Thousandths of a pixel, without trailing zeros and without "-0".
std::string number(double value) {
    if (!std::isfinite(value)) return "0";
    char text[64];
    auto* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 3).ptr;
    std::string short_text(text, end);
    short_text.erase(short_text.find_last_not_of('0') + 1);
    if (short_text.back() == '.') short_text.pop_back();
    return short_text == "-0" ? "0" : short_text;
}

std::string attribute(std::string_view name, std::string_view value) {
    std::string text;
    text.reserve(name.size() + value.size() + 4);
    text += ' ';
    text += name;
    text += "=\"";
    text += value;
    text += '"';
    return text;
}

std::string attribute(std::string_view name, double value) { return attribute(name, number(value)); }

// Control characters may not stand in XML at all, not even as references.
std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : shown(text, std::numeric_limits<std::size_t>::max())) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

std::string hex_color(Color color) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text = "#";
    for (const int channel : {color.r, color.g, color.b}) {
        text += digits[channel >> 4];
        text += digits[channel & 15];
    }
    return text;
}

// A colour as "fill" or "stroke", with its opacity where it has one.
std::string paint(std::string_view name, Color color) {
    std::string text = attribute(name, hex_color(color));
    if (color.a != 255) text += attribute(std::string(name) + "-opacity", color.a / 255.0);
    return text;
}

std::string place(Point p) { return number(static_cast<double>(p.x)) + " " + number(static_cast<double>(p.y)); }

std::string rect_attributes(Rect rect) {
    return attribute("x", static_cast<double>(rect.x)) + attribute("y", static_cast<double>(rect.y)) +
           attribute("width", static_cast<double>(rect.w)) + attribute("height", static_cast<double>(rect.h));
}

std::string path_data(const Path& path) {
    std::string data;
    const Point* p = path.points().data();
    for (const Path::Verb verb : path.verbs()) {
        switch (verb) {
            case Path::Verb::move:
                data += "M" + place(*p), ++p;
                break;
            case Path::Verb::line:
                data += "L" + place(*p), ++p;
                break;
            case Path::Verb::cubic:
                data += "C" + place(p[0]) + " " + place(p[1]) + " " + place(p[2]), p += 3;
                break;
            case Path::Verb::close:
                data += "Z";
                break;
        }
    }
    return data;
}

std::string base64(std::string_view bytes) {
    gchar* encoded = g_base64_encode(reinterpret_cast<const guchar*>(bytes.data()), bytes.size());
    std::string text(encoded);
    g_free(encoded);
    return text;
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, double points) {
    out_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\""
        " xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
    out_ += attribute("width", number(points) + "pt") + attribute("height", number(points * height / width) + "pt");
    out_ += attribute("viewBox", "0 0 " + number(width) + " " + number(height));
    out_ += attribute("font-family", font_families(Font::words)) + ">\n";
}

void SvgCanvas::fill(const Path& path, Color color) {
    out_ += "<path" + attribute("d", path_data(path)) + paint("fill", color) + "/>\n";
}

void SvgCanvas::stroke(const Path& path, const Stroke& stroke) {
    out_ += "<path" + attribute("d", path_data(path)) + attribute("fill", "none") + paint("stroke", stroke.color) +
            attribute("stroke-width", static_cast<double>(stroke.width)) + attribute("stroke-linejoin", "round");
    if (stroke.dashed) {
        const double unit = std::max(1.0, static_cast<double>(stroke.width));
        out_ += attribute("stroke-dasharray", number(dash_on * unit) + " " + number(dash_off * unit));
    }
    out_ += "/>\n";
}

void SvgCanvas::fill_cells(std::span<const ColorCell> cells) {
    out_ += "<g shape-rendering=\"crispEdges\">\n";
    for (const ColorCell& cell : cells)
        out_ += "<rect" + rect_attributes(cell.area) + paint("fill", cell.color) + "/>\n";
    out_ += "</g>\n";
}

void SvgCanvas::image(Rect area, const Pixels& pixels) {
    const bool has_alpha = [&] {
        for (std::size_t i = 3; i < pixels.rgba.size(); i += 4)
            if (pixels.rgba[i] != 255) return true;
        return false;
    }();
    const std::string data = base64(encode_png(pixels.width, pixels.height, pixels.rgba, 0, has_alpha));
    out_ += "<image" + rect_attributes(area) + attribute("preserveAspectRatio", "none") +
            attribute("image-rendering", "optimizeSpeed") + attribute("style", "image-rendering:pixelated") +
            attribute("xlink:href", "data:image/png;base64," + data) + "/>\n";
}

void SvgCanvas::gradient(Rect area, const ColorTable& table, bool horizontal) {
    std::string stops = horizontal ? " x1=\"0\" y1=\"0\" x2=\"1\" y2=\"0\">" : " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">";
    for (const int stop : gradient_stops(table))
        stops += "<stop" + attribute("offset", number(stop / (color_table_size - 1.0))) +
                 attribute("stop-color", hex_color(table[static_cast<std::size_t>(stop)])) + "/>";
    const auto [entry, is_new] = gradients_.try_emplace(stops, "map" + std::to_string(gradients_.size() + 1));
    if (is_new) out_ += "<linearGradient" + attribute("id", entry->second) + stops + "</linearGradient>\n";
    out_ += "<rect" + rect_attributes(area) + attribute("fill", "url(#" + entry->second + ")") + "/>\n";
}

void SvgCanvas::text(const PlacedText& text) {
    const auto x = static_cast<double>(text.at.x);
    const auto y = static_cast<double>(text.at.y);
    out_ += "<text" + attribute("x", x) + attribute("y", y + static_cast<double>(text.baseline)) +
            attribute("font-size", static_cast<double>(text.style.size)) + paint("fill", text.style.color);
    if (text.style.font == Font::mono)
        out_ += attribute("font-family", font_families(Font::mono)) + attribute("font-variant-ligatures", "none");
    if (text.style.font == Font::italic) out_ += attribute("font-style", "italic");
    if (font_weight(text.style.font) != 400)
        out_ += attribute("font-weight", std::to_string(font_weight(text.style.font)));
    if (text.align != AlignX::left) out_ += attribute("text-anchor", text.align == AlignX::center ? "middle" : "end");
    if (text.angle != 0)
        out_ += attribute("transform", "rotate(" + number(-static_cast<double>(text.angle)) + " " + number(x) + " " +
                                           number(y) + ")");
    out_ += " xml:space=\"preserve\">";
    float rise = 0;
    for (const TextRun& run : text.runs) {
        const float step = (rise - run.rise) * text.style.size;  // downwards from the run before
        rise = run.rise;
        if (step == 0 && run.scale == 1) {
            out_ += escaped(run.text);
            continue;
        }
        out_ += "<tspan";
        if (step != 0) out_ += attribute("dy", static_cast<double>(step));
        if (run.scale != 1) out_ += attribute("font-size", static_cast<double>(run.scale * text.style.size));
        out_ += ">" + escaped(run.text) + "</tspan>";
    }
    out_ += "</text>\n";
}

void SvgCanvas::push_clip(const Path& path) {
    const std::string name = "clip" + std::to_string(++clips_);
    out_ += "<clipPath" + attribute("id", name) + "><path" + attribute("d", path_data(path)) + "/></clipPath>\n<g" +
            attribute("clip-path", "url(#" + name + ")") + ">\n";
}

void SvgCanvas::pop_clip() { out_ += "</g>\n"; }

Canvas::ImageSize SvgCanvas::finest_image(Rect) const { return {finest_svg_image, finest_svg_image}; }

std::string SvgCanvas::document() const { return out_ + "</svg>\n"; }

}  // namespace heed::app
