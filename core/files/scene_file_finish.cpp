#include "core/files/scene_file_finish.h"

#include "core/figure/color_maps.h"
#include "core/language.h"

#include <type_traits>

namespace heed {
namespace {

Status first_of(const std::vector<std::string>& sentences) {
    if (sentences.empty()) return ok();
    return Error{shown(sentences.front(), 300)};
}

Status check_between(const char* path, int value, int low, int high) {
    if (value >= low && value <= high) return ok();
    return Error{std::string(path) + ": " + std::to_string(value) + " is not between " + std::to_string(low) + " and " +
                 std::to_string(high)};
}

Status check_between(const char* path, float value, float low, float high) {
    if (value >= low && value <= high) return ok();
    return Error{std::string(path) + ": " + compact(static_cast<double>(value)) + " is not between " +
                 compact(static_cast<double>(low)) + " and " + compact(static_cast<double>(high))};
}

Status check_map(const char* path, const std::string& id, MapKind kind) {
    std::string known;
    for (const ColorMap& map : color_maps()) {
        if (map.kind != kind) continue;
        if (map.id == id) return ok();
        known += (known.empty() ? "" : ", ") + std::string(map.id);
    }
    return Error{std::string(path) + ": \"" + shown(id) + "\" is none of " + known};
}

Status check_display(const Display& display) {
    const Status checks[] = {
        check_between("display.head", display.head, 0, max_heads - 1),
        check_between("display.pin.query", display.pin.query, 0, max_tokens - 1),
        check_between("display.pin.key", display.pin.key, 0, max_tokens - 1),
        check_between("display.pipeline.explainer_step", display.pipeline.explainer_step, 1, 5),
        display.flow.mass > 0 && display.flow.mass <= 1
            ? ok()
            : Status(Error{"display.flow.mass: " + compact(static_cast<double>(display.flow.mass)) +
                           " is not between 0 and 1"}),
        check_between("display.saturation.keys", display.saturation.keys, 2, 64),
        check_between("display.saturation.largest_score", display.saturation.largest_score, 1.0F, 10000.0F),
        check_between("display.gradients.component", display.gradients.component, 0, max_width * max_heads),
        check_between("display.gradients.radius", display.gradients.radius, 0.5F, 1.5F),
        check_map("display.sequential_map", display.sequential_map, MapKind::sequential),
        check_map("display.diverging_map", display.diverging_map, MapKind::diverging)};
    for (const Status& status : checks)
        if (!status) return status;
    return ok();
}

// Matrices with numbers of their own; the empty ones are still to be drawn.
Status check_none_is_small(const Model& model) {
    Status status = ok();
    visit_fields(model, [&]<typename Field>(const char* name, const Field& field) {
        const auto check = [&](const auto& matrix, const std::string& index) {
            const std::optional<Operand> operand = operand_of_field(name);
            const Shape shape =
                operand_shape(model, operand.value_or(Operand::bias));  // a painted mask is as large as a bias
            if (!status || matrix.empty() || (matrix.rows() >= shape.rows && matrix.cols() >= shape.cols)) return;
            status = Error{"model." + std::string(name) + index + ": " + std::to_string(matrix.rows()) + " × " +
                           std::to_string(matrix.cols()) + " is smaller than the " + std::to_string(shape.rows) +
                           " × " + std::to_string(shape.cols) + " that the sizes ask for"};
        };
        if constexpr (std::is_same_v<Field, SharedMatrix>) {
            check(field, "");
        } else if constexpr (std::is_same_v<Field, std::vector<SharedMatrix>> ||
                             std::is_same_v<Field, std::vector<SharedMask>>) {
            for (std::size_t i = 0; i < field.size(); ++i) check(field[i], "[" + std::to_string(i) + "]");
        }
    });
    return status;
}

}  // namespace

Status finish_scene(Scene& scene, const SceneReader& reader, Growth growth) {
    if (Status status = check_display(scene.display); !status) return status;
    if (Status status = first_of(check_settings(scene.model)); !status) return status;
    reader.draw_sized_matrices(scene.model);
    if (growth == Growth::refused)
        if (Status status = check_none_is_small(scene.model); !status) return status;
    fit_matrices(scene.model);
    return first_of(check_model(scene.model));
}

}  // namespace heed
