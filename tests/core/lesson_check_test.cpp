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
        {"(look: pipeline.weights)", "(look: control.model.tempera)", "model.temperature"},
        {"(look: control.model.temperature)", "(look: control.model.d_v)", "not among those"},
        {"(sweep: model.temperature=0.1:10:log)", "(sweep: model.score=1:2)", "only a number"},
        {"(sweep: model.temperature=0.1:10:log)", "(sweep: model.temperature=-1:10)", "temperature"},
        {"(lesson: every-kind)", "(lesson: every-kinds)", "no lesson every-kinds"},
        {"(set: model.d_k=256)", "(https://example.org)", "not something a lesson does"},
        {"(set: model.d_k=256)", "(set: model.n_heads=2)", "locked"},
        {"  [Set d_k to 256](set: model.d_k=256)", "  Set d_k to 256", "the English has no link"},
        {"{max_weight(0)}", "{max_wieght(0)}", "max_weight"},
        {"{max_weight(0)}", "{max_weight(99)}", "not between"},
        {"{max_weight(0)}", "{max_weight(0)", "does not end"},
        {"$q·k = \\sum", "q·k = \\sum", "$"},
        {"ask number: max_weight(0)", "ask number: max_weight(0) / 0", "division"},
        {"ask number: max_weight(0)", "ask number: max_weight(0) > 1", "not a number"},
        {"ask number: max_weight(0)", "ask number: naive_softmax_of(0, 1000, 1)", "not finite"},
        {"hint > 1: A", "hint < 0.4: A", "no wrong answer ever shows it"},
        {"hint < 0.5", "hint < 2", "no wrong answer"},
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
    EXPECT_EQ(faults[0].sentence, "claim: 1 < 2 and 2 * 2 == 5 is false: 4 == 5");
    EXPECT_EQ(faults[0].line, 36);
}

}  // namespace
}  // namespace heed
