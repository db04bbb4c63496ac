#include "core/code/script.h"

#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/operands.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/code/python_text.h"
#include "core/counting.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/transformer/around.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

// What differs between the two libraries stands in these lines; all that follows is the same. They are the functions that
// the tables' lines may use, with tanh, exp, sin and cos of arrays, sqrt of a number, inf, nan, and heads, n, m, d_k.
constexpr std::string_view numpy_lines = R"(import sys
from math import inf, nan, sqrt
import numpy as np
from numpy import cos, exp, sin, tanh, where, zeros_like

np.seterr(all="ignore")  # hidden cells may divide 0 by 0; they are left out below

def kept(x):  # Heed keeps its numbers as float32 and adds them up in float64
    return np.asarray(x, dtype=np.float32).astype(np.float64)

array = kept

def float32(x):
    return x.astype(np.float32)

def float64(x):
    return x.astype(np.float64)

def arange(count):
    return np.arange(count, dtype=np.float64)

def transpose(x):
    return np.swapaxes(x, -1, -2)

def row_sum(x):
    return x.sum(-1, keepdims=True)

def row_max(x):
    return x.max(-1, keepdims=True)

def repeat(x, times):
    return np.repeat(x, times, axis=0)

def all_true(shape):
    return np.ones(shape, dtype=bool)

def join(parts):
    return np.concatenate(parts, -1)

def save(path, x):
    np.save(path, x.astype(np.float32))
)";

constexpr std::string_view torch_lines = R"(import sys
from math import inf, nan, sqrt
import torch
from torch import cos, exp, sin, tanh, zeros_like

def kept(x):  # Heed keeps its numbers as float32 and adds them up in float64
    return torch.as_tensor(x, dtype=torch.float32).double()

array = kept

def float32(x):
    return x.float()

def float64(x):
    return x.double()

def arange(count):
    return torch.arange(count, dtype=torch.float64)

def transpose(x):
    return x.transpose(-1, -2)

def where(condition, x, y):
    return torch.where(condition, torch.as_tensor(x, dtype=torch.float64), torch.as_tensor(y, dtype=torch.float64))

def row_sum(x):
    return x.sum(-1, keepdim=True)

def row_max(x):
    return x.amax(-1, keepdim=True)

def repeat(x, times):
    return x.repeat_interleave(times, dim=0)

def all_true(shape):
    return torch.ones(shape, dtype=torch.bool)

def join(parts):
    return torch.cat(parts, -1)

def save(path, x):
    import numpy
    numpy.save(path, x.float().numpy())
)";

bool is_finite(const Stack& stack) {
    return std::all_of(stack.data(), stack.data() + stack.count() * stack.rows() * stack.cols(),
                       [](float number) { return std::isfinite(number); });
}

class Script {
public:
    Script(const Scene& scene, const AttentionTrace& trace, std::string_view library, std::string_view library_lines)
        : scene_(scene), model_(scene.model), trace_(trace), library_(library), library_lines_(library_lines) {}

    std::string text() {
        head();
        sizes();
        position_lines();
        if (model_.source == Source::projected)
            projected_operands();
        else
            direct_operands();
        placed_operands();
        scores();
        logits();
        masks_in_use();
        weights();
        output();
        results();
        return std::move(text_);
    }

private:
    void line(std::string_view words) { (text_ += words) += '\n'; }

    // A heading, apart from what is above it.
    void part(std::string_view words) {
        line("");
        line("# " + std::string(words));
    }

    // The encoding is declared before anything of the scene, which stands in strings of ASCII only.
    void head() {
        line("# -*- coding: utf-8 -*-");
        line("# Attention as Heed computes it, in " + std::string(library_) +
             ". With a file name it saves the weights as NPY, with two the output too.");
        if (trace_.around != nullptr) line(scope(*trace_.around));
        text_ += library_lines_;
        line("");
        line("title = " + python_string(scene_.title));
        const auto tokens = [&](const char* name, int count, auto label) {
            std::string list;
            for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + python_string(label(model_, i));
            line(std::string(name) + " = [" + list + "]");
        };
        tokens("query_tokens", model_.n_queries, query_label);
        tokens("key_tokens", effective_n_keys(model_), key_label);
    }

    // One layer's attention is not the whole of a scene with more around it.
    static std::string scope(const Around& around) {
        const TransformerConfig& config = around.transformer.config;
        std::string missing;
        const auto add = [&](bool is_there, std::string_view words) {
            if (is_there) (missing += missing.empty() ? "" : ", ") += words;
        };
        add(config.n_layers > 1, "the other layers");
        add(config.residual, "the residual");
        add(config.norm_place != NormPlace::none, "the norm");
        add(config.feed_forward != "none", "the feed-forward");
        return "# This is the attention of layer " + shown_number(around.layer) + " of " +
               std::to_string(config.n_layers) +
               (missing.empty() ? " only." : " only; not computed here: " + missing + ".");
    }

    void sizes() {
        line("heads, n, m, d_k = " + std::to_string(model_.n_heads) + ", " + std::to_string(model_.n_queries) + ", " +
             std::to_string(effective_n_keys(model_)) + ", " + std::to_string(model_.d_k));
        const std::string offset = model_.query_offset == 0 ? "" : " + (" + std::to_string(model_.query_offset) + ")";
        line("query_positions, key_positions = arange(n)" + offset + ", arange(m)");
        line("i, j = query_positions[:, None], key_positions[None, :]");
    }

    void position_lines() {
        if (position_.python.empty()) return;
        part("positions: " + std::string(position_.name));
        line(position_.python);
    }

    // The part of an operand that is in use, under a name: a matrix, or a block for each head.
    void operand(const std::string& name, Operand which, std::string_view shape) {
        const Shape size = operand_shape(model_, which);
        const int count = operand_count(model_, which);
        const bool is_single = which == Operand::x || which == Operand::y;
        const auto at = [&](Index block, Index i, Index j) {
            return (*operand_matrix(model_, which, static_cast<int>(block)))(i, j);
        };
        line(name + " = array(" +
             (is_single ? python_matrix(size.rows, size.cols, [&](Index i, Index j) { return at(0, i, j); })
                        : python_blocks(count, size.rows, size.cols, at)) +
             ")  # " + std::string(shape));
    }

    // What is added at these positions: by its formula, or where there is none the numbers of the table.
    std::string encoding(const std::string& positions, int first, Index count, Index width) const {
        if (!position_.python.empty()) return "encode(" + positions + ", " + std::to_string(width) + ")";
        Matrix added = Matrix::Zero(count, width);
        position_.add(added, first, model_.seed);
        return "array(" + python_matrix(count, width, [&](Index i, Index j) { return added(i, j); }) + ")";
    }

    void projected_operands() {
        const bool reads_stream = trace_.around != nullptr && !trace_.around->reads_embeddings;
        part(reads_stream ? "what the layer reads" : "embeddings");
        operand("x", Operand::x, "n x d_model");
        if (model_.self_attention)
            line("y = x  # self-attention: the keys are the queries' tokens");
        else
            operand("y", Operand::y, "m x d_model");
        if (position_.add != nullptr) {
            if (embedding_factor(model_) != 1) {
                line("x, y = kept(x * sqrt(" + std::to_string(model_.d_model) + ")), kept(y * sqrt(" +
                     std::to_string(model_.d_model) + "))");
            }
            line("x = kept(x + " + encoding("query_positions", model_.query_offset, model_.n_queries, model_.d_model) +
                 ")");
            line("y = kept(y + " + encoding("key_positions", 0, effective_n_keys(model_), model_.d_model) + ")");
        }
        part("projections");
        operand("w_q", Operand::w_q, "heads x d_model x d_k");
        operand("w_k", Operand::w_k, "key heads x d_model x d_k");
        operand("w_v", Operand::w_v, "key heads x d_model x d_v");
        line("q, k, v = kept(x @ w_q), kept(y @ w_k), kept(y @ w_v)");
    }

    void direct_operands() {
        part("queries, keys and values, as given");
        operand("q", Operand::q, "heads x n x d_k");
        operand("k", Operand::k, "key heads x m x d_k");
        operand("v", Operand::v, "key heads x m x d_v");
        if (position_.add == nullptr) return;
        line("q = kept(q + " + encoding("query_positions", model_.query_offset, model_.n_queries, model_.d_k) + ")");
        line("k = kept(k + " + encoding("key_positions", 0, effective_n_keys(model_), model_.d_k) + ")");
    }

    void placed_operands() {
        if (position_.turn != nullptr) line("q, k = kept(turn(q, query_positions)), kept(turn(k, key_positions))");
        if (const int groups = heads_per_kv_head(model_); groups > 1)
            line("k, v = repeat(k, " + std::to_string(groups) + "), repeat(v, " + std::to_string(groups) +
                 ")  # heads that share a key head");
    }

    void scores() {
        part("scores: " + std::string(score_.name));
        if (score_.uses_hidden_layer) {
            const auto matrix = [&](const char* name, Operand which, const char* row) {
                const Shape size = operand_shape(model_, which);
                line(std::string(name) + " = array(" +
                     python_matrix(size.rows, size.cols,
                                   [&](Index i, Index j) { return (*operand_matrix(model_, which, 0))(i, j); }) +
                     ")" + row);
            };
            matrix("w_q", Operand::additive_w_q, "");
            matrix("w_k", Operand::additive_w_k, "");
            matrix("v_hidden", Operand::additive_v, "[0]");
        }
        line(score_.python);
    }

    void logits() {
        part("scale, temperature, soft cap, bias");
        line("logits = scores");
        if (model_.scale->scaling == Scaling::automatic && score_.scales_by_root_d_k)
            line("logits = logits / sqrt(d_k)");
        if (model_.scale->scaling == Scaling::typed)
            line("logits = logits * kept(" + python_number(model_.scale->typed_scale) + ")  # scale");
        if (model_.temperature != 1 && model_.temperature != 0)
            line("logits = logits / kept(" + python_number(model_.temperature) + ")  # temperature");
        if (model_.scale->soft_cap) {
            line("cap = kept(" + python_number(*model_.scale->soft_cap) + ")");
            line(model_.temperature == 0
                     ? "logits = where(logits > 0, cap, where(logits < 0, -cap, logits))  # temperature 0: the limit"
                     : "logits = cap * tanh(logits / cap)");
        }
        if (model_.bias_on) blocks("bias", model_.bias, "one for all heads, or one each; -inf hides");
        // At temperature 0 what is added counts only between equal scores: it is kept apart until these are known.
        const std::string sum = is_limit(model_) ? "added" : "logits";
        if (is_limit(model_)) line("added = zeros_like(logits)");
        if (model_.bias_on) line(sum + " = " + sum + " + where(bias == -inf, 0.0, bias)");
        if (position_.bias != nullptr) line(sum + " = " + sum + " + position_bias(i, j)");
    }

    // One matrix for all heads or one for each: what belongs to cells.
    template <typename List>
    void blocks(const std::string& name, const List& list, std::string_view meaning) {
        const auto count = list.size() > 1 ? static_cast<Index>(model_.n_heads) : 1;
        line(name + " = array(" +
             python_blocks(count, model_.n_queries, effective_n_keys(model_),
                           [&](Index h, Index i, Index j) {
                               return static_cast<float>((*list[static_cast<std::size_t>(h)])(i, j));
                           }) +
             ")  # " + std::string(meaning));
    }

    void masks_in_use() {
        part("mask");
        line("visible = all_true((heads, n, m))");
        std::string opens;
        std::string names;
        for (const Mask& row : masks()) {
            if (!row.is_on(*model_.mask)) continue;
            if (row.kind == MaskKind::hides) {
                line("visible = visible & (" + row.python(*model_.mask) + ")  # " + std::string(row.name));
            } else {
                opens += (opens.empty() ? "(" : " | (") + row.python(*model_.mask) + ")";
                names += (names.empty() ? "" : ", ") + std::string(row.name);
            }
        }
        if (!opens.empty()) line("visible = visible & (" + opens + ")  # " + names);
        if (model_.mask->painted) {
            blocks("painted", model_.painted_mask, "1 = visible");
            line("visible = visible & (painted != 0)");
        }
        if (model_.bias_on) line("visible = visible & (bias != -inf)");
        line("seen, some = visible, row_sum(visible * 1.0) > 0  # cells, and rows that see a key");
    }

    // The limit T -> 0 of what the normaliser makes of logits / T + added.
    void limit() {
        if (rule_.has_argmax_limit) {
            line("# temperature 0: the largest scores take all, and what is added decides between them");
            line("top = row_max(where(visible, logits, -inf))");
            line("visible = visible & ~(logits < top)");
            line("logits = where(top == top, added, top)");
        } else {
            line("# temperature 0: what is added counts only where every score is 0");
            line("logits = where(row_max(abs(where(visible, logits, 0.0))) == 0, added, logits)");
        }
    }

    void weights() {
        part("weights: " + std::string(rule_.name));
        if (is_limit(model_)) limit();
        line(rule_.python);
        line("weights = where(visible, weights, 0.0)");
        if (model_.normalizer->masked_row == MaskedRow::uniform)
            line("weights = where(some, weights, 1 / m)  # rows that see nothing are uniform");
        if (model_.normalizer->masked_row == MaskedRow::nan)
            line("weights = where(some, weights, nan)  # rows that see nothing");
    }

    // A hidden value takes no part even where it is not a number, so that it cannot simply be multiplied by 0.
    void output() {
        part("output");
        if (is_finite(trace_.v)) {
            line("head_output = weights @ v");
        } else {
            line(model_.normalizer->masked_row == MaskedRow::zero ? "taken = seen" : "taken = seen | ~some");
            line("head_output = where(taken[..., None], weights[..., None] * v[:, None], 0.0).sum(2)");
        }
        std::string gains;
        std::string switches;
        for (int head = 0; head < model_.n_heads; ++head) {
            const HeadSetting& setting = model_.heads[static_cast<std::size_t>(head)];
            gains += (head == 0 ? "" : ", ") + python_number(setting.gain);
            switches += std::string(head == 0 ? "" : ", ") + (setting.on ? "True" : "False");
        }
        line("gains = kept([" + gains + "])");
        line("is_on = [" + switches + "]");
        line("parts = [gains[h] * head_output[h] if is_on[h] else zeros_like(head_output[h])");
        line("         for h in range(heads)]");
        line("joined = join(parts)  # n x heads * d_v");
        if (!model_.output_projection) {
            line("output = joined");
            return;
        }
        operand("w_o", Operand::w_o, "heads x d_v x d_model");
        line("output = zeros_like(parts[0] @ w_o[0])");
        line("for h in range(heads):");
        line("    if is_on[h]:");
        line("        output = output + parts[h] @ w_o[h]");
    }

    void results() {
        line("");
        line("if __name__ == \"__main__\":");
        line("    print(\"weights\", weights)");
        line("    print(\"row sums\", row_sum(weights).squeeze(-1))");
        line("    print(\"output\", output)");
        line("    for path, result in zip(sys.argv[1:], [weights, output]):");
        line("        save(path, result)");
    }

    const Scene& scene_;
    const Model& model_;
    const AttentionTrace& trace_;
    std::string_view library_, library_lines_;
    const ScoreFunction& score_ = score_function(model_.score);
    const Normalizer& rule_ = normalizer(model_.normalizer->id);
    const PositionEncoding& position_ = position_encoding(model_.position->encoding);
    std::string text_;
};

}  // namespace

std::string numpy_script(const Scene& scene, const AttentionTrace& trace) {
    return Script(scene, trace, "NumPy", numpy_lines).text();
}

std::string torch_script(const Scene& scene, const AttentionTrace& trace) {
    return Script(scene, trace, "PyTorch", torch_lines).text();
}

}  // namespace heed
