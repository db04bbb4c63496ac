#include "app/shell/host.h"

#include "app/gl/heatmap.h"
#include "app/shell/fonts.h"
#include "app/shell/theme.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include <cmath>
#include <cstring>

namespace heed::app {

Host::Host() = default;
Host::~Host() = default;

void Host::start_imgui(const std::string& layout_file) {
    IMGUI_CHECKVERSION();
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
    fonts_->set_scale(scale);
    apply_theme(theme_, scale);
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

void Host::render(int width, int height) {
    const Color ground = palette(theme_).window;
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(static_cast<float>(ground.r) / 255.0F, static_cast<float>(ground.g) / 255.0F,
                 static_cast<float>(ground.b) / 255.0F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Host::end_frame() {
    ImGui::Render();
    ImDrawData& data = *ImGui::GetDrawData();
    fonts_->resolve(data, data.FramebufferScale.x);
    has_frame_ = true;
    if (!draws_) return;
    bind_target();
    render(static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x)),
           static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y)));
    present();
}

Pixels Host::pixels() {
    Pixels out;
    if (!has_frame_) return out;
    make_current();
    const ImDrawData& data = *ImGui::GetDrawData();
    out.width = static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x));
    out.height = static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y));

    // A window's own buffer is undefined where it is covered, so the frame is rendered once more, into one of ours.
    GLuint buffer = 0;
    GLuint frame = 0;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, out.width, out.height);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    render(out.width, out.height);

    const auto stride = static_cast<std::size_t>(out.width) * 4;
    std::vector<std::uint8_t> upside_down(stride * static_cast<std::size_t>(out.height));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, out.width, out.height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
    out.rgba.resize(upside_down.size());
    for (std::size_t y = 0; y < static_cast<std::size_t>(out.height); ++y)
        std::memcpy(out.rgba.data() + y * stride, upside_down.data() + (static_cast<std::size_t>(out.height) - 1 - y) * stride, stride);
    for (std::size_t i = 3; i < out.rgba.size(); i += 4) out.rgba[i] = 255;

    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &frame);
    glDeleteRenderbuffers(1, &buffer);
    return out;
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
