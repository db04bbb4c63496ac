// Everything the user can change, and nothing that can be computed from it.
//
// The window, undo, scene files and the command line all pass this one value around. Model is what is
// computed (undoable, saved); Display is how it is shown (saved only).
#pragma once

#include "core/display.h"
#include "core/model.h"

namespace heed {

struct Scene {
    std::string title;
    std::string title_zh;  // empty: the title serves both languages
    Model model;
    Display display;
    friend bool operator==(const Scene&, const Scene&) = default;
};

// A small scene to start from: "The cat sat on the mat", four heads, causal.
Scene default_scene();

}  // namespace heed
