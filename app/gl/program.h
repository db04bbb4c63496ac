// A compiled and linked pair of the shaders that travel in the binary.
#pragma once

#include <string>
#include <string_view>

namespace heed::app {

// "heatmap" → shaders/heatmap.vert and shaders/heatmap.frag, with lines such as "#define DOTS\n" put after their first
// line. Our shaders are part of the program, so one that does not
// compile is our bug: the driver's words go to stderr and 0 comes back, which draws nothing.
unsigned make_program(std::string_view name, const std::string& defines = "");

}  // namespace heed::app
