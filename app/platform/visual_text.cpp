#include "app/platform/visual_text.h"

#include <fribidi.h>

#include <vector>

namespace heed::app {
namespace {

// Hebrew, Arabic and their neighbours are U+0590 … U+08FF: looked for in UTF-8, before anything is decoded.
bool may_run_leftwards(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0xD6 && byte <= 0xDF) return true;
        if (byte == 0xE0 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) <= 0xA3) return true;
    }
    return false;
}

}  // namespace

VisualText::VisualText(std::string_view logical) : logical_(logical) {
    if (!may_run_leftwards(logical)) return;
    std::vector<FriBidiChar> characters(logical.size());
    const FriBidiStrIndex length = fribidi_charset_to_unicode(
        FRIBIDI_CHAR_SET_UTF8, logical.data(), static_cast<FriBidiStrIndex>(logical.size()), characters.data());
    std::vector<FriBidiChar> visual(static_cast<std::size_t>(length) + 1);
    FriBidiParType direction = FRIBIDI_PAR_ON;
    if (fribidi_log2vis(characters.data(), length, &direction, visual.data(), nullptr, nullptr, nullptr) == 0) return;
    visual.resize(static_cast<std::size_t>(length));
    std::erase(visual, FriBidiChar{FRIBIDI_CHAR_FILL});  // where two letters have become one
    std::string text(visual.size() * 4 + 1, '\0');
    const FriBidiStrIndex bytes = fribidi_unicode_to_charset(FRIBIDI_CHAR_SET_UTF8, visual.data(),
                                                             static_cast<FriBidiStrIndex>(visual.size()), text.data());
    text.resize(static_cast<std::size_t>(bytes));
    turned_ = std::move(text);
}

}  // namespace heed::app
