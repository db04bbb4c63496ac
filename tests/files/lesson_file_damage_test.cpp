// Lesson files as a bad disk, a careless editor or an enemy leaves them.
#include "core/files/lesson_file.h"
#include "core/files/read_file.h"
#include "core/lessons/check_lesson.h"
#include "core/lessons/player.h"
#include "tests/files/mutate.h"
#include "tests/files/random_lesson.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace heed {
namespace {

// HEED_MUTATIONS=100000 for the whole of it.
int n_mutations() {
    const char* asked = std::getenv("HEED_MUTATIONS");
    return asked == nullptr ? 3000 : std::max(1, std::atoi(asked));
}

std::vector<std::string> sound_lessons() {
    std::vector<std::string> texts = {
        *read_file(HEED_SOURCE_DIR "/tests/lessons/every-kind.lesson.md", max_lesson_bytes)};
    for (std::uint32_t seed = 0; seed < 4; ++seed) texts.push_back(save_lesson(test::RandomLesson(seed).lesson()));
    return texts;
}

// Damage that leaves lines, so that it reaches what lies behind the form of the file.
std::string with_lines_damaged(const std::string& text, test::Mutator& mutator) {
    std::vector<std::string> lines(1);
    for (const char c : text)
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    const std::size_t at = mutator.below(lines.size());
    switch (mutator.below(5)) {
        case 0:
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        case 1:
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[mutator.below(lines.size())]);
            break;
        case 2:
            std::swap(lines[at], lines[mutator.below(lines.size())]);
            break;
        case 3:
            lines[at] = std::string(mutator.below(6), ' ') + lines[at];
            break;
        default:
            lines[at] = mutator.damage(lines[at], lines[mutator.below(lines.size())]);
    }
    std::string joined;
    for (const std::string& line : lines) joined += line + "\n";
    return joined;
}

bool is_one_line(std::string_view sentence) {
    return sentence.size() > 8 && sentence.size() < 1200 &&
           std::ranges::none_of(sentence, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// A lesson that can be written and read again, or one sentence.
TEST(LessonFileDamage, EveryMutatedFileIsALessonOrOneSentence) {
    const std::vector<std::string> sound = sound_lessons();
    test::Mutator mutator(20260801);
    int refused = 0;
    int in_english_only = 0;
    const int n = n_mutations();
    for (int i = 0; i < n; ++i) {
        std::string text = sound[mutator.below(sound.size())];
        text =
            i % 2 == 0 ? mutator.damage(text, sound[mutator.below(sound.size())]) : with_lines_damaged(text, mutator);
        const Result<Lesson> lesson = load_lesson(text, "broken.lesson.md");
        if (!lesson) {
            ++refused;
            ASSERT_TRUE(is_one_line(lesson.error()) && lesson.error().starts_with("broken.lesson.md:"))
                << lesson.error();
            // A name full of colons looks like sentences in sentences, which are told only so deep.
            in_english_only += test::is_one_sentence(lesson.error(), "broken.lesson.md:") ? 0 : 1;
            continue;
        }
        const Result<Lesson> again = load_lesson(save_lesson(*lesson), "again.lesson.md");
        ASSERT_TRUE(again) << again.error() << "\n" << text;
        ASSERT_EQ(*again, *lesson) << text;
    }
    EXPECT_GT(refused, n / 4);
    EXPECT_LT(refused, n);
    EXPECT_LE(in_english_only, n / 1000 + 1);
}

// What still has the form of a lesson is played: links, expressions, scenes and pictures meet what was damaged in them.
TEST(LessonFileDamage, EveryMutatedLessonIsPlayedOrFaultedInOneSentenceEach) {
    const std::string sound = sound_lessons()[0];
    test::Mutator mutator(7);
    int played = 0;
    int faulted = 0;
    for (int i = 0; i < std::max(60, n_mutations() / 50); ++i) {
        const Result<Lesson> lesson = load_lesson(with_lines_damaged(sound, mutator), "broken.lesson.md");
        if (!lesson) continue;
        ++played;
        const std::vector<LessonFault> faults = check_lesson(*lesson, {}, {});
        faulted += faults.empty() ? 0 : 1;
        for (const LessonFault& fault : faults) ASSERT_TRUE(is_one_line(fault.sentence)) << fault.sentence;
    }
    EXPECT_GT(played, 10);
    EXPECT_GT(faulted, 2);
}

// A lesson only changes a scene: it opens nothing outside of its folder, whatever made the value.
TEST(LessonFileDamage, NoStartLeavesTheFolder) {
    Lesson lesson = *load_lesson(sound_lessons()[0], "f");
    for (const char* start :
         {"../secret.json", "/etc/scene.json", "a/../b.json", "..", "a\\b.json", ".json", "./x.json"}) {
        lesson.start = start;
        const Result<LessonPlayer> player = open_lesson(lesson, "/tmp");
        ASSERT_FALSE(player) << start;
        EXPECT_TRUE(is_one_line(player.error()));
        EXPECT_FALSE(load_lesson(save_lesson(lesson), "f")) << start;
    }
    lesson.start = "beside.json";
    EXPECT_FALSE(open_lesson(lesson)) << "without a folder there is nothing beside";
}

}  // namespace
}  // namespace heed
