// A permutation of tokens as a value: who stands where, its matrix, its sign and its cycles.
//
// order[i] is the token that stands at place i afterwards, so the matrix P has a one at (i, order[i]) and row i of P·X is row
// order[i] of X.
#pragma once

#include "core/matrix.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class Permutation {
public:
    Permutation() = default;
    explicit Permutation(int n);                   // nothing moves
    explicit Permutation(std::vector<int> order);  // must hold each of 0 … n − 1 once

    int size() const { return static_cast<int>(order_.size()); }
    int operator[](int place) const { return order_[static_cast<std::size_t>(place)]; }
    const std::vector<int>& order() const { return order_; }
    bool is_identity() const;
    friend bool operator==(const Permutation&, const Permutation&) = default;

private:
    std::vector<int> order_;
};

Permutation inverse(const Permutation& p);
// The matrix product of both: first `second` moves the rows, then `first`.
Permutation composed(const Permutation& first, const Permutation& second);
Matrix permutation_matrix(const Permutation& p);
// +1 where an even number of swaps makes it, −1 where an odd one does: the determinant of its matrix.
int sign(const Permutation& p);
// Each longer than one, from its smallest place on: place c[0] takes token c[1], place c[1] takes token c[2], …
std::vector<std::vector<int>> cycles(const Permutation& p);
// "(1 3 2)(4 5)", counted from 1; after `most` cycles "…". Empty where nothing moves.
std::string cycle_text(const Permutation& p, int most = 1 << 20);
// How many pairs of tokens have changed their order: as many swaps of neighbours make it, and no fewer.
std::int64_t inversions(const Permutation& p);

// What a user does next, on top of what was done.
Permutation swapped(const Permutation& p, int place, int other);
Permutation cycled(const Permutation& p);  // everyone one place on, and the last to the front
Permutation reversed(const Permutation& p);
Permutation shuffled(const Permutation& p, std::uint64_t seed);
Permutation moved(const Permutation& p, int from, int to);  // out of one place and into another; those between close up

// The way from nothing to p in swaps of neighbours, walked as far as `share` of them.
Permutation partly(const Permutation& p, double share);

// As scene files hold it: "2 0 1", counted from 0, without the tokens at the end that stay. For another number of tokens those
// that are gone are left out, and new ones stand at the end.
std::string order_text(const Permutation& p);
Permutation order_from_text(std::string_view text, int n);
// Why a text is no order: empty where it is one for some number of tokens.
std::string wrong_order(std::string_view text);

}  // namespace heed
