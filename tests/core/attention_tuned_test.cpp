// The tuned path agrees with the plain one, and with itself whatever was computed before.
#include "core/attention/gradients.h"
#include "core/attention/pipeline.h"

#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "tests/core/attention_models.h"
#include "tests/core/attention_near.h"

#include <cmath>
#include <functional>

namespace heed::tests {
namespace {

// Sizes that fill no vector, no panel and no block of rows.
Model odd_sized(Model model) {
    model.n_queries = 59;
    model.n_keys = 83;
    model.d_k = 21;
    model.d_v = 13;
    model.d_model = 17;
    for (SharedMask& mask : model.painted_mask) mask = SharedMask();
    fit_matrices(model);
    for (std::size_t h = 0; h < model.painted_mask.size(); ++h)
        model.painted_mask[h] = model.painted_mask[h].with([&](MaskMatrix& mask) {
            for (Index i = 0; i < mask.rows(); ++i)
                for (Index j = 0; j < mask.cols(); ++j) mask(i, j) = (i * 7 + j * 3 + static_cast<Index>(h)) % 5 != 0;
        });
    return model;
}

void expect_same_statistics(const WeightStatistics& a, const WeightStatistics& b) {
    const auto close = [](float x, float y) {
        return std::abs(x - y) <= 2e-5F * std::max(1.0F, std::abs(y)) || x == y;
    };
    if (std::isnan(b.sum)) return;
    EXPECT_TRUE(close(a.sum, b.sum)) << a.sum << " " << b.sum;
    EXPECT_TRUE(close(a.entropy, b.entropy)) << a.entropy << " " << b.entropy;
    EXPECT_TRUE(close(a.peak, b.peak)) << a.peak << " " << b.peak;
    EXPECT_TRUE(close(a.effective_keys, b.effective_keys)) << a.effective_keys << " " << b.effective_keys;
    EXPECT_TRUE(close(a.mean_distance, b.mean_distance)) << a.mean_distance << " " << b.mean_distance;
    EXPECT_TRUE(close(a.diagonal, b.diagonal)) << a.diagonal << " " << b.diagonal;
    EXPECT_TRUE(close(a.previous_token, b.previous_token)) << a.previous_token << " " << b.previous_token;
}

TEST(TunedAttention, AgreesWithThePlainPathForEverySetting) {
    for (const NamedModel& each : every_setting()) {
        SCOPED_TRACE(each.name);
        const Model model = odd_sized(each.model);
        ASSERT_TRUE(check_model(model).empty()) << check_model(model).front();
        const AttentionTrace plain = run_attention(model, Path::plain);
        const AttentionTrace tuned = run_attention(model, Path::always_tuned);
        for (Index h = 0; h < model.n_heads; ++h) {
            EXPECT_TRUE(near(tuned.q[h], plain.q[h], 1e-5));
            const double largest = static_cast<double>(plain.scores[h].cwiseAbs().maxCoeff());
            EXPECT_TRUE(near(tuned.scores[h], plain.scores[h], 1e-6 * std::max(1.0, largest)));
            EXPECT_TRUE(near(tuned.weights[h], plain.weights[h], model.source == Source::direct ? 2e-6 : 2e-5));
        }
        const double size = std::max(1.0, static_cast<double>(plain.output.cwiseAbs().maxCoeff()));
        EXPECT_TRUE(near(tuned.output, plain.output, 1e-5 * size));
        EXPECT_EQ(tuned.hidden_cells, plain.hidden_cells);
        EXPECT_EQ(tuned.fully_masked_rows, plain.fully_masked_rows);
        ASSERT_EQ(tuned.rows.size(), plain.rows.size());
        for (std::size_t i = 0; i < plain.rows.size(); ++i) expect_same_statistics(tuned.rows[i], plain.rows[i]);
    }
}

TEST(TunedAttention, GradientsAgreeWithThePlainPathForEverySetting) {
    for (const NamedModel& each : every_setting()) {
        if (each.model.normalizer->masked_row == MaskedRow::nan) continue;
        SCOPED_TRACE(each.name);
        const Model model = odd_sized(each.model);
        const AttentionTrace trace = run_attention(model, Path::plain);
        const Matrix d_output = random_matrix(trace.output.rows(), trace.output.cols(), 3);
        const AttentionGradients plain = attention_gradients(model, trace, d_output, Path::plain);
        const AttentionGradients tuned = attention_gradients(model, trace, d_output, Path::always_tuned);
        const auto agree = [&](const char* name, const Stack& a, const Stack& b) {
            for (Index i = 0; i < b.count(); ++i)
                EXPECT_TRUE(near(a[i], b[i], 1e-5 * (1 + static_cast<double>(b[i].cwiseAbs().maxCoeff())))) << name;
        };
        agree("d_weights", tuned.d_weights, plain.d_weights);
        agree("d_logits", tuned.d_logits, plain.d_logits);
        agree("d_scores", tuned.d_scores, plain.d_scores);
        agree("q", tuned.q, plain.q);
        agree("k", tuned.k, plain.k);
        agree("v", tuned.v, plain.v);
    }
}

// What a user does to one trace, one after the other: the numbers never depend on what was there before.
TEST(TunedAttention, KeepsOnlyWhatStillHolds) {
    Model model = odd_sized(small_model());
    AttentionTrace trace;
    const std::vector<std::pair<const char*, std::function<void(Model&)>>> changes{
        {"nothing", [](Model&) {}},
        {"temperature", [](Model& m) { m.temperature = 0.5F; }},
        {"causal", [](Model& m) { m.mask->causal = true; }},
        {"a value", [](Model& m) { m.v[1] = m.v[1].with([](Matrix& v) { v(3, 2) = 9; }); }},
        {"a key", [](Model& m) { m.k[0] = m.k[0].with([](Matrix& k) { k(5, 2) = 2; }); }},
        {"a query", [](Model& m) { m.q[1] = m.q[1].with([](Matrix& q) { q(4, 1) = -3; }); }},
        {"a gain", [](Model& m) { m.heads[1].gain = 0.25F; }},
        {"a key and a gain",
         [](Model& m) {
             m.k[1] = m.k[1].with([](Matrix& k) { k(0, 0) = 1.5F; });
             m.heads[0].gain = 2;
         }},
        {"rotary", [](Model& m) { m.position->encoding = "rope"; }},
        {"offset", [](Model& m) { m.query_offset = 4; }},
        {"no rotary", [](Model& m) { m.position->encoding = "none"; }},
        {"offset without position", [](Model& m) { m.query_offset = -4; }},
        {"uniform", [](Model& m) { m.normalizer->masked_row = MaskedRow::uniform; }},
        {"dot", [](Model& m) { m.score = "dot"; }},
        {"cosine", [](Model& m) { m.score = "cosine"; }},
        {"soft cap", [](Model& m) { m.scale->soft_cap = 1.5F; }},
        {"no soft cap", [](Model& m) { m.scale->soft_cap.reset(); }},
        {"additive", [](Model& m) { m.score = "additive"; }},
        {"its parameters", [](Model& m) { m.additive_v = m.additive_v.with([](Matrix& v) { v(0, 1) = 3; }); }},
        {"fewer keys", [](Model& m) { m.n_keys = 40; }},
        {"d_v", [](Model& m) { m.d_v = 5; }},
        {"d_k", [](Model& m) { m.d_k = 8; }},
        {"painted", [](Model& m) { m.mask->painted = true; }},
        {"projected", [](Model& m) { m.source = Source::projected; }},
        {"W_O", [](Model& m) { m.output_projection = true; }},
        {"all heads off",
         [](Model& m) {
             for (HeadSetting& head : m.heads) head.on = false;
         }},
        {"one head on", [](Model& m) { m.heads[2].on = true; }},
        {"sinusoidal", [](Model& m) { m.position->encoding = "sinusoidal"; }},
        {"embedding scale", [](Model& m) { m.position->embedding_scale = false; }},
        {"a projection", [](Model& m) { m.w_v[0] = m.w_v[0].with([](Matrix& w) { w(0, 0) = 2; }); }},
        {"self-attention", [](Model& m) { m.self_attention = true; }},
        {"learned", [](Model& m) { m.position->encoding = "learned"; }},
        {"seed", [](Model& m) { m.seed = 77; }},
        {"temperature 0", [](Model& m) { m.temperature = 0; }},
        {"sparsemax",
         [](Model& m) {
             m.temperature = 2;
             m.normalizer->id = "sparsemax";
         }},
        {"one key head", [](Model& m) { m.n_kv_heads = 1; }},
        {"back to softmax",
         [](Model& m) {
             m.normalizer->id = "softmax";
             m.score = "scaled-dot";
         }},
    };
    for (const auto& [name, change] : changes) {
        SCOPED_TRACE(name);
        change(model);
        fit_matrices(model);
        ASSERT_TRUE(run_attention(model, trace, Path::always_tuned));
        const AttentionTrace fresh = run_attention(model, Path::always_tuned);
        EXPECT_TRUE(near(trace.output, fresh.output, 0));
        for (Index h = 0; h < model.n_heads; ++h) {
            EXPECT_TRUE(near(trace.scores[h], fresh.scores[h], 0));
            EXPECT_TRUE(near(trace.weights[h], fresh.weights[h], 0));
        }
    }
}

TEST(TunedAttention, RecomputesOnlyTheHeadsThatChanged) {
    Model model = odd_sized(small_model());
    model.n_kv_heads = model.n_heads;
    fit_matrices(model);
    AttentionTrace trace = run_attention(model, Path::always_tuned);
    for (Index head = 0; head < model.n_heads; ++head) trace.weights[head](0, 0) = 7;
    model.k[1] = model.k[1].with([](Matrix& k) { k(5, 2) = 2; });
    model.heads[0].gain = 3;
    ASSERT_TRUE(run_attention(model, trace, Path::always_tuned));
    for (Index head = 0; head < model.n_heads; ++head) EXPECT_EQ(trace.weights[head](0, 0) == 7, head != 1) << head;
    EXPECT_TRUE(near(trace.output, run_attention(model, Path::always_tuned).output, 0));
    model.temperature = 0.75F;
    ASSERT_TRUE(run_attention(model, trace, Path::always_tuned));
    for (Index head = 0; head < model.n_heads; ++head) EXPECT_NE(trace.weights[head](0, 0), 7) << head;
}

TEST(TunedAttention, CancelledTraceKeepsNothing) {
    Model model = odd_sized(small_model());
    AttentionTrace trace = run_attention(model, Path::always_tuned);
    model.score = "cosine";
    const std::atomic<bool> cancel = true;
    EXPECT_FALSE(run_attention(model, trace, Path::always_tuned, &cancel));
    ASSERT_TRUE(run_attention(model, trace, Path::always_tuned));
    EXPECT_TRUE(near(trace.output, run_attention(model, Path::always_tuned).output, 0));
}

TEST(TunedAttention, RepeatedWordsTieWhereverTheyStand) {
    Model model = odd_sized(small_model());
    model.temperature = 0;
    for (SharedMatrix& keys : model.k)
        keys = keys.with([](Matrix& k) {
            for (Index j = 0; j < k.rows(); ++j) k.row(j) = k.row(0).eval();
        });
    const AttentionTrace trace = run_attention(model, Path::always_tuned);
    for (Index h = 0; h < model.n_heads; ++h)
        EXPECT_TRUE(near(trace.weights[h], Matrix::Constant(59, 83, 1.0F / 83.0F), 1e-9));
}

TEST(TunedAttention, NumbersTooLargeForFloatProductsTakeThePlainPath) {
    Model model = odd_sized(small_model());
    model.scale->scaling = Scaling::typed;
    model.scale->typed_scale = 1e-36F;
    for (SharedMatrix& q : model.q) q = q.with([](Matrix& a) { a *= 1e18F; });
    for (SharedMatrix& k : model.k) k = k.with([](Matrix& a) { a *= 1e18F; });
    const AttentionTrace trace = run_attention(model, Path::always_tuned);
    EXPECT_TRUE(trace.weights[0].allFinite());
    EXPECT_TRUE(near(trace.output, run_attention(model, Path::plain).output, 0));
}

}  // namespace
}  // namespace heed::tests
