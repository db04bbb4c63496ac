#include "core/analysis/head_presets.h"

#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/edit/sizes.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numbers>

namespace heed {

namespace {

constexpr HeadPreset table[] = {
    {"previous-token", "Previous token",
     "Turns the query's position back by one, so that the key before it matches best.", "previous-token"},
    {"next-token", "Next token", "Turns the query's position on by one, so that the key after it matches best.",
     "next-token"},
    {"local", "Local window", "Compares positions gently, so that the keys nearby share the weight.", "local"},
    {"first-token", "First-token sink", "Every query asks for the mark that only the first key carries.",
     "first-token"},
    {"same-token", "Same token", "Compares contents, so that a word finds itself and its repetitions.", "diagonal"},
    {"induction", "Induction",
     "Compares the query's content with the content before each key: what followed this word the last time?", "none"},
    {"global", "Global average", "Asks nothing, so that every key it sees gets the same.", "global"},
};

// How far the best key's logit stands above the next one: e^12 is certainty on paper.
constexpr double certain_margin = 12;
constexpr double local_reach = 1.5;  // keys: the deviation of the local head's bell

// Left and right factors of the wished q·k, a row for each token.
struct Factors {
    Matrix queries;  // n × width
    Matrix keys;     // m × width
};

Index last_position(const Model& model) {
    return std::max(model.n_queries + std::abs(model.query_offset), effective_n_keys(model)) + 1;
}

// Points on circles, one for each pair of columns: the product of two rows is Σ cos(frequency · (a − b)), which is
// largest where a = b. `period` is how many different points there are.
void put_on_circles(Eigen::Ref<Eigen::RowVectorXf, 0, Eigen::InnerStride<>> row, double point, double period) {
    for (Index f = 0; f < row.size() / 2; ++f) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(f + 1) * point / period;
        row(2 * f) = static_cast<float>(std::cos(angle));
        row(2 * f + 1) = static_cast<float>(std::sin(angle));
    }
}

// How far behind the best the point `steps` away is.
double circle_gap(Index width, double steps, double period) {
    double gap = 0;
    for (Index f = 0; f < width / 2; ++f)
        gap += 1 - std::cos(2 * std::numbers::pi * static_cast<double>(f + 1) * steps / period);
    return gap;
}

Factors position_factors(const Model& model, int offset, double gap_wanted, Index width) {
    // Twice as many points as positions: the two ends are no neighbours.
    const double period = 2 * static_cast<double>(last_position(model) + width / 2);
    Factors factors{Matrix::Zero(model.n_queries, width), Matrix::Zero(effective_n_keys(model), width)};
    for (Index i = 0; i < factors.queries.rows(); ++i)
        put_on_circles(factors.queries.row(i), static_cast<double>(i + model.query_offset + offset), period);
    for (Index j = 0; j < factors.keys.rows(); ++j) put_on_circles(factors.keys.row(j), static_cast<double>(j), period);
    factors.queries *= static_cast<float>(gap_wanted / circle_gap(width, 1, period));
    return factors;
}

// `key_shift` 1: a key carries the content of the token before it, as a previous-token head below would have written it.
Factors content_factors(const Model& model, int key_shift, double gap_wanted, Index width) {
    std::map<std::string, double> kinds;
    const auto kind = [&](const std::string& label) {
        return kinds.emplace(label, static_cast<double>(kinds.size())).first->second;
    };
    for (int i = 0; i < model.n_queries; ++i) kind(query_label(model, i));
    for (int j = 0; j < effective_n_keys(model); ++j) kind(key_label(model, j));
    const auto period = static_cast<double>(std::max<std::size_t>(2, kinds.size()));
    Factors factors{Matrix::Zero(model.n_queries, width), Matrix::Zero(effective_n_keys(model), width)};
    for (int i = 0; i < model.n_queries; ++i)
        put_on_circles(factors.queries.row(i), kind(query_label(model, i)), period);
    for (int j = key_shift; j < effective_n_keys(model); ++j)
        put_on_circles(factors.keys.row(j), kind(key_label(model, j - key_shift)), period);
    double gap = circle_gap(width, 1, period);
    for (double steps = 2; steps < period; ++steps) gap = std::min(gap, circle_gap(width, steps, period));
    factors.queries *= static_cast<float>(gap_wanted / gap);
    return factors;
}

Factors first_token_factors(const Model& model, double gap_wanted, Index width) {
    Factors factors{Matrix::Zero(model.n_queries, width), Matrix::Zero(effective_n_keys(model), width)};
    factors.queries.col(0).setConstant(static_cast<float>(gap_wanted));
    factors.keys(0, 0) = 1;
    return factors;
}

Factors preset_factors(const Model& model, std::string_view preset, Index width) {
    const auto factor = static_cast<double>(score_factor(model));
    const double unit = factor > 0 ? 1 / factor : 1;  // what one unit of logit is as a raw score
    const double certain = certain_margin * unit;
    if (preset == "previous-token") return position_factors(model, -1, certain, width);
    if (preset == "next-token") return position_factors(model, 1, certain, width);
    // One slow circle: the product falls off like a bell, where many circles would make a spike.
    if (preset == "local") return position_factors(model, 0, unit / (2 * local_reach * local_reach), 2);
    if (preset == "first-token") return first_token_factors(model, certain, width);
    if (preset == "same-token") return content_factors(model, 0, certain, width);
    if (preset == "induction") return content_factors(model, 1, certain, width);
    assert(preset == "global");
    return {Matrix::Zero(model.n_queries, width), Matrix::Zero(effective_n_keys(model), width)};
}

// A key/value head for each head, so that one of them can be changed alone.
void ungroup(Model& model) {
    if (model.n_kv_heads == model.n_heads) return;
    for (auto* list : {&model.k, &model.v, &model.w_k, &model.w_v}) {
        std::vector<SharedMatrix> each;
        for (int head = 0; head < model.n_heads; ++head)
            each.push_back((*list)[static_cast<std::size_t>(kv_head_of(model, head))]);
        *list = std::move(each);
    }
    model.n_kv_heads = model.n_heads;
}

// For one more head, each with its own keys, and with a projected source for its columns of the embeddings.
bool has_room(const Model& model) {
    if (model.source == Source::projected && model.d_model + 2 * std::max(2, model.d_k) > max_width) return false;
    Model trial = model;
    ungroup(trial);
    return largest_size(trial, Size::n_heads) > model.n_heads;
}

// New columns of the embeddings that no head looks at yet and no head writes to.
Index add_embedding_columns(Model& model, int count) {
    const Index first = model.d_model;
    model.d_model += count;
    fit_matrices(model);
    const auto clear_rows = [&](SharedMatrix& weights) {
        weights = weights.with([&](Matrix& matrix) { matrix.middleRows(first, count).setZero(); });
    };
    for (auto* list : {&model.w_q, &model.w_k, &model.w_v})
        for (SharedMatrix& weights : *list) clear_rows(weights);
    for (SharedMatrix& weights : model.w_o)
        weights = weights.with([&](Matrix& matrix) { matrix.middleCols(first, count).setZero(); });
    for (SharedMatrix* embeddings : {&model.x, &model.y})
        *embeddings = embeddings->with([&](Matrix& matrix) { matrix.middleCols(first, count).setZero(); });
    return first;
}

// What must stand before the position for `wanted` to come out of it. Rotations turn whole rows of d_k, so those are as
// wide afterwards; where there are none the factors stay as narrow as they are.
Matrix before_turning(const Model& model, const Matrix& wanted, int first_position) {
    const auto turn = position_encoding(model.position->encoding).turn;
    if (turn == nullptr) return wanted;
    Matrix rows = Matrix::Zero(wanted.rows(), model.d_k);
    rows.leftCols(wanted.cols()) = wanted;
    turn(rows, first_position, -1);
    return rows;
}

// What the position adds to embeddings, or to q and k where these stand for them.
Matrix added_by_position(const Model& model, Index rows, Index cols, int first_position) {
    Matrix added = Matrix::Zero(rows, cols);
    if (const auto add = position_encoding(model.position->encoding).add) add(added, first_position, model.seed);
    return added;
}

void put_projected(Model& model, std::size_t head, const Matrix& queries, const Matrix& keys) {
    const auto width = static_cast<int>(queries.cols());
    const Index first = add_embedding_columns(model, 2 * width);
    // The factor and the position that the embeddings get on their way in are taken back here.
    const float back = 1.0F / embedding_factor(model);
    const auto put_columns = [&](SharedMatrix& embeddings, Index at, const Matrix& block, int first_position) {
        const Matrix added = added_by_position(model, block.rows(), model.d_model, first_position);
        embeddings = embeddings.with([&](Matrix& matrix) {
            matrix.block(0, at, block.rows(), block.cols()) = (block - added.middleCols(at, block.cols())) * back;
        });
    };
    put_columns(model.x, first, queries, model.query_offset);
    put_columns(model.self_attention ? model.x : model.y, first + width, keys, 0);
    const auto select = [&](SharedMatrix& weights, Index at) {
        weights = weights.with([&](Matrix& matrix) {
            matrix.topLeftCorner(model.d_model, model.d_k).setZero();
            matrix.block(at, 0, width, width).setIdentity();
        });
    };
    select(model.w_q[head], first);
    select(model.w_k[head], first + width);
}

void put_direct(Model& model, std::size_t head, const Matrix& queries, const Matrix& keys) {
    const auto put_rows = [&](SharedMatrix& target, const Matrix& block, int first_position) {
        Matrix rows = -added_by_position(model, block.rows(), model.d_k, first_position);
        rows.leftCols(block.cols()) += block;
        target = target.with([&](Matrix& matrix) { matrix.topLeftCorner(rows.rows(), rows.cols()) = rows; });
    };
    put_rows(model.q[head], queries, model.query_offset);
    put_rows(model.k[head], keys, 0);
}

// Nothing but its design decides what the head does.
void clear_settings(Model& model, std::size_t head) {
    model.heads[head] = {};
    if (model.bias.size() > 1) model.bias[head] = model.bias[head].with([](Matrix& bias) { bias.setZero(); });
    if (model.painted_mask.size() > 1)
        model.painted_mask[head] = model.painted_mask[head].with([](MaskMatrix& mask) { mask.setOnes(); });
}

// Columns of Q and K that a design needs at most.
Index design_width(const Model& model) { return std::min<Index>(model.d_k - model.d_k % 2, 2 * last_position(model)); }

}  // namespace

std::span<const HeadPreset> head_presets() { return table; }

std::string_view why_no_preset_head(const Model& model) {
    if (!score_function(model.score).is_dot) return "Heads by design are written for dot products.";
    if (position_encoding(model.position->encoding).bias != nullptr)
        return "A head by design would not do what it says: this position favours some keys in every head.";
    if (!has_room(model)) return "There are as many heads as Heed can hold.";
    return {};
}

void set_preset_head(Model& model, int head, std::string_view preset) {
    if (model.d_k < 2) model.d_k = 2;
    ungroup(model);
    fit_matrices(model);
    const Factors factors = preset_factors(model, preset, design_width(model));
    const Matrix queries = before_turning(model, factors.queries, model.query_offset);
    const Matrix keys = before_turning(model, factors.keys, 0);
    const auto at = static_cast<std::size_t>(head);
    if (model.source == Source::projected)
        put_projected(model, at, queries, keys);
    else
        put_direct(model, at, queries, keys);
}

int add_preset_head(Model& model, std::string_view preset) {
    if (!has_room(model)) return model.n_heads - 1;
    ungroup(model);
    const int head = model.n_heads;
    set_heads(model, head + 1, head + 1);
    clear_settings(model, static_cast<std::size_t>(head));
    set_preset_head(model, head, preset);
    return head;
}

}  // namespace heed
