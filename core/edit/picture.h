// Showing a picture: its patches become the tokens, and the grid, the tokens and the masks stay with each other.
#pragma once

#include "core/model.h"
#include "core/model/picture.h"

namespace heed {

// After a change of the picture. Where there was none its patches take the tokens' place, as self-attention over embeddings; where
// the grid is another one the new patches take the place of the old, and words among the tokens stay in front of them. Rows that
// were drawn for patches are drawn for what these are now; a picture that is gone leaves its patches' names as words.
void follow_picture(const Model& before, Model& after);

// The grid that fits the picture, with patches as nearly square as can be, and about this many of them.
void fit_grid(Picture& picture, int wanted);

// Each of these is one edit: the picture, and all that follows it. Numbers are brought within their bounds.
void show_picture(Model& model, Picture picture);  // with the balance of the one before
// The same for a picture that somebody wants to see: what hides tokens of a row of words (every mask but the window in two
// dimensions) is switched off in all layers. True where something was on.
bool open_picture(Model& model, Picture picture);
void set_patch_grid(Model& model, int columns, int rows);
void set_place_share(Model& model, float share);
void remove_picture(Model& model);

// A new scene's layer of this picture.
Model picture_model(Picture picture);

// The pixels of the patches change places: patch `order[i]` is then seen where patch i was (row by row). The grid and the places stay.
Picture shuffled_patches(const Picture& picture, const std::vector<int>& order);

}  // namespace heed
