#include "core/version.h"

#include <atomic>

namespace heed {

std::uint64_t next_version() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

}  // namespace heed
