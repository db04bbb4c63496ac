#include "app/platform/imgui_fonts.h"

#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>  // how glyphs are handed to ImGui: the builder of 1.90, the loader of 1.92

#include <cstring>

namespace heed::app {
namespace {

constexpr int page_width = 2048;
constexpr int page_height = 1024;

bool has_glyph(const Typeface& face, std::uint32_t code) {
    return code >= 32 && code < n_code_points && (face.has(code) || code == replacement);
}

// In a line of this height.
ImFontGlyph glyph_of(Font font, std::uint32_t code, float line_size) {
    const Typeface& face = Typeface::of(font);
    const float em = line_size / line_per_em;
    const ImVec2 uv = uv_of(font, code);
    ImFontGlyph glyph = {};
    glyph.Colored = face.colored(code) ? 1U : 0U;
    glyph.Visible = is_invisible(code) || code == ' ' || code == 0xA0 || code == 0x3000 ? 0U : 1U;
    glyph.Codepoint = code & 0x3FFFFFU;
    glyph.AdvanceX = face.advance(code) * em;
    glyph.X0 = 0;
    glyph.X1 = box_width(face, code) * em;
    glyph.Y0 = 0;
    glyph.Y1 = line_size;
    glyph.U0 = uv.x;
    glyph.V0 = uv.y;
    glyph.U1 = uv.x + 1;
    glyph.V1 = uv.y + 1;
    return glyph;
}

}  // namespace

#if IMGUI_VERSION_NUM >= 19200

namespace {

// ImGui's own rows at the top of the page: its cursors and the lines it takes from the texture are below 40 high.
constexpr int imgui_rows = 64;

Font font_of(const ImFontConfig& source) { return static_cast<Font>(source.FontNo); }

const ImFontLoader& loader() {
    static const ImFontLoader ours = [] {
        ImFontLoader made;
        made.Name = "heed";
        made.FontSrcContainsGlyph = [](ImFontAtlas*, ImFontConfig* source, ImWchar code) {
            return has_glyph(Typeface::of(font_of(*source)), code);
        };
        made.FontBakedInit = [](ImFontAtlas*, ImFontConfig*, ImFontBaked* baked, void*) {
            baked->Ascent = baseline_in_line * baked->Size / line_per_em;
            return true;
        };
        // Either is null: where only the width is asked for, the glyph.
        made.FontBakedLoadGlyph = [](ImFontAtlas*, ImFontConfig* source, ImFontBaked* baked, void*, ImWchar code,
                                     ImFontGlyph* out, float* advance) {
            const Font font = font_of(*source);
            if (!has_glyph(Typeface::of(font), code)) return false;
            const ImFontGlyph glyph = glyph_of(font, code, baked->Size);
            if (out != nullptr) *out = glyph;
            if (advance != nullptr) *advance = glyph.AdvanceX;
            return true;
        };
        return made;
    }();
    return ours;
}

}  // namespace

ImGuiFonts::ImGuiFonts(float line_size) : line_size_(line_size) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.TexMinWidth = page_width;
    atlas.TexMinHeight = page_height;
    for (int i = 0; i < 3; ++i) {
        ImFontConfig config;
        config.FontLoader = &loader();
        config.FontNo = static_cast<ImU32>(i);
        config.SizePixels = line_size;
        fonts_[i] = atlas.AddFont(&config);
        if (fonts_[i]->EllipsisAutoBake) {  // would copy pixels of a full stop, which ImGui does not have
            fonts_[i]->EllipsisAutoBake = false;
            fonts_[i]->EllipsisChar = static_cast<ImWchar>(replacement);
        }
    }
    ImGui::GetIO().FontDefault = fonts_[0];
    // All the rest of the page is ours: ImGui puts nothing there, and does not enlarge it.
    ImFontAtlasRect ours;
    if (atlas.AddCustomRect(page_width - 1, page_height - imgui_rows - 1, &ours) != ImFontAtlasRectId_Invalid)
        reserved_ = ours.y;
}

void ImGuiFonts::set_line_size(float line_size) { ImGui::GetStyle().FontSizeBase = line_size; }

float ImGuiFonts::push(Font font, float line_size) {
    ImGui::PushFont(fonts_[index_of(font)], line_size);
    return 0;
}

void ImGuiFonts::pop(Font, float) { ImGui::PopFont(); }

ImGuiFonts::Page ImGuiFonts::page() {
    ImTextureData& texture = *ImGui::GetIO().Fonts->TexData;
    if (texture.Status == ImTextureStatus_WantCreate) ImGui_ImplOpenGL3_UpdateTexture(&texture);
    return {static_cast<unsigned>(texture.GetTexID()), texture.Width, texture.Height, reserved_};
}

#else

namespace {

constexpr Font all_fonts[] = {Font::words, Font::bold, Font::mono};

// Bold and plain Chinese together stay below the 65,534 glyphs an ImFont can number.
constexpr int most_glyphs = 65000;

// Chinese and the like beyond this are drawn by our own text, but are boxes in ImGui's widgets: nothing here has them.
void fill_font(ImFont& font, Font which) {
    const Typeface& face = Typeface::of(which);
    font.Glyphs.reserve(most_glyphs);
    for (std::uint32_t code = 32; code < n_code_points && font.Glyphs.Size < most_glyphs; ++code)
        if (has_glyph(face, code)) font.Glyphs.push_back(glyph_of(which, code, font.FontSize));
    font.FallbackChar = static_cast<ImWchar>(replacement);
    font.DirtyLookupTables = true;
}

int place_custom_rects(ImFontAtlas& atlas) {
    int x = 0;
    int height = 0;
    for (ImFontAtlasCustomRect& rect : atlas.CustomRects) {
        rect.X = static_cast<unsigned short>(x);
        rect.Y = 0;
        x += rect.Width + 1;
        height = std::max(height, rect.Height + 1);
    }
    return height;
}

// ImGui asks for its texture through this: its own few pixels and an empty page for the rest.
bool build_atlas(ImFontAtlas* atlas) {
    ImFontAtlasBuildInit(atlas);
    atlas->TexWidth = page_width;
    atlas->TexHeight = page_height;
    atlas->TexUvScale = ImVec2(1.0F / page_width, 1.0F / page_height);
    place_custom_rects(*atlas);
    atlas->ClearTexData();
    constexpr std::size_t bytes = std::size_t{page_width} * page_height * 4;
    atlas->TexPixelsRGBA32 = static_cast<unsigned int*>(IM_ALLOC(bytes));
    std::memset(atlas->TexPixelsRGBA32, 0, bytes);
    for (int i = 0; i < atlas->Fonts.Size; ++i) {
        ImFontConfig& config = atlas->ConfigData[i];
        ImFontAtlasBuildSetupFont(atlas, atlas->Fonts[i], &config, baseline_in_line * config.SizePixels / line_per_em,
                                  0);
        fill_font(*atlas->Fonts[i], all_fonts[i]);
    }
    ImFontAtlasBuildFinish(atlas);
    atlas->TexPixelsUseColors = true;
    return true;
}

constexpr ImFontBuilderIO builder = {&build_atlas};

}  // namespace

ImGuiFonts::ImGuiFonts(float line_size) : line_size_(line_size) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.FontBuilderIO = &builder;
    atlas.TexDesiredWidth = page_width;
    char nothing = 0;
    for (ImFont*& font : fonts_) {
        ImFontConfig config;
        config.FontData = &nothing;  // the builder above has its own
        config.FontDataSize = 1;
        config.FontDataOwnedByAtlas = false;
        config.SizePixels = line_size;
        font = atlas.AddFont(&config);
    }
    ImGui::GetIO().FontDefault = fonts_[0];
}

void ImGuiFonts::set_line_size(float line_size) {
    for (ImFont* font : fonts_) font->Scale = line_size / line_size_;
}

float ImGuiFonts::push(Font font, float line_size) {
    ImFont& pushed = *fonts_[index_of(font)];
    const float before = pushed.Scale;
    pushed.Scale = line_size / line_size_;
    ImGui::PushFont(&pushed);
    return before;
}

void ImGuiFonts::pop(Font font, float before) {
    fonts_[index_of(font)]->Scale = before;
    ImGui::PopFont();
}

ImGuiFonts::Page ImGuiFonts::page() {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    if (reserved_ == 0) {
        reserved_ = place_custom_rects(atlas);
        atlas.ClearTexData();  // the texture has it now
    }
    return {static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(atlas.TexID)), atlas.TexWidth, atlas.TexHeight,
            reserved_};
}

#endif

}  // namespace heed::app
