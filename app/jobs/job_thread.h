// A thread beside the window that runs what it is handed, one piece of work after the other.
//
// It is started by the first piece, so that what is never used costs nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace heed::app {

class JobThread {
public:
    JobThread() = default;
    ~JobThread();  // drops what waits and lets what runs come to its end
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    // Replaces work of the same owner that still waits: only the newest matters. Throws std::system_error where the system
    // has no thread left. The work says itself what went wrong; an exception that leaves it is dropped.
    void post(const void* owner, std::function<void()> work);
    // Work of this owner that waits is forgotten.
    void drop(const void* owner);
    void wait();  // until nothing waits or runs

private:
    struct Work {
        const void* owner;
        std::function<void()> run;
    };
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Work> waiting_;
    bool is_working_ = false;
    bool is_ending_ = false;
    std::thread thread_;  // last: it uses everything above
};

}  // namespace heed::app
