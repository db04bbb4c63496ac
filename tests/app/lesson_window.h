// A window with a lesson in it, walked through as a user would: by the names of its widgets.
#pragma once

#include "app/shell/lesson_desk.h"
#include "core/files/lesson_file.h"
#include "core/results.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <iomanip>
#include <sstream>

namespace heed::app {

struct LessonWindow : WindowUnderTest {
    using WindowUnderTest::WindowUnderTest;

    LessonRun& run() { return shell.lessons().run(); }
    const LessonPlayer& player() { return run().player(); }
    const StepProgress& state() { return player().state(); }
    // As if it came from a file in a folder without scenes.
    void begin(std::string_view text) {
        Result<Lesson> lesson = load_lesson(text, "test.lesson.md");
        ASSERT_TRUE(lesson) << lesson.error();
        const Status started = run().start(document, session, std::move(*lesson));
        ASSERT_TRUE(started) << started.error();
        ui.frames(4);
    }
    void press(std::string_view name) {
        EXPECT_TRUE(ui.click(name)) << name << " at step " << player().current().id;
        ui.frames(4);
        document.settle();
        ui.frames(2);
    }
    void press_any(std::string_view name) {
        EXPECT_TRUE(ui.click(name)) << name;
        ui.frames(4);
    }
    bool can_press(std::string_view name) {
        const auto item = ui.find(name);
        return item && item->is_enabled();
    }
    void answer_number(const std::string& text) {
        EXPECT_TRUE(ui.type_into("Your answer", text));
        ui.frames(3);
    }
    void type_claimed(int key, const std::string& text) {
        const std::string name = "claimed " + std::to_string(key);
        EXPECT_TRUE(ui.click(name)) << name;
        ui.frames(2);
        EXPECT_TRUE(ui.type_into(name, text)) << name;
        ui.frames(3);
    }
    void draw_sketch(float from, float to) {
        EXPECT_TRUE(ui.drag_within("sketch", {0.02F, 1 - from}, {0.98F, 1 - to}));
        ui.frames(3);
    }
    // Something that is not true, and then what is; then it is revealed.
    void answer_question() {
        const Question& question = *player().current().question;
        const Result<Truth> truth = true_answer(player(), document.scene(), nullptr);
        if (question.kind != AskKind::row) {
            EXPECT_FALSE(can_press("Reveal")) << player().current().id;
        }
        switch (question.kind) {
            case AskKind::number:
                ASSERT_TRUE(truth) << truth.error();
                answer_number(std::to_string(*truth->number * 3 + 1000));
                EXPECT_FALSE(state().verdict->right) << player().current().id;
                answer_number(std::to_string(*truth->number));
                EXPECT_TRUE(state().verdict->right) << player().current().id;
                break;
            case AskKind::choice:
                ASSERT_TRUE(truth) << truth.error();
                press("option " + std::to_string(truth->option == 0 ? 1 : 0));
                EXPECT_FALSE(state().verdict->right) << player().current().id;
                press("option " + std::to_string(truth->option));
                EXPECT_TRUE(state().verdict->right) << player().current().id;
                break;
            case AskKind::cell: {
                ASSERT_TRUE(truth) << truth.error();
                ASSERT_FALSE(truth->cells.empty());
                std::string map;
                for (int round = 0; round < 2 && map.empty(); ++round) {
                    if (round == 1) show("pipeline");
                    for (const char* one :
                         {"pipeline/weights", "pipeline/masked", "pipeline/scaled", "pipeline/scores"})
                        if (map.empty() && ui.exists(one)) map = one;
                }
                const Cell cell = truth->cells.front();
                // Pinned already, a click lets it go: the answer all the same.
                EXPECT_TRUE(ui.click_cell(map, cell.query, cell.key));
                ui.frames(2);
                press("Answer");
                EXPECT_TRUE(state().verdict && state().verdict->right) << player().current().id;
                break;
            }
            case AskKind::row: {
                ASSERT_TRUE(truth) << truth.error();
                const std::vector<int>& keys = truth->row->keys;
                for (const int key : keys) type_claimed(key, "7");
                press("Check the row");
                EXPECT_TRUE(state().revealed && !state().verdict->right) << player().current().id;
                for (std::size_t i = 0; i < keys.size(); ++i) {
                    std::ostringstream digits;
                    digits << std::setprecision(9) << std::fixed << truth->row->weights[i];
                    type_claimed(keys[i], digits.str());
                }
                press("Check the row");
                EXPECT_TRUE(state().verdict->right) << player().current().id;
                return;
            }
            case AskKind::sketch:
                draw_sketch(0.3F, 0.7F);
                ASSERT_TRUE(state().answer) << player().current().id;
                break;
        }
        press("Reveal");
        settle();
        EXPECT_TRUE(state().revealed) << player().current().id;
        if (question.kind == AskKind::sketch) {
            EXPECT_EQ(run().true_curve().size(), std::size_t{sketch_points});
        }
    }
};

}  // namespace heed::app
