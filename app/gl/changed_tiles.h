// Which parts of the screen differ from the frame before. A frame is laid out anew every time, but mostly comes out the
// same; where the processor is the graphics card, filling pixels is most of a frame's time.
//
// The screen is cut into tiles. Everything drawn leaves its hash in the tiles it touches, in the order of drawing, so a tile
// whose hash is what it was holds the same picture.
#pragma once

#include "app/gl/drawn_pieces.h"

#include <cstdint>
#include <vector>

namespace heed::app {

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
    // What the frame of the last call draws.
    const DrawnPieces& drawn() const { return drawn_; }

private:
    void collect(const ImDrawData& data);
    void mark(const PixelRect& box, std::uint64_t hash);
    std::vector<PixelRect> rectangles(const PixelRect& screen) const;

    DrawnPieces drawn_;
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
