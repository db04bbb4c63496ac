#include "app/platform/host.h"

#include "app/gl/clipped_frame.h"
#include "app/gl/framebuffer.h"
#include "app/gl/heatmap.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include <cmath>
#include <cstdlib>
#include <new>

namespace heed::app {

Host::Host() = default;
Host::~Host() = default;

void Host::start_imgui(const std::string& layout_file) {
    IMGUI_CHECKVERSION();
    // ImGui writes to what it is given without a look.
    ImGui::SetAllocatorFunctions(
        [](std::size_t size, void*) {
            void* memory = std::malloc(size);
            if (memory == nullptr) throw std::bad_alloc();
            return memory;
        },
        [](void* memory, void*) { std::free(memory); });
    ImGui::SetCurrentContext(nullptr);
    ImGui::SetCurrentContext(ImGui::CreateContext());
    ImPlot::SetCurrentContext(ImPlot::CreateContext());
    ImGuiIO& io = ImGui::GetIO();
    layout_file_ = layout_file;
    io.IniFilename = layout_file_.empty() ? nullptr : layout_file_.c_str();
    io.LogFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.ConfigDragClickToInputText = false;
    io.ConfigInputTextCursorBlink = false;  // an idle window draws nothing
    fonts_ = std::make_unique<Fonts>();
    heatmaps_ = std::make_unique<HeatmapRenderer>();
    ImGui_ImplOpenGL3_Init("#version 330");
}

void Host::stop_imgui() {
    make_current();
    heatmaps_.reset();
    kept_.reset();
    ImGui_ImplOpenGL3_Shutdown();
    fonts_.reset();
    ImPlot::DestroyContext();
    ImGui::DestroyContext();
}

void Host::apply_look() {
    const float scale = std::max(0.5F, display_scale() * zoom_);
    if (theme_ == applied_theme_ && scale == applied_scale_) return;
    applied_theme_ = theme_;
    applied_scale_ = scale;
    apply_theme(theme_, scale);
    fonts_->set_scale(scale);
    changed_.forget();
}

bool Host::begin_frame() {
    make_current();
    begin_platform_frame();
    const ImGuiIO& io = ImGui::GetIO();
    if (io.DisplaySize.x < 1 || io.DisplaySize.y < 1) return false;
    apply_look();
    ImGui_ImplOpenGL3_NewFrame();
    heatmaps_->begin_frame();
    ImGui::NewFrame();
    return true;
}

namespace {

PixelRect screen_of(const ImDrawData& data) {
    return {0, 0, static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x)),
            static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y))};
}

// Otherwise a pixel's edge is no coordinate that a scissor gives back exactly.
bool has_whole_scale(const ImDrawData& data) {
    const ImVec2 scale = data.FramebufferScale;
    return scale.x == std::floor(scale.x) && scale.y == std::floor(scale.y);
}

void set_clear_color(ImU32 color) {
    const ImVec4 rgba = ImGui::ColorConvertU32ToFloat4(color);
    glClearColor(rgba.x, rgba.y, rgba.z, rgba.w);
}

}  // namespace

void Host::render(const std::vector<PixelRect>& parts, const PixelRect& screen) {
    const Color ground = palette(theme_).window;
    glViewport(0, 0, screen.x1, screen.y1);
    set_clear_color(IM_COL32(ground.r, ground.g, ground.b, 255));
    ImDrawData& data = *ImGui::GetDrawData();
    if (parts.size() == 1 && parts.front() == screen) {
        glDisable(GL_SCISSOR_TEST);
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(&data);
        return;
    }
    ClippedFrame clipped(data, changed_.drawn(), parts);
    glEnable(GL_SCISSOR_TEST);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const PixelRect& part = parts[i];
        const ImU32 color = clipped.grounds()[i];
        set_clear_color(color != 0 ? color : IM_COL32(ground.r, ground.g, ground.b, 255));
        glScissor(part.x0, screen.y1 - part.y1, part.x1 - part.x0, part.y1 - part.y0);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    ImGui_ImplOpenGL3_RenderDrawData(&clipped.data());
}

void Host::end_frame() {
    ImGui::Render();
    ImDrawData& data = *ImGui::GetDrawData();
    if (!fonts_->resolve(data, data.FramebufferScale.x)) changed_.forget();
    has_frame_ = true;
    if (!draws_) return;
    const PixelRect screen = screen_of(data);
    if (kept_ == nullptr || kept_->width() != screen.x1 || kept_->height() != screen.y1) {
        kept_.reset();
        kept_ = std::make_unique<Framebuffer>(screen.x1, screen.y1);
        changed_.forget();
    }
    if (n_rewritten_ != n_textures_rewritten() || !has_whole_scale(data)) changed_.forget();
    n_rewritten_ = n_textures_rewritten();
    const std::vector<PixelRect> parts = changed_.update(data, screen.x1, screen.y1);
    const bool was_uncovered = take_uncovered();
    if (!parts.empty()) {
        kept_->bind();
        render(parts, screen);
    }
    if (!parts.empty() || was_uncovered) present(*kept_);
}

Pixels Host::pixels() {
    if (!has_frame_ || ImGui::GetDrawData() == nullptr) return {};  // none while a frame is being laid out
    make_current();
    const PixelRect screen = screen_of(*ImGui::GetDrawData());
    const Framebuffer whole(screen.x1, screen.y1);
    render({screen}, screen);
    Pixels out = whole.read();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return out;
}

Pixels Host::shown_pixels() {
    if (kept_ == nullptr) return {};
    make_current();
    return kept_->read();
}

std::string Host::renderer() const {
    const auto text = [](GLenum name) {
        const GLubyte* value = glGetString(name);
        return std::string(value != nullptr ? reinterpret_cast<const char*>(value) : "?");
    };
    GLint major = 0;
    GLint minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    return text(GL_RENDERER) + ", OpenGL " + std::to_string(major) + "." + std::to_string(minor);
}

std::string Host::take_gl_error() {
    make_current();
    std::string errors;
    for (GLenum code = glGetError(); code != GL_NO_ERROR; code = glGetError()) {
        char text[32];
        std::snprintf(text, sizeof text, "%sOpenGL error 0x%04x", errors.empty() ? "" : ", ", code);
        errors += text;
    }
    return errors;
}

}  // namespace heed::app
