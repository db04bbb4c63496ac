#include "app/platform/typefaces.h"

#include "app/platform/font_files.h"
#include "app/platform/visual_text.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include FT_BITMAP_H
#include FT_OUTLINE_H

#include <algorithm>
#include <cmath>
#include <new>

namespace heed::app {
namespace {

FT_Library library() {
    static FT_Library one = [] {
        FT_Library made = nullptr;
        if (FT_Init_FreeType(&made) != 0) throw std::bad_alloc();
        return made;
    }();
    return one;
}

// An open box for characters that no font has.
GlyphBitmap draw_box(float size) {
    GlyphBitmap box;
    box.width = std::max(3, static_cast<int>(size * 0.5F));
    box.height = std::max(4, static_cast<int>(size * 0.7F));
    box.left = 1;
    box.top = box.height;
    box.rgba.assign(static_cast<std::size_t>(box.width) * static_cast<std::size_t>(box.height) * 4, 255);
    for (int y = 1; y + 1 < box.height; ++y)
        for (int x = 1; x + 1 < box.width; ++x) box.rgba[static_cast<std::size_t>((y * box.width + x) * 4 + 3)] = 0;
    return box;
}

GlyphBitmap from_coverage(FT_GlyphSlot slot) {
    GlyphBitmap out;
    const FT_Bitmap& bitmap = slot->bitmap;
    out.width = static_cast<int>(bitmap.width);
    out.height = static_cast<int>(bitmap.rows);
    out.left = slot->bitmap_left;
    out.top = slot->bitmap_top;
    out.rgba.assign(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) * 4, 255);
    std::size_t to = 3;
    for (int y = 0; y < out.height; ++y) {
        const unsigned char* row = bitmap.buffer + y * bitmap.pitch;
        for (int x = 0; x < out.width; ++x, to += 4) {
            if (bitmap.pixel_mode == FT_PIXEL_MODE_MONO)
                out.rgba[to] = (row[x >> 3] & (0x80 >> (x & 7))) != 0 ? 255 : 0;
            else
                out.rgba[to] = row[x];
        }
    }
    return out;
}

// Premultiplied BGRA of a fixed size, averaged down to the wanted one.
GlyphBitmap from_strike(FT_GlyphSlot slot, float scale) {
    GlyphBitmap out;
    const FT_Bitmap& bitmap = slot->bitmap;
    out.width = std::max(1, static_cast<int>(std::lround(static_cast<float>(bitmap.width) * scale)));
    out.height = std::max(1, static_cast<int>(std::lround(static_cast<float>(bitmap.rows) * scale)));
    out.left = static_cast<int>(std::lround(static_cast<float>(slot->bitmap_left) * scale));
    out.top = static_cast<int>(std::lround(static_cast<float>(slot->bitmap_top) * scale));
    out.rgba.resize(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) * 4);
    const int from_w = static_cast<int>(bitmap.width);
    const int from_h = static_cast<int>(bitmap.rows);
    std::size_t to = 0;
    for (int y = 0; y < out.height; ++y) {
        const int y0 = y * from_h / out.height;
        const int y1 = std::max(y0 + 1, (y + 1) * from_h / out.height);
        for (int x = 0; x < out.width; ++x, to += 4) {
            const int x0 = x * from_w / out.width;
            const int x1 = std::max(x0 + 1, (x + 1) * from_w / out.width);
            int sum[4] = {0, 0, 0, 0};
            for (int v = y0; v < y1; ++v)
                for (int u = x0; u < x1; ++u)
                    for (int c = 0; c < 4; ++c) sum[c] += bitmap.buffer[v * bitmap.pitch + u * 4 + c];
            const int area = (x1 - x0) * (y1 - y0);
            const int alpha = sum[3];  // undo the premultiplication: ImGui blends straight colours
            for (int c = 0; c < 3; ++c)
                out.rgba[to + static_cast<std::size_t>(c)] =
                    static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255, sum[2 - c] * 255 / alpha));
            out.rgba[to + 3] = static_cast<std::uint8_t>(alpha / area);
        }
    }
    return out;
}

}  // namespace

struct Typeface::Face {
    FT_Face ft = nullptr;
    bool embolden = false;
    bool strikes = false;  // bitmaps of fixed sizes in colour
    float em = 1000;       // units, or pixels of the strike

    Face() = default;
    Face(const Face&) = delete;
    Face& operator=(const Face&) = delete;
    ~Face() {
        if (ft != nullptr) FT_Done_Face(ft);
    }

    bool open(const FontFile& file) {
        if (FT_New_Face(library(), file.path.c_str(), file.index, &ft) != 0) return false;
        embolden = file.embolden;
        if (FT_IS_SCALABLE(ft)) {
            em = static_cast<float>(ft->units_per_EM);
            return true;
        }
        strikes = true;
        if (ft->num_fixed_sizes == 0 || FT_Select_Size(ft, 0) != 0) return false;
        em = static_cast<float>(ft->available_sizes[0].y_ppem) / 64.0F;
        return true;
    }

    float advance(FT_UInt glyph) const {
        if (strikes) {  // every emoji is as wide as its strike
            return static_cast<float>(ft->size->metrics.max_advance) / 64.0F / em;
        }
        FT_Fixed units = 0;
        FT_Get_Advance(ft, glyph, FT_LOAD_NO_SCALE, &units);
        return static_cast<float>(units) / em;
    }

    GlyphBitmap draw(FT_UInt glyph, float size, float shift) const {
        if (strikes) {
            if (FT_Load_Glyph(ft, glyph, FT_LOAD_COLOR) != 0 || ft->glyph->format != FT_GLYPH_FORMAT_BITMAP ||
                ft->glyph->bitmap.pixel_mode != FT_PIXEL_MODE_BGRA)
                return draw_box(size);
            return from_strike(ft->glyph, size / em);
        }
        if (FT_Set_Char_Size(ft, 0, static_cast<FT_F26Dot6>(std::lround(size * 64.0F)), 72, 72) != 0 ||
            FT_Load_Glyph(ft, glyph, FT_LOAD_TARGET_LIGHT | FT_LOAD_NO_BITMAP) != 0)
            return draw_box(size);
        if (ft->glyph->format == FT_GLYPH_FORMAT_OUTLINE) {
            if (embolden)
                FT_Outline_Embolden(&ft->glyph->outline, static_cast<FT_Pos>(std::lround(size * 64.0F / 28.0F)));
            FT_Outline_Translate(&ft->glyph->outline, static_cast<FT_Pos>(std::lround(shift * 64.0F)), 0);
        }
        if (FT_Render_Glyph(ft->glyph, FT_RENDER_MODE_LIGHT) != 0) return draw_box(size);
        return from_coverage(ft->glyph);
    }
};

Typeface::Typeface(Font font) : face_of_(n_code_points, 0), advance_(n_code_points, 0.6F) {
    for (const FontFile& file : font_files(font)) {
        auto face = std::make_unique<Face>();
        if (!face->open(file)) continue;
        faces_.push_back(std::move(face));
        const Face& opened = *faces_.back();
        const auto number = static_cast<std::uint8_t>(faces_.size());
        FT_UInt glyph = 0;
        for (FT_ULong code = FT_Get_First_Char(opened.ft, &glyph); glyph != 0 && code < n_code_points;
             code = FT_Get_Next_Char(opened.ft, code, &glyph)) {
            // Faces and things in colour, even where a text font has an outline of them.
            const bool prefers_color = opened.strikes && code >= 0x1F300;
            if (code < 32 || (face_of_[code] != 0 && !prefers_color)) continue;
            face_of_[code] = number;
            advance_[code] = opened.advance(glyph);
        }
    }
    for (std::uint32_t code = 32; code < n_code_points; ++code)
        if (is_invisible(code)) {
            face_of_[code] = 0xFF;
            advance_[code] = 0;
        }
}

Typeface::~Typeface() = default;

const Typeface& Typeface::of(Font font) {
    static const Typeface words(Font::words);
    static const Typeface bold(Font::bold);
    static const Typeface mono(Font::mono);
    switch (font) {
        case Font::bold:
            return bold;
        case Font::mono:
            return mono;
        case Font::italic: {
            static const Typeface italic(Font::italic);  // read when the first formula is drawn
            return italic;
        }
        default:
            return words;
    }
}

bool Typeface::colored(std::uint32_t code) const {
    return has(code) && face_of_[code] != 0xFF && faces_[face_of_[code] - 1U]->strikes;
}

float Typeface::width(std::string_view logical, float size) const {
    const VisualText visual(logical);
    const std::string_view text = visual.text();
    float em = 0;
    for (std::size_t at = 0; at < text.size();) em += advance(next_code_point(text, at));
    return em * size;
}

GlyphBitmap Typeface::draw(std::uint32_t code, float size, float shift) const {
    if (is_invisible(code) || code == ' ' || code == 0xA0 || code == 0x3000) return {};
    if (!has(code)) return draw_box(size);
    const Face& face = *faces_[face_of_[code] - 1U];
    return face.draw(FT_Get_Char_Index(face.ft, code), size, shift);
}

std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at++);
    if (lead < 0x80) return lead;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC2 ? 1 : 0;
    if (more == 0 || lead > 0xF4) return replacement;
    std::uint32_t code = lead & (0x3FU >> static_cast<unsigned>(more));
    for (int i = 0; i < more; ++i) {
        if (at >= text.size() || (byte(at) & 0xC0U) != 0x80U) return replacement;
        code = code << 6U | (byte(at++) & 0x3FU);
    }
    return code;
}

bool is_invisible(std::uint32_t code) {
    return (code >= 0x200B && code <= 0x200F) || (code >= 0xFE00 && code <= 0xFE0F) || code == 0x2060 ||
           code == 0xFEFF || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace heed::app
