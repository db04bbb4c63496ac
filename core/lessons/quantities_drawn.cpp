#include "core/analysis/number_formats.h"
#include "core/analysis/saturation.h"
#include "core/attention/normalizers.h"
#include "core/display/saturation_display.h"
#include "core/files/shown.h"
#include "core/lessons/quantity_rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

constexpr Argument d_k{"d_k", ArgumentKind::length};
constexpr Argument scaled{"scaled", ArgumentKind::truth};

// As the curves of Saturation have them: the scene's seed and temperature, and as many keys as are chosen there.
Result<Saturation> drawn_rows(const Call& call) {
    constexpr int draws = 4000;
    const auto temperature = static_cast<double>(call.model().temperature);
    if (temperature <= 0) return Error{"at temperature 0 nothing can be drawn"};
    const int length = call.index(0);
    const double factor = (call.truth(1) ? 1 / std::sqrt(static_cast<double>(length)) : 1.0) / temperature;
    const int keys = call.scene().display.saturation->keys;
    const std::uint64_t seed = call.model().seed;
    return *kept_quantity(call, "lesson drawn rows", std::tuple(seed, length, keys, factor),
                          [&] { return RowSample::drawn(seed, length, keys, draws).measure(factor); });
}

template <typename Part>
Result<LessonValue> drawn(const Call& call, Part part) {
    const Result<Saturation> rows = drawn_rows(call);
    if (!rows) return Error{rows.error()};
    return number_value(static_cast<double>(part(*rows).mean));
}

ScoreSample drawn_scores(const Call& call) {
    constexpr int draws = 100000;
    return *kept_quantity(call, "lesson drawn scores", std::tuple(call.model().seed, call.index(0)),
                          [&] { return sample_scores(call.model().seed, call.index(0), draws); });
}

Result<LessonValue> drawn_inside(const Call& call) {
    const double sigmas = call.number(1);
    if (sigmas != 1 && sigmas != 2 && sigmas != 3) return Error{"drawn_inside: 1, 2 or 3 deviations are counted"};
    return number_value(drawn_scores(call).inside[static_cast<std::size_t>(sigmas) - 1]);
}

// softmax_of, l1_of …: a quantity for each normaliser, by the name of its row.
constexpr std::string_view of_ending = "_of";

std::string name_of(const Normalizer& row) {
    std::string name = std::string(row.id) + std::string(of_ending);
    std::ranges::replace(name, '-', '_');
    return name;
}

Result<LessonValue> weight_of_numbers(const Call& call) {
    std::vector<double> logits;
    for (std::size_t i = 1; i < call.count(); ++i) logits.push_back(call.number(i));
    const double wanted = call.number(0);
    if (!(wanted >= 0 && wanted < static_cast<double>(logits.size())) || std::floor(wanted) != wanted)
        return Error{"of " + std::to_string(logits.size()) + " numbers, " + compact(wanted) +
                     " is not the place of one, counted from 0"};
    const std::vector<std::uint8_t> visible(logits.size(), 1);
    std::vector<double> weights(logits.size());
    for (const Normalizer& row : normalizers())
        if (name_of(row) == call.name()) row.weights(logits, visible, weights);
    return number_value(weights[static_cast<std::size_t>(wanted)]);
}

Result<const NumberFormat*> format_called(const std::string& name) {
    std::string known;
    for (const NumberFormat& format : number_formats()) {
        if (format.name == name) return &format;
        known += (known.empty() ? "" : ", ") + std::string(format.name);
    }
    return Error{"\"" + shown(name) + "\" is none of " + known};
}

// format, stable, s
Result<LessonValue> format_softmax(const Call& call) {
    const Result<const NumberFormat*> format = format_called(call.word(0));
    if (!format) return Error{"format_softmax: " + format.error()};
    // The picture of Numerics: three scores one apart.
    const double s = call.number(2);
    const std::vector<double> scores = {s, s - 1, s - 2};
    return number_value(softmax_in(**format, scores, call.truth(1))[0]);
}

Result<LessonValue> overflows_from(const Call& call) {
    const Result<const NumberFormat*> format = format_called(call.word(0));
    if (!format) return Error{"overflows_from: " + format.error()};
    return number_value(softmax_nan_from(**format, call.truth(1), 1e6));
}

constexpr Argument i{"i", ArgumentKind::number};
constexpr Argument s{"s", ArgumentKind::number};

constexpr Quantity rows[] = {
    {.name = "drawn_max_weight",
     .help = "The largest weight of random rows at a d_k, with or without 1/√d_k: a mean over draws.",
     .arguments = {d_k, scaled},
     .compute = [](const Call& c) { return drawn(c, [](const Saturation& a) { return a.peak; }); }},
    {.name = "drawn_entropy_share",
     .help = "The entropy of random rows as a share of the largest possible one: a mean over draws.",
     .arguments = {d_k, scaled},
     .compute = [](const Call& c) { return drawn(c, [](const Saturation& a) { return a.entropy; }); }},
    {.name = "drawn_jacobian",
     .help = "The size of the softmax Jacobian of random rows: a mean over draws.",
     .arguments = {d_k, scaled},
     .compute = [](const Call& c) { return drawn(c, [](const Saturation& a) { return a.jacobian; }); }},
    {.name = "drawn_deviation",
     .help = "The standard deviation of q·k over draws, at a d_k.",
     .arguments = {d_k},
     .compute = [](const Call& c) { return number_value(std::sqrt(drawn_scores(c).variance)); }},
    {.name = "drawn_kurtosis",
     .help = "The kurtosis of q·k over draws, at a d_k: 3 for a normal variable.",
     .arguments = {d_k},
     .compute = [](const Call& c) { return number_value(drawn_scores(c).kurtosis); }},
    {.name = "drawn_inside",
     .help = "The share of draws of q·k within 1, 2 or 3 times √d_k.",
     .arguments = {d_k, {"sigmas", ArgumentKind::number}},
     .compute = drawn_inside},
    {.name = "normal_inside",
     .help = "The share of a normal variable within so many standard deviations.",
     .arguments = {{"sigmas", ArgumentKind::number}},
     .compute = [](const Call& c) { return number_value(std::erf(c.number(0) / std::sqrt(2.0))); }},
    {.name = "format_softmax",
     .help = "The first weight of softmax(s, s − 1, s − 2) as a number format computes it, with or without subtracting "
             "the maximum.",
     .arguments = {{"format", ArgumentKind::word}, {"stable", ArgumentKind::truth}, s},
     .compute = format_softmax},
    {.name = "overflows_from",
     .help = "The smallest score from which softmax makes NaN in a number format; infinite where none does.",
     .arguments = {{"format", ArgumentKind::word}, {"stable", ArgumentKind::truth}},
     .compute = overflows_from},
};

}  // namespace

std::span<const Quantity> drawn_quantities() { return rows; }

std::span<const Quantity> normalizer_quantities() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Normalizer& row : normalizers()) all.push_back(name_of(row));
        return all;
    }();
    static const std::vector<Quantity> made = [] {
        std::vector<Quantity> all;
        all.reserve(names.size());
        for (const std::string& name : names)
            all.push_back(
                {.name = name,
                 .help = "The weight that this rule makes of one of the numbers after the first; the first says which, "
                         "from 0.",
                 .arguments = {i, s},
                 .repeats = true,
                 .compute = weight_of_numbers});
        return all;
    }();
    return made;
}

}  // namespace heed
