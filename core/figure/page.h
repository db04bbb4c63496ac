// The page every picture is on: the scene's title above it and a caption of the settings below, where they are asked for, and
// a sentence where there is nothing to draw.
#pragma once

#include "core/figure/context.h"

#include <string>
#include <vector>

namespace heed {

// Title and caption, `margin` away from the edges; returns the room between them, which may be small but is never empty. The
// caption tells the scene's settings, and those of state A too where maps show the difference from it.
Rect add_page(Figure& figure, const FigureContext& context, float margin);
// With other sentences as its caption, each from a line of its own on.
Rect add_page(Figure& figure, const FigureContext& context, float margin, const std::vector<std::string>& caption);

// A figure of the context's size with nothing on it.
Figure empty_figure(const FigureContext& context);

// The empty state: a sentence in the middle of the room, wrapped to its width.
void add_sentence(Figure& figure, const FigureContext& context, Rect room, const std::string& sentence, Color color);

// Where a map has more cells than pixels one cell stands for several: a line in the margin says which.
void add_crowding_note(Figure& figure, const FigureContext& context);

// "d_k 16 · T 1 · Scaled dot product ÷ √16 · mask Causal · Softmax · seed 1"
std::string settings_caption(const FigureContext& context);
// Those of state A and of B, in a picture that shows both; B's alone where no A is kept.
std::vector<std::string> captions_of_states(const FigureContext& context);

}  // namespace heed
