#pragma once

#include "core/fields.h"

namespace heed {

enum class SaturationPanel { scores, twins, curves, phase, temperature, numerics };
template <>
struct ChoiceIds<SaturationPanel> {
    static constexpr const char* ids[] = {"scores", "twins", "curves", "phase", "temperature", "numerics"};
};

enum class ScoresPart { density, terms };  // q·k at one d_k, or how its variance comes about
template <>
struct ChoiceIds<ScoresPart> {
    static constexpr const char* ids[] = {"density", "terms"};
};

enum class GradientOf { scaled, raw, both };  // the score that ‖J‖ is taken with respect to
template <>
struct ChoiceIds<GradientOf> {
    static constexpr const char* ids[] = {"scaled", "raw", "both"};
};

enum class PhaseColour { entropy, gradient };
template <>
struct ChoiceIds<PhaseColour> {
    static constexpr const char* ids[] = {"entropy", "gradient"};
};

struct SaturationDisplay {
    SaturationPanel panel = SaturationPanel::curves;
    ScoresPart scores = ScoresPart::density;
    float spread = 1;       // σ of the components of q and k, term by term
    float correlation = 0;  // ρ of q_i and k_i
    int keys = 8;           // of the random rows
    GradientOf gradient_of = GradientOf::scaled;
    PhaseColour phase = PhaseColour::entropy;
    bool own_scores = false;   // the phase map from the scene's scores instead of random ones
    float largest_score = 12;  // where Numerics looks at the formats
    friend bool operator==(const SaturationDisplay&, const SaturationDisplay&) = default;
};

template <MaybeConst<SaturationDisplay> Self, typename Visit>
void visit_fields(Self& saturation, Visit&& visit) {
    visit("panel", saturation.panel, Anything{});
    visit("scores", saturation.scores, Anything{});
    visit("spread", saturation.spread, Between{0.25F, 4.0F});
    visit("correlation", saturation.correlation, Between{-1.0F, 1.0F});
    visit("keys", saturation.keys, Between{2, 64});
    visit("gradient_of", saturation.gradient_of, Anything{});
    visit("phase", saturation.phase, Anything{});
    visit("own_scores", saturation.own_scores, Anything{});
    visit("largest_score", saturation.largest_score, Between{1.0F, 10000.0F});
}

}  // namespace heed
