// A canvas that writes SVG as text, so that words stay words: Cairo's own SVG surface turns them into outlines.
#pragma once

#include "app/print/canvas.h"

#include <map>
#include <string>

namespace heed::app {

class SvgCanvas : public Canvas {
public:
    // The picture is width × height logical pixels and `points` (1/72 inch) wide.
    SvgCanvas(double width, double height, double points);

    void fill(const Path& path, Color color) override;
    void stroke(const Path& path, const Stroke& stroke) override;
    void fill_cells(std::span<const ColorCell> cells) override;
    void image(Rect area, const Pixels& pixels) override;
    void gradient(Rect area, const ColorTable& table, bool horizontal) override;
    void text(const PlacedText& text) override;
    void push_clip(const Path& path) override;
    void pop_clip() override;
    ImageSize finest_image(Rect area) const override;

    std::string document() const;

private:
    std::string out_;
    int clips_ = 0;                                 // names are counted, so that equal figures give equal bytes
    std::map<std::string, std::string> gradients_;  // stops → name
};

}  // namespace heed::app
