// Lessons as files: what is written is read again, and what is wrong is said with its line.
#include "core/files/lesson_file.h"
#include "core/files/read_file.h"
#include "core/lessons/actions.h"
#include "core/told_error.h"
#include "tests/files/mutate.h"
#include "tests/files/random_lesson.h"
#include "tests/temporary_folder.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heed {
namespace {

std::string fixture() { return *read_file(HEED_SOURCE_DIR "/tests/lessons/every-kind.lesson.md", max_lesson_bytes); }

TEST(LessonFile, EveryPartOfTheFixtureIsRead) {
    const Result<Lesson> lesson = load_lesson(fixture(), "every-kind.lesson.md");
    ASSERT_TRUE(lesson) << lesson.error();
    EXPECT_EQ(lesson->id, "every-kind");
    EXPECT_EQ(lesson->title.zh, "每一种步骤");
    EXPECT_EQ(lesson->source, (std::vector<std::string>{"000#2.2", "002#3"}));
    EXPECT_EQ(lesson->start, "unsaturated");
    ASSERT_EQ(lesson->steps.size(), 6U);
    const Step& spread = lesson->steps[0];
    EXPECT_EQ(spread.actions.list,
              (std::vector<Action>{{Verb::view, "saturation"}, {Verb::set, "model.d_k=64"}, {Verb::pin, "0,3"}}));
    EXPECT_NE(spread.words.en.find("\n\nThe largest weight"), std::string::npos) << "a blank line stays";
    ASSERT_TRUE(spread.question && spread.reveal);
    EXPECT_EQ(spread.question->truth.text, "max_weight(0)");
    EXPECT_EQ(*spread.question->tolerance, (Tolerance{0.1, false}));
    ASSERT_EQ(spread.question->hints.size(), 2U);
    EXPECT_EQ(spread.question->hints[1].bound, 1);
    EXPECT_FALSE(spread.question->hints[1].below);
    EXPECT_EQ(spread.claims.size(), 2U);
    EXPECT_EQ(lesson->steps[1].question->options.size(), 2U);
    EXPECT_EQ(lesson->steps[2].question->kind, AskKind::cell);
    EXPECT_EQ(lesson->steps[3].question->over, (Sweep{"model.temperature", 0.1, 10, true}));
    EXPECT_EQ(*lesson->steps[3].question->tolerance, (Tolerance{15, true}));
    ASSERT_TRUE(lesson->steps[4].gate);
    EXPECT_EQ(lesson->steps[4].gate->solve.list.size(), 1U);
    const Question& row = *lesson->steps[5].question;
    EXPECT_EQ(row.kind, AskKind::row);
    EXPECT_EQ(row.truth.text, "3");
    EXPECT_EQ(row.claimed, (std::vector<std::string>{"0.87", "0.09", "0.04"}));
    EXPECT_EQ(row.logits, "model.q[0][3]");
    EXPECT_TRUE(is_shown(*lesson, "display.saturation.keys"));
    EXPECT_TRUE(is_locked(*lesson, "model.mask.causal"));
    EXPECT_TRUE(is_shown(*lesson, "model.mask.causal")) << "what is locked is seen";
    EXPECT_FALSE(is_shown(*lesson, "model.d_v"));
    EXPECT_FALSE(is_shown(*lesson, "model.d_k_more"));
}

TEST(LessonFile, WindowsLinesAndAByteOrderMarkAreTheSameLesson) {
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : fixture()) windows += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(*load_lesson(windows, "w"), *load_lesson(fixture(), "f"));
}

TEST(LessonFile, WhatIsWrittenIsReadAgain) {
    const Lesson lesson = *load_lesson(fixture(), "f");
    const Result<Lesson> again = load_lesson(save_lesson(lesson), "again");
    ASSERT_TRUE(again) << again.error() << "\n" << save_lesson(lesson);
    EXPECT_EQ(*again, lesson) << save_lesson(lesson);
    for (const BuiltInLesson& row : built_in_lessons()) {
        const Result<Lesson> one = built_in_lesson(row.id);
        ASSERT_TRUE(one) << one.error();
        EXPECT_EQ(one->id, row.id) << row.path;
        const Result<Lesson> second = load_lesson(save_lesson(*one), row.path);
        ASSERT_TRUE(second) << second.error();
        EXPECT_EQ(*second, *one) << row.path;
    }
}

TEST(LessonFile, RandomLessonsAreReadAgain) {
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        const Lesson lesson = test::RandomLesson(seed).lesson();
        const std::string text = save_lesson(lesson);
        const Result<Lesson> again = load_lesson(text, "random");
        ASSERT_TRUE(again) << seed << ": " << again.error() << "\n" << text;
        ASSERT_EQ(*again, lesson) << seed << "\n" << text << "\n" << save_lesson(*again);
    }
}

TEST(LessonFile, AFileIsWrittenWholeOrNotAtAll) {
    const TemporaryFolder folder;
    Lesson lesson = *load_lesson(fixture(), "f");
    const std::filesystem::path path = folder.path / "mine.lesson.md";
    ASSERT_TRUE(write_lesson(path, lesson));
    EXPECT_EQ(*read_lesson(path), lesson);
    lesson.steps[0].words = {};
    EXPECT_FALSE(write_lesson(path, lesson)) << "it could not be read again";
    EXPECT_EQ(read_lesson(path)->steps[0].words.zh.empty(), false);
}

// Replaces the first `from`; the error must stand at the line where the text then has `marker`, or at `line`.
struct Wrong {
    std::string from, to, named;
    int line = 0;  // 0: where `to` stands
};

TEST(LessonFile, WhatIsWrongIsSaidWithItsLine) {
    const Wrong all[] = {
        {"---\nheed", "heed", "begins with"},
        {"heed-lesson: 1", "heed-lesson: 2", "newer program", 2},
        {"heed-lesson: 1", "heed-lesson: one", "not a version", 2},
        {"heed-lesson: 1\n", "", "heed-lesson: 1 is missing", 1},
        {"id: every-kind\n", "", "id: is missing", 1},
        {"id: every-kind", "id: Every kind", "small letters", 3},
        {"title: Every kind of step | 每一种步骤", "title: Every kind of step", "English | 中文", 4},
        {"start: unsaturated", "start: ../../etc/passwd.json", "beside the lesson", 7},
        {"start: unsaturated", "start: /etc/passwd", "beside the lesson", 7},
        {"start: unsaturated", "start: .hidden.json", "beside the lesson", 7},
        {"start: unsaturated", "strat: unsaturated", "start", 7},
        {"start: unsaturated", "start: unsaturated\nstart: cat", "twice", 8},
        {"# spread", "# Spread it", "no name of a step"},
        {"# choose", "# spread", "two steps called spread"},
        {"do: view saturation", "du: view saturation", "do"},
        {"do: view saturation", "do: veiw saturation", "view"},
        {"do: view saturation", "do: sweep model.d_k=1:2", "can only be a link"},
        {"pin 0,3", "pin 0", "Q,K"},
        {"set model.d_k=64", "set model.d_k", "FIELD=VALUE"},
        {"ask number:", "ask nubmer:", "number"},
        {"ask number: max_weight(0)", "ask number:", "expression is missing"},
        {"tolerance: 0.1", "tolerance: much", "above 0"},
        {"tolerance: 0.1", "tolerance: -1%", "above 0"},
        {"hint < 0.5", "hint about 0.5", "< NUMBER"},
        {"  hint < 0.5: Think of the spread of the scores. | 想一想分数的离散程度。",
         "  hint < 0.5: Think of the spread of the scores.", "English | 中文"},
        {"en: Where does the entropy go?\nzh: 熵往哪里走？\n", "", "no words", 39},
        {"claimed: 0.87, 0.09", "claimed: 0.87, much", "no number"},
        {"claimed: 0.87, 0.09, 0.04", "claimed:", "0 numbers are not 1 to 16"},
        {"logits: model.q[0][3]", "logits:", "row of a matrix is missing"},
        {"claimed: 0.87", "tolerance: 0.87", "no such key"},
        {"  option entropy(0) > 1: above 1 nat | 大于 1 奈特\n", "", "1 options are not 2 to 5", 42},
        {"  range: 0:1\n", "", "range: LOW:HIGH is missing"},
        {"range: 0:1", "range: 1:0", "LOW:HIGH"},
        {" over model.temperature=0.1:10:log", "", "over"},
        {"over model.temperature=0.1:10:log", "over model.temperature=0:10:log", "above 0"},
        {"  solve: set model.temperature=0.05\n", "", "solve: is missing"},
        {"title: A sum", " title: A sum", "one space"},
        {"claim: max_weight(0) > 0.9", "  claims", "a key and a colon"},
        {"claim: max_weight(0) > 0.9", "claim max_weight(0) > 0.9", "a key and a colon"},
        {"claim: max", "claim that: max", "between it and the colon"},
        {"en: Now you.", "en: Now \x01you.", "not text"},
        {"en: Now you.", "en: Now \xFFyou.", "not text"},
        {"ask choice:", "ask choice: entropy(0)", "nothing may follow"},
    };
    for (const Wrong& wrong : all) {
        std::string text = fixture();
        const std::size_t at = text.find(wrong.from);
        ASSERT_NE(at, std::string::npos) << wrong.from;
        text.replace(at, wrong.from.size(), wrong.to);
        const Result<Lesson> lesson = load_lesson(text, "f.lesson.md");
        ASSERT_FALSE(lesson) << wrong.to;
        EXPECT_NE(lesson.error().find(wrong.named), std::string::npos) << wrong.to << " → " << lesson.error();
        EXPECT_TRUE(test::is_one_sentence(lesson.error(), "f.lesson.md:")) << lesson.error();
        if (wrong.line > 0) {
            EXPECT_TRUE(lesson.error().starts_with("f.lesson.md:" + std::to_string(wrong.line) + ": "))
                << lesson.error();
        }
    }
}

TEST(LessonFile, NothingWithoutBoundIsRead) {
    EXPECT_FALSE(load_lesson(std::string(max_lesson_bytes + 1, ' '), "large"));
    std::string many = "---\nheed-lesson: 1\nid: a\ntitle: a | b\n---\n";
    for (int i = 0; i < 100; ++i) many += "# s" + std::to_string(i) + "\nen: a\nzh: b\n";
    EXPECT_NE(load_lesson(many, "many").error().find("64 steps"), std::string::npos);
    std::string claims = "---\nheed-lesson: 1\nid: a\ntitle: a | b\n---\n# s\nen: a\nzh: b\n";
    for (int i = 0; i < 100; ++i) claims += "claim: true\n";
    EXPECT_NE(load_lesson(claims, "claims").error().find("32 claims"), std::string::npos);
    std::string actions = "---\nheed-lesson: 1\nid: a\ntitle: a | b\n---\n# s\nen: a\nzh: b\ndo: unpin";
    for (int i = 0; i < 100; ++i) actions += "; unpin";
    EXPECT_NE(load_lesson(actions, "actions").error().find("more than 32 actions"), std::string::npos);
}

TEST(LessonFile, NamesOfFilesGiveIds) {
    EXPECT_EQ(lesson_id_of("04-why-root-dk.lesson.md"), "why-root-dk");
    EXPECT_EQ(lesson_id_of("why-root-dk.lesson.md"), "why-root-dk");
    EXPECT_EQ(lesson_id_of("12.lesson.md"), "12");
    EXPECT_EQ(lesson_id_of("why.md"), "");
    EXPECT_EQ(lesson_id_of("Why.lesson.md"), "");
}

TEST(LessonFile, TidyKeepsWhatAFileCanHold) {
    EXPECT_EQ(tidy("  a \n\n b\t\x01 \n\n"), "a\n\n b");
    EXPECT_EQ(tidy("a\nb", false), "a b");
    EXPECT_EQ(tidy(" \n "), "");
}

}  // namespace
}  // namespace heed
