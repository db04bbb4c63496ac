#include "core/transformer/recurrence.h"

#include "core/kernels/gemm.h"

#include <cmath>

namespace heed {

namespace {

template <int gates>
void list(const TransformerConfig& config, PartWeights& part, std::vector<Parameter>& out) {
    RecurrenceWeights& w = part.recurrence;
    const Index d = config.d_model;
    const float deviation = 1.0F / std::sqrt(static_cast<float>(d));
    // Token and state share what the state after them is made of.
    const float share = gates == 1 ? deviation / std::sqrt(2.0F) : deviation;
    out.push_back({"w_in", &w.w_in, {d, gates * d}, share, 0});
    out.push_back({"w_state", &w.w_state, {d, gates * d}, share, 0});
    if (!config.output_bias) return;
    out.push_back({"b_in", &w.b_in, {1, gates * d}, 0, 0});
    out.push_back({"b_state", &w.b_state, {1, gates * d}, 0, 0});
}

// The state before a token; zero before the first.
Matrix state_before(const Matrix& states, Index token) {
    return token == 0 ? Matrix::Zero(1, states.cols()) : Matrix(states.row(token - 1));
}

float logistic(float x) { return 1.0F / (1.0F + std::exp(-x)); }

// h ← tanh(x W_in + b_in + h W_state + b_state)
void run_tanh(const PartCall& call, PartTrace& trace) {
    const RecurrenceWeights& w = call.weights.recurrence;
    call.linear(call.read, w.w_in, w.b_in, trace.write);
    Matrix from_state;
    for (Index i = 0; i < trace.write.rows(); ++i) {
        call.linear(state_before(trace.write, i), w.w_state, w.b_state, from_state);
        trace.write.row(i) = (trace.write.row(i) + from_state.row(0)).unaryExpr([](float x) { return std::tanh(x); });
    }
}

// From the gradients of what entered the gates, at every token, to the weights and the tokens.
void through_products(const PartCall& call, const PartTrace& trace, const Matrix& d_in, const Matrix& d_state,
                      PartGradients& out) {
    const RecurrenceWeights& w = call.weights.recurrence;
    RecurrenceWeights* const d = out.weights ? &out.weights->recurrence : nullptr;
    linear_backward(call.read, w.w_in, d_in, out.d_read, d ? &d->w_in : nullptr, d ? &d->b_in : nullptr,
                    call.workspace);
    if (!d) return;
    if (d->b_state.size() > 0) d->b_state += d_state.colwise().sum();
    const Index later = trace.write.rows() - 1;
    if (later > 0)
        multiply_transposed(trace.write.topRows(later), d_state.bottomRows(later), d->w_state, call.workspace,
                            {1.0F, true});
}

void tanh_backward(const PartCall& call, const PartTrace& trace, const Matrix& d_write, PartGradients& out) {
    Matrix d_in = d_write;
    Matrix d_before = Matrix::Zero(1, d_write.cols());
    for (Index i = d_write.rows() - 1; i >= 0; --i) {
        const auto state = trace.write.row(i).array();
        const Matrix d_sum = (d_write.row(i) + d_before).array() * (1.0F - state * state);
        d_in.row(i) = d_sum;
        multiply_by_transposed(d_sum, call.weights.recurrence.w_state, d_before, call.workspace);
    }
    through_products(call, trace, d_in, d_in, out);
}

// r = σ(…), z = σ(…), candidate = tanh(x W + b + r · (h W' + b')), h ← (1 − z) · candidate + z · h
void run_gru(const PartCall& call, PartTrace& trace) {
    const RecurrenceWeights& w = call.weights.recurrence;
    const Index d = call.config.d_model;
    const Index n = call.read.rows();
    call.linear(call.read, w.w_in, w.b_in, trace.gates);
    trace.write.resize(n, d);
    trace.from_state.resize(n, d);
    Matrix state_part;
    for (Index i = 0; i < n; ++i) {
        const Matrix before = state_before(trace.write, i);
        call.linear(before, w.w_state, w.b_state, state_part);
        trace.from_state.row(i) = state_part.rightCols(d);
        auto gates = trace.gates.row(i);
        for (Index t = 0; t < 2 * d; ++t) gates(t) = logistic(gates(t) + state_part(0, t));
        for (Index t = 0; t < d; ++t) {
            const float candidate = std::tanh(gates(2 * d + t) + gates(t) * trace.from_state(i, t));
            gates(2 * d + t) = candidate;
            trace.write(i, t) = candidate + gates(d + t) * (before(0, t) - candidate);
        }
    }
}

void gru_backward(const PartCall& call, const PartTrace& trace, const Matrix& d_write, PartGradients& out) {
    const Index d = call.config.d_model;
    const Index n = d_write.rows();
    Matrix d_in(n, 3 * d);     // by x W_in + b_in
    Matrix d_state(n, 3 * d);  // by h W_state + b_state
    Matrix d_before = Matrix::Zero(1, d);
    for (Index i = n - 1; i >= 0; --i) {
        const Matrix before = state_before(trace.write, i);
        const Matrix d_now = d_write.row(i) + d_before;
        const auto gates = trace.gates.row(i);
        for (Index t = 0; t < d; ++t) {
            const float r = gates(t);
            const float z = gates(d + t);
            const float candidate = gates(2 * d + t);
            const float d_candidate = d_now(0, t) * (1 - z) * (1 - candidate * candidate);
            const float d_r = d_candidate * trace.from_state(i, t) * r * (1 - r);
            const float d_z = d_now(0, t) * (before(0, t) - candidate) * z * (1 - z);
            d_in(i, t) = d_state(i, t) = d_r;
            d_in(i, d + t) = d_state(i, d + t) = d_z;
            d_in(i, 2 * d + t) = d_candidate;
            d_state(i, 2 * d + t) = d_candidate * r;
            d_before(0, t) = d_now(0, t) * z;
        }
        multiply_by_transposed(d_state.row(i), call.weights.recurrence.w_state, d_before, call.workspace, {1.0F, true});
    }
    through_products(call, trace, d_in, d_state, out);
}

Sources sources(const TransformerConfig&, int, Index, Index token) {
    return {{token}, token > 0 ? std::vector<Index>{token - 1} : std::vector<Index>{}};
}

}  // namespace

Part recurrence_part() {
    return {.id = "recurrence",
            .name = "Recurrence",
            .formula = "h_{i} = tanh(x_{i} W + h_{i−1} W_{h} + b)",
            .list = list<1>,
            .run = run_tanh,
            .backward = tanh_backward,
            .sources = sources};
}

Part gru_part() {
    return {.id = "gru",
            .name = "Gated recurrence",
            .formula = "h_{i} = (1 − z) ⊙ tanh(x_{i} W + r ⊙ h_{i−1} W_{h}) + z ⊙ h_{i−1}",
            .list = list<3>,
            .run = run_gru,
            .backward = gru_backward,
            .sources = sources};
}

}  // namespace heed
