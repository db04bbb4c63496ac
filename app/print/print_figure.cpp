#include "app/print/print_figure.h"

#include "app/print/cairo_canvas.h"
#include "app/print/draw_figure.h"
#include "app/print/svg_canvas.h"
#include "core/language.h"

#include <cairo-pdf.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace heed::app {
namespace {

using Format = PrintOptions::Format;
using Background = PrintOptions::Background;

struct CloseCairo {
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using OwnedCairo = std::unique_ptr<cairo_t, CloseCairo>;
using OwnedSurface = std::unique_ptr<cairo_surface_t, CloseCairo>;

std::string digits(double value) {
    return std::abs(value) < 1e9 ? decimal(value, value == std::round(value) ? 0 : 2) : compact(value);
}

std::optional<Error> check_figure(const Figure& figure) {
    const bool has_size =
        figure.width > 0 && figure.height > 0 && std::isfinite(figure.width) && std::isfinite(figure.height);
    if (has_size) return std::nullopt;
    return Error{fill("The picture cannot be made: its size would be {0} × {1}.",
                      {digits(static_cast<double>(figure.width)), digits(static_cast<double>(figure.height))})};
}

void draw(Canvas& canvas, const Figure& figure, Background background) {
    if (background != Background::transparent) {
        Path paper;
        // A pixel more than the figure: rounding the size can leave a sliver at the edge.
        paper.add_rect({0, 0, figure.width + 1, figure.height + 1});
        canvas.fill(paper, background == Background::white ? hex(0xffffff) : palette(figure.theme).panel);
    }
    draw_figure(canvas, figure);
}

// Cairo's premultiplied 0xAARRGGBB → RGBA.
void unpack_row(const std::uint32_t* from, int width, std::uint8_t* to) {
    for (int x = 0; x < width; ++x, to += 4) {
        const std::uint32_t pixel = from[x];
        const std::uint32_t alpha = pixel >> 24U;
        const auto channel = [&](std::uint32_t shift) {
            const std::uint32_t value = (pixel >> shift) & 0xFFU;
            if (alpha == 255U || alpha == 0U) return static_cast<std::uint8_t>(value);
            return static_cast<std::uint8_t>(std::min(255U, (value * 255U + alpha / 2U) / alpha));
        };
        to[0] = channel(16U);
        to[1] = channel(8U);
        to[2] = channel(0U);
        to[3] = static_cast<std::uint8_t>(alpha);
    }
}

double page_points(const Figure& figure, const PrintOptions& options) {
    return options.width_points > 0 ? options.width_points : static_cast<double>(figure.width) * 0.75;
}

std::optional<Error> check_page(const Figure& figure, double points) {
    const double height = points * static_cast<double>(figure.height) / static_cast<double>(figure.width);
    if (points <= largest_page_points && height <= largest_page_points) return std::nullopt;
    return Error{fill("A page of {0} × {1} points is too large: at most {2} points (200 inches) a side.",
                      {digits(points), digits(height), digits(largest_page_points)})};
}

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int size) {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
    return CAIRO_STATUS_SUCCESS;
}

Result<std::string> print_pdf(const Figure& figure, const PrintOptions& options, double points) {
    const double scale = points / static_cast<double>(figure.width);
    std::string bytes;
    {
        const OwnedSurface surface(cairo_pdf_surface_create_for_stream(append_bytes, &bytes, points,
                                                                       scale * static_cast<double>(figure.height)));
        // The same bytes every time: no date of today.
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "Heed");
        const OwnedCairo cairo(cairo_create(surface.get()));
        CairoCanvas canvas(cairo.get(), Surface::page, scale);
        draw(canvas, figure, options.background);
        cairo_show_page(cairo.get());
        cairo_surface_finish(surface.get());
        const cairo_status_t status = cairo_surface_status(surface.get());
        if (status != CAIRO_STATUS_SUCCESS)
            return Error{fill("The PDF could not be made: {0}.", {cairo_status_to_string(status)})};
    }
    return bytes;
}

}  // namespace

Result<Pixels> print_pixels(const Figure& figure, const PrintOptions& options) {
    if (const auto error = check_figure(figure)) return *error;
    const double width = std::round(static_cast<double>(figure.width) * options.pixels_per_unit);
    const double height = std::round(static_cast<double>(figure.height) * options.pixels_per_unit);
    if (!(width >= 1 && height >= 1))
        return Error{fill("A picture of {0} × {1} pixels is too small: at least 1 pixel a side.",
                          {digits(width), digits(height)})};
    if (width > largest_side || height > largest_side)
        return Error{fill("A picture of {0} × {1} pixels is too large: at most {2} pixels a side.",
                          {digits(width), digits(height), digits(largest_side)})};

    Pixels pixels{static_cast<int>(width), static_cast<int>(height), {}};
    const OwnedSurface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, pixels.width, pixels.height));
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
        return Error{
            fill("There is not enough memory for a picture of {0} × {1} pixels.", {digits(width), digits(height)})};
    {
        const OwnedCairo cairo(cairo_create(surface.get()));
        CairoCanvas canvas(cairo.get(), Surface::pixels, options.pixels_per_unit);
        draw(canvas, figure, options.background);
    }
    cairo_surface_flush(surface.get());
    const unsigned char* data = cairo_image_surface_get_data(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    pixels.rgba.resize(static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height) * 4);
    for (int y = 0; y < pixels.height; ++y)
        unpack_row(reinterpret_cast<const std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride), pixels.width,
                   pixels.rgba.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) * 4);
    return pixels;
}

Result<std::string> print_pages(const std::vector<Page>& pages, float width, float height, const std::string& title) {
    constexpr double points = 0.75;  // of a logical pixel
    std::string bytes;
    {
        const OwnedSurface surface(cairo_pdf_surface_create_for_stream(
            append_bytes, &bytes, points * static_cast<double>(width), points * static_cast<double>(height)));
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "Heed");
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, clean_text(title).c_str());
        const OwnedCairo cairo(cairo_create(surface.get()));
        for (const Page& page : pages) {
            for (const PlacedFigure& placed : page.figures) {
                cairo_save(cairo.get());
                cairo_translate(cairo.get(), points * static_cast<double>(placed.at.x),
                                points * static_cast<double>(placed.at.y));
                CairoCanvas canvas(cairo.get(), Surface::page, points * static_cast<double>(placed.scale));
                draw_figure(canvas, placed.figure);
                cairo_restore(cairo.get());
            }
            cairo_show_page(cairo.get());
        }
        cairo_surface_finish(surface.get());
        const cairo_status_t status = cairo_surface_status(surface.get());
        if (status != CAIRO_STATUS_SUCCESS)
            return Error{fill("The PDF could not be made: {0}.", {cairo_status_to_string(status)})};
    }
    return bytes;
}

Result<std::string> print_figure(const Figure& figure, const PrintOptions& options) {
    if (const auto error = check_figure(figure)) return *error;
    if (options.format == Format::png) {
        const Result<Pixels> pixels = print_pixels(figure, options);
        if (!pixels) return Error{pixels.error()};
        return encode_png(pixels->width, pixels->height, pixels->rgba, options.dpi,
                          options.background == Background::transparent);
    }
    const double points = page_points(figure, options);
    if (const auto error = check_page(figure, points)) return *error;
    if (options.format == Format::pdf) return print_pdf(figure, options, points);
    SvgCanvas canvas(static_cast<double>(figure.width), static_cast<double>(figure.height), points);
    draw(canvas, figure, options.background);
    return canvas.document();
}

}  // namespace heed::app
