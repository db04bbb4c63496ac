#include "core/geometry/query_row.h"

#include "core/attention/normalizers.h"
#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <algorithm>

namespace heed {

namespace {

std::vector<double> own_weights(const QueryRow& row) {
    const auto m = static_cast<std::size_t>(row.n_keys());
    ExactMatrix scores(1, row.n_keys());
    raw_scores(row, Eigen::Map<const Matrix>(row.q.data(), 1, static_cast<Index>(row.q.size())), scores);
    std::vector<double> weights(m);
    weights_of(row, {scores.data(), m}, weights);
    return weights;
}

QueryRow with_score(const QueryRow& row, std::string_view score) {
    QueryRow other = row;
    if (score == row.model.score) return other;
    other.model.score = score;
    other.model.scale->scaling = Scaling::automatic;
    return other;
}

}  // namespace

Index QueryRow::visible_keys() const { return std::ranges::count(visible, std::uint8_t{1}); }

QueryRow query_row(const Model& model, const AttentionTrace& trace, int head, int query) {
    QueryRow row{.model = model, .head = head, .query = query, .q = {}, .keys = nullptr, .visible = {}};
    const auto q = trace.q[head].row(query);
    row.q.assign(q.data(), q.data() + q.size());
    row.keys = std::make_shared<const Matrix>(trace.k[kv_head_of(model, head)]);
    const MaskMatrix& visible = trace.visible_of(head);
    row.visible.assign(visible.row(query).data(), visible.row(query).data() + visible.cols());
    return row;
}

void raw_scores(const QueryRow& row, ConstMatrixRef queries, ExactRef out) {
    score_function(row.model.score)
        .scores({queries, *row.keys, used(row.model.additive_w_q, operand_shape(row.model, Operand::additive_w_q)),
                 used(row.model.additive_w_k, operand_shape(row.model, Operand::additive_w_k)),
                 used(row.model.additive_v, operand_shape(row.model, Operand::additive_v))},
                out);
}

void weights_of(const QueryRow& row, std::span<const double> scores, std::span<double> out) {
    thread_local std::vector<double> logits;
    thread_local std::vector<std::uint8_t> visible;
    logits.resize(scores.size());
    visible.assign(row.visible.begin(), row.visible.end());
    normalizer_input(row.model, row.head, row.query, scores, logits, visible);
    normalizer(row.model.normalizer->id).weights(logits, visible, out);
}

std::vector<double> weights_by_score(const QueryRow& row, std::string_view score) {
    return own_weights(with_score(row, score));
}

double score_of_pair(const QueryRow& row, std::string_view score, int key) {
    QueryRow other = with_score(row, score);
    other.keys = std::make_shared<const Matrix>(row.keys->row(key));
    ExactMatrix raw(1, 1);
    raw_scores(other, Eigen::Map<const Matrix>(row.q.data(), 1, static_cast<Index>(row.q.size())), raw);
    return raw(0, 0) * static_cast<double>(score_scale(other.model));
}

bool inner_keys_never_win(const Model& model) {
    return score_function(model.score).is_dot && !model.bias_on && !position_encoding(model.position->encoding).bias &&
           !model.scale->soft_cap && score_scale(model) != 0.0F;
}

}  // namespace heed
