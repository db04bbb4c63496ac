// Includes go one way: what computes knows nothing of how it is shown, and core nothing of the program around it.
#include "heed_test_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace heed {
namespace {

// Every header of ours that a source includes, and what those include.
class Reached {
public:
    explicit Reached(const std::filesystem::path& source) { follow(source); }
    const std::set<std::string>& headers() const { return headers_; }

private:
    void follow(const std::filesystem::path& source) {
        std::ifstream file(source);
        for (std::string line; std::getline(file, line);) {
            constexpr std::string_view start = "#include \"";
            if (!line.starts_with(start)) continue;
            const std::string header = line.substr(start.size(), line.find('"', start.size()) - start.size());
            if (headers_.insert(header).second) follow(std::filesystem::path(HEED_SOURCE_DIR) / header);
        }
    }

    std::set<std::string> headers_;
};

void for_each_source(const std::string& folder, const std::function<void(const std::filesystem::path&)>& visit) {
    int n_sources = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(HEED_SOURCE_DIR) / folder)) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
        visit(entry.path());
        ++n_sources;
    }
    EXPECT_GT(n_sources, 4) << folder;
}

TEST(Layering, WhatComputesReachesNoDisplay) {
    for (const char* folder : {"core/kernels", "core/attention", "core/analysis", "core/cost", "core/edit",
                               "core/geometry", "core/transformer"})
        for_each_source(folder, [](const std::filesystem::path& source) {
            const Reached reached(source);
            for (const std::string& header : reached.headers())
                EXPECT_FALSE(header == "core/scene.h" || header.starts_with("core/display") ||
                             header.starts_with("core/figure/") || header.starts_with("core/files/"))
                    << source << " reaches " << header;
        });
}

TEST(Layering, CoreReachesNothingOfTheProgram) {
    for_each_source("core", [](const std::filesystem::path& source) {
        const Reached reached(source);
        for (const std::string& header : reached.headers())
            EXPECT_TRUE(header.starts_with("core/")) << source << " reaches " << header;
    });
}

// From the ground up: a folder of the program includes itself and what stands before it. Single files of app/ are the state.
TEST(Layering, TheProgramsIncludesOnlyGoDown) {
    const std::vector<std::vector<std::string>> floors = {
        {"png"},
        {"gl"},
        {"platform"},
        {"print", "screen", "jobs"},
        {"take_away"},
        {"session", "inspection", "pointing", "lessons", "cost_measuring", "told", "settings", "document", "trace_pool",
         "autosave", "import_matrix", "picture_file"},
        {"widgets"},
        {"views"},
        {"panels"},
        {"shell"},
        {"commands"},
        {"main"}};
    const auto floor_of = [&](const std::string& path) {  // app/views/view.h → 7
        std::string part = path.substr(4, path.find_first_of("/.", 4) - 4);
        for (std::size_t floor = 0; floor < floors.size(); ++floor)
            if (std::ranges::find(floors[floor], part) != floors[floor].end()) return static_cast<int>(floor);
        ADD_FAILURE() << path << " stands on no floor: name it here";
        return -1;
    };
    const std::filesystem::path root(HEED_SOURCE_DIR);
    for_each_source("app", [&](const std::filesystem::path& source) {
        const std::string name = std::filesystem::relative(source, root).generic_string();
        std::ifstream file(source);
        for (std::string line; std::getline(file, line);) {
            constexpr std::string_view start = "#include \"app/";
            if (!line.starts_with(start)) continue;
            const std::string header = line.substr(10, line.find('"', 10) - 10);
            const std::string folder = name.substr(0, name.rfind('/'));
            if (header.substr(0, header.rfind('/')) == folder && folder != "app") continue;
            EXPECT_LE(floor_of(header), floor_of(name)) << name << " includes " << header;
        }
    });
}

}  // namespace
}  // namespace heed
