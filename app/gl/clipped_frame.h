// The part of a frame that touches some rectangles, as a frame of its own for ImGui's renderer.
#pragma once

#include "app/gl/changed_tiles.h"

#include <memory>
#include <vector>

namespace heed::app {

class ClippedFrame {
public:
    // Takes the vertices of `whole` until it is destroyed. The rectangles must not overlap.
    ClippedFrame(ImDrawData& whole, const std::vector<PixelRect>& rectangles, const PixelRect& screen);
    ~ClippedFrame();
    ClippedFrame(const ClippedFrame&) = delete;
    ClippedFrame& operator=(const ClippedFrame&) = delete;

    ImDrawData& data() { return data_; }

private:
    void measure_triangles(const ImDrawList& from, const ImDrawCmd& command);
    void add_command(const ImDrawList& from, const ImDrawCmd& command, const PixelRect& to, ImDrawList& out);

    ImDrawData data_;
    struct Borrowed {
        ImDrawList* from;
        std::unique_ptr<ImDrawList> list;
    };
    std::vector<Borrowed> lists_;
    std::vector<PixelRect> boxes_;  // of the triangles of one command
};

}  // namespace heed::app
