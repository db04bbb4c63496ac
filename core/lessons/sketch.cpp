// Curves that are drawn before they are known.
#include "core/lessons/actions.h"
#include "core/lessons/player.h"
#include "core/results.h"
#include "core/transformer/around.h"

#include <algorithm>
#include <cmath>

namespace heed {

Result<std::vector<SketchPoint>> true_curve(const Question& question, Scene scene, const std::atomic<bool>* cancel) {
    const Result<Expression> expression = parse_number(question.truth.text);
    if (!expression) return Error{expression.error()};
    const Scene step = scene;
    std::vector<SketchPoint> curve;
    AttentionTrace trace;
    Results results;
    for (int i = 0; i < sketch_points; ++i) {
        if (cancel != nullptr && *cancel) return Error{"the curve is no longer wanted"};
        const double share = static_cast<double>(i) / (sketch_points - 1);
        if (Status status = apply_sweep(question.over, share, scene); !status) return Error{status.error()};
        run_layers(scene.model, trace);
        const Result<double> value =
            evaluate_number(*expression, {.scene = scene, .trace = trace, .step = &step, .results = &results});
        if (!value) return Error{value.error()};
        if (!std::isfinite(*value)) return Error{"the curve is not finite everywhere"};
        curve.push_back({share, *value});
    }
    return curve;
}

namespace {

// The height of a line through points with rising x; nothing outside of them.
std::optional<double> height_at(const std::vector<SketchPoint>& points, double x) {
    if (points.empty() || x < points.front().x - 1e-9 || x > points.back().x + 1e-9) return std::nullopt;
    const auto after = std::ranges::lower_bound(points, x, {}, &SketchPoint::x);
    if (after == points.begin()) return points.front().y;
    if (after == points.end()) return points.back().y;
    const SketchPoint& before = *std::prev(after);
    const double step = after->x - before.x;
    return step <= 0 ? after->y : before.y + (after->y - before.y) * (x - before.x) / step;
}

}  // namespace

double sketch_missing(const std::vector<SketchPoint>& drawn) {
    const double rounding = 1e-9;  // exactly the most that may be missing is not more than it
    return drawn.empty() ? 1 : std::clamp(1 - (drawn.back().x - drawn.front().x) - rounding, 0.0, 1.0);
}

std::vector<SketchPoint> to_the_edges(std::vector<SketchPoint> drawn) {
    if (drawn.empty()) return drawn;
    if (drawn.front().x > 0) drawn.insert(drawn.begin(), {0, drawn.front().y});
    if (drawn.back().x < 1) drawn.push_back({1, drawn.back().y});
    return drawn;
}

double sketch_difference(const Question& question, const std::vector<SketchPoint>& drawn,
                         const std::vector<SketchPoint>& truth) {
    if (truth.empty()) return 1;
    const double range = question.high - question.low;
    double sum = 0;
    for (const SketchPoint& point : truth) {
        const std::optional<double> height = height_at(drawn, point.x);
        // What lies beyond the pad can only be drawn at its edge.
        const double wanted = std::clamp(point.y, question.low, question.high);
        sum += height ? std::min(1.0, std::abs(*height - wanted) / range) : 1.0;
    }
    return sum / static_cast<double>(truth.size());
}

Verdict judge_sketch(const Question& question, const std::vector<SketchPoint>& drawn,
                     const std::vector<SketchPoint>& truth) {
    constexpr double usual = 0.15;
    Verdict verdict;
    verdict.difference = sketch_difference(question, drawn, truth);
    double most = usual;
    if (question.tolerance)
        most = question.tolerance->per_cent ? question.tolerance->value / 100
                                            : question.tolerance->value / (question.high - question.low);
    verdict.right = verdict.difference <= most;
    return verdict;
}

}  // namespace heed
