// The picture as cells, as it is and with attention laid over it. Every cell lies in one patch, so that grid, overlay and what answers
// to the mouse agree to the pixel.
#pragma once

#include "core/display/picture_display.h"
#include "core/figure/context.h"
#include "core/picture/patch_tokens.h"

#include <memory>
#include <vector>

namespace heed {

struct PatchCells {
    int across = 1, down = 1;  // cells of each patch
    friend bool operator==(const PatchCells&, const PatchCells&) = default;
};
// As many as the area can show and the picture has.
PatchCells cells_for(const FigureContext& context, Rect area);

// A colour for every cell: rows · down × columns · across.
struct PictureCells {
    MatrixView values;  // the weight of the cell's patch; 0 where nothing is laid over it
    MaskView visible;
    std::shared_ptr<const std::vector<Color>> colors;
    std::size_t bytes() const { return values.bytes() + visible.bytes() + colors->size() * sizeof(Color); }
};

struct OverlayLook {
    PictureOverlay overlay = PictureOverlay::light;
    std::string map;  // of weights, for PictureOverlay::map
    Theme theme = Theme::light;
    friend bool operator==(const OverlayLook&, const OverlayLook&) = default;
};
OverlayLook overlay_look(const FigureContext& context);

// A cell's colour: how the overlay shows a patch at this place (0 … 1) of the scale.
Color overlay_color(const OverlayLook& look, Color pixel, float place);

// Largest |weight| on a patch that is seen, by which a scale is made; 1 where there is none.
float largest_weight(const PatchAttention& attention);
ColorScale overlay_scale(const FigureContext& context, float largest);

PictureCells plain_cells(const FigureContext& context, const PatchTokens& tokens, PatchCells cells);
PictureCells overlaid_cells(const FigureContext& context, const PatchAttention& attention, const PatchTokens& tokens,
                            const ColorScale& scale, PatchCells cells);

}  // namespace heed
