// What a frame needs: an OpenGL context, ImGui with our fonts and look, and somewhere to draw. With a window
// (window.h) or without (offscreen.h); what draws the frame does not know which.
//
//     while (host.begin_frame()) { draw(); host.end_frame(); }
#pragma once

#include "app/gl/changed_tiles.h"
#include "app/png.h"
#include "core/figure/color_maps.h"

#include <memory>
#include <string>

namespace heed::app {

class Fonts;
class Framebuffer;
class HeatmapRenderer;

class Host {
public:
    virtual ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    // False when there is nothing to draw on (a minimised window): skip the frame.
    bool begin_frame();
    // Renders what differs from the frame before, and shows it.
    void end_frame();
    // The last frame, rendered whole.
    Pixels pixels();
    // The same as it is shown: put together from the parts that changed.
    Pixels shown_pixels();
    // Off: frames are laid out but drawn only when pixels() asks, which makes tests of many frames quick.
    void set_drawing(bool draws) { draws_ = draws; }

    // Taken at the next begin_frame().
    void set_theme(Theme theme) { theme_ = theme; }
    void set_zoom(float zoom) { zoom_ = zoom; }
    Theme theme() const { return theme_; }
    float zoom() const { return zoom_; }

    // "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5": for the about box.
    std::string renderer() const;
    // What OpenGL complained about since the last call; empty when it did not.
    std::string take_gl_error();

protected:
    Host();
    // Once the context is current; `file` remembers the layout of the windows, empty for none.
    void start_imgui(const std::string& layout_file);
    void stop_imgui();  // by the subclass, while its context still exists

    virtual void make_current() = 0;
    virtual void begin_platform_frame() = 0;  // display size, input, time
    virtual void present(const Framebuffer& frame) = 0;
    // Whether the frame must be shown though it is the one before, because something had covered it.
    virtual bool take_uncovered() { return false; }
    virtual float display_scale() const = 0;

private:
    void apply_look();
    // Into the framebuffer that is bound.
    void render(const std::vector<PixelRect>& parts, const PixelRect& screen);

    std::unique_ptr<Fonts> fonts_;
    std::unique_ptr<HeatmapRenderer> heatmaps_;
    std::string layout_file_;
    Theme theme_ = Theme::light;
    float zoom_ = 1;
    Theme applied_theme_ = Theme::print;
    float applied_scale_ = 0;
    // A window's own buffers are undefined once they were shown, so frames are kept in this one.
    std::unique_ptr<Framebuffer> kept_;
    ChangedTiles changed_;
    int n_rewritten_ = 0;
    bool has_frame_ = false;
    bool draws_ = true;
};

}  // namespace heed::app
