#include "app/jobs/job_thread.h"

#include "core/kernels/thread_pool.h"

#include <algorithm>
#include <utility>

namespace heed::app {

JobThread::~JobThread() {
    std::deque<Work> dropped;  // goes without the lock: what it holds may take long to go
    {
        const std::scoped_lock lock(mutex_);
        is_ending_ = true;
        dropped.swap(waiting_);
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void JobThread::post(const void* owner, std::function<void()> work) {
    std::function<void()> replaced;  // as above
    {
        const std::scoped_lock lock(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
        const auto same =
            std::find_if(waiting_.begin(), waiting_.end(), [owner](const Work& other) { return other.owner == owner; });
        if (same != waiting_.end()) {
            replaced = std::move(same->run);
            waiting_.erase(same);
        }
        waiting_.push_back({owner, std::move(work)});
    }
    changed_.notify_all();
}

void JobThread::drop(const void* owner) {
    std::function<void()> dropped;
    {
        const std::scoped_lock lock(mutex_);
        const auto same =
            std::find_if(waiting_.begin(), waiting_.end(), [owner](const Work& other) { return other.owner == owner; });
        if (same == waiting_.end()) return;
        dropped = std::move(same->run);
        waiting_.erase(same);
    }
    changed_.notify_all();
}

void JobThread::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty() && !is_working_; });
}

void JobThread::run() {
    step_back();
    shared_pool().let_workers_step_back();
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
        if (is_ending_) return;
        std::function<void()> work = std::move(waiting_.front().run);
        waiting_.pop_front();
        is_working_ = true;
        lock.unlock();
        try {
            work();
        } catch (...) {  // NOLINT: see post()
        }
        work = nullptr;  // what it holds goes before anybody hears that it is done
        lock.lock();
        is_working_ = false;
        changed_.notify_all();
    }
}

}  // namespace heed::app
