// Where a window's views have their fine results computed (core/analysis/refine.h): one thread for all of them.
#pragma once

#include "app/jobs/job.h"
#include "core/analysis/refine.h"

namespace heed::app {

// Takes the place at its making and gives it back at its end.
class Refinement final : public Background {
public:
    explicit Refinement(Wake wake);  // called after each result
    ~Refinement() override;

    void later(const void* owner, std::function<void()> work) override;
    void finish() override { thread_.wait(); }

private:
    Wake wake_;
    JobThread thread_;
};

}  // namespace heed::app
