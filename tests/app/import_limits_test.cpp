// Arrays that would make the other matrices too large are refused before those are made.
#include "app/import_matrix.h"
#include "core/scene.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heed::app
