// The pages of the Reach view, and what they share.
#pragma once

#include "core/display/reach_display.h"
#include "core/figure/saturation_panels.h"
#include "core/reach/reach_study.h"

#include <array>
#include <memory>
#include <string>

namespace heed {

// One mixer, measured and counted. What is not there yet is computed beside the window.
struct ReachColumn {
    ReachMixer mixer = ReachMixer::attention;
    TransformerConfig config;
    ReachPlan plan;
    std::shared_ptr<const Matrix> measured;     // (layers + 1) × n; empty: under way
    std::shared_ptr<const ReachCount> counted;  // without cells: under way
    bool is_complete() const { return measured->size() > 0 && counted->cells.size() > 0; }
};

struct ReachScene {
    Model attention;  // what the stacks take of the scene
    Index n_tokens = 1;
    Index all_tokens = 1;  // of the scene; more than n_tokens where that would take too long
    Index input = 0, output = 0;
    std::array<ReachColumn, 3> columns;
};
ReachScene reach_scene(const FigureContext& context);

// The ends as the page shows them, for a view that changes them.
struct ReachEnds {
    Index n_tokens = 1;
    Index input = 0, output = 0;
};
ReachEnds reach_ends(const Model& model, const ReachDisplay& display);

std::string_view mixer_name(ReachMixer mixer);  // English, through tr()
std::string mixer_target(ReachMixer mixer);     // of its grid: "reach attention"
Color mixer_color(const PanelPen& pen, ReachMixer mixer);
// "“cat”", with its place where another token has the same label.
std::string quoted_token(const Model& model, Index token);

// A large number and words after it, from the left; returns the right end.
float add_large(const PanelPen& pen, const std::string& number, const std::string& words, Point at, float width,
                Color color);

void add_reach_grid(const PanelPen& pen, const ReachScene& scene, const ReachColumn& column, Rect room, bool is_first);
// What the colours of all grids stand for; beside the last one, whose place must be known.
float reach_bar_width(const PanelPen& pen);
void add_reach_bar(const PanelPen& pen, const ReachColumn& last);
void add_reach_words(const PanelPen& pen, const ReachScene& scene, const ReachColumn& column, Rect room);
float reach_words_height(const PanelPen& pen, float width);  // of a column of this width
void add_reach_curve(const PanelPen& pen, const ReachScene& scene, Rect room);
void add_reach_table(const PanelPen& pen, const ReachScene& scene, Rect room);
float reach_table_height(const PanelPen& pen);
void add_reach_layers(const PanelPen& pen, Rect room);
void add_reach_vector(const PanelPen& pen, Rect room);

}  // namespace heed
