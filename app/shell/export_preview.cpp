#include "app/shell/export_preview.h"

#include "app/gl/changed_tiles.h"
#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/shell/panel.h"
#include "app/told.h"

#include <epoxy/gl.h>

#include <algorithm>

namespace heed::app {

ExportPreview::~ExportPreview() {
    if (texture_ != 0) glDeleteTextures(1, &texture_);
}

void ExportPreview::start(const Document& document, const RenderRequest& request, float width) {
    printing_.start(
        [scene = document.scene(), trace = document.shared_trace(), request, width](JobControl<>&) -> Result<Pixels> {
            Result<Rendering> rendering = make_rendering(scene, *trace, request, PrintOptions::Format::png);
            if (!rendering) return Error{rendering.error()};
            rendering->print.pixels_per_unit = static_cast<double>(width / rendering->figure.width);
            return print_pixels(rendering->figure, rendering->print);
        });
}

void ExportPreview::take_printed() {
    const std::optional<Result<Pixels>> printed = printing_.take();
    if (!printed) return;
    error_ = *printed ? std::string() : printed->error();
    if (!*printed) return;
    const Pixels& pixels = **printed;
    if (texture_ == 0) glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, pixels.width, pixels.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels.rgba.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    count_rewritten_texture();
}

ExportPreview::Shown ExportPreview::shown(const Document& document, const RenderRequest& request, float width) {
    const Scene& scene = document.scene();
    return {document.trace().version, scene.display, scene.title, scene.title_zh, request, width};
}

void ExportPreview::draw(const Document& document, const RenderRequest& request, ImVec2 room) {
    const float wanted_w = static_cast<float>(request.width.value_or(1600));
    const float wanted_h = static_cast<float>(request.height.value_or(1000));
    const float width = std::max(32.0F, std::min(room.x, (room.y - px(24)) * wanted_w / wanted_h));
    if (Shown now = shown(document, request, width); !asked_ || *asked_ != now) {
        asked_ = std::move(now);
        start(document, request, width);
    }
    take_printed();
    if (!error_.empty()) {
        wrapped_text(told(error_));
        return;
    }
    const ImVec2 size{width, width * wanted_h / wanted_w};
    const ImVec2 at{ImGui::GetCursorScreenPos().x + (room.x - size.x) / 2, ImGui::GetCursorScreenPos().y};
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (texture_ != 0) list->AddImage(texture_id(texture_), at, {at.x + size.x, at.y + size.y});
    list->AddRect(at, {at.x + size.x, at.y + size.y}, u32(colors().hairline));
    const std::string words =
        std::to_string(static_cast<int>(wanted_w)) + " × " + std::to_string(static_cast<int>(wanted_h)) + " px";
    draw_text(list, Font::words, small_size, {at.x + size.x / 2, at.y + size.y + px(14)}, u32(colors().dim), words,
              AlignX::center, AlignY::middle);
    ImGui::Dummy({room.x, size.y + px(24)});
}

}  // namespace heed::app
