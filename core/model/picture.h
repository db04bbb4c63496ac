// A picture whose patches are tokens: its pixels, and the grid that cuts it. What it gives is in core/picture/.
#pragma once

#include "core/fields.h"

namespace heed {

inline constexpr int max_patches = 24;        // along a side
inline constexpr int max_picture_side = 192;  // pixels: 8 for each of the most patches

enum class PictureKind { none, example, own };  // example: drawn by example_pixel()
template <>
struct ChoiceIds<PictureKind> {
    static constexpr const char* ids[] = {"none", "example", "own"};
};

struct Picture {
    PictureKind kind = PictureKind::none;
    int columns = 8;  // patches along a row
    int rows = 6;
    float place_share = 0.5F;  // of a patch's embedding, by its squares; the rest is colour
    int width = 0;             // of one's own picture
    int height = 0;
    std::string pixels;  // height · width times four characters: red, green, blue in base64
    friend bool operator==(const Picture&, const Picture&) = default;
};

struct PixelText {};  // characters of base64, at most those of max_picture_side²
std::string wrong(const std::string& value, PixelText range);

template <MaybeConst<Picture> Self, typename Visit>
void visit_fields(Self& picture, Visit&& visit) {
    visit("kind", picture.kind, Anything{});
    visit("columns", picture.columns, Between{1, max_patches});
    visit("rows", picture.rows, Between{1, max_patches});
    visit("place_share", picture.place_share, Between{0.0F, 1.0F});
    visit("width", picture.width, Between{0, max_picture_side});
    visit("height", picture.height, Between{0, max_picture_side});
    visit("pixels", picture.pixels, PixelText{});
}

}  // namespace heed
