#include "core/transformer/norms.h"

#include "core/attention/exact.h"
#include "core/attention/find_row.h"
#include "core/kernels/each_row.h"

#include <cmath>

namespace heed {

namespace {

constexpr Norm table[] = {
    {.id = "layer-norm",  // Ba, Kiros and Hinton 2016
     .name = "LayerNorm",
     .formula = "γ (x − mean) / √(variance + ε) + β",
     .centres = true,
     .has_bias = true},
    {.id = "rms-norm",  // Zhang and Sennrich 2019
     .name = "RMSNorm",
     .formula = "γ x / √(mean of x^{2} + ε)",
     .centres = false,
     .has_bias = false},
};

}  // namespace

std::span<const Norm> norms() { return table; }

const Norm& norm_row(std::string_view id) { return find_row(norms(), id); }

void run_norm(const Norm& norm, const NormWeights& weights, float epsilon, const Matrix& x, NormTrace& trace,
              Matrix& out) {
    const Index d = x.cols();
    trace.normalized.resize(x.rows(), d);
    trace.inverse_deviation.resize(static_cast<std::size_t>(x.rows()));
    out.resize(x.rows(), d);
    const float* const gain = weights.gain.data();
    const float* const bias = norm.has_bias ? weights.bias.data() : nullptr;
    each_row(x.rows(), d, [&](Index i) {
        const float* const from = x.row(i).data();
        const auto at = [&](Index t) { return static_cast<double>(from[t]); };
        const double mean = norm.centres ? exact_sum(d, at) / static_cast<double>(d) : 0;
        const double square = exact_sum(d, [&](Index t) { return (at(t) - mean) * (at(t) - mean); });
        const double inverse = 1 / std::sqrt(square / static_cast<double>(d) + static_cast<double>(epsilon));
        trace.inverse_deviation[static_cast<std::size_t>(i)] = static_cast<float>(inverse);
        float* const normalized = trace.normalized.row(i).data();
        float* const to = out.row(i).data();
        for (Index t = 0; t < d; ++t) normalized[t] = static_cast<float>((at(t) - mean) * inverse);
        for (Index t = 0; t < d; ++t) to[t] = normalized[t] * gain[t] + (bias ? bias[t] : 0.0F);
    });
}

void norm_backward(const Norm& norm, const NormWeights& weights, const NormTrace& trace, Matrix& d,
                   NormWeights* d_weights) {
    const Index n = d.cols();
    if (d_weights) {
        d_weights->gain += d.cwiseProduct(trace.normalized).colwise().sum();
        if (norm.has_bias) d_weights->bias += d.colwise().sum();
    }
    const float* const gain = weights.gain.data();
    // With g = dL/dnormalized: dx = inverse · (g − mean(g) − normalized · mean(g · normalized)).
    each_row(d.rows(), n, [&](Index i) {
        float* const row = d.row(i).data();
        const float* const normalized = trace.normalized.row(i).data();
        const auto g = [&](Index t) { return static_cast<double>(row[t]) * static_cast<double>(gain[t]); };
        const double mean = norm.centres ? exact_sum(n, g) / static_cast<double>(n) : 0;
        const double along =
            exact_sum(n, [&](Index t) { return g(t) * static_cast<double>(normalized[t]); }) / static_cast<double>(n);
        const auto inverse = static_cast<double>(trace.inverse_deviation[static_cast<std::size_t>(i)]);
        for (Index t = 0; t < n; ++t)
            row[t] = static_cast<float>(inverse * (g(t) - mean - static_cast<double>(normalized[t]) * along));
    });
}

}  // namespace heed
