// Single fields of a scene by their path: what --set and --vary use.
#include "core/edit/picture.h"
#include "core/edit/sizes.h"
#include "core/edit/words.h"
#include "core/files/number_text.h"
#include "core/files/scene_file.h"
#include "core/files/scene_file_finish.h"
#include "core/layers.h"
#include "core/model/depth.h"

#include <charconv>
#include <cmath>

namespace heed {
namespace {

struct Value {
    Json json;
    std::string text;  // as typed, for fields that hold text
};

Value parse_value(std::string_view text) {
    Json json = Json::string_t(text);
    if (Result<Json> parsed = parse_json(text, "value"))
        json = *std::move(parsed);
    else if (const std::optional<float> number = parse_float(text); number && std::isfinite(*number))
        json = *number;  // .5 and +1 are numbers to everyone but JSON
    return {std::move(json), std::string(text)};
}

// "model.heads[2].on" and "model.heads.2.on" → model, heads, 2, on. Empty where a bracket is out of place.
std::vector<std::string> parts_of(std::string_view key) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < key.size(); ++i) {
        const char c = key[i];
        if (c == '.') {
            parts.emplace_back();
        } else if (c == '[') {
            const std::size_t end = key.find(']', i);
            if (end == std::string_view::npos) return {};
            parts.emplace_back(key.substr(i + 1, end - i - 1));
            i = end;
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::optional<std::size_t> index_below(const std::string& part, std::size_t count) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error != std::errc() || end != part.data() + part.size() || index >= count) return std::nullopt;
    return index;
}

using Parts = std::span<const std::string>;

Error no_field(std::string_view key) {
    if (key.empty()) return Error{"the name of the field is empty"};
    return Error{shown(key) + ": there is no such field" + near_names(key, field_names())};
}

Error no_entry(const std::string& path, const std::string& part, std::size_t count) {
    return Error{path + ": \"" + shown(part) + "\" is not between 0 and " + std::to_string(count - 1)};
}

template <typename Field>
constexpr FieldKind kind_of() {
    if constexpr (std::is_same_v<Field, bool>)
        return FieldKind::truth;
    else if constexpr (std::is_same_v<Field, int> || std::is_same_v<Field, std::uint64_t>)
        return FieldKind::whole;
    else if constexpr (std::is_same_v<Field, float> || std::is_same_v<Field, std::optional<float>>)
        return FieldKind::real;
    else if constexpr (std::is_same_v<Field, std::string>)
        return FieldKind::text;
    else if constexpr (IsChoice<Field>)
        return FieldKind::choice;
    else if constexpr (HasFields<Field>)
        return FieldKind::group;
    else
        return FieldKind::list;  // of layers, too
}

// Walks down the parts of a key and hands the field at its end to `use(field, range, path, index)`, which returns a
// Status; range is what the field may hold.
template <typename Use>
class Walk {
public:
    Walk(std::string_view key, Use use) : key_(key), use_(use) {}

    template <typename Field, typename Range>
    Status to(Field& field, const Range& range, Parts rest, const std::string& path) {
        if (rest.empty()) return use_(field, range, path, index_);
        return into(field, range, rest, path);
    }

private:
    template <typename Field, typename Range>
    Status into(Field& field, const Range&, Parts rest, const std::string& path) {
        if constexpr (HasFields<Field>) {
            std::optional<Status> status;
            visit_fields(field, [&](const char* name, auto& member, const auto& range) {
                if (rest[0] == name)
                    status = to(member, range, rest.subspan(1), path.empty() ? name : path + "." + name);
            });
            return status ? *status : Status(no_field(key_));
        } else {
            return no_field(key_);
        }
    }

    template <typename Element, typename Range>
    Status into(std::vector<Element>& list, const Range& range, Parts rest, const std::string& path) {
        if (list.empty()) return Error{path + ": the list is empty"};
        const std::optional<std::size_t> index = index_below(rest[0], list.size());
        if (!index) return no_entry(path, rest[0], list.size());
        index_ = static_cast<int>(*index);
        return to(list[*index], entry_range(range), rest.subspan(1), path + "[" + rest[0] + "]");
    }

    template <typename M, typename Range>
    Status into(Shared<M>& matrix, const Range&, Parts rest, const std::string& path) {
        if (rest.size() != 2) return no_field(key_);
        const std::optional<std::size_t> row = index_below(rest[0], static_cast<std::size_t>(matrix.rows()));
        const std::optional<std::size_t> col = index_below(rest[1], static_cast<std::size_t>(matrix.cols()));
        if (!row) return no_entry(path, rest[0], static_cast<std::size_t>(matrix.rows()));
        if (!col) return no_entry(path + "[" + rest[0] + "]", rest[1], static_cast<std::size_t>(matrix.cols()));
        auto cell = (*matrix)(static_cast<Index>(*row), static_cast<Index>(*col));
        Status status = use_(cell, AnyNumber{}, path + "[" + rest[0] + "][" + rest[1] + "]", index_);
        if (status)
            matrix = matrix.with([&](M& copy) { copy(static_cast<Index>(*row), static_cast<Index>(*col)) = cell; });
        return status;
    }

    std::string_view key_;
    Use use_;
    int index_ = 0;
};

// The decimal number of fewest digits that is this float.
double shown_double(float value) {
    const std::string text = float_text(value);
    double shown = static_cast<double>(value);
    if (std::isfinite(value)) std::from_chars(text.data(), text.data() + text.size(), shown);
    return shown;
}

void collect_names(auto& group, const std::string& path, std::vector<std::string>& names) {
    visit_fields(group, [&]<typename Field>(const char* name, Field& field, const auto&) {
        const std::string full = path.empty() ? name : path + "." + name;
        if constexpr (HasFields<Field>)
            collect_names(field, full, names);
        else
            names.push_back(full);
    });
}

// The settings that decide what the seed draws; see drawn_value().
bool draws_differ(const Model& a, const Model& b) {
    return a.seed != b.seed || a.d_model != b.d_model || a.d_k != b.d_k || a.d_v != b.d_v || a.n_heads != b.n_heads ||
           a.picture != b.picture || draws_patches(a) != draws_patches(b);
}

void follow(const Model& before, Model& after) {
    const auto count = [](const std::vector<std::string>& tokens) { return static_cast<int>(tokens.size()); };
    if (after.query_tokens != before.query_tokens && !after.query_tokens.empty())
        after.n_queries = count(after.query_tokens);
    if (after.key_tokens != before.key_tokens && !after.key_tokens.empty()) after.n_keys = count(after.key_tokens);
    if (after.n_heads != before.n_heads && before.n_kv_heads == before.n_heads) after.n_kv_heads = after.n_heads;
    if (after.n_heads != before.n_heads) follow_heads(after);
    if (after.picture != before.picture)
        follow_picture(before, after);
    else
        follow_words(before, after);
}

}  // namespace

std::vector<std::string> field_names() {
    std::vector<std::string> names;
    Scene scene;
    collect_names(scene, "", names);
    return names;
}

Result<FieldKind> field_kind(const Scene& scene, std::string_view key) {
    const std::vector<std::string> parts = parts_of(key);
    Scene copy = scene;
    FieldKind kind = FieldKind::group;
    Walk walk(key, [&]<typename Field>(Field&, const auto&, const std::string&, int) {
        kind = std::is_same_v<Field, std::uint8_t> ? FieldKind::whole : kind_of<Field>();
        return ok();
    });
    Status status = parts.empty() ? Status(no_field(key)) : walk.to(copy, Anything{}, parts, "");
    if (!status) return Error{status.error()};
    return kind;
}

Result<FieldValue> field_value(const Scene& scene, std::string_view key) {
    const std::vector<std::string> parts = parts_of(key);
    if (parts.empty()) return no_field(key);
    Scene copy = scene;
    std::optional<FieldValue> value;
    Walk walk(key, [&]<typename Field>(Field& field, const auto&, const std::string& path, int) -> Status {
        if constexpr (std::is_same_v<Field, bool>)
            value = field;
        else if constexpr (std::is_same_v<Field, std::string>)
            value = field;
        else if constexpr (IsChoice<Field>)
            value = std::string(ChoiceIds<Field>::ids[static_cast<std::size_t>(field)]);
        else if constexpr (std::is_same_v<Field, float>)
            value = shown_double(field);
        else if constexpr (std::is_arithmetic_v<Field>)
            value = static_cast<double>(field);
        else if constexpr (std::is_same_v<Field, std::optional<float>>) {
            if (!field) return Error{path + ": it is off"};
            value = shown_double(*field);
        } else {
            return Error{path + ": this is a list or a group, not one value"};
        }
        return ok();
    });
    if (Status status = walk.to(copy, Anything{}, parts, ""); !status) return Error{status.error()};
    return *value;
}

Status set_field(Scene& scene, std::string_view key, std::string_view value) {
    const std::vector<std::string> parts = parts_of(key);
    if (parts.empty()) return no_field(key);
    const Value typed = parse_value(value);

    Scene next = scene;
    if (parts.size() > 1 && parts[0] == "model" && parts[1] == "layers") hold_layer(next.model, 0);
    SceneReader reader;
    reader.set_model(next.model);
    Walk walk(key,
              [&]<typename Field, typename Range>(Field& field, const Range& range, const std::string& path,
                                                  int index) -> Status {
                  reader.set_index(index);
                  if constexpr (std::is_same_v<Field, std::string>) {
                      return reader.read_allowed(typed.json.is_string() ? typed.json : Json(typed.text), field, range,
                                                 path);
                  } else if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
                      // Tokens may be typed as in the window.
                      const Json tokens = typed.json.is_array() ? typed.json : Json(split_tokens(typed.text));
                      return reader.read_allowed(tokens, field, range, path);
                  } else if constexpr (std::is_same_v<Field, std::uint8_t>) {
                      if (typed.json != 0 && typed.json != 1)
                          return Error{path + ": " + shown(typed.text) + " is not 1 (visible) or 0 (hidden)"};
                      field = typed.json == 1 ? 1 : 0;
                      return ok();
                  } else if constexpr (std::is_same_v<Range, AnyNumber>) {
                      return SceneReader::read_cell(typed.json, field, path);
                  } else {
                      return reader.read_allowed(typed.json, field, range, path);
                  }
              });
    if (Status status = walk.to(next, Anything{}, parts, ""); !status) return status;
    follow(scene.model, next.model);
    if (next.model.layers.held >= next.model.depth->layers) detail::swap_layer(next.model, 0);
    if (draws_differ(scene.model, next.model)) forget_drawn_matrices(scene.model, next.model);
    if (Status status = finish_scene(next, reader, Growth::allowed); !status) return status;
    scene = std::move(next);
    return ok();
}

}  // namespace heed
