// JSON into the fields of a scene, with the path of whatever does not fit.
#pragma once

#include "core/drawn_matrices.h"
#include "core/files/json_text.h"
#include "core/files/near_names.h"
#include "core/files/shown.h"
#include "core/scene_fields.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heed {

class SceneReader {
public:
    // The same for what the field's range allows.
    template <typename Field, typename Range>
    Status read_allowed(const Json& json, Field& field, const Range& range, const std::string& path) {
        if constexpr (requires { range.most; })
            if (json.size() > range.most) return Error{path + ": " + too_many(json.size(), range.most)};
        if (Status status = read(json, field, path); !status) return status;
        if (const std::string why = wrong(field, range); !why.empty()) return Error{path + ": " + why};
        return ok();
    }

    // Fields that the object does not have keep their value.
    template <HasFields Value>
    Status read(const Json& json, Value& value, const std::string& path) {
        if (!json.is_object()) return refuse(json, path, "a group of fields in braces");
        if constexpr (std::is_same_v<Value, Model>) model_ = &value;
        std::vector<std::string> names;
        Status status = ok();
        visit_fields(value, [&](const char* name, auto& field, const auto& range) {
            names.emplace_back(name);
            const auto found = json.find(name);
            if (status && found != json.end())
                status = read_allowed(*found, field, range, path.empty() ? name : path + "." + name);
        });
        if (!status) return status;
        for (auto it = json.begin(); it != json.end(); ++it)
            if (std::find(names.begin(), names.end(), it.key()) == names.end())
                return Error{(path.empty() ? "" : path + ".") + shown(it.key()) + ": there is no such field" +
                             near_names(it.key(), names)};
        return ok();
    }

    template <IsChoice Value>
    Status read(const Json& json, Value& value, const std::string& path) {
        std::string known;
        for (std::size_t i = 0; i < std::size(ChoiceIds<Value>::ids); ++i) {
            if (json.is_string() && json.get_ref<const std::string&>() == ChoiceIds<Value>::ids[i]) {
                value = static_cast<Value>(i);
                return ok();
            }
            known += (known.empty() ? "" : ", ") + std::string(ChoiceIds<Value>::ids[i]);
        }
        return Error{path + ": " + text_of(json) + " is none of " + known};
    }

    Status read(const Json& json, bool& value, const std::string& path);
    Status read(const Json& json, int& value, const std::string& path);
    Status read(const Json& json, std::uint64_t& value, const std::string& path);
    Status read(const Json& json, float& value, const std::string& path);
    Status read(const Json& json, std::optional<float>& value, const std::string& path);
    Status read(const Json& json, std::string& value, const std::string& path);
    Status read(const Json& json, SharedMatrix& value, const std::string& path);
    Status read(const Json& json, SharedMask& value, const std::string& path);

    // What is different in layers above the first: [{"layer": 2, "temperature": 0.5}]. The rest is as the first has it.
    Status read(const Json& json, LayerStack& stack, const std::string& path);

    template <typename Element>
    Status read(const Json& json, std::vector<Element>& list, const std::string& path) {
        if (!json.is_array()) return refuse(json, path, "a list");
        list.assign(json.size(), Element());
        for (std::size_t i = 0; i < json.size(); ++i) {
            const std::string entry = path + "[" + std::to_string(i) + "]";
            index_ = static_cast<int>(i);
            if (Status status = read(json[i], list[i], entry); !status) return status;
            if constexpr (std::is_same_v<Element, std::string>)
                if (const std::string why = wrong(list[i], Text{}); !why.empty()) return Error{entry + ": " + why};
        }
        index_ = 0;
        return ok();
    }

    // A cell of a matrix: a number, or "nan", "inf", "-inf".
    static Status read_cell(const Json& json, float& value, const std::string& path);

    // Which of a list of matrices the next one read is; lists count by themselves.
    void set_index(int index) { index_ = index; }
    // Whose field is read, where that is not the model as a whole.
    void set_model(const Model& model) { model_ = &model; }

    // Draws the matrices that the file only sized, once the model's settings are known to be possible. What was read
    // must still be where it was.
    void draw_sized_matrices(const Model& model) const;

private:
    struct Sized {
        SharedMatrix* matrix;
        Operand operand;
        int index;
        int layer;
        Shape shape;
        Matrix corner;  // the numbers that the file has
    };

    static std::string text_of(const Json& json);  // short, for a sentence
    static Error refuse(const Json& json, const std::string& path, const char* wanted);

    // {"rows": 9, "cols": 4}, within the bounds of what may be allocated. With "numbers", rows of numbers, the top left
    // corner holds those and only the rest is drawn.
    Result<Shape> read_size(const Json& json, const std::string& path);
    // A list of rows of equal length.
    static Result<Shape> shape_of_rows(const Json& json, const std::string& path);
    static Result<Matrix> read_rows(const Json& json, const std::string& path);
    static Result<MaskMatrix> read_mask_rows(const Json& json, const std::string& path);

    int index_ = 0;
    int layer_ = 0;  // whose own part is read
    const Model* model_ = nullptr;
    std::vector<Sized> sized_;
    std::int64_t numbers_drawn_ = 0;
};

}  // namespace heed
