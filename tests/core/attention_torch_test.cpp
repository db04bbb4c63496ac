// Agreement with PyTorch on everything it can express, forward and backward: see tests/golden/make_torch.py.
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "heed_test_paths.h"

#include "core/attention/gradients.h"
#include "core/attention/pipeline.h"
#include "core/files/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

namespace heed::tests {
namespace {

const std::filesystem::path folder = std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/torch";

using Settings = std::map<std::string, std::string>;

Settings settings_of(const std::string& line) {
    Settings out;
    std::istringstream words(line);
    for (std::string word; words >> word;) out[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    return out;
}

float number(const std::string& text) { return std::strtof(text.c_str(), nullptr); }

std::vector<int> numbers(const std::string& text, char separator) {
    std::vector<int> out;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, separator);) out.push_back(std::atoi(part.c_str()));
    return out;
}

// Consecutive numbers of the pool, as the script takes them.
class Taker {
public:
    Taker(const std::vector<float>& pool, std::size_t case_number) : pool_(pool), at_(case_number * 101) {}

    Matrix take(Index rows, Index cols, float factor = 1) {
        Matrix out(rows, cols);
        for (Index i = 0; i < out.size(); ++i) out.data()[i] = pool_[at_++ % pool_.size()] * factor;
        return out;
    }
    std::vector<SharedMatrix> take_many(int count, Index rows, Index cols, float factor = 1) {
        std::vector<SharedMatrix> out;
        for (int i = 0; i < count; ++i) out.emplace_back(take(rows, cols, factor));
        return out;
    }

private:
    const std::vector<float>& pool_;
    std::size_t at_;
};

void set_mask(Model& model, const std::string& mask) {
    model.mask->causal = mask == "causal" || mask == "offset" || mask == "blind";
    model.query_offset = mask == "offset" ? 2 : mask == "blind" ? -2 : 0;
    model.mask->padding = mask == "padding" || mask == "blind" ? 1 : 0;
    model.mask->window = mask == "window" || mask == "global";
    model.mask->window_left = 1;
    model.mask->window_right = mask == "window" ? 0 : 1;
    model.mask->painted = mask == "painted";
    model.mask->stride = mask == "stride" ? 2 : 0;
    model.mask->block = mask == "block" ? 2 : 0;
    model.mask->global_tokens = mask == "global" ? 1 : 0;
}

void set_numbers(Model& model, Taker& taker, const Settings& settings) {
    const float size = number(settings.at("size"));
    const auto projection = static_cast<float>(static_cast<double>(size) / std::sqrt(model.d_model));
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    const Index d = model.d_model;
    model.q = taker.take_many(model.n_heads, n, model.d_k, size);
    model.k = taker.take_many(model.n_kv_heads, m, model.d_k, size);
    model.v = taker.take_many(model.n_kv_heads, m, model.d_v);
    model.x = taker.take(n, d);
    model.y = taker.take(m, d);
    model.w_q = taker.take_many(model.n_heads, d, model.d_k, projection);
    model.w_k = taker.take_many(model.n_kv_heads, d, model.d_k, projection);
    model.w_v = taker.take_many(model.n_kv_heads, d, model.d_v, projection);
    model.w_o = taker.take_many(model.n_heads, model.d_v, d);
    model.additive_w_q = taker.take(model.d_additive, model.d_k);
    model.additive_w_k = taker.take(model.d_additive, model.d_k);
    model.additive_v = taker.take(1, model.d_additive, size);
    model.bias = taker.take_many(settings.at("bias") == "per-head" ? model.n_heads : 1, n, m);
    for (SharedMatrix& bias : model.bias)
        bias = bias.with([](Matrix& b) { b = (b.array() < -1.2F).select(-std::numeric_limits<float>::infinity(), b); });
    model.painted_mask.clear();
    for (const SharedMatrix& drawn : taker.take_many(model.n_heads, n, m))
        model.painted_mask.emplace_back(MaskMatrix((drawn->array() > -0.6F).cast<std::uint8_t>()));
}

Model model_of(const Settings& settings, Taker& taker) {
    Model model;
    const std::vector<int> shape = numbers(settings.at("shape"), 'x');
    const std::vector<int> heads = numbers(settings.at("heads"), '/');
    model.self_attention = settings.at("source") == "self";
    model.source = settings.at("source") == "direct" ? Source::direct : Source::projected;
    model.n_queries = shape[0];
    model.n_keys = shape[1];
    model.d_k = shape[2];
    model.d_v = shape[3];
    model.d_model = 3;
    model.d_additive = 2;
    model.n_heads = heads[0];
    model.n_kv_heads = heads[1];
    model.output_projection = settings.at("output_projection") == "1";
    model.score = settings.at("score");
    const std::string& scale = settings.at("scale");
    model.scale->scaling = scale == "automatic" ? Scaling::automatic : scale == "off" ? Scaling::off : Scaling::typed;
    if (model.scale->scaling == Scaling::typed) model.scale->typed_scale = number(scale);
    model.temperature = number(settings.at("temperature"));
    if (settings.at("softcap") != "none") model.scale->soft_cap = number(settings.at("softcap"));
    set_mask(model, settings.at("mask"));
    model.normalizer->masked_row = settings.at("masked_row") == "zero" ? MaskedRow::zero : MaskedRow::uniform;
    model.bias_on = settings.at("bias") != "none";
    model.position->encoding = settings.at("position");
    model.normalizer->id = settings.at("normalizer");
    model.heads.resize(static_cast<std::size_t>(model.n_heads));
    if (settings.at("gains") == "mixed") {
        model.heads.front().on = false;
        model.heads.back().gain = -0.5F;
    }
    set_numbers(model, taker, settings);
    return model;
}

struct Errors {
    double worst = 0;
    double largest = 1;  // of the expected numbers, at least 1: errors are relative above it

    void add(const Errors& other) {
        worst = std::max(worst, other.worst);
        largest = std::max(largest, other.largest);
    }
};

// Compares with the expected numbers in the order in which the script wrote them.
class Expected {
public:
    explicit Expected(const std::vector<float>& values) : values_(values) {}

    Errors errors(const Matrix& ours) {
        Errors out;
        for (Index i = 0; i < ours.size(); ++i) {
            const auto value = static_cast<double>(values_[at_++]);
            const double off = std::abs(static_cast<double>(ours.data()[i]) - value);
            out.add({std::isnan(off) ? std::numeric_limits<double>::infinity() : off, std::abs(value)});
        }
        return out;
    }
    Errors errors(const Stack& ours) {
        Errors out;
        for (Index i = 0; i < ours.count(); ++i) out.add(errors(Matrix(ours[i])));
        return out;
    }
    bool at_end() const { return at_ == values_.size(); }

private:
    const std::vector<float>& values_;
    std::size_t at_ = 0;
};

Errors gradient_errors(const Model& model, const AttentionGradients& ours, Expected& expected) {
    Errors out;
    const auto compare = [&](const auto& gradient) { out.add(expected.errors(gradient)); };
    if (model.source == Source::direct) {
        compare(ours.q);
        compare(ours.k);
        compare(ours.v);
    } else {
        compare(ours.x);
        compare(ours.w_q);
        compare(ours.w_k);
        compare(ours.w_v);
        if (!model.self_attention) compare(ours.y);
    }
    if (model.output_projection) compare(ours.w_o);
    if (model.score == "additive") {
        compare(ours.additive_w_q);
        compare(ours.additive_w_k);
        compare(ours.additive_v);
    }
    return out;
}

// Over all cases of unit or larger size: ours, PyTorch's float32, and the worst of ours.
struct Tally {
    double ours = 0;
    double torch = 0;
    double worst = 0;
};

// Of two computations in float either may be the luckier one in a single case; what counts is the sum over cases.
constexpr double luck = 4;

void expect_agreement(const Errors& errors, double allowed, double torch_error, bool unit, Tally& tally) {
    EXPECT_LE(errors.worst, unit ? allowed * errors.largest : std::max(allowed * errors.largest, luck * torch_error));
    tally.ours += errors.worst;
    tally.torch += torch_error;
    tally.worst = std::max(tally.worst, errors.worst / errors.largest);
}

// `ratio`: how much larger than PyTorch's float32 errors ours may be on the whole.
void expect_every_case_to_agree(Path path, double ratio) {
    const Result<NpyArray> pool = read_npy(folder / "inputs.npy");
    const Result<NpyArray> values = read_npy(folder / "expected.npy");
    ASSERT_TRUE(pool && values);
    Expected expected(values->values);
    std::ifstream cases(folder / "cases.txt");
    std::map<bool, std::map<std::string, Tally>> tallies;  // by unit size, then by result
    std::size_t count = 0;
    for (std::string line; std::getline(cases, line); ++count) {
        SCOPED_TRACE(line);
        const Settings settings = settings_of(line);
        Taker taker(pool->values, count);
        const Model model = model_of(settings, taker);
        ASSERT_TRUE(check_model(model).empty()) << check_model(model).front();
        const AttentionTrace trace = run_attention(model, path);
        const Matrix d_output = taker.take(trace.output.rows(), trace.output.cols());
        const AttentionGradients gradients = attention_gradients(model, trace, d_output, path);

        const bool unit = settings.at("size") == "1";
        const auto agree = [&](const std::string& what, double allowed, const Errors& errors) {
            SCOPED_TRACE(what);
            expect_agreement(errors, allowed, std::atof(settings.at("error_" + what).c_str()), unit,
                             tallies[unit][what]);
        };
        agree("weights", 1e-6, expected.errors(trace.weights));
        agree("output", 3e-6, expected.errors(trace.output));
        agree("gradients", 1e-5, gradient_errors(model, gradients, expected));
    }
    EXPECT_GT(count, 300U);
    EXPECT_TRUE(expected.at_end());
    for (const auto& [unit, by_result] : tallies)
        for (const auto& [what, tally] : by_result) {
            EXPECT_LE(tally.ours, ratio * tally.torch) << what << (unit ? ", unit scale" : ", larger numbers");
            std::ostringstream worst;
            worst << tally.worst << " (sum over cases " << tally.ours << ", PyTorch's float32 " << tally.torch << ")";
            testing::Test::RecordProperty(what + (unit ? "_unit" : "_larger"), worst.str());
        }
}

TEST(Torch, EveryThreeSettingsTogetherAgreeForwardAndBackward) { expect_every_case_to_agree(Path::plain, 0.7); }

TEST(Torch, TunedPathAgreesToo) { expect_every_case_to_agree(Path::always_tuned, 1.2); }

}  // namespace
}  // namespace heed::tests
