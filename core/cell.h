#pragma once

namespace heed {

// A cell of the n_queries × n_keys grid.
struct Cell {
    int query = 0;
    int key = 0;
    friend bool operator==(const Cell&, const Cell&) = default;
};

}  // namespace heed
