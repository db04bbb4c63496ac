// Memory of traces, used again: a large one takes longer to get from the system than to fill.
#pragma once

#include "core/attention/trace.h"

#include <memory>
#include <mutex>
#include <vector>

namespace heed::app {

class TracePool {
public:
    // A trace that nobody looks at any more, or a new one. It comes back by itself when its last pointer goes, on whatever
    // thread that is.
    std::shared_ptr<AttentionTrace> take() {
        std::unique_ptr<AttentionTrace> trace;
        {
            const std::scoped_lock lock(free_->mutex);
            if (!free_->traces.empty()) {
                trace = std::move(free_->traces.back());
                free_->traces.pop_back();
            }
        }
        if (!trace) trace = std::make_unique<AttentionTrace>();
        return {trace.release(), [free = free_](AttentionTrace* done) {
                    std::unique_ptr<AttentionTrace> back(done);
                    const std::scoped_lock lock(free->mutex);
                    if (free->traces.size() < most_free) free->traces.push_back(std::move(back));
                }};
    }

private:
    static constexpr std::size_t most_free =
        2;  // one is shown and one computed; a third covers a figure of the one before
    struct Free {
        Free() { traces.reserve(most_free); }  // so that coming back never throws
        std::mutex mutex;
        std::vector<std::unique_ptr<AttentionTrace>> traces;
    };
    std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace heed::app
