#include "core/cost/methods.h"

#include "core/cost/features.h"
#include "core/cost/patterns.h"
#include "core/cost/top_keys.h"
#include "core/kernels/chunked.h"
#include "core/kernels/gemm.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr int kChunk = 0, kWindow = 1, kStride = 2, kGlobals = 3, kTop = 4, kFeatures = 5;
constexpr CostParameter parameters[] = {
    {"chunk", "Chunk", "How many keys are taken at a time", &CostParameters::chunk, 1, 4096},
    {"window", "Window", "How many keys are seen on each side", &CostParameters::window, 0, 65536},
    {"stride", "Stride", "Every how many keys one is seen; 0 stands for √n", &CostParameters::stride, 0, 65536},
    {"globals", "Global tokens", "How many of the first tokens see all and are seen by all", &CostParameters::globals,
     0, 65536},
    {"top", "Top k", "How many keys each query keeps", &CostParameters::top, 1, 65536},
    {"features", "Features", "How many random features stand for the exponential", &CostParameters::features, 1, 65536},
};

constexpr double bytes_of_float = 4;

double square(Index n) { return static_cast<double>(n) * static_cast<double>(n); }
double widths(const CostShape& shape) { return static_cast<double>(shape.d_k + shape.d_v); }
double heads(const CostShape& shape) { return static_cast<double>(shape.heads); }
double tokens(const CostShape& shape) { return static_cast<double>(shape.n); }

// Packed keys and values and a tile of scores, of each thread.
double chunk_bytes(const CostShape& shape, const CostParameters& p, int threads) {
    const AttentionShape whole{shape.heads, shape.heads, shape.n, shape.n, shape.d_k, shape.d_v};
    return bytes_of_float * threads * static_cast<double>(chunked_scratch(whole, p.chunk));
}
// The same for a segment of queries and the keys they see, with the bounds of what each sees.
double window_bytes(const CostShape& shape, const CostParameters& p, int threads) {
    const Index rows = window_segment(shape.n, p.window);
    const Index keys = std::min(shape.n, rows + 2 * Index{p.window});
    const AttentionShape segment{1, 1, rows, keys, shape.d_k, shape.d_v};
    return bytes_of_float *
           (threads * static_cast<double>(chunked_scratch(segment, p.chunk)) + 2 * static_cast<double>(rows));
}
// A maximum and a denominator for each query, which the next set of keys goes on from.
double running_bytes(const CostShape& shape) { return 2 * bytes_of_float * heads(shape) * tokens(shape); }
double strided_bytes(const CostShape& shape, const CostParameters& p, int threads) {
    CostParameters near = p;
    near.window = static_cast<int>(stride_of(p, shape.n));
    return window_bytes(shape, near, threads) + running_bytes(shape);
}
// Global queries see all keys; they are few, and one thread computes them.
double global_bytes(const CostShape& shape, const CostParameters& p, int threads) {
    return chunk_bytes(shape, p, 1) + window_bytes(shape, p, threads - 1) + 2 * bytes_of_float * tokens(shape) +
           running_bytes(shape);
}

double dense_adds(const CostShape& shape, const CostParameters&) {
    return heads(shape) * square(shape.n) * widths(shape);
}
double dense_bytes(const CostShape& shape, const CostParameters&, int) {
    return bytes_of_float * heads(shape) * square(shape.n);
}
double window_adds(const CostShape& shape, const CostParameters& p) {
    return heads(shape) * window_pairs(shape.n, p.window) * widths(shape);
}
double strided_adds(const CostShape& shape, const CostParameters& p) {
    return heads(shape) * strided_pairs(shape.n, stride_of(p, shape.n)) * widths(shape);
}
double global_adds(const CostShape& shape, const CostParameters& p) {
    return heads(shape) * global_pairs(shape.n, p.window, p.globals) * widths(shape);
}
double top_adds(const CostShape& shape, const CostParameters& p) {
    const auto kept = static_cast<double>(std::min<Index>(p.top, shape.n));
    return heads(shape) *
           (square(shape.n) * static_cast<double>(shape.d_k) + tokens(shape) * kept * static_cast<double>(shape.d_v));
}
double top_bytes(const CostShape& shape, const CostParameters&, int threads) {
    const auto rows = static_cast<double>(top_rows_together(shape.n, shape.n));
    return bytes_of_float * tokens(shape) * (rows + static_cast<double>(shape.d_k) + threads);
}
// φ(K)ᵀ·V, φ(Q) times that, and the denominators; `width` features.
double feature_adds(const CostShape& shape, double width) {
    return heads(shape) * tokens(shape) * width * (2 * static_cast<double>(shape.d_v) + 1);
}
double feature_bytes(const CostShape& shape, double width) {
    return bytes_of_float * (2 * tokens(shape) * width + tokens(shape) * static_cast<double>(shape.d_v) +
                             width * static_cast<double>(shape.d_v));
}
double elu_adds(const CostShape& shape, const CostParameters&) {
    return feature_adds(shape, static_cast<double>(shape.d_k));
}
double elu_bytes(const CostShape& shape, const CostParameters&, int) {
    return feature_bytes(shape, static_cast<double>(shape.d_k));
}
double random_adds(const CostShape& shape, const CostParameters& p) {
    return feature_adds(shape, p.features) +
           heads(shape) * 2 * tokens(shape) * static_cast<double>(p.features) * static_cast<double>(shape.d_k);
}
double random_bytes(const CostShape& shape, const CostParameters& p, int) {
    return feature_bytes(shape, p.features) +
           bytes_of_float * static_cast<double>(p.features) * static_cast<double>(shape.d_k);
}

AttentionCall attention_call(const CostCall& call) {
    AttentionCall attention;
    attention.shape = call.shape;
    attention.q = call.q;
    attention.k = call.k;
    attention.v = call.v;
    attention.output = call.output;
    attention.score_factor = call.factor;
    attention.cancel = call.cancel;
    return attention;
}

void dense_forward(const CostCall& call, CostScratch& scratch) {
    AttentionCall attention = attention_call(call);
    const Index head = call.shape.n * call.shape.m;
    attention.weights = {scratch.weights.reserve(call.shape.heads * head), head, call.shape.m};
    attention_forward(attention, scratch.workspace);
}

void chunked_method(const CostCall& call, CostScratch& scratch) {
    ChunkedCall chunked;
    chunked.attention = attention_call(call);
    chunked.chunk = call.parameters.chunk;
    chunked_forward(chunked, scratch.workspace);
}

template <Sees sees>
void weights_of(const CostHead& head, CostScratch& scratch, MatrixRef out) {
    pattern_weights(head, scratch, sees, out);
}

constexpr CostMethod table[] = {
    {.id = "dense",
     .name = "Dense",
     .formula = "softmax(QK^{T}·s)·V",
     .help = "Every query looks at every key, and every weight is stored.",
     .is_exact = true,
     .has_weights = true,
     .multiply_adds = dense_adds,
     .bytes = dense_bytes,
     .forward = dense_forward,
     .weights = weights_of<nullptr>},
    {.id = "chunked",
     .name = "Chunked",
     .formula = "the same, some keys at a time",
     .help = "The same numbers with a running maximum and denominator: no weight is stored.",
     .is_exact = true,
     .parameters = {kChunk, -1},
     .multiply_adds = dense_adds,
     .bytes = chunk_bytes,
     .forward = chunked_method,
     .weights = weights_of<nullptr>},
    {.id = "window",
     .name = "Window",
     .formula = "|i − j| ≤ w",
     .help = "Every query looks only at the keys near it.",
     .has_weights = true,
     .parameters = {kWindow, -1},
     .multiply_adds = window_adds,
     .bytes = window_bytes,
     .forward = window_forward,
     .weights = weights_of<window_sees>},
    {.id = "strided",
     .name = "Strided",
     .formula = "|i − j| ≤ s or s divides i − j",
     .help = "The keys nearer than a stride, and every stride-th one further away.",
     .has_weights = true,
     .parameters = {kStride, -1},
     .multiply_adds = strided_adds,
     .bytes = strided_bytes,
     .forward = strided_forward,
     .weights = weights_of<strided_sees>},
    {.id = "window-global",
     .name = "Window + global",
     .formula = "|i − j| ≤ w or i < g or j < g",
     .help = "A window, and a few first tokens that see all and are seen by all.",
     .has_weights = true,
     .parameters = {kWindow, kGlobals},
     .multiply_adds = global_adds,
     .bytes = global_bytes,
     .forward = global_forward,
     .weights = weights_of<global_sees>},
    {.id = "top-k",
     .name = "Top k",
     .formula = "the k largest q·k of each row",
     .help = "Every score is computed, and only each query's best keys are kept.",
     .has_weights = true,
     .parameters = {kTop, -1},
     .multiply_adds = top_adds,
     .bytes = top_bytes,
     .forward = top_forward,
     .weights = top_weights},
    {.id = "linear",
     .name = "Linear, elu + 1",
     .formula = "φ(Q)·(φ(K)^{T}·V), φ = elu + 1",
     .help = "Keys and values are summed once, and every query reads the same sum.",
     .uses_factor = false,
     .multiply_adds = elu_adds,
     .bytes = elu_bytes,
     .forward = elu_forward,
     .weights = elu_weights},
    {.id = "favor",
     .name = "Random features",
     .formula = "φ(Q)·(φ(K)^{T}·V), φ = exp(w·x − |x|²/2)",
     .help = "FAVOR+: linear, with random features whose mean is the exponential.",
     .parameters = {kFeatures, -1},
     .multiply_adds = random_adds,
     .bytes = random_bytes,
     .forward = random_forward,
     .weights = random_weights},
};

bool all_finite(const ConstMatrixRef& v) { return v.array().isFinite().all(); }

}  // namespace

std::span<const CostParameter> cost_parameters() { return parameters; }

std::span<const CostMethod> cost_methods() { return table; }

std::vector<std::string_view> cost_method_ids() {
    std::vector<std::string_view> ids;
    for (const CostMethod& method : table) ids.push_back(method.id);
    return ids;
}

const CostMethod& exact_method() { return table[0]; }

const CostMethod* find_cost_method(std::string_view id) {
    for (const CostMethod& method : table)
        if (method.id == id) return &method;
    return nullptr;
}

std::size_t CostScratch::bytes() const {
    const Index floats = workspace.size() + weights.size() + running.size() + features_q.size() + features_k.size() +
                         sums.size() + projection.size();
    std::size_t bytes =
        static_cast<std::size_t>(floats) * sizeof(float) + (first.size() + end.size()) * sizeof(std::int32_t);
    for (const std::vector<float>& row : rows) bytes += row.size() * sizeof(float);
    return bytes;
}

void masked_forward(const CostMethod& method, const CostHead& head, const ConstMatrixRef& v, CostScratch& scratch,
                    MatrixRef weights, MatrixRef output) {
    method.weights(head, scratch, weights);
    if (all_finite(v)) {
        multiply(weights, v, output, scratch.workspace);
        return;
    }
    output.setZero();
    for (Index i = 0; i < weights.rows(); ++i)
        for (Index j = 0; j < weights.cols(); ++j)
            if (head.visible == nullptr || (*head.visible)(i, j) != 0) output.row(i) += weights(i, j) * v.row(j);
}

}  // namespace heed
