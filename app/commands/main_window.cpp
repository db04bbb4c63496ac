#include "app/commands/main_window.h"

#include "app/document.h"
#include "app/picture_file.h"
#include "app/platform/font_files.h"
#include "app/settings.h"
#include "app/shell/run_window.h"
#include "app/shell/shell.h"
#include "core/files/atomic_write.h"

#include <imgui.h>

#include <cstdlib>
#include <ctime>

namespace heed::app {

namespace {

// The frame that is shown as a picture beside the scene's file, or in the home folder; the message says where.
std::string save_screenshot(WindowHost& host, const Document& document) {
    const char* home = std::getenv("HOME");
    const std::filesystem::path folder = document.path()   ? document.path()->parent_path()
                                         : home != nullptr ? std::filesystem::path(home)
                                                           : std::filesystem::current_path();
    char name[64];
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    std::strftime(name, sizeof name, "heed-%Y%m%d-%H%M%S.png", localtime_r(&now, &local));
    // Not pixels(), which draws the last frame again: in the middle of a frame there is none to draw.
    const Pixels pixels = host.shown_pixels();
    const Status saved = write_file(folder / name, encode_png(pixels.width, pixels.height, pixels.rgba, 0, false));
    return saved ? "✓ " + fill(tr("Saved {0}"), {(folder / name).string()}) : saved.error();
}

}  // namespace

Status run_main_window(Scene scene, const std::optional<std::filesystem::path>& file) {
    if (Status fonts = check_fonts(); !fonts) return fonts;
    Session session;
    const std::optional<std::filesystem::path> config = config_folder();
    WindowOptions window;
    bool has_been_here = true;
    if (config) {
        session.settings = load_settings(settings_file(*config));
        has_been_here = std::filesystem::exists(settings_file(*config));
        // Without the folder the layout is not remembered; nothing else is lost.
        if (make_folder(*config, Readers::owner)) window.layout_file = layout_file(*config).string();
        remove_stale_temporaries(*config);
        const WindowSize size = load_window_size(window_file(*config));
        window.width = size.width;
        window.height = size.height;
    }
    window.theme = session.settings.theme;
    Document document(scene);
    if (file && is_picture_file(*file)) {
        remember_file(session.settings, *file);  // of its own name: nothing is saved over a picture
    } else if (file) {
        document.replace(std::move(scene), file);
        remember_file(session.settings, *file);
        remove_stale_temporaries(file->has_parent_path() ? file->parent_path() : ".");
    }
    std::optional<Shell> shell;  // once there is a window
    std::string title;
    bool takes_picture = false;  // of the frame before this one
    return run_window(window, [&](WindowHost& host) {
        if (!shell) {
            ShellOptions options;
            options.config_folder = config;
            options.autosave_folder = autosave_folder();
            options.renderer = host.renderer();
            options.wake = wake;
            options.offers_start = !has_been_here && !file;
            shell.emplace(document, session, std::move(options));
        }
        if (host.wants_to_close()) {
            host.keep_open();
            shell->ask_to_quit();
        }
        if (takes_picture) session.message = save_screenshot(host, document);
        // The frame that was asked in still shows the menu it was asked from; the next one does not.
        takes_picture = shell->take_screenshot_request();
        if (takes_picture) host.draw_again_in(0);
        shell->drop(host.take_dropped_files());
        shell->frame(ImGui::GetIO().DisplaySize);
        if (shell->take_fullscreen_wish()) host.toggle_fullscreen();
        host.set_theme(session.settings.theme);
        host.set_zoom(shell->zoom());
        if (const std::string now = shell->window_title(); now != title) host.set_title(title = now);
        if (const std::optional<double> seconds = shell->next_frame_in()) host.draw_again_in(*seconds);
        if (!shell->wants_to_quit()) return true;
        // Not worth an error: without it the window opens at its usual size.
        const auto [width, height] = host.normal_size();
        if (config) (void)save_window_size({width, height}, window_file(*config));
        return false;
    });
}

}  // namespace heed::app
