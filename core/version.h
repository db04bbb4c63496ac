// Numbers that tell any two results of one run apart: what textures and kept results are known by.
#pragma once

#include <cstdint>

namespace heed {

// Never the same twice, whichever thread asks; counts from 1.
std::uint64_t next_version();

}  // namespace heed
