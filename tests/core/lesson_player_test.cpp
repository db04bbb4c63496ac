// A lesson played from start to end as a user would, right and wrong, forward and back.
#include "core/attention/pipeline.h"
#include "core/files/lesson_file.h"
#include "core/files/read_file.h"
#include "core/files/scene_file.h"
#include "core/lessons/actions.h"
#include "core/lessons/player.h"
#include "core/model/scale_settings.h"
#include "core/results.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

LessonPlayer opened() {
    const Result<Lesson> lesson = read_lesson(HEED_SOURCE_DIR "/tests/lessons/every-kind.lesson.md");
    EXPECT_TRUE(lesson) << lesson.error();
    Result<LessonPlayer> player = open_lesson(*lesson);
    EXPECT_TRUE(player) << player.error();
    return *std::move(player);
}

StepText text_of(const LessonPlayer& player, const Scene& live, Language language = Language::english) {
    return step_text(player, language, live, run_attention(live.model), nullptr);
}

TEST(LessonActions, EachDoesToASceneWhatItSays) {
    Scene scene = default_scene();
    const Result<std::vector<Action>> actions = parse_actions(
        "set: model.d_k=64; view heads; head 2; pin 4,1; set model.query_tokens=[\"a;b\", \"c\", \"d\", \"e\", \"f\"]");
    ASSERT_TRUE(actions) << actions.error();
    ASSERT_EQ(actions->size(), 5U);
    ASSERT_TRUE(apply_all(*actions, scene));
    EXPECT_EQ(scene.model.d_k, 64);
    EXPECT_EQ(scene.display.view, "heads");
    EXPECT_EQ(scene.display.head, 2);
    EXPECT_EQ(scene.display.pin, (Cell{4, 1}));
    EXPECT_EQ(scene.model.query_tokens[0], "a;b");
    EXPECT_EQ(scene.model.n_queries, 5);
    ASSERT_TRUE(apply({Verb::look, "pipeline.weights"}, scene));
    EXPECT_EQ(scene.display.view, "pipeline") << "what is looked at is in front";
    ASSERT_TRUE(apply({Verb::look, "control.model.temperature"}, scene));
    ASSERT_TRUE(apply({Verb::unpin, ""}, scene));
    EXPECT_FALSE(scene.display.pinned);
    ASSERT_TRUE(apply({Verb::pin, "4,argmax"}, scene));
    Index best = 0;
    run_attention(scene.model).weights[2].row(4).maxCoeff(&best);
    EXPECT_EQ(scene.display.pin, (Cell{4, static_cast<int>(best)}));
    ASSERT_TRUE(apply({Verb::scene, "cat"}, scene));
    EXPECT_EQ(scene, *example_scene("cat"));
    const Scene before = scene;
    ASSERT_TRUE(apply({Verb::sweep, "model.temperature=0.1:10"}, scene));
    ASSERT_TRUE(apply({Verb::lesson, "other"}, scene));
    EXPECT_EQ(scene, before);
}

TEST(LessonActions, WhatCannotBeDoneLeavesTheSceneAsItWas) {
    const Scene before = default_scene();
    for (const char* text :
         {"set model.d_k=0", "set model.nothing=1", "view nowhere", "view weights", "head 4", "head -1", "pin 6,0",
          "pin 0,6", "pin 0,-1", "scene nothing", "look nowhere", "unpin; view nowhere", "set model.n_queries=3000"}) {
        const Result<std::vector<Action>> actions = parse_actions(text);
        Scene scene = before;
        const Status done = actions ? apply_all(*actions, scene) : Status(Error{actions.error()});
        EXPECT_FALSE(done) << text;
        EXPECT_EQ(scene, before) << text;
    }
}

TEST(LessonActions, TextOfActionsReadsTheSame) {
    for (const std::string text : {"set model.d_k=64; view heads; unpin; pin 0,argmax", "", "look control.model.mask"})
        for (const bool as_link : {false, true}) {
            const std::vector<Action> actions = *parse_actions(text);
            EXPECT_EQ(*parse_actions(action_text(actions, as_link)), actions);
        }
    EXPECT_EQ(action_text(*parse_actions("set model.d_k=64; unpin"), true), "set: model.d_k=64; unpin");
}

TEST(LessonActions, ASweepGoesFromOneEndToTheOther) {
    const Sweep log = *parse_sweep("model.d_k=1:100:log");
    EXPECT_DOUBLE_EQ(swept_value(log, 0), 1);
    EXPECT_NEAR(swept_value(log, 0.5), 10, 1e-9);
    EXPECT_DOUBLE_EQ(swept_value(log, 1), 100);
    EXPECT_DOUBLE_EQ(swept_value(*parse_sweep("model.temperature=3:1"), 0.5), 2);
    Scene scene = default_scene();
    ASSERT_TRUE(apply_sweep(log, 0.4, scene));
    EXPECT_EQ(scene.model.d_k, 6) << "whole where the field is";
    EXPECT_FALSE(apply_sweep(*parse_sweep("model.score=0:1"), 0.5, scene));
    EXPECT_FALSE(parse_sweep("model.d_k=1:1"));
    EXPECT_FALSE(parse_sweep("model.d_k=nan:1"));
    EXPECT_EQ(*parse_sweep(sweep_text(log)), log);
}

TEST(LessonPlayer, NothingIsRevealedBeforeAPrediction) {
    LessonPlayer player = opened();
    Scene live = *step_scene(player);
    EXPECT_EQ(live.display.view, "saturation");
    EXPECT_EQ(live.model.d_k, 64);
    EXPECT_FALSE(may_reveal(player));
    EXPECT_FALSE(may_go_on(player));
    EXPECT_FALSE(go_on(player));
    const Scene before = live;
    EXPECT_FALSE(reveal(player, live));
    EXPECT_EQ(live, before);
    EXPECT_TRUE(text_of(player, live).revealed.empty());

    ASSERT_TRUE(give_answer(player, {.number = 0.2}, live, nullptr));
    EXPECT_FALSE(player.state().verdict->right);
    EXPECT_EQ(text_of(player, live).hint, "Think of the spread of the scores.");
    EXPECT_EQ(text_of(player, live, Language::chinese).hint, "想一想分数的离散程度。")
        << "the language changes mid-step";
    ASSERT_TRUE(give_answer(player, {.number = 1.5}, live, nullptr));
    EXPECT_EQ(player.state().verdict->hint, 1);
    ASSERT_TRUE(give_answer(player, {.number = 0.7}, live, nullptr));
    EXPECT_EQ(player.state().verdict->hint, -1);

    // The truth is that of the scene after the reveal, computed when asked.
    Scene unscaled = live;
    ASSERT_TRUE(set_field(unscaled, "model.scaling", "off"));
    const double truth = static_cast<double>(run_attention(unscaled.model).weights[0].row(0).maxCoeff());
    const Result<Verdict> right = give_answer(player, {.number = truth - 0.09}, live, nullptr);
    EXPECT_TRUE(right->right);
    EXPECT_NEAR(right->truth, truth, 1e-6);
    EXPECT_EQ(live, before) << "judging changes nothing";
    ASSERT_TRUE(may_reveal(player));
    ASSERT_TRUE(reveal(player, live));
    EXPECT_EQ(live.model.scale->scaling, Scaling::off);
    EXPECT_EQ(live, *step_scene(player)) << "as the step has it";
    EXPECT_NE(text_of(player, live).revealed.find("you said"), std::string::npos);
    EXPECT_TRUE(go_on(player));
    EXPECT_EQ(player.step, 1);
}

TEST(LessonPlayer, ATeacherMayOpenEverything) {
    LessonPlayer player = opened();
    player.open_answers = true;
    Scene live = *step_scene(player);
    EXPECT_TRUE(may_reveal(player));
    EXPECT_TRUE(reveal(player, live));
    EXPECT_NE(text_of(player, live).revealed.find("—"), std::string::npos) << "nothing was answered";
    while (go_on(player)) {
    }
    EXPECT_EQ(player.step, 5);
    EXPECT_TRUE(may_go_on(player));
    EXPECT_FALSE(go_on(player)) << "there is no more";
}

TEST(LessonPlayer, TheTextOfAStepSpeaksOfTheSceneBeforeItsReveal) {
    LessonPlayer player = opened();
    Scene live = *step_scene(player);
    const std::string body = text_of(player, live).body;
    ASSERT_TRUE(give_answer(player, {.number = 0.5}, live, nullptr));
    ASSERT_TRUE(reveal(player, live));
    EXPECT_EQ(text_of(player, live).body, body);
    ASSERT_TRUE(set_field(live, "model.temperature", "3"));
    EXPECT_EQ(text_of(player, live).body, body) << "and goes on to";
}

TEST(LessonPlayer, NumbersFollowTheLiveScene) {
    const LessonPlayer player = opened();
    Scene live = *step_scene(player);
    const std::string body = text_of(player, live).body;
    EXPECT_NE(body.find("$d_k = 64$"), std::string::npos) << body;
    EXPECT_NE(body.find("](<set: model.d_k=256>)"), std::string::npos) << body;
    ASSERT_TRUE(set_field(live, "model.d_k", "256"));
    EXPECT_NE(text_of(player, live).body.find("$d_k = 256$"), std::string::npos);
}

// Wandering off and back: the scene of a step is a pure function of the lesson.
TEST(LessonPlayer, EveryStepIsRestoredExactlyWhateverWasDone) {
    LessonPlayer player = opened();
    player.open_answers = true;
    std::vector<Scene> scenes;
    for (int step = 0; step < player.n_steps(); ++step) scenes.push_back(*step_scene(player, step, false));
    Scene live = scenes[0];
    for (const char* wandering :
         {"set model.n_heads=2; view flow", "scene alignment; head 0", "set model.d_k=3; unpin"}) {
        ASSERT_TRUE(apply_all(*parse_actions(wandering), live));
        for (int step = 0; step < player.n_steps(); ++step) {
            ASSERT_TRUE(go_to(player, step));
            EXPECT_EQ(*step_scene(player), scenes[static_cast<std::size_t>(step)]);
        }
    }
    // What a step reveals is part of the steps after it, revealed or not.
    EXPECT_EQ(scenes[1].model.scale->scaling, Scaling::off);
    EXPECT_EQ(step_scene(player, 1, true)->model.temperature, 100.0F);
}

TEST(LessonPlayer, AnswersAreKeptForEachStep) {
    LessonPlayer player = opened();
    Scene live = *step_scene(player);
    ASSERT_TRUE(give_answer(player, {.number = 0.5}, live, nullptr));
    ASSERT_TRUE(reveal(player, live));
    ASSERT_TRUE(go_on(player));
    ASSERT_TRUE(go_back(player));
    EXPECT_EQ(player.state().answer->number, 0.5);
    EXPECT_TRUE(player.state().revealed);
    EXPECT_FALSE(go_back(player));
    EXPECT_FALSE(go_to(player, 2)) << "the second question is not answered";
    EXPECT_TRUE(go_to(player, 1));
}

LessonPlayer at_step(int step) {
    LessonPlayer player = opened();
    player.open_answers = true;
    EXPECT_TRUE(go_to(player, step));
    player.open_answers = false;
    return player;
}

TEST(LessonPlayer, OneOptionOfAChoiceIsTrue) {
    LessonPlayer player = at_step(1);
    Scene live = *step_scene(player);
    EXPECT_EQ(text_of(player, live, Language::chinese).options[0], "大于 1 奈特");
    EXPECT_TRUE(give_answer(player, {.option = 0}, live, nullptr)->right);
    EXPECT_FALSE(give_answer(player, {.option = 1}, live, nullptr)->right);
    EXPECT_EQ(player.state().verdict->option, 0);
    ASSERT_TRUE(reveal(player, live));
    EXPECT_NE(text_of(player, live).revealed.find("not above 1 nat"), std::string::npos) << "what was said";
    EXPECT_NE(text_of(player, live, Language::chinese).revealed.find("不大于 1 奈特"), std::string::npos);
}

TEST(LessonPlayer, ACellIsRightWhereItsConditionHolds) {
    LessonPlayer player = at_step(2);
    Scene live = *step_scene(player);
    const Result<Truth> truth = true_answer(player, live, nullptr);
    ASSERT_TRUE(truth) << truth.error();
    ASSERT_EQ(truth->cells.size(), 1U);
    EXPECT_EQ(truth->cells[0].query, 3);
    EXPECT_TRUE(give_answer(player, {.cell = truth->cells[0]}, live, nullptr)->right);
    EXPECT_FALSE(give_answer(player, {.cell = {0, 0}}, live, nullptr)->right);
    ASSERT_TRUE(reveal(player, live));
    EXPECT_NE(text_of(player, live).revealed.find("The → The"), std::string::npos) << text_of(player, live).revealed;
}

TEST(LessonPlayer, ASketchIsJudgedByItsMeanDistance) {
    LessonPlayer player = at_step(3);
    const Scene live = *step_scene(player);
    const Question& question = *player.current().question;
    const Result<std::vector<SketchPoint>> curve = true_curve(question, *revealed_scene(player, live));
    ASSERT_TRUE(curve) << curve.error();
    ASSERT_EQ(curve->size(), static_cast<std::size_t>(sketch_points));
    EXPECT_LT(curve->front().y, curve->back().y) << "entropy rises with the temperature";
    // The ends are the scene with the field set there.
    Scene hot = live;
    ASSERT_TRUE(set_field(hot, "model.temperature", "10"));
    const AttentionTrace trace = run_attention(hot.model);
    EXPECT_NEAR(curve->back().y, *evaluate_number(*parse_number("entropy_share(0)"), {.scene = hot, .trace = trace}),
                1e-6);

    EXPECT_NEAR(sketch_difference(question, *curve, *curve), 0, 1e-12);
    std::vector<SketchPoint> shifted = *curve;
    for (SketchPoint& point : shifted) point.y += 0.1;
    EXPECT_NEAR(sketch_difference(question, shifted, *curve), 0.1, 1e-9);
    EXPECT_TRUE(judge_sketch(question, shifted, *curve).right);
    const std::vector<SketchPoint> half(curve->begin(), curve->begin() + 21);
    EXPECT_NEAR(sketch_difference(question, half, *curve), 20.0 / 41, 1e-9) << "what is not drawn counts in full";
    EXPECT_EQ(sketch_difference(question, {}, *curve), 1);
    const std::vector<SketchPoint> line = {{0, 1}, {1, 0}};
    EXPECT_FALSE(judge_sketch(question, line, *curve).right);
    EXPECT_TRUE(give_answer(player, {.sketch = shifted}, live, nullptr)->right);
    EXPECT_NEAR(player.state().verdict->difference, 0.1, 1e-6);
    std::atomic<bool> cancel = true;
    EXPECT_FALSE(true_curve(question, live, &cancel));
}

TEST(LessonPlayer, AGateOpensWhenTheSceneSatisfiesItAndStaysOpen) {
    LessonPlayer player = at_step(4);
    Results results;
    Scene live = *step_scene(player);
    const auto look = [&] { return look_at_gate(player, live, run_attention(live.model), &results); };
    EXPECT_FALSE(look());
    EXPECT_FALSE(may_go_on(player));
    EXPECT_EQ(text_of(player, live).goal, "Make the entropy of the first row fall below 0.5.");
    ASSERT_TRUE(apply_all(player.current().gate->solve.list, live));
    EXPECT_TRUE(look());
    EXPECT_TRUE(may_go_on(player));
    live = *step_scene(player);
    EXPECT_TRUE(look()) << "once passed, it is passed";
}

// The user's scene may be one that the lesson never thought of.
TEST(LessonPlayer, ASceneThatDoesNotFitGivesDashesAndSentences) {
    LessonPlayer player = at_step(2);
    Scene live = *step_scene(player);
    ASSERT_TRUE(set_field(live, "model.query_tokens", "one"));
    EXPECT_NE(text_of(player, live).body.find("—"), std::string::npos);
    EXPECT_FALSE(give_answer(player, {.cell = {3, 0}}, live, nullptr)) << "there is no such row";
    EXPECT_FALSE(player.state().answer);
}

TEST(LessonPlayer, LessonsOpenOnlyWhatTheyMay) {
    Lesson lesson = *read_lesson(HEED_SOURCE_DIR "/tests/lessons/every-kind.lesson.md");
    lesson.start = "no-such-example";
    EXPECT_FALSE(open_lesson(lesson));
    lesson.start.clear();
    EXPECT_EQ(open_lesson(lesson)->start, default_scene());
    lesson.steps.clear();
    EXPECT_FALSE(open_lesson(lesson));
}

}  // namespace
}  // namespace heed
