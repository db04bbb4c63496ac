// The numbers behind the Reach view: stacks made from a scene, what is measured and counted of them, one shared context.
#include "core/reach/reach_study.h"
#include "core/attention/pipeline.h"
#include "core/model/mask_settings.h"
#include "core/reach/shared_context.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

Model text_of(int n) {
    Model model = default_scene().model;
    model.self_attention = true;
    *model.mask = {};
    model.n_queries = model.n_keys = n;
    fit_matrices(model);
    return model;
}

TEST(ReachStudy, DistanceOf127TakesTheLayersOfTheText) {
    const auto needs = reach_needs(reach_attention(text_of(8)), {});
    ASSERT_EQ(needs.size(), 5U) << "kernel 3 is there already";
    const int layers[] = {1, 127, 43, 7, 1};
    const int moves[] = {1, 127, 43, 7, 127};
    for (std::size_t i = 0; i < needs.size(); ++i) {
        EXPECT_EQ(needs[i].layers, layers[i]) << i;
        EXPECT_EQ(needs[i].moves, moves[i]) << i;
    }
    Model causal = text_of(8);
    causal.mask->causal = true;
    EXPECT_EQ(reach_needs(reach_attention(causal), {})[1].layers, 64) << "both other taps lie behind";
    ReachDisplay even;
    even.kernel = 5;
    even.dilation = 2;
    EXPECT_EQ(reach_needs(reach_attention(text_of(8)), even).size(), 6U);
    EXPECT_FALSE(reach_needs(reach_attention(text_of(8)), even)[4].layers) << "127 is odd";
}

// So that a slider of attention has nothing measured or counted again that it does not change.
TEST(ReachStudy, TemperatureConcernsAttentionAndNeitherTheOthersNorWhatIsCounted) {
    Model model = text_of(10);
    model.mask->causal = true;
    model.mask->window = true;
    Model hot = model;
    hot.temperature = 3;
    hot.score = "cosine";
    const ReachDisplay display;
    const Model cold_attention = reach_attention(model), hot_attention = reach_attention(hot);
    for (const ReachMixer mixer : reach_mixers)
        EXPECT_EQ(reach_config(cold_attention, display, mixer) == reach_config(hot_attention, display, mixer),
                  mixer != ReachMixer::attention);
    EXPECT_EQ(reach_visibility(cold_attention), reach_visibility(hot_attention));
    TransformerConfig config = reach_config(hot_attention, display, ReachMixer::attention);
    const ReachCount counted = counted_reach(config, 10, 1, 8);
    config.attention = reach_visibility(config.attention);
    const ReachCount seen = counted_reach(config, 10, 1, 8);
    EXPECT_TRUE(same(counted.cells, seen.cells));
    EXPECT_EQ(counted.path, seen.path);
    EXPECT_EQ(counted.layers_needed, seen.layers_needed);
    EXPECT_EQ(reach_needs(reach_visibility(hot_attention), display)[0].layers,
              reach_needs(hot_attention, display)[0].layers);
    Model free = model;
    free.mask->causal = false;
    EXPECT_FALSE(reach_config(reach_attention(free), display, ReachMixer::convolution) ==
                 reach_config(cold_attention, display, ReachMixer::convolution))
        << "a causal convolution is another one";
}

// A global token sees all in one layer; every other one needs two.
TEST(ReachStudy, LayersForADistanceAreThoseOfATokenThatIsNotGlobal) {
    for (const int global : {1, 3}) {
        Model model = text_of(12);
        model.mask->window = true;
        model.mask->global_tokens = global;
        const Model attention = reach_attention(model);
        EXPECT_EQ(needs_start(attention), global);
        ReachDisplay display;
        display.distance = 11 - global;
        const auto needs = reach_needs(attention, display);
        EXPECT_EQ(needs[0].layers, 2);
        EXPECT_EQ(needs[0].moves, 2);
        const TransformerConfig config = reach_config(attention, display, ReachMixer::attention);
        EXPECT_EQ(counted_reach(config, 12, global, 11).layers_needed, needs[0].layers) << "as the grid counts it";
    }
}

TEST(ReachStudy, SixteenConvolutionsSpan33AndMatterOver3) {
    ReachDisplay display;
    display.depth = 16;
    const TransformerConfig config = reach_config(reach_attention(text_of(41)), display, ReachMixer::convolution);
    const ReachPlan plan = reach_plan(config, 41, 8);
    EXPECT_EQ(plan.probes, 0);
    EXPECT_EQ(plan.draws, 8);
    const Matrix measured = measured_reach(config, plan, 20, 1);
    const ReachWidth width = reach_width_of(counted_reach(config, 41, 0, 20), measured, 20);
    EXPECT_EQ(width.span, 33);
    EXPECT_NEAR(width.effective, 3.27, 0.25);  // √(16 · 2/3): what squares of random taps add up to
}

TEST(ReachStudy, EveryLayerIsReachedExactlyWhereItIsMeasured) {
    Model model = text_of(11);
    for (const bool is_causal : {false, true})
        for (const bool has_window : {false, true})
            for (const bool has_residual : {false, true}) {
                model.mask->causal = is_causal;
                model.mask->window = has_window;
                ReachDisplay display;
                display.depth = 3;
                display.residual = has_residual;
                display.dilation_growth = 2;
                for (const ReachMixer mixer : reach_mixers) {
                    const TransformerConfig config = reach_config(reach_attention(model), display, mixer);
                    ASSERT_TRUE(check_config(config).empty());
                    const Matrix measured = measured_reach(config, {11, 1, 0, 0}, 6, 1);
                    const MaskMatrix cells = cells_that_reach(config, 11, 6);
                    for (Index layer = 0; layer <= 3; ++layer)
                        for (Index j = 0; j < 11; ++j)
                            EXPECT_EQ(measured(layer, j) > 0, cells(layer, j) == 1)
                                << config.mixer << " " << layer << ", " << j << " causal " << is_causal << " window "
                                << has_window;
                }
            }
}

TEST(ReachStudy, StatesTellWhyAnInputIsNotHeard) {
    Model model = text_of(12);
    ReachDisplay display;
    const auto state = [&](ReachMixer mixer, Index input, Index output) {
        const TransformerConfig config = reach_config(reach_attention(model), display, mixer);
        return reach_state(counted_reach(config, 12, input, output), measured_reach(config, {12, 1, 0, 0}, output, 1),
                           input);
    };
    display.depth = 2;
    EXPECT_EQ(state(ReachMixer::attention, 0, 11), ReachState::reached);
    EXPECT_EQ(state(ReachMixer::convolution, 0, 11), ReachState::deeper);
    EXPECT_EQ(state(ReachMixer::recurrence, 0, 11), ReachState::reached);
    EXPECT_EQ(state(ReachMixer::recurrence, 11, 0), ReachState::never);
    display.kernel = 1;
    EXPECT_EQ(state(ReachMixer::convolution, 0, 1), ReachState::never);
    model.mask->causal = true;
    EXPECT_EQ(state(ReachMixer::attention, 11, 0), ReachState::never);
    model.mask->causal = false;
    model.mask->window = true;
    EXPECT_EQ(state(ReachMixer::attention, 0, 11), ReachState::deeper);
    model.mask->window = false;
    model.temperature = 0;  // every token listens to one other
    display.depth = 1;
    int silent = 0;
    for (Index j = 0; j < 12; ++j) silent += state(ReachMixer::attention, j, 5) == ReachState::silent;
    EXPECT_GE(silent, 12 - model.n_heads);
    // A token that everyone but itself sees: heard after one layer, and after two through others.
    model = text_of(2);
    model.mask->painted = true;
    MaskMatrix others(2, 2);
    others << 0, 1, 1, 0;
    model.painted_mask = {others};
    const TransformerConfig swaps = [&] {
        display.depth = 2;
        return reach_config(reach_attention(model), display, ReachMixer::attention);
    }();
    EXPECT_EQ(reach_state(counted_reach(swaps, 2, 0, 1), measured_reach(swaps, {2, 1, 0, 0}, 1, 1), 0),
              ReachState::lost);
}

TEST(ReachStudy, CrossAttentionLendsNoMaskAndAnEvenKernelLosesATap) {
    Model model = text_of(6);
    model.self_attention = false;
    model.mask->causal = true;
    EXPECT_FALSE(reach_attention(model).mask->causal);
    EXPECT_EQ(used_kernel(4, false), 3);
    EXPECT_EQ(used_kernel(4, true), 4);
    EXPECT_EQ(used_kernel(1, false), 1);
}

TEST(ReachStudy, WorkIsBoundedWhateverTheSceneAsks) {
    Model model = default_scene().model;
    ReachDisplay display;
    display.depth = most_reach_layers;
    for (const int heads : {1, 8, max_heads})
        for (const Index n : {Index{1}, Index{512}, Index{65536}}) {
            model.n_heads = model.n_kv_heads = heads;
            for (const ReachMixer mixer : reach_mixers) {
                const ReachPlan plan = reach_plan(reach_config(reach_attention(model), display, mixer), n, 16);
                EXPECT_LE(plan.operations, 8e9) << heads << " heads, " << n;
                EXPECT_GE(plan.n_tokens, 1);
                EXPECT_LE(plan.n_tokens, most_reach_tokens);
                EXPECT_GE(plan.draws, 1);
            }
        }
}

TEST(SharedContext, DistancesShrinkInProportionAndVanishForOne) {
    const Model model = text_of(7);
    const AttentionTrace trace = run_attention(model);
    for (const SharedContext kind : {SharedContext::mean, SharedContext::last}) {
        const Contexts own = contexts_of(model, trace, 1, kind, 1);
        const Contexts half = contexts_of(model, trace, 1, kind, 0.5);
        const Contexts one = contexts_of(model, trace, 1, kind, 0);
        EXPECT_GT(own.mean_distance, 0);
        EXPECT_NEAR(half.mean_distance, own.mean_distance / 2, 1e-9);
        EXPECT_EQ(one.mean_distance, 0);
        EXPECT_EQ(one.largest_distance, 0);
        for (Index i = 1; i < 7; ++i) EXPECT_TRUE(one.weights.row(i) == one.weights.row(0));
        // Against the trace's own output.
        double sum = 0, most = 0;
        for (Index a = 0; a < 7; ++a)
            for (Index b = a + 1; b < 7; ++b) {
                const double distance =
                    static_cast<double>((trace.head_output[1].row(a) - trace.head_output[1].row(b)).norm());
                sum += distance / 21;
                most = std::max(most, distance);
            }
        EXPECT_NEAR(own.mean_distance, sum, 1e-5);
        EXPECT_NEAR(own.largest_distance, most, 1e-5);
        EXPECT_TRUE(own.weights.isApprox(trace.weights[1], 1e-5F));
        const Eigen::RowVectorXf shared = kind == SharedContext::mean
                                              ? Eigen::RowVectorXf(trace.weights[1].colwise().mean())
                                              : Eigen::RowVectorXf(Eigen::RowVectorXf::Unit(7, 6));
        EXPECT_TRUE(one.weights.row(2).isApprox(shared, 1e-5F));
        EXPECT_TRUE(half.weights.row(3).isApprox(0.5F * shared + 0.5F * trace.weights[1].row(3), 1e-5F));
    }
    EXPECT_TRUE(contexts_of(model, trace, 1, SharedContext::last, 0)
                    .shared.cast<float>()
                    .isApprox(trace.v[kv_head_of(model, 1)].row(6), 1e-5F));
}

TEST(SharedContext, QueriesWithoutAKeyAreLeftOut) {
    Model model = text_of(5);
    model.mask->window = true;
    model.mask->window_left = -1;
    model.mask->window_right = 0;
    model.mask->padding = 1;
    model.query_offset = -2;
    const AttentionTrace trace = run_attention(model);
    const Contexts all = contexts_of(model, trace, 0, SharedContext::last, 0.5);
    EXPECT_EQ(all.without_key, 2);
    EXPECT_EQ(all.queries, (std::vector<int>{2, 3, 4}));
    EXPECT_EQ(all.last_key, 2);
    EXPECT_TRUE(all.shares_hidden);
    EXPECT_TRUE(all.weights.row(0).isZero());
    model.mask->padding = 5;
    EXPECT_TRUE(contexts_of(model, run_attention(model), 0, SharedContext::mean, 1).queries.empty());
}

}  // namespace
}  // namespace heed
