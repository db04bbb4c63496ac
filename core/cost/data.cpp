#include "core/cost/data.h"

#include "core/random.h"

#include <cmath>

namespace heed {

namespace {

using Cancel = const std::atomic<bool>*;

Matrix normal(std::uint64_t seed, std::uint64_t stream, Index rows, Index cols, Cancel cancel) {
    Matrix matrix(rows, cols);
    for (Index i = 0; i < rows; ++i) {
        if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) break;
        for (Index c = 0; c < cols; ++c)
            matrix(i, c) = normal_at(seed, stream, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c));
    }
    return matrix;
}

CostData independent(std::uint64_t seed, Index heads, Index n, Index d, Cancel cancel) {
    return {normal(seed, 1, heads * n, d, cancel), normal(seed, 2, heads * n, d, cancel),
            normal(seed, 3, heads * n, d, cancel), heads};
}

CostData sharp(std::uint64_t seed, Index heads, Index n, Index d, Cancel cancel) {
    CostData data = independent(seed, heads, n, d, cancel);
    data.q *= 4;
    return data;
}

// An Ornstein–Uhlenbeck process: every component forgets itself over 16 tokens; queries, keys and values are the same vectors.
CostData local(std::uint64_t seed, Index heads, Index n, Index d, Cancel cancel) {
    constexpr double length = 16;
    const auto keeps = static_cast<float>(std::exp(-1 / length));
    const auto renews = static_cast<float>(std::sqrt(1 - std::exp(-2 / length)));
    CostData data{normal(seed, 1, heads * n, d, cancel), {}, {}, heads};
    for (Index head = 0; head < heads; ++head)
        for (Index i = 1; i < n; ++i) {
            auto row = data.q.row(head * n + i);
            row = keeps * data.q.row(head * n + i - 1) + renews * row;
        }
    data.k = data.v = data.q;
    return data;
}

constexpr CostDataKind kinds[] = {
    {"independent", "Independent", "Independent normal vectors: nothing to find, so attention is spread", independent},
    {"sharp", "Sharp", "The same with queries four times as long: few keys win", sharp},
    {"local", "Local", "Vectors that change slowly from token to token: neighbours are alike", local},
};

}  // namespace

std::span<const CostDataKind> cost_data_kinds() { return kinds; }

}  // namespace heed
