#include "app/settings.h"

#include "core/files/atomic_write.h"
#include "core/files/read_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace heed::app {

namespace {

// The specification asks to ignore paths that are not absolute.
std::optional<std::filesystem::path> base_folder(const char* variable, const char* below_home) {
    const char* value = std::getenv(variable);
    if (value != nullptr && std::filesystem::path(value).is_absolute()) return value;
    const char* home = std::getenv("HOME");
    if (home != nullptr && std::filesystem::path(home).is_absolute()) return std::filesystem::path(home) / below_home;
    return std::nullopt;
}

template <typename Value>
std::optional<Value> field(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) return std::nullopt;
    try {
        return found->get<Value>();
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<std::filesystem::path> config_folder() {
    auto folder = base_folder("XDG_CONFIG_HOME", ".config");
    if (folder) *folder /= "heed";
    return folder;
}

std::optional<std::filesystem::path> autosave_folder() {
    auto folder = base_folder("XDG_STATE_HOME", ".local/state");
    if (folder) *folder /= "heed/autosave";
    return folder;
}

std::filesystem::path settings_file(const std::filesystem::path& config) { return config / "settings.json"; }
std::filesystem::path layout_file(const std::filesystem::path& config) { return config / "layout.ini"; }

Settings load_settings(const std::filesystem::path& file) {
    Settings settings;
    const Result<std::string> text = read_file(file, 1 << 20);
    if (!text) return settings;
    const nlohmann::json object = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) return settings;
    if (field<std::string>(object, "language") == "zh") settings.language = Language::chinese;
    if (field<std::string>(object, "theme") == "dark") settings.theme = Theme::dark;
    if (const auto zoom = field<float>(object, "zoom"); zoom && std::isfinite(*zoom))
        settings.zoom = std::clamp(*zoom, min_zoom, max_zoom);
    if (auto recent = field<std::vector<std::string>>(object, "recent_files")) {
        settings.recent_files = std::move(*recent);
        if (settings.recent_files.size() > max_recent_files) settings.recent_files.resize(max_recent_files);
    }
    return settings;
}

Status save_settings(const Settings& settings, const std::filesystem::path& file) {
    const nlohmann::json object = {
        {"language", settings.language == Language::chinese ? "zh" : "en"},
        {"theme", settings.theme == Theme::dark ? "dark" : "light"},
        {"zoom", settings.zoom},
        {"recent_files", settings.recent_files},
    };
    if (Status made = make_folder(file.parent_path()); !made) return made;
    // A file name need not be UTF-8; what cannot be written as text is replaced rather than refused.
    return write_file(file, object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void remember_file(Settings& settings, const std::filesystem::path& file) {
    std::error_code failed;
    std::filesystem::path absolute = std::filesystem::absolute(file, failed);
    if (failed) absolute = file;
    forget_file(settings, absolute);
    settings.recent_files.insert(settings.recent_files.begin(), absolute.string());
    if (settings.recent_files.size() > max_recent_files) settings.recent_files.resize(max_recent_files);
}

void forget_file(Settings& settings, const std::filesystem::path& file) {
    std::erase(settings.recent_files, file.string());
}

}  // namespace heed::app
