// Edits of the matrices a model is made from: cells, blocks, and what a spreadsheet pastes.
//
// Every edit touches only the part in use and leaves a model that can be computed.
#pragma once

#include "core/result.h"
#include "core/model.h"

#include <span>
#include <string>
#include <string_view>

namespace heed {

// One of the grids that can be edited: an operand of one head, or the painted mask.
enum class Grid { q, k, v, x, y, w_q, w_k, w_v, w_o, additive_w_q, additive_w_k, additive_v, bias, painted_mask };

struct GridName {
    Grid grid;
    std::string_view id;       // "w_q"
    std::string_view symbol;   // rich text: "W_{Q}"
    std::string_view meaning;  // English, through tr()
};
std::span<const GridName> grid_names();
const GridName& grid_name(Grid grid);
// The grid with this id, or Q.
Grid grid_of(std::string_view id);

struct Block {
    Index row = 0;
    Index col = 0;
    Index rows = 1;
    Index cols = 1;
    friend bool operator==(const Block&, const Block&) = default;
};

// Which matrix stands for this head: its own, its key/value group's, or the one that serves all.
int grid_index(const Model& model, Grid grid, int head);
int grid_count(const Model& model, Grid grid);
Shape grid_shape(const Model& model, Grid grid);
Block whole_grid(const Model& model, Grid grid);
Block clamped(const Model& model, Grid grid, Block block);  // inside the grid, at least one cell

// A painted mask reads as 1 and 0.
float cell_value(const Model& model, Grid grid, int head, Index row, Index col);
Matrix block_values(const Model& model, Grid grid, int head, Block block);
// Of the part in use, infinities left out: where the colours of a grid end. Quick enough for every frame: beyond a
// million cells only some of the rows are looked at.
float largest_magnitude(const Model& model, Grid grid, int head);

// Whether a number may stand there: finite, or −∞ in a bias, which hides the cell.
bool is_allowed(Grid grid, float value);

// Whether this grid takes part in the computation now; where it does not, what would change that.
enum class Absence {
    none,
    source_is_direct,
    source_is_projected,
    self_attention,
    no_output_projection,
    score_not_additive,
    bias_off,
    paint_off
};
Absence absence(const Model& model, Grid grid);
// Switches on what is missing.
void take_part(Model& model, Grid grid);

// Value must be allowed. Editing a bias or a painted mask switches it on.
void set_block(Model& model, Grid grid, int head, Block block, float value);
void scale_block(Model& model, Grid grid, int head, Block block, float factor);
// Independent normal numbers; the painted mask becomes visible with probability one half.
void randomise_block(Model& model, Grid grid, int head, Block block, std::uint64_t seed, float deviation = 1.0F);
// Ones where row and column of the grid agree, zeros elsewhere in the block.
void identity_block(Model& model, Grid grid, int head, Block block);
// What the seed drew; a bias becomes zero and a mask open.
void seed_block(Model& model, Grid grid, int head, Block block);

// Puts values with their top left at (row, col); what lies outside is left out. Returns the block that was written, or a
// sentence naming the first number that may not stand there, and then nothing is changed.
Result<Block> paste_block(Model& model, Grid grid, int head, Index row, Index col, const Matrix& values);

// One bias or painted mask for all heads, or one for each, which starts as a copy.
bool is_per_head(const Model& model, Grid grid);
void set_per_head(Model& model, Grid grid, bool per_head, int kept_head);

}  // namespace heed
