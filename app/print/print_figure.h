// A figure on paper: PNG, SVG and PDF from one routine, the same bytes for the same figure every time.
//
// Needs no display. Files are written by the caller.
#pragma once

#include "app/png.h"
#include "app/print/print_text.h"
#include "core/figure/figure.h"
#include "core/result.h"
#include "core/typeset/pages.h"

#include <string>
#include <vector>

namespace heed::app {

struct PrintOptions {
    enum class Format { png, svg, pdf };
    enum class Background { theme, white, transparent };

    Format format = Format::png;
    Background background = Background::theme;
    double pixels_per_unit = 2;  // PNG: pixels for each logical pixel of the figure; the sizes are rounded
    double dpi = 144;            // PNG: written into the header
    double width_points =
        0;  // SVG and PDF: width of the page in 1/72 inch, the height follows; 0: 96 pixels are an inch
};

inline constexpr int largest_side = 16384;            // pixels
inline constexpr double largest_page_points = 14400;  // 200 inches: the most a PDF may have

// The bytes of the file.
Result<std::string> print_figure(const Figure& figure, const PrintOptions& options);

// A PDF of several pages, each of this size in logical pixels and all on white; 96 pixels are an inch.
Result<std::string> print_pages(const std::vector<Page>& pages, float width, float height, const std::string& title);

// The pixels of the PNG, for previews, the clipboard and animations.
Result<Pixels> print_pixels(const Figure& figure, const PrintOptions& options);

}  // namespace heed::app
