#include "app/platform/window.h"

#include "app/gl/framebuffer.h"

#include <epoxy/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace heed::app {
namespace {

constexpr int frames_after_event = 3;
constexpr double longest_sleep = 3600;

std::atomic<bool> window_is_open = false;

// The version an older context offers, for the sentence; empty where there is none at all.
std::string version_without_3_3() {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow* probe = glfwCreateWindow(64, 64, "", nullptr, nullptr);
    if (probe == nullptr) return "";
    glfwMakeContextCurrent(probe);
    const GLubyte* text = glGetString(GL_VERSION);
    std::string version = text != nullptr ? reinterpret_cast<const char*>(text) : "";
    glfwMakeContextCurrent(nullptr);
    glfwDestroyWindow(probe);
    return version.substr(0, version.find(' '));
}

// No larger than the screen has room for.
std::pair<int, int> fitting_size(int width, int height) {
    int x = 0;
    int y = 0;
    int most_width = 0;
    int most_height = 0;
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr)
        glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
    return {most_width > 0 ? std::min(width, most_width) : width,
            most_height > 0 ? std::min(height, most_height) : height};
}

class GlfwHost final : public WindowHost {
public:
    static Result<std::unique_ptr<WindowHost>> open(const WindowOptions& options) {
        std::unique_ptr<GlfwHost> host(new GlfwHost());
        if (Status opened = host->open_glfw(options); !opened) return Error{opened.error()};
        host->set_theme(options.theme);
        return std::unique_ptr<WindowHost>(std::move(host));
    }

    ~GlfwHost() override {
        window_is_open = false;
        if (is_started_) {
            ImGui_ImplGlfw_Shutdown();
            stop_imgui();
        }
        if (window_ != nullptr) glfwDestroyWindow(window_);
        if (has_glfw_) glfwTerminate();
    }

    void wait() override {
        if (next_draw_ <= 0) frames_due_ = std::max(frames_due_, 1);
        if (frames_due_ > 0) {
            glfwPollEvents();
        } else {
            const double timeout = std::min(longest_sleep, next_draw_);
            if (timeout > 0)
                glfwWaitEventsTimeout(timeout);
            else
                glfwPollEvents();
            frames_due_ = next_draw_ < longest_sleep ? 2 : frames_after_event;
        }
        if (had_event_) frames_due_ = frames_after_event;
        had_event_ = false;
        next_draw_ = longest_sleep;
        --frames_due_;
    }

    void draw_again_in(double seconds) override { next_draw_ = std::min(next_draw_, seconds); }
    bool wants_to_close() const override { return glfwWindowShouldClose(window_) != 0; }
    void keep_open() override { glfwSetWindowShouldClose(window_, GLFW_FALSE); }

    void set_title(const std::string& title) override {
        if (title == title_) return;
        title_ = title;
        glfwSetWindowTitle(window_, title.c_str());
    }

    std::vector<std::filesystem::path> take_dropped_files() override { return std::exchange(dropped_, {}); }

    void toggle_fullscreen() override {
        if (glfwGetWindowMonitor(window_) != nullptr) {
            glfwSetWindowMonitor(window_, nullptr, x_, y_, width_, height_, 0);
            return;
        }
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
        if (mode == nullptr) return;
        glfwGetWindowPos(window_, &x_, &y_);
        glfwGetWindowSize(window_, &width_, &height_);
        glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }

    std::pair<int, int> normal_size() const override {
        int width = width_;
        int height = height_;
        const bool is_normal = glfwGetWindowMonitor(window_) == nullptr &&
                               glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == 0 &&
                               glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == 0;
        if (is_normal) glfwGetWindowSize(window_, &width, &height);
        const float scale = std::max(0.1F, display_scale());  // the window was made this much larger
        return {static_cast<int>(std::lround(static_cast<float>(width) / scale)),
                static_cast<int>(std::lround(static_cast<float>(height) / scale))};
    }

    GLFWwindow* glfw() override { return window_; }

private:
    GlfwHost() = default;

    Status open_glfw(const WindowOptions& options) {
        glfwSetErrorCallback([](int, const char*) {});  // each failure has its own sentence below
        if (glfwInit() == GLFW_FALSE) return Error{"No window can be opened: there is no display."};
        has_glfw_ = true;
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
        glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
        glfwWindowHint(GLFW_DEPTH_BITS, 0);
        glfwWindowHint(GLFW_STENCIL_BITS, 0);
        glfwWindowHintString(GLFW_X11_CLASS_NAME, "heed");
        title_ = options.title;
        const auto [width, height] = fitting_size(options.width, options.height);
        window_ = glfwCreateWindow(width, height, title_.c_str(), nullptr, nullptr);
        if (window_ == nullptr) {
            const std::string found = version_without_3_3();
            return Error{"No window can be opened: OpenGL 3.3 is needed, and " +
                         (found.empty() ? std::string("there is no OpenGL here.") : "only " + found + " was found.")};
        }
        glfwGetWindowSize(window_, &width_, &height_);
        glfwMakeContextCurrent(window_);
        glfwSwapInterval(1);
        glfwSetWindowSizeLimits(window_, 640, 480, GLFW_DONT_CARE, GLFW_DONT_CARE);
        install_callbacks();
        start_imgui(options.layout_file);
        ImGui_ImplGlfw_InitForOpenGL(window_, true);
        is_started_ = true;
        window_is_open = true;
        return ok();
    }

    // Before the backend installs its own, which then call these.
    void install_callbacks() {
        glfwSetWindowUserPointer(window_, this);
        glfwSetKeyCallback(window_, [](GLFWwindow* w, int, int, int, int) { self(w).had_event_ = true; });
        glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned) { self(w).had_event_ = true; });
        glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int, int, int) { self(w).had_event_ = true; });
        glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { self(w).had_event_ = true; });
        glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int) { self(w).had_event_ = true; });
        glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { self(w).had_event_ = true; });
        glfwSetWindowFocusCallback(window_,
                                   [](GLFWwindow* w, int) { self(w).had_event_ = self(w).is_uncovered_ = true; });
        glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { self(w).had_event_ = self(w).is_uncovered_ = true; });
        glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { self(w).had_event_ = true; });
        glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float, float) { self(w).had_event_ = true; });
        glfwSetDropCallback(window_, [](GLFWwindow* w, int n, const char** paths) {
            self(w).had_event_ = true;
            for (int i = 0; i < n; ++i) self(w).dropped_.emplace_back(paths[i]);
        });
    }

    static GlfwHost& self(GLFWwindow* window) { return *static_cast<GlfwHost*>(glfwGetWindowUserPointer(window)); }

    void make_current() override {
        if (glfwGetCurrentContext() != window_) glfwMakeContextCurrent(window_);
    }
    void begin_platform_frame() override { ImGui_ImplGlfw_NewFrame(); }
    void present(const Framebuffer& frame) override {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, frame.name());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        glDisable(GL_SCISSOR_TEST);
        glBlitFramebuffer(0, 0, frame.width(), frame.height(), 0, 0, frame.width(), frame.height(), GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
        glfwSwapBuffers(window_);
    }
    bool take_uncovered() override { return std::exchange(is_uncovered_, false); }

    float display_scale() const override {
        float x = 1;
        float y = 1;
        glfwGetWindowContentScale(window_, &x, &y);
        // Where window coordinates are larger than pixels (Wayland, macOS) ImGui's framebuffer scale has done it already.
        const float done = ImGui::GetIO().DisplayFramebufferScale.x;
        return std::max(x, y) / (done > 0 ? done : 1.0F);
    }

    GLFWwindow* window_ = nullptr;
    std::string title_;
    std::vector<std::filesystem::path> dropped_;
    bool has_glfw_ = false;
    bool is_started_ = false;
    bool had_event_ = false;
    bool is_uncovered_ = false;
    int frames_due_ = frames_after_event;
    double next_draw_ = longest_sleep;
    int x_ = 0, y_ = 0, width_ = 1440, height_ = 900;  // before full screen
};

}  // namespace

Result<std::unique_ptr<WindowHost>> open_window(const WindowOptions& options) { return GlfwHost::open(options); }

void wake() {
    if (window_is_open) glfwPostEmptyEvent();
}

}  // namespace heed::app
