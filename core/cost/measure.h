// What the methods take on this machine, measured: smallest sizes first, so that a picture can grow.
#pragma once

#include "core/cost/methods.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace heed {

struct CostPoint {
    std::string_view method;  // id of a row
    Index n = 0;
    double milliseconds = 0;  // of one core's time, the shortest of several rounds
    double bytes = 0;         // that were held beside Q, K, V and the output
    std::optional<double>
        error;  // relative, of the output; nothing where it was not asked for or exact attention is too large
};

struct MeasureRequest {
    std::vector<const CostMethod*> methods;
    Index from = 256, to = 8192;  // tokens: both, and the powers of two between them
    Index d = 64;
    Index heads = 1;
    CostParameters parameters;
    bool wants_errors = false;
    double most_bytes = 1e9;      // what would hold more is left out
    double round_seconds = 0.03;  // rounds are repeated for so long, three at least
    int passes = 3;               // over all sizes, far enough apart that what disturbs one does not disturb all
};

// How the one who waits hears of it. Any may be empty.
struct MeasureWatch {
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(const CostPoint&)> point = {};  // again where a later pass was faster
    std::function<void(double)> progress = {};         // 0 … 1

    bool is_cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

// On independent data, by one thread and in its processor's time: what else the machine does neither lengthens it nor bends
// the slope, and the other cores stay free for a window. False where it was cancelled.
bool measure_methods(const MeasureRequest& request, const MeasureWatch& watch);

// The point takes the place of the one that was measured before for its method and size, or stands behind the others.
void put_point(std::vector<CostPoint>& points, const CostPoint& point);

// Sizes that are measured.
std::vector<Index> measured_sizes(Index from, Index to);

// By the wall, for work that several threads share, or the processor's time that the calling thread got.
enum class MeasureClock { wall, thread };

// The shortest of the rounds that fit into `seconds`, three at least; nothing where it was cancelled on the way.
std::optional<double> shortest_milliseconds(double seconds, const std::atomic<bool>* cancel,
                                            const std::function<void()>& round,
                                            MeasureClock clock = MeasureClock::wall);

// The slope of log(time) over log(n), by least squares from 1,024 tokens on, or over all where those are fewer than two.
// Nothing for fewer than two points.
struct Slope {
    double exponent = 0;
    double milliseconds_at_1 = 0;  // where the line meets n = 1
    Index from = 0, to = 0;
};
std::optional<Slope> fitted_slope(const std::vector<CostPoint>& points, std::string_view method);

}  // namespace heed
