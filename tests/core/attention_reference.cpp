#include "tests/core/attention_reference.h"

#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/operands.h"
#include "core/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heed::tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<ExactMatrix> parts(const Model& model, Operand operand) {
    std::vector<ExactMatrix> out;
    const Shape shape = operand_shape(model, operand);
    for (int i = 0; i < operand_count(model, operand); ++i)
        out.emplace_back(operand_matrix(model, operand, i)->topLeftCorner(shape.rows, shape.cols).cast<double>());
    return out;
}

bool adds_position(const Model& model) {
    return model.position->encoding == "sinusoidal" || model.position->encoding == "learned";
}

ExactMatrix with_position(const Model& model, ExactMatrix x, int first) {
    const double d = static_cast<double>(x.cols());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index t = 0; t < x.cols(); ++t) {
            const auto position = static_cast<double>(first + i);
            if (model.position->encoding == "sinusoidal") {
                const double angle = position / std::pow(10000.0, static_cast<double>(t / 2 * 2) / d);
                x(i, t) += t % 2 == 0 ? std::sin(angle) : std::cos(angle);
            } else {
                x(i, t) += std::sqrt(0.5) * static_cast<double>(normal_at(model.seed, 0x706f736974696f6eULL,
                                                                          static_cast<std::uint64_t>(first + i),
                                                                          static_cast<std::uint64_t>(t)));
            }
        }
    return x;
}

ExactMatrix turned(const ExactMatrix& x, int first) {
    ExactMatrix out = x;
    for (Index i = 0; i < x.rows(); ++i)
        for (Index t = 0; t + 1 < x.cols(); t += 2) {
            const double angle = static_cast<double>(first + i) *
                                 std::pow(10000.0, -static_cast<double>(t) / static_cast<double>(x.cols()));
            out(i, t) = x(i, t) * std::cos(angle) - x(i, t + 1) * std::sin(angle);
            out(i, t + 1) = x(i, t) * std::sin(angle) + x(i, t + 1) * std::cos(angle);
        }
    return out;
}

bool visible(const Model& model, int head, int i, int j) {
    const MaskSettings& mask = *model.mask;
    const int position = i + model.query_offset;
    const auto of_head = [head](const auto& list) {
        return *list[list.size() == 1 ? 0 : static_cast<std::size_t>(head)];
    };
    if (mask.causal && j > position) return false;
    if (j >= effective_n_keys(model) - mask.padding) return false;
    if (mask.painted && of_head(model.painted_mask)(i, j) == 0) return false;
    if (model.bias_on && static_cast<double>(of_head(model.bias)(i, j)) == -infinity) return false;
    const bool patterns =
        mask.window || mask.stride > 0 || mask.block > 0 || mask.global_tokens > 0 || mask.grid_window;
    if (!patterns) return true;
    const bool in_window = mask.window && (mask.window_left == -1 || j >= position - mask.window_left) &&
                           (mask.window_right == -1 || j <= position + mask.window_right);
    const bool in_stride = mask.stride > 0 && (position - j) % mask.stride == 0;
    const bool in_block =
        mask.block > 0 && std::floor(static_cast<double>(position) / mask.block) == std::floor(j / mask.block);
    const bool is_global =
        mask.global_tokens > 0 && ((position >= 0 && position < mask.global_tokens) || j < mask.global_tokens);
    // Rows of c, counted from far enough before the first token that no number is negative.
    const int c = mask.grid_columns;
    const auto row = [c](int at) { return (at + 1000 * c) / c; };
    const auto column = [c](int at) { return (at + 1000 * c) % c; };
    const bool in_grid = mask.grid_window && std::abs(row(position) - row(j)) <= mask.grid_radius &&
                         std::abs(column(position) - column(j)) <= mask.grid_radius;
    return in_window || in_stride || in_block || is_global || in_grid;
}

double alibi_slope(int head, int n_heads) {
    int power = 1;
    while (2 * power <= n_heads) power *= 2;
    std::vector<double> slopes;
    for (int h = 1; h <= power; ++h) slopes.push_back(std::pow(2.0, -8.0 * h / power));
    for (int h = 1; static_cast<int>(slopes.size()) < n_heads; h += 2)
        slopes.push_back(std::pow(2.0, -8.0 * h / (2 * power)));
    return slopes[static_cast<std::size_t>(head)];
}

// What the row itself says, between the floats it takes: from the nearest ones along slopes measured from its scores alone.
// Its gradient is thus still held against differences; its scores are held by the NumPy lines of the same row (code_test).
double score_of_row(const Model& model, const ReferenceInputs& in, const Eigen::RowVectorXd& q,
                    const Eigen::RowVectorXd& k) {
    const ScoreFunction& row = score_function(model.score);
    const std::array exact{ExactMatrix(q), ExactMatrix(k), in.additive_w_q, in.additive_w_k, in.additive_v};
    std::array<Matrix, exact.size()> rounded;
    for (std::size_t i = 0; i < exact.size(); ++i) rounded[i] = exact[i].cast<float>();
    const auto score = [&] {
        ExactMatrix out(1, 1);
        row.scores({rounded[0], rounded[1], rounded[2], rounded[3], rounded[4]}, out);
        return out(0, 0);
    };
    constexpr float step = 0x1p-17F;
    double sum = score();
    for (std::size_t i = 0; i < (row.uses_hidden_layer ? exact.size() : 2); ++i)
        for (Index t = 0; t < exact[i].size(); ++t) {
            float& moved = rounded[i].data()[t];
            const float kept = moved;
            const double rest = exact[i].data()[t] - static_cast<double>(kept);
            if (rest == 0) continue;
            const float above = moved = kept + step;
            const double score_above = score();
            const float below = moved = kept - step;
            const double score_below = score();
            moved = kept;
            sum += rest * (score_above - score_below) / (static_cast<double>(above) - static_cast<double>(below));
        }
    return sum;
}

double raw_score(const Model& model, const ReferenceInputs& in, const Eigen::RowVectorXd& q,
                 const Eigen::RowVectorXd& k) {
    if (model.score == "cosine") {
        const double norms = q.norm() * k.norm();
        return norms == 0 ? 0 : q.dot(k) / norms;
    }
    if (model.score == "additive") {
        const Eigen::VectorXd bent =
            (in.additive_w_q * q.transpose() + in.additive_w_k * k.transpose()).array().tanh().matrix();
        return (in.additive_v * bent)(0, 0);
    }
    if (model.score == "scaled-dot" || model.score == "dot") return q.dot(k);
    return score_of_row(model, in, q, k);
}

// Weights of the visible logits, in their order.
std::vector<double> normalized(const std::string& rule, const std::vector<double>& logits) {
    const double top = *std::max_element(logits.begin(), logits.end());
    std::vector<double> out = logits;
    double total = 0;
    if (rule == "softmax" || rule == "naive-softmax") {
        for (double& w : out) total += w = std::exp(w - top);
    } else if (rule == "argmax") {
        for (double& w : out) total += w = w == top ? 1 : 0;
    } else if (rule == "l1") {
        for (const double w : out) total += std::abs(w);
    } else if (rule == "l2") {
        for (const double w : out) total += w * w;
        total = std::sqrt(total);
    } else {              // sparsemax: the threshold by bisection, since the core sorts
        double low = -1;  // both below the largest
        double high = 0;
        for (int step = 0; step < 200; ++step) {
            const double middle = (low + high) / 2;
            double sum = 0;
            for (const double s : logits) sum += std::max(0.0, s - top - middle);
            (sum > 1 ? low : high) = middle;
        }
        for (double& w : out) w = std::max(0.0, w - top - high);
        total = 1;
    }
    for (double& w : out) w = total == 0 ? 0 : w / total;
    return out;
}

}  // namespace

ReferenceInputs reference_inputs(const Model& model) {
    return {parts(model, Operand::q),
            parts(model, Operand::k),
            parts(model, Operand::v),
            parts(model, Operand::w_q),
            parts(model, Operand::w_k),
            parts(model, Operand::w_v),
            parts(model, Operand::w_o),
            parts(model, Operand::x).front(),
            parts(model, Operand::y).front(),
            parts(model, Operand::additive_w_q).front(),
            parts(model, Operand::additive_w_k).front(),
            parts(model, Operand::additive_v).front()};
}

ReferenceResult reference_attention(const Model& model, const ReferenceInputs& in) {
    const int n = model.n_queries;
    const int m = effective_n_keys(model);
    const bool direct = model.source == Source::direct;
    const double grown =
        !direct && model.position->embedding_scale && adds_position(model) ? std::sqrt(model.d_model) : 1;
    ExactMatrix x = in.x * grown;
    ExactMatrix y = (model.self_attention ? in.x : in.y) * grown;
    if (adds_position(model)) {
        x = with_position(model, x, model.query_offset);
        y = with_position(model, y, 0);
    }
    constexpr double nearly_zero = 1e-9;  // temperature 0 is the limit: its weights are those of a tiny one
    double factor = model.scale->scaling == Scaling::typed ? static_cast<double>(model.scale->typed_scale) : 1;
    if (model.scale->scaling == Scaling::automatic && model.score == "scaled-dot") factor = 1 / std::sqrt(model.d_k);
    if (model.temperature != 0.0F) factor /= static_cast<double>(model.temperature);

    ReferenceResult out;
    out.output = ExactMatrix::Zero(n, model.output_projection ? model.d_model : model.n_heads * model.d_v);
    for (int head = 0; head < model.n_heads; ++head) {
        const auto h = static_cast<std::size_t>(head);
        const auto g = static_cast<std::size_t>(head / (model.n_heads / model.n_kv_heads));
        ExactMatrix q = direct ? in.q[h] : ExactMatrix(x * in.w_q[h]);
        ExactMatrix k = direct ? in.k[g] : ExactMatrix(y * in.w_k[g]);
        const ExactMatrix v = direct ? in.v[g] : ExactMatrix(y * in.w_v[g]);
        if (direct && adds_position(model)) {
            q = with_position(model, q, model.query_offset);
            k = with_position(model, k, 0);
        }
        if (model.position->encoding == "rope") {
            q = turned(q, model.query_offset);
            k = turned(k, 0);
        }
        ExactMatrix scores(n, m), logits(n, m);
        ExactMatrix weights = ExactMatrix::Zero(n, m);
        ExactMatrix result = ExactMatrix::Zero(n, model.d_v);
        for (int i = 0; i < n; ++i) {
            std::vector<double> seen;
            std::vector<int> keys;
            for (int j = 0; j < m; ++j) {
                scores(i, j) = raw_score(model, in, q.row(i), k.row(j));
                double s = scores(i, j) * factor;
                double cold = model.temperature == 0.0F ? s / nearly_zero : s;
                if (model.scale->soft_cap) {
                    const auto cap = static_cast<double>(*model.scale->soft_cap);
                    s = cold = cap * std::tanh(cold / cap);
                }
                const bool shown = visible(model, head, i, j);
                double bias = 0;
                if (model.bias_on && shown)
                    bias += static_cast<double>((*model.bias[model.bias.size() == 1 ? 0 : h])(i, j));
                if (model.position->encoding == "alibi")
                    bias -= alibi_slope(head, model.n_heads) * std::abs(i + model.query_offset - j);
                logits(i, j) = s + bias;
                if (!shown) continue;
                seen.push_back(cold + bias);
                keys.push_back(j);
            }
            std::vector<double> share(seen.size());
            if (seen.empty() && model.normalizer->masked_row != MaskedRow::zero) {
                const double each = model.normalizer->masked_row == MaskedRow::nan ? std::nan("") : 1.0 / m;
                for (int j = 0; j < m; ++j) keys.push_back(j);
                share.assign(static_cast<std::size_t>(m), each);
            } else if (!seen.empty()) {
                share = normalized(model.normalizer->id, seen);
            }
            for (std::size_t t = 0; t < keys.size(); ++t) {
                weights(i, keys[t]) = share[t];
                result.row(i) += share[t] * v.row(keys[t]);
            }
        }
        const HeadSetting& setting = model.heads[h];
        if (setting.on) {
            const ExactMatrix gained = static_cast<double>(setting.gain) * result;
            if (model.output_projection)
                out.output += gained * in.w_o[h];
            else
                out.output.middleCols(head * model.d_v, model.d_v) = gained;
        }
        out.scores.push_back(scores);
        out.logits.push_back(logits);
        out.weights.push_back(weights);
        out.head_output.push_back(result);
    }
    return out;
}

}  // namespace heed::tests
