// Shares in percent, as sentences tell them.
#pragma once

#include <string>

namespace heed {

// Without the sign: whole, with a decimal where it is small, and never all or nothing where it is not: "42", "3.1", "99.7",
// "> 99.9", "< 0.1".
std::string percent_digits(double share);

}  // namespace heed
