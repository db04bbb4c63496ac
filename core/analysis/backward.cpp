#include "core/analysis/backward.h"

#include "core/attention/normalizers.h"
#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/rows.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "core/operands.h"
#include "core/random.h"
#include "core/version.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <new>

namespace heed {

namespace {

constexpr std::uint64_t loss_stream = 0x1055;

// The pinned query's output if every head put all its weight on the pinned key.
Matrix target_output(const Model& model, const AttentionTrace& trace, int key) {
    Matrix joined(1, static_cast<Index>(model.n_heads) * model.d_v);
    for (int head = 0; head < model.n_heads; ++head) {
        const HeadSetting& setting = model.heads[static_cast<std::size_t>(head)];
        joined.middleCols(static_cast<Index>(head) * model.d_v, model.d_v) =
            (setting.on ? setting.gain : 0.0F) * trace.v[kv_head_of(model, head)].row(key);
    }
    if (!model.output_projection) return joined;
    Matrix output = Matrix::Zero(1, model.d_model);
    const Shape shape = operand_shape(model, Operand::w_o);
    for (int head = 0; head < model.n_heads; ++head)
        output += joined.middleCols(static_cast<Index>(head) * model.d_v, model.d_v) *
                  model.w_o[static_cast<std::size_t>(head)]->topLeftCorner(shape.rows, shape.cols);
    return output;
}

double norm_of(const Stack& stack) {
    double sum = 0;
    for (Index i = 0; i < stack.count(); ++i) sum += stack[i].cast<double>().squaredNorm();
    return std::sqrt(sum);
}

double identity_error(const Model& model, const AttentionTrace& trace, const AttentionGradients& gradients) {
    double worst = 0;
    for (int kv = 0; kv < model.n_kv_heads; ++kv) {
        Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(gradients.v.rows(), gradients.v.cols());
        for (int head = 0; head < model.n_heads; ++head)
            if (kv_head_of(model, head) == kv) {
                const auto weights = trace.weights[head];
                const auto d_output = gradients.d_head_output[head];
                constexpr Index block = 256;  // queries: the weights are never in memory as doubles all at once
                for (Index at = 0; at < weights.rows(); at += block) {
                    const Index count = std::min(block, weights.rows() - at);
                    sum += weights.middleRows(at, count).transpose().cast<double>() *
                           d_output.middleRows(at, count).cast<double>();
                }
            }
        const double error = (sum - gradients.v[kv].cast<double>()).cwiseAbs().maxCoeff();
        worst = std::isnan(error) ? error : std::max(worst, error);
    }
    return worst;
}

}  // namespace

bool is_scaled_by_root(const Model& model) {
    const auto scale = static_cast<double>(score_scale(model));
    return scale > 0 &&
           std::abs(std::log(scale * std::sqrt(static_cast<double>(model.d_k)))) <= std::abs(std::log(scale)) + 1e-6;
}

Matrix loss_gradient(const Model& model, const AttentionTrace& trace, Loss loss, Cell pin) {
    const int query = pin.query;
    Matrix d_output = Matrix::Zero(trace.output.rows(), trace.output.cols());
    switch (loss.kind) {
        case LossKind::component:
            d_output(query, std::clamp<Index>(loss.component, 0, d_output.cols() - 1)) = 1;
            break;
        case LossKind::random:
            for (Index i = 0; i < d_output.rows(); ++i)
                for (Index j = 0; j < d_output.cols(); ++j)
                    d_output(i, j) = normal_at(model.seed, loss_stream, static_cast<std::uint64_t>(i),
                                               static_cast<std::uint64_t>(j));
            break;
        case LossKind::target:
            d_output.row(query) = trace.output.row(query) - target_output(model, trace, pin.key).row(0);
            break;
    }
    return d_output;
}

StageNorms stage_norms(const Matrix& d_output, const AttentionGradients& gradients) {
    return {d_output.cast<double>().norm(),
            norm_of(gradients.d_weights),
            norm_of(gradients.d_logits),
            norm_of(gradients.d_scores),
            norm_of(gradients.q),
            norm_of(gradients.k),
            norm_of(gradients.v)};
}

Model with_other_scale(Model model) {
    const bool is_scaled = is_scaled_by_root(model);
    model.scale->scaling = Scaling::typed;
    model.scale->typed_scale = is_scaled ? 1.0F : 1 / std::sqrt(static_cast<float>(model.d_k));
    return model;
}

std::size_t backward_bytes(const Model& model, const AttentionTrace& trace) {
    const auto heads = static_cast<std::size_t>(model.n_heads);
    const auto n = static_cast<std::size_t>(trace.weights.rows());
    const auto m = static_cast<std::size_t>(trace.weights.cols());
    const std::size_t cells = heads * n * m;
    // The other scale's trace holds scores, logits and weights, and its way back three more.
    const std::size_t maps = 6;
    const std::size_t rows = heads * (n + m) * static_cast<std::size_t>(model.d_k + model.d_v);
    return sizeof(float) * (maps * cells + 4 * rows) + trace.visible.size() * n * m;
}

namespace {

void fill_backward(const Model& model, const AttentionTrace& trace, Loss loss, Cell pin, Backward& result) {
    {
        // First, and gone before the scene's own: the two are never in memory together.
        const Model other = with_other_scale(model);
        const AttentionTrace other_trace = run_attention(other);
        const Matrix d_output = loss_gradient(other, other_trace, loss, pin);
        result.other = stage_norms(d_output, attention_gradients(other, other_trace, d_output));
    }
    result.d_output = loss_gradient(model, trace, loss, pin);
    result.gradients = attention_gradients(model, trace, result.d_output);
    result.norms = stage_norms(result.d_output, result.gradients);
    result.identity_error = identity_error(model, trace, result.gradients);
    result.is_scaled = is_scaled_by_root(model);
    result.is_complete = true;
}

}  // namespace

std::size_t Backward::bytes() const {
    const AttentionGradients& g = gradients;
    Index numbers = d_output.size() + g.x.size() + g.y.size();
    for (const Stack* stack :
         {&g.d_weights, &g.d_logits, &g.d_scores, &g.d_head_output, &g.q, &g.k, &g.v, &g.w_q, &g.w_k, &g.w_v, &g.w_o})
        numbers += stack->count() * stack->rows() * stack->cols();
    return static_cast<std::size_t>(numbers) * sizeof(float);
}

Backward run_backward(const Model& model, const AttentionTrace& trace, Loss loss, Cell pin) {
    Backward result;
    result.is_too_large = backward_bytes(model, trace) > most_backward_bytes;
    if (!result.is_too_large) {
        try {
            fill_backward(model, trace, loss, pin, result);
        } catch (const std::bad_alloc&) {
            result = Backward{};
            result.is_too_large = true;
        }
    }
    result.version = next_version();
    return result;
}

Matrix row_jacobian(const Model& model, const AttentionTrace& trace, int head, int query, std::span<const int> keys,
                    std::size_t most) {
    const std::size_t kept = std::min(keys.size(), most);
    const auto n = static_cast<Index>(kept);
    Matrix jacobian = Matrix::Zero(n, n);
    const auto scores = trace.scores[head];
    std::vector<double> row(static_cast<std::size_t>(scores.cols()));
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<double>(scores(query, static_cast<Index>(j)));
    std::vector<double> all(row.size());
    std::vector<std::uint8_t> shown(row.size(), 0);
    for (const int key : keys) shown[static_cast<std::size_t>(key)] = 1;
    normalizer_input(model, head, query, row, all, shown);
    std::vector<double> logits, weights(keys.size()), d_weights(keys.size(), 0), d_logits(keys.size());
    std::vector<std::uint8_t> visible;
    for (const int key : keys) {
        logits.push_back(all[static_cast<std::size_t>(key)]);
        visible.push_back(shown[static_cast<std::size_t>(key)]);
    }
    const Normalizer& how = normalizer(model.normalizer->id);
    how.weights(logits, visible, weights);
    for (std::size_t i = 0; i < kept; ++i) {
        d_weights[i] = 1;
        how.backward(logits, visible, weights, d_weights, d_logits);
        d_weights[i] = 0;
        for (std::size_t j = 0; j < kept; ++j)
            jacobian(static_cast<Index>(i), static_cast<Index>(j)) = static_cast<float>(d_logits[j]);
    }
    return jacobian;
}

Extremes eigenvalue_extremes(const Matrix& symmetric) {
    const Eigen::MatrixXd exact = symmetric.cast<double>();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(exact, Eigen::EigenvaluesOnly);
    return {solver.eigenvalues().minCoeff(), solver.eigenvalues().maxCoeff()};
}

}  // namespace heed
