// Convex hulls: around points of a plane, and whether a point of any space lies in one.
#pragma once

#include "core/geometry/plane.h"
#include "core/matrix.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

// The corners of the hull, counter-clockwise; two where all points lie on a line, one where they are one point.
std::vector<std::size_t> convex_hull(std::span<const PlanePoint> points);

// The point of the rows' hull that is nearest to `point`, by its distance (Wolfe 1976, in double).
struct NearestInHull {
    double distance = 0;
    Eigen::VectorXd towards;  // from `point` to it; its length is the distance
};
NearestInHull nearest_in_hull(const Eigen::VectorXd& point, ConstMatrixRef rows);

// Which rows lie strictly inside the hull of all of them: for every direction some other row goes further along it, unless all
// rows go equally far. All zero where the rows are one point, or a row is not finite.
std::vector<std::uint8_t> strictly_inside(ConstMatrixRef rows);

}  // namespace heed
