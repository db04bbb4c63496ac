// Which parts of the screen differ from the frame before. A frame is laid out anew every time, but mostly comes out the
// same; where the processor is the graphics card, filling pixels is most of a frame's time.
//
// The screen is cut into tiles. Everything drawn leaves its hash in the tiles it touches, in the order of drawing, so a tile
// whose hash is what it was holds the same picture.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

namespace heed::app {

// Pixels from the top left; the ends are outside.
struct PixelRect {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool is_empty() const { return x1 <= x0 || y1 <= y0; }
    friend bool operator==(const PixelRect&, const PixelRect&) = default;
};
PixelRect common_part(const PixelRect& a, const PixelRect& b);

// What ImGui's renderer makes of a command's clip rectangle, cut to the screen.
PixelRect scissor_of(const ImDrawCmd& command, const ImDrawData& data, const PixelRect& screen);
// The pixels a triangle may touch; `first` is the place of its first index in the list.
PixelRect box_of_triangle(const ImDrawList& list, const ImDrawCmd& command, unsigned first, const ImDrawData& data);

// Every draw callback's data must begin with this, so that what it draws can be told from what it drew.
struct CallbackContent {
    std::uint64_t content = 0;  // differs where the picture does
    ImVec4 area;                // all it draws on, ImGui coordinates
};
PixelRect box_of_callback(const ImDrawCmd& command, const ImDrawData& data);

// Numbers one after another into one.
class Hash {
public:
    void add(std::uint64_t value);
    void add(float value);
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0x243F6A8885A308D3;
};

class ChangedTiles {
public:
    // Rectangles that do not overlap and cover all that differs from the frame of the last call; the whole screen if its size
    // or scale has changed, or nothing is known of it.
    std::vector<PixelRect> update(const ImDrawData& data, int width, int height);
    void forget() { seen_.clear(); }

private:
    void collect(const ImDrawData& data, const PixelRect& screen);
    void mark(const PixelRect& box, std::uint64_t hash);
    std::vector<PixelRect> rectangles(const PixelRect& screen) const;

    int columns_ = 0;
    int rows_ = 0;
    PixelRect screen_;
    ImVec4 view_;                            // where ImGui's coordinates are on it: place and scale
    std::vector<std::uint64_t> now_, seen_;  // rows_ × columns_
};

// To be called where a texture that ImGui draws gets other pixels under the same name; then nothing is kept.
void count_rewritten_texture();
int n_textures_rewritten();

}  // namespace heed::app
