// What the user made of one plot: the part that is zoomed to, and what the legend has switched off.
#pragma once

#include "core/fields.h"

namespace heed {

inline constexpr int most_plot_views = 64;

struct PlotView {
    std::string plot;  // its id
    bool zoomed = false;
    float x_low = 0, x_high = 1;  // an empty range is none
    float y_low = 0, y_high = 1;
    std::vector<std::string> hidden = {};  // entries of the legend
    friend bool operator==(const PlotView&, const PlotView&) = default;
};

template <MaybeConst<PlotView> Self, typename Visit>
void visit_fields(Self& view, Visit&& visit) {
    visit("plot", view.plot, Text{});
    visit("zoomed", view.zoomed, Anything{});
    visit("x_low", view.x_low, Finite{});
    visit("x_high", view.x_high, Finite{});
    visit("y_low", view.y_low, Finite{});
    visit("y_high", view.y_high, Finite{});
    visit("hidden", view.hidden, Texts{most_plot_views});
}

}  // namespace heed
