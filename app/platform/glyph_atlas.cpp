#include "app/platform/glyph_atlas.h"

#include <epoxy/gl.h>

namespace heed::app {

void GlyphAtlas::clear() {
    glyphs_.clear();
    shelves_.clear();
    next_y_ = reserved_;
}

bool GlyphAtlas::find_room(int width, int height, AtlasGlyph& glyph) {
    const int shelf_height = (height + 1 + 3) / 4 * 4;  // a pixel apart, in few different heights
    const int shelf_width = width + 1;
    for (Shelf& shelf : shelves_)
        if (shelf.height == shelf_height && shelf.used + shelf_width <= width_) {
            glyph.x = shelf.used;
            glyph.y = shelf.y;
            shelf.used += shelf_width;
            return true;
        }
    if (next_y_ + shelf_height > height_ || shelf_width > width_) return false;
    shelves_.push_back({next_y_, shelf_height, shelf_width});
    glyph.x = 0;
    glyph.y = next_y_;
    next_y_ += shelf_height;
    return true;
}

const AtlasGlyph* GlyphAtlas::get(const GlyphKey& key, unsigned texture) {
    const auto found = glyphs_.find(key.packed());
    if (found != glyphs_.end()) return &found->second;

    const GlyphBitmap bitmap = Typeface::of(key.font).draw(key.code, static_cast<float>(key.size_8) / 8.0F,
                                                           static_cast<float>(key.shift_4) / 4.0F);
    AtlasGlyph glyph;
    glyph.width = bitmap.width;
    glyph.height = bitmap.height;
    glyph.left = bitmap.left;
    glyph.top = bitmap.top;
    if (bitmap.width > 0 && bitmap.height > 0) {
        if (!find_room(bitmap.width, bitmap.height, glyph)) return nullptr;
        glBindTexture(GL_TEXTURE_2D, texture);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        glTexSubImage2D(GL_TEXTURE_2D, 0, glyph.x, glyph.y, bitmap.width, bitmap.height, GL_RGBA, GL_UNSIGNED_BYTE,
                        bitmap.rgba.data());
    }
    return &glyphs_.emplace(key.packed(), glyph).first->second;
}

}  // namespace heed::app
