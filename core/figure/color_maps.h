// Colour tables: value → colour, the same on screen, on paper and in the shader (which gets the table as a texture).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heed {

struct Color {
    std::uint8_t r = 0, g = 0, b = 0, a = 255;
    friend bool operator==(const Color&, const Color&) = default;
};

constexpr Color hex(std::uint32_t rgb, std::uint8_t alpha = 255) {
    return {static_cast<std::uint8_t>(rgb >> 16U), static_cast<std::uint8_t>((rgb >> 8U) & 0xFFU),
            static_cast<std::uint8_t>(rgb & 0xFFU), alpha};
}
Color mix(Color a, Color b, float share_of_b);
Color with_alpha(Color color, float alpha);
float luminance(Color color);  // 0 black … 1 white, perceived

enum class Theme { light, dark, print };  // print: light, with a palette whose order survives greyscale

enum class MapKind { sequential, diverging };

inline constexpr int color_table_size = 256;
using ColorTable = std::array<Color, color_table_size>;

struct ColorMap {
    std::string_view id;    // in files: never renamed
    std::string_view name;  // English, through tr()
    MapKind kind;
    // Control points from the lowest to the highest value, evenly spaced; "ink" and "blue-orange" differ by theme so
    // that zero recedes into the page.
    std::span<const std::uint32_t> light;
    std::span<const std::uint32_t> dark;
};

std::span<const ColorMap> color_maps();
const ColorMap& color_map(std::string_view id);  // falls back to the first map
const ColorTable& color_table(std::string_view id, Theme theme);

// Where a value lies on a map, 0 … 1, and its colour. NaN has no place and is drawn as a mark of its own.
struct ColorScale {
    std::string_view map = "ink";
    float low = 0;
    float high = 1;
    bool log = false;      // low must be above 0 then; values at or below low take the first colour
    bool goes_on = false;  // some values lie above high and take the last colour; whoever writes high says so
    friend bool operator==(const ColorScale&, const ColorScale&) = default;
};
// Decimals with which a number of the scale's end shows two digits and more, so that no strong colour reads 0.00; and the
// fewest that do where there is little room.
int decimals_for(const ColorScale& scale);
int fewest_decimals_for(const ColorScale& scale);
float place_on_scale(const ColorScale& scale, float value);
// The scale's upper end in words: "0.25", or "≥ 0.25" where values go on above it.
std::string upper_end(const ColorScale& scale);
Color color_at(const ColorScale& scale, float value, Theme theme);

}  // namespace heed
