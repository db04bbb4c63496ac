// What stands around a scene's attention: how many layers of it, and the residual, norm and feed-forward of each. One layer
// with nothing around it is attention alone.
#pragma once

#include <string>

namespace heed {

inline constexpr int max_layers = 12;  // of a scene

enum class NormPlace {
    none,
    before,  // x + f(norm(x)): a part reads the norm of the stream, which itself is only added to
    after    // norm(x + f(x)), Vaswani et al. 2017
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

inline bool is_alone(const Depth& depth) {
    return depth.layers == 1 && !depth.residual && depth.norm_place == NormPlace::none && depth.feed_forward == "none";
}

}  // namespace heed
