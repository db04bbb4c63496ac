#include "app/commands/compute.h"

#include "app/commands/compute_method.h"
#include "app/commands/output_folder.h"
#include "core/attention/gradients.h"
#include "core/attention/heads_of.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/edit/matrices.h"
#include "core/figure/rich_text.h"
#include "core/files/npy.h"
#include "core/files/npy_header.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace heed::app {

namespace {

// What a file says of itself: (rows, cols) or (count, rows, cols). Its numbers are still to be read.
struct Given {
    std::string name;
    NpyHeader header;
    Index count = 1, rows = 1, cols = 0;

    bool has_heads() const { return header.shape.size() == 3; }
};

// `least`: 1 where a single row may come as a list.
Result<Given> look_at(const std::string& path, std::size_t least = 2) {
    Result<NpyHeader> header = read_npy_header(path);
    if (!header) return Error{header.error()};
    const std::vector<Index>& shape = header->shape;
    if (shape.size() < least || shape.size() > 3)
        return Error{path + ": " + shape_text(shape) + " has " + std::to_string(shape.size()) +
                     " dimensions; 2 or 3 are wanted"};
    if (header->n_values == 0) return Error{path + ": " + shape_text(shape) + " holds no numbers"};
    Given given{.name = path, .header = *header};
    if (shape.size() == 3) given.count = shape[0];
    if (shape.size() > 1) given.rows = shape[shape.size() - 2];
    given.cols = shape.back();
    return given;
}

Error does_not_fit(const Given& given, const std::string& wanted) {
    return Error{given.name + ": " + shape_text(given.header.shape) + " does not fit; " + wanted};
}

std::string times(Index rows, Index cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

using GivenOperands = std::map<Operand, Given>;

Result<GivenOperands> look_at_operands(const ComputeRequest& request) {
    GivenOperands all;
    for (const auto& [operand, path] : request.files) {
        Result<Given> given = look_at(path, operand_row(operand).rows == Side::one ? 1 : 2);
        if (!given) return Error{given.error()};
        if (given->rows > max_tokens || given->cols > std::max(max_tokens, max_width) || given->count > max_heads)
            return does_not_fit(*given, "at most " + std::to_string(max_heads) + " heads of " +
                                            times(max_tokens, max_width) + " can be computed");
        all.emplace(operand, *std::move(given));
    }
    return all;
}

// Q, K and V say how large everything is.
Status take_sizes(const GivenOperands& all, Model& model) {
    const Given& query = all.at(Operand::q);
    const Given& key = all.at(Operand::k);
    const Given& value = all.at(Operand::v);
    if (key.cols != query.cols)
        return does_not_fit(key, "its last size must be the " + std::to_string(query.cols) + " of " + query.name);
    if (value.rows != key.rows)
        return does_not_fit(value, "it must have as many rows as " + key.name + ", " + std::to_string(key.rows));
    if (value.count != key.count)
        return does_not_fit(value, "it must have as many heads as " + key.name + ", " + std::to_string(key.count));
    if (query.count % key.count != 0)
        return does_not_fit(key, "its " + std::to_string(key.count) + " heads do not divide the " +
                                     std::to_string(query.count) + " of " + query.name);
    model.self_attention = false;
    model.n_queries = static_cast<int>(query.rows);
    model.n_keys = static_cast<int>(key.rows);
    model.d_k = static_cast<int>(query.cols);
    model.d_v = static_cast<int>(value.cols);
    model.n_heads = static_cast<int>(query.count);
    model.n_kv_heads = static_cast<int>(key.count);
    model.d_model = 1;
    const auto weights = all.find(Operand::additive_w_q);
    model.d_additive = weights == all.end() ? 1 : static_cast<int>(weights->second.rows);
    return ok();
}

// Whether a file has the sides and the number that its row of the table asks for.
Status check_fits(const OperandRow& row, const Given& given, const Model& model) {
    const Shape shape = operand_shape(model, row.operand);
    const std::string symbol = plain_text(row.symbol);
    if (given.rows != shape.rows || given.cols != shape.cols)
        return does_not_fit(given, symbol + " is " + times(shape.rows, shape.cols));
    const int heads = row.owner == Owner::kv_head ? model.n_kv_heads : model.n_heads;
    if (row.owner == Owner::model && given.has_heads()) return does_not_fit(given, "there is only one " + symbol);
    if (row.owner == Owner::model_or_head && given.count != heads && given.count != 1)
        return does_not_fit(given, "there are " + std::to_string(heads) + " heads");
    if (row.is_mask() && given.header.kind != 'b' && !(given.header.kind == 'u' && given.header.item_bytes == 1))
        return Error{given.name + ": its numbers are neither bool nor uint8"};
    return ok();
}

Result<std::vector<Matrix>> read_matrices(const Given& given) {
    const Result<NpyArray> array = read_npy(given.name, [&](const NpyHeader& header) {
        if (header.shape == given.header.shape) return ok();
        return Status(Error{given.name + ": the file changed while it was read"});
    });
    if (!array) return Error{array.error()};
    std::vector<Matrix> list;
    for (Index i = 0; i < given.count; ++i)
        list.emplace_back(
            Eigen::Map<const Matrix>(array->values.data() + i * given.rows * given.cols, given.rows, given.cols));
    return list;
}

Status read_operand(const OperandRow& row, const Given& given, Model& model) {
    Result<std::vector<Matrix>> list = read_matrices(given);
    if (!list) return Error{list.error()};
    with_member(model, row, [&](auto& member) {
        if constexpr (requires { member.size(); }) {
            using Entry = typename std::decay_t<decltype(member)>::value_type;
            member.clear();
            for (Matrix& matrix : *list) {
                if constexpr (std::is_same_v<Entry, SharedMask>)
                    member.emplace_back(MaskMatrix((matrix.array() != 0.0F).template cast<std::uint8_t>()));
                else
                    member.emplace_back(std::move(matrix));
            }
        } else {
            member = SharedMatrix(std::move(list->front()));
        }
    });
    if (row.owner == Owner::model_or_head) switch_on(model, row.operand);
    return ok();
}

Status check_gradient(const Given& given, const Model& model, bool has_heads) {
    if (given.count == model.n_heads && given.rows == model.n_queries && given.cols == model.d_v &&
        given.has_heads() == has_heads)
        return ok();
    return does_not_fit(given, "the output is " + (has_heads ? std::to_string(model.n_heads) + " × " : std::string()) +
                                   times(model.n_queries, model.d_v));
}

Status add_gradients(const std::vector<Matrix>& d_heads, const Model& all, int first_head, const Model& model,
                     const AttentionTrace& trace, Path path, bool has_heads, OutputFolder& out) {
    Matrix d_output(model.n_queries, Index{model.n_heads} * model.d_v);
    for (int head = 0; head < model.n_heads; ++head)
        d_output.middleCols(Index{head} * model.d_v, model.d_v) = d_heads[static_cast<std::size_t>(first_head + head)];
    const AttentionGradients gradients = attention_gradients(model, trace, d_output, path);
    return out.add({OutputFolder::part("grad_query.npy", gradients.q, all.n_heads),
                    OutputFolder::part("grad_key.npy", gradients.k, all.n_kv_heads),
                    OutputFolder::part("grad_value.npy", gradients.v, all.n_kv_heads)},
                   has_heads);
}

// Heads that are computed together: few, since every one holds its scores and weights. Those that share keys have a gradient in
// common, and a position's bias asks how many heads there are.
int heads_together(const Model& model, bool has_gradient) {
    if (position_encoding(model.position->encoding).bias != nullptr) return model.n_heads;
    return has_gradient ? heads_per_kv_head(model) : 1;
}

// The largest logit that these vectors and this bias allow: q·k after scale and temperature, and the bias, whose −∞ hides.
double largest_logit(const Model& model) {
    const auto longest = [](const std::vector<SharedMatrix>& matrices) {
        double most = 0;
        for (const SharedMatrix& matrix : matrices)
            most = std::max(most, matrix->cast<double>().rowwise().squaredNorm().maxCoeff());
        return std::sqrt(most);
    };
    double bias = 0;
    if (model.bias_on)
        for (const SharedMatrix& matrix : model.bias)
            for (const float value : matrix->reshaped())
                if (value != -std::numeric_limits<float>::infinity())
                    bias = std::isnan(value) ? static_cast<double>(value)
                                             : std::max(bias, std::abs(static_cast<double>(value)));
    return longest(model.q) * longest(model.k) * std::abs(exact_score_factor(model)) + bias;
}

Path path_of(const ComputeRequest& request, const Model& model) {
    if (request.precision == Precision::exact) return Path::plain;
    if (request.precision == Precision::single) return Path::always_tuned;
    // Not (…): NaN and infinities are computed in double too.
    return largest_logit(model) <= largest_single_logit ? Path::tuned : Path::plain;
}

Status compute_stages(const ComputeRequest& request, const Model& all, const std::vector<Matrix>& d_heads,
                      bool has_heads, OutputFolder& out) {
    const Path path = path_of(request, all);
    const int together = heads_together(all, !d_heads.empty());
    AttentionTrace trace;
    for (int first = 0; first < all.n_heads; first += together) {
        const Model model = heads_of(all, first, together);
        run_attention(model, trace, path);
        std::vector<OutputFolder::Part> parts{OutputFolder::part("scores.npy", trace.scores, all.n_heads),
                                              OutputFolder::part("weights.npy", trace.weights, all.n_heads),
                                              OutputFolder::part("output.npy", trace.head_output, all.n_heads)};
        for (int head = 0; head < together; ++head) {
            const Matrix scaled = stage_matrix(model, trace, Stage::scaled, head, true);
            const Matrix masked = stage_matrix(model, trace, Stage::masked, head, true);
            parts.push_back(OutputFolder::part("scaled.npy", scaled, all.n_heads));
            parts.push_back(OutputFolder::part("masked.npy", masked, all.n_heads));
            if (Status status = out.add(parts, has_heads); !status) return status;
            parts.clear();
        }
        if (d_heads.empty()) continue;
        if (Status status = add_gradients(d_heads, all, first, model, trace, path, has_heads, out); !status)
            return status;
    }
    return ok();
}

}  // namespace

Status run_compute(const ComputeRequest& request) {
    Model model = request.settings;
    const Result<GivenOperands> all = look_at_operands(request);
    if (!all) return Error{all.error()};
    if (Status status = take_sizes(*all, model); !status) return status;
    for (const auto& [operand, given] : *all)
        if (Status status = check_fits(operand_row(operand), given, model); !status) return status;
    const bool has_heads = all->at(Operand::q).has_heads();
    std::optional<Given> gradient;
    if (!request.grad_output.empty()) {
        Result<Given> given = look_at(request.grad_output);
        if (!given) return Error{given.error()};
        if (Status status = check_gradient(*given, model, has_heads); !status) return status;
        gradient = *std::move(given);
    }
    const bool is_cheaper = request.method.row != &exact_method();
    if (is_cheaper)
        if (Status status = check_method(request, model); !status) return status;
    // Settings first: reading and fit_matrices() allocate what they ask for.
    Model sizes = model;
    if (is_cheaper && !hides_keys(model)) sizes.n_queries = 1;  // no weights are held at once
    if (const std::vector<std::string> sentences = check_settings(sizes); !sentences.empty())
        return Error{sentences.front()};
    for (const auto& [operand, given] : *all)
        if (Status status = read_operand(operand_row(operand), given, model); !status) return status;
    OutputFolder out(request.out);
    if (is_cheaper) {
        if (Status status = out.make(); !status) return status;
        if (Status status = compute_method(request, model, has_heads, out); !status) return status;
        return out.commit();
    }
    fit_matrices(model);
    if (const std::vector<std::string> sentences = check_model(model); !sentences.empty())
        return Error{sentences.front()};
    std::vector<Matrix> d_heads;
    if (gradient) {
        Result<std::vector<Matrix>> list = read_matrices(*gradient);
        if (!list) return Error{list.error()};
        d_heads = *std::move(list);
    }
    if (Status status = out.make(); !status) return status;
    if (Status status = compute_stages(request, model, d_heads, has_heads, out); !status) return status;
    return out.commit();
}

}  // namespace heed::app
