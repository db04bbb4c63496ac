// The checker: sound lessons have no faults, and each thing that can be wrong has a sentence at its line.
#include "core/files/lesson_file.h"
#include "core/files/read_file.h"
#include "core/lessons/check_lesson.h"
#include "core/told_error.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

std::string fixture() { return *read_file(HEED_SOURCE_DIR "/tests/lessons/every-kind.lesson.md", max_lesson_bytes); }

std::string all_of(const std::vector<LessonFault>& faults, std::string_view name) {
    std::string all;
    for (const LessonFault& fault : faults) all += fault_text(name, fault) + "\n";
    return all;
}

TEST(CheckLesson, TheLessonWithEverythingIsSound) {
    const Lesson lesson = *load_lesson(fixture(), "f");
    EXPECT_EQ(all_of(check_lesson(lesson, {}, {}), "f"), "");
}

TEST(CheckLesson, EveryLessonThatTravelsWithTheProgramIsSound) {
    std::vector<std::string> ids;
    for (const BuiltInLesson& row : built_in_lessons()) ids.emplace_back(row.id);
    for (const BuiltInLesson& row : built_in_lessons()) {
        const Result<Lesson> lesson = built_in_lesson(row.id);
        ASSERT_TRUE(lesson) << lesson.error();
        EXPECT_EQ(lesson->id, row.id) << row.path;
        EXPECT_EQ(all_of(check_lesson(*lesson, {}, ids), row.path), "");
    }
}

struct Wrong {
    std::string from, to, named;
};

TEST(CheckLesson, EachThingThatCanBeWrongIsFoundAtItsLine) {
    const Wrong all[] = {
        {"start: unsaturated", "start: unsatured", "unsaturated"},
        {"start: unsaturated", "start: beside.json", "no folder"},
        {"show: model.d_k", "show: model.d_kk", "model.d_k"},
        {"lock: model.n_heads", "lock: model.heds", "model.heds"},
        {"set model.d_k=64", "set model.dk=64", "model.d_k"},
        {"set model.d_k=64", "set model.d_k=-64", "-64"},
        {"view saturation", "view saturatoin", "saturation"},
        {"pin 0,3", "pin 99,3", "the queries are"},
        {"(set: model.d_k=256)", "(set: model.d_k=256; veiw: heads)", "view"},
        {"(look: pipeline.weights)", "(look: pipeline.wieghts)", "it has"},
        {"(look: pipeline.weights)", "(look: pipelin.weights)", "pipeline"},
        {"(look: pipeline.weights)", "(look: control.model.temperatur)", "model.temperature"},
        {"(look: control.model.temperature)", "(look: control.model.d_v)", "not among those"},
        {"(sweep: model.temperature=0.1:10:log)", "(sweep: model.score=1:2)", "only a number"},
        {"(sweep: model.temperature=0.1:10:log)", "(sweep: model.temperature=-1:10)", "temperature"},
        {"(lesson: every-kind)", "(lesson: every-kinds)", "no lesson every-kinds"},
        {"(set: model.d_k=256)", "(https://example.org)", "not something a lesson does"},
        {"(set: model.d_k=256)", "(set: model.n_heads=2)", "locked"},
        {"  [Set d_k to 256](set: model.d_k=256)", "  Set d_k to 256", "the English has no link"},
        {"{max_weight(0)}", "{max_wieght(0)}", "max_weight"},
        {"{max_weight(0)}", "{max_weight(99)}", "not between"},
        {"{max_weight(0)}", "{max_weight(0)", "not expected"},
        {"$q·k = \\sum", "q·k = \\sum", "$"},
        {"ask number: max_weight(0)", "ask number: max_weight(0) / 0", "division"},
        {"ask number: max_weight(0)", "ask number: max_weight(0) > 1", "not a number"},
        {"ask number: max_weight(0)", "ask number: naive_softmax_of(0, 1000, 1)", "not finite"},
        {"hint > 1: A", "hint < 0.4: A", "no wrong answer ever shows it"},
        {"you said {answer}", "you said {anwser}", "anwser"},
        {"claim: max_weight(0) > 0.9", "claim: max_weight(0) < 0.9", "is false"},
        {"claim: max_weight(0) > 0.9", "claim: max_weight(0)", "not a condition"},
        {"option entropy(0) > 1", "option entropy(0) > 100", "0 of its options are true"},
        {"option entropy(0) <= 1", "option entropy(0) <= 100", "2 of its options are true"},
        {"ask cell: q == 3 and k == argmax(3)", "ask cell: q == 99", "no cell is right"},
        {"ask cell: q == 3 and k == argmax(3)", "ask cell: q >= 0", "every cell is right"},
        {"  range: 0:1", "  range: 0:0.5", "outside of its range"},
        {"entropy_share(0) over model.temperature=0.1:10:log", "entropy_share(0) over model.score=0.1:10",
         "only a number"},
        {"until: entropy(0) < 0.5", "until: entropy(0) < 50", "before anything is done"},
        {"until: entropy(0) < 0.5", "until: entropy(0) < -1", "does not hold after solve"},
        {"solve: set model.temperature=0.05", "solve: set model.mask.causal=true", "locked"},
        {"solve: set model.temperature=0.05", "solve: set model.temprature=0.05", "model.temperature"},
        {"{difference:%}", "{answer}", "answer"},
        {"  zh: 不缩放时，第一行最大的权重会有多大？\n", "", "the question has no Chinese"},
        {"zh: 熵往哪里走？\n", "", "the step choose has no Chinese"},
        {"en: Where does the entropy go?\n", "", "the step choose has no English"},
        {"title: Every kind of step | 每一种步骤", "title: Every kind of step |", "the title has no Chinese"},
        {"Think of the spread of the scores. | 想", "| 想", "the hint has no English"},
        {"above 1 nat | 大于 1 奈特", "above 1 nat |", "the option has no Chinese"},
        {"  zh: 让第一行的熵降到 0.5 以下。", "", "the goal of until has no Chinese"},
        {"ask row: 3", "ask row: 7", "no query 7"},
        {"ask row: 3", "ask row: 0.5", "no query 0.5"},
        {"ask row: 3", "ask row: 0", "3 numbers are not one for each key: the query sees 2"},
        {"logits: model.q[0][3]", "logits: model.q[0][2]", "is not what enters the normaliser"},
        {"logits: model.q[0][3]", "logits: model.qq[0][3]", "model.q"},
        {"do: scene claims", "do: scene claims; set model.temperature=2", "is not what enters the normaliser"},
    };
    for (const Wrong& wrong : all) {
        std::string text = fixture();
        const std::size_t at = text.find(wrong.from);
        ASSERT_NE(at, std::string::npos) << wrong.from;
        text.replace(at, wrong.from.size(), wrong.to);
        const Result<Lesson> lesson = load_lesson(text, "f");
        ASSERT_TRUE(lesson) << lesson.error();
        const std::vector<LessonFault> faults = check_lesson(*lesson, {}, {});
        ASSERT_FALSE(faults.empty()) << wrong.to;
        const std::string found = all_of(faults, "f");
        EXPECT_NE(found.find(wrong.named), std::string::npos) << wrong.to << " → " << found;
        // The first fault stands where the file was changed, or at the other language of that text, or the owner of an option.
        const int line =
            1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        EXPECT_NEAR(faults.front().line, line, 8) << wrong.to << " → " << found;
        for (const LessonFault& fault : faults)
            EXPECT_TRUE(error_in_chinese(fault.sentence) || fault.sentence.find(": it has ") != std::string::npos)
                << fault.sentence;
    }
}

TEST(CheckLesson, AFalseClaimSaysWhatIsTrue) {
    std::string text = fixture();
    text.replace(text.find("claim: max_weight(0) > 0.9"), 26, "claim: 1 < 2 and 2 * 2 == 5");
    const std::vector<LessonFault> faults = check_lesson(*load_lesson(text, "f"), {}, {});
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].sentence, "claim: 1 < 2 and 2 * 2 == 5 is false (4 == 5)");
    EXPECT_EQ(faults[0].line, 36);
}

}  // namespace
}  // namespace heed
