// How alike tokens become layer by layer, measured over seeds: with and without what stands around attention.
#pragma once

#include "core/transformer/config.h"
#include "core/transformer/norm_place.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heed {

struct CollapseCase {
    std::string_view id;    // never renamed
    std::string_view name;  // English, through tr()
    bool residual = false;
    NormPlace norm_place = NormPlace::none;
    std::string_view feed_forward = "none";
};
std::span<const CollapseCase> collapse_cases();

// Sizes of the experiment: as the facts were measured.
inline constexpr int collapse_tokens = 12;
inline constexpr int collapse_width = 32;
inline constexpr int collapse_heads = 4;

// Share not common to all tokens as layer l finds it, and as the last leaves it, over seeds.
struct CollapseCurve {
    std::vector<double> mean, least, most;
};
CollapseCurve measure_collapse(const CollapseCase& one, int layers, int seeds);

struct CollapseCurves {
    std::vector<CollapseCurve> cases;  // as collapse_cases()
    int seeds = 0;                     // over which they were measured
    std::size_t bytes() const { return cases.size() * 3 * 16 * sizeof(double); }
};
CollapseCurves measure_collapse(int layers, int seeds);

}  // namespace heed
