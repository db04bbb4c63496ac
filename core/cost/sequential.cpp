#include "core/cost/sequential.h"

#include "core/cost/data.h"
#include "core/kernels/gemm.h"

#include <cmath>

namespace heed {

void recurrence(const Matrix& x, const Matrix& w, Matrix& out) {
    out.row(0) = x.row(0).array().tanh();
    for (Index t = 1; t < x.rows(); ++t)
        out.row(t).transpose() = (w * out.row(t - 1).transpose() + x.row(t).transpose()).array().tanh();
}

void convolution(const Matrix& x, const Matrix& w, Workspace& workspace, Matrix& out) {
    const Index n = x.rows();
    multiply(x, w, out, workspace);
    if (n == 1) return;
    multiply(x.topRows(n - 1), w, out.bottomRows(n - 1), workspace, {.add = true});
    multiply(x.bottomRows(n - 1), w, out.topRows(n - 1), workspace, {.add = true});
}

double recurrent_reach(Index n) { return static_cast<double>(n - 1); }
double convolution_reach(Index n) { return static_cast<double>(n - 1); }
double dilated_reach(Index n) { return std::ceil(std::log2(static_cast<double>(n))); }
double attention_reach(Index n) { return n > 1 ? 1 : 0; }

double recurrent_adds(Index n, Index d) { return static_cast<double>(n - 1) * static_cast<double>(d * d); }
double convolution_adds(Index n, Index d) { return static_cast<double>(3 * n - 2) * static_cast<double>(d * d); }
double attention_adds(Index n, Index d) { return exact_method().multiply_adds({1, n, d, d}, {}); }

bool measure_sequential(Index from, Index to, Index d, const MeasureWatch& watch,
                        const std::function<void(const SequentialPoint&)>& point) {
    constexpr double round_seconds = 0.02;
    const std::vector<Index> sizes = measured_sizes(from, to);
    double done = 0;
    const Matrix w = cost_data_kinds().front().draw(2, 1, d, d).q * (0.9F / std::sqrt(static_cast<float>(d)));
    for (const Index n : sizes) {
        if (watch.is_cancelled()) return false;
        const CostData data = cost_data_kinds().front().draw_or_stop(1, 1, n, d, watch.cancel);
        Matrix out(n, d);
        Workspace workspace;
        const auto time = [&](const std::function<void()>& round) {
            return shortest_milliseconds(round_seconds, watch.cancel, round);
        };
        const auto recurrent = time([&] { recurrence(data.q, w, out); });
        const auto convolved = time([&] { convolution(data.q, w, workspace, out); });
        CostScratch scratch;
        CostCall call;
        call.shape = {1, 1, n, n, d, d};
        call.q = {data.q.data(), 0, d};
        call.k = {data.k.data(), 0, d};
        call.v = {data.v.data(), 0, d};
        call.output = {out.data(), 0, d};
        call.factor = 1 / std::sqrt(static_cast<float>(d));
        call.cancel = watch.cancel;
        const auto attended = time([&] { exact_method().forward(call, scratch); });
        if (!recurrent || !convolved || !attended) return false;
        point({n, *recurrent, *convolved, *attended});
        if (watch.progress) watch.progress(++done / static_cast<double>(sizes.size()));
    }
    return true;
}

}  // namespace heed
