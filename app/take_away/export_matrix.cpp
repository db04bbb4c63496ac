#include "app/take_away/export_matrix.h"

#include "core/attention/pipeline.h"
#include "core/figure/context.h"
#include "core/figure/reach_pages.h"
#include "core/files/atomic_write.h"
#include "core/files/csv.h"
#include "core/files/npy.h"
#include "core/model/position_settings.h"
#include "core/operands.h"
#include "core/order/encodings.h"
#include "core/order/shown_order.h"
#include "core/transformer/around.h"

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

// Q, K and V are exported as they enter the score; the others as they are edited.
bool is_stage(std::string_view name) {
    return std::ranges::any_of(stages, [&](const StageRow& row) { return row.name == name; });
}

bool is_one_for_all_heads(Stage stage) { return stage == Stage::joined || stage == Stage::output; }

// ‖∂ output / ∂ stream‖ of the output that Reach looks at: a row for the stream as each layer finds it, from the input on, and
// one as the last leaves it.
template <ReachMixer mixer>
Result<std::vector<Matrix>> influence_of(const Scene& scene, const AttentionTrace&) {
    const ReachDisplay& display = *scene.display.reach;
    const ReachEnds ends = reach_ends(scene.model, display);
    const TransformerConfig config = reach_config(reach_attention(scene.model), display, mixer);
    if (const auto wrong = check_config(config); !wrong.empty()) return Error{wrong.front()};
    return std::vector<Matrix>{
        measured_reach(config, reach_plan(config, ends.n_tokens, display.draws), ends.output, display.seed)};
}

// What belongs to the order of tokens or to their reach: a table row each, one matrix or one per head.
struct OrderRow {
    std::string_view name;
    bool needs_trace;
    Result<std::vector<Matrix>> (*make)(const Scene&, const AttentionTrace&);
};
constexpr OrderRow order_rows[] = {
    // As they enter the first layer: scaled, and with their positions added. What a layer above reads is the stream's.
    {"embeddings", true,
     [](const Scene& scene, const AttentionTrace& trace) -> Result<std::vector<Matrix>> {
         if (scene.model.source == Source::direct)
             return Error{"the tokens have no embeddings: this scene gives Q, K and V directly"};
         return std::vector<Matrix>{trace.around != nullptr ? trace.around->trace.input : trace.x_in};
     }},
    // Of the encoding that the scene looks at, for its queries' places; a bias has a matrix for each head.
    {"encoding", false,
     [](const Scene& scene, const AttentionTrace&) -> Result<std::vector<Matrix>> {
         const Model& model = scene.model;
         if (scene.display.order->encoding == scene_encoding &&
             !position_encoding(model.position->encoding).uses_places())
             return Error{
                 "this scene has no positions: look at an encoding first (display.order.encoding), or give it one "
                 "(model.position)"};
         const PositionEncoding& encoding = looked_at_encoding(model, *scene.display.order);
         std::vector<Matrix> list;
         if (encoding.bias != nullptr)
             for (int head = 0; head < model.n_heads; ++head) list.push_back(encoding_bias(model, encoding, head));
         else
             list.push_back(encoding_table(encoding, model.query_offset, model.n_queries,
                                           encoding_width(model, encoding), model.seed));
         return list;
     }},
    {"permutation", false,
     [](const Scene& scene, const AttentionTrace&) -> Result<std::vector<Matrix>> {
         return std::vector<Matrix>{permutation_matrix(shown_order(scene.model, *scene.display.order).permutation)};
     }},
    {"influence", false, influence_of<ReachMixer::attention>},
    {"influence_convolution", false, influence_of<ReachMixer::convolution>},
    {"influence_recurrence", false, influence_of<ReachMixer::recurrence>},
};

const OrderRow* find_order_row(std::string_view name) {
    const auto* const found = std::ranges::find(order_rows, name, &OrderRow::name);
    return found != std::end(order_rows) ? found : nullptr;
}

// The stream of a scene with layers around its attention: as it begins, and as each part leaves it.
constexpr std::string_view residual = "residual";
std::vector<Matrix> streams(const AttentionTrace& trace) {
    std::vector<Matrix> list{trace.around->trace.input};
    for (const LayerTrace& layer : trace.around->trace.layers)
        for (const PartTrace& part : layer.parts) list.push_back(part.after);
    return list;
}

// All the matrices behind a name: one per head, one per key/value head, or one.
Result<std::vector<Matrix>> matrices_of(const Scene& scene, const AttentionTrace& trace, const std::string& what) {
    const Model& model = scene.model;
    std::vector<Matrix> list;
    if (what == residual) {
        if (trace.around == nullptr)
            return Error{"there is no stream: nothing stands around this scene's attention (model.depth)"};
        return streams(trace);
    }
    for (const StageRow& row : stages) {
        if (row.name != what) continue;
        const bool is_shared = row.stage == Stage::k || row.stage == Stage::v;
        const int count = is_one_for_all_heads(row.stage) ? 1 : is_shared ? model.n_kv_heads : model.n_heads;
        const int stride = is_shared ? heads_per_kv_head(model) : 1;
        for (int i = 0; i < count; ++i)
            list.push_back(stage_matrix(looked_at(model, trace), trace, row.stage, i * stride, true));
        return list;
    }
    if (const OperandRow* row = find_operand(what)) {
        const Shape shape = operand_shape(model, row->operand);
        for_each_matrix(model, *row, [&](const auto& matrix, int index) {
            if (index < operand_count(model, row->operand))
                list.emplace_back(matrix->topLeftCorner(shape.rows, shape.cols).template cast<float>());
        });
        return list;
    }
    if (const OrderRow* row = find_order_row(what)) return row->make(scene, trace);
    std::string known;
    for (const std::string_view name : exportable_matrices()) known += (known.empty() ? "" : ", ") + std::string(name);
    return Error{"--what " + what + ": there is no such matrix; there are " + known};
}

// (count, rows, cols)
std::string npy_bytes_of(const std::vector<Matrix>& list) {
    std::vector<float> numbers;
    for (const Matrix& matrix : list) numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
    const std::vector<Index> shape{static_cast<Index>(list.size()), list.front().rows(), list.front().cols()};
    return npy_bytes(shape, numbers);
}

}  // namespace

std::vector<std::string_view> exportable_matrices() {
    std::vector<std::string_view> names;
    for (const StageRow& row : stages) names.push_back(row.name);
    for (const OperandRow& row : operands())
        if (!is_stage(row.id)) names.push_back(row.id);
    for (const OrderRow& row : order_rows) names.push_back(row.name);
    names.push_back(residual);
    return names;
}

Status export_matrix(const Scene& scene, const std::string& what, std::optional<int> head, const std::string& out) {
    const OrderRow* const row = find_order_row(what);
    const bool needs_trace = is_stage(what) || what == residual || (row != nullptr && row->needs_trace);
    return export_matrix(scene, needs_trace ? run_layers(scene.model) : AttentionTrace{}, what, head, out);
}

Status export_matrix(const Scene& scene, const AttentionTrace& trace, const std::string& what, std::optional<int> head,
                     const std::string& out) {
    const bool is_csv = out.ends_with(".csv");
    if (!is_csv && !out.ends_with(".npy")) return Error{"--out " + out + ": the name must end in .csv or .npy"};
    const Result<std::vector<Matrix>> list = matrices_of(scene, trace, what);
    if (!list) return Error{list.error()};
    const auto count = static_cast<int>(list->size());
    if (head && (*head < 0 || *head >= scene.model.n_heads))
        return Error{"--head " + std::to_string(*head) + ": the heads are 0 to " +
                     std::to_string(scene.model.n_heads - 1)};
    // As the layer leaves it; an array holds every state of it.
    if (what == residual && is_csv) return write_file(out, to_csv(trace.around->trace.stream(trace.around->layer + 1)));
    if (what == residual) return write_file(out, npy_bytes_of(*list));
    // A key/value head serves several heads; what there is only one of serves all.
    const auto index_of = [&](int of_head) {
        return static_cast<std::size_t>(count == scene.model.n_heads      ? of_head
                                        : count == scene.model.n_kv_heads ? kv_head_of(scene.model, of_head)
                                                                          : 0);
    };
    if (is_csv) return write_file(out, to_csv((*list)[index_of(head.value_or(shown_head(scene)))]));
    if (head || count == 1) return write_file(out, npy_bytes((*list)[head ? index_of(*head) : 0]));
    return write_file(out, npy_bytes_of(*list));
}

}  // namespace heed::app
