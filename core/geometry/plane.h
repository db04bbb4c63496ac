// A plane through the origin that many vectors are drawn in, and how much of them it holds.
//
// Up to two components there is nothing to choose: across is the first, up the second. Above that it is spanned by the two
// principal directions about the origin, since arrows begin there.
#pragma once

#include "core/matrix.h"

#include <optional>
#include <vector>

namespace heed {

struct PlanePoint {
    double x = 0;
    double y = 0;
    friend bool operator==(const PlanePoint&, const PlanePoint&) = default;
};

struct Plane {
    Eigen::VectorXd across, up;  // of length 1 and at right angles; up is zero where there is one component
    // Of the vectors' squared lengths that lies in it; nothing where they have none, or one that is not finite.
    std::optional<double> share = 1;

    Index d() const { return across.size(); }
    PlanePoint point(const float* vector) const;
    Eigen::VectorXd vector(PlanePoint point) const { return point.x * across + point.y * up; }
};

// Of the rows of all parts, which have equally many columns. Rows that are not finite take no part.
Plane principal_plane(const std::vector<ConstMatrixRef>& parts);

// The given directions made a plane: at right angles and of length 1; principal_plane() of the parts where they span none.
Plane plane_along(Eigen::VectorXd across, Eigen::VectorXd up, const std::vector<ConstMatrixRef>& parts);

}  // namespace heed
