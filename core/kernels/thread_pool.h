// A few threads that share the rows and heads of one computation.
//
// Made for calls of microseconds to milliseconds, one after another: a thread that has just worked listens
// for the next call for a moment, then sleeps, so an idle program uses no processor time. Not a task queue:
// there is one loop at a time, and nothing is allocated to run it.
#pragma once

#include "core/matrix.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace heed {

// The calling thread never pushes another aside where processors are short: a frame late is seen, a result a little later
// is not.
void step_back();

class ThreadPool {
public:
    // `n_threads` counts the calling thread; 0 means one for each processor.
    explicit ThreadPool(int n_threads = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int thread_count() const { return n_threads_.load(std::memory_order_relaxed); }
    // Waits for a running loop to end. Must not be called from inside one.
    void set_thread_count(int n_threads);

    // The workers step back before they next work: for a program with a window, whose frames they would hold up otherwise.
    void let_workers_step_back() { workers_step_back_.store(true, std::memory_order_relaxed); }

    // Calls body(task, slot) once for every task in [0, n_tasks), in any order, and returns when all are done.
    // `slot` < thread_count() names the thread, so that each can have its own scratch memory. A caller that
    // finds the pool busy (a second thread, or a loop inside a loop) does all its tasks itself, as slot 0 of
    // its own loop: scratch memory must belong to the call, not to the pool. `body` must not throw.
    template <typename Body>
    void parallel_for(Index n_tasks, Body&& body) {
        using Stored = std::remove_reference_t<Body>;
        run(n_tasks, const_cast<void*>(static_cast<const void*>(&body)),
            [](void* context, Index task, int slot) { (*static_cast<Stored*>(context))(task, slot); });
    }

private:
    using Call = void (*)(void* context, Index task, int slot);

    void run(Index n_tasks, void* context, Call call);
    void take_tasks(int slot);
    void work(int slot);
    void start(int n_threads);
    void stop();

    // The loop being run. Written only while no worker is inside.
    Call call_ = nullptr;
    void* context_ = nullptr;
    Index n_tasks_ = 0;

    alignas(64) std::atomic<Index> next_task_{0};
    alignas(64) std::atomic<std::uint32_t> round_{0};  // changes when there is a new loop, or an end
    std::atomic<bool> open_{false};                    // the loop may still be joined
    std::atomic<bool> ending_{false};
    alignas(64) std::atomic<int> n_inside_{0};  // workers that have joined, or are looking whether they may
    alignas(64) std::atomic<bool> busy_{false};

    std::atomic<int> n_threads_{1};
    std::atomic<bool> workers_step_back_{false};
    std::vector<std::thread> workers_;
};

// The pool that the numeric core uses unless it is given another.
ThreadPool& shared_pool();

}  // namespace heed
