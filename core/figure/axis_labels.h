// Token labels beside a grid that never overlap, and number ticks on an axis.
#pragma once

#include "core/figure/figure.h"
#include "core/figure/token_pictures.h"

#include <functional>
#include <string>
#include <vector>

namespace heed {

// Labels of rows, right-aligned at x = right, centred on each row; thinned out where rows are closer than the text,
// shortened to `room` pixels. `lit` and `pinned` are drawn strong.
struct LabelSpec {
    std::vector<std::string> labels;
    TextStyle style;
    int lit = -1;
    int pinned = -1;
    // Where there may be thousands: how many, and a function that makes one when it is shown. Used where labels is empty.
    int count = 0;
    std::function<std::string(int)> label_at = {};
    bool never_turned = false;    // numbers of columns: level ones are left out where they would touch
    LabelPictures pictures = {};  // of tokens, in place of their labels
    int size() const { return labels.empty() ? count : static_cast<int>(labels.size()); }
    std::string at(int index) const {
        return labels.empty() ? label_at(index) : labels[static_cast<std::size_t>(index)];
    }
};
void add_row_labels(Figure& figure, const TextMeasure& measure, const LabelSpec& spec, Rect cells, float room);

// Labels of columns under (or above) the cells: level where they fit, else Chinese ones with one character under the other,
// else turned by 45°; thinned out where even so they would touch. Returns the height used.
float add_column_labels(Figure& figure, const TextMeasure& measure, const LabelSpec& spec, Rect cells, float room,
                        bool above);
// What add_column_labels will use, without drawing.
float column_labels_height(const TextMeasure& measure, const LabelSpec& spec, float cell_width, float room);
// The widths that decide how labels of columns stand, measured once: a layout is tried many times.
struct ColumnWidths {
    float widest = 0;        // at most the room they were measured for
    float widest_level = 0;  // of those that cannot be stacked
    int most_stacked = 0;    // characters of the longest that can
    float pictures = 0;      // height of those that are pictures
    ColumnWidths within(float room) const;
};
ColumnWidths column_widths(const TextMeasure& measure, const LabelSpec& spec, float room);
bool are_turned(const ColumnWidths& widths, float text_size, float cell_width);
float column_labels_height(const ColumnWidths& widths, float text_size, float cell_width);
// The width of the widest label, at most `room`; of many labels a sample is measured.
float widest_label(const TextMeasure& measure, const LabelSpec& spec, float room);
// What row labels take, with their distance from the cells.
float row_labels_width(float widest);

struct Tick {
    double value = 0;
    std::string text;
    bool major = true;
};
// Round numbers, about one every `spacing` pixels over `length` pixels; on a log axis powers of ten (or of two), where it
// holds two of them.
std::vector<Tick> ticks(const Axis& axis, float length, float spacing, bool powers_of_two = false);

}  // namespace heed
