// Where the maps of the Pipeline stand: rows of panels with operators between them, in the room there is.
//
// Tokens take the same length along every side of every map (the cell); components share what is left. Where room runs
// out, what stands around the maps gives way before the maps do.
#pragma once

#include "core/figure/stage_panel.h"

#include <optional>
#include <string>
#include <vector>

namespace heed {

inline constexpr float usual_operator_width = 26;

// A panel or, where its stage is folded, a chip that unfolds it; with the operator that stands before it.
struct PipelineSlot {
    StagePanel panel;
    bool is_weights = false;  // the axis words stand under it
    bool is_folded = false;
    bool row_labels = false;  // wanted, where there is room
    bool column_labels = false;
    std::string before;  // rich text: "·", "=", "→"
    float operator_width = usual_operator_width;
    std::string short_note;           // whose part of W it is, where the note is too long
    bool follows_embeddings = false;  // what stands before it is not in its row
    float chip_width = 0;             // where it is folded
};
using PipelineRow = std::vector<PipelineSlot>;

struct PlacedSlot {
    const PipelineSlot* slot = nullptr;
    Rect area;  // of the cells, or of the chip
    bool has_operator = false;
    Point operator_at;  // its middle
    PanelDress dress;
};

struct PlacedPipeline {
    std::vector<PlacedSlot> slots;
    Point axis_words;
    float left = 0, width = 0;  // of all rows together
    float cell = 0;             // the height of one
    bool has_numbers = false;   // in every cell of the scores and weights
};

// The room is context.width × context.height without `head` above and `foot` below. Nothing where it is too small for
// any map to be read.
std::optional<PlacedPipeline> place_pipeline(const FigureContext& context, const PipelineRow& stages, float head,
                                             float foot);

}  // namespace heed
