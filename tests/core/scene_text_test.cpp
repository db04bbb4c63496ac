// What figures say against the state of the scene: names, hatching and digits that once contradicted it.
#include "core/analysis/change_split.h"
#include "core/analysis/recurrence.h"
#include "core/attention/pipeline.h"
#include "core/attention/statistics.h"
#include "core/display/contribution_display.h"
#include "core/display/cost_display.h"
#include "core/display/gradients_display.h"
#include "core/display/pipeline_display.h"
#include "core/display/saturation_display.h"
#include "core/edit/sizes.h"
#include "core/edit/tokens.h"
#include "core/figure/registry.h"
#include "core/figure/stage_panel.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

Figure draw(const char* kind, const Scene& scene, const AttentionTrace& trace, bool caption = false) {
    FigureContext context{.model = scene.model,
                          .trace = trace,
                          .display = scene.display,
                          .title = scene_title(scene, Language::english),
                          .language = Language::english,
                          .measure = rough_measure(),
                          .width = 1100,
                          .height = 600};
    context.options.caption = caption;
    return find_figure_kind(kind)->make(context);
}

std::string all_text(const Figure& figure) {
    std::string all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + "\n";
    return all;
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(SceneText, AnUnscaledDotProductIsNotCalledScaled) {
    Scene scene = default_scene();
    scene.model.scale->scaling = Scaling::off;
    const std::string text = all_text(draw("weights", scene, run_attention(scene.model), true));
    EXPECT_TRUE(says(text, "Dot product × 1")) << text;
    EXPECT_FALSE(says(text, "Scaled dot")) << text;
    EXPECT_EQ(told_score(scene.model).formula, "q·k");
    scene.model.scale->scaling = Scaling::automatic;
    EXPECT_TRUE(says(all_text(draw("weights", scene, run_attention(scene.model), true)), "Scaled dot product ÷ √16"));
}

TEST(SceneText, ACaptionTellsSettingsOnlyWhereTheyTakePart) {
    constexpr std::string_view apart = "No setting of the scene takes part in this picture.";
    Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    const auto caption = [&](const char* kind) { return all_text(draw(kind, scene, trace, true)); };
    for (const CostPanel panel : {CostPanel::measured, CostPanel::sequential}) {
        scene.display.cost->panel = panel;
        EXPECT_TRUE(says(caption("cost"), apart));
        EXPECT_FALSE(says(caption("cost"), "seed 1"));
    }
    scene.display.cost->panel = CostPanel::error;
    scene.display.cost->data = CostDataChoice::independent;
    EXPECT_TRUE(says(caption("cost"), apart));
    scene.display.cost->data = CostDataChoice::scene;
    EXPECT_TRUE(says(caption("cost"), "seed 1"));
    scene.display.saturation->panel = SaturationPanel::numerics;
    EXPECT_TRUE(says(caption("saturation"), apart));
    scene.display.saturation->panel = SaturationPanel::curves;
    EXPECT_FALSE(says(caption("saturation"), apart));
}

TEST(SceneText, CaptionsOfTwoStatesTellWhichIsWhich) {
    const Scene before = default_scene();
    Scene scene = before;
    scene.model.temperature = 0.25F;
    const AttentionTrace trace = run_attention(scene.model);
    FigureContext context{
        .model = scene.model,
        .trace = trace,
        .display = scene.display,
        .measure = rough_measure(),
        .width = 1100,
        .height = 600,
        .baseline = std::make_shared<const Baseline>(Baseline{before.model, run_attention(before.model)})};
    context.options.caption = true;
    const auto says_both = [&](const char* kind) {
        const std::string text = all_text(find_figure_kind(kind)->make(context));
        return says(text, "A: d_{k} 16 · T 1.00") && says(text, "B: d_{k} 16 · T 0.25");
    };
    EXPECT_TRUE(says_both("compare"));
    EXPECT_FALSE(says_both("pipeline")) << "no map shows A";
    context.show_difference = true;
    EXPECT_TRUE(says_both("pipeline"));
}

TEST(SceneText, ANarrowShareIsNotTitledAsALength) {
    Scene scene = default_scene();
    scene.model.output_projection = true;
    scene.display.contribution->by_row = true;
    const AttentionTrace trace = run_attention(scene.model);
    for (const float width : {1400.0F, 640.0F}) {
        const Figure figure = find_figure_kind("contribution")
                                  ->make({.model = scene.model,
                                          .trace = trace,
                                          .display = scene.display,
                                          .measure = rough_measure(),
                                          .width = width,
                                          .height = 600});
        EXPECT_FALSE(says(all_text(figure), "α·‖vW_{O}‖\n")) << width;
    }
}

TEST(SceneText, RotatedVectorsAreCalledRotated) {
    Scene scene = default_scene();
    EXPECT_FALSE(says(all_text(draw("q", scene, run_attention(scene.model))), "rotated"));
    scene.model.position->encoding = "rope";
    for (const char* kind : {"q", "k"})
        EXPECT_TRUE(says(all_text(draw(kind, scene, run_attention(scene.model))), ", rotated")) << kind;
    EXPECT_FALSE(says(all_text(draw("v", scene, run_attention(scene.model))), "rotated"));
}

TEST(SceneText, TheCellExplainerNamesRotatedVectorsApart) {
    Scene scene = default_scene();
    scene.display.pipeline->explainer_step = 5;
    for (const char* score : {"scaled-dot", "cosine", "additive"}) {
        scene.model.score = score;
        scene.model.position->encoding = "none";
        EXPECT_FALSE(says(all_text(draw("explainer", scene, run_attention(scene.model))), "′")) << score;
        scene.model.position->encoding = "rope";
        const std::string text = all_text(draw("explainer", scene, run_attention(scene.model)));
        const std::string lines = "\n" + text;  // the strips' names, each a text of its own
        const bool is_named = says(lines, "\nq′\n") || says(lines, "\nq′/‖q′‖\n") || says(lines, "\nW_{q}q′\n");
        EXPECT_TRUE(is_named) << text;
        EXPECT_FALSE(says(text, "_{q′}")) << "the matrix is the same one";
    }
}

TEST(SceneText, RowsFilledByChoiceAreNotHatchedInTheWeights) {
    for (const MaskedRow policy : {MaskedRow::zero, MaskedRow::uniform, MaskedRow::nan}) {
        Scene scene = default_scene();
        scene.model.query_offset = -2;  // the first two queries see no key
        scene.model.normalizer->masked_row = policy;
        const AttentionTrace trace = run_attention(scene.model);
        const Figure figure = draw("weights", scene, trace);
        const HeatmapMark* map = figure.find_heatmap("weights");
        ASSERT_NE(map, nullptr);
        EXPECT_EQ(map->visible.at(0, 3), policy != MaskedRow::zero);
        EXPECT_FALSE(map->visible.at(3, 4)) << "still hidden by the mask";
        EXPECT_EQ(fully_masked_rows_of_maps(trace), 2) << "for each of four heads, but shown once";
        EXPECT_EQ(trace.fully_masked_rows, 8);
    }
}

TEST(SceneText, DigitsFollowTheRangeOfTheMap) {
    EXPECT_EQ(decimals_for({"ink", 0, 1}), 2);
    EXPECT_EQ(decimals_for({"ink", -250, 250}), 0);
    EXPECT_EQ(decimals_for({"ink", -20, 20}), 1);
    EXPECT_EQ(decimals_for({"ink", 0, 0.004F}), 4);
    EXPECT_EQ(fewest_decimals_for({"ink", 0, 1}), 2) << "weights of one decimal say too little";
    EXPECT_EQ(fewest_decimals_for({"ink", -3, 3}), 1);
    for (float high = 1e-4F; high < 1000; high *= 1.7F) {  // the strongest colour never reads as nothing
        const ColorScale scale{"ink", 0, high};
        EXPECT_GT(std::stod(decimal(static_cast<double>(high), fewest_decimals_for(scale))), 0.8 * high) << high;
    }
}

TEST(SceneText, DistanceFollowsTheScaleOfTheScene) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::recurrence;
    const std::string scaled = all_text(draw("gradients", scene, run_attention(scene.model)));
    scene.model.scale->scaling = Scaling::off;
    const std::string unscaled = all_text(draw("gradients", scene, run_attention(scene.model)));
    EXPECT_NE(scaled, unscaled);
    const std::vector<double> even = attention_gradient(1, 64, 0, 10);
    for (const double weight : even) EXPECT_NEAR(weight, 1.0 / 11, 1e-12);
}

TEST(SceneText, SwitchingToCrossAttentionSwitchesCausalOff) {
    Model model = default_scene().model;
    ASSERT_TRUE(model.mask->causal);
    set_self_attention(model, false);
    EXPECT_FALSE(model.mask->causal);
}

TEST(SceneText, ACacheKeepsTheLastQueriesAsTheyWereAndIsNoCrossAttention) {
    for (const Source source : {Source::direct, Source::projected})
        for (const char* position : {"none", "rope", "sinusoidal", "alibi"}) {
            SCOPED_TRACE(position);
            Model model = default_scene().model;
            model.source = source;
            model.position->encoding = position;
            fit_matrices(model);
            const Model before = model;
            const AttentionTrace whole = run_attention(model);
            set_attention_kind(model, AttentionKind::cached);
            EXPECT_EQ(attention_kind(model), AttentionKind::cached);
            ASSERT_TRUE(check_model(model).empty()) << check_model(model).front();
            EXPECT_EQ(model.n_queries, 2);
            EXPECT_EQ(effective_n_keys(model), 6);
            EXPECT_EQ(query_label(model, 1), key_label(model, 5));
            const AttentionTrace cached = run_attention(model);
            for (Index h = 0; h < 4; ++h)
                for (Index i = 0; i < 2; ++i)
                    for (Index j = 0; j < 6; ++j)
                        EXPECT_NEAR(cached.weights[h](i, j), whole.weights[h](4 + i, j), 1e-6F);
            set_query_tokens(model, "a b c");
            EXPECT_EQ(attention_kind(model), AttentionKind::cached) << "the keys follow the queries";
            EXPECT_EQ(effective_n_keys(model), 7);
            set_earlier_tokens(model, "x y");
            EXPECT_EQ(attention_kind(model), AttentionKind::cached);
            EXPECT_EQ(key_label(model, 2), "a");
            model = before;
            set_attention_kind(model, AttentionKind::cached);
            set_attention_kind(model, AttentionKind::self);
            EXPECT_EQ(model.query_tokens, before.query_tokens);
            const AttentionTrace again = run_attention(model);
            for (Index h = 0; h < 4; ++h) EXPECT_LT((again.weights[h] - whole.weights[h]).cwiseAbs().maxCoeff(), 1e-6F);
            set_attention_kind(model, AttentionKind::cached);
            set_attention_kind(model, AttentionKind::cross);
            EXPECT_EQ(attention_kind(model), AttentionKind::cross);
            EXPECT_FALSE(model.mask->causal);
            EXPECT_TRUE(check_model(model).empty());
        }
}

TEST(SceneText, CompareUsesThePartOfTheAdditiveMatricesThatIsUsed) {
    Model a = default_scene().model;
    a.score = "additive";
    set_size(a, Size::d_additive, 16);
    Model b = a;
    set_size(b, Size::d_additive, 3);
    ASSERT_GT(b.additive_w_q.rows(), 3);
    const AttentionTrace trace_a = run_attention(a);
    const AttentionTrace trace_b = run_attention(b);
    const ChangeSplit split = split_change(a, trace_a, b, trace_b, 0, {4, 1});
    EXPECT_NEAR(split.before, trace_a.weights[0](4, 1), 1e-6);
    EXPECT_NEAR(split.after, trace_b.weights[0](4, 1), 1e-6);
    EXPECT_NEAR(split.parts[static_cast<std::size_t>(Cause::scale)], split.after - split.before, 1e-9);
    EXPECT_GT(std::abs(split.after - split.before), 1e-3);
}

}  // namespace
}  // namespace heed
