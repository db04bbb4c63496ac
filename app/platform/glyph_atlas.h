// Drawn characters in one texture, filled as they are needed and emptied when full.
#pragma once

#include "app/platform/typefaces.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heed::app {

struct GlyphKey {
    Font font = Font::words;
    std::uint32_t code = 0;
    int size_8 = 0;   // eighths of a pixel
    int shift_4 = 0;  // quarters of a pixel to the right
    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(font) << 60U | static_cast<std::uint64_t>(code) << 32U |
               static_cast<std::uint64_t>(size_8) << 8U | static_cast<std::uint64_t>(shift_4);
    }
};

struct AtlasGlyph {
    int x = 0, y = 0, width = 0, height = 0;  // in the texture
    int left = 0, top = 0;                    // see GlyphBitmap
};

class GlyphAtlas {
public:
    // `reserved` rows at the top are ImGui's own.
    GlyphAtlas(int width, int height, int reserved) : width_(width), height_(height), reserved_(reserved) { clear(); }

    int width() const { return width_; }
    int height() const { return height_; }

    // Draws and uploads it if it is new; null when there is no room left.
    const AtlasGlyph* get(const GlyphKey& key, unsigned texture);
    void clear();

private:
    struct Shelf {
        int y, height, used;
    };
    bool find_room(int width, int height, AtlasGlyph& glyph);

    int width_, height_, reserved_;
    int next_y_ = 0;
    std::vector<Shelf> shelves_;
    std::unordered_map<std::uint64_t, AtlasGlyph> glyphs_;
};

}  // namespace heed::app
