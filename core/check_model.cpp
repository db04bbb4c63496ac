// What makes a model impossible, in sentences for the user.
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model.h"

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
    explicit Checker(const Model& model) : model_(model) {}

    void between(const char* field, int value, int low, int high) {
        if (value < low || value > high)
            say(std::string("model.") + field + ": " + shown(value) + " is not between " + shown(low) + " and " +
                shown(high));
    }

    template <typename Table>
    void row_of(const char* field, const std::string& id, const Table& table) {
        std::string known;
        for (const auto& row : table) {
            if (row.id == id) return;
            known += (known.empty() ? "" : ", ") + std::string(row.id);
        }
        say(std::string("model.") + field + ": \"" + id + "\" is none of " + known);
    }

    void matrix(const char* field, Operand operand) {
        const Shape shape = operand_shape(model_, operand);
        for (int i = 0; i < operand_count(model_, operand); ++i) fits(field, operand_matrix(model_, operand, i), shape);
    }

    template <typename Block>
    void fits(const char* field, const Block& block, Shape shape) {
        if (block.rows() >= shape.rows && block.cols() >= shape.cols) return;
        say(std::string("model.") + field + ": " + shown(block.rows()) + " × " + shown(block.cols()) +
            " is smaller than the " + shown(shape.rows) + " × " + shown(shape.cols) + " that the sizes ask for");
    }

    template <typename List>
    bool holds(const char* field, const List& list, int count) {
        if (list.size() >= static_cast<std::size_t>(count)) return true;
        say(std::string("model.") + field + ": " + shown(list.size()) + " matrices, but " + shown(count) +
            " are needed");
        return false;
    }

    void say(std::string sentence) { sentences.push_back(std::move(sentence)); }

    std::vector<std::string> sentences;

private:
    const Model& model_;
};

}  // namespace

std::int64_t numbers_when_fitted(const Model& sizes, const Model& stored) {
    std::int64_t numbers = 0;
    const auto cells = [&](Operand operand, const auto& matrix) {
        const Shape shape = operand_shape(sizes, operand);
        return std::int64_t{std::max(shape.rows, matrix.rows())} * std::max(shape.cols, matrix.cols());
    };
    const auto cells_of_list = [&](Operand operand, const auto& list, int count) {
        std::int64_t sum = 0;
        for (const auto& one : list) sum += cells(operand, one);
        const auto missing = std::max<std::int64_t>(0, count - static_cast<std::int64_t>(list.size()));
        return sum + missing * cells(operand, Matrix());
    };
    const auto one_or_per_head = [&](const auto& list) { return list.size() > 1 ? sizes.n_heads : 1; };
    numbers += cells_of_list(Operand::q, stored.q, sizes.n_heads);
    numbers += cells_of_list(Operand::k, stored.k, sizes.n_kv_heads);
    numbers += cells_of_list(Operand::v, stored.v, sizes.n_kv_heads);
    numbers += cells_of_list(Operand::w_q, stored.w_q, sizes.n_heads);
    numbers += cells_of_list(Operand::w_k, stored.w_k, sizes.n_kv_heads);
    numbers += cells_of_list(Operand::w_v, stored.w_v, sizes.n_kv_heads);
    numbers += cells_of_list(Operand::w_o, stored.w_o, sizes.n_heads);
    numbers += cells_of_list(Operand::bias, stored.bias, one_or_per_head(stored.bias));
    numbers += cells(Operand::x, stored.x);
    numbers += cells(Operand::y, stored.y);
    numbers += cells(Operand::additive_w_q, stored.additive_w_q);
    numbers += cells(Operand::additive_w_k, stored.additive_w_k);
    numbers += cells(Operand::additive_v, stored.additive_v);
    // A painted mask is as large as a bias; its cells are bytes, four to a number.
    return numbers + cells_of_list(Operand::bias, stored.painted_mask, one_or_per_head(stored.painted_mask)) / 4;
}

std::vector<std::string> check_settings(const Model& model) {
    Checker check(model);
    check.between("n_queries", model.n_queries, 1, max_tokens);
    check.between("n_keys", model.n_keys, 1, max_tokens);
    check.between("d_model", model.d_model, 1, max_width);
    check.between("d_k", model.d_k, 1, max_width);
    check.between("d_v", model.d_v, 1, max_width);
    check.between("d_additive", model.d_additive, 1, max_width);
    check.between("n_heads", model.n_heads, 1, max_heads);
    check.between("n_kv_heads", model.n_kv_heads, 1, max_heads);
    if (check.sentences.empty() && model.n_heads % model.n_kv_heads != 0)
        check.say("model.n_kv_heads: " + shown(model.n_kv_heads) + " does not divide the " + shown(model.n_heads) +
                  " heads");
    if (check.sentences.empty() &&
        std::int64_t{model.n_heads} * model.n_queries * effective_n_keys(model) > max_weights)
        check.say("model.n_heads: " + shown(model.n_heads) + " heads of " + shown(model.n_queries) + " × " +
                  shown(effective_n_keys(model)) + " weights are more than the " + shown(max_weights) +
                  " Heed can hold");

    if (check.sentences.empty())
        if (const std::int64_t numbers = numbers_when_fitted(model, model); numbers > max_numbers)
            check.say("model: matrices of these sizes would hold " + shown(numbers) + " numbers, more than the " +
                      shown(max_numbers) + " Heed can hold");

    check.row_of("score", model.score, score_functions());
    check.row_of("position", model.position, position_encodings());
    check.row_of("normalizer", model.normalizer, normalizers());
    if (!(model.temperature >= 0.0F) || !std::isfinite(model.temperature))
        check.say("model.temperature: " + shown(model.temperature) + " is not 0 or more");
    if (!std::isfinite(model.typed_scale))
        check.say("model.typed_scale: " + shown(model.typed_scale) + " is not a finite number");
    if (model.soft_cap && (!(*model.soft_cap > 0.0F) || !std::isfinite(*model.soft_cap)))
        check.say("model.soft_cap: " + shown(*model.soft_cap) + " is not above 0");

    const MaskSettings& mask = model.mask;
    check.between("mask.padding", mask.padding, 0, max_tokens);
    check.between("mask.window_left", mask.window_left, -1, max_tokens);
    check.between("mask.window_right", mask.window_right, -1, max_tokens);
    check.between("mask.stride", mask.stride, 0, max_tokens);
    check.between("mask.block", mask.block, 0, max_tokens);
    check.between("mask.global_tokens", mask.global_tokens, 0, max_tokens);
    check.between("query_offset", model.query_offset, -max_tokens, max_tokens);
    return check.sentences;
}

std::vector<std::string> check_model(const Model& model) {
    Checker check(model);
    check.sentences = check_settings(model);
    if (!check.sentences.empty()) return check.sentences;

    const Shape weights{model.n_queries, effective_n_keys(model)};
    if (check.holds("q", model.q, model.n_heads)) check.matrix("q", Operand::q);
    if (check.holds("k", model.k, model.n_kv_heads)) check.matrix("k", Operand::k);
    if (check.holds("v", model.v, model.n_kv_heads)) check.matrix("v", Operand::v);
    if (check.holds("w_q", model.w_q, model.n_heads)) check.matrix("w_q", Operand::w_q);
    if (check.holds("w_k", model.w_k, model.n_kv_heads)) check.matrix("w_k", Operand::w_k);
    if (check.holds("w_v", model.w_v, model.n_kv_heads)) check.matrix("w_v", Operand::w_v);
    if (check.holds("w_o", model.w_o, model.n_heads)) check.matrix("w_o", Operand::w_o);
    check.matrix("x", Operand::x);
    check.matrix("y", Operand::y);
    check.matrix("additive_w_q", Operand::additive_w_q);
    check.matrix("additive_w_k", Operand::additive_w_k);
    check.matrix("additive_v", Operand::additive_v);
    if (check.holds("bias", model.bias, model.bias.size() > 1 ? model.n_heads : 1))
        for (const SharedMatrix& bias : model.bias) check.fits("bias", bias, weights);
    if (check.holds("painted_mask", model.painted_mask, model.painted_mask.size() > 1 ? model.n_heads : 1))
        for (const SharedMask& painted : model.painted_mask) check.fits("painted_mask", painted, weights);
    check.holds("heads", model.heads, model.n_heads);
    for (const HeadSetting& head : model.heads)
        if (!std::isfinite(head.gain)) check.say("model.heads.gain: " + shown(head.gain) + " is not a finite number");
    return check.sentences;
}

}  // namespace heed
