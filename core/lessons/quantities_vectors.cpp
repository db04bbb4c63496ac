#include "core/analysis/backward.h"
#include "core/attention/pipeline.h"
#include "core/display/gradients_display.h"
#include "core/figure/context.h"
#include "core/files/shown.h"
#include "core/geometry/output_path.h"
#include "core/geometry/query_row.h"
#include "core/lessons/quantity_rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

constexpr Argument q{"q", ArgumentKind::query};
constexpr Argument k{"k", ArgumentKind::key};

using Vector = Eigen::VectorXd;

Vector query(const Call& call, int i) { return call.trace().q[call.head()].row(i).transpose().cast<double>(); }
Vector key(const Call& call, int j) {
    return call.trace().k[kv_head_of(call.model(), call.head())].row(j).transpose().cast<double>();
}
Vector value(const Call& call, int j) {
    return call.trace().v[kv_head_of(call.model(), call.head())].row(j).transpose().cast<double>();
}
Vector output(const Call& call, int i) {
    return call.trace().head_output[call.head()].row(i).transpose().cast<double>();
}

Result<LessonValue> cosine(const Call& call) {
    const Vector a = query(call, call.index(0));
    const Vector b = key(call, call.index(1));
    if (a.norm() == 0 || b.norm() == 0) return Error{"cosine: a vector of length 0 has no direction"};
    return number_value(a.dot(b) / (a.norm() * b.norm()));
}

Result<LessonValue> output_change(const Call& call) {
    if (call.moment().step == nullptr) return number_value(0);
    const auto before = trace_of(call.moment().step->model, call.moment().results);
    const Matrix& now = call.trace().output;
    if (before->output.rows() != now.rows() || before->output.cols() != now.cols())
        return Error{"output_change: the step's output had another shape"};
    return number_value((now.cast<double>() - before->output.cast<double>()).norm());
}

std::vector<int> visible_keys(const Call& call, int i) {
    const MaskMatrix& visible = call.trace().visible_of(call.head());
    std::vector<int> keys;
    for (Index j = 0; j < visible.cols(); ++j)
        if (visible(i, j) != 0) keys.push_back(static_cast<int>(j));
    return keys;
}

Result<LessonValue> jacobian_norm(const Call& call) {
    const std::vector<int> keys = visible_keys(call, call.index(0));
    if (keys.empty()) return Error{"jacobian_norm: the query sees no key"};
    const Matrix jacobian = row_jacobian(call.model(), call.trace(), call.head(), call.index(0), keys, keys.size());
    return number_value(jacobian.cast<double>().norm());
}

// The loss that the Gradients view carries back.
Result<LessonValue> gradient_norm(const Call& call) {
    static constexpr std::pair<std::string_view, BackwardStage> stages[] = {{"q", BackwardStage::q},
                                                                            {"k", BackwardStage::k},
                                                                            {"v", BackwardStage::v},
                                                                            {"scores", BackwardStage::scores},
                                                                            {"weights", BackwardStage::weights},
                                                                            {"output", BackwardStage::output}};
    const auto* stage = std::ranges::find(stages, call.word(0), &std::pair<std::string_view, BackwardStage>::first);
    if (stage == std::end(stages))
        return Error{"gradient_norm: \"" + shown(call.word(0)) + "\" is none of q, k, v, scores, weights and output"};
    const GradientsDisplay& display = *call.scene().display.gradients;
    const Cell pin = pinned_cell(call.scene());
    const std::shared_ptr<const Backward> backward =
        kept_quantity(call, "lesson backward",
                      std::tuple(call.trace().version, display.loss, display.component, pin.query, pin.key), [&] {
                          return run_backward(call.model(), call.trace(), {display.loss, display.component}, pin);
                      });
    if (backward->is_too_large) return Error{"gradient_norm: the scene is too large for it"};
    return number_value(backward->norms[static_cast<std::size_t>(stage->second)]);
}

Result<OutputPlace> place_of_output(const Call& call) {
    const int i = call.index(0);
    if (!call.trace().sees_a_key(call.head(), i)) return Error{"the query sees no key"};
    const QueryRow row = query_row(call.model(), call.trace(), call.head(), i);
    const auto weights = call.trace().weights[call.head()];
    const std::vector<float> of_query(weights.row(i).data(), weights.row(i).data() + weights.cols());
    const Matrix values = call.trace().v[kv_head_of(call.model(), call.head())];
    return output_place(of_query, row.visible, values, output(call, i));
}

Result<LessonValue> in_hull(const Call& call) {
    const Result<OutputPlace> place = place_of_output(call);
    if (!place) return Error{"in_hull: " + place.error()};
    return truth_value(place->is_inside());
}

Result<LessonValue> hull_distance(const Call& call) {
    const Result<OutputPlace> place = place_of_output(call);
    if (!place) return Error{"hull_distance: " + place.error()};
    return number_value(place->outside);
}

double embedding_norm(const Call& call) {
    const Model& model = call.model();
    return (*model.x).row(call.index(0)).head(model.d_model).cast<double>().norm();
}

constexpr Quantity rows[] = {
    {.name = "dot",
     .help = "The dot product of a query and a key, as they enter the score.",
     .arguments = {q, k},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(query(c, c.index(0)).dot(key(c, c.index(1)))); }},
    {.name = "cosine",
     .help = "The cosine of the angle between a query and a key.",
     .arguments = {q, k},
     .of_head = true,
     .compute = cosine},
    {.name = "query_norm",
     .help = "The length of a query vector.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(query(c, c.index(0)).norm()); }},
    {.name = "key_norm",
     .help = "The length of a key vector.",
     .arguments = {k},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(key(c, c.index(0)).norm()); }},
    {.name = "value_norm",
     .help = "The length of a value vector.",
     .arguments = {k},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(value(c, c.index(0)).norm()); }},
    {.name = "value",
     .help = "A component of a value vector, counted from 0.",
     .arguments = {k, {"c", ArgumentKind::component}},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(value(c, c.index(0))(c.index(1))); }},
    {.name = "value_distance",
     .help = "The distance between two value vectors.",
     .arguments = {{"k1", ArgumentKind::key}, {"k2", ArgumentKind::key}},
     .of_head = true,
     .compute = [](const Call& c) { return number_value((value(c, c.index(0)) - value(c, c.index(1))).norm()); }},
    {.name = "output",
     .help = "A component of a head’s output for a query, counted from 0.",
     .arguments = {q, {"c", ArgumentKind::component}},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(output(c, c.index(0))(c.index(1))); }},
    {.name = "output_norm",
     .help = "The length of a head’s output for a query.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(output(c, c.index(0)).norm()); }},
    {.name = "output_distance",
     .help = "The distance between a head’s outputs for two queries.",
     .arguments = {{"q1", ArgumentKind::query}, {"q2", ArgumentKind::query}},
     .of_head = true,
     .compute = [](const Call& c) { return number_value((output(c, c.index(0)) - output(c, c.index(1))).norm()); }},
    {.name = "output_change",
     .help = "How far the output of all heads has moved since the step began.",
     .compute = output_change},
    {.name = "embedding_norm",
     .help = "The length of a token’s embedding, a row of X.",
     .arguments = {q},
     .compute = [](const Call& c) { return number_value(embedding_norm(c)); }},
    {.name = "jacobian_norm",
     .help = "The size of the normaliser’s Jacobian for a query: how much its weights answer to its scores.",
     .arguments = {q},
     .of_head = true,
     .compute = jacobian_norm},
    {.name = "gradient_norm",
     .help = "The size of the gradient that reaches \"q\", \"k\", \"v\", \"scores\", \"weights\" or \"output\", of the "
             "loss that Gradients shows.",
     .arguments = {{"stage", ArgumentKind::word}},
     .compute = gradient_norm},
    {.name = "in_hull",
     .help = "Whether the output for a query lies in the hull of the values it sees.",
     .kind = ValueKind::truth,
     .arguments = {q},
     .of_head = true,
     .compute = in_hull},
    {.name = "hull_distance",
     .help = "How far the output for a query lies outside of the hull of the values it sees.",
     .arguments = {q},
     .of_head = true,
     .compute = hull_distance},
};

}  // namespace

std::span<const Quantity> vector_quantities() { return rows; }

}  // namespace heed
