// How the cells of maps look, in every view. In files and for --set these are fields of the display itself.
#pragma once

#include "core/fields.h"

namespace heed {

std::vector<std::string_view> sequential_map_ids();
std::vector<std::string_view> diverging_map_ids();

enum class CellStyle { colour, dots };  // dots: area by weight, for black-and-white print
template <>
struct ChoiceIds<CellStyle> {
    static constexpr const char* ids[] = {"colour", "dots"};
};

struct CellsDisplay {
    bool keys_down = false;              // convention: off, rows are queries; on, columns are queries
    std::string sequential_map = "ink";  // for weights; a row of color_maps()
    std::string diverging_map = "blue-orange";
    bool log_scale = false;  // weights on a logarithmic colour scale
    bool numbers = true;     // in cells, where they fit
    CellStyle cell_style = CellStyle::colour;
    friend bool operator==(const CellsDisplay&, const CellsDisplay&) = default;
};

template <MaybeConst<CellsDisplay> Self, typename Visit>
void visit_fields(Self& cells, Visit&& visit) {
    visit("keys_down", cells.keys_down, Anything{});
    visit("sequential_map", cells.sequential_map, OneOf{sequential_map_ids});
    visit("diverging_map", cells.diverging_map, OneOf{diverging_map_ids});
    visit("log_scale", cells.log_scale, Anything{});
    visit("numbers", cells.numbers, Anything{});
    visit("cell_style", cells.cell_style, Anything{});
}

}  // namespace heed
