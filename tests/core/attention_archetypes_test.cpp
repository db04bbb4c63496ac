#include "core/analysis/head_statistics.h"

#include "core/attention/pipeline.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::tests {
namespace {

// A head whose logits are given: q is the identity (d_k = n) and k holds them.
template <typename Logit>
Model constructed(int n, bool causal, Logit&& logit) {
    Model model;
    model.n_queries = n;
    model.d_k = n;
    model.d_v = 1;
    model.n_heads = model.n_kv_heads = 1;
    model.score = "dot";
    model.mask->causal = causal;
    fit_matrices(model);
    Matrix keys(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) keys(j, i) = static_cast<float>(logit(i, j));
    model.q[0] = Matrix(Matrix::Identity(n, n));
    model.k[0] = keys;
    return model;
}

Archetype label(const Model& model, int head = 0) { return head_archetype(model, run_attention(model), head); }

class ArchetypeOfSize : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Tokens, ArchetypeOfSize, testing::Values(8, 16, 64));

TEST_P(ArchetypeOfSize, ConstructedHeadsAreNamed) {
    const int n = GetParam();
    const auto on_key = [](int step) { return [step](int i, int j) { return j == i + step ? 5.0 : 0.0; }; };
    for (const bool causal : {false, true}) {
        SCOPED_TRACE(causal ? "causal" : "sees all");
        EXPECT_EQ(label(constructed(n, causal, on_key(-1))).id, "previous-token");
        EXPECT_EQ(label(constructed(n, causal, on_key(0))).id, "diagonal");
        EXPECT_EQ(label(constructed(n, causal, [](int, int j) { return j == 0 ? 5.0 : 0.0; })).id, "first-token");
        EXPECT_EQ(label(constructed(n, causal, [](int i, int j) { return -0.8 * std::abs(i - j); })).id, "local");
        EXPECT_EQ(label(constructed(n, causal, [](int, int) { return 0.5; })).id, "global");
    }
    EXPECT_EQ(label(constructed(n, false, on_key(1))).id, "next-token");
}

TEST_P(ArchetypeOfSize, RandomHeadsHaveNone) {
    for (const bool causal : {false, true})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            Model model;
            model.seed = seed;
            model.n_queries = GetParam();
            model.mask->causal = causal;
            fit_matrices(model);
            const AttentionTrace trace = run_attention(model);
            for (int head = 0; head < model.n_heads; ++head)
                EXPECT_EQ(head_archetype(model, trace, head).id, "none") << "seed " << seed << ", head " << head;
        }
}

TEST(Archetype, EvidenceIsMeasuredAgainstChanceUnderTheMask) {
    const Model even = constructed(8, true, [](int, int) { return 0.0; });
    const Archetype global = label(even);
    EXPECT_EQ(global.id, "global");
    EXPECT_NEAR(global.evidence, 1, 1e-5);
    const Archetype sink = label(constructed(8, true, [](int, int j) { return j == 0 ? 50.0 : 0.0; }));
    EXPECT_NEAR(sink.value, 1, 1e-5);
    EXPECT_NEAR(sink.evidence, 1, 1e-5);
    EXPECT_NEAR(sink.chance, (1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6 + 1.0 / 7 + 1.0 / 8) / 7, 1e-5);
}

TEST(Archetype, NothingIsClaimedOfTooFewTokensOrOfNaN) {
    EXPECT_EQ(label(constructed(2, false, [](int, int) { return 0.0; })).id, "none");
    Model model = constructed(8, false, [](int, int) { return 0.0; });
    model.mask->padding = 8;
    model.normalizer->masked_row = MaskedRow::nan;
    EXPECT_EQ(label(model).id, "none");
}

TEST(Archetype, EvenWeightInsideANarrowWindowIsNotGlobal) {
    Model model = constructed(16, false, [](int, int) { return 0.0; });
    model.mask->window = true;
    model.mask->window_left = model.mask->window_right = 1;
    EXPECT_EQ(label(model).id, "none");
}

}  // namespace
}  // namespace heed::tests
