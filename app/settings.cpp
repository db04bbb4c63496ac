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

// The choices of the last export. Sizes nobody can draw are left at their defaults.
void read_exporting(const nlohmann::json& object, ExportSettings& out) {
    const auto whole = [&](const char* name, int low, int high, int& value) {
        if (const auto read = field<int>(object, name); read && *read >= low && *read <= high) value = *read;
    };
    const auto real = [&](const char* name, float low, float high, float& value) {
        if (const auto read = field<float>(object, name); read && *read >= low && *read <= high) value = *read;
    };
    const auto truth = [&](const char* name, bool& value) { value = field<bool>(object, name).value_or(value); };
    whole("width", 64, largest_side, out.width);
    whole("height", 64, largest_side, out.height);
    real("scale", 0.25F, 16, out.scale);
    real("dpi", 10, 4800, out.dpi);
    real("text_size", 8, 40, out.options.text_size);
    int format = 0;
    int background = 0;
    int theme = 0;
    whole("format", 0, 2, format);
    whole("background", 0, 2, background);
    whole("palette", 0, 2, theme);
    out.format = static_cast<PrintOptions::Format>(format);
    out.background = static_cast<PrintOptions::Background>(background);
    out.theme = static_cast<Theme>(theme);
    truth("title", out.options.title);
    truth("axis_words", out.options.axis_words);
    truth("labels", out.options.tick_labels);
    truth("color_bars", out.options.color_bars);
    truth("numbers", out.options.numbers);
    truth("legend", out.options.legend);
    truth("pins", out.options.pins);
    truth("caption", out.options.caption);
}

nlohmann::json exporting_json(const ExportSettings& e) {
    return {{"width", e.width},
            {"height", e.height},
            {"scale", e.scale},
            {"dpi", e.dpi},
            {"text_size", e.options.text_size},
            {"format", static_cast<int>(e.format)},
            {"background", static_cast<int>(e.background)},
            {"palette", static_cast<int>(e.theme)},
            {"title", e.options.title},
            {"axis_words", e.options.axis_words},
            {"labels", e.options.tick_labels},
            {"color_bars", e.options.color_bars},
            {"numbers", e.options.numbers},
            {"legend", e.options.legend},
            {"pins", e.options.pins},
            {"caption", e.options.caption}};
}

constexpr std::size_t most_lesson_marks = 256;

void read_lessons(const nlohmann::json& object, std::vector<LessonMark>& out) {
    const auto list = object.find("lessons");
    if (list == object.end() || !list->is_array()) return;
    for (const nlohmann::json& one : *list) {
        if (!one.is_object() || out.size() == most_lesson_marks) continue;
        LessonMark mark;
        mark.id = field<std::string>(one, "id").value_or("");
        mark.furthest = std::clamp(field<int>(one, "step").value_or(0), 0, 1000);
        mark.is_done = field<bool>(one, "done").value_or(false);
        if (!mark.id.empty()) out.push_back(std::move(mark));
    }
}

nlohmann::json lessons_json(const std::vector<LessonMark>& marks) {
    nlohmann::json list = nlohmann::json::array();
    for (const LessonMark& mark : marks)
        list.push_back({{"id", mark.id}, {"step", mark.furthest}, {"done", mark.is_done}});
    return list;
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

std::filesystem::path window_file(const std::filesystem::path& config) { return config / "window.json"; }

WindowSize load_window_size(const std::filesystem::path& file) {
    WindowSize size;
    const Result<std::string> text = read_file(file, 1 << 16);
    if (!text) return size;
    const nlohmann::json object = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) return size;
    const auto side = [&](const char* name, int least, int& value) {
        if (const auto read = field<int>(object, name)) value = std::clamp(*read, least, 16384);
    };
    side("width", 640, size.width);
    side("height", 480, size.height);
    return size;
}

Status save_window_size(WindowSize size, const std::filesystem::path& file) {
    const nlohmann::json object = {{"width", size.width}, {"height", size.height}};
    if (Status made = make_folder(file.parent_path(), Readers::owner); !made) return made;
    return write_file(file, object.dump(2) + "\n");
}

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
    // Who has settings has been here before.
    settings.is_welcomed = field<bool>(object, "welcomed").value_or(true);
    read_lessons(object, settings.lessons);
    if (const auto exporting = object.find("export"); exporting != object.end() && exporting->is_object())
        read_exporting(*exporting, settings.exporting);
    return settings;
}

Status save_settings(const Settings& settings, const std::filesystem::path& file) {
    const nlohmann::json object = {
        {"language", settings.language == Language::chinese ? "zh" : "en"},
        {"theme", settings.theme == Theme::dark ? "dark" : "light"},
        {"zoom", settings.zoom},
        {"recent_files", settings.recent_files},
        {"export", exporting_json(settings.exporting)},
        {"welcomed", settings.is_welcomed},
        {"lessons", lessons_json(settings.lessons)},
    };
    if (Status made = make_folder(file.parent_path(), Readers::owner); !made) return made;
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
