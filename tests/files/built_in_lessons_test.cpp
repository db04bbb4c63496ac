// The lessons that travel with the program: sound, long enough, and together about every section of the source texts.
#include "core/files/lesson_file.h"
#include "core/lessons/check_lesson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace heed {
namespace {

std::vector<std::string> ids() {
    std::vector<std::string> all;
    for (const BuiltInLesson& lesson : built_in_lessons()) all.emplace_back(lesson.id);
    return all;
}

Lesson lesson(std::string_view id) {
    const Result<Lesson> read = built_in_lesson(id);
    EXPECT_TRUE(read) << read.error();
    return read ? *read : Lesson{};
}

TEST(BuiltInLessons, AreAllThereAndEachIsCalledByTheNameOfItsFile) {
    const std::vector<std::string> all = ids();
    EXPECT_GE(all.size(), 19U);
    for (const std::string& id : all) EXPECT_EQ(lesson(id).id, id);
}

TEST(BuiltInLessons, HoldEveryClaimInBothLanguages) {
    for (const std::string& id : ids())
        for (const LessonFault& fault : check_lesson(lesson(id), {}, ids())) ADD_FAILURE() << fault_text(id, fault);
}

TEST(BuiltInLessons, HaveFiveToTwelveStepsAndAtLeastTwoPredictions) {
    for (const std::string& id : ids()) {
        const Lesson it = lesson(id);
        EXPECT_GE(it.steps.size(), 5U) << id;
        EXPECT_LE(it.steps.size(), 12U) << id;
        EXPECT_GE(std::ranges::count_if(it.steps, [](const Step& step) { return step.question.has_value(); }), 2) << id;
        for (const Step& step : it.steps) {
            EXPECT_FALSE(step.title.en.empty() || step.title.zh.empty()) << id << " " << step.id;
            EXPECT_EQ(step.question.has_value(), step.reveal.has_value()) << id << " " << step.id;
        }
    }
}

TEST(BuiltInLessons, AskInEveryWayThereIs) {
    std::set<AskKind> kinds;
    bool has_gate = false;
    for (const std::string& id : ids())
        for (const Step& step : lesson(id).steps) {
            if (step.question) kinds.insert(step.question->kind);
            has_gate = has_gate || step.gate.has_value();
        }
    EXPECT_EQ(kinds, (std::set{AskKind::number, AskKind::choice, AskKind::cell, AskKind::sketch, AskKind::row}));
    EXPECT_TRUE(has_gate);
}

// Sections by their numbers, or where a text has none by the order of its headings.
TEST(BuiltInLessons, CoverEverySectionOfTheSourceTexts) {
    std::set<std::string> covered;
    for (const std::string& id : ids())
        for (const std::string& section : lesson(id).source) covered.insert(section);
    const char* sections[] = {"000#1.1", "000#1.2", "000#2.1", "000#2.2", "000#3.1", "000#3.2", "000#3.3", "000#4.1",
                              "000#4.2", "000#4.3", "000#5.1", "000#5.2", "000#6.1", "000#6.2", "000#6.3", "000#7.1",
                              "000#7.2", "000#8.1", "000#8.2", "000#8.3", "000#9",   "001#1",   "001#2",   "001#3",
                              "001#4",   "001#5",   "001#6",   "001#7",   "001#8",   "001#9",   "001#10",  "002#1",
                              "002#3",   "002#4",   "002#5",   "002#6",   "002#7",   "002#8",   "003#1",   "003#2",
                              "003#3",   "003#4",   "003#5",   "004#1",   "004#2",   "004#3",   "004#4",   "004#5",
                              "004#6",   "004#7",   "004#8",   "004#9"};
    for (const char* section : sections) EXPECT_TRUE(covered.contains(section)) << section;
}

}  // namespace
}  // namespace heed
