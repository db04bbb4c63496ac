#include "core/analysis/score_terms.h"

#include "core/analysis/draws.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace heed {

double mean_of_terms(double terms, double sigma, double rho) { return terms * rho * sigma * sigma; }

double variance_of_terms(double terms, double sigma, double rho) {
    return terms * sigma * sigma * sigma * sigma * (1 + rho * rho);
}

TermSample sample_terms(std::uint64_t seed, int d_k, double rho, int count) {
    TermSample sample;
    sample.d_k = d_k;
    sample.count = count;
    for (int i = 1; i < most_term_points; ++i) {
        const int term = static_cast<int>(std::lround(static_cast<double>(i) * d_k / (most_term_points - 1)));
        if (term >= 1 && (sample.terms.empty() || term > sample.terms.back())) sample.terms.push_back(term);
    }
    const auto n = static_cast<std::size_t>(count);
    sample.paths.resize(std::min<std::size_t>(n, drawn_paths));
    std::vector<float> q(n), other(n);
    std::vector<double> sums(n, 0.0);
    const std::uint64_t own = mix_bits(seed ^ 0x7465726dULL);  // "term": apart from the other draws of this seed
    const auto along = static_cast<float>(rho);
    const auto across = static_cast<float>(std::sqrt(std::max(0.0, 1 - rho * rho)));
    std::size_t next = 0;
    for (int term = 1; term <= d_k; ++term) {
        draw_normals(own, static_cast<std::uint32_t>(2 * term), q);
        draw_normals(own, static_cast<std::uint32_t>(2 * term + 1), other);
        for (std::size_t i = 0; i < n; ++i) sums[i] += static_cast<double>(q[i] * (along * q[i] + across * other[i]));
        if (next >= sample.terms.size() || term != sample.terms[next]) continue;
        ++next;
        double mean = 0;
        for (const double sum : sums) mean += sum;
        mean /= static_cast<double>(n);
        double square = 0;
        for (const double sum : sums) square += (sum - mean) * (sum - mean);
        sample.mean.push_back(mean);
        sample.variance.push_back(square / static_cast<double>(n - 1));
        for (std::size_t path = 0; path < sample.paths.size(); ++path)
            sample.paths[path].push_back(static_cast<float>(sums[path]));
    }
    return sample;
}

}  // namespace heed
