#include "core/files/scene_file.h"

#include "core/drawn_matrices.h"
#include "core/files/atomic_write.h"
#include "core/files/json_text.h"
#include "core/files/read_file.h"
#include "core/files/scene_file_finish.h"
#include "core/files/scene_file_reader.h"
#include "core/files/shown.h"
#include "core/layers.h"
#include "core/model/depth.h"

#include <limits>

namespace heed {
namespace {

constexpr int version = 1;

// A value that is left out of the file is null here, unless null is how it is written.
class SceneWriter {
public:
    // Gives up, and then is_too_long(), once the numbers alone would take more bytes, or be more than are read again.
    SceneWriter(const Model& model, std::uintmax_t max_bytes)
        : model_(model), cells_left_(std::min<std::uintmax_t>(max_bytes / bytes_of_cell, max_json_values - others)) {}

    bool is_too_long() const { return is_too_long_; }

    template <HasFields Value>
    Json write(const Value& value) {
        Json json = Json::object();
        visit_fields(value, [&]<typename Field>(const char* name, const Field& field, const auto&) {
            if constexpr (is_matrix_field<Field>) {
                if (Json written = write_matrices(name, field); !written.is_null()) json[name] = std::move(written);
            } else if constexpr (std::is_same_v<Field, LayerStack>) {
                if (Json written = write_layers(field); !written.empty()) json[name] = std::move(written);
            } else if constexpr (std::is_same_v<Field, Depth>) {
                if (field != Depth()) json[name] = write(field);  // attention alone is written as it always was
            } else {
                json[name] = write(field);
            }
        });
        return json;
    }

    // What is different in layers above the first.
    Json write_layers(const LayerStack& stack) {
        Json list = Json::array();
        const LayerOwn fresh = fresh_layer(model_);
        std::vector<const void*> fresh_fields;
        visit_fields(fresh, [&](const char*, const auto& field, const auto&) { fresh_fields.push_back(&field); });
        for (std::size_t layer = 1; layer < stack.others.size(); ++layer) {
            model_.layers.held = static_cast<int>(layer);  // whose draws they are
            Json json = Json::object();
            std::size_t at = 0;
            visit_fields(stack.others[layer], [&]<typename Field>(const char* name, const Field& field, const auto&) {
                const Field& usual = *static_cast<const Field*>(fresh_fields[at++]);
                if constexpr (is_matrix_field<Field>) {
                    if (Json written = write_matrices(name, field); !written.is_null()) json[name] = std::move(written);
                } else if constexpr (std::is_same_v<Field, std::vector<HeadSetting>>) {
                    if (field != std::vector<HeadSetting>(static_cast<std::size_t>(model_.n_heads)))
                        json[name] = write(field);
                } else if (field != usual) {
                    json[name] = write(field);
                }
            });
            if (json.empty()) continue;
            Json entry = {{"layer", layer}};
            entry.update(json);
            list.push_back(std::move(entry));
        }
        model_.layers.held = 0;
        return list;
    }

    template <IsChoice Value>
    Json write(Value value) {
        return ChoiceIds<Value>::ids[static_cast<std::size_t>(value)];
    }
    template <typename Element>
    Json write(const std::vector<Element>& list) {
        Json json = Json::array();
        for (const Element& element : list) json.push_back(write(element));
        return json;
    }
    Json write(const std::optional<float>& value) { return value ? Json(*value) : Json(); }
    template <typename Plain>
    requires(std::is_arithmetic_v<Plain> || std::is_same_v<Plain, std::string>) Json write(const Plain& value) {
        return value;
    }

private:
    template <typename Field>
    static constexpr bool is_matrix_field =
        std::is_same_v<Field, SharedMatrix> || std::is_same_v<Field, std::vector<SharedMatrix>> ||
        std::is_same_v<Field, std::vector<SharedMask>>;

    static constexpr std::uintmax_t bytes_of_cell = 3;   // at least: a digit, a comma and a space
    static constexpr std::uintmax_t others = 1U << 18U;  // tokens, settings and matrices that are not rows of numbers

    Json rows_of(const auto& matrix, const auto& written_cell) {
        Json rows = Json::array();
        const auto cells = static_cast<std::uintmax_t>(matrix.size());
        const auto n_rows = static_cast<std::uintmax_t>(matrix.rows());
        is_too_long_ = is_too_long_ || cells > cells_left_ || n_rows > rows_left_;
        if (is_too_long_) return rows;
        cells_left_ -= cells;
        rows_left_ -= n_rows;
        for (Index i = 0; i < matrix.rows(); ++i) {
            Json row = Json::array();
            for (Index j = 0; j < matrix.cols(); ++j) row.push_back(written_cell(matrix(i, j)));
            rows.push_back(std::move(row));
        }
        return rows;
    }

    // Null for what the reader makes by itself: from the seed, at the size the model asks for.
    static Json written_size(Index rows, Index cols, Shape fitted) {
        if (rows == fitted.rows && cols == fitted.cols) return nullptr;
        return {{"rows", rows}, {"cols", cols}};
    }

    template <typename M>
    Json write_matrix(Operand operand, int index, const M& matrix) {
        const Shape own = own_corner(model_, operand, index, matrix);
        if (own == Shape{0, 0}) return written_size(matrix.rows(), matrix.cols(), operand_shape(model_, operand));
        const M numbers = matrix.topLeftCorner(own.rows, own.cols);
        Json rows = rows_of(numbers, [](typename M::Scalar cell) -> Json {
            if constexpr (std::is_same_v<M, MaskMatrix>) {
                return cell == 0 ? 0 : 1;
            } else {
                if (std::isnan(cell)) return "nan";
                if (std::isinf(cell)) return cell > 0 ? "inf" : "-inf";
                return cell;
            }
        });
        if (own == Shape{matrix.rows(), matrix.cols()}) return rows;
        return {{"rows", matrix.rows()}, {"cols", matrix.cols()}, {"numbers", std::move(rows)}};
    }

    // Null where the reader makes the same by itself.
    template <typename Field>
    Json write_matrices(const char* name, const Field& field) {
        const OperandRow& row = *find_operand(name);
        if constexpr (std::is_same_v<Field, SharedMatrix>) {
            return write_matrix(row.operand, 0, *field);
        } else {
            Json list = Json::array();
            for (std::size_t i = 0; i < field.size(); ++i)
                list.push_back(write_matrix(row.operand, static_cast<int>(i), *field[i]));
            return without_nulls(std::move(list),
                                 row.owner == Owner::model_or_head ? 1 : operand_count(model_, row.operand));
        }
    }

    // A list of nothing but nulls, as many as there would be anyway, is left out.
    static Json without_nulls(Json list, int usual_count) {
        const bool all_null = std::all_of(list.begin(), list.end(), [](const Json& one) { return one.is_null(); });
        return all_null && list.size() == static_cast<std::size_t>(usual_count) ? Json() : list;
    }

    Model model_;  // with its first layer held
    std::uintmax_t cells_left_;
    std::uintmax_t rows_left_ = max_json_brackets - others;
    bool is_too_long_ = false;
};

// Nothing where it would be longer.
std::optional<std::string> scene_text(const Scene& scene, std::uintmax_t max_bytes) {
    Json json = {{"heed", version}};
    Scene first = scene;
    hold_layer(first.model, 0);
    SceneWriter writer(first.model, max_bytes);
    json.update(writer.write(first));
    if (writer.is_too_long()) return std::nullopt;
    std::string text = format_json(json);
    if (text.size() > max_bytes) return std::nullopt;
    return text;
}

// Sizes that the file leaves out follow what it does say.
void follow_sizes(const Json& json, Model& model) {
    if (!json.contains("model") || !json["model"].is_object()) return;
    const Json& file = json["model"];
    const auto n_tokens = [](const std::vector<std::string>& tokens) { return static_cast<int>(tokens.size()); };
    if (!file.contains("n_queries") && !model.query_tokens.empty()) model.n_queries = n_tokens(model.query_tokens);
    if (!file.contains("n_keys") && !model.key_tokens.empty()) model.n_keys = n_tokens(model.key_tokens);
    if (!file.contains("n_kv_heads")) model.n_kv_heads = model.n_heads;
}

Status check_version(const Json& json) {
    if (!json.is_object() || !json.contains("heed"))
        return Error{"this is not a scene (there is no \"heed\": 1 in it)"};
    const Json& found = json["heed"];
    if (found == version) return ok();
    if (found.is_number() && found > version)
        return Error{"the scene is of version " + found.dump() + ", made by a newer program; this one reads version 1"};
    return Error{"heed: " + shown(found.dump(-1, ' ', false, Json::error_handler_t::replace)) +
                 " is not a version of scene files"};
}

}  // namespace

std::string save_scene(const Scene& scene) { return *scene_text(scene, std::numeric_limits<std::uintmax_t>::max()); }

Status write_scene(const std::filesystem::path& path, const Scene& scene, std::uintmax_t max_bytes, Readers readers) {
    const std::optional<std::string> text = scene_text(scene, max_bytes);
    if (text) return write_file(path, *text, readers);
    return Error{shown_path(path) + ": the scene cannot be saved, its matrices hold more numbers than the " +
                 std::to_string(max_bytes) + " bytes of a scene file have room for"};
}

Result<Scene> load_scene(std::string_view bytes, std::string_view name) {
    const auto refuse = [&](const std::string& why) { return Error{std::string(name) + ": " + why}; };
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    Result<Json> json = parse_json(bytes, name);
    if (!json) return Error{json.error()};
    if (Status status = check_version(*json); !status) return refuse(status.error());
    json->erase("heed");

    Scene scene;
    SceneReader reader;
    if (Status status = reader.read(*json, scene, ""); !status) return refuse(status.error());
    follow_sizes(*json, scene.model);
    if (Status status = finish_scene(scene, reader, Growth::refused); !status) return refuse(status.error());
    return scene;
}

Result<Scene> read_scene(const std::filesystem::path& path, std::uintmax_t max_bytes) {
    Result<std::string> bytes = read_file(path, max_bytes);
    if (!bytes) return Error{bytes.error()};
    return load_scene(*bytes, shown_path(path));
}

}  // namespace heed
