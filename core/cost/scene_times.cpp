#include "core/cost/scene_times.h"

#include "core/attention/normalizers.h"
#include "core/attention/operands.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/cost/data.h"
#include "core/kernels/gemm.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>

namespace heed {

namespace {

constexpr double round_seconds = 0.02;

// Scores, weights and output of one head, each made from the one before.
class Stages {
public:
    Stages(const Model& model, const AttentionTrace& trace)
        : model_(model),
          trace_(trace),
          is_dot_(score_function(model.score).is_dot),
          has_kernel_(normalizer(model.normalizer->id).has_kernel),
          scores_(model.n_queries, effective_n_keys(model)),
          weights_(model.n_queries, effective_n_keys(model)),
          output_(model.n_queries, model.d_v) {}

    void project() {
        if (model_.source == Source::projected) compute_operands(model_, operands_, {}, &workspace_);
        if (!model_.output_projection) return;
        joined_.resize(model_.n_queries, model_.d_model);
        for (int head = 0; head < model_.n_heads; ++head) {
            const auto w_o = used(model_.w_o[static_cast<std::size_t>(head)], operand_shape(model_, Operand::w_o));
            multiply(trace_.joined.middleCols(Index{head} * model_.d_v, model_.d_v), w_o, joined_, workspace_,
                     {1.0F, head > 0});
        }
    }
    void score(int head) {
        if (is_dot_) {
            multiply_by_transposed(trace_.q[head], trace_.k[kv_head_of(model_, head)], scores_, workspace_);
            return;
        }
        exact_.resize(scores_.rows(), scores_.cols());
        score_function(model_.score).scores(score_inputs(model_, trace_, head, 0, model_.n_queries), exact_);
    }
    void normalize(int head) {
        const Index m = weights_.cols();
        if (has_kernel_) {
            AttentionCall call;
            call.shape = {1, 1, weights_.rows(), m, model_.d_k, model_.d_v};
            call.score_factor = trace_.logits.empty() ? trace_.score_factor : 1.0F;
            const MaskMatrix& visible = trace_.visible_of(head);
            call.visible = visible.data();
            call.visible_row_stride = m;
            call.score_use = ScoreUse::given;
            const Stack& given = trace_.logits.empty() ? trace_.scores : trace_.logits;
            call.scores = {const_cast<float*>(given[head].data()), 0, m};  // only read
            call.weights = {weights_.data(), 0, m};
            attention_forward(call, workspace_);
            return;
        }
        std::vector<double> logits(static_cast<std::size_t>(m)), out(static_cast<std::size_t>(m));
        for (Index i = 0; i < weights_.rows(); ++i) {
            if (!trace_.sees_a_key(head, i)) continue;
            const auto row = trace_.scores[head].row(i);
            for (Index j = 0; j < m; ++j)
                logits[static_cast<std::size_t>(j)] = scaled_score(model_, static_cast<double>(row(j)));
            normalizer(model_.normalizer->id)
                .weights(logits, {trace_.visible_of(head).row(i).data(), static_cast<std::size_t>(m)}, out);
        }
    }
    void mix(int head) { multiply(trace_.weights[head], trace_.v[kv_head_of(model_, head)], output_, workspace_); }

private:
    const Model& model_;
    const AttentionTrace& trace_;
    bool is_dot_;
    bool has_kernel_;
    Workspace workspace_;
    AttentionTrace operands_;
    Matrix scores_, weights_, output_, joined_;
    ExactMatrix exact_;
};

const ScoreFunction* first_score(bool (*is_wanted)(const ScoreFunction&)) {
    const auto found = std::ranges::find_if(score_functions(), is_wanted);
    return found == score_functions().end() ? nullptr : &*found;
}

// Nanoseconds of one score.
std::optional<double> time_score(const ScoreFunction* function, Index width, const std::atomic<bool>* cancel) {
    if (function == nullptr) return 0;
    constexpr Index n = 64;
    const CostData data = cost_data_kinds().front().draw(1, 1, n, width);
    const CostData weights = cost_data_kinds().front().draw(2, 1, width, width);
    const Matrix v = weights.v.topRows(1);
    ExactMatrix scores(n, n);
    const auto milliseconds = shortest_milliseconds(round_seconds, cancel, [&] {
        function->scores({data.q, data.k, weights.q, weights.k, v}, scores);
    });
    if (!milliseconds) return std::nullopt;
    return *milliseconds * 1e6 / (n * n);
}

}  // namespace

StageCounts stage_counts(const Model& model) {
    const auto heads = static_cast<double>(model.n_heads);
    const auto kv_heads = static_cast<double>(model.n_kv_heads);
    const auto n = static_cast<double>(model.n_queries);
    const auto m = static_cast<double>(effective_n_keys(model));
    const auto d_k = static_cast<double>(model.d_k), d_v = static_cast<double>(model.d_v);
    const auto d_model = static_cast<double>(model.d_model);
    StageCounts counts;
    if (model.source == Source::projected)
        counts.projections += d_model * (heads * n * d_k + kv_heads * m * (d_k + d_v));
    if (model.output_projection) counts.projections += heads * n * d_v * d_model;
    if (score_function(model.score).uses_hidden_layer) {
        const auto d_a = static_cast<double>(model.d_additive);
        counts.tanh = heads * n * m * d_a;
        counts.scores = heads * (n + m) * d_k * d_a + counts.tanh;
    } else {
        counts.scores = heads * n * m * d_k;
    }
    counts.softmax = heads * n * m;
    counts.values = heads * n * m * d_v;
    return counts;
}

double score_parameters(bool has_hidden_layer, Index d_k, Index d_a) {
    return has_hidden_layer ? static_cast<double>(2 * d_k * d_a + d_a) : 0;
}

std::optional<SceneTimes> measure_scene(const Model& model, const AttentionTrace& trace, const MeasureWatch& watch) {
    Stages stages(model, trace);
    SceneTimes times;
    times.model = model;
    times.width = std::min(model.d_k, 64);
    const auto each_head = [&](double& sum, auto stage) {
        for (int head = 0; head < model.n_heads; ++head) {
            const auto milliseconds =
                shortest_milliseconds(round_seconds / model.n_heads, watch.cancel, [&] { stage(head); });
            if (!milliseconds) return false;
            sum += *milliseconds;
        }
        return true;
    };
    const auto report = [&](double share) {
        if (watch.progress) watch.progress(share);
    };
    if (model.source == Source::projected || model.output_projection) {
        const auto projections = shortest_milliseconds(round_seconds, watch.cancel, [&] { stages.project(); });
        if (!projections) return std::nullopt;
        times.projections = *projections;
    }
    report(0.2);
    if (!each_head(times.scores, [&](int head) { stages.score(head); })) return std::nullopt;
    report(0.4);
    if (!each_head(times.softmax, [&](int head) { stages.normalize(head); })) return std::nullopt;
    report(0.6);
    if (!each_head(times.values, [&](int head) { stages.mix(head); })) return std::nullopt;
    report(0.8);
    const auto dot =
        time_score(first_score([](const ScoreFunction& row) { return row.is_dot; }), times.width, watch.cancel);
    const auto additive = time_score(first_score([](const ScoreFunction& row) { return row.uses_hidden_layer; }),
                                     times.width, watch.cancel);
    if (!dot || !additive) return std::nullopt;
    times.dot = *dot;
    times.additive = *additive;
    report(1);
    return times;
}

}  // namespace heed
