#include "core/analysis/refine.h"

#include <atomic>
#include <condition_variable>
#include <thread>
#include <vector>

namespace heed {

namespace {

class Refiner {
public:
    ~Refiner() {
        {
            const std::scoped_lock lock(mutex_);
            is_ending_ = true;
            waiting_.clear();
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    void set_wake(void (*wake)()) {
        wait();
        const std::scoped_lock lock(mutex_);
        wake_ = wake;
        is_on_ = wake != nullptr;
        if (is_on_ && !thread_.joinable()) thread_ = std::thread([this] { run(); });
    }
    bool is_on() const { return is_on_; }

    void request(const void* owner, std::function<void()> job) {
        {
            const std::scoped_lock lock(mutex_);
            std::erase_if(waiting_, [owner](const Job& other) { return other.owner == owner; });
            waiting_.push_back({owner, std::move(job)});
        }
        changed_.notify_all();
    }

    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_.empty() && !is_working_; });
    }

private:
    struct Job {
        const void* owner;
        std::function<void()> run;
    };

    void run() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
            if (is_ending_) return;
            const Job job = std::move(waiting_.front());
            waiting_.erase(waiting_.begin());
            is_working_ = true;
            void (*wake)() = wake_;
            lock.unlock();
            job.run();
            if (wake != nullptr) wake();
            lock.lock();
            is_working_ = false;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Job> waiting_;
    std::atomic<bool> is_on_ = false;
    bool is_working_ = false;
    bool is_ending_ = false;
    void (*wake_)() = nullptr;
    std::thread thread_;  // last: it uses everything above
};

// Jobs write into caches that are static too: who switched it on switches it off before the program's end.
Refiner& refiner() {
    static Refiner one;
    return one;
}

}  // namespace

void refine_in_background(void (*wake)()) { refiner().set_wake(wake); }
bool refines_in_background() { return refiner().is_on(); }
void finish_refining() { refiner().wait(); }
void refine_later(const void* owner, std::function<void()> job) { refiner().request(owner, std::move(job)); }

}  // namespace heed
