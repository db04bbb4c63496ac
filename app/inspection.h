// What is this?: while it is on, the mouse asks instead of acting. Whatever is drawn under it says what it is; a click keeps the
// answer on a card.
//
// Widgets and figures offer what they would tell in a tooltip, so that nothing is written for this alone.
#pragma once

#include "core/figure/figure.h"

#include <optional>
#include <string>

namespace heed::app {

// All in the user's language; empty parts are left out.
struct About {
    std::string title;    // with its symbol; rich text
    std::string formula;  // rich text
    std::string meaning;  // sentences
    std::string range;
    std::string keys;       // what brings it up: "Ctrl+1"
    std::string topic;      // what lessons know it by: a field, a view, or "view.map"
    Rect box;               // on the screen, ImGui coordinates
    bool is_field = false;  // the topic is its name in files and on the command line
    friend bool operator==(const About&, const About&) = default;
};

struct Inspection {
    bool is_on = false;
    std::optional<About> found;  // under the mouse: as far as this frame is drawn
    std::optional<About> shown;  // the card
    Rect card;                   // where it is; ImGui coordinates
};

// Of the frame that is being drawn; null: nobody asks.
void set_inspection(Inspection* inspection);
bool is_inspecting();
// The last one counts, unless it says less of the same place: then it only fills in what is missing.
void offer(About about);
// Fills in what a part of this place has left out; where no part has said anything, this is the answer.
void offer_around(About about);

}  // namespace heed::app
