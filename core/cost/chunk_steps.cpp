#include "core/cost/chunk_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

// NaN where either is: std::max would leave it out.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace

std::vector<ChunkStep> chunk_steps(std::span<const double> logits, const ConstMatrixRef& values, Index chunk) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    const auto count = static_cast<Index>(logits.size());
    const auto logit = [&](Index j) { return logits[static_cast<std::size_t>(j)]; };
    std::vector<ChunkStep> steps;
    double maximum = nothing;
    double denominator = 0;
    std::vector<double> sum(static_cast<std::size_t>(values.cols()));
    for (Index first = 0; first < count; first += chunk) {
        ChunkStep step;
        step.first = first;
        step.end = std::min(first + chunk, count);
        step.maximum_before = maximum;
        step.denominator_before = denominator;
        step.chunk_maximum = nothing;
        for (Index j = first; j < step.end; ++j) {
            if (logit(j) == nothing) continue;
            step.chunk_maximum = larger(step.chunk_maximum, logit(j));
            ++step.seen;
        }
        maximum = larger(maximum, step.chunk_maximum);
        step.maximum = maximum;
        if (step.seen > 0) step.rescale = denominator == 0 ? 0 : std::exp(step.maximum_before - maximum);
        for (double& component : sum) component *= step.rescale;
        for (Index j = first; j < step.end; ++j) {
            if (logit(j) == nothing) continue;
            const double weight = std::exp(logit(j) - maximum);
            step.chunk_sum += weight;
            for (Index c = 0; c < values.cols(); ++c)
                sum[static_cast<std::size_t>(c)] += weight * static_cast<double>(values(j, c));
        }
        denominator = denominator * step.rescale + step.chunk_sum;
        step.denominator = denominator;
        step.sum = step.output = sum;
        for (double& component : step.output) component = denominator == 0 ? 0 : component / denominator;
        steps.push_back(std::move(step));
    }
    return steps;
}

double largest_difference(std::span<const double> chunks, std::span<const float> whole) {
    double apart = 0;
    for (std::size_t c = 0; c < chunks.size(); ++c)
        apart = larger(apart, std::abs(chunks[c] - static_cast<double>(whole[c])));
    return apart;
}

ChunkEnd compare_end(std::span<const double> chunks, std::span<const float> whole, double largest_value) {
    bool is_broken_alike = false, chunks_break = false, whole_breaks = false;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        const bool in_chunks = !std::isfinite(chunks[c]), in_whole = !std::isfinite(whole[c]);
        is_broken_alike = is_broken_alike || (in_chunks && in_whole);
        chunks_break = chunks_break || (in_chunks && !in_whole);
        whole_breaks = whole_breaks || (in_whole && !in_chunks);
    }
    if (whole_breaks) return ChunkEnd::whole_broken;
    if (chunks_break) return ChunkEnd::chunks_broken;
    if (is_broken_alike) return ChunkEnd::both_broken;
    return largest_difference(chunks, whole) <= 1e-5 * largest_value ? ChunkEnd::equal : ChunkEnd::apart;
}

}  // namespace heed
