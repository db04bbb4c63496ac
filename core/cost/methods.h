// Ways to compute attention, from the one that stores every weight to those that never have any. One row each, which says all
// that the rest of the program needs to know: what it computes, what it costs and what it takes.
//
// Everything here is float32, a softmax of q·k times a factor, and as fast as the kernels make it: these are what is measured.
#pragma once

#include "core/kernels/attention_kernel.h"
#include "core/matrix.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heed {

struct CostParameters {
    int chunk = 256;         // keys taken at a time
    int window = 32;         // keys seen on each side
    int stride = 0;          // every how many keys one is seen; 0: √n
    int globals = 4;         // tokens that see all and are seen by all
    int top = 64;            // keys kept for each query
    int features = 256;      // random features
    std::uint64_t seed = 1;  // of the features
    friend bool operator==(const CostParameters&, const CostParameters&) = default;
};

// A whole number that a method takes. One row each.
struct CostParameter {
    std::string_view id;    // of its option on the command line: never renamed
    std::string_view name;  // English, through tr()
    std::string_view help;
    int CostParameters::*value;
    int low, high;
};
std::span<const CostParameter> cost_parameters();

// Self-attention of n tokens.
struct CostShape {
    Index heads = 1;
    Index n = 0;
    Index d_k = 64;
    Index d_v = 64;
};

struct CostCall {
    AttentionShape shape;
    HeadMatrices<const float> q;  // heads    × n × d_k
    HeadMatrices<const float> k;  // kv_heads × m × d_k
    HeadMatrices<const float> v;  // kv_heads × m × d_v
    HeadMatrices<float> output;   // heads × n × d_v
    float factor = 1;             // on q·k; finite
    Index query_offset = 0;       // position of the first query among the keys
    CostParameters parameters;
    const std::atomic<bool>* cancel = nullptr;  // true: ends soon, and the output is unusable
};

// Memory of the methods: grows when asked for more. One for each computation that may run at the same time.
struct CostScratch {
    explicit CostScratch(ThreadPool& pool = shared_pool()) : workspace(pool) {}
    Workspace workspace;
    AlignedBuffer weights;     // dense: heads × n × m; top-k: some rows of scores
    AlignedBuffer running;     // sparse patterns: heads × n × 2
    AlignedBuffer features_q;  // of one head
    AlignedBuffer features_k;
    AlignedBuffer sums;  // Σ φ(k)·vᵀ and Σ φ(k), of one head
    AlignedBuffer projection;
    std::vector<std::int32_t> first, end;               // of the keys that each query sees
    std::vector<std::vector<float>> rows;               // of each thread
    int projection_features = 0, projection_width = 0;  // what `projection` was drawn for
    std::uint64_t projection_seed = 0;

    std::size_t bytes() const;
};

// One head whose weights are wanted as a matrix, for pictures: the memory that the method saves is spent here.
struct CostHead {
    ConstMatrixRef q;  // n × d_k
    ConstMatrixRef k;  // m × d_k
    float factor = 1;
    Index query_offset = 0;
    const MaskMatrix* visible = nullptr;  // n × m, 1 = visible; null: all are
    CostParameters parameters;
};

struct CostMethod {
    std::string_view id;           // in files and on the command line: never renamed
    std::string_view name;         // English, through tr()
    std::string_view formula;      // rich text
    std::string_view help;         // one sentence
    bool is_exact = false;         // equal to dense but for rounding
    bool has_weights = false;      // makes weights on its way, at most n × m of them
    bool uses_factor = true;       // computes q·k times a factor, or stands for it
    int parameters[2] = {-1, -1};  // of cost_parameters(); −1: none

    double (*multiply_adds)(const CostShape&, const CostParameters&);
    // Held at once beside Q, K, V and the output, by so many threads.
    double (*bytes)(const CostShape&, const CostParameters&, int threads);
    void (*forward)(const CostCall&, CostScratch&);
    // What the output is a sum of the values by, n × m; rows that see no key are 0.
    void (*weights)(const CostHead&, CostScratch&, MatrixRef out);
};

std::span<const CostMethod> cost_methods();
std::vector<std::string_view> cost_method_ids();
const CostMethod* find_cost_method(std::string_view id);
const CostMethod& exact_method();  // the first row: what the others are held against

// The stride that a parameter of 0 stands for.
Index stride_of(const CostParameters& parameters, Index n);

// Weights and output of one head, hidden cells included: for masks, which only the exact methods know by themselves. A value at
// a hidden cell, NaN included, never reaches the output.
void masked_forward(const CostMethod& method, const CostHead& head, const ConstMatrixRef& v, CostScratch& scratch,
                    MatrixRef weights, MatrixRef output);

}  // namespace heed
