#include "core/figure/color_maps.h"

#include "core/language.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>

namespace heed {

namespace {

constexpr std::uint32_t ink_light[] = {0xffffff, 0xe9f0fc, 0xc9dcf8, 0x9dbff1, 0x6698e4, 0x3b70cb, 0x24509f, 0x142a66};
constexpr std::uint32_t ink_dark[] = {0x1d2126, 0x22304a, 0x284478, 0x3462b4, 0x4f86e6, 0x82aefc, 0xbcd5ff, 0xf2f7ff};
constexpr std::uint32_t blue_orange_light[] = {0x9c4a0b, 0xc4702a, 0xe0a266, 0xf3d8b9, 0xfcfcfc,
                                               0xcfdff8, 0x8fb5ef, 0x4a82d9, 0x1d4fa8};
constexpr std::uint32_t blue_orange_dark[] = {0xf7b874, 0xcd8a4c, 0x8f6038, 0x523d2e, 0x22262c,
                                              0x2a3c5c, 0x38609f, 0x5489e0, 0x8cb8ff};
constexpr std::uint32_t grey_light[] = {0xffffff, 0x111111};
constexpr std::uint32_t grey_dark[] = {0x1d2126, 0xffffff};
// Nine or ten samples of the published tables (van der Walt and Smith 2015; Nuñez, Anderton and Renslow 2018).
constexpr std::uint32_t viridis[] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                     0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
constexpr std::uint32_t cividis[] = {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173,
                                     0x8a8678, 0xa59c74, 0xc3b369, 0xfee838};
constexpr std::uint32_t magma[] = {0x000004, 0x180f3d, 0x440f76, 0x721f81, 0x9e2f7f,
                                   0xcd4071, 0xf1605d, 0xfd9668, 0xfeca8d, 0xfcfdbf};
// ColorBrewer PRGn (Brewer, Harrower and Pennsylvania State University).
constexpr std::uint32_t purple_green_light[] = {0x762a83, 0x9970ab, 0xc2a5cf, 0xe7d4e8, 0xfbfbfb,
                                                0xd9f0d3, 0xa6dba0, 0x5aae61, 0x1b7837};
constexpr std::uint32_t purple_green_dark[] = {0xd9a4e6, 0xa878b8, 0x6f4f7c, 0x40354a, 0x22262c,
                                               0x2c4433, 0x43784b, 0x66b06e, 0xa0e2a2};

constexpr ColorMap maps[] = {
    {"ink", "Ink", MapKind::sequential, ink_light, ink_dark},
    {"viridis", "Viridis", MapKind::sequential, viridis, viridis},
    {"cividis", "Cividis", MapKind::sequential, cividis, cividis},
    {"magma", "Magma", MapKind::sequential, magma, magma},
    {"grey", "Grey", MapKind::sequential, grey_light, grey_dark},
    {"blue-orange", "Blue and orange", MapKind::diverging, blue_orange_light, blue_orange_dark},
    {"purple-green", "Purple and green", MapKind::diverging, purple_green_light, purple_green_dark},
};

std::uint8_t blend(std::uint8_t a, std::uint8_t b, float share) {
    return static_cast<std::uint8_t>(
        std::lround(static_cast<float>(a) + (static_cast<float>(b) - static_cast<float>(a)) * share));
}

ColorTable make_table(std::span<const std::uint32_t> points) {
    ColorTable table;
    for (int i = 0; i < color_table_size; ++i) {
        const float at = static_cast<float>(i) / (color_table_size - 1) * static_cast<float>(points.size() - 1);
        const auto below = std::min(static_cast<std::size_t>(at), points.size() - 2);
        table[static_cast<std::size_t>(i)] =
            mix(hex(points[below]), hex(points[below + 1]), at - static_cast<float>(below));
    }
    return table;
}

}  // namespace

Color mix(Color a, Color b, float share) {
    return {blend(a.r, b.r, share), blend(a.g, b.g, share), blend(a.b, b.b, share), blend(a.a, b.a, share)};
}

Color with_alpha(Color color, float alpha) {
    color.a = static_cast<std::uint8_t>(std::lround(std::clamp(alpha, 0.0F, 1.0F) * 255.0F));
    return color;
}

// Rec. 709 weights on the gamma-coded channels: good enough to choose black or white text.
float luminance(Color color) {
    return (0.2126F * static_cast<float>(color.r) + 0.7152F * static_cast<float>(color.g) +
            0.0722F * static_cast<float>(color.b)) /
           255.0F;
}

std::span<const ColorMap> color_maps() { return maps; }

const ColorMap& color_map(std::string_view id) {
    for (const ColorMap& map : maps)
        if (map.id == id) return map;
    return maps[0];
}

const ColorTable& color_table(std::string_view id, Theme theme) {
    struct Tables {
        std::array<ColorTable, std::size(maps)> light, dark;
        Tables() {
            for (std::size_t i = 0; i < std::size(maps); ++i) {
                light[i] = make_table(maps[i].light);
                dark[i] = make_table(maps[i].dark);
            }
        }
    };
    static const Tables tables;
    const auto row = static_cast<std::size_t>(&color_map(id) - maps);
    return (theme == Theme::dark ? tables.dark : tables.light)[row];
}

float place_on_scale(const ColorScale& scale, float value) {
    // In double: between the largest floats of either sign lies more than a float holds.
    const double low = scale.low, high = scale.high, at = value;
    const double place =
        scale.log ? (at <= low ? 0.0 : std::log(at / low) / std::log(high / low)) : (at - low) / (high - low);
    return std::isnan(place) ? 0.0F : static_cast<float>(std::clamp(place, 0.0, 1.0));
}

Color color_at(const ColorScale& scale, float value, Theme theme) {
    const auto index = static_cast<std::size_t>(std::lround(place_on_scale(scale, value) * (color_table_size - 1)));
    return color_table(scale.map, theme)[index];
}

int decimals_for(const ColorScale& scale) {
    const float reach = std::max(std::abs(scale.low), std::abs(scale.high));
    if (!(reach > 0)) return 2;
    if (reach >= 100) return 0;
    if (reach >= 10) return 1;
    return reach >= 0.1F ? 2 : std::min(6, 1 + static_cast<int>(std::ceil(-std::log10(reach))));
}

int fewest_decimals_for(const ColorScale& scale) {
    const float reach = std::max(std::abs(scale.low), std::abs(scale.high));
    return reach > 1 ? std::max(0, decimals_for(scale) - 1) : decimals_for(scale);
}

std::string upper_end(const ColorScale& scale) {
    return (scale.goes_on ? "≥ " : "") + compact(static_cast<double>(scale.high));
}

}  // namespace heed
