// What makes a model impossible, in sentences for the user.
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model_fields.h"
#include "core/operands.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace heed {

namespace {

template <typename Value>
std::string shown(Value value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

class Checker {
public:
    template <typename Block>
    void fits(std::string_view field, const Block& block, Shape shape) {
        if (block.rows() >= shape.rows && block.cols() >= shape.cols) return;
        say("model." + std::string(field) + ": " + shown(block.rows()) + " × " + shown(block.cols()) +
            " is smaller than the " + shown(shape.rows) + " × " + shown(shape.cols) + " that the sizes ask for");
    }

    template <typename List>
    bool holds(std::string_view field, const List& list, int count) {
        if (list.size() >= static_cast<std::size_t>(count)) return true;
        say("model." + std::string(field) + ": " + shown(list.size()) + " matrices, but " + shown(count) +
            " are needed");
        return false;
    }

    void say(std::string sentence) { sentences.push_back(std::move(sentence)); }

    std::vector<std::string> sentences;
};

}  // namespace

std::int64_t numbers_when_fitted(const Model& sizes, const Model& stored) {
    std::int64_t numbers = 0;
    for (const OperandRow& row : operands()) {
        const Shape shape = operand_shape(sizes, row.operand);
        std::int64_t cells = 0;
        int n_stored = 0;
        for_each_matrix(stored, row, [&](const auto& matrix, int) {
            cells += std::int64_t{std::max(shape.rows, matrix.rows())} * std::max(shape.cols, matrix.cols());
            ++n_stored;
        });
        const int wanted = row.owner != Owner::model_or_head ? operand_count(sizes, row.operand)
                           : n_stored > 1                    ? sizes.n_heads
                                                             : 1;
        cells += std::int64_t{std::max(0, wanted - n_stored)} * shape.rows * shape.cols;
        numbers += row.is_mask() ? cells / 4 : cells;  // its cells are bytes, four to a number
    }
    return numbers;
}

namespace {

void check_depth(const Model& model, Checker& check) {
    const LayerStack& stack = model.layers;
    const auto stored = static_cast<int>(stack.others.size());
    if (stored > max_layers || (stored > 0 && (stack.held < 0 || stack.held >= stored)) ||
        (stored == 0 && stack.held != 0))
        return check.say("model.layers: there are at most " + shown(max_layers));
    for (int layer = 0; layer < stored; ++layer)
        if (layer != stack.held)
            check_fields(stack.others[static_cast<std::size_t>(layer)], "model.layers[" + shown(layer) + "]",
                         check.sentences);
    if (!check.sentences.empty() || is_alone(*model.depth)) return;
    if (std::string why = why_no_depth(model); !why.empty()) check.say(std::move(why));
    const std::int64_t weights = std::int64_t{model.n_heads} * model.n_queries * effective_n_keys(model);
    if (weights * model.depth->layers > max_weights)
        check.say("model.depth.layers: " + shown(model.depth->layers) + " layers of " + shown(weights) +
                  " weights are more than the " + shown(max_weights) + " Heed can hold");
}

}  // namespace

std::vector<std::string> check_settings(const Model& model) {
    Checker check;
    check_fields(model, "model", check.sentences);
    if (std::string why = wrong_picture(*model.picture); !why.empty()) check.say("model.picture." + why);
    if (check.sentences.empty()) check_depth(model, check);
    if (check.sentences.empty() && model.n_heads % model.n_kv_heads != 0)
        check.say("model.n_kv_heads: " + shown(model.n_kv_heads) + " does not divide the " + shown(model.n_heads) +
                  " heads");
    if (check.sentences.empty() &&
        std::int64_t{model.n_heads} * model.n_queries * effective_n_keys(model) > max_weights)
        check.say("model.n_heads: " + shown(model.n_heads) + " heads of " + shown(model.n_queries) + " × " +
                  shown(effective_n_keys(model)) + " weights are more than the " + shown(max_weights) +
                  " Heed can hold");

    if (check.sentences.empty())
        if (const std::int64_t numbers = numbers_when_fitted(model, model) + numbers_around(model);
            numbers > max_numbers)
            check.say("model: matrices of these sizes would hold " + shown(numbers) + " numbers, more than the " +
                      shown(max_numbers) + " Heed can hold");

    return check.sentences;
}

namespace {

void check_matrices(const Model& model, Checker& check) {
    for (const OperandRow& row : operands()) {
        const Shape shape = operand_shape(model, row.operand);
        const int count = operand_count(model, row.operand);
        const bool all_are_used = row.owner == Owner::model_or_head;
        const bool enough = with_member(model, row, [&](const auto& member) {
            if constexpr (requires { member.size(); })
                return check.holds(row.id, member, count);
            else
                return true;
        });
        if (!enough) continue;
        for_each_matrix(model, row, [&](const auto& matrix, int index) {
            if (all_are_used || index < count) check.fits(row.id, matrix, shape);
        });
    }
    check.holds("heads", model.heads, model.n_heads);
}

}  // namespace

std::vector<std::string> check_model(const Model& model) {
    Checker check;
    check.sentences = check_settings(model);
    if (!check.sentences.empty()) return check.sentences;
    const auto stored = static_cast<int>(model.layers.others.size());
    if (model.depth->layers > 1 && stored < model.depth->layers)
        check.say("model.layers: " + shown(stored) + " layers, but " + shown(model.depth->layers) + " are needed");
    if (model.layers.held >= model.depth->layers) check.say("model.layers: the layer that is held is not there");
    Model each = model;
    for_each_layer(each, [&](const Model& layer) {
        if (check.sentences.empty() && layer.layers.held < model.depth->layers) check_matrices(layer, check);
    });
    return check.sentences;
}

}  // namespace heed
