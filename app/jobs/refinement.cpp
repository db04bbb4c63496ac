#include "app/jobs/refinement.h"

#include <system_error>

namespace heed::app {

Refinement::Refinement(Results& results, Wake wake) : results_(results), wake_(wake) { results_.compute_beside(this); }

Refinement::~Refinement() { results_.compute_beside(nullptr); }

void Refinement::later(std::string_view lane, std::function<void()> work) {
    auto and_wake = [work = std::move(work), wake = wake_]() mutable {
        work();
        work = nullptr;
        if (wake != nullptr) wake();
    };
    const void* owner = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        owner = &*lanes_.emplace(lane).first;
    }
    try {
        thread_.post(owner, and_wake);
    } catch (const std::system_error&) {  // no thread to be had: this once the frame waits
        and_wake();
    }
}

}  // namespace heed::app
