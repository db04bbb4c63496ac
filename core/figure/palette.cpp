#include "core/figure/palette.h"

namespace heed {

namespace {

// Okabe and Ito's set without the hues of the four roles, extended; dark themes lift it.
constexpr std::array<Color, 8> heads_light = {hex(0x0f8fa8), hex(0xc2417c), hex(0x7a8b1c), hex(0xb5482f),
                                              hex(0x5b6b7a), hex(0xc79a00), hex(0x3d4fa3), hex(0x6b4a2f)};
constexpr std::array<Color, 8> heads_dark = {hex(0x4fd0e6), hex(0xf285b5), hex(0xbdd15a), hex(0xf08a70),
                                             hex(0xa6b6c6), hex(0xf2cf4a), hex(0x8f9ff5), hex(0xc9a17f)};

constexpr Palette light = {
    .theme = Theme::light,
    .window = hex(0xeef0f3),
    .panel = hex(0xffffff),
    .hairline = hex(0xdfe3e8),
    .text = hex(0x1a1f26),
    .dim = hex(0x66707d),
    .faint = hex(0x98a1ad),
    .query = hex(0x2f6fde),
    .key = hex(0xd9822b),
    .value = hex(0x15967b),
    .output = hex(0x8250c8),
    .field = hex(0xf3f5f8),
    .field_selected = hex(0xe8f0fe),
    .track = hex(0xd5dae1),
    .accent = hex(0x2f6fde),
    .good = hex(0x15967b),
    .warning = hex(0xc93a3a),
    .heads = heads_light,
};

constexpr Palette dark = {
    .theme = Theme::dark,
    .window = hex(0x15181c),
    .panel = hex(0x1d2126),
    .hairline = hex(0x2d333b),
    .text = hex(0xe7eaee),
    .dim = hex(0x9aa4b0),
    .faint = hex(0x6b7580),
    .query = hex(0x6ea2ff),
    .key = hex(0xf0a860),
    .value = hex(0x4cc9a8),
    .output = hex(0xb794f4),
    .field = hex(0x262c33),
    .field_selected = hex(0x22314d),
    .track = hex(0x39414b),
    .accent = hex(0x6ea2ff),
    .good = hex(0x4cc9a8),
    .warning = hex(0xff7b72),
    .heads = heads_dark,
};

// On paper: the light one on white, with roles dark enough for thin type.
constexpr Palette print = [] {
    Palette paper = light;
    paper.theme = Theme::print;
    paper.window = hex(0xffffff);
    paper.key = hex(0xb5651d);
    paper.faint = hex(0x808a96);
    return paper;
}();

}  // namespace

const Palette& palette(Theme theme) {
    switch (theme) {
        case Theme::dark:
            return dark;
        case Theme::print:
            return print;
        default:
            return light;
    }
}

Color head_color(const Palette& colors, int head) {
    return colors.heads[static_cast<std::size_t>(head) % colors.heads.size()];
}

}  // namespace heed
