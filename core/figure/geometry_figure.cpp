// Geometry: queries, keys and values as arrows in planes; what a dot product sees, and where the output can be.
#include "core/display/geometry_display.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/page.h"

#include <algorithm>

namespace heed {

namespace {

constexpr float gap = 24;
constexpr float smallest_plane = 190;  // px: below, the bars give their room to the planes

// The planes and, where there is room, the bars below or beside them.
struct Layout {
    Rect keys, values, bars, scores;  // empty where there is no room
};

// Narrow lines are more of them.
int note_lines(float width) { return width < 430 ? 5 : 3; }

float plane_height(const FigureContext& context, const Rect& room) {
    return room.h - context.options.text_size * 1.7F - notes_height(context, note_lines(room.w));
}

Layout below(const FigureContext& context, Rect page) {
    const float w = (page.w - gap) / 2;
    const float foot = std::max(weight_bars_height(context), score_rows_height(context));
    const float h = std::max(1.0F, page.h - foot - gap * 0.75F);
    const float y = page.bottom() - foot;
    return {
        {page.x, page.y, w, h}, {page.x + w + gap, page.y, w, h}, {page.x, y, w, foot}, {page.x + w + gap, y, w, foot}};
}

Layout beside(const FigureContext& context, Rect page) {
    const float column = std::clamp(page.w * 0.28F, 210.0F, 340.0F);
    const float w = std::max(1.0F, (page.w - column - 2 * gap) / 2);
    const float x = page.right() - column;
    const float bars = weight_bars_height(context);
    const float scores = score_rows_height(context);
    const bool both = bars + scores + gap <= page.h;
    return {{page.x, page.y, w, page.h},
            {page.x + w + gap, page.y, w, page.h},
            {x, page.y, column, bars},
            both ? Rect{x, page.y + bars + gap, column, scores} : Rect{}};
}

Layout alone(Rect page) {
    const float w = (page.w - gap) / 2;
    return {{page.x, page.y, w, page.h}, {page.x + w + gap, page.y, w, page.h}, {}, {}};
}

Layout layout_of(const FigureContext& context, Rect page) {
    const auto side = [&](const Layout& layout) { return std::min(layout.keys.w, plane_height(context, layout.keys)); };
    const Layout low = below(context, page);
    const Layout right = beside(context, page);
    const bool fits_right = right.bars.h <= page.h;
    const Layout& best = fits_right && side(right) > side(low) ? right : low;
    return side(best) >= smallest_plane ? best : alone(page);
}

}  // namespace

Figure geometry_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const Rect page = add_page(figure, context, 20);
    if (context.display.geometry->panel == GeometryPanel::projections) {
        add_projections(figure, context, page);
        return figure;
    }
    const GeometryRow row = geometry_row(context);
    const Layout layout = layout_of(context, page);
    add_key_plane(figure, context, row, layout.keys, note_lines(layout.keys.w));
    add_value_plane(figure, context, row, layout.values, note_lines(layout.values.w));
    if (layout.bars.h > 0) add_weight_bars(figure, context, row, layout.bars);
    if (layout.scores.h > 0) add_score_rows(figure, context, row, layout.scores);
    return figure;
}

}  // namespace heed
