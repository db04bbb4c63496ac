// The parts of the Saturation view, and what they share: each draws itself into the room it is given.
#pragma once

#include "core/figure/axis_labels.h"
#include "core/figure/context.h"
#include "core/figure/plot.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

// Where the model stands on the axes of random draws.
struct SaturationSetting {
    double d_k = 1;          // within 1 … 4096
    double temperature = 1;  // within 0.01 … 100; 0 stands at the left end
    bool is_scaled = true;   // its scale is nearer to 1/√d_k than to 1
    double scale = 1;        // what its scores are multiplied by, before the temperature divides them
    bool is_dot = true;      // its score is q·k: of other scores these draws tell nothing

    // Whether its scale is 1/√d_k itself, or 1 itself: a typed one may be neither.
    bool has_scale(bool by_root) const;
};
SaturationSetting saturation_setting(const Model& model);

// Text sizes and colours as all panels use them.
struct PanelPen {
    Figure& figure;
    const FigureContext& context;
    const Palette& colors = context.colors();
    float text = context.options.text_size;

    Color scaled() const { return colors.accent; }
    Color unscaled() const { return colors.warning; }
    std::string word(std::string_view english) const { return std::string(context.word(english)); }
    void words(std::string words, Point at, Color color, AlignX align = AlignX::left, Font font = Font::words,
               float smaller = 2, bool plain = false, AlignY align_y = AlignY::middle) const;
    // A dot that can be dragged, with a target of its own.
    void handle(TargetId id, Point at, Color color, std::string tooltip, TargetId along) const;
    // As the user left it: zoomed, and without what is switched off.
    Frame plot(PlotMark plot) const { return add_plot(figure, context, std::move(plot)); }
    float legend(float right, float y, const std::vector<LegendEntry>& entries,
                 const std::vector<std::string_view>& plots = {}) const;
    // A track with a logarithmic scale and a dot on it: the frame and the handle are both called `id`.
    void track(const std::string& id, Rect area, Axis axis, double value, const std::string& label,
               bool powers_of_two) const;
    // Title above and caption below, where they are asked for; returns the room between them.
    Rect frame_page() const;
    // The same for a page that no setting of the scene takes part in, which is what its caption says.
    Rect frame_page_apart() const;
    // What the panel is about, on as many lines as it needs at the top of the room; returns the room without the lines after
    // the first, which every panel leaves room for.
    Rect intro(Rect room, const std::string& sentence) const;
    // Lines that end at the bottom of the room; returns the room above them.
    Rect footnotes(Rect room, const std::vector<std::string>& sentences) const;
    // A sentence from `at` on, wrapped to the width; returns the middle of the line after it.
    float lines(const std::string& sentence, Point at, float width, Color color) const;
    // Which temperature of the axes stands for one that lies beyond them, such as 0; empty where the scene's is on them.
    std::string temperature_beyond() const;
    // A sentence in the middle of an empty room.
    void sentence(Rect room, const std::string& sentence, Color color) const;
};

void add_scores_panel(const PanelPen& pen, Rect room);
void add_terms_panel(const PanelPen& pen, Rect room);
void add_twins_panel(const PanelPen& pen, Rect room);
void add_curves_panel(const PanelPen& pen, Rect room);
void add_phase_panel(const PanelPen& pen, Rect room);
void add_temperature_panel(const PanelPen& pen, Rect room);
void add_numerics_panel(const PanelPen& pen, Rect room);

// A small matrix whose version follows from its numbers: made again every frame, uploaded only when they change.
MatrixView view_by_content(Matrix matrix);

// "4,000"
std::string thousands(std::int64_t number);

}  // namespace heed
