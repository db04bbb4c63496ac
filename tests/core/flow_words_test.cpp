// Ribbons as dark as their weights are large.
#include "core/attention/pipeline.h"
#include "core/display/flow_display.h"
#include "core/model/mask_settings.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

DrawnFigure draw(const Scene& scene, float width = 1100, float height = 640) {
    return draw_figure("flow", scene, {.width = width, .height = height});
}

TEST(FlowWords, AWeightThatReadsZeroIsNotAsDarkAsOneThatReadsOne) {
    for (const bool arcs : {false, true}) {
        Scene scene = default_scene();
        scene.model.n_queries = 300;
        scene.model.temperature = 0.05F;
        *scene.model.mask = {};
        fit_matrices(scene.model);
        scene.display.flow->arcs = arcs;
        scene.display.flow->alone = true;
        scene.display.pinned = true;
        const AttentionTrace trace = run_attention(scene.model);
        const auto row = trace.weights[0].row(3).array().eval();
        Index weak = 0;
        (row > 0).select(row, 1.0F).minCoeff(&weak);
        ASSERT_LT(row(weak), 1e-6F);
        ASSERT_GT(row.maxCoeff(), 0.5F);
        scene.display.pin = {3, static_cast<int>(weak)};
        const DrawnFigure drawn = draw(scene);
        int palest = 255, darkest = 0;
        const auto note = [&](Color color) {
            palest = std::min<int>(palest, color.a);
            darkest = std::max<int>(darkest, color.a);
        };
        for (const Mark& mark : drawn.figure.marks) {
            if (const auto* ribbon = std::get_if<RibbonMark>(&mark)) note(ribbon->color);
            if (const auto* arc = std::get_if<LineMark>(&mark); arcs && arc != nullptr && arc->points.size() > 2)
                note(arc->color);
        }
        EXPECT_LE(palest, 5) << "arcs: " << arcs;
        EXPECT_GE(darkest, 150) << "arcs: " << arcs;
    }
}

}  // namespace
}  // namespace heed
