// A scene named on the command line: a file, or the name of an example that travels inside the program.
#pragma once

#include "core/result.h"
#include "core/scene.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

// What the command line changes of a scene before it is used.
struct SceneChanges {
    std::vector<std::string> assignments = {};  // KEY=VALUE
    std::optional<int> layer = {};              // to look at
};

struct Preset {
    std::string_view id;  // "cat": the file's name without its folder and ending
    std::string_view path;
};
std::vector<Preset> presets();

// Changes are applied in their order, the layer first.
Result<Scene> scene_argument(const std::string& name, const SceneChanges& changes);

// The same where no name may be given: then it is the scene the window starts with.
Result<Scene> start_scene(const std::string& name, const SceneChanges& changes);

}  // namespace heed::app
