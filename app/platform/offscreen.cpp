#include "app/platform/offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <imgui.h>

namespace heed::app {
namespace {

class SurfacelessHost final : public OffscreenHost {
public:
    static Result<std::unique_ptr<OffscreenHost>> open(const OffscreenOptions& options) {
        std::unique_ptr<SurfacelessHost> host(new SurfacelessHost(options));
        if (Status opened = host->open_context(); !opened) return Error{opened.error()};
        host->start_imgui("");
        host->is_started_ = true;
        return std::unique_ptr<OffscreenHost>(std::move(host));
    }

    ~SurfacelessHost() override {
        if (is_started_) stop_imgui();
        if (display_ != EGL_NO_DISPLAY) {
            eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
        }
    }

    void resize(int width, int height) override {
        options_.width = width;
        options_.height = height;
    }
    void set_frame_time(float seconds) override { options_.frame_time = seconds; }
    void set_scale(float scale) override { options_.scale = scale; }

private:
    explicit SurfacelessHost(const OffscreenOptions& options) : options_(options) {}

    Status open_context() {
        const auto refuse = [](const char* why) {
            return Error{std::string("No picture of the window can be drawn: ") + why + "."};
        };
        if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless") ||
            !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base"))
            return refuse("EGL cannot work without a display here");
        display_ = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (display_ == EGL_NO_DISPLAY || !eglInitialize(display_, nullptr, nullptr)) {
            display_ = EGL_NO_DISPLAY;
            return refuse("EGL did not start");
        }
        eglBindAPI(EGL_OPENGL_API);
        const EGLint any[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint n_configs = 0;
        if (!eglChooseConfig(display_, any, &config, 1, &n_configs) || n_configs == 0) config = EGL_NO_CONFIG_KHR;
        const EGLint core_3_3[] = {
            EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
        context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, core_3_3);
        if (context_ == EGL_NO_CONTEXT || !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
            return refuse("EGL has no OpenGL 3.3");
        return ok();
    }

    void make_current() override {
        if (eglGetCurrentContext() != context_) eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_);
    }

    void begin_platform_frame() override {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = ImVec2(static_cast<float>(options_.width), static_cast<float>(options_.height));
        io.DeltaTime = options_.frame_time;
    }

    void present(const Framebuffer&) override { glFlush(); }
    float display_scale() const override { return options_.scale; }

    OffscreenOptions options_;
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
    bool is_started_ = false;
};

}  // namespace

Result<std::unique_ptr<OffscreenHost>> open_offscreen(const OffscreenOptions& options) {
    return SurfacelessHost::open(options);
}

}  // namespace heed::app
