#include "core/order/embedding_scale.h"

#include "core/matrix.h"
#include "core/order/encodings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace heed {
namespace {

constexpr int step_between_places = 8;

double product(const Matrix& a, Index row_a, const Matrix& b, Index row_b) {
    return a.row(row_a).cast<double>().dot(b.row(row_b).cast<double>());
}

}  // namespace

DrawnWords::DrawnWords(const PositionEncoding& encoding, int width, int apart, std::uint64_t seed) {
    constexpr std::uint64_t stream = 0x776f726473ULL;  // "words": apart from every operand's stream
    Matrix words(n_words, width);
    for (Index a = 0; a < n_words; ++a)
        for (Index t = 0; t < width; ++t)
            words(a, t) = normal_at(seed, stream, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(t));
    Matrix here(n_places, width), there(n_places, width);
    for (int p = 0; p < n_places; ++p) {
        here.row(p) = encoding_table(encoding, p * step_between_places, 1, width, seed);
        there.row(p) = encoding_table(encoding, p * step_between_places + apart, 1, width, seed);
    }
    for (Index a = 0; a < n_words; ++a) {
        for (Index b = 0; b < n_words; ++b) words_.push_back(product(words, a, words, b));
        for (Index p = 0; p < n_places; ++p) {
            here_.push_back(product(words, a, here, p));
            there_.push_back(product(words, a, there, p));
        }
        mean_norm_ += words.row(a).cast<double>().norm() / n_words;
    }
    for (Index p = 0; p < n_places; ++p) {
        here_here_.push_back(product(here, p, here, p));
        there_there_.push_back(product(there, p, there, p));
        here_there_.push_back(product(here, p, there, p));
    }
    std::map<int, double> norms;  // by place: some are used twice
    for (int p = 0; p < n_places; ++p) {
        norms[p * step_between_places] = std::sqrt(here_here_[static_cast<std::size_t>(p)]);
        norms[p * step_between_places + apart] = std::sqrt(there_there_[static_cast<std::size_t>(p)]);
    }
    shortest_ = longest_ = norms.begin()->second;
    places_used_ = static_cast<int>(norms.size());
    for (const auto& [place, norm] : norms) {
        shortest_ = std::min(shortest_, norm);
        longest_ = std::max(longest_, norm);
        mean_position_ += norm / places_used_;
    }
}

std::size_t DrawnWords::bytes() const {
    return (words_.size() + here_.size() + there_.size() + 3 * here_here_.size()) * sizeof(double);
}

ToldApart DrawnWords::told_apart(double deviation, double factor) const {
    const double c = deviation * factor;
    const auto word = [&](int a, int b) { return c * c * words_[static_cast<std::size_t>(a * n_words + b)]; };
    const auto at = [&](const std::vector<double>& products, int a, int p) {
        return c * products[static_cast<std::size_t>(a * n_places + p)];
    };
    const auto of = [](const std::vector<double>& products, int p) { return products[static_cast<std::size_t>(p)]; };
    const auto here_squared = [&](int a, int p) { return word(a, a) + 2 * at(here_, a, p) + of(here_here_, p); };
    const auto there_squared = [&](int a, int p) { return word(a, a) + 2 * at(there_, a, p) + of(there_there_, p); };
    ToldApart told;
    for (int p = 0; p < n_places; ++p)
        for (int a = 0; a < n_words; ++a) {
            told.places += (word(a, a) + at(here_, a, p) + at(there_, a, p) + of(here_there_, p)) /
                           std::sqrt(here_squared(a, p) * there_squared(a, p));
            for (int b = 0; b < a; ++b)
                told.words += (word(a, b) + at(here_, a, p) + at(here_, b, p) + of(here_here_, p)) /
                              std::sqrt(here_squared(a, p) * here_squared(b, p));
        }
    told.places /= n_places * n_words;
    told.words /= n_places * n_words * (n_words - 1) / 2.0;
    return told;
}

}  // namespace heed
