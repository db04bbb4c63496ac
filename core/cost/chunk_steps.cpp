#include "core/cost/chunk_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

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
            step.chunk_maximum = std::max(step.chunk_maximum, logit(j));
            ++step.seen;
        }
        maximum = std::max(maximum, step.chunk_maximum);
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
        for (double& component : step.output) component = denominator > 0 ? component / denominator : 0;
        steps.push_back(std::move(step));
    }
    return steps;
}

}  // namespace heed
