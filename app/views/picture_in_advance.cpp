// What a picture reads off a new trace (similarities, shares, distances, …) takes longer than drawing it. The thread that computed
// the trace makes the picture once itself: the marks go, what they were made from stays in the results.
#include "app/views/view.h"

namespace heed::app {

Document::Prepare picture_in_advance(const Session& session) {
    return [results = session.results, language = session.settings.language, theme = session.settings.theme,
            baseline = session.comparison.baseline, show_difference = session.comparison.show_difference,
            width = session.figure_width,
            height = session.figure_height](const Scene& scene, const std::shared_ptr<const AttentionTrace>& trace) {
        const FigureKind* kind = find_figure_kind(scene.display.view);
        if (kind == nullptr || width <= 0) return;
        FigureContext context{.model = looked_at(scene.model, *trace),
                              .trace = *trace,
                              .display = scene.display,
                              .trace_owner = trace,
                              .language = language,
                              .theme = theme,
                              .measure = rough_measure(),  // a window's own belongs to its thread
                              .width = width,
                              .height = height,
                              .baseline = baseline,
                              .show_difference = show_difference,
                              .results = results.get()};
        context.options.title = false;
        (void)kind->make(context);
    };
}

}  // namespace heed::app
