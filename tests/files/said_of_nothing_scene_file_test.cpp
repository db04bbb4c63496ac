// What pictures say where there is no number, where nothing is visible, and where a head is off.
#include "core/embedded.h"
#include "core/files/scene_file.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace heed {
namespace {

using Settings = std::initializer_list<std::pair<const char*, const char*>>;

std::string words_of(const char* example, const char* view, const Settings& settings) {
    const std::string path = "assets/scenes/" + std::string(example) + ".json";
    Result<Scene> scene = load_scene(embedded_file(path), path);
    EXPECT_TRUE(scene) << path;
    for (const auto& [key, value] : settings) EXPECT_TRUE(set_field(*scene, key, value)) << key;
    return draw_figure(view, *scene, {.width = 1400, .height = 900}).text();
}

TEST(SaidOfNothing, AStreamOfNaNHasNotCollapsedAndLosesNoNudge) {
    const auto block = [](const char* panel) {
        return words_of("block", "block",
                        {{"model.depth.norm_place", "none"},
                         {"model.depth.feed_forward", "swiglu"},
                         {"model.depth.layers", "12"},
                         {"display.layer", "11"},
                         {"display.block.panel", panel}});
    };
    for (const char* panel : {"depth", "position"}) {
        const std::string said = block(panel);
        EXPECT_NE(said.find("The stream holds what is no number."), std::string::npos) << panel << ": " << said;
        EXPECT_EQ(said.find("nearly the same"), std::string::npos) << said;
        EXPECT_EQ(said.find("lost in rounding"), std::string::npos) << said;
    }
}

TEST(SaidOfNothing, ARowThatSeesNoKeyHearsOfAllWhereItWeighsAllAlike) {
    const std::string never = "never reached";
    const Settings zeros{{"model.mask.padding", "11"}, {"model.masked_row", "zero"}};
    const Settings alike{{"model.mask.padding", "11"}, {"model.masked_row", "uniform"}};
    EXPECT_NE(words_of("four-heads", "reach", zeros).find(never), std::string::npos);
    EXPECT_EQ(words_of("four-heads", "reach", alike).find(never), std::string::npos);
}

TEST(SaidOfNothing, ReachSaysThatHeadsAreOnThatAreOff) {
    const std::string note = "All heads are on here";
    EXPECT_EQ(words_of("four-heads", "reach", {}).find(note), std::string::npos);
    EXPECT_NE(words_of("four-heads", "reach", {{"model.heads[1].on", "false"}}).find(note), std::string::npos);
}

}  // namespace
}  // namespace heed
