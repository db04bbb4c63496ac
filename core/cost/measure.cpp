#include "core/cost/measure.h"

#include "core/cost/data.h"
#include "core/cost/errors.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

namespace heed {

namespace {

double milliseconds_of(MeasureClock clock) {
#ifdef CLOCK_THREAD_CPUTIME_ID
    timespec time;
    if (clock == MeasureClock::thread && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
#else
    static_cast<void>(clock);
#endif
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

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
    return method.bytes({request.heads, n, request.d, request.d}, request.parameters, 1);
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
                                            const std::function<void()>& round, MeasureClock clock) {
    constexpr int fewest = 3;
    constexpr int most = 1000;
    double shortest = std::numeric_limits<double>::infinity();
    const double start = milliseconds_of(clock);
    for (int i = 0; i < most; ++i) {
        const double before = milliseconds_of(clock);
        round();
        if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return std::nullopt;
        const double after = milliseconds_of(clock);
        shortest = std::min(shortest, after - before);
        if (i + 1 >= fewest && after - start >= seconds * 1e3) break;
    }
    return shortest;
}

void put_point(std::vector<CostPoint>& points, const CostPoint& point) {
    const auto same =
        std::ranges::find_if(points, [&](const CostPoint& p) { return p.method == point.method && p.n == point.n; });
    if (same == points.end())
        points.push_back(point);
    else
        *same = point;
}

bool measure_methods(const MeasureRequest& request, const MeasureWatch& watch) {
    const std::vector<Index> sizes = measured_sizes(request.from, request.to);
    const std::size_t each_pass = sizes.size() * request.methods.size();
    const double steps = static_cast<double>(each_pass) * request.passes;
    double done = 0;
    ThreadPool alone(1);
    Matrix output, exact;
    std::vector<CostPoint> found(each_pass);
    for (int pass = 0; pass < request.passes; ++pass) {
        auto best = found.begin();
        for (const Index n : sizes) {
            if (watch.is_cancelled()) return false;
            const CostData data = cost_data_kinds().front().draw_or_stop(1, request.heads, n, request.d, watch.cancel);
            const CostMethod* judge = nullptr;  // whose output `exact` is
            for (const CostMethod* method : request.methods) {
                if (watch.is_cancelled()) return false;
                if (most_bytes_of(*method, n, request) <= request.most_bytes) {
                    CostScratch scratch(alone);
                    CostCall call = call_on(data, n, request, output);
                    call.cancel = watch.cancel;
                    const auto milliseconds = shortest_milliseconds(
                        request.round_seconds, watch.cancel, [&] { method->forward(call, scratch); },
                        MeasureClock::thread);
                    if (!milliseconds) return false;
                    const CostMethod* wanted =
                        pass == 0 && request.wants_errors ? judge_of(*method, n, request) : nullptr;
                    if (pass == 0) *best = {method->id, n, *milliseconds, static_cast<double>(scratch.bytes()), {}};
                    if (wanted != nullptr) {
                        if (wanted != judge) {
                            CostScratch exact_scratch;
                            CostCall exact_call = call_on(data, n, request, exact);
                            exact_call.cancel = watch.cancel;
                            wanted->forward(exact_call, exact_scratch);
                            if (watch.is_cancelled()) return false;
                            judge = wanted;
                        }
                        best->error = relative_error(output, exact);
                    }
                    const bool is_news = pass == 0 || *milliseconds < best->milliseconds;
                    if (is_news) best->milliseconds = *milliseconds;
                    if (is_news && watch.point) watch.point(*best);
                }
                ++best;
                if (watch.progress) watch.progress(++done / steps);
            }
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
