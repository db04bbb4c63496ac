// Maps that are read beside each other: one scale, one number of digits, and names that say what differs.
#include "core/analysis/backward.h"
#include "core/attention/pipeline.h"
#include "core/display/flow_display.h"
#include "core/display/gradients_display.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"

#include <gtest/gtest.h>

#include <memory>

namespace heed {
namespace {

Figure draw(const char* kind, const Scene& scene, const AttentionTrace& trace,
            std::shared_ptr<const Baseline> baseline = nullptr, float width = 1100) {
    const FigureContext context{.model = scene.model,
                                .trace = trace,
                                .display = scene.display,
                                .title = scene_title(scene, Language::english),
                                .language = Language::english,
                                .measure = rough_measure(),
                                .width = width,
                                .height = 600,
                                .baseline = std::move(baseline)};
    return find_figure_kind(kind)->make(context);
}

bool has_text(const Figure& figure, std::string_view words) {
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark); text != nullptr && text->text == words) return true;
    return false;
}

TEST(ContributionFigure, MapsHaveOneScaleAndOneNumberOfDigits) {
    Scene scene = default_scene();
    scene.model.output_projection = true;
    fit_matrices(scene.model);
    const AttentionTrace trace = run_attention(scene.model);
    const Figure figure = draw("contribution", scene, trace);
    const HeatmapMark* weights = figure.find_heatmap("weights");
    for (const char* id : {"carried", "carried through W_O"}) {
        const HeatmapMark* carried = figure.find_heatmap(id);
        ASSERT_NE(carried, nullptr) << id;
        EXPECT_EQ(carried->scale.high, weights->scale.high);
        EXPECT_EQ(carried->decimals, weights->decimals);
        for (Index i = 0; i < carried->values.rows; ++i) {
            float sum = 0;
            for (Index j = 0; j < carried->values.cols; ++j) sum += carried->values.at(i, j);
            EXPECT_NEAR(sum, 1, 1e-5F) << id << ", row " << i;
        }
    }
}

TEST(GradientsFigure, AGradientTooLargeForTheMemoryIsASentence) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::backward;
    const AttentionTrace trace = run_attention(scene.model);
    EXPECT_LT(backward_bytes(scene.model, trace), std::size_t{1} << 20U);
    AttentionTrace large;  // as far as the estimate looks: nothing is computed of it
    large.version = 77;
    large.weights.resize(1, 11500, 11500);
    scene.model.n_heads = 1;
    EXPECT_GT(backward_bytes(scene.model, large), most_backward_bytes);
    const Backward refused = run_backward(scene.model, large, {LossKind::component}, {0, 0});
    EXPECT_TRUE(refused.is_too_large);
    EXPECT_FALSE(refused.is_complete);
    bool is_said = false;
    for (const Mark& mark : draw("gradients", scene, large).marks)
        if (const auto* text = std::get_if<TextMark>(&mark))
            is_said = is_said || text->text.find(" GB") != std::string::npos;
    EXPECT_TRUE(is_said);
}

TEST(FlowFigure, ArcsWithoutRoomAreNotAllLabelledOnOneSpot) {
    Scene scene = default_scene();
    scene.display.flow->arcs = true;
    const AttentionTrace trace = run_attention(scene.model);
    for (const float width : {1.0F, 20.0F, 40.0F, 48.0F, 60.0F}) {
        int n_labels = 0;
        for (const Mark& mark : draw("flow", scene, trace, nullptr, width).marks)
            if (const auto* text = std::get_if<TextMark>(&mark))
                for (int i = 0; i < scene.model.n_queries; ++i)
                    n_labels += text->plain && text->text == query_label(scene.model, i) ? 1 : 0;
        EXPECT_LE(n_labels, 1) << width;
    }
}

TEST(CompareFigure, AWeightThatIsTheSameIsNotExplainedAsChanged) {
    const Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    const auto same_state = std::make_shared<const Baseline>(Baseline{scene.model, run_attention(scene.model)});
    const std::string cell = "“" + query_label(scene.model, scene.display.pin.query) + "” → “" +
                             key_label(scene.model, scene.display.pin.key) + "”";
    const Figure same_figure = draw("compare", scene, trace, same_state);
    EXPECT_TRUE(has_text(same_figure, cell + " has not changed"));
    EXPECT_FALSE(has_text(same_figure, "Why " + cell + " changed"));
    Scene other = scene;
    other.model.temperature = 0.3F;
    const Figure changed = draw("compare", other, run_attention(other.model), same_state);
    EXPECT_TRUE(has_text(changed, "Why " + cell + " changed"));
}

TEST(PipelineFigure, TheDifferenceHatchesWhatBothStatesHide) {
    Scene kept = default_scene();
    kept.model.mask->causal = true;
    Scene scene = kept;
    scene.model.mask->padding = 1;
    const AttentionTrace trace = run_attention(scene.model);
    const auto baseline = std::make_shared<const Baseline>(Baseline{kept.model, run_attention(kept.model)});
    const FigureContext context{.model = scene.model,
                                .trace = trace,
                                .display = scene.display,
                                .measure = rough_measure(),
                                .width = 1100,
                                .height = 600,
                                .baseline = baseline,
                                .show_difference = true};
    const Figure figure = find_figure_kind("pipeline")->make(context);
    const HeatmapMark* weights = figure.find_heatmap("weights");
    ASSERT_NE(weights, nullptr);
    ASSERT_NE(weights->visible.data, nullptr);
    EXPECT_FALSE(weights->visible.at(0, 1)) << "hidden in both";
    EXPECT_TRUE(weights->visible.at(0, 0));
    const Index last = scene.model.n_queries - 1;
    EXPECT_TRUE(weights->visible.at(last, last)) << "what only one hides is part of the difference";
}

TEST(CompareFigure, TitlesSayWhatDiffers) {
    const Scene kept = default_scene();
    Scene scene = kept;
    scene.model.temperature = 0.3F;
    const AttentionTrace trace = run_attention(scene.model);
    const auto baseline = std::make_shared<const Baseline>(Baseline{kept.model, run_attention(kept.model)});
    const Figure figure = draw("compare", scene, trace, baseline);
    EXPECT_TRUE(has_text(figure, "A: T 1.00"));
    EXPECT_TRUE(has_text(figure, "B: T 0.30"));
}

TEST(CompareFigure, TheDifferenceHasTheDigitsOfAAndBAndHatchesWhatBothHide) {
    const Scene kept = default_scene();
    Scene scene = kept;
    scene.model.mask->padding = 1;
    const AttentionTrace trace = run_attention(scene.model);
    const auto baseline = std::make_shared<const Baseline>(Baseline{kept.model, run_attention(kept.model)});
    const Figure figure = draw("compare", scene, trace, baseline);
    const HeatmapMark* difference = figure.find_heatmap("difference");
    ASSERT_NE(difference, nullptr);
    EXPECT_EQ(difference->decimals, 2);
    EXPECT_EQ(figure.find_heatmap("weights")->decimals, 2);
    EXPECT_FALSE(difference->visible.at(0, 5));  // causal in both
    EXPECT_TRUE(difference->visible.at(5, 5));   // padding in B alone
}

}  // namespace
}  // namespace heed
