// What gives way in the Pipeline when room runs out, and when.
#pragma once

namespace heed {

enum class RowLabels { everywhere, first_map, nowhere };  // first_map: of each row
enum class ColumnLabels { everywhere, lowest_row, weights, nowhere };

// How much stands around the maps, from the most generous to the barest.
struct PipelineLook {
    float padding;
    float row_gap;
    bool notes;  // have room of their own
    bool bars;
    RowLabels row_labels;
    ColumnLabels column_labels;
    bool sums;
    float label_room;  // in text sizes
    // Good enough not to look further: cells of this size, or maps of this length, where cells are many.
    float enough_cell;
    float enough_map;
    float widest_operator = 100;
};
inline constexpr float cell_with_numbers = 28;  // 0.25
inline constexpr PipelineLook pipeline_looks[] = {
    {12, 16, true, true, RowLabels::everywhere, ColumnLabels::everywhere, true, 5.5F, cell_with_numbers, 230},
    {12, 16, true, true, RowLabels::everywhere, ColumnLabels::lowest_row, true, 5.5F, cell_with_numbers, 230},
    {12, 12, false, true, RowLabels::everywhere, ColumnLabels::weights, true, 5.5F, 22, 150},
    {12, 12, false, false, RowLabels::everywhere, ColumnLabels::lowest_row, true, 5.5F, 20, 130},
    {8, 8, false, false, RowLabels::everywhere, ColumnLabels::weights, true, 4, 12, 90},
    {8, 6, false, false, RowLabels::first_map, ColumnLabels::nowhere, true, 4, 9, 80},
    {8, 6, false, false, RowLabels::nowhere, ColumnLabels::nowhere, true, 4, 9, 80},
    {8, 4, false, false, RowLabels::nowhere, ColumnLabels::nowhere, false, 4, 8, 70},
};
// For the numbers of a handful of tokens even more gives way: their names stand once in each row.
inline constexpr int handful = 6;
inline constexpr PipelineLook tightest_with_numbers = {
    6, 4, false, false, RowLabels::first_map, ColumnLabels::weights, true, 4, cell_with_numbers, 230, 17};

}  // namespace heed
