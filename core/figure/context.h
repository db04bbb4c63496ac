// What every picture is made from. A view's figure is a pure function of this.
#pragma once

#include "core/attention/pipeline.h"
#include "core/attention/trace.h"
#include "core/figure/figure.h"
#include "core/language.h"
#include "core/scene.h"

#include <memory>
#include <optional>

namespace heed {

class Results;
struct CostMeasured;

struct FigureOptions {
    bool title = true;
    bool axis_words = true;
    bool tick_labels = true;
    bool color_bars = true;
    bool numbers = true;
    bool legend = true;
    bool pins = true;
    bool caption = false;  // d_k, T, mask, score, seed
    float text_size = 14;  // body; everything else follows from it
    friend bool operator==(const FigureOptions&, const FigureOptions&) = default;
};

// A state kept for comparison: A, where what is shown is B.
struct Baseline {
    Model model;
    AttentionTrace trace;  // of model
};

// The layer that is shown is a model and its trace, wherever they come from; figures ask for nothing else of a scene.
struct FigureContext {
    const Model& model;
    const AttentionTrace& trace;  // of model
    const Display& display;
    std::string title = {};                        // of the scene, in the context's language
    std::shared_ptr<const void> trace_owner = {};  // keeps the trace's numbers alive while the figure is
    Language language = Language::english;
    Theme theme = Theme::light;
    const TextMeasure& measure;
    float width = 800;  // the room there is, in logical pixels
    float height = 600;
    std::optional<Cell> hovered = {};             // under the mouse; −1 on one side: only a token is
    std::optional<StageCell> hovered_entry = {};  // under the mouse among embeddings, projections and what they become
    std::optional<int> hovered_head = {};         // under the mouse in Heads
    std::shared_ptr<const Baseline> baseline = {};  // null: nothing is kept
    bool show_difference = false;                   // maps show B − A where both have the same shape
    FigureOptions options = {};
    Results* results = nullptr;                         // where what takes long is kept between frames; null: nowhere
    std::shared_ptr<const CostMeasured> measured = {};  // on this machine, for the Cost view; null: nothing was
    bool on_paper = false;                              // nothing to press: no switches, sliders or buttons

    const Palette& colors() const { return palette(theme); }
    std::string_view word(std::string_view english) const { return tr(language, english); }
};

// Another layer, or the same one shown otherwise; the rest stays. The references must outlive the context.
FigureContext with_layer(const FigureContext& context, const Model& model, const AttentionTrace& trace,
                         const Display& display);

std::string scene_title(const Scene& scene, Language language);

// The pinned cell and head, kept inside the sizes.
Cell pinned_cell(const Model& model, const Display& display);
int shown_head(const Model& model, const Display& display);
// Of whatever has a model and a display: a scene, or the context of a figure or a view.
template <typename Shown>
Cell pinned_cell(const Shown& shown) {
    return pinned_cell(shown.model, shown.display);
}
template <typename Shown>
int shown_head(const Shown& shown) {
    return shown_head(shown.model, shown.display);
}

// A stage of the trace as a view without a copy.
MatrixView stack_view(const FigureContext& context, const Stack& stack, int index);
MaskView mask_view(const FigureContext& context, int head);

}  // namespace heed
