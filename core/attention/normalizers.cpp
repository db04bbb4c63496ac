#include "core/attention/normalizers.h"

#include "core/attention/exact.h"
#include "core/attention/find_row.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace heed {

namespace {

using Logits = std::span<const double>;
using Visible = std::span<const std::uint8_t>;
using Row = std::span<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Calls use(j) for the visible cells and writes 0 to the others.
template <typename Use>
void each_visible(Visible visible, Row out, Use&& use) {
    for (std::size_t j = 0; j < visible.size(); ++j) {
        if (visible[j])
            use(j);
        else
            out[j] = 0;
    }
}

struct Largest {
    double value = -infinity;
    bool nan = false;  // a NaN among the visible cells
};

Largest largest(Logits logits, Visible visible) {
    Largest found;
    for (std::size_t j = 0; j < logits.size(); ++j) {
        if (!visible[j]) continue;
        if (std::isnan(logits[j])) found.nan = true;
        if (logits[j] > found.value) found.value = logits[j];
    }
    return found;
}

void fill_visible(Visible visible, Row out, double value) {
    each_visible(visible, out, [&](std::size_t j) { out[j] = value; });
}

void softmax(Logits logits, Visible visible, Row out) {
    const double top = largest(logits, visible).value;
    double sum = 0;
    each_visible(visible, out, [&](std::size_t j) { sum += out[j] = std::exp(logits[j] - top); });
    each_visible(visible, out, [&](std::size_t j) { out[j] /= sum; });
}

// Without subtracting the maximum, and in float as it would be in a framework: above 88.7 exp is inf and the row NaN,
// far below 0 every exp is 0 and 0/0 is NaN too.
void naive_softmax(Logits logits, Visible visible, Row out) {
    float sum = 0;
    each_visible(visible, out, [&](std::size_t j) {
        const float power = std::exp(static_cast<float>(logits[j]));
        out[j] = static_cast<double>(power);
        sum += power;
    });
    each_visible(visible, out, [&](std::size_t j) { out[j] = static_cast<double>(static_cast<float>(out[j]) / sum); });
}

// d_logit_j = w_j (d_w_j − Σ w·d_w).
void softmax_backward(Logits, Visible visible, Logits weights, Logits d_weights, Row d_logits) {
    double mean = 0;
    for (std::size_t j = 0; j < weights.size(); ++j)
        if (visible[j]) mean += weights[j] * d_weights[j];
    each_visible(visible, d_logits, [&](std::size_t j) { d_logits[j] = weights[j] * (d_weights[j] - mean); });
}

// Martins and Astudillo 2016, Algorithm 1: the projection onto the simplex, its threshold found by sorting.
void sparsemax(Logits logits, Visible visible, Row out) {
    const Largest top = largest(logits, visible);
    if (top.nan || std::isinf(top.value)) return fill_visible(visible, out, not_a_number);
    thread_local Scratch scratch;
    const std::span<double> sorted = scratch.row(static_cast<Index>(logits.size()));
    std::size_t count = 0;
    for (std::size_t j = 0; j < logits.size(); ++j)
        if (visible[j]) sorted[count++] = logits[j] - top.value;  // small numbers keep their digits in the sum
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
    double sum = 0;
    double threshold = 0;
    for (std::size_t t = 0; t < count; ++t) {
        if (1 + static_cast<double>(t + 1) * sorted[t] <= sum + sorted[t]) break;
        sum += sorted[t];
        threshold = (sum - 1) / static_cast<double>(t + 1);
    }
    each_visible(visible, out, [&](std::size_t j) { out[j] = std::max(0.0, logits[j] - top.value - threshold); });
}

// On the support the gradient is d_w minus its mean there; elsewhere 0.
void sparsemax_backward(Logits, Visible visible, Logits weights, Logits d_weights, Row d_logits) {
    double sum = 0;
    double count = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (!visible[j] || weights[j] == 0) continue;
        sum += d_weights[j];
        ++count;
    }
    each_visible(visible, d_logits,
                 [&](std::size_t j) { d_logits[j] = weights[j] == 0 ? 0 : d_weights[j] - sum / count; });
}

// A row of zeros has nothing to divide by and stays zeros.
template <typename Size>
void divide_by_size(Logits logits, Visible visible, Row out, Size&& size) {
    const double norm = size();
    each_visible(visible, out, [&](std::size_t j) { out[j] = norm == 0 ? 0 : logits[j] / norm; });
}

double l1_norm(Logits logits, Visible visible) {
    double sum = 0;
    for (std::size_t j = 0; j < logits.size(); ++j)
        if (visible[j]) sum += std::abs(logits[j]);
    return sum;
}

double l2_norm(Logits logits, Visible visible) {
    double sum = 0;
    for (std::size_t j = 0; j < logits.size(); ++j)
        if (visible[j]) sum += logits[j] * logits[j];
    return std::sqrt(sum);
}

void l1(Logits logits, Visible visible, Row out) {
    divide_by_size(logits, visible, out, [&] { return l1_norm(logits, visible); });
}

void l2(Logits logits, Visible visible, Row out) {
    divide_by_size(logits, visible, out, [&] { return l2_norm(logits, visible); });
}

double inner(Visible visible, Logits a, Logits b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j)
        if (visible[j]) sum += a[j] * b[j];
    return sum;
}

// w = s/N with N = Σ|s|: d_s_j = (d_w_j − sign(s_j)·Σ w·d_w)/N.
void l1_backward(Logits logits, Visible visible, Logits weights, Logits d_weights, Row d_logits) {
    const double norm = l1_norm(logits, visible);
    const double mean = inner(visible, weights, d_weights);
    each_visible(visible, d_logits, [&](std::size_t j) {
        const double sign = logits[j] > 0 ? 1 : logits[j] < 0 ? -1 : 0;
        d_logits[j] = norm == 0 ? 0 : (d_weights[j] - sign * mean) / norm;
    });
}

// w = s/N with N² = Σs²: d_s_j = (d_w_j − w_j·Σ w·d_w)/N.
void l2_backward(Logits logits, Visible visible, Logits weights, Logits d_weights, Row d_logits) {
    const double norm = l2_norm(logits, visible);
    const double mean = inner(visible, weights, d_weights);
    each_visible(visible, d_logits,
                 [&](std::size_t j) { d_logits[j] = norm == 0 ? 0 : (d_weights[j] - weights[j] * mean) / norm; });
}

// Ties share equally.
void argmax(Logits logits, Visible visible, Row out) {
    const Largest top = largest(logits, visible);
    if (top.nan) return fill_visible(visible, out, not_a_number);
    double ties = 0;
    each_visible(visible, out, [&](std::size_t j) { ties += out[j] = logits[j] == top.value ? 1 : 0; });
    each_visible(visible, out, [&](std::size_t j) { out[j] /= ties; });
}

// A step function: flat wherever it has a slope at all.
void argmax_backward(Logits, Visible visible, Logits, Logits, Row d_logits) { fill_visible(visible, d_logits, 0); }

float largest_logit(const WeightCell& cell) {
    float top = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < cell.logits.size(); ++j)
        if (cell.visible[j] != 0) top = std::max(top, cell.logits[j]);
    return top;
}

template <typename Of>
double sum_over_visible(const WeightCell& cell, Of&& of) {
    double sum = 0;
    for (std::size_t j = 0; j < cell.logits.size(); ++j)
        if (cell.visible[j] != 0) sum += of(static_cast<double>(cell.logits[j]));
    return sum;
}

std::string explain_softmax(const WeightCell& cell, Language) {
    const auto top = static_cast<double>(largest_logit(cell));
    const double sum = sum_over_visible(cell, [&](double logit) { return std::exp(logit - top); });
    return "e^{" + cell.logit_text + (top < 0 ? " + " : " − ") + decimal(std::abs(top), 3) + "} ÷ " + decimal(sum, 3) +
           " = " + cell.weight_text;
}

// float32 has no e^100: it says ∞ or 0 where the exponential leaves it.
std::string explain_naive_softmax(const WeightCell& cell, Language) {
    const float power = std::exp(cell.logits[cell.key]);
    const std::string beyond = std::isinf(power) ? " → ∞" : power == 0 ? " → 0" : "";
    const double sum =
        sum_over_visible(cell, [](double logit) { return static_cast<double>(std::exp(static_cast<float>(logit))); });
    return "e^{" + cell.logit_text + "}" + beyond + " ÷ " + compact(sum) + " = " + cell.weight_text;
}

// The threshold follows from any key that keeps weight.
std::string explain_sparsemax(const WeightCell& cell, Language) {
    float threshold = largest_logit(cell);
    for (std::size_t j = 0; j < cell.logits.size(); ++j)
        if (cell.weights[j] > 0) threshold = cell.logits[j] - cell.weights[j];
    return "max(0, " + cell.logit_text + (threshold < 0 ? " + " : " − ") + decimal(std::abs(threshold), 3) +
           ") = " + cell.weight_text;
}

std::string explain_zeros(const WeightCell& cell, Language language) {
    return fill(tr(language, "every score it sees is 0, and so is every weight: {0}"), {cell.weight_text});
}

std::string explain_l1(const WeightCell& cell, Language language) {
    const double sum = sum_over_visible(cell, [](double logit) { return std::abs(logit); });
    if (sum == 0) return explain_zeros(cell, language);
    return cell.logit_text + " ÷ " + decimal(sum, 3) + " = " + cell.weight_text;
}

std::string explain_l2(const WeightCell& cell, Language language) {
    const double sum = sum_over_visible(cell, [](double logit) { return logit * logit; });
    if (sum == 0) return explain_zeros(cell, language);
    return cell.logit_text + " ÷ √" + decimal(sum, 3) + " = " + cell.weight_text;
}

std::string explain_argmax(const WeightCell& cell, Language language) {
    const bool is_largest = cell.weights[cell.key] > 0;
    const auto winners = std::ranges::count_if(cell.weights, [](float weight) { return weight > 0; });
    if (is_largest && winners > 1)
        return fill(tr(language, "one of the {0} largest of its row, which share: {1}"),
                    {std::to_string(winners), cell.weight_text});
    return fill(tr(language, is_largest ? "the largest of its row: {0}" : "not the largest of its row: {0}"),
                {cell.weight_text});
}

constexpr std::string_view softmax_latex = "\\frac{e^{s_{ij}}}{\\sum_{j'} e^{s_{ij'}}}";

constexpr Normalizer table[] = {
    {.id = "softmax",
     .name = "Softmax",
     .short_name = "Softmax",
     .formula = "exp(s_{j} − max s) / Σ exp(s − max s)",
     .is_softmax = true,
     .has_kernel = true,
     .weights = softmax,
     .backward = softmax_backward,
     .explain = explain_softmax,
     .python = "logits = where(visible, logits, -inf)\n"
               "e = exp(logits - where(some, row_max(logits), 0.0))\n"
               "weights = e / row_sum(e)",
     .latex = softmax_latex},
    {.id = "naive-softmax",
     .name = "Naive softmax",
     .short_name = "Naive",
     .formula = "exp(s_{j}) / Σ exp(s)",
     .is_softmax = true,
     .is_stable = false,
     .weights = naive_softmax,
     .backward = softmax_backward,
     .explain = explain_naive_softmax,
     .python =
         "e = exp(float32(where(visible, logits, -inf)))  # naive: no maximum is taken off, and float32 overflows\n"
         "weights = float64(e / row_sum(e))",
     .latex = softmax_latex},
    {.id = "sparsemax",
     .name = "Sparsemax",
     .short_name = "Sparsemax",
     .formula = "max(0, s_{j} − τ), with τ so that the row sums to 1",
     .weights = sparsemax,
     .backward = sparsemax_backward,
     .explain = explain_sparsemax,
     .python = "logits = where(visible, logits, -inf)\n"
               "logits = logits - where(some, row_max(logits), 0.0)\n"
               "low, high = row_max(logits) - 1, row_max(logits)\n"
               "for _ in range(80):  # bisection for the threshold of Martins and Astudillo (2016)\n"
               "    middle = (low + high) / 2\n"
               "    is_low = row_sum((logits - middle).clip(0)) > 1\n"
               "    low, high = where(is_low, middle, low), where(is_low, high, middle)\n"
               "weights = (logits - low).clip(0)",
     .latex = "\\max(0, s_{ij} - \\tau_i)"},
    {.id = "l1",
     .name = "L1",
     .short_name = "L1",
     .formula = "s_{j} / Σ |s|",
     .keeps = Keeps::magnitudes,
     .may_be_negative = true,
     .has_argmax_limit = false,
     .weights = l1,
     .backward = l1_backward,
     .explain = explain_l1,
     .python = "logits = where(visible, logits, 0.0)\n"
               "size = row_sum(abs(logits))\n"
               "weights = logits / (size + (size == 0))",
     .latex = "\\frac{s_{ij}}{\\sum_{j'} |s_{ij'}|}"},
    {.id = "l2",
     .name = "L2",
     .short_name = "L2",
     .formula = "s_{j} / √(Σ s^{2})",
     .keeps = Keeps::squares,
     .may_be_negative = true,
     .has_argmax_limit = false,
     .weights = l2,
     .backward = l2_backward,
     .explain = explain_l2,
     .python = "logits = where(visible, logits, 0.0)\n"
               "size = row_sum(logits * logits) ** 0.5\n"
               "weights = logits / (size + (size == 0))",
     .latex = "\\frac{s_{ij}}{\\sqrt{\\sum_{j'} s_{ij'}^2}}"},
    {.id = "argmax",
     .name = "Argmax",
     .short_name = "Argmax",
     .formula = "1 at the largest, ties share",
     .weights = argmax,
     .backward = argmax_backward,
     .explain = explain_argmax,
     .python = "logits = where(visible, logits, -inf)\n"
               "best = where(visible & (logits == row_max(logits)), 1.0, 0.0)\n"
               "weights = best / row_sum(best)",
     .latex = "[\\,j = \\arg\\max_{j'} s_{ij'}\\,]"},
};

}  // namespace

std::span<const Normalizer> normalizers() { return table; }

const Normalizer& normalizer(std::string_view id) { return find_row(normalizers(), id); }

const Normalizer& softmax_row() { return normalizer("softmax"); }

const Normalizer& argmax_row() { return normalizer("argmax"); }

}  // namespace heed
