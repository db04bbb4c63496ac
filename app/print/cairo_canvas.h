// A canvas on a Cairo surface: pixels for PNG and previews, or a page of a PDF with real text.
#pragma once

#include "app/print/canvas.h"

#include <cairo.h>

namespace heed::app {

enum class Surface { pixels, page };

class CairoCanvas : public Canvas {
public:
    // scale: device units per logical pixel. The context must outlive the canvas.
    CairoCanvas(cairo_t* cairo, Surface surface, double scale);

    void fill(const Path& path, Color color) override;
    void stroke(const Path& path, const Stroke& stroke) override;
    void fill_cells(std::span<const ColorCell> cells) override;
    void image(Rect area, const Pixels& pixels) override;
    void gradient(Rect area, const ColorTable& table, bool horizontal) override;
    void text(const PlacedText& text) override;
    void push_clip(const Path& path) override;
    void pop_clip() override;
    ImageSize finest_image(Rect area) const override;

private:
    void trace(const Path& path) const;
    void set_color(Color color) const;

    cairo_t* cairo_;
    Surface surface_;
    double scale_;
};

}  // namespace heed::app
