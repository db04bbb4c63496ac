// How many steps the Reach view says must follow one another, held against the order in which cells can be computed.
#include "core/attention/pipeline.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/reach/reach_study.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace heed {
namespace {

Scene text_of_tokens(int n) {
    Scene scene = default_scene();
    scene.model.self_attention = true;
    *scene.model.mask = {};
    scene.model.n_queries = scene.model.n_keys = n;
    scene.model.query_tokens.clear();
    fit_matrices(scene.model);
    return scene;
}

// A state waits for the token before it in its own layer, and for its own token in the layer below.
int steps_of_a_recurrence(int layers, int output) {
    std::vector<int> ready(static_cast<std::size_t>(output) + 1, 0);
    for (int layer = 0; layer < layers; ++layer) {
        int before = 0;
        for (int& token : ready) before = token = std::max(token, before) + 1;
    }
    return ready.back();
}

TEST(ReachSteps, OfARecurrenceAreItsLayersAndTheTokensBefore) {
    const Model attention = reach_attention(text_of_tokens(9).model);
    for (const ReachRecurrence kind : {ReachRecurrence::tanh, ReachRecurrence::gated})
        for (const int depth : {1, 2, 5})
            for (int output = 0; output < 9; ++output) {
                ReachDisplay display;
                display.recurrence = kind;
                display.depth = depth;
                const int steps =
                    counted_reach(reach_config(attention, display, ReachMixer::recurrence), 9, 0, output).steps;
                EXPECT_EQ(steps, steps_of_a_recurrence(depth, output));
                EXPECT_EQ(steps, depth + output);
            }
}

TEST(ReachSteps, OfAttentionAndConvolutionAreTheirLayersWhereverTheOutputStands) {
    Model model = text_of_tokens(9).model;
    for (const bool is_causal : {false, true}) {
        model.mask->causal = is_causal;
        const Model attention = reach_attention(model);
        for (const ReachMixer mixer : {ReachMixer::attention, ReachMixer::convolution})
            for (const int depth : {1, 2, 5})
                for (const int output : {0, 4, 8}) {
                    ReachDisplay display;
                    display.depth = depth;
                    EXPECT_EQ(counted_reach(reach_config(attention, display, mixer), 9, 0, output).steps, depth);
                }
    }
}

TEST(ReachSteps, ThePageSaysThemOfEachMixer) {
    const auto text_of = [](int depth, int output) {
        Scene scene = text_of_tokens(9);
        scene.display.reach->depth = depth;
        scene.display.reach->output = output;
        const AttentionTrace trace = run_attention(scene.model);
        const Figure figure = find_figure_kind("reach")->make({.model = scene.model,
                                                               .trace = trace,
                                                               .display = scene.display,
                                                               .title = {},
                                                               .language = Language::english,
                                                               .measure = rough_measure(),
                                                               .width = 1800,
                                                               .height = 900,
                                                               .on_paper = true});
        std::string all;
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark)) all += one->text + "\n";
        return all;
    };
    const auto times = [](const std::string& text, const std::string& words) {
        int count = 0;
        for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
        return count;
    };
    for (const int output : {1, 5, 8}) {
        const std::string text = text_of(3, output);
        EXPECT_EQ(times(text, "this output takes 3 steps one after the other"), 2) << text;
        EXPECT_EQ(times(text, "this output takes " + std::to_string(3 + output) + " steps one after the other"), 1)
            << text;
    }
    const std::string single = text_of(1, 8);
    EXPECT_EQ(times(single, "\n1 step\n"), 2) << single;
    EXPECT_EQ(times(single, "this output takes 9 steps one after the other"), 1) << single;
}

}  // namespace
}  // namespace heed
