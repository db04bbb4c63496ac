// Counts what standard containers allocate: this program replaces operator new.
#pragma once

namespace heed::tests {

int allocations_of_this_thread();

}  // namespace heed::tests
