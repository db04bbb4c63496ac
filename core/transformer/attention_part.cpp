#include "core/transformer/attention_part.h"

#include "core/attention/gradients.h"
#include "core/attention/masks.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

// The columns of each head.
std::vector<SharedMatrix> cut_columns(const Matrix& all, Index count) {
    std::vector<SharedMatrix> out;
    const Index width = all.cols() / count;
    for (Index head = 0; head < count; ++head) out.emplace_back(Matrix(all.middleCols(head * width, width)));
    return out;
}

std::vector<SharedMatrix> cut_rows(const Matrix& all, Index count) {
    std::vector<SharedMatrix> out;
    const Index height = all.rows() / count;
    for (Index head = 0; head < count; ++head) out.emplace_back(Matrix(all.middleRows(head * height, height)));
    return out;
}

Matrix joined_columns(const Stack& heads) {
    Matrix out(heads.rows(), heads.count() * heads.cols());
    for (Index head = 0; head < heads.count(); ++head) out.middleCols(head * heads.cols(), heads.cols()) = heads[head];
    return out;
}

void fill_heads(const AttentionWeights& w, const Matrix& read, const Matrix& keys, const PackedWeights* packed,
                Workspace& workspace, Model& model) {
    thread_local Matrix all;  // large enough that new memory would be fetched from the system each time
    linear(read, w.w_q, w.b_q, all, packed, workspace);
    model.q = cut_columns(all, model.n_heads);
    linear(keys, w.w_k, w.b_k, all, packed, workspace);
    model.k = cut_columns(all, model.n_kv_heads);
    linear(keys, w.w_v, w.b_v, all, packed, workspace);
    model.v = cut_columns(all, model.n_kv_heads);
    if (w.additive_v.size() == 0) return;
    model.additive_w_q = w.additive_w_q;
    model.additive_w_k = w.additive_w_k;
    model.additive_v = w.additive_v;
}

void list(const TransformerConfig& config, PartWeights& part, std::vector<Parameter>& out) {
    AttentionWeights& w = part.attention;
    const Model& sizes = config.attention;
    const Index d = config.d_model;
    const Index q_width = Index{sizes.n_heads} * sizes.d_k;
    const Index k_width = Index{sizes.n_kv_heads} * sizes.d_k;
    const Index v_width = Index{sizes.n_kv_heads} * sizes.d_v;
    const Index joined = Index{sizes.n_heads} * sizes.d_v;
    const auto fan_in = [](Index n) { return 1.0F / std::sqrt(static_cast<float>(n)); };
    const auto add = [&](const char* matrix_name, Matrix& matrix, Shape shape, const char* bias_name, Matrix& bias,
                         bool biased) {
        out.push_back({matrix_name, &matrix, shape, fan_in(shape.rows), 0});
        if (biased) out.push_back({bias_name, &bias, {1, shape.cols}, 0, 0});
    };
    add("w_q", w.w_q, {d, q_width}, "b_q", w.b_q, config.qkv_bias);
    add("w_k", w.w_k, {d, k_width}, "b_k", w.b_k, config.qkv_bias);
    add("w_v", w.w_v, {d, v_width}, "b_v", w.b_v, config.qkv_bias);
    add("w_o", w.w_o, {joined, d}, "b_o", w.b_o, config.output_bias);
    if (!score_function(sizes.score).uses_hidden_layer) return;
    out.push_back({"additive_w_q", &w.additive_w_q, {sizes.d_additive, sizes.d_k}, fan_in(sizes.d_k), 0});
    out.push_back({"additive_w_k", &w.additive_w_k, {sizes.d_additive, sizes.d_k}, fan_in(sizes.d_k), 0});
    out.push_back({"additive_v", &w.additive_v, {1, sizes.d_additive}, 1, 0});
}

template <bool cross>
void run(const PartCall& call, PartTrace& trace) {
    const AttentionWeights& w = call.weights.attention;
    const Matrix& keys = cross ? call.memory : call.read;
    const bool has_own_matrices = call.edit != nullptr && !changes_settings_only(*call.edit);
    if (has_own_matrices) {
        trace.model = apply_edit(
            *call.edit, attention_model(call.config, w, cross, call.read, call.memory, call.seed, call.workspace));
        run_attention(trace.model, trace.attention);
        trace.write = trace.attention.output;
        if (w.b_o.size() > 0) trace.write.rowwise() += w.b_o.row(0);
        return;
    }
    // W_O as one product for all heads.
    trace.model = attention_settings(call.config, cross, call.read.rows(), keys.rows(), call.seed);
    if (call.edit != nullptr) trace.model = apply_settings(*call.edit, trace.model);
    fill_heads(w, call.read, keys, call.packed, call.workspace, trace.model);
    run_attention(trace.model, trace.attention);
    call.linear(trace.attention.joined, w.w_o, w.b_o, trace.write);
}

// What attention_gradients() found, back through projections and into the weights.
class Back {
public:
    Back(const PartCall& call, const AttentionGradients& gradients, bool cross, PartGradients& out)
        : call_(call),
          gradients_(gradients),
          cross_(cross),
          out_(out),
          d_(out.weights ? &out.weights->attention : nullptr) {}

    void through_layer() {
        through_products(joined_columns(gradients_.q), joined_columns(gradients_.k), joined_columns(gradients_.v));
        if (!d_ || d_->additive_v.size() == 0 || gradients_.additive_v.size() == 0) return;
        d_->additive_w_q += gradients_.additive_w_q;
        d_->additive_w_k += gradients_.additive_w_k;
        d_->additive_v += gradients_.additive_v;
    }

    void through_edited_layer(const Model& model) {
        const AttentionWeights& w = call_.weights.attention;
        const Model& sizes = call_.config.attention;
        const Index d = call_.config.d_model;
        const Index n = call_.read.rows();
        const Index m = cross_ ? call_.memory.rows() : n;
        if (model.source == Source::direct) {
            through_products(columns(gradients_.q, Operand::q, {n, sizes.d_k}, sizes.n_heads),
                             columns(gradients_.k, Operand::k, {m, sizes.d_k}, sizes.n_kv_heads),
                             columns(gradients_.v, Operand::v, {m, sizes.d_v}, sizes.n_kv_heads));
        } else {
            add_own(gradients_.x, Operand::x, {n, d}, out_.d_read);
            if (!model.self_attention) add_own(gradients_.y, Operand::y, {m, d}, cross_ ? out_.d_memory : out_.d_read);
            if (d_) {
                d_->w_q += columns(gradients_.w_q, Operand::w_q, {d, sizes.d_k}, sizes.n_heads);
                d_->w_k += columns(gradients_.w_k, Operand::w_k, {d, sizes.d_k}, sizes.n_kv_heads);
                d_->w_v += columns(gradients_.w_v, Operand::w_v, {d, sizes.d_v}, sizes.n_kv_heads);
            }
        }
        if (!d_) return;
        for (int head = 0; head < std::min<Index>(sizes.n_heads, gradients_.w_o.count()); ++head) {
            Matrix own = gradients_.w_o[head];
            through_edit(*call_.edit, Operand::w_o, head, {sizes.d_v, d}, own);
            if (own.rows() <= sizes.d_v) d_->w_o.block(Index{head} * sizes.d_v, 0, own.rows(), d) += own;
        }
        if (w.additive_v.size() == 0 || gradients_.additive_v.size() == 0) return;
        add_own(gradients_.additive_w_q, Operand::additive_w_q, {sizes.d_additive, sizes.d_k}, d_->additive_w_q);
        add_own(gradients_.additive_w_k, Operand::additive_w_k, {sizes.d_additive, sizes.d_k}, d_->additive_w_k);
        add_own(gradients_.additive_v, Operand::additive_v, {1, sizes.d_additive}, d_->additive_v);
    }

private:
    void through_products(const Matrix& d_q, const Matrix& d_k, const Matrix& d_v) {
        const AttentionWeights& w = call_.weights.attention;
        const Matrix& keys = cross_ ? call_.memory : call_.read;
        Matrix& d_keys = cross_ ? out_.d_memory : out_.d_read;
        const auto through = [&](const Matrix& x, const Matrix& weights, const Matrix& d_out, Matrix& d_x,
                                 Matrix AttentionWeights::*matrix, Matrix AttentionWeights::*bias) {
            linear_backward(x, weights, d_out, d_x, d_ ? &(d_->*matrix) : nullptr, d_ ? &(d_->*bias) : nullptr,
                            call_.workspace);
        };
        through(call_.read, w.w_q, d_q, out_.d_read, &AttentionWeights::w_q, &AttentionWeights::b_q);
        through(keys, w.w_k, d_k, d_keys, &AttentionWeights::w_k, &AttentionWeights::b_k);
        through(keys, w.w_v, d_v, d_keys, &AttentionWeights::w_v, &AttentionWeights::b_v);
    }

    // The heads side by side as the layer has them; 0 where the edit put something else.
    Matrix columns(const Stack& heads, Operand operand, Shape own, int count) const {
        Matrix out = Matrix::Zero(own.rows, own.cols * count);
        for (int head = 0; head < std::min<Index>(count, heads.count()); ++head) {
            Matrix gradient = heads[head];
            through_edit(*call_.edit, operand, head, own, gradient);
            if (gradient.rows() <= own.rows && gradient.cols() <= own.cols)
                out.block(0, head * own.cols, gradient.rows(), gradient.cols()) = gradient;
        }
        return out;
    }

    void add_own(Matrix gradient, Operand operand, Shape own, Matrix& to) const {
        through_edit(*call_.edit, operand, 0, own, gradient);
        if (gradient.rows() <= own.rows && gradient.cols() <= own.cols)
            to.topLeftCorner(gradient.rows(), gradient.cols()) += gradient;
    }

    const PartCall& call_;
    const AttentionGradients& gradients_;
    bool cross_;
    PartGradients& out_;
    AttentionWeights* d_;
};

template <bool cross>
void backward(const PartCall& call, const PartTrace& trace, const Matrix& d_write, PartGradients& out) {
    AttentionWeights* const d = out.weights ? &out.weights->attention : nullptr;
    if (d && d->b_o.size() > 0) d->b_o += d_write.colwise().sum();
    if (cross) out.d_memory.setZero(call.memory.rows(), call.memory.cols());
    if (call.edit != nullptr && !changes_settings_only(*call.edit)) {
        const AttentionGradients gradients = attention_gradients(trace.model, trace.attention, d_write);
        Back(call, gradients, cross, out).through_edited_layer(trace.model);
        return;
    }
    Matrix d_joined = Matrix::Zero(d_write.rows(), trace.attention.joined.cols());
    linear_backward(trace.attention.joined, call.weights.attention.w_o, d_write, d_joined, d ? &d->w_o : nullptr,
                    nullptr, call.workspace);
    const AttentionGradients gradients = attention_gradients(trace.model, trace.attention, d_joined);
    Back(call, gradients, cross, out).through_layer();
}

Sources sources(const TransformerConfig& config, int, Index n_tokens, Index token) {
    const Model model = attention_settings(config, false, n_tokens, n_tokens, 0);
    Sources out;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(n_tokens));
    std::vector<std::uint8_t> row(seen.size());
    const int masks = mask_is_shared(model) ? 1 : model.n_heads;
    for (int head = 0; head < masks; ++head) {
        visible_row(model, head, static_cast<int>(token), row.data());
        const bool is_uniform =
            model.normalizer->masked_row == MaskedRow::uniform;  // a row that sees no key weighs every one alike
        if (is_uniform && std::ranges::find(row, 1) == row.end()) std::ranges::fill(row, std::uint8_t{1});
        for (std::size_t j = 0; j < seen.size(); ++j) seen[j] |= row[j];
    }
    for (Index j = 0; j < n_tokens; ++j)
        if (seen[static_cast<std::size_t>(j)]) out.below.push_back(j);
    return out;
}

}  // namespace

Model attention_settings(const TransformerConfig& config, bool cross, Index n_queries, Index n_keys,
                         std::uint64_t seed) {
    Model model = config.attention;
    model.seed = seed;
    model.self_attention = !cross;
    model.n_queries = static_cast<int>(n_queries);
    model.n_keys = static_cast<int>(n_keys);
    model.d_model = config.d_model;
    model.source = Source::direct;
    model.output_projection = false;
    model.query_offset = 0;
    if (cross) {
        model.mask = {};
        model.bias_on = false;
    }
    // What is added to the embeddings was added there.
    const PositionEncoding& position = position_encoding(model.position->encoding);
    if (cross || (position.turn == nullptr && position.bias == nullptr))
        model.position->encoding = PositionSettings().encoding;
    model.heads.resize(std::max(model.heads.size(), static_cast<std::size_t>(model.n_heads)));
    fit_masks(model);
    return model;
}

Model attention_model(const TransformerConfig& config, const AttentionWeights& weights, bool cross, const Matrix& read,
                      const Matrix& memory, std::uint64_t seed, Workspace& workspace) {
    const Matrix& keys = cross ? memory : read;
    Model model = attention_settings(config, cross, read.rows(), keys.rows(), seed);
    fill_heads(weights, read, keys, nullptr, workspace, model);
    model.output_projection = true;
    model.x = read;
    model.y = cross ? SharedMatrix(memory) : model.x;
    model.w_q = cut_columns(weights.w_q, model.n_heads);
    model.w_k = cut_columns(weights.w_k, model.n_kv_heads);
    model.w_v = cut_columns(weights.w_v, model.n_kv_heads);
    model.w_o = cut_rows(weights.w_o, model.n_heads);
    return model;
}

Part self_attention_part() {
    return {.id = "attention",
            .name = "Attention",
            .formula = "softmax(Q K^{T} / √d_{k}) V W_{O}",
            .attends = true,
            .list = list,
            .run = run<false>,
            .backward = backward<false>,
            .sources = sources};
}

const Part& cross_attention_part() {
    static const Part part{.id = "cross",
                           .name = "Cross-attention",
                           .formula = "softmax(Q K^{T} / √d_{k}) V W_{O}, K and V from the memory",
                           .attends = true,
                           .to_memory = true,
                           .mixes = false,
                           .list = list,
                           .run = run<true>,
                           .backward = backward<true>};
    return part;
}

}  // namespace heed
