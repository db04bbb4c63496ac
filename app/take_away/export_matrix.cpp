#include "app/take_away/export_matrix.h"

#include "core/attention/pipeline.h"
#include "core/figure/context.h"
#include "core/files/atomic_write.h"
#include "core/files/csv.h"
#include "core/files/npy.h"

#include <algorithm>

namespace heed::app {

namespace {

struct StageRow {
    std::string_view name;
    Stage stage;
};
constexpr StageRow stages[] = {
    {"q", Stage::q},
    {"k", Stage::k},
    {"v", Stage::v},
    {"scores", Stage::scores},
    {"scaled", Stage::scaled},
    {"masked", Stage::masked},
    {"weights", Stage::weights},
    {"head_output", Stage::head_output},
    {"joined", Stage::joined},
    {"output", Stage::output},
};

// Q, K and V are exported as they enter the score; these are the other matrices one can edit.
struct OperandRow {
    std::string_view name;
    Operand operand;
};
constexpr OperandRow operands[] = {
    {"x", Operand::x},
    {"y", Operand::y},
    {"w_q", Operand::w_q},
    {"w_k", Operand::w_k},
    {"w_v", Operand::w_v},
    {"w_o", Operand::w_o},
    {"bias", Operand::bias},
    {"additive_w_q", Operand::additive_w_q},
    {"additive_w_k", Operand::additive_w_k},
    {"additive_v", Operand::additive_v},
};

bool is_one_for_all_heads(Stage stage) { return stage == Stage::joined || stage == Stage::output; }

// All the matrices behind a name: one per head, one per key/value head, or one.
Result<std::vector<Matrix>> matrices_of(const Scene& scene, const std::string& what) {
    const Model& model = scene.model;
    std::vector<Matrix> list;
    for (const StageRow& row : stages) {
        if (row.name != what) continue;
        const AttentionTrace trace = run_attention(model);
        const bool is_shared = row.stage == Stage::k || row.stage == Stage::v;
        const int count = is_one_for_all_heads(row.stage) ? 1 : is_shared ? model.n_kv_heads : model.n_heads;
        const int stride = is_shared ? heads_per_kv_head(model) : 1;
        for (int i = 0; i < count; ++i) list.push_back(stage_matrix(model, trace, row.stage, i * stride, true));
        return list;
    }
    for (const OperandRow& row : operands) {
        if (row.name != what) continue;
        const Shape shape = operand_shape(model, row.operand);
        for (int i = 0; i < operand_count(model, row.operand); ++i)
            list.emplace_back(operand_matrix(model, row.operand, i)->topLeftCorner(shape.rows, shape.cols));
        return list;
    }
    std::string known;
    for (const std::string_view name : exportable_matrices()) known += (known.empty() ? "" : ", ") + std::string(name);
    return Error{"--what " + what + ": there is no such matrix; there are " + known};
}

}  // namespace

std::vector<std::string_view> exportable_matrices() {
    std::vector<std::string_view> names;
    for (const StageRow& row : stages) names.push_back(row.name);
    for (const OperandRow& row : operands) names.push_back(row.name);
    return names;
}

Status export_matrix(const Scene& scene, const std::string& what, std::optional<int> head, const std::string& out) {
    const bool is_csv = out.ends_with(".csv");
    if (!is_csv && !out.ends_with(".npy")) return Error{"--out " + out + ": the name must end in .csv or .npy"};
    const Result<std::vector<Matrix>> list = matrices_of(scene, what);
    if (!list) return Error{list.error()};
    const auto count = static_cast<int>(list->size());
    if (head && (*head < 0 || *head >= scene.model.n_heads))
        return Error{"--head " + std::to_string(*head) + ": the heads are 0 to " +
                     std::to_string(scene.model.n_heads - 1)};
    // A key/value head serves several heads; what there is only one of serves all.
    const auto index_of = [&](int of_head) {
        return static_cast<std::size_t>(count == scene.model.n_heads      ? of_head
                                        : count == scene.model.n_kv_heads ? kv_head_of(scene.model, of_head)
                                                                          : 0);
    };
    if (is_csv) return write_file(out, to_csv((*list)[index_of(head.value_or(shown_head(scene)))]));
    if (head || count == 1) return write_file(out, npy_bytes((*list)[head ? index_of(*head) : 0]));
    std::vector<float> numbers;
    for (const Matrix& matrix : *list) numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
    const std::vector<Index> shape{count, list->front().rows(), list->front().cols()};
    return write_file(out, npy_bytes(shape, numbers));
}

}  // namespace heed::app
