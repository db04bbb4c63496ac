// Which font files the words, the bold words and the numbers are drawn with, as fontconfig knows them.
#pragma once

#include "core/figure/figure.h"
#include "core/result.h"

#include <string>
#include <vector>

namespace heed::app {

struct FontFile {
    std::string path;
    int index = 0;          // in a collection
    bool embolden = false;  // the family has no bold of its own
    friend bool operator==(const FontFile&, const FontFile&) = default;
};

// The files to look for a character in, first to last: Inter (or JetBrains Mono), DejaVu for symbols, WenQuanYi Micro
// Hei for Chinese, an emoji font, then whatever else the system would fall back to. Never empty where any font is
// installed.
std::vector<FontFile> font_files(Font font);

// Refused in one sentence where the system has no font to draw a word with.
Status check_fonts();

}  // namespace heed::app
