#include "core/analysis/backward.h"
#include "core/analysis/recurrence.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/display/gradients_display.h"
#include "core/display/order_display.h"
#include "core/lessons/quantity_rows.h"
#include "core/order/embedding_scale.h"
#include "core/order/encodings.h"
#include "core/order/equivariance.h"
#include "core/transformer/around.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

constexpr Argument place{"place", ArgumentKind::place};
constexpr Argument distance{"distance", ArgumentKind::place};
constexpr Argument scaled{"scaled", ArgumentKind::truth};

const OrderDisplay& display_of(const Call& call) { return *call.scene().display.order; }

// Of the order that the Order view asks for, and of the layer that it shows: X is what that layer reads.
Result<Equivariance> measured(const Call& call) {
    const Model& layer = looked_at(call.model(), call.trace());
    if (weights_of(layer) > most_measured_weights) return Error{"the scene is too large for it"};
    const ShownOrder order = shown_order(layer, display_of(call));
    return *kept_quantity(call, "lesson equivariance", std::tuple(call.trace().version, order), [&] {
        return equivariance(call.trace().output, run_attention(reordered(layer, order)).output, order);
    });
}

template <typename Part>
Result<LessonValue> gap(const Call& call, Part part) {
    const Result<Equivariance> found = measured(call);
    if (!found) return Error{found.error()};
    if (!found->is_finite) return Error{"the outputs are not finite"};
    return number_value(part(*found));
}

Result<LessonValue> encoding_norm(const Call& call) {
    const PositionEncoding& encoding = looked_at_encoding(call.model(), display_of(call));
    const int width = encoding_width(call.model(), encoding);
    const Matrix table = encoding_table(encoding, call.index(0), 1, width, call.model().seed);
    if (table.size() == 0) return Error{"encoding_norm: this encoding is a bias and has no vectors"};
    return number_value(table.cast<double>().norm());
}

Result<LessonValue> encoding_dot(const Call& call) {
    const PositionEncoding& encoding = looked_at_encoding(call.model(), display_of(call));
    const int width = encoding_width(call.model(), encoding);
    const std::vector<double> products = closeness(encoding, 0, call.index(0), width, call.model().seed);
    if (products.size() <= static_cast<std::size_t>(call.index(0)))
        return Error{"encoding_dot: this encoding has no such product"};
    return number_value(products[static_cast<std::size_t>(call.index(0))]);
}

// As the page of embedding scales draws them.
std::shared_ptr<const DrawnWords> drawn_words(const Call& call) {
    const OrderDisplay& display = display_of(call);
    const PositionEncoding& encoding = looked_at_encoding(call.model(), display);
    return kept_quantity(call, "lesson drawn words",
                         std::tuple(std::string(encoding.id), display.d_model, display.distance, call.model().seed),
                         [&] { return DrawnWords(encoding, display.d_model, display.distance, call.model().seed); });
}

double deviation_of(const Call& call) {
    const OrderDisplay& display = display_of(call);
    return display.deviation ? static_cast<double>(*display.deviation) : 1 / std::sqrt(double{1} * display.d_model);
}

Result<LessonValue> alike(const Call& call, double ToldApart::*part) {
    if (looked_at_encoding(call.model(), display_of(call)).add == nullptr)
        return Error{"the encoding that is looked at is not added to embeddings"};
    const double factor = call.truth(0) ? std::sqrt(double{1} * display_of(call).d_model) : 1;
    return number_value(drawn_words(call)->told_apart(deviation_of(call), factor).*part);
}

Result<LessonValue> word_length(const Call& call) {
    if (looked_at_encoding(call.model(), display_of(call)).add == nullptr)
        return Error{"word_length: the encoding that is looked at is not added to embeddings"};
    return number_value(drawn_words(call)->word_norm(deviation_of(call)));
}

double rnn_gradient(const Call& call) {
    const GradientsDisplay& display = *call.scene().display.gradients;
    const RecurrentNet net{
        .seed = call.model().seed, .width = 32, .radius = static_cast<double>(display.radius), .is_tanh = display.tanh};
    return *kept_quantity(call, "lesson recurrence", std::tuple(net.seed, net.radius, net.is_tanh, call.index(0)),
                          [&] { return recurrent_gradient(net, call.index(0)).back(); });
}

// Through attention with the scene's scale and temperature, over as many keys as lie between.
Result<LessonValue> attention_path(const Call& call) {
    constexpr int longest = 512;
    const Model& model = call.model();
    if (model.temperature <= 0) return Error{"attention_path: at temperature 0 there is no gradient"};
    const int d_k = std::min(model.d_k, longest);
    const bool by_root = !score_function(model.score).is_dot || is_scaled_by_root(model);
    const double scale = by_root ? 1 / std::sqrt(double{1} * d_k) : static_cast<double>(score_scale(model));
    return number_value(
        attention_gradient(model.seed, d_k, scale / static_cast<double>(model.temperature), call.index(0)).back());
}

constexpr Quantity rows[] = {
    {.name = "equivariance_gap",
     .help = "The largest |Attention(PX) − P·Attention(X)| of the order that Order shows; X is what the shown layer "
             "reads, with the "
             "positions that are in it already.",
     .compute = [](const Call& c) { return gap(c, [](const Equivariance& e) { return e.from_moved; }); }},
    {.name = "invariance_gap",
     .help = "The largest |Attention(PX) − Attention(X)|, token by token, of the order that Order shows.",
     .compute = [](const Call& c) { return gap(c, [](const Equivariance& e) { return e.from_still; }); }},
    {.name = "mean_gap",
     .help = "How far the mean output over all tokens moves in the order that Order shows.",
     .compute = [](const Call& c) { return gap(c, [](const Equivariance& e) { return e.of_means; }); }},
    {.name = "permutation_determinant",
     .help = "The determinant of the permutation that Order shows: 1 for an even number of swaps, −1 for an odd one.",
     .compute = [](const Call& c) { return number_value(sign(shown_order(c.model(), display_of(c)).permutation)); }},
    {.name = "encoding_norm",
     .help = "The length of the position encoding’s vector at a place.",
     .arguments = {place},
     .compute = encoding_norm},
    {.name = "encoding_dot",
     .help = "The dot product of the encodings of place 0 and one so far away.",
     .arguments = {distance},
     .compute = encoding_dot},
    {.name = "word_length",
     .help = "The mean length of the drawn embeddings on Order’s page of scales.",
     .compute = word_length},
    {.name = "words_alike",
     .help = "The mean cosine of two different words in one place, their embeddings multiplied by √d or not.",
     .arguments = {scaled},
     .compute = [](const Call& c) { return alike(c, &ToldApart::words); }},
    {.name = "places_alike",
     .help = "The mean cosine of one word in two places, its embedding multiplied by √d or not.",
     .arguments = {scaled},
     .compute = [](const Call& c) { return alike(c, &ToldApart::places); }},
    {.name = "rnn_gradient",
     .help = "The share of a gradient that a recurrent net carries so many steps back.",
     .arguments = {distance},
     .compute = [](const Call& c) { return number_value(rnn_gradient(c)); }},
    {.name = "attention_path",
     .help =
         "The share of a gradient that attention carries over so many tokens in one step: the weight of a random key.",
     .arguments = {distance},
     .compute = attention_path},
};

}  // namespace

std::span<const Quantity> order_quantities() { return rows; }

}  // namespace heed
