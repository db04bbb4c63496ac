// A scene as text to take away: a script, a formula, or the scene file itself.
#pragma once

#include "core/attention/trace.h"
#include "core/result.h"
#include "core/scene.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace heed::app {

struct TextExport {
    std::string_view id;      // on the command line, after --what
    std::string_view name;    // English, through tr()
    std::string_view ending;  // of the file's name
    std::string (*write)(const Scene&, const AttentionTrace&);

    // With the trace of that scene, or computing it first. Scripts and formulas are of the layer that is looked at.
    std::string text(const Scene& scene, const AttentionTrace& trace) const;
    std::string text(const Scene& scene) const;
};

std::span<const TextExport> text_exports();
const TextExport* find_text_export(std::string_view id);  // null where there is none

// A scene file only where it can be opened again. On failure no file is left behind.
Status write_text_export(const TextExport& row, const Scene& scene, const AttentionTrace& trace,
                         const std::filesystem::path& out);
Status write_text_export(const TextExport& row, const Scene& scene, const std::filesystem::path& out);

}  // namespace heed::app
