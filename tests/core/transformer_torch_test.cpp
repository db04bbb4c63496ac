// Agreement of whole transformers with PyTorch, forward and backward: see tests/golden/make_torch_transformer.py.
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "heed_test_paths.h"

#include "core/files/npy.h"
#include "core/transformer/gradients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace heed::tests {
namespace {

const std::filesystem::path folder = std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/torch";

class Settings {
public:
    explicit Settings(const std::string& line) {
        std::istringstream words(line);
        for (std::string word; words >> word;)
            values_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
    const std::string& text(const std::string& name) const { return values_.at(name); }
    int number(const std::string& name) const { return std::atoi(text(name).c_str()); }
    bool on(const std::string& name) const { return number(name) != 0; }

private:
    std::map<std::string, std::string> values_;
};

class Taker {
public:
    Taker(const std::vector<float>& pool, std::size_t case_number) : pool_(pool), at_(case_number * 101) {}

    Matrix take(Index rows, Index cols) {
        Matrix out(rows, cols);
        for (Index i = 0; i < out.size(); ++i) out.data()[i] = pool_[at_++ % pool_.size()];
        return out;
    }

private:
    const std::vector<float>& pool_;
    std::size_t at_;
};

TransformerConfig config_of(const Settings& settings) {
    TransformerConfig config;
    config.n_layers = settings.number("layers");
    config.d_model = settings.number("d");
    config.vocabulary = settings.number("vocabulary");
    config.n_positions = settings.number("positions");
    config.n_segments = settings.number("segments");
    config.embedding_norm = settings.on("embedding_norm");
    config.mixer = settings.text("mixer");
    config.cross_attention = settings.on("cross");
    config.feed_forward = settings.text("ff");
    config.d_ff = settings.number("d_ff");
    config.residual = settings.on("residual");
    const std::string& place = settings.text("place");
    config.norm_place = place == "none" ? NormPlace::none : place == "before" ? NormPlace::before : NormPlace::after;
    config.norm = settings.text("norm");
    config.norm_epsilon = std::strtof(settings.text("eps").c_str(), nullptr);
    config.attention.n_heads = settings.number("heads");
    config.attention.n_kv_heads = settings.number("kv");
    config.attention.d_k = config.attention.d_v = config.d_model / config.attention.n_heads;
    config.attention.mask->causal = settings.on("causal");
    config.attention.position->encoding = settings.text("position");
    config.qkv_bias = settings.on("qkv_bias");
    config.output_bias = settings.on("out_bias");
    config.feed_forward_bias = settings.on("ff_bias");
    config.kernel = settings.number("kernel");
    config.dilation = settings.number("dilation");
    config.dilation_growth = settings.number("growth");
    config.final_norm = settings.on("final_norm");
    const std::string& head = settings.text("head");
    config.head = head == "none" ? OutputHead::none : head == "tied" ? OutputHead::tied : OutputHead::own;
    config.head_bias = settings.on("head_bias");
    return config;
}

Transformer take_transformer(const TransformerConfig& config, Taker& taker) {
    auto weights = std::make_shared<TransformerWeights>();
    for (const Parameter& parameter : parameters(config, *weights)) {
        const Matrix drawn = taker.take(parameter.shape.rows, parameter.shape.cols);
        if (parameter.start == 1)
            *parameter.matrix = (drawn.array() * 0.2F + 1.0F).matrix();
        else if (parameter.deviation == 0)
            *parameter.matrix = drawn * 0.3F;
        else
            *parameter.matrix = drawn * static_cast<float>(1 / std::sqrt(static_cast<double>(parameter.shape.rows)));
    }
    return {config, std::move(weights), 1};
}

// Reads the expected numbers in the order of the script.
class Expected {
public:
    explicit Expected(const std::vector<float>& values) : values_(values) {}

    // Errors count absolutely up to 1 and relatively above.
    void agree(const std::string& name, const Matrix& ours) {
        ASSERT_LE(at_ + static_cast<std::size_t>(ours.size()), values_.size());
        double largest = 1;
        double worst = 0;
        for (Index i = 0; i < ours.size(); ++i) {
            const auto value = static_cast<double>(values_[at_++]);
            largest = std::max(largest, std::abs(value));
            const double off = std::abs(static_cast<double>(ours.data()[i]) - value);
            worst = std::isnan(off) ? INFINITY : std::max(worst, off);
        }
        EXPECT_LE(worst, 1e-5 * largest) << name;
        worst_ = std::max(worst_, worst / largest);
    }
    bool at_end() const { return at_ == values_.size(); }
    double worst() const { return worst_; }

private:
    const std::vector<float>& values_;
    std::size_t at_ = 0;
    double worst_ = 0;
};

TEST(TransformerTorch, EveryLayerAgreesForwardAndBackward) {
    const Result<NpyArray> pool = read_npy(folder / "inputs.npy");
    const Result<NpyArray> values = read_npy(folder / "transformer_expected.npy");
    ASSERT_TRUE(pool && values);
    Expected expected(values->values);
    std::ifstream cases(folder / "transformer_cases.txt");
    std::set<std::string> seen;  // what was tried
    std::size_t count = 0;
    for (std::string line; std::getline(cases, line); ++count) {
        SCOPED_TRACE(line);
        const Settings settings(line);
        Taker taker(pool->values, count);
        const TransformerConfig config = config_of(settings);
        ASSERT_TRUE(check_config(config).empty()) << check_config(config).front();
        const Transformer transformer = take_transformer(config, taker);
        TransformerInput input;
        const int n = settings.number("n");
        for (int i = 0; i < n && config.vocabulary > 0; ++i)
            input.tokens.push_back((3 * i + static_cast<int>(count)) % config.vocabulary);
        for (int i = 0; i < n && config.n_segments > 0; ++i) input.segments.push_back(i % config.n_segments);
        input.embeddings = taker.take(n, config.d_model);
        input.memory = taker.take(settings.number("m"), config.d_model);
        ASSERT_TRUE(check_input(transformer, input).empty()) << check_input(transformer, input).front();

        const TransformerTrace trace = run_transformer(transformer, input);
        OutputGradient loss;
        loss.output = taker.take(n, config.d_model);
        if (config.head != OutputHead::none) loss.logits = taker.take(n, config.vocabulary);
        TransformerGradients gradients = transformer_gradients(transformer, input, {}, trace, loss);
        expected.agree("output", trace.output);
        if (config.head != OutputHead::none) expected.agree("logits", trace.logits);
        expected.agree("d embeddings", gradients.embeddings);
        if (config.cross_attention) expected.agree("d memory", gradients.memory);
        for (const Parameter& parameter : parameters(config, gradients.weights))
            expected.agree("d " + parameter.name, *parameter.matrix);
        seen.insert({config.mixer, config.feed_forward, config.norm, settings.text("place"), settings.text("head")});
    }
    EXPECT_GT(count, 30U);
    EXPECT_TRUE(expected.at_end());
    for (const char* tried : {"attention", "convolution", "recurrence", "gru", "relu", "gelu", "gelu-tanh", "swiglu",
                              "none", "layer-norm", "rms-norm", "before", "after", "tied", "own"})
        EXPECT_TRUE(seen.contains(tried)) << tried;
    RecordProperty("worst", std::to_string(expected.worst()));
}

}  // namespace
}  // namespace heed::tests
