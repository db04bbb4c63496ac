// What a heatmap costs: ours, and ImPlot's with its quad for every cell.
//
// The cost is the time of a frame with it less the time of the same frame without it; best of many,
// alternating, with glFinish() before the clock stops. The numbers do not change between the frames.
#include "app/gl/heatmap.h"
#include "app/gl/changed_tiles.h"
#include "app/platform/offscreen.h"

#include <epoxy/gl.h>
#include <implot.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace heed::app {
namespace {

constexpr float side = 640;  // pixels of the map on the screen

enum class With { nothing, ours, implot };

double frame_ms(Host& host, With with, const HeatmapMark& mark) {
    count_rewritten_texture();  // every frame is drawn whole: a frame like the last would draw nothing
    const auto start = std::chrono::steady_clock::now();
    host.begin_frame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({800, 800});
    ImGui::Begin("Heatmap", nullptr, ImGuiWindowFlags_NoDecoration);
    if (with == With::ours)
        HeatmapRenderer::current().draw(ImGui::GetWindowDrawList(), mark, {{40, 40}, 1}, Theme::light, true);
    if (with == With::implot && ImPlot::BeginPlot("##map", {side, side}, ImPlotFlags_CanvasOnly)) {
        ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoDecorations, ImPlotAxisFlags_NoDecorations);
        ImPlot::PushColormap(ImPlotColormap_Viridis);
        ImPlot::PlotHeatmap("##cells", mark.values.data, static_cast<int>(mark.values.rows),
                            static_cast<int>(mark.values.cols), 0, 1, nullptr);
        ImPlot::PopColormap();
        ImPlot::EndPlot();
    }
    ImGui::End();
    host.end_frame();
    glFinish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace
}  // namespace heed::app

int main() {
    using namespace heed;
    using namespace heed::app;
    auto opened = open_offscreen({800, 800});
    if (!opened) {
        std::fprintf(stderr, "%s\n", opened.error().c_str());
        return 1;
    }
    Host& host = **opened;
    std::printf("%s\n\n", host.renderer().c_str());
    std::printf("%8s %12s %12s %12s %8s\n", "cells", "empty ms", "ours ms", "ImPlot ms", "ratio");
    struct Row {
        Index n;
        HeatmapMark mark;
        double empty = 1e9, ours = 1e9, theirs = 1e9;
        double our_cost() const { return std::max(ours - empty, 1e-3); }
    };
    std::vector<Row> rows;
    for (const Index n : {64, 256, 1024, 2048}) {
        Matrix values(n, n);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j)
                values(i, j) = 0.5F + 0.5F * std::sin(static_cast<float>(i * 131 + j * 37 % 101) * 0.37F);
        HeatmapMark mark;
        mark.area = {0, 0, side, side};
        mark.values = view_of(std::move(values));
        mark.scale = {"viridis", 0, 1, false};
        rows.push_back({.n = n, .mark = std::move(mark)});
    }
    // All sizes in turn, for as many rounds as fit: the best of each met no other work, and whatever else the machine does
    // meets all of them alike.
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
        for (Row& row : rows)
            for (int frame = 0; frame < 40; ++frame) {  // the first of them uploads the numbers
                row.empty = std::min(row.empty, frame_ms(host, With::nothing, row.mark));
                row.ours = std::min(row.ours, frame_ms(host, With::ours, row.mark));
            }
    double ratio_at_1024 = 0;
    for (Row& row : rows) {
        for (int round = 0; round < (row.n >= 2048 ? 1 : row.n >= 1024 ? 3 : 12); ++round)
            row.theirs = std::min(row.theirs, frame_ms(host, With::implot, row.mark));
        const double their_cost = row.theirs - row.empty;
        const double ratio = their_cost / row.our_cost();
        std::printf("%7td² %12.3f %12.3f %12.3f %8.1f\n", row.n, row.empty, row.our_cost(), their_cost, ratio);
        std::fflush(stdout);
        if (row.n == 1024) ratio_at_1024 = ratio;
    }
    const double first = rows.front().our_cost();
    const double last = rows.back().our_cost();
    std::printf("\nours from 64² to 2048²: %.2f×\n", last / first);
    std::printf("ratio at 1024: %.1f\n", ratio_at_1024);
    return 0;
}
