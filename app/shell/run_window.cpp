#include "app/shell/run_window.h"

namespace heed::app {

Status run_window(const WindowOptions& options, const std::function<bool(WindowHost&)>& frame) {
    Result<std::unique_ptr<WindowHost>> opened = open_window(options);
    if (!opened) return Error{opened.error()};
    WindowHost& host = **opened;
    for (bool goes_on = true; goes_on; host.wait()) {
        if (!host.begin_frame()) {  // minimised: nothing to draw, but closing must still work
            if (host.wants_to_close()) break;
            continue;
        }
        goes_on = frame(host);
        host.end_frame();
        if (!goes_on) break;
    }
    return ok();
}

}  // namespace heed::app
