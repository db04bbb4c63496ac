// A Host with a window on the screen, and the waiting for events that keeps an idle window free.
#pragma once

#include "app/platform/host.h"
#include "core/result.h"

#include <filesystem>
#include <utility>
#include <vector>

struct GLFWwindow;

namespace heed::app {

struct WindowOptions {
    int width = 1440;  // logical pixels
    int height = 900;
    std::string title = "Heed";
    Theme theme = Theme::light;  // of the first frame; Host::set_theme() for the others
    std::string layout_file;     // where the places of the panels are remembered; empty: nowhere
};

class WindowHost : public Host {
public:
    // Sleeps until something happens (an event, wake(), or the time is up), or returns at once while frames are due:
    // ImGui's layout settles over two or three frames after each event.
    virtual void wait() = 0;
    // Draw again after this many seconds at the latest, for this wait only. 0: the next frame is due at once.
    virtual void draw_again_in(double seconds) = 0;

    virtual bool wants_to_close() const = 0;
    virtual void keep_open() = 0;  // the user changed their mind
    virtual void set_title(const std::string& title) = 0;
    // Files dropped on the window since the last call.
    virtual std::vector<std::filesystem::path> take_dropped_files() = 0;
    virtual void toggle_fullscreen() = 0;
    // In logical pixels, as it was before full screen or maximised.
    virtual std::pair<int, int> normal_size() const = 0;
    virtual GLFWwindow* glfw() = 0;
};

// Refused in one sentence: no display, or the version of OpenGL that was found instead of 3.3.
Result<std::unique_ptr<WindowHost>> open_window(const WindowOptions& options);

// From any thread: the window draws a frame soon.
void wake();

}  // namespace heed::app
