// The matrix editor as a user has it: typed, dragged, filled, pasted, and by keyboard.
#include "app/panels/matrix_editor.h"
#include "app/panels/matrix_editor_grid.h"
#include "core/edit/matrices.h"
#include "core/edit/sizes.h"
#include "core/edit/words.h"
#include "core/model/mask_settings.h"
#include "tests/app/panel_bench.h"

#include <algorithm>

#include <cmath>

namespace heed::app {
namespace {

class MatrixEditor : public PanelBench {
protected:
    MatrixEditor() : PanelBench(draw_matrix_editor, {900, 420}) {}
    float cell(Operand grid, Index row, Index col, int head = 0) { return cell_value(model(), grid, head, row, col); }
    void choose(std::string_view id) {
        ui.click("matrix");
        ui.click("matrix/" + std::string(id));
    }
};

TEST_F(MatrixEditor, TypingIntoACellChangesTheTraceAndUndoBringsItBack) {
    const Model before = model();
    const Matrix weights_before = weights();
    ui.click("cell 2,3");
    ui.type("12.5");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 1, 2), 12.5F);
    EXPECT_FALSE(same(weights(), weights_before));
    EXPECT_EQ(trace().q[0](1, 2), 12.5F);
    expect_undo_restores(before, weights_before);
}

TEST_F(MatrixEditor, EnterGoesDownAndTabGoesRight) {
    ui.click("cell 1,1");
    ui.type("1");
    ui.key(ImGuiKey_Enter);
    ui.type("-2");
    ui.key(ImGuiKey_Tab);
    ui.type(".5");
    ui.key(ImGuiKey_UpArrow);
    ui.type("4");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 0, 0), 1.0F);
    EXPECT_EQ(cell(Operand::q, 1, 0), -2.0F);
    EXPECT_EQ(cell(Operand::q, 1, 1), 0.5F);
    EXPECT_EQ(cell(Operand::q, 0, 1), 4.0F);
}

TEST_F(MatrixEditor, EscapeKeepsTheOldNumberAndWordsAreRefused) {
    const Model before = model();
    ui.click("cell 1,1");
    ui.type("9");
    ui.key(ImGuiKey_Escape);
    EXPECT_TRUE(model() == before);
    ui.type("1x");
    ui.key(ImGuiKey_Enter);
    EXPECT_TRUE(model() == before);
    EXPECT_EQ(session.message, "“1x” is not a number; the cell keeps its value");
}

TEST_F(MatrixEditor, AClickElsewhereTakesWhatWasTyped) {
    ui.click("cell 1,1");
    ui.type("7");
    ui.click("cell 3,3");
    EXPECT_EQ(cell(Operand::q, 0, 0), 7.0F);
    ui.type("8");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 2, 2), 8.0F);
}

TEST_F(MatrixEditor, ADoubleClickEditsTheNumberThatIsThere) {
    model().q[0] = model().q[0].with([](Matrix& q) { q(0, 0) = 5; });
    ui.frames(2);
    ui.double_click("cell 1,1");
    ui.key(ImGuiKey_End);
    ui.type("0");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 0, 0), 50.0F);
}

TEST_F(MatrixEditor, ACellIsDraggedLikeAFader) {
    const Model before = model();
    const Matrix weights_before = weights();
    const float old = cell(Operand::q, 2, 1);
    ui.drag("cell 3,2", {0, -60});
    const float coarse = cell(Operand::q, 2, 1) - old;
    EXPECT_GT(coarse, 0.5F);
    expect_undo_restores(before, weights_before);

    ui.hover("cell 3,2");
    ui.wait(1);  // two presses, not a double click
    ui.press();
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
    const ImVec2 from = ImGui::GetIO().MousePos;
    for (float y = 10; y <= 60; y += 10) ui.move_to({from.x, from.y - y});
    ui.release();
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
    ui.frames(2);
    const float fine = cell(Operand::q, 2, 1) - old;
    EXPECT_GT(fine, 0.0F);
    EXPECT_LT(fine, coarse * 0.2F);
}

TEST_F(MatrixEditor, ArrowsHomeEndAndPagesMove) {
    ui.click("cell 1,1");
    for (const ImGuiKey key : {ImGuiKey_RightArrow, ImGuiKey_RightArrow, ImGuiKey_DownArrow, ImGuiKey_LeftArrow})
        ui.key(key);
    ui.type("1");
    ui.key(ImGuiKey_Enter);  // at 2, 2; goes on to 3, 2
    EXPECT_EQ(cell(Operand::q, 1, 1), 1.0F);
    ui.key(ImGuiKey_End);
    ui.type("2");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 2, 15), 2.0F);
    ui.key(ImGuiKey_Home);
    ui.key(ImGuiKey_PageDown);
    ui.type("3");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 5, 0), 3.0F);
}

TEST_F(MatrixEditor, ABlockIsCopiedAndPastedAsASpreadsheetDoes) {
    ui.click("cell 1,1");
    ui.key(ImGuiMod_Shift | ImGuiKey_RightArrow);
    ui.key(ImGuiMod_Shift | ImGuiKey_DownArrow);
    ui.key(ImGuiMod_Ctrl | ImGuiKey_C);
    const std::string copied = ImGui::GetClipboardText();
    EXPECT_EQ(std::count(copied.begin(), copied.end(), '\t'), 2);
    ui.click("cell 4,5");
    ui.key(ImGuiMod_Ctrl | ImGuiKey_V);
    for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 2; ++j) EXPECT_EQ(cell(Operand::q, 3 + i, 4 + j), cell(Operand::q, i, j));

    ImGui::SetClipboardText("1\t2,5\t3\r\n4\t5\t-6\r\n");
    const Model before = model();
    const Matrix weights_before = weights();
    ui.click("cell 2,1");
    ui.key(ImGuiMod_Ctrl | ImGuiKey_V);
    EXPECT_EQ(cell(Operand::q, 1, 1), 2.5F);
    EXPECT_EQ(cell(Operand::q, 2, 2), -6.0F);
    EXPECT_EQ(session.message, "✓ 2 × 3 numbers pasted");
    expect_undo_restores(before, weights_before);
}

TEST_F(MatrixEditor, WhatDoesNotFitOrIsNoTableIsSaidAndDoesNoHarm) {
    ui.click("cell 6,1");
    ImGui::SetClipboardText("1\n2\n3\n");
    ui.key(ImGuiMod_Ctrl | ImGuiKey_V);
    EXPECT_EQ(cell(Operand::q, 5, 0), 1.0F);
    EXPECT_EQ(session.message, "1 × 1 numbers pasted; the rest did not fit");
    const Model before = model();
    ImGui::SetClipboardText("not numbers at all");
    ui.key(ImGuiMod_Ctrl | ImGuiKey_V);
    EXPECT_TRUE(model() == before);
    EXPECT_NE(session.message.find("clipboard"), std::string::npos);
}

TEST_F(MatrixEditor, ShiftClickSelectsABlockAndDeleteClearsIt) {
    ui.click("cell 2,2");
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
    ui.click("cell 4,5");
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
    ui.frames(1);
    ui.key(ImGuiKey_Delete);
    const Matrix q = block_values(model(), Operand::q, 0, whole_operand(model(), Operand::q));
    EXPECT_EQ(q.block(1, 1, 3, 4).cwiseAbs().sum(), 0.0F);
    EXPECT_NE(q(0, 0), 0.0F);
    EXPECT_NE(q(4, 4), 0.0F);
}

TEST_F(MatrixEditor, AHeaderSelectsItsRowColumnOrAll) {
    ui.click_at("matrix rows", {0.5F, 0.02F});
    ui.key(ImGuiKey_Delete);
    EXPECT_EQ(model().q[0]->row(0).cwiseAbs().sum(), 0.0F);
    EXPECT_NE(cell(Operand::q, 1, 0), 0.0F);
    ui.click_at("matrix columns", {0.02F, 0.5F});
    ui.key(ImGuiKey_Delete);
    EXPECT_EQ(model().q[0]->col(0).cwiseAbs().sum(), 0.0F);
    ui.click("matrix all");
    ui.key(ImGuiKey_Delete);
    EXPECT_EQ(model().q[0]->cwiseAbs().sum(), 0.0F);
}

TEST_F(MatrixEditor, ButtonsActOnTheBlockOrOnEverything) {
    const Model before = model();
    ui.click("Zero");
    EXPECT_EQ(model().q[0]->cwiseAbs().sum(), 0.0F);
    ui.click("Identity");
    EXPECT_EQ(cell(Operand::q, 3, 3), 1.0F);
    ui.click("Randomise");
    const Matrix first = *model().q[0];
    ui.click("Randomise");
    EXPECT_FALSE(same(first, *model().q[0]));
    ui.click("Fill…");
    ui.type_into("number of block", "3");
    EXPECT_EQ(cell(Operand::q, 5, 9), 3.0F);
    ui.click("Scale…");
    ui.type_into("number of block", "-0.5");
    EXPECT_EQ(cell(Operand::q, 5, 9), -1.5F);
    ui.click("Scale…");
    ui.click("Apply");
    EXPECT_EQ(cell(Operand::q, 5, 9), 0.75F) << "the last number stays";
    ui.click("Back to the seed");
    EXPECT_TRUE(model() == before);
}

TEST_F(MatrixEditor, EveryMatrixCanBeChosenAndMadeToTakePart) {
    for (const OperandRow& name : operands()) {
        SCOPED_TRACE(name.id);
        choose(name.id);
        EXPECT_EQ(session.matrices.shown, name.id);
        EXPECT_TRUE(ui.exists("cell 1,1"));
    }
    choose("x");
    ui.click("Use projections");
    EXPECT_EQ(model().source, Source::projected);
    ui.click("cell 1,1");
    ui.type("100");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(trace().x_in(0, 0), 100.0F);
    choose("q");
    ui.click("Set Q, K, V directly");
    EXPECT_EQ(model().source, Source::direct);
    choose("w_o");
    ui.click("Use W_{O}");
    EXPECT_TRUE(model().output_projection);
}

TEST_F(MatrixEditor, TheHeadIsTheOneThePicturesShow) {
    ui.click("head");
    ui.click("head/2");
    EXPECT_EQ(document.next().display.head, 2);
    ui.click("cell 1,1");
    ui.type("6");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 0, 0, 2), 6.0F);
    EXPECT_NE(cell(Operand::q, 0, 0, 0), 6.0F);
}

TEST_F(MatrixEditor, TheEditedCellIsThePinnedOne) {
    ui.click("cell 3,2");
    EXPECT_EQ(document.next().display.pin.query, 2);
    choose("k");
    ui.click("cell 2,1");
    EXPECT_EQ(document.next().display.pin, (Cell{2, 1}));
    choose("bias");
    ui.click("cell 5,4");
    EXPECT_EQ(document.next().display.pin, (Cell{4, 3}));
    ui.hover("cell 1,2");
    EXPECT_EQ(session.hover.cell, (Cell{0, 1}));
}

TEST_F(MatrixEditor, AMaskIsPaintedWithMouseAndSpace) {
    choose("painted_mask");
    model().mask->causal = false;
    ui.frames(2);
    const ImVec2 to = ui.find("cell 2,4")->whole.GetCenter();
    ui.hover("cell 2,2");
    ui.press();
    ui.move_to({(ImGui::GetIO().MousePos.x + to.x) / 2, to.y});
    ui.move_to(to);
    ui.release();
    EXPECT_TRUE(model().mask->painted);
    EXPECT_EQ(trace().hidden_cells, 3);
    EXPECT_EQ(cell(Operand::painted_mask, 1, 2), 0.0F);
    ui.click("cell 2,2");
    EXPECT_EQ(trace().hidden_cells, 2);
    ui.key(ImGuiKey_DownArrow);
    ui.key(ImGuiKey_Space);
    EXPECT_EQ(cell(Operand::painted_mask, 2, 1), 0.0F);
}

TEST_F(MatrixEditor, ABiasMayHideAndMayDifferByHead) {
    choose("bias");
    ui.click("one for");
    ui.click("one for/each");
    ui.click("cell 1,1");
    ui.type("-inf");
    ui.key(ImGuiKey_Enter);
    EXPECT_TRUE(std::isinf(cell(Operand::bias, 0, 0)));
    EXPECT_EQ(cell(Operand::bias, 0, 0, 1), 0.0F);
    EXPECT_TRUE(model().bias_on);
}

TEST_F(MatrixEditor, A512By512MatrixIsDrawnQuicklyAndKeysScrollToItsEnd) {
    set_size(model(), Size::n_queries, 512);
    set_size(model(), Size::d_k, 512);
    document.settle();
    ui.frames(2);
    int cells = 0;
    for (const Driver::Item& item : ui.items()) cells += item.name.starts_with("cell ");
    EXPECT_LT(cells, 600);
    ui.click("cell 1,1");
    ui.key(ImGuiMod_Ctrl | ImGuiKey_End);
    ui.frames(3);
    EXPECT_TRUE(ui.exists("cell 512,512"));
    ui.type("5");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(cell(Operand::q, 511, 511), 5.0F);
}

TEST_F(MatrixEditor, SaysWhichEmbeddingsAreTheirWordsAndWhichWereEdited) {
    model().source = Source::projected;
    ui.frames(2);
    choose("x");
    EXPECT_EQ(row_words(model(), Operand::x, 1), "“cat”: drawn for the word, wherever it stands.");
    ui.click("cell 2,1");
    ui.type("3");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(row_words(model(), Operand::x, 1), "“cat”: edited here; the row moves with this word.");
    EXPECT_EQ(row_words(model(), Operand::x, 2), "“sat”: drawn for the word, wherever it stands.");
    set_embeddings(model(), Embeddings::by_place);
    EXPECT_EQ(row_words(model(), Operand::x, 1), "Row 2: edited; it moves when “cat” is moved.");
    EXPECT_EQ(row_words(model(), Operand::x, 2), "Row 3: drawn for the place, whatever word stands there.");
    EXPECT_EQ(row_words(model(), Operand::q, 1), "");
    ui.frames(2);
}

// The dot before the row's word.
TEST_F(MatrixEditor, MarksTheRowsThatWereEdited) {
    model().source = Source::projected;
    ui.frames(2);
    choose("x");
    ui.click("cell 1,1");
    ui.move_to({890, 5});
    ui.frames(3);
    const auto row = ui.find("cell 3,1");
    ASSERT_TRUE(row);
    const auto label_pixels = [&] {
        const Pixels pixels = ui.pixels();
        std::vector<std::uint32_t> found;
        const int y = static_cast<int>(row->box.GetCenter().y);
        for (int x = 0; x < static_cast<int>(row->box.Min.x); ++x)
            for (int channel = 0; channel < 4; ++channel)
                found.push_back(pixels.rgba[static_cast<std::size_t>((y * pixels.width + x) * 4 + channel)]);
        return found;
    };
    const auto before = label_pixels();
    set_block(model(), Operand::x, 0, {2, 31, 1, 1}, 5.0F);  // out of sight
    ui.frames(3);
    EXPECT_NE(label_pixels(), before);
    seed_block(model(), Operand::x, 0, {2, 31, 1, 1});
    ui.frames(3);
    EXPECT_EQ(label_pixels(), before);
}

TEST_F(MatrixEditor, IsWhollyTranslated) {
    const std::vector<std::string> missing_before = missing_translations();  // of other tests
    session.settings.language = Language::chinese;
    for (const OperandRow& name : operands()) {
        choose(name.id);
        ui.frames(1);
    }
    EXPECT_EQ(missing_translations(), missing_before);
}

}  // namespace
}  // namespace heed::app
