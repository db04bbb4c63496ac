// What a frame draws, piece by piece, with the pixels each may touch. Measured once a frame, to find what has changed and to
// draw that alone.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <vector>

namespace heed::app {

// Pixels from the top left; the ends are outside.
struct PixelRect {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool is_empty() const { return x1 <= x0 || y1 <= y0; }
    friend bool operator==(const PixelRect&, const PixelRect&) = default;
};
inline PixelRect common_part(const PixelRect& a, const PixelRect& b) {
    return {a.x0 > b.x0 ? a.x0 : b.x0, a.y0 > b.y0 ? a.y0 : b.y0, a.x1 < b.x1 ? a.x1 : b.x1, a.y1 < b.y1 ? a.y1 : b.y1};
}
inline bool overlap(const PixelRect& a, const PixelRect& b) {
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}
inline bool contains(const PixelRect& outer, const PixelRect& inner) {
    return outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && outer.x1 >= inner.x1 && outer.y1 >= inner.y1;
}

// What ImGui's renderer makes of a command's clip rectangle, cut to the screen.
PixelRect scissor_of(const ImDrawCmd& command, const ImDrawData& data, const PixelRect& screen);

// Every draw callback's data must begin with this, so that what it draws can be told from what it drew.
struct CallbackContent {
    std::uint64_t content = 0;  // differs where the picture does
    ImVec4 area;                // all it draws on, ImGui coordinates
};
PixelRect box_of_callback(const ImDrawCmd& command, const ImDrawData& data);

// One triangle, or the two that make a rectangle, as nearly all of a window's do: its places in the list's indices, and the
// pixels it may touch inside the command's scissor.
struct DrawnPiece {
    unsigned first = 0;
    unsigned n_indices = 0;  // 3 or 6
    PixelRect box;           // never empty
};

struct DrawnCommand {
    ImDrawList* list = nullptr;
    const ImDrawCmd* command = nullptr;
    PixelRect scissor;            // never empty, but for what sets the renderer's state again
    std::size_t first_piece = 0;  // in DrawnPieces::pieces(); a callback has none
    std::size_t n_pieces = 0;
};

class DrawnPieces {
public:
    // Commands that no pixel of the screen shows are left out. What it tells is true while `data` is what it was.
    void measure(const ImDrawData& data, const PixelRect& screen);

    std::span<const DrawnCommand> commands() const { return commands_; }
    std::span<const DrawnPiece> pieces(const DrawnCommand& command) const {
        return std::span(pieces_).subspan(command.first_piece, command.n_pieces);
    }

private:
    std::vector<DrawnCommand> commands_;
    std::vector<DrawnPiece> pieces_;
};

}  // namespace heed::app
