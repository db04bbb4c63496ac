#include "app/shell/folder_list.h"

#include "core/files/shown.h"

#include <algorithm>
#include <cstdlib>

namespace heed::app {

namespace {

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

bool has_extension(const std::string& name, std::span<const std::string> extensions) {
    if (extensions.empty()) return true;
    const std::string end = lower(name);
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const std::string& extension) { return end.ends_with(extension); });
}

}  // namespace

FolderList list_folder(const std::filesystem::path& folder, std::span<const std::string> extensions) {
    FolderList list;
    std::error_code failed;
    std::filesystem::directory_iterator entry(folder, failed);
    for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        if (name.empty() || name.front() == '.') continue;
        std::error_code unknown;
        const bool is_folder = entry->is_directory(unknown);
        if (is_folder || has_extension(name, extensions)) list.entries.push_back({name, is_folder});
    }
    if (failed) list.error = shown_path(folder) + ": " + failed.message();
    std::sort(list.entries.begin(), list.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
        if (a.is_folder != b.is_folder) return a.is_folder;
        const std::string a_name = lower(a.name);
        const std::string b_name = lower(b.name);
        return a_name != b_name ? a_name < b_name : a.name < b.name;
    });
    return list;
}

std::filesystem::path existing_folder(std::filesystem::path folder) {
    std::error_code failed;
    const char* home = std::getenv("HOME");
    if (folder.empty()) folder = home != nullptr ? std::filesystem::path(home) : std::filesystem::current_path(failed);
    folder = std::filesystem::absolute(folder, failed).lexically_normal();
    while (!std::filesystem::is_directory(folder, failed) && folder.has_relative_path()) folder = folder.parent_path();
    return folder.empty() ? std::filesystem::path("/") : folder;
}

std::string with_extension(std::string name, std::span<const std::string> extensions) {
    if (!extensions.empty() && !has_extension(name, extensions)) name += extensions.front();
    return name;
}

}  // namespace heed::app
