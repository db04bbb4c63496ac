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
};

// As the window looks once everything is computed and laid out. Refused where OpenGL is not to be had, or for a view that
// does not exist.
Result<Pixels> draw_window(Scene scene, const SnapshotOptions& options);

}  // namespace heed::app
