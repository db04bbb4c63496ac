// A scene named on the command line: a file, or the name of an example that travels inside the program.
#pragma once

#include "core/result.h"
#include "core/scene.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

struct Preset {
    std::string_view id;  // "cat": the file's name without its folder and ending
    std::string_view path;
};
std::vector<Preset> presets();

// `assignments` are KEY=VALUE as --set takes them, applied in their order.
Result<Scene> scene_argument(const std::string& name, const std::vector<std::string>& assignments);

// The same where no name may be given: then it is the scene the window starts with.
Result<Scene> start_scene(const std::string& name, const std::vector<std::string>& assignments);

}  // namespace heed::app
