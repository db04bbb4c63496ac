#include "app/cost_measuring.h"

#include "core/kernels/thread_pool.h"

#include <utility>

namespace heed::app {

void CostMeasuring::start(const std::function<void(CostMeasured&)>& forget, Watched work) {
    auto next = measured_ ? std::make_shared<CostMeasured>(*measured_) : std::make_shared<CostMeasured>();
    next->cores = shared_pool().thread_count();
    forget(*next);
    next->is_measuring = true;
    next->progress = 0;
    measured_ = next;
    job_.start([work = std::move(work)](JobControl<Found>& control) -> Result<bool> {
        MeasureWatch watch;
        watch.cancel = control.cancel_flag();
        watch.progress = [&control](double share) { control.report(share); };
        return work(watch, control);
    });
}

void CostMeasuring::measure_methods(const MeasureRequest& request) {
    const auto forget = [&](CostMeasured& measured) {
        measured.points.clear();
        measured.width = request.d;
        measured.parameters = request.parameters;
    };
    start(forget, [request](MeasureWatch watch, JobControl<Found>& control) {
        watch.point = [&control](const CostPoint& point) {
            control.hand_over([point](CostMeasured& measured) { put_point(measured.points, point); });
        };
        return heed::measure_methods(request, watch);
    });
}

void CostMeasuring::measure_scene(Model model, std::shared_ptr<const AttentionTrace> trace) {
    start([](CostMeasured& measured) { measured.scene.reset(); },
          [model = std::move(model), trace = std::move(trace)](const MeasureWatch& watch, JobControl<Found>& control) {
              std::optional<SceneTimes> times = heed::measure_scene(model, *trace, watch);
              if (!times) return false;
              control.hand_over([times](CostMeasured& measured) { measured.scene = times; });
              return true;
          });
}

void CostMeasuring::measure_sequential(Index from, Index to) {
    constexpr Index width = 64;
    start([](CostMeasured& measured) { measured.sequential.clear(); },
          [from, to](const MeasureWatch& watch, JobControl<Found>& control) {
              return heed::measure_sequential(from, to, width, watch, [&control](const SequentialPoint& point) {
                  control.hand_over([point](CostMeasured& measured) { measured.sequential.push_back(point); });
              });
          });
}

void CostMeasuring::cancel() {
    if (!job_.is_active()) return;
    take();
    job_.cancel();
    auto next = std::make_shared<CostMeasured>(*measured_);
    next->is_measuring = false;
    measured_ = next;
}

std::string CostMeasuring::take() {
    if (!job_.is_active()) return {};
    auto next = std::make_shared<CostMeasured>(*measured_);
    // The end before the parts: none can come after it.
    const bool is_done = job_.is_done();
    for (const Found& found : job_.take_parts()) found(*next);
    next->progress = job_.progress();
    std::string sentence;
    if (is_done) {
        next->is_measuring = false;
        if (const std::optional<Result<bool>> result = job_.take(); result && !*result) sentence = result->error();
    }
    measured_ = next;
    return sentence;
}

}  // namespace heed::app
