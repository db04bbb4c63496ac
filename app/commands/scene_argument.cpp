#include "app/commands/scene_argument.h"

#include "app/picture_file.h"
#include "core/embedded.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"
#include "core/model/depth.h"

#include <filesystem>

namespace heed::app {

namespace {

constexpr std::string_view folder = "assets/scenes/";
constexpr std::string_view ending = ".json";
constexpr std::size_t longest_shown = 120;  // of what was typed, in a sentence about it

Result<Scene> named_scene(const std::string& name) {
    std::error_code ignored;
    if (std::filesystem::exists(name, ignored))
        return is_picture_file(name) ? read_picture_scene(name) : read_scene(name);
    std::string known;
    for (const Preset& preset : presets()) {
        if (preset.id == name) return load_scene(embedded_file(preset.path), preset.id);
        known += (known.empty() ? "" : ", ") + std::string(preset.id);
    }
    return Error{name + ": there is no such file, and the examples are " + known};
}

}  // namespace

std::vector<Preset> presets() {
    std::vector<Preset> list;
    for (const std::string_view path : embedded_files(folder))
        if (path.ends_with(ending))
            list.push_back({path.substr(folder.size(), path.size() - folder.size() - ending.size()), path});
    return list;
}

namespace {

Result<Scene> with_changes(Result<Scene> scene, const SceneChanges& changes) {
    if (!scene) return scene;
    if (changes.layer)  // first: what is set is set there
        if (const Status set = set_field(*scene, "display.layer", std::to_string(*changes.layer)); !set)
            return Error{"--layer " + std::to_string(*changes.layer) + ": " + set.error()};
    for (const std::string& assignment : changes.assignments) {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos)
            return Error{"--set " + shown(assignment, longest_shown) +
                         ": KEY=VALUE is wanted, such as model.temperature=0.3"};
        if (const Status set = set_field(*scene, assignment.substr(0, equals), assignment.substr(equals + 1)); !set)
            return Error{"--set " + shown(assignment, longest_shown) + ": " + set.error()};
    }
    if (changes.layer && *changes.layer >= scene->model.depth->layers)
        return Error{"--layer " + std::to_string(*changes.layer) +
                     (scene->model.depth->layers == 1
                          ? std::string(": there is one layer, 0")
                          : ": the layers are 0 to " + std::to_string(scene->model.depth->layers - 1))};
    return scene;
}

}  // namespace

Result<Scene> scene_argument(const std::string& name, const SceneChanges& changes) {
    return with_changes(named_scene(name), changes);
}

Result<Scene> start_scene(const std::string& name, const SceneChanges& changes) {
    return with_changes(name.empty() ? Result<Scene>(default_scene()) : named_scene(name), changes);
}

}  // namespace heed::app
