#include "core/files/scene_file_finish.h"

#include "core/layers.h"

namespace heed {
namespace {

Status first_of(const std::vector<std::string>& sentences) {
    if (sentences.empty()) return ok();
    return Error{shown(sentences.front(), 300)};
}

// Matrices with numbers of their own; the empty ones are still to be drawn.
Status check_none_is_small(const Model& model) {
    Status status = ok();
    for (const OperandRow& row : operands()) {
        const Shape shape = operand_shape(model, row.operand);
        for_each_matrix(model, row, [&](const auto& matrix, int index) {
            if (!status || matrix.empty() || (matrix.rows() >= shape.rows && matrix.cols() >= shape.cols)) return;
            const std::string entry = row.owner == Owner::model ? "" : "[" + std::to_string(index) + "]";
            // Layers above the first stand in a list of their own.
            const std::string where =
                model.layers.held == 0 ? "model." : "model.layers, layer " + std::to_string(model.layers.held) + ": ";
            status = Error{where + std::string(row.id) + entry + ": " + std::to_string(matrix.rows()) + " × " +
                           std::to_string(matrix.cols()) + " is smaller than the " + std::to_string(shape.rows) +
                           " × " + std::to_string(shape.cols) + " that the sizes ask for"};
        });
    }
    return status;
}

}  // namespace

Status finish_scene(Scene& scene, const SceneReader& reader, Growth growth) {
    if (Status status = first_of(check_settings(scene.model)); !status) return status;
    reader.draw_sized_matrices(scene.model);
    if (growth == Growth::refused) {
        Status status = ok();
        for_each_layer(scene.model, [&](const Model& layer) {
            if (status) status = check_none_is_small(layer);
        });
        if (!status) return status;
    }
    fit_matrices(scene.model);
    if (Status status = first_of(check_model(scene.model)); !status) return status;
    hold_layer(scene.model, scene.display.layer);
    return ok();
}

}  // namespace heed
