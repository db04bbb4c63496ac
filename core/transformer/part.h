// A part of a layer reads the stream and writes into it: the mixers (attention, convolution, recurrence), cross-attention
// and the feed-forward, a row each.
//
// What stands around a part is the same for all of them: norm, residual, edits and the way back; see run.cpp.
#pragma once

#include "core/attention/trace.h"
#include "core/kernels/attention_kernel.h"
#include "core/transformer/config.h"
#include "core/transformer/layer_edit.h"
#include "core/transformer/weights.h"

#include <span>
#include <string_view>
#include <vector>

namespace heed {

// One part of one layer, computed: everything it read, wrote and made on the way.
struct PartTrace {
    NormTrace norm;  // before the part or after the residual; empty without one
    Matrix read;     // n × d_model: the stream, or its norm where that comes before
    Matrix write;    // n × d_model: what the part computed
    Matrix after;    // n × d_model: the stream after it

    // Attention. What ran: direct, with W_O only where an edit has matrices of its own.
    Model model;
    AttentionTrace attention;

    // Feed-forward, n × d_ff each: x·W_in, x·W_gate where gated, and the units that W_out reads.
    Matrix hidden, gate, units;

    // Recurrence: the gates (n × gates · d_model: r, z and the candidate of a GRU), and what the state brings to the candidate.
    Matrix gates, from_state;
};

struct PartCall {
    const TransformerConfig& config;
    const PartWeights& weights;
    int layer;
    const Matrix& read;
    const Matrix& memory;         // cross-attention's keys and values: m × d_model
    const LayerEdit* edit;        // of this part's attention; null without one
    std::uint64_t seed;           // of what a Model draws for itself
    const PackedWeights* packed;  // null where there are none
    Workspace& workspace;

    // x · W + b for one of the weights' matrices; no bias where b is empty.
    void linear(const Matrix& x, const Matrix& w, const Matrix& b, Matrix& out) const;
};

// What goes back through a part.
struct PartGradients {
    Matrix d_read;                   // n × d_model
    Matrix d_memory;                 // m × d_model; empty unless the part reads a memory
    PartWeights* weights = nullptr;  // added to; null: not wanted
};

// Which cells a cell is computed from at once, in a part that mixes tokens.
struct Sources {
    std::vector<Index> below;   // tokens of what the part reads
    std::vector<Index> beside;  // tokens of what the part writes, which must be there before
};

struct Part {
    std::string_view id;    // never renamed; names the parameters too
    std::string_view name;  // English, through tr()
    std::string_view formula;
    bool attends = false;    // has a Model: layer_model() can show it
    bool to_memory = false;  // reads keys and values from the memory
    bool mixes = true;       // a token's output depends on other tokens
    void (*list)(const TransformerConfig&, PartWeights&,
                 std::vector<Parameter>& out);  // parameters, without the norm's
    void (*run)(const PartCall&, PartTrace&);   // from call.read to trace.write
    void (*backward)(const PartCall&, const PartTrace&, const Matrix& d_write, PartGradients& out);
    // For `n_tokens` tokens. Null where the part mixes none of them.
    Sources (*sources)(const TransformerConfig&, int layer, Index n_tokens, Index token) = nullptr;
};

std::span<const Part> mixers();
const Part& mixer(std::string_view id);  // id must be a row's
const Part& cross_attention_part();
const Part& feed_forward_part();

// The parts of every layer, in order.
std::vector<const Part*> parts_of(const TransformerConfig& config);

// x · W + b; no bias where b is empty, and faster where W is at hand packed.
void linear(const Matrix& x, const Matrix& w, const Matrix& b, Matrix& out, const PackedWeights* packed,
            Workspace& workspace);

// From d_out to d_x (added), and to w and b where these are wanted (added; null: not).
void linear_backward(const Matrix& x, const Matrix& w, const Matrix& d_out, Matrix& d_x, Matrix* d_w, Matrix* d_b,
                     Workspace& workspace);

}  // namespace heed
