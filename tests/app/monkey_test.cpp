// Monkeys that press everything: seeded clicks, drags, keys and edits over all controls, with the invariants checked after
// every step. HEED_MONKEY_STEPS is how many all of them make together; the sanitizers' run is the long one.
#include "app/views/view.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/model/normalizer_settings.h"
#include "core/random.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heed::app {
namespace {

class Monkey {
public:
    explicit Monkey(std::uint64_t seed) : seed_(seed) {}
    std::uint64_t below(std::uint64_t n) { return bits_at(seed_, 1, draw_++, 0) % std::max<std::uint64_t>(1, n); }
    float share() { return static_cast<float>(below(1000)) / 1000.0F; }

private:
    std::uint64_t seed_;
    std::uint64_t draw_ = 0;
};

// What would end the session or leave it for the desktop is not for monkeys.
bool is_tame(const Driver::Item& item) {
    for (const std::string_view word : {"Quit", "Save", "Open", "Recover", "New scene"})
        if (item.name.find(word) != std::string::npos) return false;
    return item.is_enabled() && item.box.GetWidth() > 2 && item.box.GetHeight() > 2;
}

void expect_invariants(const WindowUnderTest& window, int step) {
    const Scene& scene = window.document.scene();
    const AttentionTrace& trace = window.document.trace();
    ASSERT_TRUE(check_model(scene.model).empty()) << "step " << step << ": " << check_model(scene.model).front();
    ASSERT_EQ(trace.weights.count(), scene.model.n_heads) << "step " << step;
    ASSERT_EQ(trace.weights.rows(), scene.model.n_queries) << "step " << step;
    ASSERT_EQ(trace.weights.cols(), effective_n_keys(scene.model)) << "step " << step;
    // NaN is shown only where the user asked for it.
    if (scene.model.normalizer->id == "naive-softmax" || scene.model.normalizer->masked_row == MaskedRow::nan) return;
    const bool must_sum = normalizer(scene.model.normalizer->id).keeps == Keeps::sum;
    ASSERT_TRUE(!must_sum || trace.worst_row_sum_error < 1e-3F) << "step " << step << ": " << trace.worst_row_sum_error;
    ASSERT_TRUE(trace.output.allFinite()) << "step " << step;
}

class MonkeyTest : public testing::TestWithParam<int> {};
constexpr int n_monkeys = 8;
INSTANTIATE_TEST_SUITE_P(Each, MonkeyTest, testing::Range(0, n_monkeys));

TEST_P(MonkeyTest, NothingThatCanBePressedBreaksTheWindow) {
    const char* wanted = std::getenv("HEED_MONKEY_STEPS");
    const int steps = (wanted != nullptr ? std::atoi(wanted) : 1200) / n_monkeys;
    WindowUnderTest window;
    Monkey monkey(20261116 + static_cast<std::uint64_t>(GetParam()));
    const ImGuiKeyChord keys[] = {ImGuiMod_Ctrl | ImGuiKey_Z,
                                  ImGuiMod_Ctrl | ImGuiKey_Y,
                                  ImGuiKey_Escape,
                                  ImGuiKey_Tab,
                                  ImGuiKey_Enter,
                                  ImGuiKey_DownArrow,
                                  ImGuiKey_RightArrow,
                                  ImGuiKey_Delete,
                                  ImGuiKey_Period,
                                  ImGuiKey_Comma,
                                  ImGuiKey_F6,
                                  ImGuiKey_F7,
                                  ImGuiKey_Home};
    const std::string_view texts[] = {"0", "3", "-1", "1e9", "nan", "x", "猫 喜欢 鱼", "0.01", "64", ""};
    for (int step = 0; step < steps; ++step) {
        const std::vector<Driver::Item> items = window.ui.items();
        const std::uint64_t action = monkey.below(100);
        if (action < 8) {
            window.ui.key(keys[monkey.below(std::size(keys))]);
        } else if (action < 12) {
            window.shell.show_view(views()[monkey.below(views().size())].id);
            window.ui.frames(1);
        } else if (action < 16) {
            window.ui.type(texts[monkey.below(std::size(texts))]);
            window.ui.key(ImGuiKey_Enter);
        } else if (!items.empty()) {
            const Driver::Item& item = items[monkey.below(items.size())];
            if (!is_tame(item)) continue;
            const ImVec2 at{item.box.Min.x + item.box.GetWidth() * monkey.share(),
                            item.box.Min.y + item.box.GetHeight() * monkey.share()};
            window.ui.move_to(at);
            const int button = monkey.below(12) == 0 ? 1 : 0;
            window.ui.press(button);
            if (monkey.below(3) == 0)
                window.ui.move_to({at.x + (monkey.share() - 0.5F) * 160, at.y + (monkey.share() - 0.5F) * 80});
            window.ui.release(button);
        }
        window.ui.frames(1);
        // Large sizes are slow to draw in software; the monkey may pass through them but not stay.
        Model& next = window.document.next().model;
        if (std::int64_t{next.n_heads} * next.n_queries * effective_n_keys(next) > 40000 || next.d_k > 256 ||
            next.d_v > 256 || next.d_model > 256) {
            next = default_scene().model;
            window.ui.frames(1);
        }
        if (step % 25 == 0) {
            window.document.settle();
            ASSERT_EQ(window.ui.complaints(), "") << "step " << step;
        }
        if (step % 100 == 99) {
            window.ui.host().set_drawing(true);
            window.ui.frames(1);
            ASSERT_EQ(window.ui.pixels().rgba, window.ui.host().shown_pixels().rgba) << "step " << step;
            window.ui.host().set_drawing(false);
        }
        expect_invariants(window, step);
        if (testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace heed::app
