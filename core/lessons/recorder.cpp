#include "core/lessons/recorder.h"

#include "core/files/number_text.h"
#include "core/files/scene_file.h"
#include "core/lessons/actions.h"
#include "core/operands.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace heed {

namespace {

constexpr std::size_t most_cells = 12;  // of matrices, in one step

// These have verbs of their own.
bool has_verb(std::string_view field) {
    return field == "display.view" || field == "display.head" || field == "display.pinned" ||
           field.starts_with("display.pin.");
}

std::string number(double value) {
    const auto whole = static_cast<long long>(value);
    if (static_cast<double>(whole) == value) return std::to_string(whole);
    return float_text(static_cast<float>(value));
}

std::string value_of(const FieldValue& value) {
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    if (const double* real = std::get_if<double>(&value)) return number(*real);
    return std::get<std::string>(value);
}

// As JSON has it: quotes keep what is inside them from ending the action.
std::string list_of(const std::vector<std::string>& words) {
    std::string text = "[";
    for (const std::string& word : words) {
        text += text.size() == 1 ? "\"" : ",\"";
        for (const char c : word) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    return text + "]";
}

// Keeps the scene that the actions so far have made of the first one.
struct Recording {
    Scene scene;
    std::vector<Action> actions;

    void add(Verb verb, std::string argument) {
        if (actions.size() == most_actions) return;
        Action action{verb, std::move(argument)};
        // Written and read again, as it will be: what does not come back so is not recorded.
        const Result<std::vector<Action>> again = parse_actions(action_text(std::span(&action, 1)));
        if (!again || *again != std::vector{action} || !apply(action, scene)) return;
        actions.push_back(std::move(action));
    }
    void set(const std::string& field, const std::string& value) {
        if (value.find_first_of(";\n\r") == std::string::npos || value.starts_with('['))
            add(Verb::set, field + "=" + value);
    }
};

// Words first: they bring their number, and rows of matrices, with them.
void record_tokens(Recording& recording, const Scene& to) {
    if (recording.scene.model.query_tokens != to.model.query_tokens)
        recording.set("model.query_tokens", list_of(to.model.query_tokens));
    if (recording.scene.model.key_tokens != to.model.key_tokens)
        recording.set("model.key_tokens", list_of(to.model.key_tokens));
}

void record_fields(Recording& recording, const Scene& to) {
    for (const std::string& field : field_names()) {
        if (has_verb(field) || field.starts_with("title")) continue;
        const Result<FieldKind> kind = field_kind(to, field);
        if (!kind || *kind == FieldKind::group || *kind == FieldKind::list) continue;
        const Result<FieldValue> now = field_value(recording.scene, field);
        const Result<FieldValue> then = field_value(to, field);
        if (!then) {
            if (now) recording.set(field, "null");  // off
        } else if (!now || *now != *then) {
            recording.set(field, value_of(*then));
        }
    }
}

void record_heads(Recording& recording, const Model& to) {
    const std::size_t count = std::min(recording.scene.model.heads.size(), to.heads.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::string head = "model.heads[" + std::to_string(i) + "].";
        if (recording.scene.model.heads[i].on != to.heads[i].on)
            recording.set(head + "on", to.heads[i].on ? "true" : "false");
        if (recording.scene.model.heads[i].gain != to.heads[i].gain)
            recording.set(head + "gain", float_text(to.heads[i].gain));
    }
}

void record_cells(Recording& recording, const Model& to) {
    std::vector<std::pair<std::string, std::string>> cells;
    for (const OperandRow& row : operands()) {
        if (row.is_mask()) continue;
        const int count = std::min(operand_count(recording.scene.model, row.operand), operand_count(to, row.operand));
        const bool is_list = row.owner != Owner::model;
        for (int index = 0; index < count; ++index) {
            const SharedMatrix& now = operand_matrix(std::as_const(recording.scene.model), row.operand, index);
            const SharedMatrix& then = operand_matrix(to, row.operand, index);
            if (now == then) continue;
            const Index rows = std::min(now.rows(), then.rows());
            const Index cols = std::min(now.cols(), then.cols());
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < cols; ++j) {
                    const float value = (*then)(i, j);
                    if ((*now)(i, j) == value || !std::isfinite(value)) continue;
                    if (cells.size() == most_cells) return;  // a drawing, not a few numbers
                    std::string field = "model." + std::string(row.id);
                    if (is_list) field += "[" + std::to_string(index) + "]";
                    cells.emplace_back(field + "[" + std::to_string(i) + "][" + std::to_string(j) + "]",
                                       float_text(value));
                }
        }
    }
    for (const auto& [field, value] : cells) recording.set(field, value);
}

void record_gaze(Recording& recording, const Display& to) {
    if (recording.scene.display.view != to.view) recording.add(Verb::view, to.view);
    if (recording.scene.display.head != to.head) recording.add(Verb::head, std::to_string(to.head));
    const bool is_moved = !(recording.scene.display.pin == to.pin);
    if (to.pinned && (is_moved || !recording.scene.display.pinned))
        recording.add(Verb::pin, std::to_string(to.pin.query) + "," + std::to_string(to.pin.key));
    if (!to.pinned && recording.scene.display.pinned) recording.add(Verb::unpin, {});
}

}  // namespace

Recorded recorded_actions(const Scene& from, const Scene& to) {
    Recording recording{from, {}};
    record_tokens(recording, to);
    record_fields(recording, to);
    record_fields(recording, to);  // what one field does to another: setting the heads moves those of keys and values
    record_heads(recording, to.model);
    record_cells(recording, to.model);
    record_gaze(recording, to.display);
    Scene made = recording.scene;
    made.title = to.title;
    made.title_zh = to.title_zh;
    if (!to.display.pinned) made.display.pin = to.display.pin;  // of a cell that is not pinned nothing is seen
    return {std::move(recording.actions), made == to};
}

}  // namespace heed
