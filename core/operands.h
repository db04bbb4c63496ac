// The matrices a model is made from, a row each. Sizes, checks, seeds, scene files, import, export, compute's arguments and
// the matrix editor follow from the table in operands.cpp.
#pragma once

#include "core/model.h"
#include "core/picture/picture.h"

#include <span>
#include <string_view>
#include <variant>

namespace heed {

// In the order of operands(). The number of an operand is part of what its seed draws: a new one goes to the end.
enum class Operand { q, k, v, x, y, w_q, w_k, w_v, w_o, additive_w_q, additive_w_k, additive_v, bias, painted_mask };

enum class Side { queries, keys, d_model, d_k, d_v, d_additive, one };  // what its rows or columns are
enum class Owner { head, kv_head, model, model_or_head };               // model_or_head: one for all heads, or one each

// Why it takes no part in the computation.
enum class Absence {
    none,
    source_is_direct,
    source_is_projected,
    self_attention,
    no_output_projection,
    score_not_additive,
    bias_off,
    paint_off
};

using OperandMember =
    std::variant<std::vector<SharedMatrix> Model::*, SharedMatrix Model::*, std::vector<SharedMask> Model::*>;

struct OperandRow {
    Operand operand;
    std::string_view id;       // of the field in files, and on the command line: "w_q"
    std::string_view symbol;   // rich text: "W_{Q}"
    std::string_view meaning;  // English, through tr()
    Owner owner;
    Side rows, cols;
    OperandMember member;
    float (*deviation)(const Model&);  // of what the seed draws; null where every cell starts as `start`
    float start;
    Absence (*absence)(const Model&);
    bool hides = false;        // −∞ may stand in it
    bool is_of_layer = false;  // every layer of a model with depth draws its own

    bool is_mask() const { return std::holds_alternative<std::vector<SharedMask> Model::*>(member); }
    bool is_word() const { return owner == Owner::model_or_head; }  // its symbol is a word, through tr()
};
std::span<const OperandRow> operands();
const OperandRow& operand_row(Operand operand);
const OperandRow* find_operand(std::string_view id);  // null where there is none

int side_length(const Model& model, Side side);
std::string_view side_symbol(Side side);  // rich text: "d_{k}"

int operand_count(const Model& model, Operand operand);  // how many of them are in use (heads, or 1)
// Which of them stands for this head: its own, its key/value group's, or the one that serves all.
int operand_index(const Model& model, Operand operand, int head);
Shape operand_shape(const Model& model, Operand operand);  // the part in use
// Not of the painted mask, whose cells are no floats.
const SharedMatrix& operand_matrix(const Model& model, Operand operand, int index);
SharedMatrix& operand_matrix(Model& model, Operand operand, int index);

// What the seed puts into a row: depends on seed, operand, head, row and column only, so growing in any order gives the
// same numbers. Where embeddings are drawn by word, a row of X or Y depends on its word instead of its place, so that equal
// words have equal rows wherever they stand; a row whose word is a patch of the picture tells of that patch, and W_Q and W_K then
// compare patches by what their rows tell (core/picture/picture.h). Biases start at zero and masks open.
class DrawnRow {
public:
    DrawnRow(const Model& model, Operand operand, int index, Index row);
    float operator()(Index col) const;
    // The columns from `first` on.
    void fill(Index first, std::span<float> out) const;

private:
    enum class Kind { seed, patch, diagonal };
    Kind kind_ = Kind::seed;
    std::uint64_t seed_ = 0, stream_ = 0, row_ = 0;
    float deviation_ = 0;  // 0: every cell is start_
    float start_ = 0;
    PatchLook look_{};       // patch
    float place_share_ = 0;  // patch
    float gain_ = 0;         // diagonal
};
// Whether the picture decides rows of X and Y and what W_Q and W_K compare.
bool draws_patches(const Model& model);
float drawn_value(const Model& model, Operand operand, int index, Index row, Index col);

// Calls use(list) with the std::vector of its matrices, or use(matrix) where there is only one.
template <typename ModelType, typename Use>
decltype(auto) with_member(ModelType& model, const OperandRow& row, Use&& use) {
    return std::visit([&](auto member) -> decltype(auto) { return use(model.*member); }, row.member);
}

// Calls use(matrix, index) for each that is stored, in use or not.
template <typename ModelType, typename Use>
void for_each_matrix(ModelType& model, const OperandRow& row, Use&& use) {
    with_member(model, row, [&](auto& member) {
        if constexpr (requires { member.size(); })
            for (std::size_t i = 0; i < member.size(); ++i) use(member[i], static_cast<int>(i));
        else
            use(member, 0);
    });
}

}  // namespace heed
