// Results that many frames ask for again: a figure is described anew for every frame, but what it shows changes with the
// trace only. Kept by a key that stands for everything the result depends on, such as bits_at(trace.version, …).
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace heed {

template <typename T>
class Kept {
public:
    // T is cheap to copy: a view or a shared pointer.
    template <typename Make>
    T get(std::uint64_t key, Make make) {
        {
            const std::scoped_lock lock(mutex_);
            for (const auto& [kept_key, result] : results_)
                if (kept_key == key) return result;
        }
        T made = make();  // without the lock: it may take long
        const std::scoped_lock lock(mutex_);
        if (results_.size() == capacity) results_.erase(results_.begin());
        results_.emplace_back(key, made);
        return made;
    }

private:
    static constexpr std::size_t capacity = 2;  // the newest; each may be as large as a matrix of weights
    std::mutex mutex_;
    std::vector<std::pair<std::uint64_t, T>> results_;
};

}  // namespace heed
