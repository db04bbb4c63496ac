// One colour, one meaning, everywhere: the roles of look.md in each theme.
#pragma once

#include "core/figure/color_maps.h"

namespace heed {

struct Palette {
    Theme theme;
    Color window, panel, hairline;
    Color text, dim, faint;
    Color query, key, value, output;
    Color field, field_selected, track;
    Color accent;                // the query colour
    Color good;                  // sums that hold
    Color warning;               // NaN, rows fully masked
    std::array<Color, 8> heads;  // stay apart for colour-blind readers; none is one of the four roles
};

const Palette& palette(Theme theme);
Color head_color(const Palette& colors, int head);  // repeats after eight

}  // namespace heed
