// Heads that do something by design: W_Q and W_K written down over position and content, not learned.
//
// Positions enter as cosine and sine of a few frequencies, so that q·k = Σ cos ω(i + offset − j) is largest where the key
// stands `offset` away; content enters as one number for each different token.
#pragma once

#include "core/model.h"

#include <span>
#include <string_view>

namespace heed {

struct HeadPreset {
    std::string_view id;
    std::string_view name;       // English, through tr()
    std::string_view how;        // one sentence, English, through tr()
    std::string_view archetype;  // the label it earns, an id of archetypes()
};
std::span<const HeadPreset> head_presets();

// Why no head can be added by design, in a sentence (English, through tr()); empty where one can.
std::string_view why_no_preset_head(const Model& model);

// Adds a head to the model and returns its number; where there is no room for one nothing changes and it is the last head.
// Key/value heads are made one per head. With a projected source the features are added to the embeddings as further columns, where no
// other head looks, and W_Q, W_K select them; with a direct source Q and K take the products themselves. What a position
// adds or turns on the way to the score is taken back beforehand. A bias or painted mask of each head is empty for this
// one.
int add_preset_head(Model& model, std::string_view preset);

// Overwrites one head with a preset.
void set_preset_head(Model& model, int head, std::string_view preset);

}  // namespace heed
