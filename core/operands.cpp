#include "core/operands.h"

#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/layers.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/model/position_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace heed {
namespace {

float inverse_root(int fan_in) { return 1.0F / std::sqrt(static_cast<float>(std::max(1, fan_in))); }

// Unit variance for activations; 1/fan-in for weights, so that a projection keeps unit variance.
float unit(const Model&) { return 1.0F; }
// Where a position is added, √d_model multiplies the embeddings first (or is left out to see what that does), so a table of
// words starts that much smaller.
float of_words(const Model& model) {
    const bool is_multiplied = position_encoding(model.position->encoding).add != nullptr;
    return model.embeddings == Embeddings::by_word && is_multiplied ? inverse_root(model.d_model) : 1.0F;
}
float from_embeddings(const Model& model) { return inverse_root(model.d_model); }
float from_heads(const Model& model) { return inverse_root(model.n_heads * model.d_v); }
float from_keys(const Model& model) { return inverse_root(model.d_k); }

Absence where_direct(const Model& model) {
    return model.source == Source::projected ? Absence::source_is_projected : Absence::none;
}
Absence where_projected(const Model& model) {
    return model.source == Source::projected ? Absence::none : Absence::source_is_direct;
}
Absence where_keys_are_others(const Model& model) {
    if (model.source != Source::projected) return Absence::source_is_direct;
    return model.self_attention ? Absence::self_attention : Absence::none;
}
Absence where_heads_are_joined(const Model& model) {
    return model.output_projection ? Absence::none : Absence::no_output_projection;
}
Absence where_additive(const Model& model) {
    return score_function(model.score).uses_hidden_layer ? Absence::none : Absence::score_not_additive;
}
Absence where_biased(const Model& model) { return model.bias_on ? Absence::none : Absence::bias_off; }
Absence where_painted(const Model& model) { return model.mask->painted ? Absence::none : Absence::paint_off; }

const OperandRow table[] = {
    {Operand::q, "q", "Q", "queries", Owner::head, Side::queries, Side::d_k, &Model::q, unit, 0, where_direct},
    {Operand::k, "k", "K", "keys", Owner::kv_head, Side::keys, Side::d_k, &Model::k, unit, 0, where_direct},
    {Operand::v, "v", "V", "values", Owner::kv_head, Side::keys, Side::d_v, &Model::v, unit, 0, where_direct},
    {Operand::x, "x", "X", "embeddings of the queries", Owner::model, Side::queries, Side::d_model, &Model::x, of_words,
     0, where_projected},
    {Operand::y, "y", "Y", "embeddings of the keys", Owner::model, Side::keys, Side::d_model, &Model::y, of_words, 0,
     where_keys_are_others},
    {Operand::w_q, "w_q", "W_{Q}", "projects X to Q", Owner::head, Side::d_model, Side::d_k, &Model::w_q,
     from_embeddings, 0, where_projected, false, true},
    {Operand::w_k, "w_k", "W_{K}", "projects to K", Owner::kv_head, Side::d_model, Side::d_k, &Model::w_k,
     from_embeddings, 0, where_projected, false, true},
    {Operand::w_v, "w_v", "W_{V}", "projects to V", Owner::kv_head, Side::d_model, Side::d_v, &Model::w_v,
     from_embeddings, 0, where_projected, false, true},
    {Operand::w_o, "w_o", "W_{O}", "joins the heads", Owner::head, Side::d_v, Side::d_model, &Model::w_o, from_heads, 0,
     where_heads_are_joined, false, true},
    {Operand::additive_w_q, "additive_w_q", "W_{q}", "of the additive score", Owner::model, Side::d_additive, Side::d_k,
     &Model::additive_w_q, from_keys, 0, where_additive, false, true},
    {Operand::additive_w_k, "additive_w_k", "W_{k}", "of the additive score", Owner::model, Side::d_additive, Side::d_k,
     &Model::additive_w_k, from_keys, 0, where_additive, false, true},
    {Operand::additive_v, "additive_v", "v", "of the additive score", Owner::model, Side::one, Side::d_additive,
     &Model::additive_v, unit, 0, where_additive, false, true},
    {Operand::bias, "bias", "Bias", "added to the scores", Owner::model_or_head, Side::queries, Side::keys,
     &Model::bias, nullptr, 0, where_biased, true},
    {Operand::painted_mask, "painted_mask", "Mask", "painted by hand", Owner::model_or_head, Side::queries, Side::keys,
     &Model::painted_mask, nullptr, 1, where_painted},
};

template <typename ModelType>
auto& matrix_of(ModelType& model, Operand operand, int index) {
    using Result = std::conditional_t<std::is_const_v<ModelType>, const SharedMatrix, SharedMatrix>;
    const OperandMember& member = operand_row(operand).member;
    if (const auto* one = std::get_if<SharedMatrix Model::*>(&member)) return static_cast<Result&>(model.**one);
    const auto* list = std::get_if<std::vector<SharedMatrix> Model::*>(&member);
    assert(list != nullptr);
    return static_cast<Result&>((model.**list)[static_cast<std::size_t>(index)]);
}

}  // namespace

std::span<const OperandRow> operands() { return table; }

const OperandRow& operand_row(Operand operand) { return table[static_cast<std::size_t>(operand)]; }

const OperandRow* find_operand(std::string_view id) {
    for (const OperandRow& row : table)
        if (row.id == id) return &row;
    return nullptr;
}

int side_length(const Model& model, Side side) {
    switch (side) {
        case Side::queries:
            return model.n_queries;
        case Side::keys:
            return effective_n_keys(model);
        case Side::d_model:
            return model.d_model;
        case Side::d_k:
            return model.d_k;
        case Side::d_v:
            return model.d_v;
        case Side::d_additive:
            return model.d_additive;
        case Side::one:
            return 1;
    }
    return 1;
}

std::string_view side_symbol(Side side) {
    constexpr std::string_view symbols[] = {"n", "m", "d_{model}", "d_{k}", "d_{v}", "d_{a}", "1"};
    return symbols[static_cast<std::size_t>(side)];
}

int operand_count(const Model& model, Operand operand) {
    const OperandRow& row = operand_row(operand);
    switch (row.owner) {
        case Owner::head:
            return model.n_heads;
        case Owner::kv_head:
            return model.n_kv_heads;
        case Owner::model:
            return 1;
        case Owner::model_or_head: {
            int stored = 0;
            for_each_matrix(model, row, [&](const auto&, int) { ++stored; });
            return stored > 1 ? model.n_heads : 1;
        }
    }
    return 1;
}

int operand_index(const Model& model, Operand operand, int head) {
    head = std::clamp(head, 0, model.n_heads - 1);
    if (operand_row(operand).owner == Owner::kv_head) return kv_head_of(model, head);
    return std::min(head, operand_count(model, operand) - 1);
}

Shape operand_shape(const Model& model, Operand operand) {
    const OperandRow& row = operand_row(operand);
    return {side_length(model, row.rows), side_length(model, row.cols)};
}

const SharedMatrix& operand_matrix(const Model& model, Operand operand, int index) {
    return matrix_of(model, operand, index);
}

SharedMatrix& operand_matrix(Model& model, Operand operand, int index) { return matrix_of(model, operand, index); }

namespace {

// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    return hash;
}

}  // namespace

bool draws_patches(const Model& model) {
    return has_picture(*model.picture) && model.embeddings == Embeddings::by_word;
}

DrawnRow::DrawnRow(const Model& model, Operand operand, int index, Index row) {
    const OperandRow& how = operand_row(operand);
    start_ = how.start;
    if (how.deviation == nullptr) return;
    seed_ = how.is_of_layer ? layer_seed(model) : model.seed;
    deviation_ = how.deviation(model);
    if (model.embeddings == Embeddings::by_word && (operand == Operand::x || operand == Operand::y)) {
        const std::string word = operand == Operand::x ? query_word(model, row) : key_word(model, row);
        if (const std::optional<Patch> patch = patch_of(*model.picture, word)) {
            kind_ = Kind::patch;
            look_ = patch_look(*model.picture, *patch);
            place_share_ = model.picture->place_share;
        }
        stream_ = 0x776f7264ULL << 32U;  // "word": apart from every operand's stream, and the same for X and Y
        row_ = hash_of(word);
    } else if (draws_patches(model) && (operand == Operand::w_q || operand == Operand::w_k)) {
        kind_ = Kind::diagonal;
        row_ = static_cast<std::uint64_t>(row);
        gain_ = operand == Operand::w_q ? query_gain(index, static_cast<long>(row)) : key_gain;
    } else {
        stream_ = (static_cast<std::uint64_t>(operand) << 32U) | static_cast<std::uint32_t>(index);
        row_ = static_cast<std::uint64_t>(row);
    }
}

float DrawnRow::operator()(Index col) const {
    if (kind_ == Kind::patch) return deviation_ * patch_number(look_, place_share_, static_cast<long>(col));
    if (kind_ == Kind::diagonal) return static_cast<std::uint64_t>(col) == row_ ? gain_ : 0.0F;
    return deviation_ == 0 ? start_ : deviation_ * normal_at(seed_, stream_, row_, static_cast<std::uint64_t>(col));
}

void DrawnRow::fill(Index first, std::span<float> out) const {
    if (kind_ == Kind::seed && deviation_ != 0) {
        normals_at(seed_, stream_, row_, static_cast<std::uint64_t>(first), out);
        for (float& number : out) number *= deviation_;
        return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*this)(first + static_cast<Index>(i));
}

float drawn_value(const Model& model, Operand operand, int index, Index row, Index col) {
    return DrawnRow(model, operand, index, row)(col);
}

}  // namespace heed
