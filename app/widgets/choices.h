// Choosing: one of several (segmented control, dropdown), or each on its own (chip, switch), and buttons.
#pragma once

#include "app/widgets/item.h"

#include <span>
#include <string>
#include <string_view>

namespace heed::app {

struct Segment {
    std::string_view name;  // identity within the control: tests say "Score/Dot"
    std::string label;      // in the user's language; rich text
    std::string title;      // of the tooltip; rich text
    std::string help;       // a sentence in the user's language
    std::string why_not;    // disabled, for this reason
};

// As wide as the panel, in as many rows as the words need. True where another one was chosen.
bool segmented(std::string_view name, std::span<const Segment> segments, int& chosen);
// A row with a label in the labels' column and a segmented control in the others.
bool segmented_row(std::string_view name, std::string_view label, std::span<const Segment> segments, int& chosen);

// A pill that is on or off; flows like a word: chips that fit stand in one line. `name` is the English word too.
inline constexpr float chip_gap = 5;  // logical pixels, both ways
struct ChipFlow {
    float left = 0;  // of the lines
    float right = 0;
    bool first = true;
};
ChipFlow chip_flow();          // from the cursor to the right edge
ChipFlow toolbar_chip_flow();  // the same, but further lines begin at the left edge of the window
bool chip(ChipFlow& flow, std::string_view name, std::string_view english, bool& on, std::string_view title,
          std::string_view help);

// A row with a label and a switch at its right end. `usual` is the default, for the dot.
struct Switch {
    std::string_view name;
    std::string_view label;  // English, through tr(); rich text
    std::string_view help;
    bool usual = false;
    std::string_view why_not;  // disabled, for this reason (in the user's language)
};
bool switch_row(const Switch& row, bool& on);

// A button as wide as its words. `english` is both its identity and, through tr(), its label.
bool small_button(std::string_view english, std::string_view help = {}, bool primary = false, bool lit = false);
float small_button_width(std::string_view english);

struct Option {
    std::string label;  // in the user's language; rich text
    std::string note;   // dim, at the right
    std::string name;   // identity: tests say "matrix/w_q"
};
// True where another one was chosen.
bool dropdown(std::string_view name, float width, std::span<const Option> options, int& chosen,
              std::string_view title = {}, std::string_view help = {});
// The same for a toolbar: as wide as its widest choice needs, with its title before the choice where the window is wide.
bool titled_dropdown(std::string_view name, std::span<const Option> options, int& chosen, std::string_view title,
                     std::string_view help);

}  // namespace heed::app
