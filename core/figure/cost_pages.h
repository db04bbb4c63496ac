// The pages of the Cost view, and the words they share: each draws itself into the room it is given.
#pragma once

#include "core/cost/measured.h"
#include "core/display/cost_display.h"
#include "core/figure/saturation_panels.h"

#include <string>

namespace heed {

void add_cost_measured(const PanelPen& pen, Rect room);
void add_cost_error(const PanelPen& pen, Rect room);
void add_cost_chunks(const PanelPen& pen, Rect room);
void add_cost_time(const PanelPen& pen, Rect room);
void add_cost_sequential(const PanelPen& pen, Rect room);

// "4 MB", "1.2 GB": powers of ten, as the text that is taught from counts them.
std::string bytes_words(double bytes);
// "8.21 µs", "3.10 ms", "2.40 s", "1.50 h"
std::string time_words(double milliseconds);
// "1.1·10^{9}"
std::string count_words(double count);

// "Measured on this machine: 2 cores, float32" or that nothing was, and what is shown instead. `alone`: by one of the cores.
std::string measured_words(const PanelPen& pen, bool is_measured, std::string_view otherwise, bool alone = false);

// A paragraph from a place down; returns where the next line would stand.
float add_lines(const PanelPen& pen, const std::string& words, Point at, float width, Color color,
                Font font = Font::words, float smaller = 1);

// The first of these that fits, or the last: words beside an upright axis have its height.
std::string fitting_words(const PanelPen& pen, float room, std::string_view words, std::string_view shorter);

// The colour of a method wherever it is drawn: that of its row.
Color method_color(const PanelPen& pen, const CostMethod& method);

// Amber: an answer that is of no use, or slow.
Color amber(const PanelPen& pen);

// The number of tokens meant by a place on the plot against n: a measured one close by, otherwise one of two digits.
int tokens_at(const Frame& frame, float x, const CostMeasured* measured);

// Whether the legend of the plot switched a method off.
bool is_switched_off(const Display& display, std::string_view plot, std::string_view legend);

// Why cheaper attention cannot be held against this scene; empty where it can.
std::string why_not_comparable(const PanelPen& pen);

}  // namespace heed
