// A figure as a test sees it: its marks, and the words among them.
#pragma once

#include "core/figure/registry.h"
#include "core/transformer/around.h"

#include <string>
#include <string_view>

namespace heed {

struct DrawnFigure {
    AttentionTrace trace;
    Figure figure;

    const TextMark* find(std::string_view words) const {
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark))
                if (one->text.find(words) != std::string::npos) return one;
        return nullptr;
    }
    std::string text() const {
        std::string all;
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark)) all += one->text + "\n";
        return all;
    }
    // Also where the words go on in another mark.
    bool says(std::string_view words) const { return text().find(words) != std::string::npos; }
};

struct DrawnAs {
    float width = 1100, height = 640;
    Language language = Language::english;
    bool on_paper = true;
};

inline DrawnFigure draw_figure(std::string_view kind, const Scene& scene, const DrawnAs& as = {}) {
    DrawnFigure drawn{.trace = run_layers(scene.model), .figure = {}};
    drawn.figure = find_figure_kind(kind)->make({.model = looked_at(scene.model, drawn.trace),
                                                 .trace = drawn.trace,
                                                 .display = scene.display,
                                                 .title = {},
                                                 .language = as.language,
                                                 .measure = rough_measure(),
                                                 .width = as.width,
                                                 .height = as.height,
                                                 .on_paper = as.on_paper});
    return drawn;
}

}  // namespace heed
