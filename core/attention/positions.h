// How positions enter: by adding to the embeddings, by turning q and k, or by a bias on the scores. A row fills in the
// hooks it uses and leaves the others null.
#pragma once

#include "core/matrix.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace heed {

struct PositionEncoding {
    std::string_view id;    // in files and on the command line: never renamed
    std::string_view name;  // English, through tr()
    std::string_view formula;
    // Adds the encoding of positions first, first + 1, … to the rows of x (n × d).
    void (*add)(MatrixRef x, int first_position, std::uint64_t seed);
    // Turns the rows of q or k (n × d_k), which stand at positions first, first + 1, …; direction −1 turns back,
    // which is what a gradient needs.
    void (*turn)(MatrixRef x, int first_position, int direction);
    // The bias on the score of a query at position i for a key at position j, in this head.
    float (*bias)(int query_position, int key_position, int head, int n_heads);
};

std::span<const PositionEncoding> position_encodings();
const PositionEncoding& position_encoding(std::string_view id);  // id must be a row's

}  // namespace heed
