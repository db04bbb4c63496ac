// Contributions, the split of a change, and heads made by design.
#include "core/analysis/change_split.h"
#include "core/analysis/contributions.h"
#include "core/analysis/head_presets.h"
#include "core/analysis/head_statistics.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/random.h"
#include "core/scene.h"
#include "tests/any_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace heed {
namespace {

Model random_model(std::uint64_t seed) {
    Model model;
    model.seed = seed;
    auto pick = [&, draw = std::uint64_t{0}](std::uint64_t n) mutable { return bits_at(seed, 77, draw++, 0) % n; };
    model.n_queries = 3 + static_cast<int>(pick(5));
    model.d_k = 2 + static_cast<int>(pick(9));
    model.source = pick(2) == 0 ? Source::direct : Source::projected;
    model.output_projection = pick(2) == 0;
    const auto any_number = [&] { return pick(std::numeric_limits<std::uint64_t>::max()); };
    model.score = tests::row_drawn(score_functions(), any_number());
    model.normalizer->id = tests::row_drawn(normalizers(), any_number());
    model.temperature = 0.3F + static_cast<float>(pick(5));
    model.mask->causal = pick(2) == 0;
    model.position->encoding = tests::row_drawn(position_encodings(), any_number());
    if (pick(3) == 0) model.scale->soft_cap = 2.0F;
    fit_matrices(model);
    return model;
}

TEST(ChangeSplit, PartsSumToTheChangeOnRandomScenes) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Model a = random_model(seed);
        const Model b = random_model(seed + 1000);
        const AttentionTrace trace_a = run_attention(a);
        const AttentionTrace trace_b = run_attention(b);
        const ChangeSplit split = split_change(a, trace_a, b, trace_b, 1, {2, 1});
        ASSERT_TRUE(split.is_possible);
        EXPECT_NEAR(split.before, trace_a.weights[1](2, 1), 1e-6) << seed;
        EXPECT_NEAR(split.after, trace_b.weights[1](2, 1), 1e-6) << seed;
        const double sum = std::accumulate(split.parts.begin(), split.parts.end(), 0.0);
        EXPECT_NEAR(sum, split.after - split.before, 1e-6) << seed;
    }
}

TEST(ChangeSplit, OnlyTheCauseThatMovedGetsAShare) {
    const Model a = default_scene().model;
    Model b = a;
    b.temperature = 3;
    const ChangeSplit split = split_change(a, run_attention(a), b, run_attention(b), 0, {4, 0});
    EXPECT_NE(split.parts[static_cast<std::size_t>(Cause::scale)], 0);
    for (const Cause cause : {Cause::query, Cause::key, Cause::mask, Cause::competitors})
        EXPECT_EQ(split.parts[static_cast<std::size_t>(cause)], 0);
}

TEST(ChangeSplit, ACellThatIsInOneStateOnlyCannotBeSplit) {
    const Model a = default_scene().model;
    Model b = a;
    b.n_queries = 3;
    EXPECT_FALSE(split_change(a, run_attention(a), b, run_attention(b), 0, {4, 0}).is_possible);
}

TEST(Contributions, OfAllHeadsSumToTheOutput) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Model model = random_model(seed);
        model.heads[1].gain = 0.5F;
        model.heads[2].on = false;
        const AttentionTrace trace = run_attention(model);
        Matrix sum = Matrix::Zero(trace.output.rows(), trace.output.cols());
        for (int head = 0; head < model.n_heads; ++head) sum += head_contribution(model, trace, head);
        EXPECT_LE((sum - trace.output).cwiseAbs().maxCoeff(), 1e-6F) << seed;
    }
}

TEST(Contributions, ALargeWeightOnATinyValueDoesNothing) {
    Model model = default_scene().model;
    model.v[0] = model.v[0].with([](Matrix& v) { v.row(0).setZero(); });
    const AttentionTrace trace = run_attention(model);
    EXPECT_GT(trace.weights[0](0, 0), 0.99F);
    EXPECT_EQ(contribution_map(model, trace, 0, false)(0, 0), 0);
}

TEST(HeadSimilarity, AHeadIsLikeItself) {
    const Model model = default_scene().model;
    const Matrix similarity = head_similarity(run_attention(model));
    for (Index head = 0; head < 4; ++head) EXPECT_NEAR(similarity(head, head), 1, 1e-5F);
    EXPECT_LT(similarity(0, 1), 0.999F);
}

TEST(HeadSimilarity, RowsThatAreNanByChoiceAreLeftOut) {
    Scene scene = default_scene();
    scene.model.mask->causal = true;
    scene.model.query_offset = -1;
    scene.model.normalizer->masked_row = MaskedRow::nan;
    const AttentionTrace trace = run_attention(scene.model);
    ASSERT_TRUE(std::isnan(trace.weights[0](0, 0)));
    const Matrix similarity = head_similarity(trace);
    for (Index head = 0; head < similarity.rows(); ++head) EXPECT_NEAR(similarity(head, head), 1, 1e-5);
}

TEST(HeadSimilarity, IndependentCausalHeadsAreNotAlike) {
    double sum = 0;
    int pairs = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Model model;
        model.seed = seed;
        model.n_queries = 16;
        model.mask->causal = true;
        fit_matrices(model);
        const Matrix similarity = head_similarity(run_attention(model));
        for (Index a = 0; a < 4; ++a)
            for (Index b = a + 1; b < 4; ++b) {
                EXPECT_LT(std::abs(similarity(a, b)), 0.5F) << seed;
                sum += static_cast<double>(similarity(a, b));
                ++pairs;
            }
    }
    EXPECT_NEAR(sum / pairs, 0, 0.05);
}

TEST(HeadSimilarity, EvenHeadsAreLikeEachOtherAndLikeNoOther) {
    Model model = default_scene().model;
    for (const std::size_t head : {0U, 1U}) model.q[head] = SharedMatrix(Matrix(Matrix::Zero(6, 16)));
    const Matrix similarity = head_similarity(run_attention(model));
    EXPECT_EQ(similarity(0, 1), 1);
    EXPECT_EQ(similarity(0, 2), 0);
    EXPECT_NEAR(similarity(2, 2), 1, 1e-5F);
}

TEST(HeadStatistics, DistancesAcrossTwoSentencesNameNoHead) {
    Model model;
    model.self_attention = false;
    model.n_queries = model.n_keys = 8;
    fit_matrices(model);
    // A translation word by word: key i for query i.
    for (SharedMatrix& q : model.q) q = SharedMatrix(Matrix(Matrix::Identity(8, 16) * 40.0F));
    for (SharedMatrix& k : model.k) k = SharedMatrix(Matrix(Matrix::Identity(8, 16)));
    const auto kind = [&] { return head_archetype(model, run_attention(model), 0).id; };
    EXPECT_EQ(kind(), "none");
    model.self_attention = true;
    EXPECT_EQ(kind(), "diagonal");
    model.self_attention = false;
    for (SharedMatrix& q : model.q) q = SharedMatrix(Matrix(Matrix::Ones(8, 16)));
    for (SharedMatrix& k : model.k)
        k = k.with([](Matrix& keys) {
            keys.setZero();
            keys.row(0).setConstant(3);
        });
    EXPECT_EQ(kind(), "first-token") << "a sink needs no distance";
}

TEST(WinningHeads, ATieHasNoWinner) {
    AttentionTrace trace = run_attention(default_scene().model);
    for (Index head = 0; head < 4; ++head) trace.weights[head].setConstant(0.2F);
    trace.weights[2](1, 1) = 0.3F;
    trace.weights[0](3, 3) = trace.weights[1](3, 3) = trace.weights[2](3, 3) = trace.weights[3](3, 3) = 0;
    const auto winner = winning_heads(trace);
    EXPECT_EQ(winner(0, 0), tied_heads);
    EXPECT_EQ(winner(1, 1), 2);
    EXPECT_EQ(winner(3, 3), no_head);
}

TEST(HeadPresets, EveryPresetEarnsItsLabelAtEverySize) {
    for (const Source source : {Source::direct, Source::projected})
        for (const int n : {8, 16, 64})
            for (const int d_k : {8, 16, 64})
                for (const HeadPreset& preset : head_presets()) {
                    Model model;
                    model.source = source;
                    model.n_queries = n;
                    model.d_k = d_k;
                    fit_matrices(model);
                    const int head = add_preset_head(model, preset.id);
                    ASSERT_TRUE(check_model(model).empty()) << check_model(model).front();
                    if (preset.id == "induction") continue;  // needs a word that comes twice, below
                    const AttentionTrace trace = run_attention(model);
                    EXPECT_EQ(head_archetype(model, trace, head).id, preset.archetype)
                        << preset.id << " n " << n << " d_k " << d_k;
                }
}

TEST(HeadPresets, EveryPresetEarnsItsLabelWhateverThePosition) {
    for (const PositionEncoding& position : position_encodings())
        for (const Source source : {Source::direct, Source::projected})
            for (const bool self_attention : {true, false})
                for (const HeadPreset& preset : head_presets()) {
                    Model model;
                    model.source = source;
                    model.position->encoding = position.id;
                    model.self_attention = self_attention;
                    model.n_queries = model.n_keys = 16;
                    fit_matrices(model);
                    ASSERT_EQ(why_no_preset_head(model).empty(), position.bias == nullptr) << position.id;
                    if (position.bias != nullptr || preset.id == "induction") continue;
                    const int head = add_preset_head(model, preset.id);
                    ASSERT_TRUE(check_model(model).empty()) << check_model(model).front();
                    const AttentionTrace trace = run_attention(model);
                    model.self_attention = true;  // the label is about distances, which two sentences do not have
                    EXPECT_EQ(head_archetype(model, trace, head).id, preset.archetype)
                        << preset.id << " with " << position.id
                        << (source == Source::direct ? ", direct" : ", projected");
                }
}

TEST(HeadPresets, ABiasOrMaskOfEachHeadDoesNotStandInTheWay) {
    Model model;
    fit_matrices(model);
    model.bias.assign(4, SharedMatrix(Matrix::Constant(6, 6, -std::numeric_limits<float>::infinity())));
    model.painted_mask.assign(4, SharedMask(MaskMatrix::Zero(6, 6)));
    model.bias_on = model.mask->painted = true;
    const int head = add_preset_head(model, "first-token");
    ASSERT_TRUE(check_model(model).empty()) << check_model(model).front();
    EXPECT_GT(run_attention(model).weights[head](5, 0), 0.95F);
}

TEST(HeadPresets, AFullModelSaysSoAndAHeadThatWasTurnedOffComesBackOn) {
    Model model;
    model.n_heads = model.n_kv_heads = max_heads;
    fit_matrices(model);
    EXPECT_FALSE(why_no_preset_head(model).empty());
    model.n_heads = model.n_kv_heads = 3;
    model.heads[3] = {.on = false, .gain = 0};
    EXPECT_EQ(add_preset_head(model, "global"), 3);
    EXPECT_EQ(model.heads[3], HeadSetting());
}

TEST(HeadPresets, InductionLooksAtWhatFollowedTheSameWord) {
    Model model;
    model.query_tokens = split_tokens("a b c d a b");
    model.mask->causal = true;
    fit_matrices(model);
    const int head = add_preset_head(model, "induction");
    const AttentionTrace trace = run_attention(model);
    EXPECT_GT(trace.weights[head](4, 1), 0.95F);  // the second a looks at the b after the first
    EXPECT_GT(trace.weights[head](5, 2), 0.95F);
}

TEST(HeadPresets, AddingAHeadLeavesTheOthersAsTheyWere) {
    for (const Source source : {Source::direct, Source::projected}) {
        Model model;
        model.source = source;
        model.n_kv_heads = 2;
        fit_matrices(model);
        const AttentionTrace before = run_attention(model);
        add_preset_head(model, "previous-token");
        const AttentionTrace after = run_attention(model);
        for (int head = 0; head < 4; ++head)
            EXPECT_LE((before.weights[head] - after.weights[head]).cwiseAbs().maxCoeff(), 1e-5F) << head;
    }
}

}  // namespace
}  // namespace heed
