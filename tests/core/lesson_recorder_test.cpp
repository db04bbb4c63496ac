// What is recorded does again what was done.
#include "core/files/scene_file.h"
#include "core/lessons/actions.h"
#include "core/lessons/recorder.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

Scene changed(std::initializer_list<std::pair<const char*, const char*>> changes) {
    Scene scene = default_scene();
    for (const auto& [field, value] : changes) {
        const Status set = set_field(scene, field, value);
        EXPECT_TRUE(set) << set.error();
    }
    return scene;
}

void expect_again(const Scene& from, const Scene& to) {
    const Recorded recorded = recorded_actions(from, to);
    EXPECT_TRUE(recorded.is_whole) << action_text(recorded.actions);
    Scene again = from;
    const Result<std::vector<Action>> read = parse_actions(action_text(recorded.actions));
    ASSERT_TRUE(read) << read.error();
    ASSERT_TRUE(apply_all(*read, again));
    EXPECT_EQ(again.model, to.model);
    EXPECT_EQ(again.display.view, to.display.view);
    EXPECT_EQ(again.display.pinned, to.display.pinned);
}

TEST(LessonRecorder, NothingDoneIsNothingRecorded) {
    const Recorded recorded = recorded_actions(default_scene(), default_scene());
    EXPECT_TRUE(recorded.actions.empty());
    EXPECT_TRUE(recorded.is_whole);
}

TEST(LessonRecorder, FieldsSizesHeadsTokensAndNumbersAreDoneAgain) {
    const Scene start = default_scene();
    expect_again(start, changed({{"model.temperature", "0.1"}, {"model.d_k", "64"}}));
    expect_again(start, changed({{"model.n_heads", "2"}, {"model.scaling", "off"}, {"model.mask.causal", "false"}}));
    expect_again(start, changed({{"model.soft_cap", "5"}}));
    expect_again(changed({{"model.soft_cap", "5"}}), start);
    expect_again(start, changed({{"model.heads[1].on", "false"}, {"model.heads[2].gain", "0.5"}}));
    expect_again(start, changed({{"model.q[0][1][2]", "3.25"}, {"model.v[3][0][0]", "-1"}}));
    expect_again(start, changed({{"model.query_tokens", R"(["a;b","say \"no\"","猫"])"}}));
    Scene looked = start;
    looked.display.view = "saturation";
    looked.display.head = 2;
    looked.display.pinned = true;
    looked.display.pin = {3, 1};
    expect_again(start, looked);
    expect_again(looked, start);
}

TEST(LessonRecorder, AWholeMatrixThatWasDrawnAnewIsSaidToBeMissing) {
    Scene to = default_scene();
    to.model.q[0] = to.model.q[0].with([](Matrix& copy) { copy.setConstant(2); });
    EXPECT_FALSE(recorded_actions(default_scene(), to).is_whole);
}

}  // namespace
}  // namespace heed
