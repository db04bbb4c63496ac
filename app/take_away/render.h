// `heed render`: one figure of a scene for print.
#pragma once

#include "app/print/print_figure.h"
#include "core/figure/context.h"
#include "core/result.h"
#include "core/scene.h"

#include <memory>
#include <optional>
#include <string>

namespace heed::app {

struct RenderRequest {
    std::string view = "pipeline";  // a row of figure_kinds()
    std::optional<int> width;       // pixels; 1000 · scale if not given
    std::optional<int> height;      // pixels; 5/8 of the width if not given
    double scale = 1.6;             // pixels for each logical one: larger makes everything in the picture larger
    std::optional<double> dpi;      // 96 · scale if not given
    std::optional<int> head;        // instead of the one the scene shows
    Language language = Language::english;
    Theme theme = Theme::light;
    PrintOptions::Background background = PrintOptions::Background::theme;
    FigureOptions options;
    std::shared_ptr<const Baseline> kept;          // state A: maps show the difference from it
    std::shared_ptr<const CostMeasured> measured;  // on this machine; null: nothing was
    std::shared_ptr<Results> results;  // shared by pictures that follow one another; null: each computes its own
    friend bool operator==(const RenderRequest&, const RenderRequest&) = default;
};

// The figure and how to print it; refuses unknown views and sizes nobody can draw.
struct Rendering {
    Figure figure;
    PrintOptions print;
};
Result<Rendering> make_rendering(const Scene& given, const AttentionTrace& trace, const RenderRequest& request,
                                 PrintOptions::Format format);

// By the ending of a file's name.
Result<PrintOptions::Format> format_of(const std::string& path);

// With the trace of that scene, or computing it first.
Status run_render(const Scene& scene, const AttentionTrace& trace, const RenderRequest& request,
                  const std::string& out);
Status run_render(const Scene& scene, const RenderRequest& request, const std::string& out);

}  // namespace heed::app
