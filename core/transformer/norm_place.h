// Where a layer's norm stands.
#pragma once

namespace heed {

enum class NormPlace {
    none,
    before,  // x + f(norm(x)): a part reads the norm of the stream, which itself is only added to
    after    // norm(x + f(x)), Vaswani et al. 2017
};

}  // namespace heed
