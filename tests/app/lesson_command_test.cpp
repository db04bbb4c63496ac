// heed lesson, as a teacher runs it.
#include "core/files/lesson_file.h"
#include "core/files/read_file.h"
#include "core/lessons/quantities.h"
#include "tests/temporary_folder.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace heed::app {
namespace {

struct Outcome {
    int status = -1;
    std::string out, error;
};

class LessonCommand : public ::testing::Test {
protected:
    Outcome heed(const std::string& arguments) const {
        const std::string command = "cd '" + folder.path.string() + "' && '" HEED_PROGRAM "' lesson " + arguments +
                                    " > out.txt 2> error.txt < /dev/null";
        const int code = std::system(command.c_str());
        return {WEXITSTATUS(code), *read_file(folder.path / "out.txt", 1 << 20),
                *read_file(folder.path / "error.txt", 1 << 20)};
    }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder.path / name) << text; }

    static std::string fixture() {
        return *read_file(HEED_SOURCE_DIR "/tests/lessons/every-kind.lesson.md", max_lesson_bytes);
    }

    static std::string changed(const std::string& from, const std::string& to) {
        std::string text = fixture();
        text.replace(text.find(from), from.size(), to);
        return text;
    }

    TemporaryFolder folder;
};

TEST_F(LessonCommand, ASoundLessonPasses) {
    write("every-kind.lesson.md", fixture());
    const Outcome run = heed("every-kind.lesson.md --check");
    EXPECT_EQ(run.status, 0) << run.error << run.out;
    EXPECT_EQ(run.out, "every-kind: 6 steps, sound in both languages\n");
    EXPECT_EQ(run.error, "");
}

TEST_F(LessonCommand, WhatIsWrongIsPrintedWithFileAndLine) {
    write("a.lesson.md", changed("claim: max_weight(0) > 0.9", "claim: max_weight(0) < 0.1"));
    const Outcome run = heed("a.lesson.md --check");
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(run.out.starts_with("a.lesson.md:36: claim: max_weight(0) < 0.1 is false")) << run.out;
    EXPECT_EQ(run.error, "heed: a.lesson.md: one thing is wrong with this lesson\n");

    write("b.lesson.md", changed("tolerance: 0.1", "tolerence: 0.1"));
    const Outcome key = heed("b.lesson.md --check");
    EXPECT_EQ(key.status, 1);
    EXPECT_EQ(key.error, "heed: b.lesson.md:30: tolerence: there is no such key here (did you mean tolerance?)\n");
}

TEST_F(LessonCommand, AMissingLanguageFailsTheCheckAndIsPrintedInTheOther) {
    write("a.lesson.md", changed("zh: 熵往哪里走？\n", ""));
    const Outcome run = heed("a.lesson.md --check");
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "a.lesson.md:39: the step choose has no Chinese\n");
    EXPECT_EQ(run.error, "heed: a.lesson.md: one thing is wrong with this lesson\n");
    EXPECT_EQ(heed("a.lesson.md --handout out.pdf --lang zh").status, 0);
}

TEST_F(LessonCommand, LinksLeadToLessonsBesideIt) {
    std::string text = fixture();
    for (std::size_t at = text.find("lesson: every-kind)"); at != std::string::npos;
         at = text.find("lesson: every-kind)"))
        text.replace(at, 19, "lesson: other)");
    write("a.lesson.md", text);
    EXPECT_EQ(heed("a.lesson.md --check").status, 1);
    write("02-other.lesson.md", "");
    EXPECT_EQ(heed("a.lesson.md --check").status, 0) << heed("a.lesson.md --check").out;
}

TEST_F(LessonCommand, AStartSceneStandsBesideTheLesson) {
    write("a.lesson.md", changed("start: unsaturated", "start: mine.json"));
    EXPECT_EQ(heed("a.lesson.md --check").status, 1);
    ASSERT_EQ(
        std::system(("cp '" HEED_SOURCE_DIR "/assets/scenes/unsaturated.json' '" + folder.path.string() + "/mine.json'")
                        .c_str()),
        0);
    const Outcome run = heed("a.lesson.md --check");
    EXPECT_EQ(run.status, 0) << run.out << run.error;
}

TEST_F(LessonCommand, ListsLessonsAndQuantities) {
    const Outcome list = heed("--list");
    EXPECT_EQ(list.status, 0);
    std::size_t at = 0;
    for (const BuiltInLesson& row : built_in_lessons()) {
        at = list.out.find(std::string(row.id) + " ", at);
        EXPECT_NE(at, std::string::npos) << row.id << " in the order of the files";
    }
    const Outcome quantities_list = heed("--quantities");
    EXPECT_EQ(quantities_list.status, 0);
    for (const Quantity& quantity : quantities())
        EXPECT_NE(quantities_list.out.find(signature(quantity)), std::string::npos) << quantity.name;
}

TEST_F(LessonCommand, WrongUsageAndWhatIsNotThere) {
    EXPECT_EQ(heed("").status, 2);
    EXPECT_EQ(heed("--check").status, 2);
    EXPECT_EQ(heed("cat --answers --check").status, 2);
    EXPECT_EQ(heed("cat --handout out.txt").status, 2);
    const Outcome missing = heed("no-such-lesson --check");
    EXPECT_EQ(missing.status, 1);
    EXPECT_NE(missing.error.find("no-such-lesson: there is no such lesson"), std::string::npos) << missing.error;
}

}  // namespace
}  // namespace heed::app
