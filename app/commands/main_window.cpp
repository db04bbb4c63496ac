#include "app/commands/main_window.h"

#include "app/document.h"
#include "app/settings.h"
#include "app/shell/run_window.h"
#include "app/shell/shell.h"
#include "core/files/atomic_write.h"

#include <imgui.h>

namespace heed::app {

Status run_main_window(Scene scene, const std::optional<std::filesystem::path>& file) {
    Session session;
    const std::optional<std::filesystem::path> config = config_folder();
    WindowOptions window;
    if (config) {
        session.settings = load_settings(settings_file(*config));
        // Without the folder the layout is not remembered; nothing else is lost.
        if (make_folder(*config)) window.layout_file = layout_file(*config).string();
    }
    window.theme = session.settings.theme;
    Document document(scene);
    if (file) {
        document.replace(std::move(scene), file);
        remember_file(session.settings, *file);
    }
    std::optional<Shell> shell;  // once there is a window
    std::string title;
    return run_window(window, [&](WindowHost& host) {
        if (!shell) {
            ShellOptions options;
            options.config_folder = config;
            options.autosave_folder = autosave_folder();
            options.renderer = host.renderer();
            options.wake = wake;
            shell.emplace(document, session, std::move(options));
        }
        if (host.wants_to_close()) {
            host.keep_open();
            shell->ask_to_quit();
        }
        shell->drop(host.take_dropped_files());
        shell->frame(ImGui::GetIO().DisplaySize);
        if (shell->take_fullscreen_wish()) host.toggle_fullscreen();
        host.set_theme(session.settings.theme);
        host.set_zoom(shell->zoom());
        if (const std::string now = shell->window_title(); now != title) host.set_title(title = now);
        if (const std::optional<double> seconds = shell->next_frame_in()) host.draw_again_in(*seconds);
        return !shell->wants_to_quit();
    });
}

}  // namespace heed::app
