// Help → About and Help → Frame times.
#pragma once

#include "core/display.h"
#include "core/figure/figure.h"

#include <deque>
#include <string>

namespace heed::app {

void draw_about_window(bool& open, const std::string& renderer);

// How long the last frames took, split into computing and drawing.
class FrameTimes {
public:
    static constexpr std::size_t kept = 240;
    void add(double compute_ms, double draw_ms);
    void draw_window(bool& open);
    Figure figure(float width, float height) const;

private:
    std::deque<double> compute_;
    std::deque<double> draw_;
    Display display_;  // what of the plot is zoomed or switched off
};

}  // namespace heed::app
