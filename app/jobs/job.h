// Work beside the window: how far it is, what it has found so far, and a value or a sentence at its end.
//
//     Job<CsvTable> reading(wake);
//     reading.start([file](JobControl<>& control) { return read_csv(file, control…); });
//     // once per frame:
//     if (std::optional<Result<CsvTable>> table = reading.take()) use(*table);
//
// Only the newest piece of work matters: start() cancels the one before, and nothing of it is ever seen again. What
// throws, for want of memory too, ends as a sentence. A window that sleeps is woken when there is something to see.
#pragma once

#include "app/jobs/job_thread.h"
#include "core/result.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace heed::app {

using Wake = void (*)();  // from any thread: the window draws a frame soon; may be null

// What the sentence says where there was not enough memory.
Error out_of_memory();
Error failed_with(const char* what);

// What the work itself sees. Part: what it hands over before it is done.
template <typename Part = std::monostate>
class JobControl {
public:
    bool is_cancelled() const { return is_cancelled_.load(std::memory_order_relaxed); }
    const std::atomic<bool>* cancel_flag() const { return &is_cancelled_; }

    // Between 0 and 1. The window hears of it at most thirty times a second.
    void report(double share) {
        progress_.store(static_cast<float>(share), std::memory_order_relaxed);
        const auto now = std::chrono::steady_clock::now();
        if (now - last_wake_ < std::chrono::milliseconds(33)) return;
        last_wake_ = now;
        wake_window();
    }
    // Something to look at already.
    void hand_over(Part part) {
        {
            const std::scoped_lock lock(mutex_);
            parts_.push_back(std::move(part));
        }
        wake_window();
    }

private:
    template <typename, typename>
    friend class Job;
    explicit JobControl(Wake wake) : wake_(wake) {}
    void wake_window() const {
        if (wake_ != nullptr) wake_();
    }

    Wake wake_;
    std::atomic<bool> is_cancelled_{false};
    std::atomic<float> progress_{0};
    std::chrono::steady_clock::time_point last_wake_;  // by the work's own thread only
    std::mutex mutex_;
    std::vector<Part> parts_;
};

template <typename Value, typename Part = std::monostate>
class Job {
public:
    using Work = std::function<Result<Value>(JobControl<Part>&)>;

    explicit Job(Wake wake = nullptr) : wake_(wake) {}
    ~Job() { cancel(); }  // and waits until the work has seen it
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // For what is started from now on.
    void set_wake(Wake wake) { wake_ = wake; }

    void start(Work work) {
        cancel();
        auto run = std::make_shared<Run>(wake_);
        run_ = run;
        try {
            thread_.post(this, [run, work = std::move(work)]() mutable {
                Result<Value> result =
                    run->control.is_cancelled() ? Result<Value>(Error{}) : finish(work, run->control);
                work = nullptr;  // what it holds goes before anybody hears of the end
                run->end(std::move(result));
            });
        } catch (const std::exception& error) {  // no thread to be had
            run->end(failed_with(error.what()));
        }
    }

    // Whatever it comes to is not seen any more. Does not wait.
    void cancel() {
        if (!run_) return;
        run_->control.is_cancelled_ = true;
        thread_.drop(this);
        run_.reset();
    }

    // Asks it to come to an end; what it comes to is still taken.
    void stop() {
        if (run_) run_->control.is_cancelled_ = true;
    }

    // From start() until the result is taken, or it is cancelled.
    bool is_active() const { return run_ != nullptr; }
    bool is_done() const {
        if (!run_) return true;
        const std::scoped_lock lock(run_->control.mutex_);
        return run_->result.has_value();
    }
    double progress() const { return run_ ? static_cast<double>(run_->control.progress_.load()) : 0.0; }

    // What was handed over since the last call, oldest first.
    std::vector<Part> take_parts() {
        if (!run_) return {};
        const std::scoped_lock lock(run_->control.mutex_);
        return std::exchange(run_->control.parts_, {});
    }
    // Once, when it is there. Parts that were not taken go with it.
    std::optional<Result<Value>> take() {
        if (!is_active() || !is_done()) return std::nullopt;
        const std::shared_ptr<Run> run = std::exchange(run_, nullptr);
        return std::move(run->result);
    }
    // Blocks until take() has something; at once where nothing was started.
    void wait() {
        if (!run_) return;
        std::unique_lock lock(run_->control.mutex_);
        run_->ended.wait(lock, [this] { return run_->result.has_value(); });
    }

private:
    struct Run {
        explicit Run(Wake wake) : control(wake) {}
        void end(Result<Value> value) {
            {
                const std::scoped_lock lock(control.mutex_);
                result = std::move(value);
            }
            ended.notify_all();
            control.wake_window();
        }

        JobControl<Part> control;
        std::condition_variable ended;
        std::optional<Result<Value>> result;  // under the control's lock
    };

    static Result<Value> finish(const Work& work, JobControl<Part>& control) {
        try {
            return work(control);
        } catch (const std::bad_alloc&) {
            return out_of_memory();
        } catch (const std::exception& error) {
            return failed_with(error.what());
        } catch (...) {
            return failed_with("");
        }
    }

    Wake wake_;
    std::shared_ptr<Run> run_;  // the newest; null once its result is taken
    JobThread thread_;          // last: joined before the rest goes
};

}  // namespace heed::app
