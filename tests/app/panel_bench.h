// One panel on an open document, with a user at it.
#pragma once

#include "app/document.h"
#include "app/views/view.h"
#include "core/language.h"
#include "tests/app/driver.h"

#include <gtest/gtest.h>

namespace heed::app {

class PanelBench : public testing::Test {
public:
    ~PanelBench() override { EXPECT_EQ(ui.complaints(), ""); }

protected:
    explicit PanelBench(void (*panel)(ViewContext&), ImVec2 size) : panel_(panel), size_(size) {}

    Model& model() { return document.next().model; }
    const AttentionTrace& trace() { return document.trace(); }
    Matrix weights(int head = 0) { return trace().weights[head]; }

    void frame() {
        set_language(session.settings.language);
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(size_);
        ImGui::Begin("Panel", nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize);
        session.hover.cell = session.hover.next_cell;
        session.hover.next_cell.reset();
        ViewContext context = view_context(document, session);
        panel_(context);
        ImGui::End();
        document.end_frame(ImGui::IsAnyItemActive());
    }

    // Undoing brings everything back that the gesture changed, to the last bit of the weights.
    void expect_undo_restores(const Model& before, const Matrix& weights_before) {
        ui.frames(2);
        ASSERT_TRUE(document.can_undo());
        document.undo();
        ui.frames(2);
        document.settle();
        EXPECT_TRUE(model() == before);
        EXPECT_TRUE(same(weights(), weights_before));
    }

    void (*panel_)(ViewContext&);
    ImVec2 size_;
    Document document{default_scene()};
    Session session;
    Driver ui{[this](Host&) { frame(); }, {static_cast<int>(size_.x), static_cast<int>(size_.y)}};
};

}  // namespace heed::app
