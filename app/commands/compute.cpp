#include "app/commands/compute.h"

#include "core/attention/gradients.h"
#include "core/attention/pipeline.h"
#include "core/files/atomic_write.h"
#include "core/files/npy.h"

#include <filesystem>
#include <span>

namespace heed::app {

namespace {

// Arrays (rows, cols) or (count, rows, cols), split into one matrix each.
struct Matrices {
    std::string name;  // of the file, for sentences
    std::vector<Index> shape;
    Index count = 1, rows = 0, cols = 0;
    char kind = 'f';
    int item_bytes = 4;
    std::vector<SharedMatrix> each;
};

Result<Matrices> read_matrices(const std::string& path) {
    Result<NpyArray> array = read_npy(path);
    if (!array) return Error{array.error()};
    if (array->shape.size() != 2 && array->shape.size() != 3)
        return Error{path + ": " + shape_text(array->shape) + " has " + std::to_string(array->shape.size()) +
                     " dimensions; 2 or 3 are wanted"};
    Matrices matrices{
        .name = path, .shape = array->shape, .kind = array->kind, .item_bytes = array->item_bytes, .each = {}};
    if (array->shape.size() == 3) matrices.count = array->shape[0];
    matrices.rows = array->shape[array->shape.size() - 2];
    matrices.cols = array->shape.back();
    if (array->values.empty()) return Error{path + ": " + shape_text(array->shape) + " holds no numbers"};
    for (Index i = 0; i < matrices.count; ++i)
        matrices.each.emplace_back(Matrix(Eigen::Map<const Matrix>(
            array->values.data() + i * matrices.rows * matrices.cols, matrices.rows, matrices.cols)));
    return matrices;
}

Error does_not_fit(const Matrices& matrices, const std::string& wanted) {
    return Error{matrices.name + ": " + shape_text(matrices.shape) + " does not fit; " + wanted};
}

std::string times(Index rows, Index cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

Status take_operands(const ComputeRequest& request, Model& model, bool& has_heads) {
    const Result<Matrices> query = read_matrices(request.query);
    if (!query) return Error{query.error()};
    const Result<Matrices> key = read_matrices(request.key);
    if (!key) return Error{key.error()};
    const Result<Matrices> value = read_matrices(request.value);
    if (!value) return Error{value.error()};
    if (key->cols != query->cols)
        return does_not_fit(*key, "its last size must be the " + std::to_string(query->cols) + " of " + query->name);
    if (value->rows != key->rows)
        return does_not_fit(*value, "it must have as many rows as " + key->name + ", " + std::to_string(key->rows));
    if (value->count != key->count)
        return does_not_fit(*value, "it must have as many heads as " + key->name + ", " + std::to_string(key->count));
    if (query->count % key->count != 0)
        return does_not_fit(*key, "its " + std::to_string(key->count) + " heads do not divide the " +
                                      std::to_string(query->count) + " of " + query->name);
    for (const auto* matrices : {&*query, &*key, &*value})
        if (matrices->rows > max_tokens || matrices->cols > max_width || matrices->count > max_heads)
            return does_not_fit(*matrices, "at most " + std::to_string(max_heads) + " heads of " +
                                               times(max_tokens, max_width) + " can be computed");
    has_heads = query->shape.size() == 3;
    model.self_attention = false;
    model.n_queries = static_cast<int>(query->rows);
    model.n_keys = static_cast<int>(key->rows);
    model.d_k = static_cast<int>(query->cols);
    model.d_v = static_cast<int>(value->cols);
    model.n_heads = static_cast<int>(query->count);
    model.n_kv_heads = static_cast<int>(key->count);
    model.d_model = 1;
    model.q = query->each;
    model.k = key->each;
    model.v = value->each;
    return ok();
}

// (n, m) for all heads, or (heads, n, m).
Result<Matrices> read_per_cell(const std::string& path, const Model& model) {
    Result<Matrices> cells = read_matrices(path);
    if (!cells) return cells;
    if (cells->rows != model.n_queries || cells->cols != model.n_keys)
        return does_not_fit(*cells, "there are " + times(model.n_queries, model.n_keys) + " weights");
    if (cells->shape.size() == 3 && cells->count != model.n_heads && cells->count != 1)
        return does_not_fit(*cells, "there are " + std::to_string(model.n_heads) + " heads");
    return cells;
}

Status take_masks(const ComputeRequest& request, Model& model) {
    if (!request.mask.empty()) {
        const Result<Matrices> mask = read_per_cell(request.mask, model);
        if (!mask) return Error{mask.error()};
        if (mask->kind != 'b' && !(mask->kind == 'u' && mask->item_bytes == 1))
            return Error{mask->name + ": its numbers are neither bool nor uint8"};
        model.painted_mask.clear();
        for (const SharedMatrix& matrix : mask->each)
            model.painted_mask.emplace_back(MaskMatrix((matrix->array() != 0.0F).cast<std::uint8_t>()));
        model.mask.painted = true;
    }
    if (!request.bias.empty()) {
        const Result<Matrices> bias = read_per_cell(request.bias, model);
        if (!bias) return Error{bias.error()};
        model.bias = bias->each;
        model.bias_on = true;
    }
    return ok();
}

Status take_additive(const ComputeRequest& request, Model& model) {
    if (model.score != "additive") return ok();
    const Result<Matrices> w_q = read_matrices(request.additive_w_q);
    if (!w_q) return Error{w_q.error()};
    const Result<Matrices> w_k = read_matrices(request.additive_w_k);
    if (!w_k) return Error{w_k.error()};
    const Result<NpyArray> v = read_npy(request.additive_v);
    if (!v) return Error{v.error()};
    for (const auto* weights : {&*w_q, &*w_k})
        if (weights->shape.size() != 2 || weights->cols != model.d_k || weights->rows != w_q->rows ||
            weights->rows > max_width)
            return does_not_fit(*weights, "W_q and W_k are hidden size × " + std::to_string(model.d_k));
    if (static_cast<Index>(v->values.size()) != w_q->rows)
        return Error{request.additive_v + ": " + shape_text(v->shape) + " does not fit; " + std::to_string(w_q->rows) +
                     " numbers are wanted"};
    model.d_additive = static_cast<int>(w_q->rows);
    model.additive_w_q = w_q->each[0];
    model.additive_w_k = w_k->each[0];
    model.additive_v = SharedMatrix(Matrix(Eigen::Map<const Matrix>(v->values.data(), 1, w_q->rows)));
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
        Result<StagedFile> file = StagedFile::stage(folder_ / name, npy_bytes(shape, numbers));
        if (!file) return Error{file.error()};
        files_.push_back(std::move(*file));
        return ok();
    }
    Status add(const char* name, const Stack& stack, bool has_heads) {
        const auto size = static_cast<std::size_t>(stack.count() * stack.rows() * stack.cols());
        return add(name, {stack.data(), size}, stack.count(), stack.rows(), stack.cols(), has_heads);
    }

    Status commit() {
        for (StagedFile& file : files_)
            if (Status status = file.commit(); !status) return status;
        made_.keep();
        return ok();
    }

private:
    std::filesystem::path folder_;
    StagedFolder made_;  // goes after the files in it
    std::vector<StagedFile> files_;
};

Stack stage_stack(const Model& model, const AttentionTrace& trace, Stage stage) {
    Stack stack;
    stack.resize(model.n_heads, model.n_queries, model.n_keys);
    for (int head = 0; head < model.n_heads; ++head) stack[head] = stage_matrix(model, trace, stage, head, true);
    return stack;
}

Status add_gradients(const std::string& path, const Model& model, const AttentionTrace& trace, bool has_heads,
                     OutputFolder& out) {
    const Result<Matrices> given = read_matrices(path);
    if (!given) return Error{given.error()};
    if (given->count != model.n_heads || given->rows != model.n_queries || given->cols != model.d_v ||
        (given->shape.size() == 3) != has_heads)
        return does_not_fit(*given, "the output is " +
                                        (has_heads ? std::to_string(model.n_heads) + " × " : std::string()) +
                                        times(model.n_queries, model.d_v));
    Matrix d_output(model.n_queries, Index{model.n_heads} * model.d_v);
    for (int head = 0; head < model.n_heads; ++head)
        d_output.middleCols(Index{head} * model.d_v, model.d_v) = *given->each[static_cast<std::size_t>(head)];
    const AttentionGradients gradients = attention_gradients(model, trace, d_output, Path::plain);
    if (Status status = out.add("grad_query.npy", gradients.q, has_heads); !status) return status;
    if (Status status = out.add("grad_key.npy", gradients.k, has_heads); !status) return status;
    return out.add("grad_value.npy", gradients.v, has_heads);
}

}  // namespace

Status run_compute(const ComputeRequest& request) {
    Model model = request.settings;
    bool has_heads = false;
    if (Status status = take_operands(request, model, has_heads); !status) return status;
    if (Status status = take_masks(request, model); !status) return status;
    model.d_additive = 1;
    if (Status status = take_additive(request, model); !status) return status;
    // Settings first: fit_matrices() allocates what they ask for.
    if (const std::vector<std::string> sentences = check_settings(model); !sentences.empty())
        return Error{sentences.front()};
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
    if (!request.grad_output.empty())
        if (Status status = add_gradients(request.grad_output, model, trace, has_heads, out); !status) return status;
    return out.commit();
}

}  // namespace heed::app
