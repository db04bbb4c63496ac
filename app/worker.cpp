#include "app/worker.h"

#include "core/attention/pipeline.h"

#include <new>
#include <utility>

namespace heed::app {

Worker::Worker() : thread_([this] { run(); }) {}

Worker::~Worker() {
    {
        const std::scoped_lock lock(mutex_);
        is_ending_ = true;
        is_cancelled_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Worker::request(Model model, std::shared_ptr<AttentionTrace> memory) {
    {
        const std::scoped_lock lock(mutex_);
        if (waiting_) free_.push_back(std::move(waiting_->trace));
        if (ready_ && ready_->trace) free_.push_back(std::move(ready_->trace));
        waiting_ = ComputedModel{std::move(model), std::move(memory)};
        ready_.reset();
        is_cancelled_ = true;
    }
    changed_.notify_all();
}

void Worker::cancel() {
    const std::scoped_lock lock(mutex_);
    if (waiting_) free_.push_back(std::move(waiting_->trace));
    if (ready_ && ready_->trace) free_.push_back(std::move(ready_->trace));
    waiting_.reset();
    ready_.reset();
    is_cancelled_ = true;
}

std::optional<ComputedModel> Worker::take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(ready_, std::nullopt);
}

std::shared_ptr<AttentionTrace> Worker::take_memory() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return nullptr;
    std::shared_ptr<AttentionTrace> memory = std::move(free_.back());
    free_.pop_back();
    return memory;
}

void Worker::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !waiting_ && (!is_computing_ || is_cancelled_); });
}

void Worker::on_ready(void (*wake)()) {
    const std::scoped_lock lock(mutex_);
    wake_ = wake;
}

void Worker::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return is_ending_ || waiting_; });
        if (is_ending_) return;
        ComputedModel job = std::move(*waiting_);
        waiting_.reset();
        is_cancelled_ = false;
        is_computing_ = true;
        lock.unlock();
        bool is_complete = false;
        try {
            is_complete = run_attention(job.model, *job.trace, Path::tuned, &is_cancelled_);
        } catch (const std::bad_alloc&) {
            job.trace.reset();
            is_complete = true;
        }
        lock.lock();
        is_computing_ = false;
        // A request or cancel that came after the last look at the flag still makes this answer stale.
        void (*wake)() = nullptr;
        if (is_complete && !is_cancelled_) {
            ready_ = std::move(job);
            wake = wake_;
        } else if (job.trace) {
            free_.push_back(std::move(job.trace));
        }
        changed_.notify_all();
        if (wake != nullptr) {
            lock.unlock();
            wake();
            lock.lock();
        }
    }
}

}  // namespace heed::app
