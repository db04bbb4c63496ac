#include "core/model.h"

#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace heed {

namespace {

std::string label(const std::vector<std::string>& tokens, int index) {
    const auto at = static_cast<std::size_t>(index);
    if (at < tokens.size() && !tokens[at].empty()) return tokens[at];
    return std::to_string(index + 1);
}

// Unit variance for activations; 1/fan-in for weights, so that a projection keeps unit variance.
float drawn_deviation(const Model& model, Operand operand) {
    const auto inverse_root = [](int fan_in) { return 1.0F / std::sqrt(static_cast<float>(std::max(1, fan_in))); };
    switch (operand) {
        case Operand::w_q:
        case Operand::w_k:
        case Operand::w_v:
            return inverse_root(model.d_model);
        case Operand::w_o:
            return inverse_root(model.n_heads * model.d_v);
        case Operand::additive_w_q:
        case Operand::additive_w_k:
            return inverse_root(model.d_k);
        case Operand::bias:
            return 0.0F;
        default:
            return 1.0F;
    }
}

bool is_per_head(Operand operand) {
    switch (operand) {
        case Operand::x:
        case Operand::y:
        case Operand::additive_w_q:
        case Operand::additive_w_k:
        case Operand::additive_v:
            return false;
        default:
            return true;
    }
}

template <typename ModelType>
auto& per_head_matrices(ModelType& model, Operand operand) {
    switch (operand) {
        case Operand::q:
            return model.q;
        case Operand::k:
            return model.k;
        case Operand::v:
            return model.v;
        case Operand::w_q:
            return model.w_q;
        case Operand::w_k:
            return model.w_k;
        case Operand::w_v:
            return model.w_v;
        case Operand::w_o:
            return model.w_o;
        default:
            assert(operand == Operand::bias);
            return model.bias;
    }
}

template <typename ModelType>
auto& single_matrix(ModelType& model, Operand operand) {
    switch (operand) {
        case Operand::x:
            return model.x;
        case Operand::y:
            return model.y;
        case Operand::additive_w_q:
            return model.additive_w_q;
        case Operand::additive_w_k:
            return model.additive_w_k;
        default:
            assert(operand == Operand::additive_v);
            return model.additive_v;
    }
}

template <typename ModelType>
auto& matrix_of(ModelType& model, Operand operand, int index) {
    if (is_per_head(operand)) return per_head_matrices(model, operand)[static_cast<std::size_t>(index)];
    return single_matrix(model, operand);
}

void grow(const Model& model, Operand operand, int index, SharedMatrix& matrix) {
    const Shape shape = operand_shape(model, operand);
    if (matrix.rows() >= shape.rows && matrix.cols() >= shape.cols) return;
    Matrix grown(std::max(shape.rows, matrix.rows()), std::max(shape.cols, matrix.cols()));
    for (Index i = 0; i < grown.rows(); ++i)
        for (Index j = 0; j < grown.cols(); ++j)
            grown(i, j) =
                i < matrix.rows() && j < matrix.cols() ? (*matrix)(i, j) : drawn_value(model, operand, index, i, j);
    matrix = SharedMatrix(std::move(grown));
}

void grow_mask(const Model& model, SharedMask& mask) {
    const Index rows = model.n_queries;
    const Index cols = effective_n_keys(model);
    if (mask.rows() >= rows && mask.cols() >= cols) return;
    MaskMatrix grown = MaskMatrix::Ones(std::max(rows, mask.rows()), std::max(cols, mask.cols()));
    grown.topLeftCorner(mask.rows(), mask.cols()) = *mask;
    mask = SharedMask(std::move(grown));
}

constexpr Operand all_operands[] = {Operand::q,
                                    Operand::k,
                                    Operand::v,
                                    Operand::x,
                                    Operand::y,
                                    Operand::w_q,
                                    Operand::w_k,
                                    Operand::w_v,
                                    Operand::w_o,
                                    Operand::bias,
                                    Operand::additive_w_q,
                                    Operand::additive_w_k,
                                    Operand::additive_v};

}  // namespace

int effective_n_keys(const Model& model) { return model.self_attention ? model.n_queries : model.n_keys; }

int heads_per_kv_head(const Model& model) { return std::max(1, model.n_heads / std::max(1, model.n_kv_heads)); }

int kv_head_of(const Model& model, int head) { return head / heads_per_kv_head(model); }

std::string query_label(const Model& model, int query) { return label(model.query_tokens, query); }

std::string key_label(const Model& model, int key) {
    return label(model.self_attention ? model.query_tokens : model.key_tokens, key);
}

int operand_count(const Model& model, Operand operand) {
    switch (operand) {
        case Operand::q:
        case Operand::w_q:
        case Operand::w_o:
            return model.n_heads;
        case Operand::k:
        case Operand::v:
        case Operand::w_k:
        case Operand::w_v:
            return model.n_kv_heads;
        case Operand::bias:
            return model.bias.size() > 1 ? model.n_heads : 1;
        default:
            return 1;
    }
}

Shape operand_shape(const Model& model, Operand operand) {
    const Index n_keys = effective_n_keys(model);
    switch (operand) {
        case Operand::q:
            return {model.n_queries, model.d_k};
        case Operand::k:
            return {n_keys, model.d_k};
        case Operand::v:
            return {n_keys, model.d_v};
        case Operand::x:
            return {model.n_queries, model.d_model};
        case Operand::y:
            return {n_keys, model.d_model};
        case Operand::w_q:
        case Operand::w_k:
            return {model.d_model, model.d_k};
        case Operand::w_v:
            return {model.d_model, model.d_v};
        case Operand::w_o:
            return {model.d_v, model.d_model};
        case Operand::additive_w_q:
        case Operand::additive_w_k:
            return {model.d_additive, model.d_k};
        case Operand::additive_v:
            return {1, model.d_additive};
        case Operand::bias:
            return {model.n_queries, n_keys};
    }
    return {};
}

const SharedMatrix& operand_matrix(const Model& model, Operand operand, int index) {
    return matrix_of(model, operand, index);
}

SharedMatrix& operand_matrix(Model& model, Operand operand, int index) { return matrix_of(model, operand, index); }

float drawn_value(const Model& model, Operand operand, int index, Index row, Index col) {
    const float deviation = drawn_deviation(model, operand);
    if (deviation == 0.0F) return 0.0F;
    const std::uint64_t stream = (static_cast<std::uint64_t>(operand) << 32U) | static_cast<std::uint32_t>(index);
    return deviation * normal_at(model.seed, stream, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col));
}

void fit_matrices(Model& model) {
    model.heads.resize(std::max(model.heads.size(), static_cast<std::size_t>(model.n_heads)));
    if (model.painted_mask.empty()) model.painted_mask.resize(1);
    for (SharedMask& mask : model.painted_mask) grow_mask(model, mask);
    for (const Operand operand : all_operands) {
        if (is_per_head(operand)) {
            auto& matrices = per_head_matrices(model, operand);
            // A list of biases that is too short is check_model()'s to refuse: no seed knows what the others should be.
            const int count = operand == Operand::bias ? 1 : operand_count(model, operand);
            matrices.resize(std::max(matrices.size(), static_cast<std::size_t>(count)));
            for (std::size_t i = 0; i < matrices.size(); ++i) grow(model, operand, static_cast<int>(i), matrices[i]);
        } else {
            grow(model, operand, 0, single_matrix(model, operand));
        }
    }
}

void restart_seed(Model& model) {
    for (const Operand operand : all_operands) {
        if (operand == Operand::bias) continue;
        if (is_per_head(operand))
            per_head_matrices(model, operand).clear();
        else
            single_matrix(model, operand) = SharedMatrix();
    }
    fit_matrices(model);
}

}  // namespace heed
