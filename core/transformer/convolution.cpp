#include "core/transformer/convolution.h"

#include "core/kernels/gemm.h"
#include "core/model/mask_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace heed {

namespace {

// How far the token that a tap reads is from the one it writes: −dilation … dilation for a kernel of three.
Index shift_of(const TransformerConfig& config, int layer, int tap) {
    const int centre = config.attention.mask->causal ? config.kernel - 1 : config.kernel / 2;
    return Index{tap - centre} * dilation_of(config, layer);
}

// The tokens [first, first + count) for which a tap reads inside the text; they read from first + shift.
struct Overlap {
    Index first = 0;
    Index count = 0;
};
Overlap overlap(Index n, Index shift) { return {std::max<Index>(0, -shift), std::max<Index>(0, n - std::abs(shift))}; }

void list(const TransformerConfig& config, PartWeights& part, std::vector<Parameter>& out) {
    const Index d = config.d_model;
    const float deviation = 1.0F / std::sqrt(static_cast<float>(config.kernel) * static_cast<float>(d));
    part.convolution.taps.resize(static_cast<std::size_t>(config.kernel));
    for (std::size_t tap = 0; tap < part.convolution.taps.size(); ++tap)
        out.push_back({"taps." + std::to_string(tap), &part.convolution.taps[tap], {d, d}, deviation, 0});
    if (config.output_bias) out.push_back({"bias", &part.convolution.bias, {1, d}, 0, 0});
}

void run(const PartCall& call, PartTrace& trace) {
    const ConvolutionWeights& w = call.weights.convolution;
    const Index n = call.read.rows();
    trace.write.setZero(n, call.config.d_model);
    if (w.bias.size() > 0) trace.write.rowwise() += w.bias.row(0);
    for (int tap = 0; tap < call.config.kernel; ++tap) {
        const Index shift = shift_of(call.config, call.layer, tap);
        const auto [first, count] = overlap(n, shift);
        if (count == 0) continue;
        multiply(call.read.middleRows(first + shift, count), w.taps[static_cast<std::size_t>(tap)],
                 trace.write.middleRows(first, count), call.workspace, {1.0F, true});
    }
}

void backward(const PartCall& call, const PartTrace&, const Matrix& d_write, PartGradients& out) {
    const Index n = call.read.rows();
    for (int tap = 0; tap < call.config.kernel; ++tap) {
        const Index shift = shift_of(call.config, call.layer, tap);
        const auto [first, count] = overlap(n, shift);
        if (count == 0) continue;
        const auto at = static_cast<std::size_t>(tap);
        multiply_by_transposed(d_write.middleRows(first, count), call.weights.convolution.taps[at],
                               out.d_read.middleRows(first + shift, count), call.workspace, {1.0F, true});
        if (out.weights)
            multiply_transposed(call.read.middleRows(first + shift, count), d_write.middleRows(first, count),
                                out.weights->convolution.taps[at], call.workspace, {1.0F, true});
    }
    if (out.weights && out.weights->convolution.bias.size() > 0)
        out.weights->convolution.bias += d_write.colwise().sum();
}

Sources sources(const TransformerConfig& config, int layer, Index n_tokens, Index token) {
    Sources out;
    for (int tap = 0; tap < config.kernel; ++tap) {
        const Index from = token + shift_of(config, layer, tap);
        if (from >= 0 && from < n_tokens) out.below.push_back(from);
    }
    return out;
}

}  // namespace

Part convolution_part() {
    return {.id = "convolution",
            .name = "Convolution",
            .formula = "y_{i} = Σ_{t} x_{i + t·dilation} W_{t}",
            .list = list,
            .run = run,
            .backward = backward,
            .sources = sources};
}

}  // namespace heed
