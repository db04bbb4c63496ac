// Includes go one way: what computes knows nothing of how it is shown, and core nothing of the program around it.
#include "heed_test_paths.h"

#include <gtest/gtest.h>

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
    for (const char* folder : {"core/kernels", "core/attention", "core/analysis", "core/edit"})
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

}  // namespace
}  // namespace heed
