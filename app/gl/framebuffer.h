// Somewhere to draw that is not a window.
#pragma once

#include "app/png.h"

namespace heed::app {

class Framebuffer {
public:
    // And binds it. Throws a sentence where OpenGL cannot hold that many pixels.
    Framebuffer(int width, int height);
    ~Framebuffer();
    Framebuffer(const Framebuffer&) = delete;
    Framebuffer& operator=(const Framebuffer&) = delete;

    int width() const { return width_; }
    int height() const { return height_; }
    unsigned name() const { return name_; }
    void bind() const;
    static int largest_side();  // that OpenGL can draw here
    Pixels read() const;        // opaque, from the top row on

private:
    unsigned name_ = 0;
    unsigned color_ = 0;
    int width_;
    int height_;
};

}  // namespace heed::app
