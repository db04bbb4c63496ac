// A Host without a display: for pictures of the window and for tests. Time is counted in frames, input comes through
// ImGuiIO, so two runs are the same to the pixel.
#pragma once

#include "app/platform/host.h"
#include "core/result.h"

namespace heed::app {

struct OffscreenOptions {
    int width = 1440;  // pixels
    int height = 900;
    float scale = 1;  // as of a display
    float frame_time = 1.0F / 60.0F;
};

class OffscreenHost : public Host {
public:
    virtual void resize(int width, int height) = 0;
    virtual void set_frame_time(float seconds) = 0;  // from the next frame on
    virtual void set_scale(float scale) = 0;         // as of a display
};

// Refused in one sentence where EGL has no surfaceless OpenGL 3.3.
Result<std::unique_ptr<OffscreenHost>> open_offscreen(const OffscreenOptions& options);

}  // namespace heed::app
