// Computes traces beside the window: one model at a time, and only ever the newest.
//
// The memory of a trace travels in with the request and out with the answer, so nothing is shared between the two
// threads except under the lock.
#pragma once

#include "core/attention/trace.h"
#include "core/scene.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace heed::app {

struct ComputedModel {
    Model model;
    std::shared_ptr<AttentionTrace> trace;  // of that model; null where the machine has not the memory for it
};

class Worker {
public:
    Worker();
    ~Worker();  // cancels and joins
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // A newer request replaces one that waits and cancels one that runs.
    void request(Model model, std::shared_ptr<AttentionTrace> memory);
    void cancel();

    // The newest model and its trace, once, when they are ready.
    std::optional<ComputedModel> take();
    // Memory of requests that were cancelled, for another try.
    std::shared_ptr<AttentionTrace> take_memory();

    void wait();  // until nothing waits or is computed that is still wanted
    // Called on the worker's thread after each finished trace.
    void on_ready(void (*wake)());

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<ComputedModel> waiting_;
    std::optional<ComputedModel> ready_;
    std::vector<std::shared_ptr<AttentionTrace>> free_;
    bool is_computing_ = false;  // a model is being computed
    bool is_ending_ = false;
    std::atomic<bool> is_cancelled_ = false;
    void (*wake_)() = nullptr;
    std::thread thread_;  // last: it uses everything above
};

}  // namespace heed::app
