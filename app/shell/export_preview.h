// The figure as it will be saved, drawn small by the print renderer and shown as a picture.
#pragma once

#include "app/document.h"
#include "app/jobs/job.h"
#include "app/take_away/render.h"

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

namespace heed::app {

class ExportPreview {
public:
    explicit ExportPreview(Wake wake) : printing_(wake) {}
    ~ExportPreview();
    ExportPreview(const ExportPreview&) = delete;
    ExportPreview& operator=(const ExportPreview&) = delete;

    // Fits the room; drawn again only when the scene or the request changed, beside the window: the picture before stands
    // until then.
    void draw(const Document& document, const RenderRequest& request, ImVec2 room);
    void wait() { printing_.wait(); }  // for tests

private:
    // Everything the picture depends on.
    struct Shown {
        std::uint64_t trace_version = 0;
        Display display;
        std::string title, title_zh;
        RenderRequest request;
        float width = 0;
        friend bool operator==(const Shown&, const Shown&) = default;
    };
    static Shown shown(const Document& document, const RenderRequest& request, float width);
    void start(const Document& document, const RenderRequest& request, float width);
    void take_printed();

    unsigned texture_ = 0;
    std::string error_;
    std::optional<Shown> asked_;  // what was started last
    Job<Pixels> printing_;
};

}  // namespace heed::app
