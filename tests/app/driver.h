// A user for tests: finds widgets by name, and clicks, drags and types through ImGui's input events, with no window and
// no clock.
//
//     Driver ui([&](Host& host) { shell.frame(host); });
//     ui.drag("Temperature", {40, 0});
//     ui.type_into("Temperature", "0.5");
//     ui.click_cell("pipeline/weights", 4, 0);
//     ui.key(ImGuiMod_Ctrl | ImGuiKey_Z);
//
// A name is the English label (the part after ###, or what is shown), or "window/label" where several windows have one
// of that name. A figure's target is "figure/target". Widgets that are scrolled out of sight are scrolled to. What is
// not there fails the test and changes nothing.
#pragma once

#include "app/platform/offscreen.h"
#include "app/platform/test_hooks.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

class Driver final : private ItemListener {
public:
    struct Item {
        ImGuiID id = 0;
        std::string name;    // English
        std::string window;  // English, of the outermost window
        ImRect box;          // what of it can be seen
        ImRect whole;
        ImGuiItemFlags flags = 0;
        ImGuiItemStatusFlags status = 0;
        Index rows = 0, cols = 0;  // of a grid, as drawn
        bool transposed = false;
        bool is_enabled() const { return (flags & ImGuiItemFlags_Disabled) == 0; }
        bool is_checked() const { return (status & ImGuiItemStatusFlags_Checked) != 0; }
    };

    explicit Driver(std::function<void(Host&)> frame, const OffscreenOptions& options = {});
    ~Driver() override;

    Host& host() { return *host_; }
    OffscreenHost& offscreen() { return *host_; }
    void frames(int n = 1);
    void wait(float seconds);  // in one frame

    // What was on the screen in the last frame.
    std::vector<Item> items() const;
    bool exists(std::string_view name);
    std::optional<Item> find(std::string_view name);  // scrolls to it

    bool hover(std::string_view name);
    bool click(std::string_view name);
    bool double_click(std::string_view name);
    bool right_click(std::string_view name);
    bool drag(std::string_view name, ImVec2 by);  // from its middle
    // Shares of the box: {0, 0.5} is the left end.
    bool drag_within(std::string_view name, ImVec2 from, ImVec2 to);
    bool click_at(std::string_view name, ImVec2 share);
    bool wheel(std::string_view name, float steps);
    // Clicks into it, replaces what is there and presses Enter.
    bool type_into(std::string_view name, std::string_view text);

    // Rows and columns of the matrix, not as drawn.
    bool click_cell(std::string_view grid, Index row, Index col);
    bool hover_cell(std::string_view grid, Index row, Index col);
    bool drag_cells(std::string_view grid, Index row_0, Index col_0, Index row_1, Index col_1);

    void key(ImGuiKeyChord chord);
    void type(std::string_view text);

    // The parts, for gestures that are looked at half way.
    void move_to(ImVec2 at);
    void press(int button = 0);
    void release(int button = 0);

    Pixels pixels();
    // OpenGL's complaints and characters drawn as boxes; empty when all is well.
    std::string complaints();

private:
    void item_added(ImGuiID id, const ImRect& box, const ImGuiWindow* window, ImGuiItemFlags flags) override;
    void item_named(ImGuiID id, const char* label, ImGuiItemStatusFlags flags) override;
    void item_is_grid(ImGuiID id, Index rows, Index cols, bool transposed) override;

    std::optional<Item> find_now(std::string_view name) const;
    std::optional<ImVec2> cell_place(std::string_view grid, Index row, Index col);
    std::optional<ImVec2> place_of(std::string_view name, ImVec2 share);
    void click_here(int button = 0);
    void drag_between(ImVec2 from, ImVec2 to);

    std::unique_ptr<OffscreenHost> host_;
    std::function<void(Host&)> frame_;
    float frame_time_;
    std::map<ImGuiID, Item> now_;   // being collected
    std::map<ImGuiID, Item> last_;  // of the last whole frame
};

}  // namespace heed::app
