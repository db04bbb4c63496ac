// Parts of the Picture page that stand by themselves: who asks, what all heads lay over the picture, the distance in words and
// the bar below the overlay.
#pragma once

#include "core/figure/picture_overlay.h"
#include "core/figure/saturation_panels.h"
#include "core/picture/picture.h"

#include <optional>
#include <string>
#include <vector>

namespace heed {

// The pinned query with the shown head.
struct PictureQuery {
    const PatchTokens& tokens;
    int query = 0;
    int head = 0;
    const std::optional<Patch>& patch() const { return tokens.query_patch[static_cast<std::size_t>(query)]; }
};
std::string query_words(const PanelPen& pen, const PictureQuery& asks);

// Of all heads: what the pinned query looks at, on which scale.
struct HeadOverlays {
    std::vector<PatchAttention> attention;
    std::vector<float> largest;
    std::vector<PictureCells> cells;
    std::vector<std::optional<double>> distance;  // of this query
    std::size_t bytes() const;
};
std::shared_ptr<const HeadOverlays> head_overlays(const FigureContext& context, const PictureQuery& asks,
                                                  PatchCells cells);

// A distance in patches; a dash where there is none.
std::string distance_number(const std::optional<double>& distance);

// How far away what the query looks at lies, large, and what that means; returns the room below.
Rect add_picture_verdict(const PanelPen& pen, const PictureQuery& asks, Rect page);

// From nothing to the largest weight, as the overlay shows it on a patch of the picture's mean colour; returns where the next
// line stands.
float add_overlay_bar(const PanelPen& pen, Rect bar, float largest, const PatchAttention& attention);

}  // namespace heed
