// What no attention kernel can be faster than on this processor: multiply-adds and exponentials on numbers that never
// leave registers and first cache, one thread, with the widest vectors that the kernels use.
#pragma once

#include <cstdint>

namespace heed::bench {

// At least `count` multiply-adds (2 flops each); returns how many it was.
std::int64_t run_multiply_adds(std::int64_t count);

// At least `count` times the kernels' own exp; returns how many it was.
std::int64_t run_exponentials(std::int64_t count);

}  // namespace heed::bench
