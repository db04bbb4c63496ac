#include "core/analysis/change_split.h"

#include "core/attention/normalizers.h"
#include "core/attention/operands.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace heed {

namespace {

struct State {
    const Model& model;
    const AttentionTrace& trace;
};

// The weight of one cell where each cause is taken from one of two states.
class MixedRow {
public:
    MixedRow(State a, State b, int head, Cell cell) : states_{a, b}, head_(head), cell_(cell) {
        n_keys_ = std::max(keys(a), keys(b));
        width_ = std::max(a.trace.q.cols(), b.trace.q.cols());
    }

    // Bit c of `from_b`: cause c is taken from B.
    double weight(unsigned from_b) const {
        const auto state = [&](Cause cause) -> const State& {
            return states_[(from_b >> static_cast<unsigned>(cause)) & 1U];
        };
        const State& scale = state(Cause::scale);
        const State& mask = state(Cause::mask);

        // Vectors of different length are continued with zeros.
        Matrix q = Matrix::Zero(1, width_);
        const auto query = state(Cause::query).trace.q[head_].row(cell_.query);
        q.row(0).head(query.size()) = query;
        Matrix k = Matrix::Zero(n_keys_, width_);
        for (Index j = 0; j < n_keys_; ++j) {
            const State& from = state(j == cell_.key ? Cause::key : Cause::competitors);
            if (j < keys(from)) k.row(j).head(from.trace.k.cols()) = from.trace.k[kv_head_of(from.model, head_)].row(j);
        }
        // What is hidden must not reach a score function, which may be told to square it.
        std::vector<std::uint8_t> visible(static_cast<std::size_t>(n_keys_), 0);
        for (Index j = 0; j < keys(mask); ++j)
            visible[static_cast<std::size_t>(j)] = mask.trace.visible_of(head_)(cell_.query, j);
        for (Index j = 0; j < n_keys_; ++j)
            if (visible[static_cast<std::size_t>(j)] == 0) k.row(j).setZero();
        if (std::ranges::all_of(visible, [](std::uint8_t cell) { return cell == 0; }))
            return masked_weight(scale.model, mask);

        ExactMatrix scores(1, n_keys_);
        const Matrix w_q = padded(used_part(scale.model, Operand::additive_w_q));
        const Matrix w_k = padded(used_part(scale.model, Operand::additive_w_k));
        score_function(scale.model.score).scores({q, k, w_q, w_k, used_part(scale.model, Operand::additive_v)}, scores);
        const Normalizer& rule = normalizer(scale.model.normalizer->id);
        std::vector<double> logits(static_cast<std::size_t>(n_keys_));
        std::vector<double> biases(logits.size());
        for (std::size_t j = 0; j < logits.size(); ++j) {
            if (visible[j] == 0) continue;
            biases[j] = bias(mask, static_cast<Index>(j));
            logits[j] = scaled_score(scale.model, scores(0, static_cast<Index>(j)));
            if (!is_limit(scale.model)) logits[j] += biases[j];
        }
        if (is_limit(scale.model)) take_limit(rule, biases, logits, visible);
        std::vector<double> weights(logits.size());
        rule.weights(logits, visible, weights);
        return weights[static_cast<std::size_t>(cell_.key)];
    }

private:
    static Index keys(const State& state) { return state.trace.weights.cols(); }

    // Stored matrices may be larger than the sizes ask: what is beyond takes no part.
    static ConstMatrixRef used_part(const Model& model, Operand operand) {
        return used(operand_matrix(model, operand, 0), operand_shape(model, operand));
    }

    Matrix padded(const ConstMatrixRef& weights) const {
        Matrix wide = Matrix::Zero(weights.rows(), width_);
        const Index shared = std::min(width_, weights.cols());
        wide.leftCols(shared) = weights.leftCols(shared);
        return wide;
    }

    double bias(const State& state, Index key) const {
        double sum = 0;
        const auto list_index = state.model.bias.size() > 1 ? static_cast<std::size_t>(head_) : 0;
        if (state.model.bias_on) sum += static_cast<double>((*state.model.bias[list_index])(cell_.query, key));
        if (const auto of_position = position_encoding(state.model.position->encoding).bias)
            sum += static_cast<double>(
                of_position(cell_.query + state.model.query_offset, static_cast<int>(key), head_, state.model.n_heads));
        return sum;
    }

    double masked_weight(const Model& scale, const State& mask) const {
        switch (scale.normalizer->masked_row) {
            case MaskedRow::uniform:
                return 1.0 / static_cast<double>(keys(mask));
            case MaskedRow::nan:
                return std::numeric_limits<double>::quiet_NaN();
            default:
                return 0;
        }
    }

    State states_[2];
    int head_;
    Cell cell_;
    Index n_keys_ = 0;
    Index width_ = 0;
};

double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

}  // namespace

std::string_view cause_name(Cause cause) {
    constexpr std::string_view names[] = {"query", "key", "scale and temperature", "mask and bias", "competitors"};
    return names[static_cast<std::size_t>(cause)];
}

ChangeSplit split_change(const Model& a, const AttentionTrace& trace_a, const Model& b, const AttentionTrace& trace_b,
                         int head, Cell cell) {
    ChangeSplit split;
    for (const AttentionTrace* trace : {&trace_a, &trace_b})
        if (head >= trace->weights.count() || cell.query >= trace->weights.rows() || cell.key >= trace->weights.cols())
            return split;
    split.is_possible = true;

    const MixedRow row({a, trace_a}, {b, trace_b}, head, cell);
    std::array<double, 1U << n_causes> weight{};
    for (unsigned set = 0; set < weight.size(); ++set) weight[set] = row.weight(set);
    split.before = weight.front();
    split.after = weight.back();
    for (int cause = 0; cause < n_causes; ++cause) {
        const unsigned bit = 1U << static_cast<unsigned>(cause);
        for (unsigned set = 0; set < weight.size(); ++set) {
            if ((set & bit) != 0) continue;
            const int before = std::popcount(set);  // causes already switched; orders in which that is so
            const double share = factorial(before) * factorial(n_causes - before - 1) / factorial(n_causes);
            split.parts[static_cast<std::size_t>(cause)] += share * (weight[set | bit] - weight[set]);
        }
    }
    return split;
}

}  // namespace heed
