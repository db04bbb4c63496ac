#include "core/cost/measure.h"

#include "core/cost/data.h"
#include "core/cost/errors.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace heed {

namespace {

// Exact without storing n × n weights.
const CostMethod& lean_exact_method() {
    for (const CostMethod& method : cost_methods())
        if (method.is_exact && !method.has_weights) return method;
    return exact_method();
}

CostCall call_on(const CostData& data, Index n, const MeasureRequest& request, Matrix& output) {
    const Index d = request.d;
    CostCall call;
    call.shape = {request.heads, request.heads, n, n, d, d};
    call.q = {data.q.data(), n * d, d};
    call.k = {data.k.data(), n * d, d};
    call.v = {data.v.data(), n * d, d};
    output.resize(request.heads * n, d);
    call.output = {output.data(), n * d, d};
    call.factor = 1 / std::sqrt(static_cast<float>(d));
    call.parameters = request.parameters;
    return call;
}

double most_bytes_of(const CostMethod& method, Index n, const MeasureRequest& request) {
    return method.bytes({request.heads, n, request.d, request.d}, request.parameters, shared_pool().thread_count());
}

// What a method's output is held against: the lean exact method, and for that one, which must not be its own judge, dense
// attention. Null where that would hold too much.
const CostMethod* judge_of(const CostMethod& method, Index n, const MeasureRequest& request) {
    const CostMethod& judge = &method == &lean_exact_method() ? exact_method() : lean_exact_method();
    return most_bytes_of(judge, n, request) <= request.most_bytes ? &judge : nullptr;
}

}  // namespace

std::vector<Index> measured_sizes(Index from, Index to) {
    std::vector<Index> sizes{from};
    for (Index n = 1; n < to; n *= 2)
        if (n > from) sizes.push_back(n);
    if (to > from) sizes.push_back(to);
    return sizes;
}

std::optional<double> shortest_milliseconds(double seconds, const std::atomic<bool>* cancel,
                                            const std::function<void()>& round) {
    using Clock = std::chrono::steady_clock;
    constexpr int fewest = 3;
    constexpr int most = 1000;
    double shortest = std::numeric_limits<double>::infinity();
    const auto start = Clock::now();
    for (int i = 0; i < most; ++i) {
        const auto before = Clock::now();
        round();
        if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return std::nullopt;
        const auto after = Clock::now();
        shortest = std::min(shortest, std::chrono::duration<double, std::milli>(after - before).count());
        if (i + 1 >= fewest && std::chrono::duration<double>(after - start).count() >= seconds) break;
    }
    return shortest;
}

bool measure_methods(const MeasureRequest& request, const MeasureWatch& watch) {
    const std::vector<Index> sizes = measured_sizes(request.from, request.to);
    const auto steps = static_cast<double>(sizes.size() * request.methods.size());
    double done = 0;
    Matrix output, exact;
    for (const Index n : sizes) {
        if (watch.is_cancelled()) return false;
        const CostData data = cost_data_kinds().front().draw_or_stop(1, request.heads, n, request.d, watch.cancel);
        const CostMethod* judge = nullptr;  // whose output `exact` is
        for (const CostMethod* method : request.methods) {
            if (watch.is_cancelled()) return false;
            if (most_bytes_of(*method, n, request) <= request.most_bytes) {
                CostScratch scratch;
                CostCall call = call_on(data, n, request, output);
                call.cancel = watch.cancel;
                const auto milliseconds =
                    shortest_milliseconds(request.round_seconds, watch.cancel, [&] { method->forward(call, scratch); });
                if (!milliseconds) return false;
                CostPoint point{method->id, n, *milliseconds, static_cast<double>(scratch.bytes()), {}};
                const CostMethod* wanted = request.wants_errors ? judge_of(*method, n, request) : nullptr;
                if (wanted != nullptr) {
                    if (wanted != judge) {
                        CostScratch exact_scratch;
                        CostCall exact_call = call_on(data, n, request, exact);
                        exact_call.cancel = watch.cancel;
                        wanted->forward(exact_call, exact_scratch);
                        if (watch.is_cancelled()) return false;
                        judge = wanted;
                    }
                    point.error = relative_error(output, exact);
                }
                if (watch.point) watch.point(point);
            }
            if (watch.progress) watch.progress(++done / steps);
        }
    }
    return true;
}

std::optional<Slope> fitted_slope(const std::vector<CostPoint>& points, std::string_view method) {
    constexpr Index from = 1024;
    const auto of_method = [&](const CostPoint& point) { return point.method == method && point.milliseconds > 0; };
    const auto large =
        std::ranges::count_if(points, [&](const CostPoint& point) { return of_method(point) && point.n >= from; });
    Slope slope{.from = std::numeric_limits<Index>::max()};
    double count = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
    for (const CostPoint& point : points) {
        if (!of_method(point) || (large >= 2 && point.n < from)) continue;
        const double x = std::log(static_cast<double>(point.n));
        const double y = std::log(point.milliseconds);
        count += 1;
        x_sum += x;
        y_sum += y;
        xx_sum += x * x;
        xy_sum += x * y;
        slope.from = std::min(slope.from, point.n);
        slope.to = std::max(slope.to, point.n);
    }
    if (slope.from >= slope.to) return std::nullopt;
    slope.exponent = (count * xy_sum - x_sum * y_sum) / (count * xx_sum - x_sum * x_sum);
    slope.milliseconds_at_1 = std::exp((y_sum - slope.exponent * x_sum) / count);
    return slope;
}

}  // namespace heed
