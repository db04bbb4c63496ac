// The attention kernels and whole encoders behind a C interface, for tests/bench/against_torch, cost and transformer.
//
// A problem is prepared once with the caller's own buffers; then each measured call passes one pointer.
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/kernels/attention_kernel.h"
#include "core/kernels/chunked.h"
#include "core/transformer/families.h"
#include "core/transformer/gradients.h"
#include "tests/bench/floor/floor.h"

namespace {

struct Problem {
    heed::AttentionCall call;
    heed::GradientCall gradients;
    heed::Workspace workspace;
    std::vector<std::int32_t> end_visible;
};

// An encoder, its numbers from the caller.
struct Encoder {
    heed::TransformerConfig config;
    std::shared_ptr<heed::TransformerWeights> weights;
    heed::TransformerInput input;
    heed::TransformerTrace trace;
    heed::OutputGradient loss;
    heed::Transformer transformer;
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

// The floor under every kernel, one thread; each returns how many of its operations it ran.
std::int64_t heed_bench_multiply_adds(std::int64_t count) { return heed::bench::run_multiply_adds(count); }

std::int64_t heed_bench_exponentials(std::int64_t count) { return heed::bench::run_exponentials(count); }

void heed_bench_close(void* handle) { delete static_cast<Problem*>(handle); }

// BERT's layers without its embeddings. All parameters are 0 until they are set.
void* heed_encoder_open(std::int64_t layers, std::int64_t d_model, std::int64_t heads, std::int64_t d_ff,
                        std::int64_t n, const float* embeddings) {
    auto* encoder = new Encoder;
    encoder->config = heed::sized(heed::transformer_family("bert").config, {.n_layers = static_cast<int>(layers),
                                                                            .d_model = static_cast<int>(d_model),
                                                                            .n_heads = static_cast<int>(heads),
                                                                            .d_ff = static_cast<int>(d_ff)});
    encoder->config.vocabulary = encoder->config.n_positions = encoder->config.n_segments = 0;
    encoder->config.embedding_norm = false;
    encoder->config.norm_epsilon = 1e-5F;
    encoder->weights = std::make_shared<heed::TransformerWeights>(heed::zero_weights(encoder->config));
    encoder->input.embeddings = Eigen::Map<const heed::Matrix>(embeddings, n, d_model);
    encoder->loss.output = encoder->input.embeddings;
    return encoder;
}

// By its name, such as layers.0.attention.w_q; false where there is no such parameter of `count` numbers.
bool heed_encoder_set(void* handle, const char* name, const float* numbers, std::int64_t count) {
    auto* encoder = static_cast<Encoder*>(handle);
    for (const heed::Parameter& parameter : heed::parameters(encoder->config, *encoder->weights)) {
        if (parameter.name != name || parameter.matrix->size() != count) continue;
        std::memcpy(parameter.matrix->data(), numbers, static_cast<std::size_t>(count) * sizeof(float));
        return true;
    }
    return false;
}

// After the last parameter.
void heed_encoder_prepare(void* handle) {
    auto* encoder = static_cast<Encoder*>(handle);
    encoder->transformer = heed::ready_to_run({encoder->config, encoder->weights, 1});
}

void heed_encoder_forward(void* handle) {
    auto* encoder = static_cast<Encoder*>(handle);
    // Another input each time, or what still holds of the last run would be kept.
    float& number = encoder->input.embeddings(0, 0);
    number += encoder->input.embeddings(0, 1) > number ? 1e-5F : -1e-5F;
    heed::run_transformer(encoder->transformer, encoder->input, {}, encoder->trace);
}

void heed_encoder_forward_backward(void* handle) {
    auto* encoder = static_cast<Encoder*>(handle);
    heed_encoder_forward(handle);
    heed::transformer_gradients(encoder->transformer, encoder->input, {}, encoder->trace, encoder->loss);
}

const float* heed_encoder_output(void* handle) { return static_cast<Encoder*>(handle)->trace.output.data(); }

void heed_encoder_close(void* handle) { delete static_cast<Encoder*>(handle); }

}  // extern "C"
