// Tokens dragged and typed into another order, by name.
#include "app/panels/controls.h"
#include "app/panels/matrix_editor.h"
#include "core/edit/matrices.h"
#include "core/edit/reorder.h"
#include "core/edit/tokens.h"
#include "core/model/mask_settings.h"
#include "tests/app/panel_bench.h"

#include <vector>

namespace heed::app {
namespace {

class TokenChips : public PanelBench {
protected:
    TokenChips() : PanelBench(draw_controls, {360, 900}) {}
    using Words = std::vector<std::string>;

    // From the middle of one to the edge of another.
    void drag_word(std::string_view from, std::string_view to, float share_of_to) {
        const auto start = ui.find(from), end = ui.find(to);
        ASSERT_TRUE(start && end);
        const float x = end->box.Min.x + share_of_to * end->box.GetWidth();
        ui.drag(from, {x - start->box.GetCenter().x, 0});
        ui.frames(2);
        document.settle();
        ui.frames(1);
    }
};

TEST_F(TokenChips, ADraggedWordTakesItsRowsAlongInOneStep) {
    model().mask->causal = false;
    ui.frames(2);
    document.settle();
    const Model before = model();
    const Matrix weights_before = weights();
    drag_word("query tokens 2", "query tokens 5", 0.9F);
    EXPECT_EQ(model().query_tokens, (Words{"The", "sat", "on", "the", "cat", "mat"}));
    EXPECT_EQ(model(), reordered(before, {0, 2, 3, 4, 1, 5}));
    EXPECT_EQ(trace().weights[0](4, 0), weights_before(1, 0)) << "the picture follows";
    expect_undo_restores(before, weights_before);
    EXPECT_FALSE(document.can_undo() && model().query_tokens != before.query_tokens) << "one drag, one step";
}

TEST_F(TokenChips, AWordIsDroppedBeforeTheOneWhoseLeftHalfIsUnderTheMouse) {
    drag_word("query tokens 6", "query tokens 1", 0.2F);
    EXPECT_EQ(model().query_tokens, (Words{"mat", "The", "cat", "sat", "on", "the"}));
    drag_word("query tokens 1", "query tokens 2", 0.2F);
    EXPECT_EQ(model().query_tokens, (Words{"mat", "The", "cat", "sat", "on", "the"})) << "where it was";
}

// Held at the edge, the words come along.
TEST_F(TokenChips, AWordIsDraggedPastTheEndOfTheField) {
    std::string text;
    for (int i = 1; i <= 40; ++i) text += "word" + std::to_string(i) + " ";
    set_query_tokens(model(), text);
    ui.frames(2);
    document.settle();
    const Model before = model();
    EXPECT_FALSE(ui.exists("query tokens 40")) << "out of sight";
    const auto first = ui.find("query tokens 1"), field = ui.find("query tokens");
    ASSERT_TRUE(first && field);
    ui.move_to(first->box.GetCenter());
    ui.press();
    ui.move_to({field->box.Max.x - 4, first->box.GetCenter().y});
    for (int i = 0; i < 60; ++i) ui.wait(0.3F);
    ui.release();
    ui.frames(2);
    EXPECT_EQ(query_label(model(), 39), "word1");
    EXPECT_EQ(query_label(model(), 0), "word2");
    EXPECT_EQ(model().n_queries, 40);
    document.undo();
    EXPECT_EQ(model(), before);
}

TEST_F(TokenChips, EscapeLeavesTheWordWhereItWas) {
    const Model before = model();
    const auto from = ui.find("query tokens 1"), to = ui.find("query tokens 4");
    ASSERT_TRUE(from && to);
    ui.move_to(from->box.GetCenter());
    ui.press();
    ui.move_to(to->box.GetCenter());
    ui.key(ImGuiKey_Escape);
    ui.release();
    ui.frames(2);
    EXPECT_EQ(model(), before);
    EXPECT_FALSE(document.can_undo());
}

TEST_F(TokenChips, AClickOnAWordPutsTheCaretThere) {
    const auto cat = ui.find("query tokens 2");
    ASSERT_TRUE(cat);
    ui.click_at("query tokens 2", {1.0F, 0.5F});
    ui.type("s");
    EXPECT_EQ(model().query_tokens[1], "cats");
    EXPECT_FALSE(ui.exists("query tokens 2")) << "while typing, the mouse selects text";
    ui.key(ImGuiKey_Enter);
    ui.frames(2);
    EXPECT_TRUE(ui.exists("query tokens 2"));
}

TEST_F(TokenChips, KeysOfCrossAttentionAreDraggedToo) {
    ui.click("attention/cross");
    ui.frames(2);
    const Model before = model();
    drag_word("key tokens 1", "key tokens 3", 0.9F);
    EXPECT_EQ(model().key_tokens, (Words{"cat", "sat", "The", "on", "the", "mat"}));
    EXPECT_EQ(model().query_tokens, before.query_tokens);
    EXPECT_TRUE(same(model().k[0]->row(2), before.k[0]->row(0)));
}

// Key by key the words are gone and come back.
TEST_F(TokenChips, TypedInAnotherOrderWordsFindTheRowsTheyHad) {
    for (const Source source : {Source::direct, Source::projected}) {
        document.next() = default_scene();
        model().source = source;
        set_block(model(), Operand::x, 0, {1, 0, 1, 1}, 9.0F);  // of “cat”
        ui.frames(2);
        document.settle();
        const Model before = model();
        ui.type_into("query tokens", "mat cat sat on the The");
        ui.frames(2);
        EXPECT_EQ(model(), reordered(before, {5, 1, 2, 3, 4, 0}))
            << (source == Source::direct ? "direct" : "projected");
        EXPECT_EQ((*model().x)(1, 0), 9.0F);
        document.undo();
        ui.frames(2);
        EXPECT_EQ(model(), before) << "typing is one step";
    }
}

TEST_F(TokenChips, OtherWordsOnlyRenameTheRowsOfADirectScene) {
    const Model before = model();
    ui.type_into("query tokens", "A dog sat on the mat");
    EXPECT_EQ(model().q, before.q);
    EXPECT_EQ(model().k, before.k);
}

TEST_F(TokenChips, TheSwitchForWordVectorsDrawsThemAnew) {
    ui.click("source/projected");
    ui.frames(2);
    const Model before = model();
    ASSERT_EQ(before.embeddings, Embeddings::by_word);
    ui.click("word vectors");
    ui.frames(2);
    EXPECT_EQ(model().embeddings, Embeddings::by_place);
    EXPECT_NE(model().x, before.x);
    ui.click("word vectors");
    ui.frames(2);
    EXPECT_EQ(model(), before);
}

TEST_F(TokenChips, ChoosingAPositionKeepsTheWordsAsLoudAsTheyWere) {
    ui.click("source/projected");
    ui.click("position/sinusoidal");
    ui.frames(2);
    document.settle();
    const float norm = trace().x_in.rowwise().norm().mean();
    EXPECT_GT(norm, 0.8F * std::sqrt(1.5F * static_cast<float>(model().d_model)));
    EXPECT_LT(norm, 1.2F * std::sqrt(1.5F * static_cast<float>(model().d_model)));
}

}  // namespace
}  // namespace heed::app
