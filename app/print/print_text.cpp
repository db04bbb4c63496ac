#include "app/print/print_text.h"

#include <cairo-ft.h>
#include <pango/pangocairo.h>

#include <memory>
#include <unordered_map>

namespace heed::app {
namespace {

struct Unref {
    void operator()(gpointer object) const { g_object_unref(object); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

// Pango's objects belong to one thread, so each thread that prints has its own set. Lines are kept because setting one
// costs far more than drawing it, and the numbers of a matrix repeat from frame to frame.
class TextSetter {
public:
    TextSetter() : map_(pango_cairo_font_map_new()), context_(pango_font_map_create_context(map_.get())) {
        // Places and widths must not depend on the scale of the paper: no hinting.
        cairo_font_options_t* options = cairo_font_options_create();
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
        pango_cairo_context_set_font_options(context_.get(), options);
        cairo_font_options_destroy(options);
        pango_context_set_round_glyph_positions(context_.get(), FALSE);
        pango_context_set_language(context_.get(), pango_language_from_string("zh-cn"));
    }

    TextLine line(std::string_view text, float size, Font font) {
        std::string key(text);
        key += '\0';
        key += std::to_string(static_cast<int>(font)) + '/' + std::to_string(size);
        auto found = lines_.find(key);
        if (found == lines_.end()) {
            if (lines_.size() >= most_lines) lines_.clear();
            found = lines_.emplace(std::move(key), make(text, size, font)).first;
        }
        return found->second.line;
    }

private:
    static constexpr std::size_t most_lines = 8192;

    struct Entry {
        Owned<PangoLayout> layout;
        TextLine line;
    };

    // Its font has one weight; from 700 on fontconfig makes a bolder one of it.
    static void embolden_chinese(PangoLayout* layout, const std::string& text) {
        PangoAttrList* attributes = pango_attr_list_new();
        for (const char* at = text.c_str(); *at != '\0'; at = g_utf8_next_char(at)) {
            if (g_utf8_get_char(at) < 0x2E80) continue;
            PangoAttribute* bold = pango_attr_weight_new(PANGO_WEIGHT_BOLD);
            bold->start_index = static_cast<guint>(at - text.c_str());
            bold->end_index = static_cast<guint>(g_utf8_next_char(at) - text.c_str());
            pango_attr_list_change(attributes, bold);
        }
        pango_layout_set_attributes(layout, attributes);
        pango_attr_list_unref(attributes);
    }

    Entry make(std::string_view text, float size, Font font) {
        Entry entry{Owned<PangoLayout>(pango_layout_new(context_.get())), {}};
        PangoLayout* layout = entry.layout.get();
        PangoFontDescription* description = pango_font_description_new();
        pango_font_description_set_family(description, std::string(font_families(font)).c_str());
        pango_font_description_set_weight(description, static_cast<PangoWeight>(font_weight(font)));
        if (font == Font::italic) pango_font_description_set_style(description, PANGO_STYLE_ITALIC);
        pango_font_description_set_absolute_size(description, static_cast<double>(size) * PANGO_SCALE);
        pango_layout_set_font_description(layout, description);
        pango_font_description_free(description);
        pango_layout_set_single_paragraph_mode(layout, TRUE);
        if (font == Font::mono) {  // "->" stays two characters
            PangoAttrList* attributes = pango_attr_list_new();
            pango_attr_list_insert(attributes, pango_attr_font_features_new("calt 0, liga 0"));
            pango_layout_set_attributes(layout, attributes);
            pango_attr_list_unref(attributes);
        }
        const std::string cleaned = clean_text(text);
        if (font == Font::bold) embolden_chinese(layout, cleaned);
        pango_layout_set_text(layout, cleaned.data(), static_cast<int>(cleaned.size()));

        entry.line.line = pango_layout_get_line_readonly(layout, 0);
        PangoRectangle logical;
        pango_layout_line_get_extents(entry.line.line, nullptr, &logical);
        entry.line.width = static_cast<float>(logical.width) / PANGO_SCALE;
        for (const GSList* node = entry.line.line->runs; node != nullptr; node = node->next) {
            const auto* run = static_cast<const PangoGlyphItem*>(node->data);
            entry.line.in_colour = entry.line.in_colour || has_colour_glyphs(run->item->analysis.font);
        }
        return entry;
    }

    Owned<PangoFontMap> map_;
    Owned<PangoContext> context_;
    std::unordered_map<std::string, Entry> lines_;
};

class PrintMeasure : public TextMeasure {
    float width(std::string_view text, float size, Font font) const override {
        return set_line(text, size, font).width;
    }
};

}  // namespace

const TextMeasure& print_measure() {
    static const PrintMeasure measure;
    return measure;
}

TextLine set_line(std::string_view text, float size, Font font) {
    thread_local TextSetter setter;
    return setter.line(text, size, font);
}

bool has_colour_glyphs(PangoFont* font) {
    cairo_scaled_font_t* scaled = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font));
    if (scaled == nullptr || cairo_scaled_font_get_type(scaled) != CAIRO_FONT_TYPE_FT) return false;
    FT_Face face = cairo_ft_scaled_font_lock_face(scaled);
    const bool in_colour = face != nullptr && FT_HAS_COLOR(face);
    cairo_ft_scaled_font_unlock_face(scaled);
    return in_colour;
}

std::string clean_text(std::string_view text) {
    char* valid = g_utf8_make_valid(text.data(), static_cast<gssize>(text.size()));
    std::string cleaned;
    for (const char* at = valid; *at != '\0'; at = g_utf8_next_char(at)) {
        const gunichar character = g_utf8_get_char(at);
        const bool is_control = character < 0x20 || (character >= 0x7F && character < 0xA0);
        const bool is_separator = character == 0x2028 || character == 0x2029;
        const bool is_no_character = (character & 0xFFFEU) == 0xFFFEU;
        if (character == '\n' || is_separator)
            cleaned += "↵";
        else if (character == '\t')
            cleaned += "⇥";
        else if (is_control || is_no_character)
            cleaned += "\uFFFD";
        else
            cleaned.append(at, static_cast<std::size_t>(g_utf8_next_char(at) - at));
    }
    g_free(valid);
    return cleaned;
}

// No emoji family: Pango finds one by itself, and named here it would take over the digits.
std::string_view font_families(Font font) {
    return font == Font::mono ? "JetBrains Mono, WenQuanYi Micro Hei, Noto Sans CJK SC, monospace"
                              : "Inter, WenQuanYi Micro Hei, Noto Sans CJK SC, sans-serif";
}

int font_weight(Font font) { return font == Font::bold ? 600 : 400; }

}  // namespace heed::app
