// Where a window's views have their fine results computed (core/results.h): one thread for all of them.
#pragma once

#include "app/jobs/job.h"
#include "core/results.h"

#include <mutex>
#include <set>
#include <string>

namespace heed::app {

// Takes the place at its making and gives it back at its end.
class Refinement final : public Background {
public:
    Refinement(Results& results, Wake wake);  // wake: called after each result
    ~Refinement() override;

    void later(std::string_view lane, std::function<void()> work) override;
    void finish() override { thread_.wait(); }

private:
    Results& results_;
    Wake wake_;
    std::mutex mutex_;
    std::set<std::string, std::less<>> lanes_;  // whose places stand for them: the thread knows owners by address
    JobThread thread_;
};

}  // namespace heed::app
