// The part of a frame that touches some rectangles, as a frame of its own for ImGui's renderer.
#pragma once

#include "app/gl/drawn_pieces.h"

#include <memory>
#include <vector>

namespace heed::app {

class ClippedFrame {
public:
    // Takes the vertices of `whole`, which was measured into `drawn`, until it is destroyed. The rectangles must not overlap.
    ClippedFrame(ImDrawData& whole, const DrawnPieces& drawn, const std::vector<PixelRect>& rectangles);
    ~ClippedFrame();
    ClippedFrame(const ClippedFrame&) = delete;
    ClippedFrame& operator=(const ClippedFrame&) = delete;

    ImDrawData& data() { return data_; }
    // What each rectangle must be filled with before; 0 for the window's own ground. An opaque box that covers a rectangle
    // wholly, such as a panel's ground, is its ground instead, and neither it nor what lies below it is drawn: to fill is
    // most of a frame's time without a graphics card.
    const std::vector<ImU32>& grounds() const { return grounds_; }

private:
    void find_grounds(ImVec2 white_texel);
    void add_command(const DrawnCommand& from, std::size_t rectangle, std::size_t number, ImDrawList& out);

    // The first piece that is seen of a rectangle: of the command with this number, or of those after it.
    struct Start {
        std::size_t command = 0;
        std::size_t piece = 0;
    };

    ImDrawData data_;
    const DrawnPieces& drawn_;
    const std::vector<PixelRect>& rectangles_;
    std::vector<ImU32> grounds_;  // of each rectangle
    std::vector<Start> starts_;   // of each rectangle
    struct Borrowed {
        ImDrawList* from;
        std::unique_ptr<ImDrawList> list;
    };
    std::vector<Borrowed> lists_;
};

}  // namespace heed::app
