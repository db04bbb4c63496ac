// Where the panels are: a dock space with a default arrangement that can always be had back.
#pragma once

#include <imgui.h>

#include <map>
#include <span>
#include <string>
#include <string_view>

struct ImGuiDockNode;
struct ImGuiWindow;

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
    float center_width() const;  // pixels; 0: nothing is drawn yet

    // Where there is too little room for the picture, only tabs are left of the panel below it: a click on one, or
    // open_below(), opens it until the window or the text changes its size.
    bool is_collapsed(std::string_view panel) const;
    void open_below();
    // Too narrow for controls beside the picture.
    bool is_narrow() const { return is_narrow_; }

private:
    struct Side {
        float wanted = 0;    // logical pixels, as made or dragged
        float applied = -1;  // pixels: another size is a user's
    };

    void build(ImGuiID dock, ImVec2 size);
    void fit(ImGuiDockNode* node, ImVec2 room, float scale, bool is_changed);
    void follow_tabs();

    ImGuiID center_ = 0;
    bool reset_ = false;
    float scale_ = 0;  // of the last frame
    ImVec2 room_;      // the same
    std::map<ImGuiID, Side> sides_;
    ImGuiID below_ = 0;      // the node below the picture; 0: there is none
    bool is_tight_ = false;  // no room below the picture
    bool is_collapsed_ = false;
    bool is_opened_ = false;      // by the user, though it is tight
    bool is_opened_new_ = false;  // or closed again, just now
    bool is_narrow_ = false;
    bool is_tab_pressed_ = false;
    bool was_front_ = false;  // that tab
};

// Null where it was never drawn.
ImGuiWindow* find_panel(std::string_view id);
// Whether a panel's tab is or was before another's, and how it gets there.
bool is_before(std::string_view id, std::string_view other);
void put_before(std::string_view id, std::string_view other);
// Brings a docked panel's tab to the front.
void show_panel(std::string_view id);
// Whether a panel's tab is in front.
bool is_panel_shown(std::string_view id);
// Whether the keyboard is in a panel, and how it gets there: to its first control, with the ring that shows where it is.
bool has_keyboard(std::string_view id);
void give_keyboard(std::string_view id);

}  // namespace heed::app
