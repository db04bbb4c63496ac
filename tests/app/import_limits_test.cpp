// Arrays that would make the other matrices too large are refused before those are made.
#include "app/import_matrix.h"
#include "core/scene.h"

#include "core/files/atomic_write.h"
#include "tests/app/window_under_test.h"
#include "tests/peak_memory.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace heed::app {
namespace {

TEST(ImportLimits, MatricesOfHeadsThatAreGoneCount) {
    Model model = default_scene().model;
    model.bias.resize(max_heads, model.bias.front());
    model.n_heads = model.n_kv_heads = 1;
    ASSERT_TRUE(check_model(model).empty());
    const Model before = model;
    NpyArray array;
    array.shape = {8000, 1};
    array.values.assign(8000, 1.0F);
    const Status imported = import_array(model, import_targets().front(), 0, array, "q.npy");
    ASSERT_FALSE(imported);
    EXPECT_NE(imported.error().find("q.npy: 8000 × 1 as Q would need"), std::string::npos) << imported.error();
    EXPECT_EQ(model, before);
}

TEST(ImportHeads, MoreHeadsKeepABiasOfEachHead) {
    Model model = default_scene().model;
    model.bias.resize(4, model.bias.front());
    model.painted_mask.resize(4, model.painted_mask.front());
    NpyArray array;
    array.shape = {5, 6, 16};
    array.values.assign(5 * 6 * 16, 1.0F);
    const Status imported = import_array(model, import_targets().front(), 0, array, "q.npy");
    ASSERT_TRUE(imported) << imported.error();
    EXPECT_EQ(model.n_heads, 5);
    EXPECT_EQ(model.bias.size(), 5U);
}

TEST(LargeImport, IsReadBesideTheWindowInThreeTimesItsSize) {
    const TemporaryFolder folder;
    std::string text;
    for (int row = 0; row < 1500; ++row)
        for (int column = 0; column < 1500; ++column)
            text += (column == 0 ? "0." : ",0.") + std::to_string(1000 + (row * 7 + column) % 9000) +
                    (column == 1499 ? "\n" : "");
    const std::filesystem::path file = folder.path / "bias.csv";
    ASSERT_TRUE(write_file(file, text));
    const std::size_t size = text.size();
    text = {};
    WindowUnderTest window;
    window.ui.frames(3);
    const PeakMemory peak;
    double longest = 0;
    window.shell.drop({file});
    for (int frame = 0; frame < 3000 && !window.ui.exists("Import"); ++frame) {
        const auto start = std::chrono::steady_clock::now();
        window.ui.frames(1);
        longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(window.ui.exists("Import")) << window.session.message;
    RecordProperty("longest_frame_ms", static_cast<int>(longest * 1000));
    RecordProperty("peak_over_size_percent", static_cast<int>(100 * peak.bytes() / size));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(peak.bytes(), 3 * size);
#endif
    ASSERT_TRUE(window.ui.click("Import"));
    window.settle();
    EXPECT_EQ(window.model().n_queries, 1500);
    EXPECT_TRUE(window.model().bias_on);
}

}  // namespace
}  // namespace heed::app
