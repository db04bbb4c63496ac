// `heed sweep`: one field of the scene moved from A to B, as an animated GIF or numbered PNG frames.
#pragma once

#include "app/take_away/render.h"

#include <functional>
#include <string>

namespace heed::app {

struct SweepRequest {
    RenderRequest render;
    std::string key;  // a field by its name in the file: model.temperature
    double from = 0;
    double to = 1;
    bool log = false;  // equal ratios instead of equal steps
    int frames = 24;
    int delay_ms = 80;        // of each frame of a GIF
    bool print_value = true;  // "temperature = 0.30 · 3 / 24" in the picture
};

inline constexpr int max_sweep_frames = 2000;

// KEY=FROM:TO or KEY=FROM:TO:log into the request.
Status read_vary(const std::string& text, SweepRequest& request);

// The field's value in one frame, whole where the field is.
double sweep_value(const SweepRequest& request, int frame, bool is_whole);

// A name ending in .gif makes an animation, any other a folder of frame-0001.png and so on. `progress` is told how many
// frames are done and returns false to stop. Where it fails or is stopped nothing is left behind.
Status run_sweep(
    const Scene& scene, const SweepRequest& request, const std::string& out,
    const std::function<bool(int)>& progress = [](int) { return true; });

}  // namespace heed::app
