// What attention takes on this machine, measured beside the window: one thing at a time, newest wins. What was found stays with
// the session.
#pragma once

#include "app/jobs/job.h"
#include "core/cost/measured.h"

#include <functional>
#include <memory>
#include <string>

namespace heed::app {

class CostMeasuring {
public:
    void set_wake(Wake wake) { job_.set_wake(wake); }

    // Each forgets what it measured before and nothing else.
    void measure_methods(const MeasureRequest& request);
    void measure_scene(Model model, std::shared_ptr<const AttentionTrace> trace);
    void measure_sequential(Index from, Index to);
    // At once: what was found so far stays.
    void cancel();
    bool is_active() const { return job_.is_active(); }
    void wait() { job_.wait(); }

    // Once per frame. Returns the sentence of what failed, or nothing.
    std::string take();
    // Null where nothing was measured and nothing is being measured.
    std::shared_ptr<const CostMeasured> measured() const { return measured_; }

private:
    using Found = std::function<void(CostMeasured&)>;
    using Watched = std::function<bool(const MeasureWatch&, JobControl<Found>&)>;
    void start(const std::function<void(CostMeasured&)>& forget, Watched work);

    std::shared_ptr<const CostMeasured> measured_;
    Job<bool, Found> job_;
};

}  // namespace heed::app
