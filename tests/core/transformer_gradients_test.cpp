// The way back against small steps forward, for every kind of parameter.
#include "core/model/normalizer_settings.h"
#include "transformer_cases.h"

#include "core/transformer/gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace heed::tests {
namespace {

OutputGradient some_loss(const TransformerConfig& config, Index n) {
    OutputGradient loss;
    loss.output = drawn(n, config.d_model, 31);
    if (config.head != OutputHead::none) loss.logits = drawn(n, config.vocabulary, 32);
    return loss;
}

double loss_of(const TransformerTrace& trace, const OutputGradient& loss) {
    double sum = trace.output.cast<double>().cwiseProduct(loss.output.cast<double>()).sum();
    if (loss.logits.size() > 0) sum += trace.logits.cast<double>().cwiseProduct(loss.logits.cast<double>()).sum();
    return sum;
}

// Steps that cross a kink (of ReLU, of sparsemax's support) measure a mixture of two slopes.
double allowed(const TransformerConfig& config) {
    const bool kinks = config.feed_forward == "relu" || config.attention.normalizer->id == "sparsemax";
    return kinks ? 0.03 : 4e-3;
}

// The slope of the loss along `direction` from small steps, beside what the gradient says. A step is small enough for a
// straight line, and large enough for float.
template <typename LossAt>
void expect_slope(const Matrix& gradient, const Matrix& direction, LossAt&& loss_at, double share,
                  const std::string& what) {
    constexpr float step = 4e-3F;
    const double near_slope = (loss_at(step) - loss_at(-step)) / (2 * static_cast<double>(step));
    const double far_slope = (loss_at(2 * step) - loss_at(-2 * step)) / (4 * static_cast<double>(step));
    const double measured = (4 * near_slope - far_slope) / 3;  // Richardson
    const double claimed = gradient.cast<double>().cwiseProduct(direction.cast<double>()).sum();
    const double size = static_cast<double>(gradient.norm());
    EXPECT_NEAR(measured, claimed, 3e-3 + share * size) << what << ", gradient of norm " << size;
}

TEST(TransformerGradients, EveryParameterAgreesWithSmallSteps) {
    std::set<std::string> kinds;
    for (const auto& [of_name, of_config] : every_kind()) {
        const auto& name = of_name;  // clang before 16 lets no lambda see a binding
        const auto& config = of_config;
        const Transformer transformer = make_transformer(config, 6);
        // Away from gains of 1 and biases of 0, where mistakes hide.
        auto start = std::make_shared<TransformerWeights>(*transformer.weights);
        std::uint64_t seed = 100;
        for (const Parameter& parameter : parameters(config, *start))
            if (parameter.deviation == 0)
                *parameter.matrix += 0.2F * drawn(parameter.shape.rows, parameter.shape.cols, ++seed);
        const Transformer used{config, start, transformer.seed};
        const Index n = 5;
        const TransformerInput input = some_input(config, n);
        const OutputGradient loss = some_loss(config, n);
        const TransformerTrace trace = run_transformer(used, input);
        TransformerGradients gradients = transformer_gradients(used, input, {}, trace, loss);

        TransformerWeights moved = *start;
        const std::vector<Parameter> at = parameters(config, moved);
        const std::vector<Parameter> slopes = parameters(config, gradients.weights);
        ASSERT_EQ(at.size(), slopes.size());
        for (std::size_t i = 0; i < at.size(); ++i) {
            const Matrix here = *at[i].matrix;
            Matrix direction = drawn(here.rows(), here.cols(), 50 + i);
            direction /= direction.norm();
            expect_slope(
                *slopes[i].matrix, direction,
                [&](float step) {
                    *at[i].matrix = here + step * direction;
                    const double value = loss_of(
                        run_transformer({config, std::make_shared<TransformerWeights>(moved), used.seed}, input), loss);
                    *at[i].matrix = here;
                    return value;
                },
                allowed(config), name + ": " + at[i].name);
            kinds.insert(at[i].name.substr(at[i].name.rfind('.') + 1));
        }
    }
    for (const char* kind : {"words",        "positions",  "segments", "gain",  "bias",  "w_q",  "b_q",
                             "w_k",          "b_k",        "w_v",      "b_v",   "w_o",   "b_o",  "additive_w_q",
                             "additive_w_k", "additive_v", "0",        "2",     "w_in",  "b_in", "w_state",
                             "b_state",      "w_gate",     "b_gate",   "w_out", "b_out", "head", "head_bias"})
        EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(TransformerGradients, EmbeddingsAndMemoryAgreeWithSmallSteps) {
    for (const auto& [of_name, of_config] : every_kind()) {
        const auto& name = of_name;  // clang before 16 lets no lambda see a binding
        const auto& config = of_config;
        const Transformer transformer = make_transformer(config, 6);
        const Index n = 5;
        TransformerInput input = some_input(config, n);
        const OutputGradient loss = some_loss(config, n);
        if (!input.tokens.empty()) {  // the same words as numbers
            input.embeddings.resize(n, config.d_model);
            for (Index i = 0; i < n; ++i)
                input.embeddings.row(i) = transformer.weights->words.row(input.tokens[static_cast<std::size_t>(i)]);
            input.tokens.clear();
        }
        const TransformerTrace trace = run_transformer(transformer, input);
        const TransformerGradients gradients = transformer_gradients(transformer, input, {}, trace, loss);
        const auto check = [&](Matrix TransformerInput::*member, const Matrix& gradient, const char* what) {
            Matrix direction = drawn(gradient.rows(), gradient.cols(), 77);
            direction /= direction.norm();
            expect_slope(
                gradient, direction,
                [&](float step) {
                    TransformerInput moved = input;
                    moved.*member += step * direction;
                    return loss_of(run_transformer(transformer, moved), loss);
                },
                allowed(config), name + ": " + what);
        };
        check(&TransformerInput::embeddings, gradients.embeddings, "embeddings");
        if (config.cross_attention) check(&TransformerInput::memory, gradients.memory, "memory");
    }
}

TEST(TransformerGradients, TheStreamsGradientsAreThoseOfTheTransformerAboveIt) {
    TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 6);
    const TransformerInput input = some_input(config, 5);
    const OutputGradient loss = some_loss(config, 5);
    const TransformerTrace trace = run_transformer(transformer, input);
    const TransformerGradients gradients =
        transformer_gradients(transformer, input, {}, trace, loss, Wanted::not_the_weights);
    ASSERT_EQ(gradients.stream.size(), 4U);
    EXPECT_TRUE(gradients.weights.layers.empty());
    EXPECT_TRUE(same(gradients.stream[3], loss.output));
    // The top layer alone, fed with the stream below it.
    auto top = std::make_shared<TransformerWeights>(*transformer.weights);
    top->layers = {top->layers[2]};
    config.n_layers = 1;
    const Transformer above{config, top, 6};
    const TransformerInput at{.embeddings = trace.stream(2)};
    const TransformerTrace top_trace = run_transformer(above, at);
    EXPECT_TRUE(same(top_trace.output, trace.output));
    EXPECT_TRUE(same(transformer_gradients(above, at, {}, top_trace, loss).embeddings, gradients.stream[2]));
}

// An encoder and a decoder are two transformers; the second's memory is the first's output.
TEST(TransformerGradients, GoFromADecoderIntoItsEncoder) {
    const TransformerSizes sizes{.n_layers = 2, .d_model = 12, .n_heads = 2, .d_ff = 16, .vocabulary = 9};
    const Transformer encoder = make_transformer(sized(transformer_family("encoder").config, sizes), 1);
    const Transformer decoder = make_transformer(sized(transformer_family("decoder").config, sizes), 2);
    TransformerInput source{.embeddings = drawn(6, 12, 3)};
    const OutputGradient loss = some_loss(decoder.config, 4);
    const auto run = [&](const TransformerInput& from) {
        TransformerInput target{.tokens = {1, 5, 2, 2}};
        target.memory = run_transformer(encoder, from).output;
        return target;
    };
    const TransformerInput target = run(source);
    const TransformerGradients back =
        transformer_gradients(decoder, target, {}, run_transformer(decoder, target), loss);
    const TransformerGradients through =
        transformer_gradients(encoder, source, {}, run_transformer(encoder, source), {.output = back.memory});
    Matrix direction = drawn(6, 12, 8);
    direction /= direction.norm();
    expect_slope(
        through.embeddings, direction,
        [&](float step) {
            TransformerInput moved = source;
            moved.embeddings += step * direction;
            return loss_of(run_transformer(decoder, run(moved)), loss);
        },
        allowed(encoder.config), "encoder");
}

}  // namespace
}  // namespace heed::tests
