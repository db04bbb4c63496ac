#include "app/commands/compute_method.h"

#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <algorithm>

namespace heed::app {

namespace {

// The fast way, where every key may be seen: no n × m of anything is held.
void open_output(const ComputeRequest& request, const Model& model, int head, CostScratch& scratch, Matrix& output) {
    const Matrix& q = *model.q[static_cast<std::size_t>(head)];
    const Matrix& k = *model.k[static_cast<std::size_t>(kv_head_of(model, head))];
    const Matrix& v = *model.v[static_cast<std::size_t>(kv_head_of(model, head))];
    CostCall call;
    call.shape = {1, 1, model.n_queries, model.n_keys, model.d_k, model.d_v};
    call.q = {q.data(), 0, q.cols()};
    call.k = {k.data(), 0, k.cols()};
    call.v = {v.data(), 0, v.cols()};
    call.output = {output.data(), 0, output.cols()};
    call.factor = score_factor(model);
    call.query_offset = model.query_offset;
    call.parameters = request.method.parameters;
    request.method.row->forward(call, scratch);
}

CostHead cost_head(const ComputeRequest& request, const Model& model, int head, const MaskMatrix* visible) {
    return {.q = *model.q[static_cast<std::size_t>(head)],
            .k = *model.k[static_cast<std::size_t>(kv_head_of(model, head))],
            .factor = score_factor(model),
            .query_offset = model.query_offset,
            .visible = visible,
            .parameters = request.method.parameters};
}

}  // namespace

bool hides_keys(const Model& model) {
    return model.mask->painted || model.bias_on ||
           std::ranges::any_of(masks(), [&](const Mask& mask) { return mask.is_on(*model.mask); });
}

Status check_method(const ComputeRequest& request, const Model& model) {
    const std::string name = "--method " + std::string(request.method.row->id);
    const auto refuse = [&](const std::string& what) { return Status(Error{name + ": " + what}); };
    if (!score_function(model.score).is_dot) return refuse("it needs a dot product, not --score " + model.score);
    if (!normalizer(model.normalizer->id).has_kernel)
        return refuse("it needs a softmax, not --normalizer " + model.normalizer->id);
    if (model.temperature == 0.0F) return refuse("it needs a --temperature above 0");
    if (!request.method.row->uses_factor) {
        if (model.temperature != 1.0F) return refuse("it knows no --temperature: it has no q·k to divide");
        if (model.scale->scaling == Scaling::typed) return refuse("it knows no --scale: it has no q·k to multiply");
    }
    if (model.scale->soft_cap) return refuse("it knows no --softcap");
    if (request.files.contains(Operand::bias)) return refuse("it knows no --bias");
    if (position_encoding(model.position->encoding).uses_places())
        return refuse("it knows no --position " + model.position->encoding);
    if (!request.grad_output.empty()) return refuse("it knows no --grad-output");
    if (request.precision == Precision::exact) return refuse("it is computed in single precision");
    if (model.normalizer->masked_row != MaskedRow::zero) return refuse("it knows no --masked-row");
    return ok();
}

Status compute_method(const ComputeRequest& request, const Model& model, bool has_heads, OutputFolder& out) {
    const CostMethod& method = *request.method.row;
    const bool is_masked = hides_keys(model);
    // Weights that could not be held by the exact method either are not made only to be written.
    const bool wants_weights =
        method.has_weights && std::int64_t{model.n_heads} * model.n_queries * model.n_keys <= max_weights;
    CostScratch scratch;
    Matrix output(model.n_queries, model.d_v);
    Matrix weights;
    if (is_masked || wants_weights) weights.resize(model.n_queries, model.n_keys);
    for (int head = 0; head < model.n_heads; ++head) {
        if (is_masked) {
            const MaskMatrix visible = visible_cells(model, head);
            const Matrix& v = *model.v[static_cast<std::size_t>(kv_head_of(model, head))];
            masked_forward(method, cost_head(request, model, head, &visible), v, scratch, weights, output);
        } else {
            open_output(request, model, head, scratch, output);
            if (wants_weights) method.weights(cost_head(request, model, head, nullptr), scratch, weights);
        }
        std::vector<OutputFolder::Part> parts{OutputFolder::part("output.npy", output, model.n_heads)};
        if (wants_weights) parts.push_back(OutputFolder::part("weights.npy", weights, model.n_heads));
        if (Status status = out.add(parts, has_heads); !status) return status;
    }
    return ok();
}

}  // namespace heed::app
