// What makes a model impossible, in sentences for the user.
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/scene.h"

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

// In all matrices together once they are fitted. A matrix never shrinks, so one that was long and becomes wide is both.
// Each factor is bounded, so the sum is far from overflowing.
std::int64_t numbers_needed(const Model& model) {
    std::int64_t numbers = 0;
    const auto add_one = [&](Operand operand, Index stored_rows, Index stored_cols) {
        const Shape shape = operand_shape(model, operand);
        numbers += std::int64_t{std::max(shape.rows, stored_rows)} * std::max(shape.cols, stored_cols);
    };
    const auto add_list = [&](Operand operand, const std::vector<SharedMatrix>& list) {
        for (const SharedMatrix& one : list) add_one(operand, one.rows(), one.cols());
        for (int i = static_cast<int>(list.size()); i < operand_count(model, operand); ++i) add_one(operand, 0, 0);
    };
    add_list(Operand::q, model.q);
    add_list(Operand::k, model.k);
    add_list(Operand::v, model.v);
    add_list(Operand::w_q, model.w_q);
    add_list(Operand::w_k, model.w_k);
    add_list(Operand::w_v, model.w_v);
    add_list(Operand::w_o, model.w_o);
    add_list(Operand::bias, model.bias);
    add_one(Operand::x, model.x.rows(), model.x.cols());
    add_one(Operand::y, model.y.rows(), model.y.cols());
    add_one(Operand::additive_w_q, model.additive_w_q.rows(), model.additive_w_q.cols());
    add_one(Operand::additive_w_k, model.additive_w_k.rows(), model.additive_w_k.cols());
    add_one(Operand::additive_v, model.additive_v.rows(), model.additive_v.cols());
    return numbers;
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

    if (check.sentences.empty() && numbers_needed(model) > max_numbers)
        check.say("model: matrices of these sizes would hold " + shown(numbers_needed(model)) +
                  " numbers, more than the " + shown(max_numbers) + " Heed can hold");

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
