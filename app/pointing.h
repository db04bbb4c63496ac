// What is pointed at, and which controls a lesson holds or hides: of the session, never of the scene.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

// A control is scrolled to, given the keyboard and ringed: for a moment, or as long as somebody speaks of it.
struct Pointing {
    std::string control = {};  // a row of controls(); empty: none
    std::string field = {};    // or the control of a field, as files call it; empty: none
    bool wants_focus = false;  // scroll there and give it the keyboard, once
    double since = -1;         // ImGui time when the ring appeared; −1: it has not been drawn yet
    bool stays = false;        // until it is taken away, not for a moment
    std::string view = {};     // a place in a view's figure; empty: none
    std::string place = {};    // id of a map, plot, frame or target there
};

inline constexpr double pointing_seconds = 1.8;

// Fields, or groups of them, as files call them.
struct ControlHolds {
    std::vector<std::string> shown;   // the others are folded away; empty: none is
    std::vector<std::string> locked;  // seen, cannot be moved
    bool shows_all = false;           // the user has asked for all of them
};

}  // namespace heed::app
