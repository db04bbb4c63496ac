#include "app/shell/export_preview.h"

#include "app/gl/changed_tiles.h"
#include "app/platform/fonts.h"
#include "app/shell/panel.h"
#include "app/platform/theme.h"

#include <epoxy/gl.h>

#include <algorithm>

namespace heed::app {

ExportPreview::~ExportPreview() {
    if (texture_ != 0) glDeleteTextures(1, &texture_);
}

void ExportPreview::render(const Document& document, const RenderRequest& request, float width) {
    error_.clear();
    Result<Rendering> rendering =
        make_rendering(document.scene(), document.trace(), request, PrintOptions::Format::png);
    if (!rendering) {
        error_ = rendering.error();
        return;
    }
    rendering->print.pixels_per_unit = static_cast<double>(width / rendering->figure.width);
    const Result<Pixels> pixels = print_pixels(rendering->figure, rendering->print);
    if (!pixels) {
        error_ = pixels.error();
        return;
    }
    if (texture_ == 0) glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, pixels->width, pixels->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels->rgba.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    count_rewritten_texture();
    width_ = pixels->width;
    height_ = pixels->height;
}

ExportPreview::Shown ExportPreview::shown(const Document& document, const RenderRequest& request, float width) {
    const Scene& scene = document.scene();
    return {document.trace().version, scene.display, scene.title, scene.title_zh, request, width};
}

void ExportPreview::draw(const Document& document, const RenderRequest& request, ImVec2 room) {
    const float wanted_w = static_cast<float>(request.width.value_or(1600));
    const float wanted_h = static_cast<float>(request.height.value_or(1000));
    const float width = std::max(32.0F, std::min(room.x, (room.y - px(24)) * wanted_w / wanted_h));
    if (Shown now = shown(document, request, width); !drawn_ || *drawn_ != now) {
        drawn_ = std::move(now);
        render(document, request, width);
    }
    if (!error_.empty()) {
        wrapped_text(error_);
        return;
    }
    const ImVec2 size{width, width * wanted_h / wanted_w};
    const ImVec2 at{ImGui::GetCursorScreenPos().x + (room.x - size.x) / 2, ImGui::GetCursorScreenPos().y};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddImage(reinterpret_cast<ImTextureID>(static_cast<std::intptr_t>(texture_)), at,
                   {at.x + size.x, at.y + size.y});
    list->AddRect(at, {at.x + size.x, at.y + size.y}, u32(colors().hairline));
    const std::string words =
        std::to_string(static_cast<int>(wanted_w)) + " × " + std::to_string(static_cast<int>(wanted_h)) + " px";
    draw_text(list, Font::words, small_size, {at.x + size.x / 2, at.y + size.y + px(14)}, u32(colors().dim), words,
              AlignX::center, AlignY::middle);
    ImGui::Dummy({room.x, size.y + px(24)});
}

}  // namespace heed::app
