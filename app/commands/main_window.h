// heed [SCENE]: the window, until it is closed.
#pragma once

#include "core/result.h"
#include "core/scene.h"

#include <filesystem>
#include <optional>

namespace heed::app {

// `file` is where the scene came from, if it is a file. The error says why there is no window.
Status run_main_window(Scene scene, const std::optional<std::filesystem::path>& file);

}  // namespace heed::app
