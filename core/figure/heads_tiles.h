// The small multiples of Heads: every head's weights, what it does in words or in tiny bars, its switch and its gain.
#pragma once

#include "core/figure/context.h"

namespace heed {

// Draws them from the top left corner of the room, no map larger than `largest_map`; returns the width used.
float add_head_tiles(Figure& figure, const FigureContext& context, Rect room, float largest_map);

// The switch and the gain of one head on a line, with their targets; on paper what they are set to.
void add_head_setting(Figure& figure, const FigureContext& context, int head, Rect area);
// Paper tells of gains only where one is not the usual.
bool tells_head_settings(const FigureContext& context);
bool has_changed_heads(const Model& model);

// "entropy 1.27 bits · mean distance 1.4 · mean largest weight 0.60"
std::string head_statistics_words(const FigureContext& context, int head);

}  // namespace heed
