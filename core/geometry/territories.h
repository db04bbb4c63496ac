// Who would win, and by how much, were the query anywhere else in its plane.
#pragma once

#include "core/geometry/plane.h"
#include "core/geometry/query_row.h"

#include <cstdint>
#include <vector>

namespace heed {

// No key wins: nobody has a weight that is a number, or several have the largest.
inline constexpr int nobody = -1;
inline constexpr int tied_keys = -2;

struct Territories {
    Index rows = 0;
    Index cols = 0;
    std::vector<std::int32_t> winner;  // the key of the largest weight, nobody or tied_keys: rows · cols, from the top
    std::vector<float> weight;         // the largest

    std::size_t at(Index row, Index col) const { return static_cast<std::size_t>(row * cols + col); }
    std::size_t bytes() const { return winner.size() * 8; }
};

// The part of the plane that is looked at: x from −width to width, y from height to −height. What of the query lies outside
// the plane stays as it is.
struct Outlook {
    double width = 1;
    double height = 1;
    friend bool operator==(const Outlook&, const Outlook&) = default;
};

Territories territories(const QueryRow& row, const Plane& plane, const Outlook& outlook, Index rows, Index cols);

// The same for one place.
struct PlaceWinner {
    int key = nobody;  // or tied_keys
    double weight = 0;
    double lead = 0;
};
PlaceWinner winner_at(const QueryRow& row, const Plane& plane, PlanePoint at);

// About how long one place takes, in nanoseconds: decides how finely the plane is looked at.
double nanoseconds_of_a_place(const QueryRow& row);

}  // namespace heed
