// A picture of the whole window, without one.
#pragma once

#include "app/png.h"
#include "app/session.h"
#include "core/result.h"
#include "core/scene.h"

#include <string>

namespace heed::app {

struct SnapshotOptions {
    int width = 1440;  // logical pixels: the picture is scale times as large
    int height = 900;
    float scale = 1;   // of the display
    std::string view;  // empty: the scene's own
    Language language = Language::english;
    Theme theme = Theme::light;
    std::string lesson;        // of the program's, or a file of one: it is running; empty: none
    std::string step;          // of it: an id, or a number from 0; empty: the first
    bool is_revealed = false;  // the step's question
    bool presents = false;     // as F5 shows it
};

// As the window looks once everything is computed and laid out. Refused where OpenGL is not to be had, or for a view that
// or a lesson or step that does not exist.
Result<Pixels> draw_window(Scene scene, const SnapshotOptions& options);

}  // namespace heed::app
