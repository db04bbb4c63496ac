#include "core/analysis/contributions.h"
#include "core/attention/pipeline.h"
#include "core/attention/statistics.h"
#include "core/lessons/quantity_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {
namespace {

constexpr Argument q{"q", ArgumentKind::query};
constexpr Argument k{"k", ArgumentKind::key};

double cell(const Call& call, Stage stage) {
    return static_cast<double>(
        stage_value(call.model(), call.trace(), stage, call.head(), call.index(0), call.index(1)));
}

const WeightStatistics& row(const Call& call) { return call.trace().row(call.head(), call.index(0)); }

// Weights of the query's row, largest first.
std::vector<double> sorted_weights(const Call& call) {
    const auto weights = call.trace().weights[call.head()];
    std::vector<double> sorted;
    for (Index j = 0; j < weights.cols(); ++j) sorted.push_back(static_cast<double>(weights(call.index(0), j)));
    std::ranges::sort(sorted, std::ranges::greater{});
    return sorted;
}

int visible_keys(const Call& call) {
    const MaskMatrix& visible = call.trace().visible_of(call.head());
    int count = 0;
    for (Index j = 0; j < visible.cols(); ++j) count += visible(call.index(0), j) != 0 ? 1 : 0;
    return count;
}

double nats(float bits) { return static_cast<double>(bits) * std::numbers::ln2; }

int largest_key(const Call& call) {
    const auto weights = call.trace().weights[call.head()];
    Index best = 0;
    for (Index j = 1; j < weights.cols(); ++j)
        if (weights(call.index(0), j) > weights(call.index(0), best)) best = j;
    return static_cast<int>(best);
}

Result<LessonValue> entropy_share(const Call& call) {
    const int keys = visible_keys(call);
    if (keys < 2) return Error{"entropy_share: the query sees fewer than two keys"};
    return number_value(nats(row(call).entropy) / std::log(static_cast<double>(keys)));
}

bool row_is_finite(const Call& call) {
    const auto weights = call.trace().weights[call.head()];
    for (Index j = 0; j < weights.cols(); ++j)
        if (!std::isfinite(weights(call.index(0), j))) return false;
    return true;
}

const WeightStatistics& head_means(const Call& call, int head) {
    return call.trace().heads[static_cast<std::size_t>(head)];
}

Result<LessonValue> similarity(const Call& call) {
    const std::shared_ptr<const Matrix> all = kept_quantity(call, "lesson head similarity", call.trace().version,
                                                            [&] { return head_similarity(call.trace()); });
    return number_value(static_cast<double>((*all)(call.index(0), call.index(1))));
}

Result<LessonValue> weights_change(const Call& call) {
    if (call.moment().step == nullptr) return number_value(0);
    const auto before = trace_of(call.moment().step->model, call.moment().results);
    const Stack& then = before->weights;
    const Stack& now = call.trace().weights;
    if (then.count() != now.count() || then.rows() != now.rows() || then.cols() != now.cols())
        return Error{"weights_change: the step had another number of tokens or heads"};
    double largest = 0;
    for (Index i = 0; i < now.count() * now.rows() * now.cols(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(now.data()[i]) - static_cast<double>(then.data()[i])));
    return number_value(largest);
}

constexpr Quantity rows[] = {
    {.name = "weight",
     .help = "The weight of a query on a key.",
     .arguments = {q, k},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(cell(c, Stage::weights)); }},
    {.name = "score",
     .help = "The raw score of a query and a key, before scale and temperature.",
     .arguments = {q, k},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(cell(c, Stage::scores)); }},
    {.name = "scaled",
     .help = "The score after scale, temperature and soft cap.",
     .arguments = {q, k},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(cell(c, Stage::scaled)); }},
    {.name = "logit",
     .help = "What enters the normaliser: the scaled score with bias and position.",
     .arguments = {q, k},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(cell(c, Stage::masked)); }},
    {.name = "is_visible",
     .help = "Whether a query may see a key.",
     .kind = ValueKind::truth,
     .arguments = {q, k},
     .of_head = true,
     .compute = [](const Call& c) { return truth_value(c.trace().visible_of(c.head())(c.index(0), c.index(1)) != 0); }},
    {.name = "max_weight",
     .help = "The largest weight of a query.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(sorted_weights(c)[0]); }},
    {.name = "second_weight",
     .help = "The second largest weight of a query; 0 where there is one key.",
     .arguments = {q},
     .of_head = true,
     .compute =
         [](const Call& c) {
             const std::vector<double> sorted = sorted_weights(c);
             return number_value(sorted.size() > 1 ? sorted[1] : 0);
         }},
    {.name = "argmax",
     .help = "The key with the query’s largest weight, counted from 0; of several, the first.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(largest_key(c)); }},
    {.name = "entropy",
     .help = "The entropy of a query’s weights, in nats.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(nats(row(c).entropy)); }},
    {.name = "entropy_share",
     .help = "The entropy of a query’s weights as a share of the largest possible one, ln of the keys it sees.",
     .arguments = {q},
     .of_head = true,
     .compute = entropy_share},
    {.name = "effective_keys",
     .help = "How many keys a query looks at in effect: e to the entropy.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(static_cast<double>(row(c).effective_keys)); }},
    {.name = "row_sum",
     .help = "The sum of a query’s weights.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(static_cast<double>(row(c).sum)); }},
    {.name = "visible",
     .help = "How many keys a query may see.",
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return number_value(visible_keys(c)); }},
    {.name = "is_finite",
     .help = "Whether every weight of a query is a finite number.",
     .kind = ValueKind::truth,
     .arguments = {q},
     .of_head = true,
     .compute = [](const Call& c) { return truth_value(row_is_finite(c)); }},
    {.name = "rows_masked",
     .help = "How many queries see no key at all.",
     .compute = [](const Call& c) { return number_value(fully_masked_rows_of_maps(c.trace())); }},
    {.name = "hidden_cells",
     .help = "How many cells of the first head’s mask are hidden.",
     .compute = [](const Call& c) { return number_value(c.trace().hidden_cells); }},
    {.name = "n_queries",
     .help = "How many queries there are.",
     .compute = [](const Call& c) { return number_value(c.model().n_queries); }},
    {.name = "n_keys",
     .help = "How many keys there are.",
     .compute = [](const Call& c) { return number_value(effective_n_keys(c.model())); }},
    {.name = "query_label",
     .help = "The token of a query.",
     .kind = ValueKind::text,
     .arguments = {q},
     .compute = [](const Call& c) -> Result<LessonValue> { return LessonValue(query_label(c.model(), c.index(0))); }},
    {.name = "key_label",
     .help = "The token of a key.",
     .kind = ValueKind::text,
     .arguments = {k},
     .compute = [](const Call& c) -> Result<LessonValue> { return LessonValue(key_label(c.model(), c.index(0))); }},
    {.name = "mean_max_weight",
     .help = "The largest weight of a query, mean over the queries of a head.",
     .of_head = true,
     .compute = [](const Call& c) { return number_value(static_cast<double>(head_means(c, c.head()).peak)); }},
    {.name = "head_entropy",
     .help = "The entropy of the weights in nats, mean over the queries of a head.",
     .arguments = {{"h", ArgumentKind::head}},
     .compute = [](const Call& c) { return number_value(nats(head_means(c, c.index(0)).entropy)); }},
    {.name = "head_similarity",
     .help = "How alike two heads look, from −1 to 1.",
     .arguments = {{"a", ArgumentKind::head}, {"b", ArgumentKind::head}},
     .compute = similarity},
    {.name = "first_token_share",
     .help = "The share of attention on the first token, mean over the queries of a head.",
     .of_head = true,
     .compute = [](const Call& c) { return number_value(static_cast<double>(head_means(c, c.head()).first_token)); }},
    {.name = "previous_token_share",
     .help = "The share of attention on the token before, mean over the queries of a head.",
     .of_head = true,
     .compute =
         [](const Call& c) { return number_value(static_cast<double>(head_means(c, c.head()).previous_token)); }},
    {.name = "diagonal_share",
     .help = "The share of attention on the query’s own place, mean over the queries of a head.",
     .of_head = true,
     .compute = [](const Call& c) { return number_value(static_cast<double>(head_means(c, c.head()).diagonal)); }},
    {.name = "weights_change",
     .help = "The largest change of any weight since the step began.",
     .compute = weights_change},
};

}  // namespace

std::span<const Quantity> weight_quantities() { return rows; }

}  // namespace heed
