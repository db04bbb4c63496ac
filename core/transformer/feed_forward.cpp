#include "core/transformer/feed_forward.h"

#include "core/attention/find_row.h"
#include "core/kernels/each_row.h"
#include "core/transformer/activations.h"

#include <cmath>

namespace heed {

namespace {

void relu(std::span<const float> in, std::span<float> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] < 0 ? 0 : in[i];  // NaN stays NaN
}

void relu_slopes(std::span<const float> in, std::span<float> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] > 0 ? 1 : 0;
}

constexpr FeedForward table[] = {
    {.id = "none", .name = "None", .formula = ""},
    {.id = "relu",
     .name = "ReLU",
     .formula = "max(0, x W_{1} + b_{1}) W_{2} + b_{2}",
     .activate = relu,
     .slopes = relu_slopes},
    {.id = "gelu",  // Hendrycks and Gimpel 2016
     .name = "GELU",
     .formula = "GELU(x W_{1} + b_{1}) W_{2} + b_{2},  GELU(u) = u Φ(u)",
     .activate = gelu,
     .slopes = gelu_slopes},
    {.id = "gelu-tanh",
     .name = "GELU by tanh",
     .formula = "GELU(x W_{1} + b_{1}) W_{2} + b_{2},  GELU(u) ≈ u (1 + tanh(√(2/π) (u + 0.044715 u^{3}))) / 2",
     .activate = gelu_tanh,
     .slopes = gelu_tanh_slopes},
    {.id = "swiglu",  // Shazeer 2020
     .name = "SwiGLU",
     .formula = "(SiLU(x W_{g}) ⊙ x W_{1}) W_{2},  SiLU(u) = u / (1 + e^{−u})",
     .gated = true,
     .activate = silu,
     .slopes = silu_slopes},
};

using Curve = void (*)(std::span<const float>, std::span<float>);

void apply(Curve curve, const Matrix& in, Matrix& out) {
    out.resize(in.rows(), in.cols());
    const auto size = static_cast<std::size_t>(in.cols());
    each_row(in.rows(), 2 * in.cols(), [&](Index i) { curve({in.row(i).data(), size}, {out.row(i).data(), size}); });
}

void list(const TransformerConfig& config, PartWeights& part, std::vector<Parameter>& out) {
    FeedForwardWeights& w = part.feed_forward;
    const Index d = config.d_model;
    const Index hidden = config.d_ff;
    const float in_deviation = 1.0F / std::sqrt(static_cast<float>(d));
    const float out_deviation = 1.0F / std::sqrt(static_cast<float>(hidden));
    out.push_back({"w_in", &w.w_in, {d, hidden}, in_deviation, 0});
    if (config.feed_forward_bias) out.push_back({"b_in", &w.b_in, {1, hidden}, 0, 0});
    if (feed_forward_row(config.feed_forward).gated) {
        out.push_back({"w_gate", &w.w_gate, {d, hidden}, in_deviation, 0});
        if (config.feed_forward_bias) out.push_back({"b_gate", &w.b_gate, {1, hidden}, 0, 0});
    }
    out.push_back({"w_out", &w.w_out, {hidden, d}, out_deviation, 0});
    if (config.feed_forward_bias) out.push_back({"b_out", &w.b_out, {1, d}, 0, 0});
}

void run(const PartCall& call, PartTrace& trace) {
    const FeedForward& row = feed_forward_row(call.config.feed_forward);
    const FeedForwardWeights& w = call.weights.feed_forward;
    call.linear(call.read, w.w_in, w.b_in, trace.hidden);
    if (row.gated) {
        call.linear(call.read, w.w_gate, w.b_gate, trace.gate);
        apply(row.activate, trace.gate, trace.units);
        trace.units.array() *= trace.hidden.array();
    } else {
        apply(row.activate, trace.hidden, trace.units);
    }
    call.linear(trace.units, w.w_out, w.b_out, trace.write);
}

void backward(const PartCall& call, const PartTrace& trace, const Matrix& d_write, PartGradients& out) {
    const FeedForward& row = feed_forward_row(call.config.feed_forward);
    const FeedForwardWeights& w = call.weights.feed_forward;
    FeedForwardWeights* const d = out.weights ? &out.weights->feed_forward : nullptr;
    Matrix d_units = Matrix::Zero(trace.units.rows(), trace.units.cols());
    linear_backward(trace.units, w.w_out, d_write, d_units, d ? &d->w_out : nullptr, d ? &d->b_out : nullptr,
                    call.workspace);
    Matrix slopes;
    if (row.gated) {
        apply(row.slopes, trace.gate, slopes);
        const Matrix d_gate = d_units.cwiseProduct(trace.hidden).cwiseProduct(slopes);
        linear_backward(call.read, w.w_gate, d_gate, out.d_read, d ? &d->w_gate : nullptr, d ? &d->b_gate : nullptr,
                        call.workspace);
        apply(row.activate, trace.gate, slopes);  // d units / d hidden
    } else {
        apply(row.slopes, trace.hidden, slopes);
    }
    d_units.array() *= slopes.array();
    linear_backward(call.read, w.w_in, d_units, out.d_read, d ? &d->w_in : nullptr, d ? &d->b_in : nullptr,
                    call.workspace);
}

constexpr Part part{.id = "feed_forward",
                    .name = "Feed-forward",
                    .formula = "f(x W_{1} + b_{1}) W_{2} + b_{2}",
                    .mixes = false,
                    .list = list,
                    .run = run,
                    .backward = backward};

}  // namespace

std::span<const FeedForward> feed_forwards() { return table; }

const FeedForward& feed_forward_row(std::string_view id) { return find_row(feed_forwards(), id); }

const Part& feed_forward_part() { return part; }

}  // namespace heed
