// The whole window without a window: document, session, shell and a user, as tests want them.
#pragma once

#include "app/shell/shell.h"
#include "tests/app/driver.h"

namespace heed::app {

struct WindowUnderTest {
    explicit WindowUnderTest(Scene scene = default_scene(), const OffscreenOptions& options = {})
        : document(std::move(scene)),
          shell(document, session, {.native_dialogs = false}),
          ui(
              [this](Host& host) {
                  host.set_theme(session.settings.theme);
                  host.set_zoom(shell.zoom());
                  shell.frame(ImGui::GetIO().DisplaySize);
              },
              options) {
        session.animate = false;
        ui.frames(4);
    }

    ~WindowUnderTest() { set_language(Language::english); }
    WindowUnderTest(const WindowUnderTest&) = delete;
    WindowUnderTest& operator=(const WindowUnderTest&) = delete;

    void show(std::string_view view) {
        shell.show_view(view);
        ui.frames(4);
    }
    // Until what is under way beside the window has come to its end and is shown.
    void settle() {
        for (int round = 0; round < 2; ++round) {
            shell.finish_jobs();
            ui.frames(3);
        }
        document.settle();
    }
    const Model& model() const { return document.scene().model; }
    void undo() {
        ui.key(ImGuiMod_Ctrl | ImGuiKey_Z);
        ui.frames(2);
        document.settle();
    }

    Session session;
    Document document;
    Shell shell;
    Driver ui;
};

}  // namespace heed::app
