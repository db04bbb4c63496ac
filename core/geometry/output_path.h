// The output of a query in the plane of the values: where it is, whether it stays in their hull, and where the temperature
// takes it.
#pragma once

#include "core/geometry/plane.h"
#include "core/geometry/query_row.h"

#include <vector>

namespace heed {

struct OutputPath {
    Matrix outputs;                   // one row for each temperature, d_v wide; empty where it stays or is not known
    std::vector<float> temperatures;  // rising from 0
    std::vector<float> weights;       // at T = 0, the first row
    bool stays = false;               // no temperature moves the output
};
// From T = 0 to a temperature at which the scores no longer matter. The row sees a key.
OutputPath output_path(const QueryRow& row, ConstMatrixRef values);

// Where the output goes as the temperature rises: to the mean of the visible values, to what the bias alone makes of them, or
// elsewhere.
enum class HotEnd { centroid, bias, elsewhere };
HotEnd hot_end(const QueryRow& row);

// The temperature at which the path comes nearest to a place of a plane, between its steps too. The path is not empty.
float temperature_nearest(const OutputPath& path, const Plane& plane, PlanePoint at);

// What a row of weights makes of the values it sees.
struct OutputPlace {
    double weight_sum = 0;
    bool has_negative = false;
    double outside = 0;  // distance from the hull of the visible values, 0 inside
    double length = 0;   // of the output
    double carried = 0;  // Σ |w|·‖v‖: its length, were all values to point one way
    bool is_finite = true;
    bool is_inside() const { return outside == 0; }
};
OutputPlace output_place(const std::vector<float>& weights, const std::vector<std::uint8_t>& visible,
                         ConstMatrixRef values, const Eigen::VectorXd& output);

}  // namespace heed
