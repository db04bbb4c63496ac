// Heatmaps on the GPU: a matrix is a texture, a fragment shader gives it colour, and one quad draws it whatever its
// size. Uploaded once per version of its numbers and kept while it is on the screen.
#pragma once

#include "core/figure/figure.h"

#include <imgui.h>

#include <memory>

namespace heed::app {

// Where a figure's own coordinates are on the screen.
struct FigurePlace {
    ImVec2 origin;    // ImGui coordinates of (0, 0)
    float scale = 1;  // ImGui coordinates per logical pixel
    ImVec2 at(Point p) const { return {origin.x + p.x * scale, origin.y + p.y * scale}; }
    ImVec2 at(float x, float y) const { return {origin.x + x * scale, origin.y + y * scale}; }
};

class HeatmapRenderer {
public:
    HeatmapRenderer();
    ~HeatmapRenderer();  // with the context of OpenGL current
    HeatmapRenderer(const HeatmapRenderer&) = delete;
    HeatmapRenderer& operator=(const HeatmapRenderer&) = delete;

    void begin_frame();  // forgets what the frames before have not drawn for a while

    // The cells alone; frames and numbers are drawn over them. cross_nan: mark NaN by a cross (off where it is written).
    void draw(ImDrawList* list, const HeatmapMark& mark, const FigurePlace& place, Theme theme, bool cross_nan);

    // For tests and measurements: uploads so far, and textures held now.
    int n_uploads() const;
    int n_textures() const;

    // Of the frame in progress.
    static HeatmapRenderer& current();

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace heed::app
