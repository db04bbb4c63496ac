// What must hold for every row of every table, whatever the model.
#include "core/attention/gradients.h"
#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "tests/core/attention_models.h"
#include "tests/core/attention_near.h"
#include "tests/laws/arbitrary_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace heed::tests {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Matrix any_gradient(const AttentionTrace& trace) { return random_matrix(trace.output.rows(), trace.output.cols(), 11); }

RC_GTEST_PROP(Laws, RowsKeepTheirNormaliserPromise, ()) {
    Model model = arbitrary_model();
    for (const Normalizer& rule : normalizers())
        for (const float temperature : {model.temperature, 0.0F}) {
            model.normalizer->id = rule.id;
            model.temperature = temperature;
            if (rule.id == "naive-softmax") scale_scores(model, 10);
            const AttentionTrace trace = run_attention(model);
            for (Index h = 0; h < trace.weights.count(); ++h)
                for (Index i = 0; i < trace.weights.rows(); ++i) {
                    if (!trace.sees_a_key(h, i)) {
                        RC_ASSERT(trace.weights[h].row(i).isZero());
                    } else if (rule.keeps == Keeps::sum) {
                        RC_ASSERT(std::abs(trace.weights[h].row(i).sum() - 1) < 1e-5F);
                        RC_ASSERT(trace.weights[h].row(i).minCoeff() >= 0);
                    }
                }
            RC_ASSERT(trace.worst_row_sum_error < 1e-5F);
        }
}

RC_GTEST_PROP(Laws, PermutingTheTokensPermutesTheOutput, ()) {
    Model model = arbitrary_model_without_positions();
    model.self_attention = true;
    fit_matrices(model);
    std::vector<int> order(static_cast<std::size_t>(model.n_queries));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    const auto permuted = [&](const Matrix& rows) {
        Matrix out = rows;
        for (std::size_t i = 0; i < order.size(); ++i) out.row(static_cast<Index>(i)) = rows.row(order[i]);
        return out;
    };
    for (const ScoreFunction& score : score_functions())
        for (const Normalizer& rule : normalizers()) {
            model.score = score.id;
            model.normalizer->id = rule.id;
            Model moved = model;
            moved.x = permuted(*model.x);
            for (auto* list : {&moved.q, &moved.k, &moved.v})
                for (SharedMatrix& block : *list) block = permuted(*block);
            const Matrix output = run_attention(model).output;
            RC_ASSERT(near(run_attention(moved).output, permuted(output), 1e-5 * (1 + output.cwiseAbs().maxCoeff())));
        }
}

RC_GTEST_PROP(Laws, HighTemperatureIsUniformOverWhatIsVisible, ()) {
    Model model = arbitrary_model();
    model.temperature = 1e7F;
    if (model.position->encoding == "alibi")
        model.position->encoding = "none";  // its bias is not divided by the temperature
    for (const Normalizer& rule : normalizers()) {
        if (!rule.has_argmax_limit || rule.id == "argmax") continue;  // L1, L2 and argmax do not depend on it
        model.normalizer->id = rule.id;
        const AttentionTrace trace = run_attention(model);
        for (Index h = 0; h < trace.weights.count(); ++h)
            for (Index i = 0; i < trace.weights.rows(); ++i) {
                const auto seen = trace.visible_of(h).row(i).cast<int>().sum();
                for (Index j = 0; j < trace.weights.cols(); ++j)
                    if (trace.visible_of(h)(i, j))
                        RC_ASSERT(std::abs(trace.weights[h](i, j) - 1.0F / static_cast<float>(seen)) < 1e-4F);
            }
    }
}

RC_GTEST_PROP(Laws, AddingAConstantToARowChangesNothing, ()) {
    Model model = arbitrary_model();
    model.bias_on = true;
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    model.bias = {SharedMatrix(Matrix(Matrix::Zero(n, m)))};
    Model raised = model;
    raised.bias = {SharedMatrix(Matrix(random_matrix(n, 1, 5).replicate(1, m) * 8.0F))};
    for (const Normalizer& rule : normalizers()) {
        if (rule.keeps != Keeps::sum) continue;
        model.normalizer->id = raised.normalizer->id = rule.id;
        if (rule.id == "naive-softmax") model.scale->soft_cap = raised.scale->soft_cap = 5.0F;
        const AttentionTrace before = run_attention(model);
        const AttentionTrace after = run_attention(raised);
        for (Index h = 0; h < before.weights.count(); ++h)
            RC_ASSERT(near(after.weights[h], Matrix(before.weights[h]), 1e-5));
    }
}

RC_GTEST_PROP(Laws, CausalNeverLooksAhead, ()) {
    Model model = arbitrary_model();
    model.source = Source::direct;
    model.mask->causal = true;
    // The keys from `future` on are ahead of every query before it.
    const int future = *rc::gen::inRange(0, effective_n_keys(model));
    Model changed = model;
    for (auto* list : {&changed.k, &changed.v})
        for (SharedMatrix& block : *list)
            block = block.with([&](Matrix& b) { b.middleRows(future, b.rows() - future).setConstant(-9); });
    for (const ScoreFunction& score : score_functions())
        for (const Normalizer& rule : normalizers()) {
            model.score = changed.score = score.id;
            model.normalizer->id = changed.normalizer->id = rule.id;
            const AttentionTrace before = run_attention(model);
            const AttentionTrace after = run_attention(changed);
            for (Index h = 0; h < before.weights.count(); ++h)
                for (Index i = 0; i < before.weights.rows(); ++i) {
                    const Index position = i + model.query_offset;
                    for (Index j = std::max<Index>(0, position + 1); j < before.weights.cols(); ++j)
                        RC_ASSERT(before.weights[h](i, j) == 0);
                    if (position < future) RC_ASSERT(same(before.head_output[h].row(i), after.head_output[h].row(i)));
                }
        }
}

RC_GTEST_PROP(Laws, TurningKeepsNormsAndDependsOnDistanceOnly, ()) {
    const Index d = *rc::gen::inRange(1, 12);
    const int i = *rc::gen::inRange(-50, 50);
    const int j = *rc::gen::inRange(-50, 50);
    const int shift = *rc::gen::inRange(-100, 100);
    const Matrix q = random_matrix(1, d, *rc::gen::arbitrary<std::uint64_t>());
    const Matrix k = random_matrix(1, d, *rc::gen::arbitrary<std::uint64_t>());
    for (const PositionEncoding& position : position_encodings()) {
        if (position.turn) {
            const auto turned = [&](Matrix row, int at, int direction) {
                position.turn(row, at, direction);
                return row;
            };
            RC_ASSERT(std::abs(turned(q, i, 1).norm() - q.norm()) < 1e-5F);
            RC_ASSERT(near(turned(turned(q, i, 1), i, -1), q, 1e-5));
            const float here = turned(q, i, 1).row(0).dot(turned(k, j, 1).row(0));
            const float there = turned(q, i + shift, 1).row(0).dot(turned(k, j + shift, 1).row(0));
            RC_ASSERT(std::abs(here - there) < 1e-4F);
        }
        if (position.bias)
            for (int head = 0; head < 3; ++head)
                RC_ASSERT(position.bias(i, j, head, 3) == position.bias(i + shift, j + shift, head, 3));
    }
}

// Keys that no query sees, and biases of cells that are hidden, may hold anything.
RC_GTEST_PROP(Laws, HiddenCellsNeverMatter, ()) {
    Model model = arbitrary_model();
    model.self_attention = false;
    fit_matrices(model);
    const Index n = model.n_queries;
    const Index m = model.n_keys;
    const int hidden_key = *rc::gen::inRange<int>(0, model.n_keys);
    model.mask->painted = true;
    MaskMatrix painted = (random_matrix(n, m, model.seed).array() > -0.5F).cast<std::uint8_t>();
    painted.col(hidden_key).setZero();
    model.painted_mask = {SharedMask(painted)};
    model.bias_on = true;
    model.bias = {SharedMatrix(random_matrix(n, m, model.seed + 1))};

    Model poisoned = model;
    const auto poison = [&](SharedMatrix& block) {
        block = block.with([&](Matrix& b) { b.row(hidden_key).setConstant(not_a_number); });
    };
    for (auto* list : {&poisoned.k, &poisoned.v})
        for (SharedMatrix& block : *list) poison(block);
    poison(poisoned.y);
    poisoned.bias[0] =
        poisoned.bias[0].with([&](Matrix& bias) { bias = (painted.array() == 0).select(not_a_number, bias); });
    for (const ScoreFunction& score : score_functions())
        for (const Normalizer& rule : normalizers())
            for (const Path path : {Path::plain, Path::always_tuned}) {
                model.score = poisoned.score = score.id;
                model.normalizer->id = poisoned.normalizer->id = rule.id;
                const AttentionTrace clean = run_attention(model, path);
                const AttentionTrace trace = run_attention(poisoned, path);
                // NaN takes the plain path, so the tuned one may differ by rounding.
                RC_ASSERT(near(trace.output, clean.output, path == Path::plain ? 0 : 2e-4 * (1 + clean.output.norm())));
                if (path == Path::always_tuned || !clean.output.allFinite()) continue;
                const Matrix d_output = any_gradient(trace);
                const AttentionGradients expected = attention_gradients(model, clean, d_output);
                const AttentionGradients out = attention_gradients(poisoned, trace, d_output);
                for (Index h = 0; h < model.n_heads; ++h) RC_ASSERT(same(out.q[h], expected.q[h]));
                for (Index h = 0; h < model.n_kv_heads; ++h) {
                    RC_ASSERT(same(out.k[h], expected.k[h]));
                    RC_ASSERT(same(out.v[h], expected.v[h]));
                }
                if (model.source == Source::projected) RC_ASSERT(same(out.y, expected.y));
            }
}

RC_GTEST_PROP(Laws, TunedEqualsPlain, ()) {
    Model model = arbitrary_model();
    for (const Normalizer& rule : normalizers()) {
        model.normalizer->id = rule.id;
        const AttentionTrace plain = run_attention(model, Path::plain);
        if (!plain.output.allFinite()) continue;  // naive softmax overflowed, as it should
        const AttentionTrace tuned = run_attention(model, Path::always_tuned);
        const double size = 1 + static_cast<double>(plain.output.cwiseAbs().maxCoeff());
        RC_ASSERT(near(tuned.output, plain.output, 2e-4 * size));
        RC_ASSERT(tuned.fully_masked_rows == plain.fully_masked_rows);
    }
}

RC_GTEST_PROP(Laws, HugeScoresAtLowTemperatureStayFinite, ()) {
    Model model = arbitrary_model();
    model.scale->scaling = Scaling::off;
    scale_scores(model, 1e4);
    model.temperature = 0.01F;
    for (const Normalizer& rule : normalizers()) {
        if (rule.id == "naive-softmax") continue;  // overflows on purpose
        model.normalizer->id = rule.id;
        for (const Path path : {Path::plain, Path::always_tuned}) {
            const AttentionTrace trace = run_attention(model, path);
            for (Index h = 0; h < trace.weights.count(); ++h) RC_ASSERT(trace.weights[h].allFinite());
            RC_ASSERT(trace.output.allFinite());
            const AttentionGradients out = attention_gradients(model, trace, any_gradient(trace));
            for (Index h = 0; h < out.q.count(); ++h) RC_ASSERT(out.q[h].allFinite());
            for (Index h = 0; h < out.k.count(); ++h) RC_ASSERT(out.k[h].allFinite() && out.v[h].allFinite());
        }
    }
}

}  // namespace
}  // namespace heed::tests
