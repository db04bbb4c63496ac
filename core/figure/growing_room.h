// A page that needs more height than its window has is made higher, and scrolled; paper keeps the size it was given.
#pragma once

#include "core/figure/context.h"

namespace heed {

// The room, at least so high where there is a window to scroll in. What lies below it moves down with the figure's end.
inline Rect room_of_at_least(Figure& figure, const FigureContext& context, Rect room, float height) {
    if (context.on_paper || room.h >= height) return room;
    figure.height += height - room.h;
    room.h = height;
    return room;
}

}  // namespace heed
