#include "app/commands/compute.h"

#include "core/attention/gradients.h"
#include "core/attention/pipeline.h"
#include "core/edit/matrices.h"
#include "core/figure/rich_text.h"
#include "core/files/commit_all.h"
#include "core/files/npy.h"
#include "core/files/npy_header.h"

#include <filesystem>
#include <optional>
#include <span>

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

// Staged files, all committed or none.
class OutputFolder {
public:
    explicit OutputFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    Status make() { return made_.make(folder_); }

    // (count, rows, cols), or (rows, cols) where the heads' dimension is left out.
    Status add(const char* name, std::span<const float> numbers, Index count, Index rows, Index cols, bool has_heads) {
        std::vector<Index> shape{rows, cols};
        if (has_heads) shape.insert(shape.begin(), count);
        paths_.push_back(folder_ / name);
        Result<StagedFile> file = StagedFile::stage(paths_.back(), npy_bytes(shape, numbers));
        if (!file) return Error{file.error()};
        files_.push_back(std::move(*file));
        return ok();
    }
    Status add(const char* name, const Stack& stack, bool has_heads) {
        const auto size = static_cast<std::size_t>(stack.count() * stack.rows() * stack.cols());
        return add(name, {stack.data(), size}, stack.count(), stack.rows(), stack.cols(), has_heads);
    }

    Status commit() {
        if (Status status = commit_all(files_, paths_); !status) return status;
        made_.keep();
        return ok();
    }

private:
    std::filesystem::path folder_;
    StagedFolder made_;  // goes after the files in it
    std::vector<StagedFile> files_;
    std::vector<std::filesystem::path> paths_;  // of the files
};

Stack stage_stack(const Model& model, const AttentionTrace& trace, Stage stage) {
    Stack stack;
    stack.resize(model.n_heads, model.n_queries, model.n_keys);
    for (int head = 0; head < model.n_heads; ++head) stack[head] = stage_matrix(model, trace, stage, head, true);
    return stack;
}

Status check_gradient(const Given& given, const Model& model, bool has_heads) {
    if (given.count == model.n_heads && given.rows == model.n_queries && given.cols == model.d_v &&
        given.has_heads() == has_heads)
        return ok();
    return does_not_fit(given, "the output is " + (has_heads ? std::to_string(model.n_heads) + " × " : std::string()) +
                                   times(model.n_queries, model.d_v));
}

Status add_gradients(const Given& given, const Model& model, const AttentionTrace& trace, bool has_heads,
                     OutputFolder& out) {
    const Result<std::vector<Matrix>> list = read_matrices(given);
    if (!list) return Error{list.error()};
    Matrix d_output(model.n_queries, Index{model.n_heads} * model.d_v);
    for (int head = 0; head < model.n_heads; ++head)
        d_output.middleCols(Index{head} * model.d_v, model.d_v) = (*list)[static_cast<std::size_t>(head)];
    const AttentionGradients gradients = attention_gradients(model, trace, d_output, Path::plain);
    if (Status status = out.add("grad_query.npy", gradients.q, has_heads); !status) return status;
    if (Status status = out.add("grad_key.npy", gradients.k, has_heads); !status) return status;
    return out.add("grad_value.npy", gradients.v, has_heads);
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
    // Settings first: reading and fit_matrices() allocate what they ask for.
    if (const std::vector<std::string> sentences = check_settings(model); !sentences.empty())
        return Error{sentences.front()};
    for (const auto& [operand, given] : *all)
        if (Status status = read_operand(operand_row(operand), given, model); !status) return status;
    fit_matrices(model);
    if (const std::vector<std::string> sentences = check_model(model); !sentences.empty())
        return Error{sentences.front()};

    // Numbers that are written down are worth the second or two that double precision takes.
    const AttentionTrace trace = run_attention(model, Path::plain);
    OutputFolder out(request.out);
    if (Status status = out.make(); !status) return status;
    if (Status status = out.add("scores.npy", trace.scores, has_heads); !status) return status;
    if (Status status = out.add("scaled.npy", stage_stack(model, trace, Stage::scaled), has_heads); !status)
        return status;
    if (Status status = out.add("masked.npy", stage_stack(model, trace, Stage::masked), has_heads); !status)
        return status;
    if (Status status = out.add("weights.npy", trace.weights, has_heads); !status) return status;
    if (Status status = out.add("output.npy", trace.head_output, has_heads); !status) return status;
    if (gradient)
        if (Status status = add_gradients(*gradient, model, trace, has_heads, out); !status) return status;
    return out.commit();
}

}  // namespace heed::app
