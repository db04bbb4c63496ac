#include "app/gl/framebuffer.h"

#include <epoxy/gl.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace heed::app {

int Framebuffer::largest_side() {
    GLint side = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &side);
    return side;
}

Framebuffer::Framebuffer(int width, int height) : width_(width), height_(height) {
    glGenRenderbuffers(1, &color_);
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glGenFramebuffers(1, &name_);
    bind();
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return;
    glDeleteFramebuffers(1, &name_);
    glDeleteRenderbuffers(1, &color_);
    throw std::runtime_error("OpenGL cannot draw a picture of " + std::to_string(width) + " × " +
                             std::to_string(height) + " pixels here");
}

Framebuffer::~Framebuffer() {
    glDeleteFramebuffers(1, &name_);
    glDeleteRenderbuffers(1, &color_);
}

void Framebuffer::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, name_); }

Pixels Framebuffer::read() const {
    bind();
    Pixels out;
    out.width = width_;
    out.height = height_;
    const auto stride = static_cast<std::size_t>(width_) * 4;
    const auto rows = static_cast<std::size_t>(height_);
    std::vector<std::uint8_t> upside_down(stride * rows);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
    out.rgba.resize(upside_down.size());
    for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(out.rgba.data() + y * stride, upside_down.data() + (rows - 1 - y) * stride, stride);
    for (std::size_t i = 3; i < out.rgba.size(); i += 4) out.rgba[i] = 255;
    return out;
}

}  // namespace heed::app
