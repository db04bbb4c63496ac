// How much memory something took at its peak, as the system counts it.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace heed {

class PeakMemory {
public:
    PeakMemory() {
        std::ofstream("/proc/self/clear_refs") << "5";  // forgets the peak so far
        before_ = kilobytes("VmRSS:");
    }
    // Beyond what there was at the start; 0 where the system does not say.
    std::size_t bytes() const {
        const std::size_t peak = kilobytes("VmHWM:");
        return peak > before_ ? (peak - before_) * 1024 : 0;
    }

private:
    static std::size_t kilobytes(const std::string& name) {
        std::ifstream status("/proc/self/status");
        for (std::string word; status >> word;)
            if (word == name) {
                std::size_t value = 0;
                status >> value;
                return value;
            }
        return 0;
    }
    std::size_t before_ = 0;
};

}  // namespace heed
