// Arrays from files into a model: the sizes follow, or one sentence says why not.
#include "app/import_matrix.h"
#include "core/edit/matrices.h"
#include "core/model/mask_settings.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace heed::app {
namespace {

NpyArray array_of(std::vector<Index> shape) {
    NpyArray array;
    array.shape = std::move(shape);
    const Index count = std::accumulate(array.shape.begin(), array.shape.end(), Index{1}, std::multiplies<>());
    for (Index i = 0; i < count; ++i) array.values.push_back(static_cast<float>(i + 1) / 8.0F);
    return array;
}

const ImportTarget& target(std::string_view name) {
    for (const ImportTarget& row : import_targets())
        if (row.name == name) return row;
    throw std::runtime_error("no such target");
}

TEST(ImportMatrix, EveryTargetTakesItsOwnShapeAndTheModelStaysPossible) {
    for (const ImportTarget& row : import_targets()) {
        Model model = default_scene().model;
        const int rows = operand_row(row.operand).rows == Side::one ? 1 : 5;
        const Status status = import_array(model, row, 1, array_of({rows, 3}), "a.npy");
        ASSERT_TRUE(status) << row.name << ": " << status.error();
        EXPECT_TRUE(check_model(model).empty()) << row.name;
        EXPECT_TRUE(import_size(model, row).ends_with(std::to_string(rows) + " × 3")) << row.name;
        EXPECT_EQ(absence(model, row.operand), Absence::none) << row.name;
        EXPECT_NE(cell_value(model, row.operand, 1, 0, 0), 0.0F) << row.name;
    }
}

TEST(ImportMatrix, QueriesSetTheirNumberAndKeySize) {
    Model model = default_scene().model;
    ASSERT_TRUE(import_array(model, target("Q"), 2, array_of({7, 20}), "q.npy"));
    EXPECT_EQ(model.n_queries, 7);
    EXPECT_EQ(model.d_k, 20);
    EXPECT_TRUE(model.self_attention);
    EXPECT_EQ((*model.q[2])(1, 3), 24.0F / 8.0F);
    const Model start = default_scene().model;
    EXPECT_EQ((*model.q[0])(0, 0), (*start.q[0])(0, 0)) << "other heads keep their numbers";
}

TEST(ImportMatrix, MoreKeysThanQueriesMakeCrossAttention) {
    Model model = default_scene().model;
    ASSERT_TRUE(import_array(model, target("K"), 0, array_of({9, 16}), "k.npy"));
    EXPECT_FALSE(model.self_attention);
    EXPECT_EQ(model.n_keys, 9);
    EXPECT_EQ(model.n_queries, 6);
}

TEST(ImportMatrix, ThirdDimensionIsTheHeads) {
    Model model = default_scene().model;
    ASSERT_TRUE(import_array(model, target("Q"), 0, array_of({6, 4, 8}), "q.npy"));
    EXPECT_EQ(model.n_heads, 6);
    EXPECT_EQ(model.n_heads % model.n_kv_heads, 0);
    EXPECT_EQ((*model.q[5])(3, 7), 6.0F * 4.0F * 8.0F / 8.0F);
    ASSERT_TRUE(import_array(model, target("K"), 0, array_of({3, 4, 8}), "k.npy"));
    EXPECT_EQ(model.n_heads, 6);
    EXPECT_EQ(model.n_kv_heads, 3);
}

TEST(ImportMatrix, MaskIsVisibleWhereNotZero) {
    Model model = default_scene().model;
    NpyArray mask = array_of({2, 2});
    mask.values = {1, 0, 0, 5};
    ASSERT_TRUE(import_array(model, target("Mask"), 0, mask, "m.npy"));
    EXPECT_TRUE(model.mask->painted);
    EXPECT_EQ((*model.painted_mask[0])(0, 1), 0);
    EXPECT_EQ((*model.painted_mask[0])(1, 1), 1);
}

TEST(ImportMatrix, BadArraysAreRefusedInASentenceAndChangeNothing) {
    const Model start = default_scene().model;
    const auto refusal = [&](std::string_view name, const NpyArray& array) {
        Model model = start;
        const Status status = import_array(model, target(name), 0, array, "bad.npy");
        EXPECT_EQ(model, start);
        return status ? std::string() : status.error();
    };
    EXPECT_NE(refusal("Q", array_of({})).find("bad.npy"), std::string::npos);
    EXPECT_NE(refusal("Q", array_of({2, 0})).find("no numbers"), std::string::npos);
    EXPECT_NE(refusal("Q", array_of({2, 2, 2, 2})).find("not a matrix"), std::string::npos);
    EXPECT_NE(refusal("X", array_of({2, 3, 4})).find("only one X"), std::string::npos);
    EXPECT_NE(refusal("v", array_of({2, 3})).find("has only one"), std::string::npos);
    NpyArray nan = array_of({2, 2});
    nan.values[3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal("V", nan).find("row 2, column 2"), std::string::npos);
    nan.values[3] = -std::numeric_limits<float>::infinity();
    EXPECT_TRUE(refusal("K", nan).find("infinite") != std::string::npos);
    Model model = start;
    EXPECT_TRUE(import_array(model, target("Bias"), 0, nan, "bias.npy")) << "−∞ hides";
    EXPECT_TRUE(import_array(model, target("Mask"), 0, nan, "mask.npy")) << "anything but 0 is visible";
    NpyArray tall = array_of({65536, 1});
    EXPECT_NE(refusal("Q", tall).find("more weights"), std::string::npos);
}

}  // namespace
}  // namespace heed::app
