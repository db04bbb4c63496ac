#include "app/jobs/refinement.h"

#include <system_error>

namespace heed::app {

Refinement::Refinement(Wake wake) : wake_(wake) { refine_in(this); }

Refinement::~Refinement() { refine_in(nullptr); }

void Refinement::later(const void* owner, std::function<void()> work) {
    auto and_wake = [work = std::move(work), wake = wake_]() mutable {
        work();
        work = nullptr;
        if (wake != nullptr) wake();
    };
    try {
        thread_.post(owner, and_wake);
    } catch (const std::system_error&) {  // no thread to be had: this once the frame waits
        and_wake();
    }
}

}  // namespace heed::app
