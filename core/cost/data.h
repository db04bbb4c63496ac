// Queries, keys and values to measure on: three kinds of data on which cheap attention does differently well.
#pragma once

#include "core/matrix.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace heed {

struct CostData {
    Matrix q, k, v;  // heads · n × d: one head below the other
    Index heads = 1;
    std::size_t bytes() const { return static_cast<std::size_t>(q.size() + k.size() + v.size()) * sizeof(float); }
};

struct CostDataKind {
    std::string_view id;
    std::string_view name;  // English, through tr()
    std::string_view help;
    // Where `cancel` becomes true it ends soon, and what it leaves is unusable; null: nobody asks.
    CostData (*draw_or_stop)(std::uint64_t seed, Index heads, Index n, Index d, const std::atomic<bool>* cancel);
    CostData draw(std::uint64_t seed, Index heads, Index n, Index d) const {
        return draw_or_stop(seed, heads, n, d, nullptr);
    }
};
std::span<const CostDataKind> cost_data_kinds();  // the first is what times are measured on

}  // namespace heed
