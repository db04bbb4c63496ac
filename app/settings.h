// The user's own files: settings, dock layout and unsaved work, each where the desktop expects it.
//
// Settings are never worth an error: a missing or broken file means the defaults.
#pragma once

#include "app/session.h"
#include "core/result.h"

#include <filesystem>
#include <optional>

namespace heed::app {

// $XDG_CONFIG_HOME/heed, else ~/.config/heed; none where the user has no home.
std::optional<std::filesystem::path> config_folder();
// $XDG_STATE_HOME/heed/autosave, else ~/.local/state/heed/autosave.
std::optional<std::filesystem::path> autosave_folder();

std::filesystem::path settings_file(const std::filesystem::path& config);
std::filesystem::path layout_file(const std::filesystem::path& config);  // ImGui's docking layout

// A field that is missing or makes no sense keeps its default.
Settings load_settings(const std::filesystem::path& file);
Status save_settings(const Settings& settings, const std::filesystem::path& file);

inline constexpr std::size_t max_recent_files = 10;
// Logical pixels. Kept in a file of its own beside the layout, which goes with it.
struct WindowSize {
    int width = 1440;
    int height = 900;
    friend bool operator==(const WindowSize&, const WindowSize&) = default;
};
std::filesystem::path window_file(const std::filesystem::path& config);
WindowSize load_window_size(const std::filesystem::path& file);
Status save_window_size(WindowSize size, const std::filesystem::path& file);

inline constexpr float min_zoom = 0.6F;
inline constexpr float max_zoom = 2.5F;

// To the front of the recent files, once.
void remember_file(Settings& settings, const std::filesystem::path& file);
void forget_file(Settings& settings, const std::filesystem::path& file);

}  // namespace heed::app
