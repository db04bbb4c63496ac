// What a picture's patches are as tokens: their names, what they look like, and the embeddings they get.
//
// A patch is a token by its name: whatever token is called "r2c3" is the patch in row 2 and column 3, wherever it stands. A token
// called otherwise is a word. Pixels are few (max_picture_side), so that a scene file can hold them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct Picture;  // core/model/picture.h

// "pixels: 12 characters are not those of 4 × 3 pixels", or empty where the picture can be shown.
std::string wrong_picture(const Picture& picture);

using Rgb = std::array<std::uint8_t, 3>;

bool has_picture(const Picture& picture);
int picture_width(const Picture& picture);  // 0 where there is none
int picture_height(const Picture& picture);
Rgb picture_pixel(const Picture& picture, int x, int y);

// A boat on the sea under the sun, 128 × 96, without a random number.
Rgb example_pixel(int x, int y);

// One's own picture of these pixels (rows from the top), at most max_picture_side along a side; the grid stays as it is.
Picture own_picture(int width, int height, const std::vector<Rgb>& pixels);

// Of the picture's area with corners at shares of its width and height; each pixel counts by how much of it lies inside.
struct Rgbf {
    double r = 0, g = 0, b = 0;
};
Rgbf mean_color(const Picture& picture, double left, double top, double right, double bottom);

struct Patch {
    int row = 0;  // counted from 0
    int column = 0;
    friend bool operator==(const Patch&, const Patch&) = default;
};
std::string patch_label(Patch patch);                           // "r2c3": counted from 1
std::vector<std::string> patch_labels(const Picture& picture);  // row by row
// The patch of this picture that a token is; nothing where it is none.
std::optional<Patch> patch_of(const Picture& picture, std::string_view label);

// What a patch's embedding tells of it: red, green, blue and how uneven its brightness is (0 … 1), and its place as shares of
// the grid's longer side.
struct PatchLook {
    std::array<double, 4> color;
    std::array<double, 2> place;  // row, column
};
PatchLook patch_look(const Picture& picture, Patch patch);

// A number of the embedding. Numbers come in pairs sin(πfu), cos(πfu), so that the product of two embeddings is Σ cos(πf(u − u′)):
// largest where u is the same. Even pairs tell of colour, odd ones of place; each begins with f = 1. Whatever the balance, their
// mean square is 1.
float patch_number(const PatchLook& look, float place_share, long column);
inline bool is_number_of_place(long column) { return column / 2 % 2 == 1; }

// What the diagonal of W_Q holds there, where the tokens are patches: heads look by both, by colour, by place, and at other
// colours, in turn. That of W_K holds key_gain.
inline constexpr float key_gain = 1.0F;
float query_gain(int head, long column);

}  // namespace heed
