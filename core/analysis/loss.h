// Which loss is carried back through attention.
#pragma once

namespace heed {

enum class LossKind { component, random, target };  // what ∂L/∂output is

struct Loss {
    LossKind kind = LossKind::component;
    int component = 0;  // of the pinned query's output; clamped to the width
};

}  // namespace heed
