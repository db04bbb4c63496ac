// A label, a track and a number field in three columns that line up through a whole panel.
//
// Drag or click the track, type the number, Ctrl+click the track to type, arrow keys, Home and End, or the mouse wheel
// once the slider has the keyboard. Shift makes a drag ten times finer, Alt takes it off what it snaps to. An arrow back
// (↺) between label and track says that the value is not the usual one; a click on it brings that back.
#pragma once

#include "app/widgets/item.h"

#include <optional>
#include <string_view>

namespace heed::app {

struct Slider {
    std::string_view name;   // identity: "d_k"; its parts are "d_k number" and "d_k reset"
    std::string_view label;  // English, through tr(); rich text
    std::string_view help;   // an English sentence, through tr()
    double low = 0;          // of the track, which may show only the useful part of what the field may hold
    double high = 1;
    bool log = false;  // low must be above 0
    bool integer = false;
    bool powers_of_two = false;       // a drag stops at these only, as sizes in practice do
    std::optional<double> typed_low;  // where typing may go beyond the track: limits_of() the field
    std::optional<double> typed_high;
    std::string_view why_less;          // "; " and why typing ends before the track does, where it does (English)
    std::optional<double> usual;        // the default, for the arrow back
    std::string_view zero_word;         // the left end of the track is exactly 0, called this (English)
    std::string_view off_word = "off";  // slider_or_off: what no value is called (English)
    bool off_at_right = false;          // slider_or_off: the right end of the track is no value, as for "∞"
    std::string_view why_not;           // disabled, for this reason (in the user's language)
    bool own_label_width = false;       // its label column is as wide as its label: alone in a line, below no others
};

// True where the value changed.
bool slider(const Slider& slider, double& value);
bool slider(const Slider& slider, float& value);
bool slider(const Slider& slider, int& value);

// Can also have no value: shown as its off_word, reached by typing that or, with off_at_right, by the end of the track.
// That is the usual state unless `usual` says otherwise. `first` is what the keyboard switches it on with.
bool slider_or_off(const Slider& slider, std::optional<float>& value, float first);

// How wide the label column of one with own_label_width is, pixels.
float slider_label_width(std::string_view label);

// The columns of a row of this width at the cursor; other rows of a panel line up with sliders by these.
struct RowColumns {
    ImRect label, back, track, field, all;
};
RowColumns row_columns(float label_width = 0);  // pixels; 0: as all rows
// The label column and the arrow back of a row; true where the arrow was clicked.
bool row_label(const RowColumns& columns, std::string_view name, std::string_view label, bool differs, bool dim);

// Where a value lies on the track, 0 … 1, and back; the way back is rounded to what a person would type.
float place_on_track(const Slider& slider, double value);
enum class Snap { usual, none };  // to the usual value and to powers of two, or to neither
double value_at_place(const Slider& slider, float place, Snap snap = Snap::usual);

// The slider that was moved by hand since the last call; empty where none was.
std::string take_moved_slider();
// Whether a slider takes the arrow keys: as it was drawn in this frame or the one before.
bool has_slider_the_keyboard();

}  // namespace heed::app
