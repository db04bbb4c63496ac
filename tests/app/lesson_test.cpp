// Lessons in the window: played as a user would, beside a scene of the user's own that nothing of it touches.
#include "app/autosave.h"
#include "core/files/scene_file.h"
#include "core/model/mask_settings.h"
#include "tests/app/lesson_window.h"

#include <cmath>
#include <filesystem>

namespace heed::app {
namespace {

constexpr std::string_view try_out = R"(---
heed-lesson: 1
id: try-out
title: Try it out | 试一试
start: cat
show: model.temperature, model.mask
lock: model.mask.causal
---

# words
title: Words and links | 文字与链接
do: view pipeline; set model.temperature=1
en:
  The temperature is {model.temperature}. [Make it low](set: model.temperature=0.1), look at [the
  weights](look: pipeline.weights), at [the control](look: control.model.temperature) or [see it fall](sweep:
  model.temperature=1:0.25:log).
zh:
  温度是 {model.temperature}。[调低](set: model.temperature=0.1)，看[权重](look: pipeline.weights)、
  [控件](look: control.model.temperature)，或[看它下降](sweep: model.temperature=1:0.25:log)。
claim: model.temperature > 0.5

# number
en: A number.
zh: 一个数。
ask number: max_weight(3)
  en: How large is the largest weight of row 4 at a quarter of the temperature?
  zh: 温度降到四分之一时，第 4 行最大的权重是多少？
  tolerance: 0.01
  hint < 0.2: More than that. | 比这更大。
  hint > 1: No weight is above 1. | 权重不会超过 1。
reveal: set model.temperature=0.25
  en: It is {max_weight(3)}; you said {answer}.
  zh: 是 {max_weight(3)}，你说的是 {answer}。

# choice
en: A choice.
zh: 选择。
ask choice:
  en: Which way does the temperature go?
  zh: 温度往哪边走？
  option model.temperature < 0.25: Down | 下降
  option model.temperature > 0.25: Up | 上升
reveal: set model.temperature=4
  en: It is now {model.temperature}.
  zh: 现在是 {model.temperature}。

# cell
do: pin 5,0
en: A cell.
zh: 一格。
ask cell: q == 4 and k == argmax(4)
  en: Where does row 5 look most?
  zh: 第 5 行最看哪里？

# sketch
en: A curve.
zh: 曲线。
ask sketch: max_weight(5) over model.temperature=0.1:10:log
  en: Draw the largest weight.
  zh: 画出最大的权重。
  range: 0:1
  tolerance: 30%

# goal
do: set model.temperature=1
en: A goal.
zh: 目标。
until: model.temperature < 0.3
  solve: set model.temperature=0.2
  en: Make the temperature lower than 0.3.
  zh: 把温度降到 0.3 以下。
)";

Scene own_scene() {
    Scene scene = default_scene();
    scene.title = "Mine";
    EXPECT_TRUE(set_field(scene, "model.temperature", "0.7"));
    return scene;
}

TEST(LessonPanel, IsPlayedFromStartToEndByHandAndTheUsersSceneIsUntouched) {
    LessonWindow window(own_scene());
    ASSERT_TRUE(window.ui.type_into("temperature number", "0.9"));
    ASSERT_TRUE(window.ui.type_into("d_k number", "8"));
    window.ui.frames(2);
    const Scene before = window.document.next();
    ASSERT_TRUE(window.document.is_edited());
    window.begin(try_out);
    EXPECT_NE(window.document.next().model, before.model);
    EXPECT_FALSE(window.document.can_undo());
    while (true) {
        if (window.player().current().question) window.answer_question();
        if (window.player().current().gate) {
            EXPECT_FALSE(window.can_press("Finish"));
            window.press("Show me");
        }
        if (!has_next(window.player())) break;
        ASSERT_TRUE(window.can_press("Next ›")) << window.player().current().id;
        window.press("Next ›");
    }
    EXPECT_EQ(window.player().step, 5);
    window.press("Finish");
    EXPECT_FALSE(window.run().is_running());
    EXPECT_EQ(window.document.next(), before);
    EXPECT_TRUE(window.document.is_edited());
    window.undo();
    EXPECT_EQ(window.model().d_k, default_scene().model.d_k);
    window.undo();
    EXPECT_FLOAT_EQ(window.model().temperature, 0.7F);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LessonPanel, NothingIsRevealedBeforeAPredictionUnlessAnswersAreOpen) {
    LessonWindow window;
    window.begin(try_out);
    window.press("Next ›");
    EXPECT_FALSE(window.can_press("Reveal"));
    EXPECT_FALSE(window.can_press("Next ›"));
    window.ui.key(ImGuiKey_PageDown);
    window.ui.frames(3);
    EXPECT_EQ(window.player().step, 1);
    window.shell.run(Command::lesson_answers);
    window.ui.frames(3);
    EXPECT_TRUE(window.can_press("Reveal"));
    window.press("Reveal");
    EXPECT_TRUE(window.state().revealed);
    EXPECT_FLOAT_EQ(window.model().temperature, 0.25F);
}

TEST(LessonPanel, AHintFollowsAWrongNumberAndWordsAreNoNumber) {
    LessonWindow window;
    window.begin(try_out);
    window.press("Next ›");
    window.answer_number("much");
    EXPECT_FALSE(window.state().answer);
    EXPECT_FALSE(window.run().draft().problem.empty());
    window.answer_number("0.1");
    EXPECT_EQ(window.run().words().text.hint, "More than that.");
    window.answer_number("120%");
    EXPECT_EQ(window.run().words().text.hint, "No weight is above 1.");
    EXPECT_DOUBLE_EQ(window.state().answer->number, 1.2);
    window.answer_number("1/2");
    EXPECT_DOUBLE_EQ(window.state().answer->number, 0.5);
}

TEST(LessonPanel, ALinkChangesTheSceneByOneStepAndBackToTheLessonRestoresItExactly) {
    LessonWindow window;
    window.begin(try_out);
    const Scene step = window.document.next();
    EXPECT_FALSE(window.ui.exists("Back to the lesson"));
    window.press("lesson body/link 0");
    EXPECT_FLOAT_EQ(window.model().temperature, 0.1F);
    EXPECT_TRUE(window.run().words().has_wandered);
    EXPECT_FALSE(window.run().words().claims_hold);
    window.undo();
    window.ui.frames(2);
    EXPECT_EQ(window.document.next(), step);
    EXPECT_TRUE(window.run().words().claims_hold);
    window.press("lesson body/link 0");
    window.show("heads");
    window.press("Back to the lesson");
    EXPECT_EQ(window.document.next(), step);
    EXPECT_FALSE(window.run().words().has_wandered);
    window.undo();
    EXPECT_FLOAT_EQ(window.model().temperature, 0.1F);
}

TEST(LessonPanel, TheLanguageCanBeSwitchedInTheMiddleOfAStep) {
    LessonWindow window;
    window.begin(try_out);
    window.press("Next ›");
    window.answer_number("0.1");
    const Answer said = *window.state().answer;
    window.ui.key(ImGuiKey_F8);
    window.ui.frames(4);
    EXPECT_EQ(window.run().words().text.hint, "比这更大。");
    EXPECT_EQ(window.run().draft().number, "0.1");
    EXPECT_EQ(*window.state().answer, said);
    window.press("Reveal");
    EXPECT_NE(window.run().words().text.revealed.find("你说的是"), std::string::npos);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LessonPanel, KeysOfAPresentersRemoteStepTheLessonFirst) {
    LessonWindow window;
    window.begin(try_out);
    const int explained = window.document.next().display.pin.query;
    window.ui.key(ImGuiKey_PageDown);
    window.ui.frames(3);
    EXPECT_EQ(window.player().step, 1);
    window.ui.key(ImGuiKey_PageUp);
    window.ui.frames(3);
    EXPECT_EQ(window.player().step, 0);
    window.ui.key(ImGuiKey_RightArrow);
    window.ui.frames(3);
    EXPECT_EQ(window.player().step, 1);
    // A field that is being typed into keeps its arrows.
    ASSERT_TRUE(window.ui.click("Your answer"));
    window.ui.frames(2);
    window.ui.type("12");
    window.ui.key(ImGuiKey_LeftArrow);
    window.ui.frames(3);
    EXPECT_EQ(window.player().step, 1);
    EXPECT_EQ(window.document.next().display.pin.query, explained);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(2);
    window.ui.key(ImGuiKey_F5);
    window.ui.frames(4);
    ASSERT_TRUE(window.session.presentation);
    EXPECT_TRUE(window.ui.exists("Next ›"));
    window.ui.key(ImGuiKey_PageUp);
    window.ui.frames(3);
    EXPECT_EQ(window.player().step, 0);
}

TEST(LessonPanel, TheBarsGoToStepsThatWereReachedAndToNoOther) {
    LessonWindow window;
    window.begin(try_out);
    window.press("Next ›");
    EXPECT_FALSE(window.can_press("step 3"));
    window.press("step 0");
    EXPECT_EQ(window.player().step, 0);
    window.press("step 1");
    EXPECT_EQ(window.player().step, 1);
}

TEST(LessonPanel, ASweepIsOneStepOfUndoAndAClickStopsIt) {
    LessonWindow window;
    window.begin(try_out);
    window.session.animate = true;
    const Scene step = window.document.next();
    ASSERT_TRUE(window.ui.click("lesson body/link 3"));
    window.ui.frames(2);
    ASSERT_TRUE(window.run().is_sweeping());
    window.ui.wait(1);
    window.ui.frames(1);
    const float half_way = window.model().temperature;
    EXPECT_LT(half_way, 1);
    EXPECT_GT(half_way, 0.25F);
    window.ui.wait(3);
    window.ui.frames(2);
    EXPECT_FALSE(window.run().is_sweeping());
    EXPECT_FLOAT_EQ(window.model().temperature, 0.25F);
    window.undo();
    EXPECT_EQ(window.document.next(), step);
    EXPECT_FALSE(window.document.can_undo());
    ASSERT_TRUE(window.ui.click("lesson body/link 3"));
    window.ui.frames(2);
    window.ui.wait(1);
    window.ui.frames(1);
    ASSERT_TRUE(window.run().is_sweeping());
    ASSERT_TRUE(window.ui.click("Lesson"));
    window.ui.frames(2);
    EXPECT_FALSE(window.run().is_sweeping());
    EXPECT_GT(window.model().temperature, 0.25F);
}

TEST(LessonPanel, WhatIsPointedAtIsLitUntilTheNextAction) {
    LessonWindow window;
    window.begin(try_out);
    window.press("lesson body/link 1");
    EXPECT_EQ(window.session.pointing.view, "pipeline");
    EXPECT_EQ(window.session.pointing.place, "weights");
    window.ui.key(ImGuiKey_F2);
    window.ui.frames(2);
    EXPECT_TRUE(window.session.pointing.view.empty());
    window.ui.key(ImGuiKey_F2);
    window.ui.frames(4);
    window.press("lesson body/link 2");
    EXPECT_EQ(window.session.pointing.control, "temperature");
}

TEST(LessonPanel, ControlsAreFoldedAwayAndHeldAndComeBack) {
    LessonWindow window(own_scene(), {1440, 1600});
    ASSERT_TRUE(window.ui.exists("d_k"));
    window.begin(try_out);
    EXPECT_FALSE(window.ui.exists("d_k"));
    EXPECT_FALSE(window.ui.exists("normalizer/softmax"));
    EXPECT_TRUE(window.can_press("temperature"));
    EXPECT_TRUE(window.can_press("mask/window"));
    EXPECT_FALSE(window.can_press("mask/causal"));
    const bool causal = window.model().mask->causal;
    (void)window.ui.click("mask/causal");
    window.ui.frames(2);
    EXPECT_EQ(window.model().mask->causal, causal);
    window.press("Show all controls");
    EXPECT_TRUE(window.ui.exists("d_k"));
    EXPECT_FALSE(window.can_press("mask/causal"));
    window.press("Only the lesson's controls");
    EXPECT_FALSE(window.ui.exists("d_k"));
    window.press("Leave the lesson");
    EXPECT_TRUE(window.can_press("d_k"));
    EXPECT_TRUE(window.can_press("mask/causal"));
}

TEST(LessonPanel, FoldedAwayItGivesItsRoomAndGoesOn) {
    LessonWindow window;
    window.begin(try_out);
    window.press("Next ›");
    window.press("Fold the lesson");
    EXPECT_FALSE(window.ui.exists("Next ›"));
    window.press("Unfold the lesson");
    EXPECT_EQ(window.player().step, 1);
    EXPECT_TRUE(window.ui.exists("Next ›"));
}

// The copy on the disk is the user's scene, whatever is done in the lesson.
TEST(LessonPanel, WhatIsKeptAgainstACrashIsTheUsersOwnScene) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lesson-autosave";
    std::filesystem::remove_all(folder);
    Scene mine;
    {
        LessonWindow window(own_scene());
        Autosave autosave(folder, std::chrono::seconds(0));
        ASSERT_TRUE(window.ui.type_into("temperature number", "0.9"));
        window.ui.frames(2);
        mine = window.document.next();
        window.begin(try_out);
        window.press("lesson body/link 0");
        for (int i = 0; i < 3; ++i) {
            autosave.frame(window.run().work(window.document), false);
            autosave.finish_writing();
        }
    }
    const std::vector<Leftover> left = find_leftovers(folder);
    ASSERT_EQ(left.size(), 1U);
    const Result<Scene> kept = read_leftover(left[0]);
    ASSERT_TRUE(kept) << kept.error();
    EXPECT_EQ(kept->model, mine.model);
    EXPECT_EQ(kept->title, "Mine");
    std::filesystem::remove_all(folder);
}

TEST(LessonPanel, ClosingTheWindowAsksAboutTheUsersWorkAndCancelGoesOnWithTheLesson) {
    LessonWindow window(own_scene());
    ASSERT_TRUE(window.ui.type_into("temperature number", "0.9"));
    window.ui.frames(2);
    const Scene mine = window.document.next();
    window.begin(try_out);
    window.press("lesson body/link 0");
    window.shell.ask_to_quit();
    window.ui.frames(4);
    ASSERT_TRUE(window.ui.exists("Don't save"));
    window.press("Cancel");
    EXPECT_TRUE(window.run().is_running());
    EXPECT_FALSE(window.shell.wants_to_quit());
    window.shell.ask_to_quit();
    window.ui.frames(4);
    ASSERT_TRUE(window.ui.click("Save"));
    window.ui.frames(4);
    // Its own scene is back, to be saved.
    EXPECT_FALSE(window.run().is_running());
    EXPECT_EQ(window.document.next(), mine);
}

TEST(LessonPanel, AnUneditedSceneIsLeftWithoutAQuestionHoweverTheLessonWasChanged) {
    LessonWindow window;
    window.begin(try_out);
    window.press("lesson body/link 0");
    window.shell.ask_to_quit();
    window.ui.frames(3);
    EXPECT_TRUE(window.shell.wants_to_quit());
}

TEST(LessonPanel, ASecondLessonKeepsTheUsersSceneAsWell) {
    LessonWindow window(own_scene());
    const Scene mine = window.document.next();
    window.begin(try_out);
    window.press("lesson body/link 0");
    window.begin(try_out);
    EXPECT_EQ(window.player().step, 0);
    window.press("Leave the lesson");
    EXPECT_EQ(window.document.next(), mine);
}

TEST(LessonPanel, ALessonThatCannotBeStartedChangesNothing) {
    LessonWindow window(own_scene());
    const Scene mine = window.document.next();
    window.shell.lessons().start("no-such-lesson");
    window.ui.frames(2);
    EXPECT_FALSE(window.run().is_running());
    EXPECT_FALSE(window.session.message.empty());
    window.shell.lessons().open("/nowhere/no.lesson.md");
    window.ui.frames(2);
    EXPECT_FALSE(window.run().is_running());
    EXPECT_EQ(window.document.next(), mine);
}

TEST(LessonPanel, SketchedCurvesHaveOneHeightEverywhereAndTheTrueOneIsLaidOver) {
    LessonWindow window;
    window.begin(try_out);
    window.shell.run(Command::lesson_answers);
    for (int i = 0; i < 4; ++i) window.press("Next ›");
    ASSERT_EQ(window.player().current().id, "sketch");
    window.draw_sketch(0.9F, 0.2F);
    window.draw_sketch(0.8F, 0.3F);
    const std::vector<SketchPoint> drawn = window.state().answer->sketch;
    for (std::size_t i = 1; i < drawn.size(); ++i) EXPECT_GT(drawn[i].x, drawn[i - 1].x);
    EXPECT_NEAR(drawn.front().y, 0.8, 0.05);
    EXPECT_NEAR(drawn.back().y, 0.3, 0.05);
    window.press("Reveal");
    window.settle();
    ASSERT_TRUE(window.state().verdict);
    EXPECT_DOUBLE_EQ(window.state().verdict->difference,
                     sketch_difference(*window.player().current().question, drawn, window.run().true_curve()));
}

constexpr std::string_view bench = R"(---
heed-lesson: 1
id: bench
title: Bench | 工作台
start: claims
---

# claim
en: A claim.
zh: 一个说法。
ask row: 3
  en: Is it right?
  zh: 对吗？
  claimed: 0.87, 0.09, 0.04
  logits: model.q[0][3]
reveal: set display.pipeline.enlarged=weights
  en: You had {answer}.
  zh: 你写的是 {answer}。

# after
en: After.
zh: 之后。
)";

RowVerdict judged(LessonWindow& window) { return judge_row(window.run().draft().row, *window.run().words().row); }

TEST(LessonRow, TheTextsNumbersStandInTheFieldsAndTheTrueRowIsLaidBesideThem) {
    LessonWindow window;
    window.begin(bench);
    EXPECT_EQ(window.run().draft().row, (std::vector<std::string>{"0.87", "0.09", "0.04"}));
    EXPECT_FALSE(window.can_press("Next ›"));
    EXPECT_FALSE(window.ui.exists("Reveal"));
    window.press("Check the row");
    EXPECT_TRUE(window.state().revealed);
    EXPECT_FALSE(window.state().verdict->right);
    EXPECT_EQ(window.run().words().text.revealed, "You had 0\\.87, 0\\.09, 0\\.04.");
    EXPECT_EQ(row_sentence(judged(window), window.model(), Language::english),
              "“first” is furthest off: 0.87 is claimed, 0.9966 is true. Wrong to the digits given: 3 of 3.");
    EXPECT_TRUE(window.can_press("Next ›"));
    // Each Enter checks again.
    window.type_claimed(0, "0.997");
    window.type_claimed(1, "0.002");
    window.type_claimed(2, "0.001");
    EXPECT_TRUE(window.state().verdict->right);
    EXPECT_EQ(window.run().words().text.revealed, "You had 0\\.997, 0\\.002, 0\\.001.");
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LessonRow, ScoresThatAreTypedGoIntoTheSceneByOneStepOfUndo) {
    LessonWindow window;
    window.begin(bench);
    window.press("Check the row");
    const Scene step = window.document.next();
    ASSERT_TRUE(window.ui.type_into("score 0", "2"));
    window.ui.frames(3);
    window.document.settle();
    window.ui.frames(2);
    EXPECT_FLOAT_EQ((*window.model().q.at(0))(3, 0), 2);
    const double half = window.run().words().row->weights[0];
    EXPECT_NEAR(half, 1 / (2 + std::exp(-1.0)), 1e-6) << "of the scores 2, 2, 1";
    EXPECT_TRUE(window.run().words().has_wandered);
    window.undo();
    window.ui.frames(3);
    EXPECT_EQ(window.document.next(), step);
    EXPECT_NEAR(window.run().words().row->weights[0], 0.99662, 1e-5);
    ASSERT_TRUE(window.ui.type_into("score 0", "many"));
    window.ui.frames(3);
    EXPECT_FALSE(window.run().draft().problem.empty());
    EXPECT_EQ(window.document.next(), step);
}

TEST(LessonRow, ARowThatIsPastedFillsTheCellsAndAnEmptyCellClosesTheButton) {
    LessonWindow window;
    window.begin(bench);
    window.type_claimed(1, "");
    EXPECT_FALSE(window.can_press("Check the row"));
    EXPECT_FALSE(window.state().revealed);
    window.type_claimed(0, "[0.9, 0.06, 4%]");
    EXPECT_EQ(window.run().draft().row, (std::vector<std::string>{"0.9", "0.06", "4%"}));
    EXPECT_TRUE(window.can_press("Check the row"));
}

TEST(LessonRow, WhatWasTypedStaysThroughLanguageUndoLeavingTheStepAndReturning) {
    LessonWindow window;
    window.begin(bench);
    window.type_claimed(0, "0.5");
    EXPECT_TRUE(window.state().revealed) << "Enter checks";
    const std::vector<std::string> typed = window.run().draft().row;
    window.ui.key(ImGuiKey_F8);
    window.ui.frames(4);
    EXPECT_EQ(window.run().draft().row, typed);
    EXPECT_EQ(window.run().words().text.revealed, "你写的是 0\\.5, 0\\.09, 0\\.04。");
    EXPECT_EQ(row_sentence(judged(window), window.model(), Language::chinese),
              "声称的一行之和是 0.63，真实的一行之和是 1.00。“first”差得最远：声称 0.5，真实 0.9966。按所给的位数，3 "
              "个中有 3 个错了。");
    window.press("Next ›");
    window.press("‹ Back");
    EXPECT_EQ(window.run().draft().row, typed);
    EXPECT_EQ(window.state().answer->row, typed);
    EXPECT_EQ(window.ui.complaints(), "");
}

// The keys that go on say why they do not, and the note goes when the way is free.
TEST(LessonPanel, AKeyThatCannotGoOnSaysWhy) {
    LessonWindow window;
    window.begin(try_out);
    window.press("Next ›");
    const auto held = [&] {
        return window.ui.exists("Why it does not go on") ? std::string(window.run().why_held()) : std::string();
    };
    EXPECT_EQ(held(), "");
    for (const ImGuiKey key : {ImGuiKey_RightArrow, ImGuiKey_Space, ImGuiKey_PageDown}) {
        window.press("step 0");
        window.press("step 1");
        EXPECT_EQ(held(), "");
        window.ui.key(key);
        window.ui.frames(3);
        EXPECT_EQ(window.player().step, 1);
        EXPECT_EQ(held(), "Answer first, then press Reveal. Teachers: Lessons → Open all answers.")
            << static_cast<int>(key);
    }
    window.answer_number("0.1");
    EXPECT_EQ(held(), "Press Reveal first: then the lesson goes on.");
    window.press("Reveal");
    EXPECT_EQ(held(), "");
    window.shell.run(Command::lesson_answers);
    for (int i = 0; i < 4; ++i) window.press("Next ›");
    window.shell.run(Command::lesson_answers);
    window.ui.frames(2);
    ASSERT_EQ(window.player().current().id, "goal");
    window.ui.key(ImGuiKey_PageDown);
    window.ui.frames(3);
    EXPECT_EQ(held(), "The goal is not reached yet; Show me does it for you.");
    window.press("Show me");
    EXPECT_EQ(held(), "This was the last step: Finish ends the lesson.");
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LessonPanel, ASketchOfHalfTheAxisIsNoAnswerUntilItIsDrawnToBothEnds) {
    LessonWindow window;
    window.begin(try_out);
    window.shell.run(Command::lesson_answers);
    for (int i = 0; i < 4; ++i) window.press("Next ›");
    window.shell.run(Command::lesson_answers);
    window.ui.frames(2);
    ASSERT_EQ(window.player().current().id, "sketch");
    ASSERT_TRUE(window.ui.drag_within("sketch", {0.02F, 0.5F}, {0.5F, 0.5F}));
    window.ui.frames(3);
    EXPECT_NEAR(sketch_missing(window.run().draft().sketch), 0.52, 0.03);
    EXPECT_FALSE(window.state().answer);
    EXPECT_FALSE(window.can_press("Reveal"));
    ASSERT_TRUE(window.ui.drag_within("sketch", {0.5F, 0.5F}, {0.98F, 0.3F}));
    window.ui.frames(3);
    ASSERT_TRUE(window.state().answer);
    // What is left at the edges goes on at its height, on the pad and in the answer.
    EXPECT_DOUBLE_EQ(window.state().answer->sketch.front().x, 0);
    EXPECT_DOUBLE_EQ(window.state().answer->sketch.back().x, 1);
    EXPECT_DOUBLE_EQ(window.state().answer->sketch.back().y, window.run().draft().sketch.back().y);
    EXPECT_TRUE(window.can_press("Reveal"));
    window.press("Draw again");
    EXPECT_FALSE(window.state().answer);
    EXPECT_FALSE(window.can_press("Reveal"));
}

// Predicted, then another language, undo, a step away and back, and out of the lesson and in again.
// How far the text of the step is scrolled.
float scrolled() {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (window->WasActive && std::string_view(window->Name).find("words ") != std::string_view::npos)
            return window->Scroll.y;
    ADD_FAILURE() << "no lesson is shown";
    return 0;
}

TEST(LessonPanel, RevealingAnAnswerScrollsToWhatCameOfIt) {
    std::string lesson = "---\nheed-lesson: 1\nid: long\ntitle: Long | 长\nstart: cat\n---\n\n# one\nen:\n";
    for (const char* language : {"", "zh:\n"}) {
        lesson += language;
        for (int i = 0; i < 7; ++i) lesson += "  A paragraph of the lesson that takes up two lines of it or three.\n\n";
    }
    lesson +=
        "ask choice:\n  en: Which?\n  zh: 哪个？\n  option model.d_k > 0: This | 这个\n  option model.d_k < 0: That | "
        "那个\nreveal:\n";
    for (const char* language : {"  en:\n", "  zh:\n"}) {
        lesson += language;
        for (int i = 0; i < 4; ++i)
            lesson += "    What came of it is told in several lines, all of which are to be read.\n\n";
    }
    LessonWindow window(own_scene(), {1024, 700});
    window.begin(lesson);
    window.press("option 0");
    ASSERT_TRUE(window.ui.find("Reveal"));  // scrolls to it
    window.ui.frames(3);
    const float before = scrolled();
    window.press("Reveal");
    ASSERT_TRUE(window.state().revealed);
    const float after = scrolled();
    EXPECT_GT(after, before + 40) << "what was revealed is below the edge";
    window.ui.frames(6);
    EXPECT_EQ(scrolled(), after) << "it scrolls once";
}

TEST(LessonPanel, APredictionIsKeptThroughLanguageUndoAndTheStepsBeside) {
    LessonWindow window(own_scene());
    const Scene mine = window.document.next();
    window.begin(try_out);
    window.press("Next ›");
    window.answer_number("0.4");
    const Answer said = *window.state().answer;
    const Verdict worth = *window.state().verdict;
    ASSERT_TRUE(window.ui.type_into("temperature number", "0.6"));
    window.ui.frames(3);
    window.undo();
    window.ui.frames(3);
    EXPECT_EQ(*window.state().answer, said);
    EXPECT_EQ(*window.state().verdict, worth);
    window.ui.key(ImGuiKey_F8);
    window.ui.frames(4);
    EXPECT_EQ(*window.state().answer, said);
    window.press("‹ Back");
    window.press("Next ›");
    EXPECT_EQ(*window.state().answer, said);
    EXPECT_EQ(window.run().draft().number, "0.4");
    EXPECT_FALSE(window.state().revealed);
    window.press("Reveal");
    EXPECT_NE(window.run().words().text.revealed.find("你说的是 0.40"), std::string::npos)
        << window.run().words().text.revealed;
    window.undo();  // of what the reveal did: the answer is known all the same
    window.ui.frames(3);
    EXPECT_FLOAT_EQ(window.model().temperature, 1);
    EXPECT_TRUE(window.state().revealed);
    EXPECT_EQ(*window.state().answer, said);
    window.press("Back to the lesson");
    EXPECT_FLOAT_EQ(window.model().temperature, 0.25F);
    window.press("Leave the lesson");
    EXPECT_EQ(window.document.next(), mine);
    window.begin(try_out);
    window.press("Next ›");
    EXPECT_FALSE(window.state().answer) << "another start asks again";
}

// Every lesson that travels with the program, by hand, in either language.
class BuiltIn : public testing::TestWithParam<Language> {};

TEST_P(BuiltIn, EveryLessonIsWalkedFromStartToEndAndLeavesNothingBehind) {
    for (const BuiltInLesson& one : built_in_lessons()) {
        SCOPED_TRACE(std::string(one.id));
        LessonWindow window(own_scene());
        window.session.settings.language = GetParam();
        window.ui.frames(2);
        const Scene before = window.document.next();
        window.shell.lessons().start(one.id);
        window.ui.frames(4);
        EXPECT_TRUE(window.run().is_running()) << window.session.message;
        while (window.run().is_running()) {
            SCOPED_TRACE(window.player().current().id);
            window.settle();
            EXPECT_FALSE(window.run().words().has_wandered);
            EXPECT_EQ(window.run().words().text.body.find("—}"), std::string::npos);
            if (window.player().current().question) window.answer_question();
            if (window.player().current().gate && !window.state().gate_passed) window.press("Show me");
            window.settle();
            if (!has_next(window.player())) break;
            const bool is_open = window.can_press("Next ›");
            EXPECT_TRUE(is_open);
            if (!is_open) break;  // the next lesson is walked all the same
            window.press("Next ›");
        }
        if (!window.run().is_running()) continue;
        if (has_next(window.player())) continue;
        window.press("Finish");
        EXPECT_FALSE(window.run().is_running());
        EXPECT_EQ(window.document.next(), before);
        EXPECT_TRUE(window.session.settings.lessons.front().is_done);
        EXPECT_EQ(window.ui.complaints(), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Languages, BuiltIn, testing::Values(Language::english, Language::chinese));

// Each step in the other language and back, changed and undone; each lesson left half way and returned to.
TEST(BuiltInLessons, AreSpokenInBothLanguagesUndoneLeftAndReturnedTo) {
    for (const BuiltInLesson& one : built_in_lessons()) {
        SCOPED_TRACE(std::string(one.id));
        LessonWindow window(own_scene());
        const Scene before = window.document.next();
        window.shell.lessons().start(one.id);
        window.ui.frames(4);
        ASSERT_TRUE(window.run().is_running()) << window.session.message;
        window.shell.run(Command::lesson_answers);
        window.ui.frames(2);
        for (int step = 0;; ++step) {
            SCOPED_TRACE(window.player().current().id);
            window.settle();
            const Scene at_first = window.document.next();
            const std::string said = window.run().words().text.body;
            window.ui.key(ImGuiKey_F8);
            window.ui.frames(3);
            EXPECT_NE(window.run().words().text.body, said);
            EXPECT_FALSE(lacks(window.player().current(), window.session.settings.language));
            window.ui.key(ImGuiKey_F8);
            window.ui.frames(3);
            EXPECT_EQ(window.run().words().text.body, said);
            window.document.next().model.temperature = 3;
            window.ui.frames(3);
            window.document.settle();
            window.ui.frames(2);
            EXPECT_TRUE(window.run().words().has_wandered);
            window.undo();
            window.ui.frames(3);
            EXPECT_EQ(window.document.next(), at_first);
            EXPECT_FALSE(window.run().words().has_wandered);
            if (step + 1 >= window.player().n_steps() / 2) break;
            window.shell.run(Command::lesson_next);
            window.ui.frames(3);
        }
        const int step = window.player().step;
        const Scene there = window.document.next();
        window.press("Leave the lesson");
        EXPECT_EQ(window.document.next(), before);
        ASSERT_TRUE(window.shell.can_run(Command::lesson_continue));
        window.shell.run(Command::lesson_continue);
        window.settle();
        EXPECT_EQ(window.player().step, step);
        EXPECT_EQ(window.document.next(), there);
        window.press("Leave the lesson");
        EXPECT_EQ(window.document.next(), before);
        EXPECT_EQ(window.ui.complaints(), "");
    }
}

TEST(LessonMenu, LessonsAreFoundStartedMarkedAndContinued) {
    LessonWindow window;
    const std::vector<Lesson>& lessons = window.shell.lessons().list();
    EXPECT_EQ(lessons.size(), built_in_lessons().size());
    if (lessons.empty()) GTEST_SKIP() << "no lesson travels with the program";
    const std::vector<Findable> all = findables(window.shell);
    for (const Lesson& lesson : lessons)
        for (const std::string& title : {lesson.title.en, lesson.title.zh}) {
            const std::vector<const Findable*> list = found(all, title);
            ASSERT_FALSE(list.empty());
            EXPECT_TRUE(list[0]->id == lesson.id) << title;
        }
    window.shell.lessons().start(lessons[0].id);
    window.ui.frames(3);
    window.shell.run(Command::lesson_answers);
    window.shell.run(Command::lesson_next);
    window.ui.frames(3);
    const int furthest = window.run().furthest();
    EXPECT_EQ(furthest, 1);
    window.shell.run(Command::lesson_leave);
    window.ui.frames(2);
    EXPECT_EQ(window.session.settings.lessons.front().id, lessons[0].id);
    ASSERT_TRUE(window.shell.can_run(Command::lesson_continue));
    window.shell.run(Command::lesson_continue);
    window.ui.frames(3);
    EXPECT_EQ(window.player().step, 1);
}

TEST(Welcome, OffersALessonAnExampleOrASceneOnce) {
    Session session;
    Document document(default_scene());
    Shell shell(document, session, {.offers_start = true, .native_dialogs = false});
    Driver ui([&](Host&) { shell.frame(ImGui::GetIO().DisplaySize); });
    ui.frames(5);
    ASSERT_TRUE(ui.exists("Begin with an example"));
    EXPECT_EQ(ui.exists("Begin with a lesson"), !shell.lessons().list().empty());
    ASSERT_TRUE(ui.click("Begin with an example"));
    ui.frames(5);
    EXPECT_TRUE(session.settings.is_welcomed);
    EXPECT_TRUE(ui.exists("Find"));
    ui.key(ImGuiKey_Escape);
    ui.frames(3);
    EXPECT_FALSE(ui.exists("Begin with an example"));
}

// What one does becomes steps; what is typed is saved, read again, and played.
TEST(LessonEditor, WhatIsDoneAndTypedBecomesALessonThatPlays) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lesson-editor";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    LessonWindow window(own_scene(), {1600, 1300});
    window.shell.run(Command::lesson_new);
    window.ui.frames(4);
    ASSERT_TRUE(window.ui.type_into("Lesson title", "Low and lower"));
    ASSERT_TRUE(window.ui.type_into("Step title", "Start"));
    window.shell.lessons().editor().draft().steps[0].text = "The temperature is {model.temperature}.";
    window.shell.lessons().editor().draft().steps[0].text_zh = "温度是 {model.temperature}。";
    ASSERT_TRUE(window.ui.type_into("temperature number", "0.2"));
    window.show("heads");
    window.document.next().display.pinned = true;
    window.document.next().display.pin = {2, 1};
    window.ui.frames(3);
    window.press_any("Add step");
    LessonDraft& draft = window.shell.lessons().editor().draft();
    ASSERT_EQ(draft.steps.size(), 2U);
    EXPECT_NE(draft.steps[1].actions.find("model.temperature=0.2"), std::string::npos) << draft.steps[1].actions;
    EXPECT_NE(draft.steps[1].actions.find("view heads"), std::string::npos) << draft.steps[1].actions;
    EXPECT_NE(draft.steps[1].actions.find("pin 2,1"), std::string::npos) << draft.steps[1].actions;
    draft.steps[1].text = "Now {model.temperature}.";
    draft.steps[1].text_zh = "现在是 {model.temperature}。";
    const std::filesystem::path file = folder / "low-and-lower.lesson.md";
    window.shell.lessons().save_draft(file);
    ASSERT_TRUE(window.session.message.starts_with("✓")) << window.session.message;
    const Scene mine = window.document.next();
    window.shell.lessons().open(file);
    window.ui.frames(4);
    ASSERT_TRUE(window.run().is_running()) << window.session.message;
    EXPECT_FLOAT_EQ(window.document.next().model.temperature, 0.7F);
    EXPECT_EQ(window.run().words().text.body, "The temperature is 0.70.");
    window.press("Next ›");
    EXPECT_FLOAT_EQ(window.document.next().model.temperature, 0.2F);
    EXPECT_EQ(window.document.next().display.view, "heads");
    window.press("Finish");
    EXPECT_EQ(window.document.next(), mine);
    std::filesystem::remove_all(folder);
}

TEST(LessonEditor, ANameThatIsNoneIsRefusedAndNothingIsWritten) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lesson-editor-names";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    LessonDraft draft = draft_from(own_scene());
    for (const char* name : {"My lesson.lesson.md", "a.md", ".lesson.md"})
        EXPECT_FALSE(save_draft(draft, folder / name)) << name;
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    EXPECT_EQ(draft_id(draft), "mine");
    draft.title = "注意力";
    EXPECT_EQ(draft_id(draft), "my-lesson");
    std::filesystem::remove_all(folder);
}

TEST(LessonEditor, ALessonInOneLanguageIsSavedAndShownInIt) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lesson-one-language";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    Scene scene = own_scene();
    scene.title_zh.clear();
    LessonWindow window(scene, {1600, 1300});
    window.shell.run(Command::lesson_new);
    window.ui.frames(4);
    LessonDraft& draft = window.shell.lessons().editor().draft();
    draft.steps[0].text = "Only English here.";
    draft.steps[0].rest = "ask number: max_weight(0)\n  en: How large?";
    window.ui.frames(3);
    EXPECT_FALSE(window.ui.exists("lesson problem"));
    EXPECT_TRUE(window.ui.exists("language missing"));
    const std::filesystem::path file = folder / "mine.lesson.md";
    window.shell.lessons().save_draft(file);
    ASSERT_TRUE(window.session.message.starts_with("✓")) << window.session.message;
    const Result<Lesson> read = read_lesson(file);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->title.en, "Mine");
    EXPECT_EQ(read->title.zh, "");
    window.session.settings.language = Language::chinese;
    window.shell.lessons().open(file);
    window.ui.frames(4);
    ASSERT_TRUE(window.run().is_running()) << window.session.message;
    EXPECT_EQ(window.run().words().text.body, "Only English here.");
    EXPECT_EQ(window.run().words().text.question, "How large?");
    EXPECT_TRUE(lacks(window.player().current(), Language::chinese));
    EXPECT_FALSE(lacks(window.player().current(), Language::english));
    window.press("Leave the lesson");
    draft.title = draft.steps[0].text = draft.steps[0].rest = "";
    draft.title_zh = "我的";
    draft.steps[0].text_zh = "只有中文。";
    EXPECT_FALSE(draft_problem(draft)) << draft_problem(draft)->sentence;
    std::filesystem::remove_all(folder);
}

TEST(LessonEditor, ThePreviewOfARowHasItsTable) {
    LessonWindow window(*example_scene("claims"), {1440, 900});
    window.shell.run(Command::lesson_new);
    window.ui.frames(4);
    LessonDraft& draft = window.shell.lessons().editor().draft();
    draft.steps[0].text = "One.";
    draft.steps[0].text_zh = "一。";
    window.ui.frames(3);
    EXPECT_FALSE(window.ui.exists("preview claimed 0"));
    draft.steps[0].rest =
        "ask row: 3\n  en: Check it.\n  zh: 核对。\n  claimed: 0.87, 0.09, 0.04\n  logits: model.q[0][3]";
    window.ui.frames(3);
    EXPECT_FALSE(window.ui.exists("lesson problem"));
    for (const char* name : {"preview score 0", "preview claimed 0", "preview score 2", "preview claimed 2"}) {
        const auto item = window.ui.find(name);
        ASSERT_TRUE(item) << name;
        EXPECT_FALSE(item->is_enabled()) << name;
    }
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LessonEditor, AProblemStandsAboveTheTextAndAClickPutsTheCursorThere) {
    LessonWindow window(own_scene(), {1440, 900});
    window.shell.run(Command::lesson_new);
    window.ui.frames(4);
    LessonDraft& draft = window.shell.lessons().editor().draft();
    draft.steps[0].text = "One.";
    draft.steps[0].text_zh = "一。";
    add_step(draft, window.document.next());
    draft.steps[1].text = "Two.";
    draft.steps[1].text_zh = "二。";
    draft.steps[1].rest = "\nask number: max_weight(0)\n  en: How large?\n  zh: 多大？\n  tolerence: 0.1";
    draft.step = 0;
    window.ui.frames(3);
    ASSERT_TRUE(window.ui.exists("lesson problem"));
    const std::optional<DraftProblem> problem = draft_problem(draft);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->place, (DraftPlace{.step = 1, .field = DraftField::rest, .line = 4}));
    EXPECT_TRUE(problem->sentence.starts_with("tolerence: there is no such key here")) << problem->sentence;
    window.press_any("lesson problem");
    window.ui.frames(4);
    EXPECT_EQ(draft.step, 1);
    // What is typed now stands at that line.
    window.ui.type("  en: x\n");
    window.ui.frames(3);
    EXPECT_NE(draft.steps[1].rest.find("  zh: 多大？\n  en: x"), std::string::npos) << draft.steps[1].rest;
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LessonEditor, EveryFieldsProblemIsFoundWhereItWasTyped) {
    const auto place = [](auto change) {
        LessonDraft draft = draft_from(own_scene());
        draft.steps[0].text = "One.";
        change(draft);
        const std::optional<DraftProblem> problem = draft_problem(draft);
        return problem ? problem->place : DraftPlace{.step = 99};
    };
    using P = DraftPlace;
    EXPECT_EQ(place([](LessonDraft& d) { d.title = d.title_zh = ""; }), (P{-1, DraftField::lesson_title, 0}));
    EXPECT_EQ(place([](LessonDraft& d) { d.steps[0].text = ""; }), (P{0, DraftField::text, 0}));
    EXPECT_EQ(place([](LessonDraft& d) { d.steps[0].actions = "veiw heads"; }), (P{0, DraftField::actions, 0}));
    EXPECT_EQ(place([](LessonDraft& d) { d.steps[0].rest = "claim: true\nclaim that"; }), (P{0, DraftField::rest, 1}));
    EXPECT_EQ(place([](LessonDraft&) {}).step, 99);
}

}  // namespace
}  // namespace heed::app
