// What went wrong when lessons were written and played by hand, each as a claim about the window.
#include "core/files/scene_file.h"
#include "tests/app/lesson_window.h"

namespace heed::app {
namespace {

constexpr std::string_view two_questions = R"(---
heed-lesson: 1
id: two-questions
title: Two questions | 两个问题
start: cat
---

# cell
do: view pipeline; pin 4,1
en: A cell.
zh: 一格。
ask cell: q == 4 and k == argmax(4)
  en: Where does row 5 look most?
  zh: 第 5 行最看哪里？

# number
en: A number.
zh: 一个数。
ask number: max_weight(3)
  en: How large is the largest weight of row 4?
  zh: 第 4 行最大的权重是多少？
  tolerance: 0.01
)";

TEST(LessonQuestion, AClickOnACellThatIsAskedForDoesNotLeaveTheStep) {
    LessonWindow window;
    window.begin(two_questions);
    ASSERT_TRUE(window.ui.click_cell("pipeline/weights", 4, 2));
    window.ui.frames(3);
    EXPECT_EQ(window.document.scene().display.pin.key, 2);
    EXPECT_FALSE(window.run().words().has_wandered);
    ASSERT_TRUE(window.ui.type_into("temperature number", "0.5"));
    window.ui.frames(3);
    window.document.settle();
    window.ui.frames(2);
    EXPECT_TRUE(window.run().words().has_wandered);
}

TEST(LessonQuestion, ANumberThatCannotBeReadIsTypedAgainWithoutAClick) {
    LessonWindow window;
    window.begin(two_questions);
    window.answer_question();
    window.press("Next ›");
    ASSERT_TRUE(window.ui.click("Your answer"));
    window.ui.type("abc");
    window.ui.frames(2);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(4);
    ASSERT_FALSE(window.run().draft().problem.empty());
    window.ui.type("0.9");
    window.ui.frames(2);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(4);
    EXPECT_EQ(window.run().draft().number, "0.9");
    EXPECT_TRUE(window.state().answer.has_value());
}

TEST(LessonEditor, WordsThatAreInNoFileAreAskedAboutBeforeTheWindowCloses) {
    LessonWindow window(default_scene(), {1600, 1300});
    window.shell.run(Command::lesson_new);
    window.ui.frames(4);
    window.shell.ask_to_quit();
    window.ui.frames(2);
    EXPECT_TRUE(window.shell.wants_to_quit()) << "nothing was typed";
}

TEST(LessonEditor, TypedWordsAreKeptUnlessTheyAreGivenUp) {
    LessonWindow window(default_scene(), {1600, 1300});
    window.shell.run(Command::lesson_new);
    window.ui.frames(4);
    ASSERT_TRUE(window.ui.type_into("Step title", "Start"));
    window.shell.ask_to_quit();
    window.ui.frames(4);
    EXPECT_FALSE(window.shell.wants_to_quit());
    ASSERT_TRUE(window.ui.exists("Don't save"));
    window.press_any("Cancel");
    EXPECT_EQ(window.shell.lessons().editor().draft().steps[0].title, "Start");
    window.shell.ask_to_quit();
    window.ui.frames(4);
    window.press_any("Don't save");
    EXPECT_TRUE(window.shell.wants_to_quit());
}

TEST(Compare, AStateKeptAsAStaysWithItsOwnScene) {
    LessonWindow window;
    window.show("compare");
    ASSERT_TRUE(window.ui.click("Keep as A"));
    window.ui.frames(2);
    ASSERT_NE(window.session.comparison.baseline, nullptr);
    window.begin(two_questions);
    EXPECT_EQ(window.session.comparison.baseline, nullptr) << "of another scene than the lesson's";
    window.shell.lessons().leave();
    window.ui.frames(3);
    EXPECT_NE(window.session.comparison.baseline, nullptr) << "it waited with the scene";
    window.shell.run(Command::new_scene);
    window.ui.frames(3);
    EXPECT_EQ(window.session.comparison.baseline, nullptr);
}

}  // namespace
}  // namespace heed::app
