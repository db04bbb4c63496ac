// Files of the repository that travel inside the binary: shaders, example scenes, languages, lessons, icons.
//
// Paths are those of the repository, "assets/scenes/cat.json" or "shaders/heatmap.frag". The program needs no data
// folder and finds the same files wherever it is started. The definitions are made by cmake/embed.cmake.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace heed {

// The file's bytes, nothing where there is no such file. They live as long as the program, and a zero byte follows them.
std::optional<std::string_view> find_embedded_file(std::string_view path);

// The same for a path that is known to exist; empty where there is no such file.
std::string_view embedded_file(std::string_view path);

// The paths that start with `prefix`, in byte order.
std::vector<std::string_view> embedded_files(std::string_view prefix);

}  // namespace heed
