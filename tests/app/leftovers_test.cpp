// Copies of unsaved work that cannot be read are not passed over in silence.
#include "app/autosave.h"
#include "core/files/atomic_write.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

TEST(Leftovers, ACopyThatCannotBeReadIsOfferedAndSaysWhy) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file(folder.path / "7-0.json", "{\"heed\": 1, \"model\": "));
    const std::vector<Leftover> leftovers = find_leftovers(folder.path);
    ASSERT_EQ(leftovers.size(), 1U);
    EXPECT_EQ(leftovers[0].title, "7-0.json");
    const Result<Scene> scene = read_leftover(leftovers[0]);
    ASSERT_FALSE(scene);
    EXPECT_NE(scene.error().find("this is not JSON"), std::string::npos) << scene.error();
    EXPECT_TRUE(std::filesystem::exists(folder.path / "7-0.json"));
}

}  // namespace
}  // namespace heed::app
