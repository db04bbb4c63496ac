#include "app/platform/fonts.h"

#include "app/platform/glyph_atlas.h"
#include "app/platform/imgui_fonts.h"
#include "app/platform/visual_text.h"
#include "core/figure/mark_look.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace heed::app {
namespace {

constexpr float base_line_size = body_size * line_per_em;  // 20
constexpr int largest_shifted = 20 * 8;                    // beyond 20 pixels nobody sees a quarter of one

class ScreenMeasure final : public TextMeasure {
public:
    float width(std::string_view text, float size, Font font) const override {
        return Typeface::of(font).width(text, size);
    }
};

Fonts::State* current = nullptr;

}  // namespace

struct Fonts::State {
    ImGuiFonts imgui{base_line_size};
    float scale = 1;
    std::unique_ptr<GlyphAtlas> atlas;
    std::set<std::uint32_t> missing;

    struct Quad {
        ImDrawVert* corners;  // four
        GlyphKey key;
        float u0, u1, v0, v1;  // the part of the box that ImGui's clipping left, 0 … 1
        bool upright;
    };
    std::vector<Quad> quads;

    void find_quads(ImDrawData& data, float density);
    bool draw_all(unsigned texture);
    void place_all(unsigned texture, float density);
};

Fonts::Fonts() : state_(std::make_unique<State>()) { current = state_.get(); }

Fonts::~Fonts() {
    if (current == state_.get()) current = nullptr;
}

void Fonts::set_scale(float scale) {
    current = state_.get();
    state_->scale = scale;
    state_->imgui.set_line_size(std::round(base_line_size * scale));
}

float ui_scale() { return current != nullptr ? current->scale : 1.0F; }

ScopedFont::ScopedFont(Font font, float size)
    : font_(font), before_(current->imgui.push(font, std::round(size * line_per_em * current->scale))) {}

ScopedFont::~ScopedFont() { current->imgui.pop(font_, before_); }

void draw_text(ImDrawList* list, Font font, float size, ImVec2 at, ImU32 color, std::string_view logical,
               AlignX align_x, AlignY align_y, float angle) {
    const VisualText visual(logical);
    const std::string_view text = visual.text();
    if (text.empty() || size <= 0 || (color & IM_COL32_A_MASK) == 0) return;
    const Typeface& face = Typeface::of(font);
    const float em = px(size);
    float x = align_x == AlignX::left ? 0 : -face.width(logical, em) * (align_x == AlignX::center ? 0.5F : 1.0F);
    const float top = baseline_below(align_y, em) - baseline_in_line * em;
    const float bottom = top + line_per_em * em;
    const float radians = -angle * std::numbers::pi_v<float> / 180.0F;
    const ImVec2 along(std::cos(radians), std::sin(radians));
    const auto place = [&](float right, float down) {
        return ImVec2(at.x + right * along.x - down * along.y, at.y + right * along.y + down * along.x);
    };
    const auto most = static_cast<int>(text.size());
    list->PrimReserve(most * 6, most * 4);
    int used = 0;
    for (std::size_t i = 0; i < text.size();) {
        std::uint32_t code = next_code_point(text, i);
        if (code < 32) code = ' ';
        if (!face.has(code)) {
            if (current != nullptr) current->missing.insert(code);
            code = replacement;
        }
        const float advance = face.advance(code) * em;
        if (code != ' ' && !is_invisible(code)) {
            const float right = x + box_width(face, code) * em;
            const ImVec2 uv = uv_of(font, code);
            list->PrimQuadUV(place(x, top), place(right, top), place(right, bottom), place(x, bottom), uv,
                             ImVec2(uv.x + 1, uv.y), ImVec2(uv.x + 1, uv.y + 1), ImVec2(uv.x, uv.y + 1),
                             face.colored(code) ? color | ~IM_COL32_A_MASK : color);
            ++used;
        }
        x += advance;
    }
    list->PrimUnreserve((most - used) * 6, (most - used) * 4);
}

void draw_rich_text(ImDrawList* list, Font font, float size, ImVec2 at, ImU32 color, std::string_view rich,
                    AlignX align_x, AlignY align_y, float angle) {
    const std::vector<TextRun> runs = text_runs(rich);
    float x = 0;
    if (align_x != AlignX::left) {
        for (const TextRun& run : runs) x -= text_width(font, size * run.scale, run.text);
        if (align_x == AlignX::center) x /= 2;
    }
    const float baseline = baseline_below(align_y, px(size));
    const float radians = -angle * std::numbers::pi_v<float> / 180.0F;
    const ImVec2 along(std::cos(radians), std::sin(radians));
    for (const TextRun& run : runs) {
        const float down = baseline - run.rise * px(size);
        draw_text(list, font, size * run.scale,
                  ImVec2(at.x + x * along.x - down * along.y, at.y + x * along.y + down * along.x), color, run.text,
                  AlignX::left, AlignY::baseline, angle);
        x += text_width(font, size * run.scale, run.text);
    }
}

float text_width(Font font, float size, std::string_view text) { return Typeface::of(font).width(text, px(size)); }

float rich_text_width(Font font, float size, std::string_view rich) {
    return px(rich_width(screen_measure(), rich, size, font));
}

const TextMeasure& screen_measure() {
    static const ScreenMeasure measure;
    return measure;
}

std::vector<std::uint32_t> missing_glyphs() {
    if (current == nullptr) return {};
    return {current->missing.begin(), current->missing.end()};
}

void Fonts::State::find_quads(ImDrawData& data, float density) {
    quads.clear();
    for (ImDrawList* list : data.CmdLists) {
        ImDrawVert* vertex = list->VtxBuffer.Data;
        ImDrawVert* const end = vertex + list->VtxBuffer.Size;
        while (vertex + 3 < end) {
            if (vertex->uv.y < first_v) {
                ++vertex;
                continue;
            }
            Quad quad;
            quad.corners = vertex;
            const float from_v = vertex[0].uv.y - first_v;
            const auto font = static_cast<int>(from_v / v_per_font);
            const float in_font = from_v - static_cast<float>(font) * v_per_font;
            const float high = std::floor(in_font / 2);
            const float low = std::floor(vertex[0].uv.x / 2);
            quad.u0 = vertex[0].uv.x - low * 2;
            quad.u1 = vertex[2].uv.x - low * 2;
            quad.v0 = in_font - high * 2;
            quad.v1 = vertex[2].uv.y - first_v - static_cast<float>(font) * v_per_font - high * 2;
            quad.key.font = static_cast<Font>(font);
            quad.key.code = static_cast<std::uint32_t>(high) << 10U | static_cast<std::uint32_t>(low);
            const ImVec2 down(vertex[3].pos.x - vertex[0].pos.x, vertex[3].pos.y - vertex[0].pos.y);
            const float height = std::hypot(down.x, down.y) / std::max(quad.v1 - quad.v0, 1e-3F);
            quad.key.size_8 = std::clamp(static_cast<int>(std::lround(height / line_per_em * density * 8)), 8, 8 * 400);
            quad.upright = std::abs(down.x) < 1e-3F && down.y > 0;
            if (quad.upright && quad.key.size_8 <= largest_shifted) {
                // Where the pen is, to a quarter of a pixel.
                const float width = (vertex[1].pos.x - vertex[0].pos.x) / std::max(quad.u1 - quad.u0, 1e-3F);
                const float pen = (vertex[0].pos.x - quad.u0 * width) * density;
                const float quarters = std::floor(pen * 4 + 0.5F);
                quad.key.shift_4 = static_cast<int>(quarters - 4 * std::floor(quarters / 4));
            }
            if (quad.key.code == replacement) missing.insert(replacement);
            if (Typeface::of(quad.key.font).colored(quad.key.code)) quad.key.shift_4 = 0;
            quads.push_back(quad);
            vertex += 4;
        }
    }
}

bool Fonts::State::draw_all(unsigned texture) {
    for (const Quad& quad : quads)
        if (atlas->get(quad.key, texture) == nullptr) return false;
    return true;
}

void Fonts::State::place_all(unsigned texture, float density) {
    const float u_per_pixel = 1.0F / static_cast<float>(atlas->width());
    const float v_per_pixel = 1.0F / static_cast<float>(atlas->height());
    for (const Quad& quad : quads) {
        ImDrawVert* corner = quad.corners;
        const AtlasGlyph* glyph = atlas->get(quad.key, texture);
        if (glyph == nullptr || glyph->width == 0 || quad.u1 <= quad.u0 || quad.v1 <= quad.v0) {
            for (int i = 0; i < 4; ++i) corner[i] = corner[0];
            for (int i = 0; i < 4; ++i) corner[i].uv = ImVec2(0, 0);
            continue;
        }
        // The whole box, as it was before clipping: origin and the two edges as vectors, in ImGui coordinates.
        const ImVec2 p0 = corner[0].pos;
        const ImVec2 right((corner[1].pos.x - p0.x) / (quad.u1 - quad.u0),
                           (corner[1].pos.y - p0.y) / (quad.u1 - quad.u0));
        const ImVec2 down((corner[3].pos.x - p0.x) / (quad.v1 - quad.v0),
                          (corner[3].pos.y - p0.y) / (quad.v1 - quad.v0));
        const ImVec2 origin(p0.x - quad.u0 * right.x - quad.v0 * down.x, p0.y - quad.u0 * right.y - quad.v0 * down.y);
        const float along = baseline_in_line / line_per_em;
        const auto width = static_cast<float>(glyph->width);
        const auto height = static_cast<float>(glyph->height);
        const float u = static_cast<float>(glyph->x) * u_per_pixel;
        const float v = static_cast<float>(glyph->y) * v_per_pixel;
        if (quad.upright) {
            const bool shifted =
                quad.key.size_8 <= largest_shifted && !Typeface::of(quad.key.font).colored(quad.key.code);
            const float pen = shifted ? std::floor(origin.x * density * 4 + 0.5F) / 4 : std::round(origin.x * density);
            const float base = std::round((origin.y + down.y * along) * density);
            float x0 = std::floor(pen) + static_cast<float>(glyph->left);
            float y0 = base - static_cast<float>(glyph->top);
            float x1 = x0 + width;
            float y1 = y0 + height;
            const float left = x0;
            const float top = y0;
            // Where ImGui clipped the box, clip what is drawn in it.
            if (quad.u0 > 1e-4F) x0 = std::max(x0, corner[0].pos.x * density);
            if (quad.v0 > 1e-4F) y0 = std::max(y0, corner[0].pos.y * density);
            if (quad.u1 < 1 - 1e-4F) x1 = std::min(x1, corner[2].pos.x * density);
            if (quad.v1 < 1 - 1e-4F) y1 = std::min(y1, corner[2].pos.y * density);
            x1 = std::max(x0, x1);
            y1 = std::max(y0, y1);
            const float xs[4] = {x0, x1, x1, x0};
            const float ys[4] = {y0, y0, y1, y1};
            for (int i = 0; i < 4; ++i) {
                corner[i].pos = ImVec2(xs[i] / density, ys[i] / density);
                corner[i].uv = ImVec2(u + (xs[i] - left) * u_per_pixel, v + (ys[i] - top) * v_per_pixel);
            }
            continue;
        }
        const float down_length = std::hypot(down.x, down.y) * density;
        const ImVec2 down_pixel(down.x / down_length, down.y / down_length);
        const ImVec2 right_pixel(down_pixel.y, -down_pixel.x);
        const ImVec2 pen(origin.x + down.x * along, origin.y + down.y * along);
        const float xs[4] = {0, width, width, 0};
        const float ys[4] = {0, 0, height, height};
        for (int i = 0; i < 4; ++i) {
            const float x = xs[i] + static_cast<float>(glyph->left);
            const float y = ys[i] - static_cast<float>(glyph->top);
            corner[i].pos =
                ImVec2(pen.x + right_pixel.x * x + down_pixel.x * y, pen.y + right_pixel.y * x + down_pixel.y * y);
            corner[i].uv = ImVec2(u + xs[i] * u_per_pixel, v + ys[i] * v_per_pixel);
        }
    }
}

bool Fonts::resolve(ImDrawData& data, float density) {
    const ImGuiFonts::Page page = state_->imgui.page();
    if (state_->atlas == nullptr) state_->atlas = std::make_unique<GlyphAtlas>(page.width, page.height, page.reserved);
    state_->find_quads(data, density);
    const bool fits = state_->draw_all(page.texture);
    if (!fits) {
        state_->atlas->clear();
        state_->draw_all(page.texture);
    }
    state_->place_all(page.texture, density);
    return fits;
}

}  // namespace heed::app
