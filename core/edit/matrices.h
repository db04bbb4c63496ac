// Edits of the matrices a model is made from: cells, blocks, and what a spreadsheet pastes.
//
// Every edit touches only the part in use and leaves a model that can be computed.
#pragma once

#include "core/operands.h"
#include "core/result.h"

#include <span>
#include <string>
#include <string_view>

namespace heed {

struct Block {
    Index row = 0;
    Index col = 0;
    Index rows = 1;
    Index cols = 1;
    friend bool operator==(const Block&, const Block&) = default;
};

Block whole_operand(const Model& model, Operand operand);
Block clamped(const Model& model, Operand operand, Block block);  // inside the grid, at least one cell

// A painted mask reads as 1 and 0.
float cell_value(const Model& model, Operand operand, int head, Index row, Index col);
Matrix block_values(const Model& model, Operand operand, int head, Block block);
// Of the part in use, infinities left out: where the colours of a grid end. Quick enough for every frame: beyond a
// million cells only some of the rows are looked at.
float largest_magnitude(const Model& model, Operand operand, int head);

// Whether a number may stand there: finite, or −∞ in a bias, which hides the cell.
bool is_allowed(Operand operand, float value);

// Whether it takes part in the computation now; where it does not, what would change that.
Absence absence(const Model& model, Operand operand);
// Switches on all that is missing, and leaves the matrices as they are: fit_matrices() comes next.
void switch_on(Model& model, Operand operand);
// Switches on what absence() says is missing.
void take_part(Model& model, Operand operand);

// Value must be allowed. Editing a bias or a painted mask switches it on.
void set_block(Model& model, Operand operand, int head, Block block, float value);
void scale_block(Model& model, Operand operand, int head, Block block, float factor);
// Independent normal numbers; the painted mask becomes visible with probability one half.
void randomise_block(Model& model, Operand operand, int head, Block block, std::uint64_t seed, float deviation = 1.0F);
// Ones where row and column of the grid agree, zeros elsewhere in the block.
void identity_block(Model& model, Operand operand, int head, Block block);
// What the seed drew; a bias becomes zero and a mask open.
void seed_block(Model& model, Operand operand, int head, Block block);

// Puts values with their top left at (row, col); what lies outside is left out. Returns the block that was written, or a
// sentence naming the first number that may not stand there, and then nothing is changed.
Result<Block> paste_block(Model& model, Operand operand, int head, Index row, Index col, const Matrix& values);

// One bias or painted mask for all heads, or one for each, which starts as a copy.
bool is_per_head(const Model& model, Operand operand);
void set_per_head(Model& model, Operand operand, bool per_head, int kept_head);

}  // namespace heed
