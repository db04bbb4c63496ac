// How near an answer must come to the truth, where a lesson says so and where it does not.
#include "core/files/lesson_file.h"
#include "core/lessons/player.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace heed {
namespace {

Question with_tolerance(std::optional<Tolerance> tolerance) {
    Question question;
    question.tolerance = tolerance;
    return question;
}

bool is_right(std::optional<Tolerance> tolerance, double answer, double truth) {
    return judge_number(with_tolerance(tolerance), answer, truth).right;
}

TEST(LessonTolerance, WithoutOneATenthOfTheTruthIsNear) {
    EXPECT_DOUBLE_EQ(number_allowance(with_tolerance({}), 50), 5);
    EXPECT_DOUBLE_EQ(number_allowance(with_tolerance({}), -50), 5) << "as far on either side of 0";
    for (const double truth : {50.0, -50.0, 3.0, 0.5}) {
        EXPECT_TRUE(is_right({}, 0.91 * truth, truth)) << truth;
        EXPECT_TRUE(is_right({}, 1.09 * truth, truth)) << truth;
        EXPECT_FALSE(is_right({}, 0.89 * truth, truth)) << truth;
        EXPECT_FALSE(is_right({}, 1.11 * truth, truth)) << truth;
    }
}

TEST(LessonTolerance, OfALittleTruthTwoHundredthsAreNear) {
    for (const double truth : {0.0, 0.1, -0.1, 0.2}) {
        EXPECT_DOUBLE_EQ(number_allowance(with_tolerance({}), truth), 0.02);
        EXPECT_TRUE(is_right({}, truth + 0.019, truth)) << truth;
        EXPECT_FALSE(is_right({}, truth + 0.021, truth)) << truth;
    }
}

TEST(LessonTolerance, PerCentAreOfTheTruth) {
    const Tolerance five{.value = 5, .per_cent = true};
    for (const double truth : {200.0, -200.0, 0.04}) {
        EXPECT_DOUBLE_EQ(number_allowance(with_tolerance(five), truth), std::abs(truth) / 20);
        EXPECT_TRUE(is_right(five, 0.951 * truth, truth)) << truth;
        EXPECT_TRUE(is_right(five, 1.049 * truth, truth)) << truth;
        EXPECT_FALSE(is_right(five, 0.949 * truth, truth)) << truth;
        EXPECT_FALSE(is_right(five, 1.051 * truth, truth)) << truth;
    }
}

TEST(LessonTolerance, ANumberIsInTheUnitOfTheAnswer) {
    const Tolerance two{.value = 2};
    for (const double truth : {0.0, 200.0}) {
        EXPECT_TRUE(is_right(two, truth + 1.99, truth)) << truth;
        EXPECT_FALSE(is_right(two, truth + 2.01, truth)) << truth;
    }
}

// The line of the file, as it is written.
Result<LessonPlayer> asking_for_d_k(const std::string& tolerance) {
    const std::string line = tolerance.empty() ? "" : "  tolerance: " + tolerance + "\n";
    const Result<Lesson> lesson = load_lesson(
        "---\nheed-lesson: 1\nid: near\ntitle: Near | 接近\n---\n\n"
        "# one\ndo: set model.d_k=200\nen: Look.\nzh: 看。\n"
        "ask number: model.d_k\n  en: How many?\n  zh: 多少？\n" +
            line + "reveal:\n  en: So many.\n  zh: 这么多。\n",
        "near");
    if (!lesson) return Error{lesson.error()};
    return open_lesson(*lesson);
}

TEST(LessonTolerance, HoldsInALessonThatIsPlayed) {
    struct Played {
        const char* tolerance;
        double allowed;  // of 200
    };
    for (const auto& [tolerance, allowed] : {Played{"", 20}, {"5%", 10}, {"30%", 60}, {"5", 5}}) {
        Result<LessonPlayer> player = asking_for_d_k(tolerance);
        ASSERT_TRUE(player) << player.error();
        const Result<Scene> live = step_scene(*player);
        ASSERT_TRUE(live) << live.error();
        for (const double side : {-1.0, 1.0}) {
            const Result<Verdict> within =
                give_answer(*player, {.number = 200 + side * (allowed - 0.1)}, *live, nullptr);
            ASSERT_TRUE(within) << within.error();
            EXPECT_EQ(within->truth, 200);
            EXPECT_TRUE(within->right) << tolerance;
            EXPECT_FALSE(give_answer(*player, {.number = 200 + side * (allowed + 0.1)}, *live, nullptr)->right)
                << tolerance;
        }
    }
}

// A sketch that is `off` too high everywhere over a range of 10.
bool is_sketch_right(std::optional<Tolerance> tolerance, double off) {
    Question question = with_tolerance(tolerance);
    question.kind = AskKind::sketch;
    question.low = 0;
    question.high = 10;
    const std::vector<SketchPoint> truth = {{0, 3}, {0.5, 3}, {1, 3}};
    const std::vector<SketchPoint> drawn = {{0, 3 + off}, {0.5, 3 + off}, {1, 3 + off}};
    return judge_sketch(question, drawn, truth).right;
}

TEST(LessonTolerance, OfASketchIsAShareOfItsRangeOrInItsUnit) {
    EXPECT_TRUE(is_sketch_right({}, 1.49)) << "15 % unless the lesson says otherwise";
    EXPECT_FALSE(is_sketch_right({}, 1.51));
    EXPECT_TRUE(is_sketch_right(Tolerance{.value = 5, .per_cent = true}, 0.49));
    EXPECT_FALSE(is_sketch_right(Tolerance{.value = 5, .per_cent = true}, 0.51));
    EXPECT_TRUE(is_sketch_right(Tolerance{.value = 2}, 1.99));
    EXPECT_FALSE(is_sketch_right(Tolerance{.value = 2}, 2.01));
}

}  // namespace
}  // namespace heed
