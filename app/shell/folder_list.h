// What a file dialog shows of a folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace heed::app {

struct FolderEntry {
    std::string name;
    bool is_folder = false;
};

struct FolderList {
    std::vector<FolderEntry> entries;  // folders first, each by name without regard to case
    std::string error;                 // a sentence where the folder cannot be read
};

// Hidden files and those with other extensions are left out; no extensions: every file.
FolderList list_folder(const std::filesystem::path& folder, std::span<const std::string> extensions);

// The folder, or the nearest one above it that exists; the home folder for an empty path.
std::filesystem::path existing_folder(std::filesystem::path folder);

// With the first extension where the name has none of them.
std::string with_extension(std::string name, std::span<const std::string> extensions);

}  // namespace heed::app
