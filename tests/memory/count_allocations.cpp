#include "tests/memory/count_allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local int n_allocations = 0;

}  // namespace

namespace heed::tests {

int allocations_of_this_thread() { return n_allocations; }

}  // namespace heed::tests

void* operator new(std::size_t size) {
    ++n_allocations;
    if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
    throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
