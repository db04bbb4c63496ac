// The attention kernels behind a C interface, for tests/bench/against_torch and tests/bench/cost.
//
// A problem is prepared once with the caller's own buffers; then each measured call passes one pointer.
#include <cstdint>
#include <vector>

#include "core/kernels/attention_kernel.h"
#include "core/kernels/chunked.h"

namespace {

struct Problem {
    heed::AttentionCall call;
    heed::GradientCall gradients;
    heed::Workspace workspace;
    std::vector<std::int32_t> end_visible;
};

}  // namespace

extern "C" {

// All matrices are heads × rows × d (or × n for the weights), without gaps.
struct HeedBuffers {
    const float* q;
    const float* k;
    const float* v;
    float* weights;
    float* output;
    const float* d_output;
    float* d_q;
    float* d_k;
    float* d_v;
};

void heed_bench_set_threads(int count) { heed::shared_pool().set_thread_count(count); }

void* heed_bench_open(std::int64_t heads, std::int64_t n, std::int64_t d, float factor, int causal,
                      const HeedBuffers* b) {
    auto* problem = new Problem;
    heed::AttentionCall& call = problem->call;
    call.shape = {heads, heads, n, n, d, d};
    call.q = {b->q, n * d, d};
    call.k = {b->k, n * d, d};
    call.v = {b->v, n * d, d};
    call.score_factor = factor;
    if (causal != 0) {
        for (std::int64_t i = 0; i < n; ++i) problem->end_visible.push_back(static_cast<std::int32_t>(i + 1));
        call.end_visible = problem->end_visible.data();
    }
    call.weights = {b->weights, n * n, n};
    call.output = {b->output, n * d, d};
    heed::GradientCall& gradients = problem->gradients;
    gradients.d_output = {b->d_output, n * d, d};
    gradients.d_q = {b->d_q, n * d, d};
    gradients.d_k = {b->d_k, n * d, d};
    gradients.d_v = {b->d_v, n * d, d};
    return problem;
}

void heed_bench_forward(void* handle) {
    auto* problem = static_cast<Problem*>(handle);
    heed::attention_forward(problem->call, problem->workspace);
}

void heed_bench_forward_backward(void* handle) {
    auto* problem = static_cast<Problem*>(handle);
    heed::attention_forward(problem->call, problem->workspace);
    heed::attention_backward(problem->call, problem->gradients, problem->workspace);
}

// The output alone, one chunk of keys at a time; the weights are not touched.
void heed_bench_chunked(void* handle, std::int64_t chunk) {
    auto* problem = static_cast<Problem*>(handle);
    heed::ChunkedCall chunked;
    chunked.attention = problem->call;
    chunked.chunk = chunk;
    heed::chunked_forward(chunked, problem->workspace);
}

void heed_bench_close(void* handle) { delete static_cast<Problem*>(handle); }

}  // extern "C"
