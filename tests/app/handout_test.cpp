// Lessons on paper: every one that travels with the program, in both languages, with and without answers.
#include "app/take_away/handout.h"
#include "app/print/print_figure.h"
#include "app/take_away/handout_question.h"
#include "core/files/lesson_file.h"
#include "core/lessons/axis_name.h"
#include "heed_test_paths.h"
#include "tests/app/print_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace heed::app {
namespace {

std::vector<Lesson> all_lessons() {
    std::vector<Lesson> lessons;
    for (const BuiltInLesson& row : built_in_lessons()) {
        Result<Lesson> lesson = built_in_lesson(row.id);
        EXPECT_TRUE(lesson) << row.id;
        if (lesson) lessons.push_back(*std::move(lesson));
    }
    Result<Lesson> every_kind =
        read_lesson(std::filesystem::path(HEED_SOURCE_DIR) / "tests/lessons/every-kind.lesson.md");
    EXPECT_TRUE(every_kind) << (every_kind ? "" : every_kind.error());
    if (every_kind) lessons.push_back(*std::move(every_kind));
    return lessons;
}

int pages_in(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\f')); }

void expect_nothing_is_clipped(const Handout& handout, const std::string& name) {
    for (const Page& page : handout.pages) {
        ASSERT_GE(page.figures.size(), 2U) << name << " has an empty page";
        for (std::size_t i = 0; i < page.figures.size(); ++i) {
            const PlacedFigure& placed = page.figures[i];
            EXPECT_LE(placed.at.x + placed.figure.width * placed.scale, handout.room.width - handout.room.left + 0.5F)
                << name;
            EXPECT_LE(placed.at.y + placed.figure.height * placed.scale, handout.room.height - 24) << name;
            if (i + 1 < page.figures.size() && i + 2 < page.figures.size()) {
                EXPECT_LE(placed.at.y + placed.figure.height * placed.scale, page.figures[i + 1].at.y + 0.5F)
                    << name << " overlaps";
            }
        }
    }
}

TEST(Handout, EveryLessonPrintsInBothLanguagesAndItsPdfParses) {
    for (const Lesson& lesson : all_lessons())
        for (const Language language : {Language::english, Language::chinese})
            for (const bool answers : {false, true}) {
                const std::string name =
                    lesson.id + (language == Language::chinese ? " zh" : " en") + (answers ? " answers" : "");
                const Result<Handout> handout = make_handout(lesson, "", {language, answers});
                ASSERT_TRUE(handout) << handout.error();
                EXPECT_GT(handout->n_figures, 0) << name;
                expect_nothing_is_clipped(*handout, name);
                if (!has_poppler()) continue;
                const Result<std::string> pdf =
                    print_pages(handout->pages, handout->room.width, handout->room.height, handout->title);
                ASSERT_TRUE(pdf) << pdf.error();
                const auto text = poppler("pdftotext", "{} -", *pdf);
                ASSERT_TRUE(text) << name;
                EXPECT_EQ(pages_in(*text), static_cast<int>(handout->pages.size())) << name;
                const std::string last = std::to_string(handout->pages.size());
                EXPECT_NE(text->find(language == Language::chinese ? "第 " + last + " 页，共 " + last
                                                                   : "Page " + last + " of " + last),
                          std::string::npos)
                    << name;
                EXPECT_EQ(text->find("\\frac"), std::string::npos) << name << " has a formula that was not set";
            }
}

TEST(Handout, AnswersAreOnlyThereWhereTheyAreAskedFor) {
    if (!has_poppler()) GTEST_SKIP() << "poppler-utils is not installed.";
    const Lesson lesson = all_lessons().back();
    const auto text = [&](bool answers) {
        const Result<Handout> handout = make_handout(lesson, "", {Language::english, answers});
        EXPECT_TRUE(handout);
        return *poppler("pdftotext", "{} -",
                        *print_pages(handout->pages, handout->room.width, handout->room.height, handout->title));
    };
    const std::string without = text(false);
    const std::string with = text(true);
    EXPECT_EQ(without.find("The answer"), std::string::npos);
    EXPECT_EQ(without.find("you said"), std::string::npos);
    EXPECT_NE(without.find("Your answer"), std::string::npos);
    EXPECT_NE(with.find("The answer"), std::string::npos);
    EXPECT_NE(with.find("you said"), std::string::npos);
}

TEST(Handout, AClaimedRowIsPrintedWithRoomToWriteAndWithTheTrueOneBesideIt) {
    if (!has_poppler()) GTEST_SKIP() << "poppler-utils is not installed.";
    const Result<Lesson> lesson = built_in_lesson("check-a-claim");
    ASSERT_TRUE(lesson) << lesson.error();
    const auto text = [&](Language language, bool answers) {
        const Result<Handout> handout = make_handout(*lesson, "", {language, answers});
        EXPECT_TRUE(handout);
        return *poppler("pdftotext", "-layout {} -",
                        *print_pages(handout->pages, handout->room.width, handout->room.height, handout->title));
    };
    const std::string without = text(Language::english, false);
    EXPECT_NE(without.find("Your row"), std::string::npos);
    EXPECT_NE(without.find("0.87"), std::string::npos);
    EXPECT_EQ(without.find("0.0815"), std::string::npos);
    EXPECT_EQ(without.find("furthest off"), std::string::npos);
    const std::string with = text(Language::english, true);
    EXPECT_EQ(with.find("Your row"), std::string::npos);
    EXPECT_NE(with.find("0.0815"), std::string::npos);
    EXPECT_NE(with.find("“first” is furthest off: 0.87 is claimed, 0.9966 is true."), std::string::npos);
    EXPECT_NE(with.find("What is claimed sums to 0.87"), std::string::npos);
    EXPECT_NE(text(Language::chinese, true).find("差得最远"), std::string::npos);
}

TEST(Handout, AnAnswerIsNotRoundedToWhatItIsNot) {
    Question question;
    question.kind = AskKind::number;
    question.tolerance = Tolerance{0.005, false};
    EXPECT_EQ(printed_answer(question, 0.99753), "0.9975");  // a weight stays below 1
    question.tolerance = Tolerance{0.06, false};
    EXPECT_EQ(printed_answer(question, 0.9962), "0.996");
    EXPECT_EQ(printed_answer(question, 3), "3");
    question.tolerance = Tolerance{0.5, false};
    EXPECT_EQ(printed_answer(question, 3.9996), "3.9996");
    question.tolerance = Tolerance{10, true};
    EXPECT_EQ(printed_answer(question, 2.4321), "2.43");
    EXPECT_EQ(printed_answer(question, -0.99996), "−0.99996");
    EXPECT_EQ(printed_answer(question, 3e-9), compact(3e-9));
}

TEST(Handout, TheAxesOfSketchesHaveNames) {
    for (const Lesson& lesson : all_lessons())
        for (const Step& step : lesson.steps)
            if (step.question && step.question->kind == AskKind::sketch)
                for (const Language language : {Language::english, Language::chinese}) {
                    const std::string name = axis_name(step.question->over.field, language);
                    EXPECT_EQ(name.find('.'), std::string::npos) << name;
                    EXPECT_EQ(name == axis_name(step.question->over.field, Language::english),
                              language == Language::english)
                        << name;
                }
    EXPECT_EQ(axis_name("model.depth.d_ff", Language::english), "d_{ff}");
    EXPECT_EQ(axis_title({"display.cost.window", 1, 128, true}, Language::english),
              "Window, to each side, logarithmic");
    EXPECT_EQ(axis_title({"display.cost.window", 1, 128, true}, Language::chinese), "窗口（左右各），对数刻度");
    EXPECT_EQ(axis_title({"display.cost.window", 1, 128, false}, Language::english), "Window, to each side");
    EXPECT_EQ(axis_end(1), "1");
    EXPECT_EQ(axis_end(-20), "−20");
    EXPECT_EQ(axis_end(0.25), "0.25");
}

TEST(Handout, APictureIsPrintedOnlyWhereAStepChangesIt) {
    Lesson lesson = all_lessons().back();
    lesson.steps.resize(1);
    lesson.steps[0].question.reset();
    lesson.steps[0].reveal.reset();
    Step same = lesson.steps[0];
    same.id = "same";
    Step other = same;
    other.id = "other";
    other.actions.list.push_back({Verb::set, "model.d_k=16"});
    lesson.steps = {lesson.steps[0], same, other};
    const Result<Handout> handout = make_handout(lesson, "", {});
    ASSERT_TRUE(handout) << handout.error();
    EXPECT_EQ(handout->n_figures, 2);
}

TEST(Handout, ALessonThatCannotBePlayedIsOneSentence) {
    Lesson lesson = all_lessons().back();
    lesson.steps[0].actions.list = {{Verb::set, "model.nothing=1"}};
    const Result<Handout> handout = make_handout(lesson, "", {});
    ASSERT_FALSE(handout);
    EXPECT_NE(handout.error().find(lesson.id), std::string::npos);
}

}  // namespace
}  // namespace heed::app
