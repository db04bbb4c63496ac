// Cells and blocks of the editable grids.
#include "core/edit/matrices.h"
#include "core/model/mask_settings.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <limits>

namespace heed {
namespace {

Model small_model() { return default_scene().model; }

TEST(EditMatrices, EveryGridHasANameAndACellThatCanBeSet) {
    Model model = small_model();
    for (const OperandRow& name : operands()) {
        EXPECT_EQ(find_operand(name.id)->operand, name.operand);
        set_block(model, name.operand, 1, {0, 0, 1, 1}, 0.0F);
        EXPECT_EQ(cell_value(model, name.operand, 1, 0, 0), 0.0F) << name.id;
        EXPECT_TRUE(check_model(model).empty());
    }
    EXPECT_EQ(find_operand("nothing"), nullptr);
}

TEST(EditMatrices, ACellChangesItsHeadOnly) {
    Model model = small_model();
    const Model before = model;
    set_block(model, Operand::q, 2, {3, 5, 1, 1}, 9.0F);
    EXPECT_EQ((*model.q[2])(3, 5), 9.0F);
    EXPECT_EQ(model.q[1], before.q[1]);
    EXPECT_EQ((*before.q[2])(3, 5), cell_value(before, Operand::q, 2, 3, 5));
    EXPECT_NE((*before.q[2])(3, 5), 9.0F);
}

TEST(EditMatrices, GroupedHeadsShareTheirKeys) {
    Model model = small_model();
    model.n_kv_heads = 2;
    EXPECT_EQ(operand_index(model, Operand::k, 3), 1);
    EXPECT_EQ(operand_index(model, Operand::q, 3), 3);
    set_block(model, Operand::k, 2, {0, 0, 1, 1}, 5.0F);
    EXPECT_EQ(cell_value(model, Operand::k, 3, 0, 0), 5.0F);
}

TEST(EditMatrices, WhatTheSeedDrewCanBeBroughtBack) {
    for (const OperandRow& name : operands()) {
        if (name.operand == Operand::painted_mask) continue;
        Model model = small_model();
        const Model before = model;
        const Block all = whole_operand(model, name.operand);
        randomise_block(model, name.operand, 0, all, 77);
        EXPECT_FALSE(same(block_values(model, name.operand, 0, all), block_values(before, name.operand, 0, all)))
            << name.id;
        seed_block(model, name.operand, 0, all);
        EXPECT_TRUE(same(block_values(model, name.operand, 0, all), block_values(before, name.operand, 0, all)))
            << name.id;
    }
}

TEST(EditMatrices, IdentityScaleAndZero) {
    Model model = small_model();
    const Block all = whole_operand(model, Operand::k);
    identity_block(model, Operand::k, 0, all);
    scale_block(model, Operand::k, 0, all, -2.5F);
    EXPECT_EQ(cell_value(model, Operand::k, 0, 3, 3), -2.5F);
    EXPECT_EQ(cell_value(model, Operand::k, 0, 3, 4), 0.0F);
    set_block(model, Operand::k, 0, all, 0.0F);
    EXPECT_EQ(block_values(model, Operand::k, 0, all).cwiseAbs().sum(), 0.0F);
}

TEST(EditMatrices, ScalingNeverReachesInfinity) {
    Model model = small_model();
    set_block(model, Operand::q, 0, {0, 0, 1, 1}, 1e38F);
    scale_block(model, Operand::q, 0, {0, 0, 1, 1}, 1000.0F);
    EXPECT_TRUE(std::isfinite(cell_value(model, Operand::q, 0, 0, 0)));
}

TEST(EditMatrices, APastedBlockIsCutAtTheEdge) {
    Model model = small_model();
    const Matrix values = Matrix::Constant(4, 4, 3.0F);
    const Result<Block> block = paste_block(model, Operand::v, 0, 4, 6, values);
    ASSERT_TRUE(block);
    EXPECT_EQ(*block, (Block{4, 6, 2, 2}));
    EXPECT_EQ(cell_value(model, Operand::v, 0, 5, 7), 3.0F);
    EXPECT_NE(cell_value(model, Operand::v, 0, 3, 7), 3.0F);
}

TEST(EditMatrices, ANumberThatIsNotFiniteIsRefusedAndChangesNothing) {
    Model model = small_model();
    const Model before = model;
    Matrix values = Matrix::Ones(2, 2);
    values(1, 0) = std::numeric_limits<float>::quiet_NaN();
    const Result<Block> block = paste_block(model, Operand::q, 0, 0, 0, values);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error(), "clipboard: row 2, column 1 is not a finite number, so nothing was pasted");
    EXPECT_EQ(model, before);
}

TEST(EditMatrices, MinusInfinityHidesInABiasAndStandsNowhereElse) {
    const float hidden = -std::numeric_limits<float>::infinity();
    EXPECT_TRUE(is_allowed(Operand::bias, hidden));
    EXPECT_FALSE(is_allowed(Operand::bias, -hidden));
    EXPECT_FALSE(is_allowed(Operand::q, hidden));
    Model model = small_model();
    set_block(model, Operand::bias, 0, {0, 1, 1, 1}, hidden);
    EXPECT_TRUE(model.bias_on);
    scale_block(model, Operand::bias, 0, whole_operand(model, Operand::bias), 0.0F);
    EXPECT_EQ(cell_value(model, Operand::bias, 0, 0, 1), hidden);
}

TEST(EditMatrices, PaintingSwitchesThePaintedMaskOn) {
    Model model = small_model();
    EXPECT_EQ(absence(model, Operand::painted_mask), Absence::paint_off);
    set_block(model, Operand::painted_mask, 0, {1, 0, 1, 2}, 0.0F);
    EXPECT_TRUE(model.mask->painted);
    EXPECT_EQ(cell_value(model, Operand::painted_mask, 3, 1, 1), 0.0F);
    EXPECT_EQ(cell_value(model, Operand::painted_mask, 3, 1, 2), 1.0F);
}

TEST(EditMatrices, EveryAbsentGridCanBeMadeToTakePart) {
    for (const OperandRow& name : operands()) {
        Model model = small_model();
        take_part(model, name.operand);
        take_part(model, name.operand);  // Y needs a projected source and keys of its own
        EXPECT_EQ(absence(model, name.operand), Absence::none) << name.id;
        EXPECT_TRUE(check_model(model).empty());
    }
    Model projected = small_model();
    projected.source = Source::projected;
    EXPECT_EQ(absence(projected, Operand::q), Absence::source_is_projected);
    take_part(projected, Operand::q);
    EXPECT_EQ(projected.source, Source::direct);
}

TEST(EditMatrices, ABiasOfEachHeadStartsAsACopyAndJoinsAgain) {
    Model model = small_model();
    set_block(model, Operand::bias, 0, {0, 0, 1, 1}, 2.0F);
    set_per_head(model, Operand::bias, true, 0);
    set_block(model, Operand::bias, 3, {0, 0, 1, 1}, 7.0F);
    EXPECT_EQ(cell_value(model, Operand::bias, 0, 0, 0), 2.0F);
    EXPECT_EQ(cell_value(model, Operand::bias, 3, 0, 0), 7.0F);
    EXPECT_TRUE(check_model(model).empty());
    set_per_head(model, Operand::bias, false, 3);
    EXPECT_EQ(cell_value(model, Operand::bias, 0, 0, 0), 7.0F);
}

TEST(EditMatrices, TheLargestMagnitudeLeavesOutInfinityAndWhatIsNotInUse) {
    Model model = small_model();
    set_block(model, Operand::bias, 0, {0, 0, 1, 1}, -3.0F);
    set_block(model, Operand::bias, 0, {1, 1, 1, 1}, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(largest_magnitude(model, Operand::bias, 0), 3.0F);
    set_block(model, Operand::q, 0, {0, 15, 1, 1}, 99.0F);
    EXPECT_EQ(largest_magnitude(model, Operand::q, 0), 99.0F);
    model.d_k = 15;
    EXPECT_LT(largest_magnitude(model, Operand::q, 0), 99.0F);
}

TEST(EditMatrices, ABlockIsKeptInsideTheGrid) {
    const Model model = small_model();
    EXPECT_EQ(clamped(model, Operand::q, {-4, 100, 50, 9}), (Block{0, 15, 6, 1}));
}

}  // namespace
}  // namespace heed
