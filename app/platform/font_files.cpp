#include "app/platform/font_files.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <memory>
#include <new>

namespace heed::app {
namespace {

struct Wish {
    const char* family;
    int weight;
    bool required;  // take fontconfig's closest match where the family is not installed
};

const std::vector<Wish>& wishes(Font font) {
    static const std::vector<Wish> words = {{"Inter", FC_WEIGHT_REGULAR, true},
                                            {"DejaVu Sans", FC_WEIGHT_REGULAR, false},
                                            {"WenQuanYi Micro Hei", FC_WEIGHT_REGULAR, false},
                                            {"Noto Color Emoji", FC_WEIGHT_REGULAR, false}};
    static const std::vector<Wish> bold = {{"Inter", FC_WEIGHT_DEMIBOLD, true},
                                           {"DejaVu Sans", FC_WEIGHT_BOLD, false},
                                           {"WenQuanYi Micro Hei", FC_WEIGHT_REGULAR, false},
                                           {"Noto Color Emoji", FC_WEIGHT_REGULAR, false}};
    static const std::vector<Wish> mono = {{"JetBrains Mono", FC_WEIGHT_REGULAR, true},
                                           {"DejaVu Sans Mono", FC_WEIGHT_REGULAR, false},
                                           {"DejaVu Sans", FC_WEIGHT_REGULAR, false},
                                           {"WenQuanYi Micro Hei", FC_WEIGHT_REGULAR, false},
                                           {"Noto Color Emoji", FC_WEIGHT_REGULAR, false}};
    switch (font) {
        case Font::bold:
            return bold;
        case Font::mono:
            return mono;
        default:
            return words;
    }
}

using Pattern = std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)>;
using FontSet = std::unique_ptr<FcFontSet, decltype(&FcFontSetDestroy)>;

Pattern pattern_for(const Wish& wish, Font font) {
    Pattern pattern(FcPatternCreate(), &FcPatternDestroy);
    if (pattern == nullptr) throw std::bad_alloc();
    FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(wish.family));
    if (font == Font::mono) FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("monospace"));
    FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
    FcPatternAddInteger(pattern.get(), FC_WEIGHT, wish.weight);
    FcPatternAddInteger(pattern.get(), FC_SLANT, font == Font::italic ? FC_SLANT_ITALIC : FC_SLANT_ROMAN);
    FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
    FcDefaultSubstitute(pattern.get());
    return pattern;
}

bool has_family(FcPattern* pattern, const char* family) {
    FcChar8* name = nullptr;
    for (int i = 0; FcPatternGetString(pattern, FC_FAMILY, i, &name) == FcResultMatch; ++i)
        if (FcStrCmpIgnoreCase(name, reinterpret_cast<const FcChar8*>(family)) == 0) return true;
    return false;
}

void add(std::vector<FontFile>& files, FcPattern* pattern, Font font) {
    FcChar8* path = nullptr;
    int index = 0;
    int weight = FC_WEIGHT_REGULAR;
    if (FcPatternGetString(pattern, FC_FILE, 0, &path) != FcResultMatch) return;
    FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
    FcPatternGetInteger(pattern, FC_WEIGHT, 0, &weight);
    if ((index >> 16) != 0) return;  // named instances of a variable font would need its axes set
    FontFile file{reinterpret_cast<const char*>(path), index, font == Font::bold && weight < FC_WEIGHT_DEMIBOLD};
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
}

}  // namespace

std::vector<FontFile> font_files(Font font) {
    std::vector<FontFile> files;
    if (FcInit() == FcFalse) return files;
    FcResult result = FcResultMatch;
    for (const Wish& wish : wishes(font)) {
        const Pattern wanted = pattern_for(wish, font);
        const Pattern found(FcFontMatch(nullptr, wanted.get(), &result), &FcPatternDestroy);
        if (found != nullptr && (wish.required || has_family(found.get(), wish.family))) add(files, found.get(), font);
    }
    const Pattern any = pattern_for(wishes(font).front(), font);
    const FontSet sorted(FcFontSort(nullptr, any.get(), FcTrue, nullptr, &result), &FcFontSetDestroy);
    constexpr std::size_t enough = 12;
    for (int i = 0; sorted != nullptr && i < sorted->nfont && files.size() < enough; ++i) {
        FcBool outline = FcFalse;
        FcPatternGetBool(sorted->fonts[i], FC_OUTLINE, 0, &outline);
        if (outline == FcTrue) add(files, sorted->fonts[i], font);
    }
    return files;
}

Status check_fonts() {
    const FcFontSet* system = FcInit() == FcFalse ? nullptr : FcConfigGetFonts(nullptr, FcSetSystem);
    for (int i = 0; system != nullptr && i < system->nfont; ++i) {
        FcCharSet* characters = nullptr;
        if (FcPatternGetCharSet(system->fonts[i], FC_CHARSET, 0, &characters) == FcResultMatch &&
            FcCharSetHasChar(characters, U'a') == FcTrue)
            return ok();
    }
    return Error{
        "No words can be drawn: fontconfig finds no fonts with letters here; install some, such as the package "
        "fonts-dejavu-core"};
}

}  // namespace heed::app
