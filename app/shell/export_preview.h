// The figure as it will be saved, drawn small by the print renderer and shown as a picture.
#pragma once

#include "app/commands/render.h"
#include "app/document.h"

#include <imgui.h>

#include <cstdint>
#include <string>

namespace heed::app {

class ExportPreview {
public:
    ExportPreview() = default;
    ~ExportPreview();
    ExportPreview(const ExportPreview&) = delete;
    ExportPreview& operator=(const ExportPreview&) = delete;

    // Fits the room; drawn again only when the scene or the request changed.
    void draw(const Document& document, const RenderRequest& request, ImVec2 room);

private:
    void render(const Document& document, const RenderRequest& request, float width);

    unsigned texture_ = 0;
    int width_ = 0;
    int height_ = 0;
    std::string error_;
    std::string drawn_;  // everything the picture depends on, as text
};

}  // namespace heed::app
