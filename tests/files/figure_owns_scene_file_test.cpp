// A figure is drawn beside the window long after the scene it was made of is gone: nothing in it may still point there.
#include "core/display/cells_display.h"
#include "core/embedded.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/files/scene_file.h"
#include "core/transformer/around.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Figures, NameTheirColoursByTheTableAndNotByTheSceneTheyCameFrom) {
    for (const std::string_view path : embedded_files("assets/scenes/")) {
        const Result<Scene> scene = load_scene(embedded_file(path), std::string(path));
        ASSERT_TRUE(scene) << path;
        const AttentionTrace trace = run_layers(scene->model);
        for (const FigureKind& kind : figure_kinds()) {
            const Figure figure = kind.make({.model = looked_at(scene->model, trace),
                                             .trace = trace,
                                             .display = scene->display,
                                             .measure = rough_measure(),
                                             .width = 1085,
                                             .height = 480});
            const auto expect_own = [&](const ColorScale& scale) {
                for (const std::string* of_scene :
                     {&scene->display.cells->sequential_map, &scene->display.cells->diverging_map})
                    EXPECT_NE(scale.map.data(), of_scene->data()) << kind.id << ", " << path;
            };
            for (const Mark& mark : figure.marks) {
                if (const auto* map = std::get_if<HeatmapMark>(&mark)) expect_own(map->scale);
                if (const auto* bar = std::get_if<ColorBarMark>(&mark)) expect_own(bar->scale);
                if (const auto* plot = std::get_if<PlotRef>(&mark))
                    for (const Series& series : (*plot)->series) expect_own(series.scale);
            }
        }
    }
}

}  // namespace
}  // namespace heed
