#include "core/kernels/thread_pool.h"

#include <algorithm>
#include <cassert>

#ifdef __linux__
#include <sched.h>
#endif

namespace heed {
namespace {

// About 30 µs of listening: longer than the gap between the loops of one computation, far shorter than a frame.
constexpr int kListenSteps = 1000;

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

}  // namespace

void step_back() {
#ifdef __linux__
    // A batch thread never takes the processor from one that is at work, and gets its full share of what is left. A niceness
    // would also be paid for where nothing else waits for the window. Who stands further back already stays there.
    const sched_param none{};
    if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
#endif
}

ThreadPool::ThreadPool(int n_threads) { start(n_threads); }

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::start(int n_threads) {
    if (n_threads <= 0) n_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    n_threads_.store(n_threads, std::memory_order_relaxed);
    ending_.store(false);
    workers_.reserve(static_cast<std::size_t>(n_threads - 1));
    for (int slot = 1; slot < n_threads; ++slot) workers_.emplace_back([this, slot] { work(slot); });
}

void ThreadPool::stop() {
    ending_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    for (auto& worker : workers_) worker.join();
    workers_.clear();
}

void ThreadPool::set_thread_count(int n_threads) {
    while (busy_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    if (n_threads != thread_count()) {
        stop();
        start(n_threads);
    }
    busy_.store(false, std::memory_order_release);
}

void ThreadPool::take_tasks(int slot) {
    for (;;) {
        const Index task = next_task_.fetch_add(1, std::memory_order_relaxed);
        if (task >= n_tasks_) return;
        call_(context_, task, slot);
    }
}

void ThreadPool::run(Index n_tasks, void* context, Call call) {
    const bool alone = n_tasks <= 1 || thread_count() == 1;
    if (alone || busy_.exchange(true, std::memory_order_acquire)) {
        for (Index task = 0; task < n_tasks; ++task) call(context, task, 0);
        return;
    }
    call_ = call;
    context_ = context;
    n_tasks_ = n_tasks;
    next_task_.store(0, std::memory_order_relaxed);
    // A worker first counts itself inside and then looks whether the loop is open; we first close the loop and
    // then look whether anyone is inside. One of the two always sees the other (all four are seq_cst), and a
    // worker that was never scheduled keeps nobody waiting.
    open_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    take_tasks(0);
    open_.store(false);
    for (int step = 0; n_inside_.load() != 0; ++step) {
        if (step < kListenSteps)
            pause_briefly();
        else
            std::this_thread::yield();
    }
    busy_.store(false, std::memory_order_release);
}

void ThreadPool::work(int slot) {
    std::uint32_t seen = 0;
    bool stands_back = false;
    while (!ending_.load()) {
        if (!stands_back && workers_step_back_.load(std::memory_order_relaxed)) {
            step_back();
            stands_back = true;
        }
        n_inside_.fetch_add(1);
        if (open_.load()) take_tasks(slot);
        n_inside_.fetch_sub(1);

        int step = 0;
        while (step < kListenSteps && round_.load(std::memory_order_acquire) == seen) {
            pause_briefly();
            ++step;
        }
        if (step == kListenSteps) round_.wait(seen, std::memory_order_acquire);
        seen = round_.load(std::memory_order_acquire);
    }
}

ThreadPool& shared_pool() {
    static ThreadPool pool;
    return pool;
}

}  // namespace heed
