// The loop of a program with a window: wait, draw, show, until it is closed.
#pragma once

#include "app/platform/window.h"
#include "core/result.h"

#include <functional>

namespace heed::app {

// Calls `frame` between begin_frame() and end_frame(); it returns false when the program should end. It decides about
// wants_to_close() too, so that it can ask about unsaved work. The error is the sentence of open_window().
Status run_window(const WindowOptions& options, const std::function<bool(WindowHost&)>& frame);

}  // namespace heed::app
