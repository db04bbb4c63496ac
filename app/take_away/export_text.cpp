#include "app/take_away/export_text.h"

#include "core/attention/pipeline.h"
#include "core/code/script.h"
#include "core/files/atomic_write.h"
#include "core/files/scene_file.h"
#include "core/transformer/around.h"

namespace heed::app {

namespace {

constexpr TextExport table[] = {
    {"numpy", "NumPy script", ".py", numpy_script},
    {"pytorch", "PyTorch script", ".py", torch_script},
    {"latex", "LaTeX formula", ".tex", latex_text},
    {"scene", "Scene file", ".json", [](const Scene& scene, const AttentionTrace&) { return save_scene(scene); }},
};

}  // namespace

std::span<const TextExport> text_exports() { return table; }

const TextExport* find_text_export(std::string_view id) {
    for (const TextExport& row : table)
        if (row.id == id) return &row;
    return nullptr;
}

std::string TextExport::text(const Scene& scene, const AttentionTrace& trace) const {
    if (trace.around == nullptr || id == "scene") return write(scene, trace);
    Scene of_layer = scene;
    of_layer.model = looked_at(scene.model, trace);
    return write(of_layer, trace);
}

std::string TextExport::text(const Scene& scene) const { return text(scene, run_layers(scene.model)); }

Status write_text_export(const TextExport& row, const Scene& scene, const AttentionTrace& trace,
                         const std::filesystem::path& out) {
    return row.id == "scene" ? write_scene(out, scene) : write_file(out, row.text(scene, trace));
}

Status write_text_export(const TextExport& row, const Scene& scene, const std::filesystem::path& out) {
    return row.id == "scene" ? write_scene(out, scene) : write_file(out, row.text(scene));
}

}  // namespace heed::app
