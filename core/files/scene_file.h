// A scene as a JSON file, and as KEY=VALUE on the command line.
//
//     {"heed": 1, "title": "…", "model": {"temperature": 0.5, …}, "display": {…}}
//
// Names are those of the C++ members (core/scene_fields.h), choices their ids. What a file leaves out has its default:
// sizes follow the tokens (n_queries, n_keys) and the heads (n_kv_heads), matrices are drawn from the seed. A matrix is
// a list of rows, whose numbers may be "nan", "inf" and "-inf"; null draws it from the seed at the size asked for, and
// {"rows": 9, "cols": 4} at another. What is unknown or impossible is refused in a sentence with its path.
#pragma once

#include "core/files/atomic_write.h"
#include "core/result.h"
#include "core/scene.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed {

// load_scene(save_scene(scene)) equals scene. The scene's model must pass check_model().
std::string save_scene(const Scene& scene);

// A scene that passes check_model(), with every matrix fitted to the sizes. name stands for the file in sentences.
Result<Scene> load_scene(std::string_view bytes, std::string_view name);

// What is written can be read again: a scene whose text is longer than files that are read is refused, and a file that is
// there stays as it was.
inline constexpr std::uintmax_t max_scene_bytes = std::uintmax_t{1} << 27;
Status write_scene(const std::filesystem::path& path, const Scene& scene, std::uintmax_t max_bytes = max_scene_bytes,
                   Readers readers = Readers::usual);
Result<Scene> read_scene(const std::filesystem::path& path, std::uintmax_t max_bytes = max_scene_bytes);

// Sets one field by its name in the file: "model.temperature", "model.heads[1].on", "model.q[0][2][3]", "title". The
// value is JSON, or text where it is not. The scene is then what the same edit of its file would make it: matrices
// that came from the seed are drawn for the new sizes, edited ones keep their numbers and grow. Embeddings that are drawn by
// word go where their words go. New tokens bring their
// number with them; n_kv_heads follows n_heads where they were equal, as do biases and masks of each head. On failure the
// scene is unchanged.
Status set_field(Scene& scene, std::string_view key, std::string_view value);

enum class FieldKind { truth, whole, real, text, choice, list, group };

// What set_field would set; for sweeps, which must round where whole numbers are needed.
Result<FieldKind> field_kind(const Scene& scene, std::string_view key);

// What a field holds: a truth, a number, or text and choices as the file has them. A sentence where there is no such field, it is a
// list or a group, or it is off (null in the file). Floats are the decimal number that is shown: 0.1, not 0.100000001.
using FieldValue = std::variant<bool, double, std::string>;
Result<FieldValue> field_value(const Scene& scene, std::string_view key);

// Every key without an index, in the order of the file.
std::vector<std::string> field_names();

}  // namespace heed
