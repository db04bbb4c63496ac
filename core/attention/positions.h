// How positions enter: by adding to the embeddings, by turning q and k, or by a bias on the scores. A row fills in the
// hooks it uses and leaves the others null.
#pragma once

#include "core/matrix.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace heed {

struct PositionEncoding {
    std::string_view id;          // in files and on the command line: never renamed
    std::string_view name;        // English, through tr()
    std::string_view short_name;  // the same where room is short
    std::string_view formula;
    // Adds the encoding of positions first, first + 1, … to the rows of x (n × d).
    void (*add)(MatrixRef x, int first_position, std::uint64_t seed) = nullptr;
    // Turns the rows of q or k (n × d_k), which stand at positions first, first + 1, …; direction −1 turns back,
    // which is what a gradient needs.
    void (*turn)(MatrixRef x, int first_position, int direction) = nullptr;
    // The bias on the score of a query at position i for a key at position j, in this head.
    float (*bias)(int query_position, int key_position, int head, int n_heads) = nullptr;
    // Radians per position of the pair of components (2t, 2t + 1) among d, where pairs turn like the hands of a clock.
    double (*frequency)(Index t, Index d) = nullptr;
    // What the bias takes off for each place between query and key, where that is a straight line.
    float (*slope)(int head, int n_heads) = nullptr;
    // Lines of Python, the same for NumPy and PyTorch, that define the hooks in use: encode(position, d) for add,
    // turn(x, position) for turn, position_bias(i, j) for bias, where i (n × 1) and j (1 × m) are positions. A table
    // that is added and has no formula leaves this empty, and its numbers are written out.
    std::string_view python = {};
    std::string_view latex = {};  // what a bias adds to the score, in i and j

    bool uses_places() const { return add != nullptr || turn != nullptr || bias != nullptr; }
};

std::span<const PositionEncoding> position_encodings();
const PositionEncoding& position_encoding(std::string_view id);  // id must be a row's

}  // namespace heed
