// Where the panels are: a dock space with a default arrangement that can always be had back.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>

namespace heed::app {

inline constexpr std::string_view controls_panel = "controls";
inline constexpr std::string_view explainer_panel = "explainer";
inline constexpr std::string_view matrices_panel = "matrices";
// The id of a view's panel: "view:pipeline".
std::string view_panel(std::string_view view);

class Layout {
public:
    // The ground between the top bar and the status bar. Builds the default arrangement where none is remembered.
    // `is_away`: only remembers where everything is, and draws nothing.
    void frame(ImVec2 at, ImVec2 size, float scale, bool is_away = false);
    void reset() { reset_ = true; }
    // Where the views are: a panel that no remembered layout knows goes there.
    ImGuiID center() const { return center_; }

private:
    void build(ImGuiID dock, ImVec2 size);

    ImGuiID center_ = 0;
    bool reset_ = false;
    float scale_ = 0;  // of the last frame: panels keep their size in logical pixels
};

// Brings a docked panel's tab to the front.
void show_panel(std::string_view id);
// Whether a panel's tab is in front.
bool is_panel_shown(std::string_view id);
// Whether the keyboard is in a panel, and how it gets there: to its first control, with the ring that shows where it is.
bool has_keyboard(std::string_view id);
void give_keyboard(std::string_view id);

}  // namespace heed::app
