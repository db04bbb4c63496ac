#include "core/attention/score_functions.h"
#include "core/cost/data.h"
#include "core/cost/errors.h"
#include "core/cost/needs.h"
#include "core/cost/scene_times.h"
#include "core/display/cost_display.h"
#include "core/files/near_names.h"
#include "core/files/shown.h"
#include "core/lessons/quantity_rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

constexpr Argument n{"n", ArgumentKind::tokens};
constexpr Argument method{"method", ArgumentKind::word};

Result<const CostMethod*> method_called(const std::string& id) {
    if (const CostMethod* found = find_cost_method(id)) return found;
    const std::vector<std::string_view> ids = cost_method_ids();
    return Error{"\"" + shown(id) + "\" is no way to compute attention" +
                 near_names(id, std::vector<std::string>(ids.begin(), ids.end()))};
}

CostShape shape_of(const Call& call, double tokens) {
    const CostDisplay& cost = *call.scene().display.cost;
    return {.heads = cost.heads, .n = static_cast<Index>(tokens), .d_k = cost.width, .d_v = cost.width};
}

Result<LessonValue> operations(const Call& call) {
    const Result<const CostMethod*> row = method_called(call.word(0));
    if (!row) return Error{"operations: " + row.error()};
    return number_value(
        (*row)->multiply_adds(shape_of(call, call.number(1)), parameters_of(*call.scene().display.cost)));
}

Result<LessonValue> method_bytes(const Call& call) {
    const Result<const CostMethod*> row = method_called(call.word(0));
    if (!row) return Error{"method_bytes: " + row.error()};
    // As the table of Cost counts.
    const CostParameters parameters = parameters_of(*call.scene().display.cost);
    return number_value(cost_need(**row, shape_of(call, call.number(1)), 1, parameters, nullptr).bytes);
}

// What Cost shows of a method's error: one head of the scene, or of drawn data.
struct ErrorOf {
    Comparable comparable = Comparable::yes;
    double relative = 0, mean = 0, total_variation = 0;
};

ErrorOf measure_error(const Call& call, const CostMethod& row) {
    const CostDisplay& cost = *call.scene().display.cost;
    Matrix q, k, v;
    MaskMatrix visible;
    float factor = 1;
    Index offset = 0;
    const MaskMatrix* mask = nullptr;
    if (cost.data == CostDataChoice::scene) {
        const AttentionTrace& trace = call.trace();
        const int kv_head = kv_head_of(call.model(), call.head());
        q = trace.q[call.head()];
        k = trace.k[kv_head];
        v = trace.v[kv_head];
        factor = trace.score_factor;
        offset = call.model().query_offset;
        visible = trace.visible_of(call.head());
        if (trace.hidden_cells > 0 || trace.visible.size() > 1) mask = &visible;
    } else {
        constexpr Index width = 64;
        const auto kind = static_cast<std::size_t>(cost.data) - 1;  // the first choice is the scene
        CostData data = cost_data_kinds()[kind].draw(1, 1, cost.data_n, width);
        q = std::move(data.q);
        k = std::move(data.k);
        v = std::move(data.v);
        factor = 1 / std::sqrt(static_cast<float>(width));
    }
    const CostHead numbers{
        .q = q, .k = k, .factor = factor, .query_offset = offset, .visible = mask, .parameters = parameters_of(cost)};
    CostScratch scratch;
    Matrix exact_weights(q.rows(), k.rows()), exact(q.rows(), v.cols());
    Matrix weights(q.rows(), k.rows()), output(q.rows(), v.cols());
    masked_forward(exact_method(), numbers, v, scratch, exact_weights, exact);
    masked_forward(row, numbers, v, scratch, weights, output);
    const CostError error = cost_error(weights, output, exact_weights, exact, v, mask);
    return {comparable(exact, v, mask), error.relative, error.mean_of_v, error.total_variation};
}

Result<ErrorOf> error_of(const Call& call, const CostMethod& row) {
    const CostDisplay& cost = *call.scene().display.cost;
    const bool is_scene = cost.data == CostDataChoice::scene;
    const ErrorOf error = *kept_quantity(call, "lesson method error",
                                         std::tuple(is_scene ? call.trace().version : 0, is_scene ? call.head() : 0,
                                                    cost.data, cost.data_n, std::string(row.id), parameters_of(cost)),
                                         [&] { return measure_error(call, row); });
    if (error.comparable != Comparable::yes) return Error{"the exact output is 0 or not finite, and has no error"};
    return error;
}

Result<LessonValue> method_error(const Call& call) {
    const Result<const CostMethod*> row = method_called(call.word(0));
    if (!row) return Error{"method_error: " + row.error()};
    const Result<ErrorOf> error = error_of(call, **row);
    if (!error) return Error{"method_error: " + error.error()};
    return number_value(error->relative);
}

Result<LessonValue> mean_error(const Call& call) {
    const Result<ErrorOf> error = error_of(call, exact_method());
    if (!error) return Error{"mean_error: " + error.error()};
    return number_value(error->mean);
}

Result<LessonValue> weights_error(const Call& call) {
    const Result<const CostMethod*> row = method_called(call.word(0));
    if (!row) return Error{"weights_error: " + row.error()};
    const Result<ErrorOf> error = error_of(call, **row);
    if (!error) return Error{"weights_error: " + error.error()};
    return number_value(error->total_variation);
}

Result<LessonValue> parameters(const Call& call) {
    std::vector<std::string> ids;
    for (const ScoreFunction& row : score_functions()) {
        if (row.id == call.word(0))
            return number_value(score_parameters(row.uses_hidden_layer, call.model().d_k, call.model().d_additive));
        ids.emplace_back(row.id);
    }
    return Error{"parameters: \"" + shown(call.word(0)) + "\" is no score" + near_names(call.word(0), ids)};
}

constexpr Quantity rows[] = {
    {.name = "weights_count",
     .help = "How many weights one head has for so many tokens.",
     .arguments = {n},
     .compute = [](const Call& c) { return number_value(c.number(0) * c.number(0)); }},
    {.name = "weights_bytes",
     .help = "How many bytes these take as float32.",
     .arguments = {n},
     .compute = [](const Call& c) { return number_value(c.number(0) * c.number(0) * sizeof(float)); }},
    {.name = "operations",
     .help = "How many multiply-adds a way to compute attention takes for so many tokens, with the heads and width of "
             "Cost.",
     .arguments = {method, n},
     .compute = operations},
    {.name = "method_bytes",
     .help = "How many bytes it holds at once beside Q, K, V and the output, every head at the same time.",
     .arguments = {method, n},
     .compute = method_bytes},
    {.name = "method_error",
     .help =
         "How far its output is from exact attention’s, as a share of its length, on the data that Cost has chosen.",
     .arguments = {method},
     .of_head = true,
     .compute = method_error},
    {.name = "mean_error",
     .help = "The same for answering every query with the mean of the values it may see.",
     .of_head = true,
     .compute = mean_error},
    {.name = "weights_error",
     .help = "The share of attention that it puts elsewhere, mean over the queries.",
     .arguments = {method},
     .of_head = true,
     .compute = weights_error},
    {.name = "parameters",
     .help = "How many numbers a score function has to learn, at the scene’s sizes.",
     .arguments = {{"score", ArgumentKind::word}},
     .compute = parameters},
};

}  // namespace

std::span<const Quantity> cost_quantities() { return rows; }

}  // namespace heed
