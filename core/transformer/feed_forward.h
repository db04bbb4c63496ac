// The feed-forward of a layer: each token by itself through d_ff units. A row for each kind of unit.
#pragma once

#include "core/transformer/part.h"

#include <span>
#include <string_view>

namespace heed {

struct FeedForward {
    std::string_view id;    // never renamed
    std::string_view name;  // English, through tr()
    std::string_view formula;
    bool gated = false;  // units = activation(x·W_gate) · (x·W_in), otherwise activation(x·W_in)
    void (*activate)(std::span<const float> in, std::span<float> out) = nullptr;  // null: there is no feed-forward
    void (*slopes)(std::span<const float> in, std::span<float> out) = nullptr;
};

std::span<const FeedForward> feed_forwards();
const FeedForward& feed_forward_row(std::string_view id);  // id must be a row's

}  // namespace heed
