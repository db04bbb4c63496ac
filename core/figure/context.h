// What every picture is made from. A view's figure is a pure function of this.
#pragma once

#include "core/attention/trace.h"
#include "core/figure/figure.h"
#include "core/language.h"
#include "core/scene.h"

#include <memory>
#include <optional>

namespace heed {

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
    Scene scene;
    AttentionTrace trace;
};

struct FigureContext {
    const Scene& scene;
    const AttentionTrace& trace;              // of scene.model
    std::shared_ptr<const void> trace_owner;  // keeps the trace's numbers alive while the figure is
    Language language = Language::english;
    Theme theme = Theme::light;
    const TextMeasure& measure;
    float width = 800;  // the room there is, in logical pixels
    float height = 600;
    std::optional<Cell> hovered;               // under the mouse; −1 on one side: only a token is
    std::optional<int> hovered_head;           // under the mouse in Heads
    std::shared_ptr<const Baseline> baseline;  // null: nothing is kept
    bool show_difference = false;              // maps show B − A where both have the same shape
    FigureOptions options;
    bool on_paper = false;  // nothing to press: no switches, sliders or buttons

    const Palette& colors() const { return palette(theme); }
    std::string_view word(std::string_view english) const { return tr(language, english); }
};

std::string scene_title(const Scene& scene, Language language);

// The pinned cell and head, kept inside the sizes.
Cell pinned_cell(const Scene& scene);
int shown_head(const Scene& scene);

// A stage of the trace as a view without a copy.
MatrixView stack_view(const FigureContext& context, const Stack& stack, int index);
MaskView mask_view(const FigureContext& context, int head);

}  // namespace heed
