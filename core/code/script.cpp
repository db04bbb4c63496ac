#include "core/code/script.h"

#include "core/attention/find_row.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

namespace heed {

namespace {

std::string number(float value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n' || c == '\r') continue;
        out += c;
    }
    return out + "\"";
}

// [[[…], […]], …] over heads, rows and columns; a row a line.
template <typename At>
std::string array_text(Index count, Index rows, Index cols, At at) {
    std::string text = "[";
    for (Index h = 0; h < count; ++h) {
        text += h == 0 ? "[" : ",\n [";
        for (Index i = 0; i < rows; ++i) {
            text += i == 0 ? "[" : ",\n  [";
            for (Index j = 0; j < cols; ++j) text += (j == 0 ? "" : ", ") + at(h, i, j);
            text += "]";
        }
        text += "]";
    }
    return text + "]";
}

std::string stack_text(const Stack& stack) {
    return array_text(stack.count(), stack.rows(), stack.cols(),
                      [&](Index h, Index i, Index j) { return number(stack[h](i, j)); });
}

// What differs between the two libraries.
struct Dialect {
    const char* name;
    const char* import;
    const char* array;      // before a literal
    const char* array_end;  // after it
    const char* repeat;     // heads from key/value heads
    const char* arange;
    const char* ones;  // a mask that shows all
    const char* transpose;
    const char* norm;     // of the last axis, kept
    const char* softmax;  // lines that define it
    const char* where_hidden;
    const char* to_float32;
    const char* to_float64;
    const char* save;
};

constexpr Dialect numpy = {"NumPy",
                           "import sys\nimport numpy as np\nfrom numpy import inf, nan, tanh, exp, sqrt\n",
                           "np.array(",
                           ", dtype=np.float64)",
                           "np.repeat({0}, groups, axis=0)",
                           "np.arange",
                           "np.ones((heads, n, m), dtype=bool)",
                           "np.swapaxes(k, 1, 2)",
                           "np.linalg.norm({0}, axis=-1, keepdims=True)",
                           "def row_max(s):\n    return s.max(axis=-1, keepdims=True)\n\ndef row_sum(s):\n    return "
                           "s.sum(axis=-1, keepdims=True)\n",
                           "np.where(visible, {0}, {1})",
                           "{0}.astype(np.float32)",
                           "({0}).astype(np.float64)",
                           "np.save(sys.argv[1], weights.astype(np.float32))"};

constexpr Dialect torch = {"PyTorch",
                           "import sys\nimport torch\nfrom math import inf, nan, sqrt\nfrom torch import tanh, exp\n",
                           "torch.tensor(",
                           ", dtype=torch.float64)",
                           "{0}.repeat_interleave(groups, dim=0)",
                           "torch.arange",
                           "torch.ones((heads, n, m), dtype=torch.bool)",
                           "k.transpose(1, 2)",
                           "torch.linalg.norm({0}, dim=-1, keepdim=True)",
                           "def row_max(s):\n    return s.amax(dim=-1, keepdim=True)\n\ndef row_sum(s):\n    return "
                           "s.sum(dim=-1, keepdim=True)\n",
                           "torch.where(visible, {0}, torch.as_tensor({1}, dtype=torch.float64))",
                           "{0}.float()",
                           "({0}).double()",
                           "import numpy\n    numpy.save(sys.argv[1], weights.float().numpy())"};

std::string put(std::string_view pattern, std::string_view a, std::string_view b = {}) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.substr(i, 3) == "{0}") {
            out += a;
            i += 2;
        } else if (pattern.substr(i, 3) == "{1}") {
            out += b;
            i += 2;
        } else {
            out += pattern[i];
        }
    }
    return out;
}

class Script {
public:
    // A row for each score function and normaliser; missing_code() names those that have none.
    struct Lines {
        std::string_view id;
        void (Script::*write)();
    };
    static const Lines score_lines[4];
    static const Lines normalizer_lines[6];

    Script(const Scene& scene, const AttentionTrace& trace, const Dialect& dialect)
        : scene_(scene), model_(scene.model), trace_(trace), dialect_(dialect) {}

    std::string text() {
        head();
        data();
        scores();
        masks();
        weights();
        line("output = weights @ v  # before gains and W_O");
        line("");
        line("print(weights)");
        line("print(\"row sums\", row_sum(weights).squeeze(-1))");
        line("if len(sys.argv) > 1:  # save the weights as NPY");
        line("    " + std::string(dialect_.save));
        return text_;
    }

private:
    void line(const std::string& words) { text_ += words + "\n"; }

    void literal(const std::string& name, const std::string& array) {
        line(name + " = " + dialect_.array + array + dialect_.array_end);
    }

    void head() {
        line(std::string("# Attention as Heed computes it, in ") + dialect_.name + ".");
        line("# Scene: " + quoted(scene_.title));
        text_ += dialect_.import;
        line("");
        text_ += dialect_.softmax;
        line("");
    }

    void data() {
        const auto tokens = [&](const char* name, int count, bool is_query) {
            std::string list;
            for (int i = 0; i < count; ++i)
                list += (i == 0 ? "" : ", ") + quoted(is_query ? query_label(model_, i) : key_label(model_, i));
            line(std::string(name) + " = [" + list + "]");
        };
        tokens("query_tokens", model_.n_queries, true);
        tokens("key_tokens", effective_n_keys(model_), false);
        line("heads, n, m, d_k = " + std::to_string(model_.n_heads) + ", " + std::to_string(model_.n_queries) + ", " +
             std::to_string(effective_n_keys(model_)) + ", " + std::to_string(model_.d_k));
        line("groups = " + std::to_string(heads_per_kv_head(model_)) + "  # heads that share a key and value head");
        line("# as they enter the score: after projections and positions; heads × tokens × components");
        literal("q", stack_text(trace_.q));
        literal("k", stack_text(trace_.k));
        literal("v", stack_text(trace_.v));
        line("k, v = " + put(dialect_.repeat, "k") + ", " + put(dialect_.repeat, "v"));
        line("");
    }

    void dot_scores() { line(std::string("scores = q @ ") + dialect_.transpose); }

    void cosine_scores() {
        for (const char* side : {"q", "k"}) {
            const std::string norm = put(dialect_.norm, side);
            line(std::string(side) + " = " + side + " / (" + norm + " + (" + norm +
                 " == 0))  # a zero vector scores 0");
        }
        dot_scores();
    }

    void additive_scores() {
        const auto matrix = [&](const char* name, const SharedMatrix& weights, Index rows, Index cols) {
            literal(name, array_text(1, rows, cols, [&](Index, Index i, Index j) { return number((*weights)(i, j)); }) +
                              "[0]");
        };
        matrix("w_q", model_.additive_w_q, model_.d_additive, model_.d_k);
        matrix("w_k", model_.additive_w_k, model_.d_additive, model_.d_k);
        matrix("w_v", model_.additive_v, 1, model_.d_additive);
        line("scores = (tanh((q @ w_q.T)[:, :, None, :] + (k @ w_k.T)[:, None, :, :]) * w_v[0]).sum(-1)");
    }

    void scores() {
        (this->*find_row(std::span<const Lines>(score_lines), model_.score).write)();
        const bool by_root = model_.scaling == Scaling::automatic && score_function(model_.score).scales_by_root_d_k;
        std::string scaled = "scores";
        if (by_root) scaled += " / sqrt(d_k)";
        if (model_.scaling == Scaling::typed) scaled += " * " + number(model_.typed_scale);
        if (model_.temperature != 1 && model_.temperature != 0)
            scaled += " / " + number(model_.temperature) + "  # temperature";
        line("logits = " + scaled);
        if (model_.soft_cap) {
            const std::string cap = number(*model_.soft_cap);
            line("logits = " + cap + " * tanh(logits / " + cap + ")  # soft cap");
        }
        if (model_.bias_on || position_encoding(model_.position).bias != nullptr) {
            line("# the bias, and the position's where it has one");
            literal("bias",
                    array_text(model_.n_heads, model_.n_queries, effective_n_keys(model_),
                               [&](Index h, Index i, Index j) { return number(bias_at(static_cast<int>(h), i, j)); }));
            line("logits = logits + bias");
        }
        line("");
    }

    float bias_at(int head, Index i, Index j) const {
        float sum = 0;
        if (model_.bias_on) sum += (*model_.bias[model_.bias.size() > 1 ? static_cast<std::size_t>(head) : 0])(i, j);
        if (const auto bias = position_encoding(model_.position).bias)
            sum += bias(static_cast<int>(i) + model_.query_offset, static_cast<int>(j), head, model_.n_heads);
        return std::isfinite(sum) ? sum : 0;  // −inf hides, and is in the mask below
    }

    void masks() {
        const MaskSettings& mask = model_.mask;
        line(std::string("i = ") + dialect_.arange + "(n)[:, None] + (" + std::to_string(model_.query_offset) +
             ")  # positions of the queries");
        line(std::string("j = ") + dialect_.arange + "(m)[None, :]");
        line(std::string("visible = ") + dialect_.ones);
        if (mask.causal) line("visible = visible & (j <= i)  # causal");
        if (mask.padding > 0) line("visible = visible & (j < m - " + std::to_string(mask.padding) + ")  # padding");
        std::string opens;
        const auto open = [&](const std::string& condition) { opens += (opens.empty() ? "" : " | ") + condition; };
        if (mask.window) {
            std::string window;
            if (mask.window_left >= 0) window = "(j >= i - " + std::to_string(mask.window_left) + ")";
            if (mask.window_right >= 0)
                window +=
                    (window.empty() ? "" : " & ") + std::string("(j <= i + ") + std::to_string(mask.window_right) + ")";
            open(window.empty() ? "(j == j)" : "(" + window + ")");
        }
        if (mask.stride > 0) open("((i - j) % " + std::to_string(mask.stride) + " == 0)");
        if (mask.block > 0)
            open("(i // " + std::to_string(mask.block) + " == j // " + std::to_string(mask.block) + ")");
        if (mask.global_tokens > 0)
            open("((i >= 0) & (i < " + std::to_string(mask.global_tokens) + ")) | (j < " +
                 std::to_string(mask.global_tokens) + ")");
        if (!opens.empty()) line("visible = visible & (" + opens + ")");
        if (mask.painted || model_.bias_on) {
            line("# the painted mask, and −inf in the bias");
            literal(
                "painted",
                array_text(model_.n_heads, model_.n_queries, effective_n_keys(model_), [&](Index h, Index i, Index j) {
                    return std::string(is_painted_over(static_cast<std::size_t>(h), i, j) ? "0" : "1");
                }));
            line("visible = visible & (painted != 0)");
        }
        line("");
    }

    bool is_painted_over(std::size_t head, Index i, Index j) const {
        const auto of_head = [&](const auto& list) -> const auto& { return list[list.size() > 1 ? head : 0]; };
        if (model_.mask.painted && (*of_head(model_.painted_mask))(i, j) == 0) return true;
        return model_.bias_on && (*of_head(model_.bias))(i, j) == -std::numeric_limits<float>::infinity();
    }

    std::string masked(const char* shown, const char* hidden) const {
        return put(dialect_.where_hidden, shown, hidden);
    }

    void argmax_weights() {
        line("logits = " + masked("logits", "-inf"));
        line("best = visible & (logits == row_max(logits))");
        line("best = best * 1.0 + 0 * scores  # as numbers");
        line("weights = best / (row_sum(best) + ~some)");
    }

    void l1_weights() {
        line("logits = " + masked("logits", "0.0"));
        line("size = row_sum(abs(logits))");
        line("weights = logits / (size + (size == 0))");
    }

    void l2_weights() {
        line("logits = " + masked("logits", "0.0"));
        line("size = row_sum(logits * logits) ** 0.5");
        line("weights = logits / (size + (size == 0))");
    }

    void sparsemax_weights() {
        line("logits = " + masked("logits", "-1e30"));
        line("low, high = row_max(logits) - 1, row_max(logits)");
        line("for _ in range(80):  # bisection for the threshold of Martins and Astudillo (2016)");
        line("    middle = (low + high) / 2");
        line("    too_much = row_sum((logits - middle).clip(0)) > 1");
        line("    low, high = low + (middle - low) * too_much, high + (middle - high) * ~too_much");
        line("weights = (logits - low).clip(0) * visible");
    }

    void softmax_weights() {
        line("top = row_max(" + masked("logits", "-inf") + ")");
        line("top = top * 1.0\ntop[~some] = 0.0");
        line("e = exp(" + masked("logits", "-inf") + " - top)");
        line("weights = e / (row_sum(e) + ~some)");
    }

    // Where it breaks depends on the precision, so this one is float32 as in Heed.
    void naive_softmax_weights() {
        line("e = exp(" + put(dialect_.to_float32, masked("logits", "-inf")) +
             ")  # naive, in float32: no maximum is taken off");
        line("weights = " + put(dialect_.to_float64, "e / (row_sum(e) + ~some)"));
        line("weights = " + masked("weights", "0.0"));
    }

    void weights() {
        line("some = row_sum(visible * 1) > 0  # rows that see a key");
        const std::string_view rule = at_argmax_limit(model_) ? "argmax" : std::string_view(model_.normalizer);
        (this->*find_row(std::span<const Lines>(normalizer_lines), rule).write)();
        if (model_.masked_row == MaskedRow::uniform)
            line("weights = weights + (~some) / m  # rows that see nothing are uniform");
        if (model_.masked_row == MaskedRow::nan) line("weights[(~some).squeeze(-1)] = nan  # rows that see nothing");
    }

    const Scene& scene_;
    const Model& model_;
    const AttentionTrace& trace_;
    const Dialect& dialect_;
    std::string text_;
};

const Script::Lines Script::score_lines[] = {
    {"scaled-dot", &Script::dot_scores},
    {"dot", &Script::dot_scores},
    {"cosine", &Script::cosine_scores},
    {"additive", &Script::additive_scores},
};

const Script::Lines Script::normalizer_lines[] = {
    {"softmax", &Script::softmax_weights},
    {"naive-softmax", &Script::naive_softmax_weights},
    {"sparsemax", &Script::sparsemax_weights},
    {"l1", &Script::l1_weights},
    {"l2", &Script::l2_weights},
    {"argmax", &Script::argmax_weights},
};

bool has_lines(std::span<const Script::Lines> table, std::string_view id) {
    return std::any_of(table.begin(), table.end(), [&](const Script::Lines& row) { return row.id == id; });
}

}  // namespace

std::vector<std::string> missing_code() {
    std::vector<std::string> missing;
    for (const ScoreFunction& row : score_functions()) {
        if (!has_lines(Script::score_lines, row.id))
            missing.push_back("the score " + std::string(row.id) + " in scripts");
        if (!has_score_formula(row.id)) missing.push_back("the score " + std::string(row.id) + " in LaTeX");
    }
    for (const Normalizer& row : normalizers()) {
        if (!has_lines(Script::normalizer_lines, row.id))
            missing.push_back("the normaliser " + std::string(row.id) + " in scripts");
        if (!has_normalizer_formula(row.id)) missing.push_back("the normaliser " + std::string(row.id) + " in LaTeX");
    }
    return missing;
}

std::string numpy_script(const Scene& scene, const AttentionTrace& trace) { return Script(scene, trace, numpy).text(); }

std::string torch_script(const Scene& scene, const AttentionTrace& trace) { return Script(scene, trace, torch).text(); }

}  // namespace heed
