// The pages of the Block view, and what they share: each draws itself into the room it is given.
#pragma once

#include "core/display/block_display.h"
#include "core/figure/saturation_panels.h"
#include "core/figure/stream_reading.h"
#include "core/transformer/block_reading.h"

#include <memory>
#include <string>

namespace heed {

void add_block_stream(const PanelPen& pen, const Around& around, Rect room);
void add_stream_rows(const PanelPen& pen, const TransformerConfig& config, const StreamReading& reading, int token,
                     Rect room);
void add_block_position(const PanelPen& pen, const std::shared_ptr<const Around>& around, Rect room);
// null: there is no stream in the scene, and only what was measured over seeds is shown.
void add_block_depth(const PanelPen& pen, const Around* around, Rect room);

// The layers around the scene's attention; of attention alone, what it reads and writes. Null where there is no stream: Q, K
// and V are typed in, or the heads are not joined.
std::shared_ptr<const Around> stream_of(const FigureContext& context);
bool is_alone(const Around& around);

// "x ← x + Attention(LN(x))", a line for each part, as the layers have it.
std::vector<std::string> block_formulas(const TransformerConfig& config);

// The number that matters with what it means beside it, in a quiet box; returns the room below.
struct Headline {
    std::string number;
    std::string what;      // under the number, small
    std::string bold;      // what it means
    std::string sentence;  // and why, dim
    Color color;
};
Rect add_headline(const PanelPen& pen, const Headline& headline, Rect room);

// The token that is followed; −1: all.
int followed_token(const FigureContext& context);
std::string as_percent(double share);

}  // namespace heed
