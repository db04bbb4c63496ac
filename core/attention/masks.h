// Which keys a query may see. One predicate and one row each; see MaskSettings for how they combine.
#pragma once

#include "core/model.h"

#include <span>
#include <string>
#include <string_view>

namespace heed {

enum class MaskKind {
    hides,  // a cell must satisfy every one that is on
    opens   // a cell must satisfy at least one of those that are on
};

struct Mask {
    std::string_view id;
    std::string_view name;  // English, through tr()
    std::string_view formula;
    MaskKind kind;
    bool (*is_on)(const MaskSettings&);
    // Switched on it keeps the numbers it has, or starts small.
    void (*set)(MaskSettings&, bool on, int n_keys);
    // Its numbers by the letters of the formula: "L = 2, R = ∞"; empty where it has none.
    std::string (*numbers)(const MaskSettings&);
    // The condition as Python, the same for NumPy and PyTorch, on positions i (n × 1) and j (1 × m) and their number m.
    std::string (*python)(const MaskSettings&);
    // query_position = query + offset; both may lie outside 0 … n_keys − 1.
    bool (*visible)(const MaskSettings&, int query_position, int key, int n_keys);
    // The same for a row of cells of 0 or 1, joined with what these hold as the kind says.
    void (*join_row)(const MaskSettings&, int query_position, std::span<std::uint8_t> cells);
    bool is_of_pictures = false;  // it means something where tokens stand in rows, as patches do
};

std::span<const Mask> masks();

// Visible cells of one head, n_queries × n_keys: the table's masks, the painted one, and −inf in the bias.
void visible_cells(const Model& model, int head, MaskMatrix& out);
MaskMatrix visible_cells(const Model& model, int head);

// Whether every head sees the same cells, so that one mask serves all.
bool mask_is_shared(const Model& model);

// One row of it, n_keys bytes of 0 or 1.
void visible_row(const Model& model, int head, int query, std::uint8_t* out);

struct RowBounds {
    std::int32_t first = 0;  // visible keys lie in [first, end); both 0 where there is none
    std::int32_t end = 0;
    std::int32_t count = 0;
    bool is_contiguous() const { return count == end - first; }
};

RowBounds row_bounds(std::span<const std::uint8_t> visible);

}  // namespace heed
