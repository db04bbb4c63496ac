#include "core/percent.h"

#include "core/language.h"

#include <cmath>

namespace heed {

std::string percent_digits(double share) {
    const double size = std::abs(share) * 100;
    const double rounding = 1e-5;  // of a share in float32
    const bool is_whole = size == 0 || std::abs(size - 100) < rounding || !std::isfinite(share);
    if (!is_whole && size < 0.05) return share > 0 ? "< 0.1" : "> −0.1";
    if (!is_whole && size >= 99.95 && size < 100) return share > 0 ? "> 99.9" : "< −99.9";
    if (!is_whole && size > 100 && size <= 100.05) return share > 0 ? "> 100" : "< −100";
    const bool is_near_all = size >= 99.5 && size < 100.5;
    return decimal(share * 100, !is_whole && (size < 10 || is_near_all) ? 1 : 0);
}

}  // namespace heed
