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

constexpr Normalizer table[] = {
    {"softmax", "Softmax", "exp(s_{j} − max s) / Σ exp(s − max s)", true, false, true, softmax, softmax_backward},
    {"naive-softmax", "Naive softmax", "exp(s_{j}) / Σ exp(s)", true, false, true, naive_softmax, softmax_backward},
    {"sparsemax", "Sparsemax", "max(0, s_{j} − τ), with τ so that the row sums to 1", true, false, true, sparsemax,
     sparsemax_backward},
    {"l1", "L1", "s_{j} / Σ |s|", false, true, false, l1, l1_backward},
    {"l2", "L2", "s_{j} / √(Σ s^{2})", false, true, false, l2, l2_backward},
    {"argmax", "Argmax", "1 at the largest, ties share", true, false, true, argmax, argmax_backward},
};

}  // namespace

std::span<const Normalizer> normalizers() { return table; }

const Normalizer& normalizer(std::string_view id) { return find_row(normalizers(), id); }

}  // namespace heed
