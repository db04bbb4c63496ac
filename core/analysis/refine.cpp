#include "core/analysis/refine.h"

#include <atomic>

namespace heed {

namespace {

std::atomic<Background*> beside = nullptr;

}  // namespace

void refine_in(Background* background) {
    finish_refining();
    beside = background;
}

bool refines_in_background() { return beside != nullptr; }

void finish_refining() {
    if (Background* background = beside) background->finish();
}

void refine_later(const void* owner, std::function<void()> work) {
    if (Background* background = beside) background->later(owner, std::move(work));
}

}  // namespace heed
