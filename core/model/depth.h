// What stands around a scene's attention: how many layers of it, and the residual, norm and feed-forward of each. One layer
// with nothing around it is attention alone.
#pragma once

#include "core/fields.h"
#include "core/transformer/norm_place.h"

namespace heed {

std::vector<std::string_view> norm_ids();
std::vector<std::string_view> feed_forward_ids();

template <>
struct ChoiceIds<NormPlace> {
    static constexpr const char* ids[] = {"none", "before", "after"};
};

struct Depth {
    int layers = 1;
    bool residual = false;
    NormPlace norm_place = NormPlace::none;
    std::string norm = "layer-norm";    // a row of norms()
    std::string feed_forward = "none";  // a row of feed_forwards()
    int d_ff = 128;                     // its units
    friend bool operator==(const Depth&, const Depth&) = default;
};

template <MaybeConst<Depth> Self, typename Visit>
void visit_fields(Self& depth, Visit&& visit) {
    visit("layers", depth.layers, Between{1, max_layers});
    visit("residual", depth.residual, Anything{});
    visit("norm_place", depth.norm_place, Anything{});
    visit("norm", depth.norm, OneOf{norm_ids});
    visit("feed_forward", depth.feed_forward, OneOf{feed_forward_ids});
    visit("d_ff", depth.d_ff, Between{1, max_width});
}

inline bool is_alone(const Depth& depth) {
    return depth.layers == 1 && !depth.residual && depth.norm_place == NormPlace::none && depth.feed_forward == "none";
}

}  // namespace heed
