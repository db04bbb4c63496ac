#include "core/picture/picture.h"

#include "core/model/picture.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace heed {
namespace {

constexpr int example_width = 128;
constexpr int example_height = 96;
constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Three bytes are four characters, so that a pixel can be read by itself.
Rgb read_pixel(const char* at) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) bits = (bits << 6U) | static_cast<unsigned>(std::max(0, digit_of(at[i])));
    return {static_cast<std::uint8_t>(bits >> 16U), static_cast<std::uint8_t>((bits >> 8U) & 0xFFU),
            static_cast<std::uint8_t>(bits & 0xFFU)};
}

void write_pixel(const Rgb& pixel, std::string& out) {
    const unsigned bits = (static_cast<unsigned>(pixel[0]) << 16U) | (static_cast<unsigned>(pixel[1]) << 8U) | pixel[2];
    for (const unsigned shift : {18U, 12U, 6U, 0U}) out += digits[(bits >> shift) & 63U];
}

double brightness(const Rgb& pixel) { return (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) / 255; }

// Calls use(x, y, share of the pixel that lies inside).
template <typename Use>
void for_each_pixel(const Picture& picture, double left, double top, double right, double bottom, Use&& use) {
    const auto ends = [](double low, double high, int size) {
        return std::array<double, 2>{std::clamp(low, 0.0, 1.0) * size, std::clamp(high, 0.0, 1.0) * size};
    };
    const auto [x0, x1] = ends(left, right, picture_width(picture));
    const auto [y0, y1] = ends(top, bottom, picture_height(picture));
    for (int y = static_cast<int>(y0); y < std::ceil(y1); ++y)
        for (int x = static_cast<int>(x0); x < std::ceil(x1); ++x) {
            const double share = (std::min<double>(x1, x + 1) - std::max<double>(x0, x)) *
                                 (std::min<double>(y1, y + 1) - std::max<double>(y0, y));
            if (share > 1e-9) use(x, y, share);
        }
}

bool is_inside_triangle(double x, double y, std::array<double, 6> t) {
    const auto side = [&](std::size_t a, std::size_t b) {
        return (t[2 * b] - t[2 * a]) * (y - t[2 * a + 1]) - (t[2 * b + 1] - t[2 * a + 1]) * (x - t[2 * a]);
    };
    const bool first = side(0, 1) > 0;
    return (side(1, 2) > 0) == first && (side(2, 0) > 0) == first;
}

// "12" at the front of the text, which then goes on behind it; −1 where there is no number without a leading zero.
int take_number(std::string_view& text) {
    int number = -1;
    if (text.empty() || text.front() < '1' || text.front() > '9') return -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return -1;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace

std::string wrong(const std::string& value, PixelText) {
    constexpr std::size_t most = std::size_t{4} * max_picture_side * max_picture_side;
    if (value.size() > most)
        return std::to_string(value.size()) + " characters are more than the " + std::to_string(most) +
               " of the largest picture";
    for (std::size_t i = 0; i < value.size(); ++i)
        if (digit_of(value[i]) < 0) return "character " + std::to_string(i + 1) + " is not one of base64";
    return {};
}

std::string wrong_picture(const Picture& picture) {
    if (picture.kind != PictureKind::own) return {};
    if (picture.width < 1 || picture.height < 1)
        return "width: a picture of " + std::to_string(picture.width) + " × " + std::to_string(picture.height) +
               " has no pixels";
    if (picture.pixels.size() == static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 4)
        return {};
    return "pixels: " + std::to_string(picture.pixels.size()) + " characters are not the four each of " +
           std::to_string(picture.width) + " × " + std::to_string(picture.height) + " pixels";
}

bool has_picture(const Picture& picture) { return picture.kind != PictureKind::none; }
int picture_width(const Picture& picture) {
    return picture.kind == PictureKind::own ? picture.width : picture.kind == PictureKind::example ? example_width : 0;
}

int picture_height(const Picture& picture) {
    return picture.kind == PictureKind::own       ? picture.height
           : picture.kind == PictureKind::example ? example_height
                                                  : 0;
}

Rgb picture_pixel(const Picture& picture, int x, int y) {
    if (picture.kind == PictureKind::example) return example_pixel(x, y);
    return read_pixel(
        picture.pixels.data() +
        4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)));
}

// From behind to the front: sky, sun, far hills, sea with its light, sail, hull, beach.
Rgb example_pixel(int x, int y) {
    const double px = x + 0.5;
    const double py = y + 0.5;
    if (py > 82 - 5 * std::sin(px / 21)) return {232, 204, 150};                                 // beach
    if (py > 60 && py < 69 && px > 44 + (py - 60) && px < 84 - (py - 60)) return {150, 62, 44};  // hull
    if (px > 62 && px < 64 && py > 24 && py < 60) return {96, 66, 50};                           // mast
    if (is_inside_triangle(px, py, {64.5, 26, 64.5, 57, 84, 57})) return {250, 247, 238};        // sails
    if (is_inside_triangle(px, py, {61.5, 31, 61.5, 57, 47, 57})) return {236, 120, 86};
    if (py > 52) {
        const bool is_glitter = std::abs(px - 104) < 12 && static_cast<int>(py) % 6 < 2;
        return is_glitter ? Rgb{246, 214, 140} : py > 68 ? Rgb{44, 128, 168} : Rgb{32, 104, 150};
    }
    if (py > 44 - 6 * std::sin(px / 13 + 1) && px < 42) return {92, 140, 104};  // hills
    if (std::hypot(px - 104, py - 20) < 11) return {255, 208, 84};              // sun
    return py < 18 ? Rgb{120, 184, 232} : py < 36 ? Rgb{150, 204, 240} : Rgb{184, 222, 244};
}

Picture own_picture(int width, int height, const std::vector<Rgb>& pixels) {
    Picture picture;
    picture.kind = PictureKind::own;
    picture.width = width;
    picture.height = height;
    picture.pixels.reserve(pixels.size() * 4);
    for (const Rgb& pixel : pixels) write_pixel(pixel, picture.pixels);
    return picture;
}

Rgbf mean_color(const Picture& picture, double left, double top, double right, double bottom) {
    Rgbf sum;
    double area = 0;
    for_each_pixel(picture, left, top, right, bottom, [&](int x, int y, double share) {
        const Rgb pixel = picture_pixel(picture, x, y);
        sum.r += share * pixel[0];
        sum.g += share * pixel[1];
        sum.b += share * pixel[2];
        area += share;
    });
    if (area <= 0) return {};
    return {sum.r / area, sum.g / area, sum.b / area};
}

std::string patch_label(Patch patch) {
    return "r" + std::to_string(patch.row + 1) + "c" + std::to_string(patch.column + 1);
}

std::vector<std::string> patch_labels(const Picture& picture) {
    std::vector<std::string> labels;
    for (int row = 0; row < picture.rows; ++row)
        for (int column = 0; column < picture.columns; ++column) labels.push_back(patch_label({row, column}));
    return labels;
}

std::optional<Patch> patch_of(const Picture& picture, std::string_view label) {
    if (!has_picture(picture) || !label.starts_with('r')) return std::nullopt;
    label.remove_prefix(1);
    const int row = take_number(label);
    if (row < 1 || row > picture.rows || !label.starts_with('c')) return std::nullopt;
    label.remove_prefix(1);
    const int column = take_number(label);
    if (column < 1 || column > picture.columns || !label.empty()) return std::nullopt;
    return Patch{row - 1, column - 1};
}

PatchLook patch_look(const Picture& picture, Patch patch) {
    const double left = static_cast<double>(patch.column) / picture.columns;
    const double right = static_cast<double>(patch.column + 1) / picture.columns;
    const double top = static_cast<double>(patch.row) / picture.rows;
    const double bottom = static_cast<double>(patch.row + 1) / picture.rows;
    const Rgbf mean = mean_color(picture, left, top, right, bottom);
    double sum = 0, squares = 0, area = 0;
    for_each_pixel(picture, left, top, right, bottom, [&](int x, int y, double share) {
        const double light = brightness(picture_pixel(picture, x, y));
        sum += share * light;
        squares += share * light * light;
        area += share;
    });
    const double middle = area > 0 ? sum / area : 0;
    const double spread = area > 0 ? std::sqrt(std::max(0.0, squares / area - middle * middle)) : 0;  // at most ½
    const double side = std::max(picture.columns, picture.rows);
    return {{mean.r / 255, mean.g / 255, mean.b / 255, 2 * spread},
            {(patch.row + 0.5) / side, (patch.column + 0.5) / side}};
}

float patch_number(const PatchLook& look, float place_share, long column) {
    const long pair = column / 2;
    const bool is_place = is_number_of_place(column);
    const long t = pair / 2;
    const double u =
        is_place ? look.place[static_cast<std::size_t>(t % 2)] : look.color[static_cast<std::size_t>(t % 4)];
    const auto f = static_cast<double>((is_place ? t / 2 : t / 4) + 1);
    const double angle = std::numbers::pi * f * u;
    const double length = 2 * std::sqrt(static_cast<double>(is_place ? place_share : 1 - place_share));
    return static_cast<float>(length * (column % 2 == 0 ? std::sin(angle) : std::cos(angle)));
}

float query_gain(int head, long column) {
    const bool is_place = is_number_of_place(column);
    constexpr float alone = 4.0F;  // half the numbers speak, so louder
    switch (head % 4) {
        case 0:
            return 2.5F;
        case 1:
            return is_place ? 0 : alone;
        case 2:
            return is_place ? alone : 0;
        default:
            return is_place ? 0 : -alone;
    }
}

}  // namespace heed
