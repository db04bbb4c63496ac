// The tabs of the views: in groups with a hairline between them, and what does not fit into the bar under "More".
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace heed::app {

struct FittingTabs {
    float padding = 0;        // logical pixels on either side of a name
    std::vector<bool> shown;  // one for each name
    bool has_more = false;    // some are not shown
};

// The first names that stand side by side in the room, and `kept` in any case. `names` and `more` (the button for the rest) are
// widths of words; everything in logical pixels.
FittingTabs fit_tabs(std::span<const float> names, float room, float more, std::size_t kept);

class ViewTabs {
public:
    // Once a frame, before the views are drawn: `width` of the bar in pixels, `current` the id of the view in front.
    void frame(float width, std::string_view current);
    float padding() const { return fitting_.padding; }
    // Tabs come or go: until they have settled, docking may bring another view to the front than the current one.
    bool is_settling() const { return unsorted_frames_ > 0; }
    // Whether they were laid out for another width than there is now.
    bool is_behind(float width) const { return width > 0 && width != width_; }
    // Whether a view has its tab in the bar.
    bool shows(std::string_view view) const;
    // After the views: their order, the lines between groups, and "More". Returns the view that was chosen there.
    std::optional<std::string_view> draw(ImGuiID dock_node);

private:
    std::optional<std::string_view> draw_more();

    FittingTabs fitting_;
    float width_ = 0;          // pixels, that they were laid out for
    std::size_t kept_ = 0;     // the view from "More" that was in front last: it stays in the bar
    int unsorted_frames_ = 0;  // tabs that came back stand at the end at first
};

}  // namespace heed::app
