#include "tests/app/driver.h"

#include "app/platform/fonts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace heed::app {
namespace {

constexpr float between_clicks = 0.4F;  // s: two clicks are not a double click

// "中文###English" → "English"; "Label##id" → "Label"; "##id" → "id".
std::string english(std::string_view label) {
    if (const std::size_t at = label.find("###"); at != std::string_view::npos)
        return std::string(label.substr(at + 3));
    const std::size_t at = label.find("##");
    if (at == 0) return std::string(label.substr(2));
    return std::string(label.substr(0, at));
}

bool is_in_window(const ImGuiWindow* window, const std::string& name) {
    for (; window != nullptr; window = window->ParentWindow)
        if (english(window->Name) == name) return true;
    return false;
}

ImVec2 at_share(const ImRect& box, ImVec2 share) {
    return {box.Min.x + box.GetWidth() * share.x, box.Min.y + box.GetHeight() * share.y};
}

}  // namespace

Driver::Driver(std::function<void(Host&)> frame, const OffscreenOptions& options)
    : frame_(std::move(frame)), frame_time_(options.frame_time) {
    Result<std::unique_ptr<OffscreenHost>> opened = open_offscreen(options);
    if (!opened) throw std::runtime_error(opened.error());
    host_ = std::move(*opened);
    host_->set_drawing(false);
    listen_to_items(ImGui::GetCurrentContext(), this);
    frames(3);
}

Driver::~Driver() { listen_to_items(ImGui::GetCurrentContext(), nullptr); }

void Driver::frames(int n) {
    for (int i = 0; i < n; ++i) {
        now_.clear();
        if (!host_->begin_frame()) continue;
        frame_(*host_);
        host_->end_frame();
        std::swap(now_, last_);
    }
}

void Driver::wait(float seconds) {
    host_->set_frame_time(seconds);
    frames(1);
    host_->set_frame_time(frame_time_);
}

void Driver::item_added(ImGuiID id, const ImRect& box, const ImGuiWindow* window, ImGuiItemFlags flags) {
    if (window == nullptr) return;
    Item& item = now_[id];
    item.id = id;
    item.whole = box;
    item.box = box;
    item.box.ClipWith(window->ClipRect);
    item.flags = flags;
    const ImGuiWindow* outermost = window->RootWindow != nullptr ? window->RootWindow : window;
    item.window = english(outermost->Name);
}

void Driver::item_named(ImGuiID id, const char* label, ImGuiItemStatusFlags flags) {
    const auto found = now_.find(id);
    if (found == now_.end()) return;
    found->second.name = english(label);
    found->second.status = flags;
}

void Driver::item_is_grid(ImGuiID id, Index rows, Index cols, bool transposed) {
    const auto found = now_.find(id);
    if (found == now_.end()) return;
    found->second.rows = rows;
    found->second.cols = cols;
    found->second.transposed = transposed;
}

std::vector<Driver::Item> Driver::items() const {
    std::vector<Item> list;
    for (const auto& [id, item] : last_)
        if (!item.name.empty()) list.push_back(item);
    return list;
}

std::optional<Driver::Item> Driver::find_now(std::string_view name) const {
    const auto is_seen = [](const Item& item) { return item.box.GetWidth() > 1 && item.box.GetHeight() > 1; };
    for (const auto& [id, item] : last_)
        if (item.name == name && is_seen(item)) return item;
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string window(name.substr(0, slash));
    const std::string_view label = name.substr(slash + 1);
    for (const auto& [id, item] : last_) {
        if (item.name != label || !is_seen(item)) continue;
        if (item.window == window) return item;
        for (const ImGuiWindow* open : GImGui->Windows)
            if (open->WasActive && open->Rect().Contains(item.box) && is_in_window(open, window)) return item;
    }
    return std::nullopt;
}

std::optional<Driver::Item> Driver::find(std::string_view name) {
    if (std::optional<Item> item = find_now(name)) {
        // Wholly in sight, or as much as there will ever be.
        if (item->box.GetHeight() >= item->whole.GetHeight() - 1) return item;
    }
    std::vector<ImGuiWindow*> scrollable;
    for (ImGuiWindow* window : GImGui->Windows)
        if (window->WasActive && !window->Hidden && window->ScrollMax.y > 0) scrollable.push_back(window);
    std::optional<Item> best = find_now(name);
    for (ImGuiWindow* window : scrollable) {
        const float before = window->Scroll.y;
        const float step = std::max(20.0F, window->InnerRect.GetHeight() * 0.4F);
        for (float y = 0;; y += step) {
            ImGui::SetScrollY(window, std::min(y, window->ScrollMax.y));
            frames(2);
            std::optional<Item> item = find_now(name);
            if (item && item->box.GetHeight() >= item->whole.GetHeight() - 1) return item;
            if (y >= window->ScrollMax.y) break;
        }
        ImGui::SetScrollY(window, before);
        frames(2);
    }
    return best;
}

bool Driver::exists(std::string_view name) { return find_now(name).has_value(); }

std::optional<ImVec2> Driver::place_of(std::string_view name, ImVec2 share) {
    const std::optional<Item> item = find(name);
    if (!item) {
        std::string all;
        for (const Item& other : items()) all += " “" + other.name + "”";
        ADD_FAILURE() << "There is no “" << name << "” on the screen; there are" << all;
        return std::nullopt;
    }
    return at_share(item->box, share);
}

void Driver::move_to(ImVec2 at) {
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
    frames(2);
}

void Driver::press(int button) {
    ImGui::GetIO().AddMouseButtonEvent(button, true);
    frames(1);
}

void Driver::release(int button) {
    ImGui::GetIO().AddMouseButtonEvent(button, false);
    frames(3);
}

void Driver::click_here(int button) {
    wait(between_clicks);
    press(button);
    release(button);
}

bool Driver::hover(std::string_view name) {
    const std::optional<ImVec2> at = place_of(name, {0.5F, 0.5F});
    if (at) move_to(*at);
    return at.has_value();
}

bool Driver::click_at(std::string_view name, ImVec2 share) {
    const std::optional<ImVec2> at = place_of(name, share);
    if (!at) return false;
    move_to(*at);
    click_here();
    return true;
}

bool Driver::click(std::string_view name) { return click_at(name, {0.5F, 0.5F}); }

bool Driver::double_click(std::string_view name) {
    if (!click(name)) return false;
    press();
    release();
    return true;
}

bool Driver::right_click(std::string_view name) {
    if (!hover(name)) return false;
    click_here(1);
    return true;
}

void Driver::drag_between(ImVec2 from, ImVec2 to) {
    move_to(from);
    wait(between_clicks);
    press();
    constexpr int steps = 6;
    for (int i = 1; i <= steps; ++i) {
        const float share = static_cast<float>(i) / steps;
        ImGui::GetIO().AddMousePosEvent(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
        frames(1);
    }
    frames(1);
    release();
}

bool Driver::drag(std::string_view name, ImVec2 by) {
    const std::optional<ImVec2> from = place_of(name, {0.5F, 0.5F});
    if (!from) return false;
    drag_between(*from, {from->x + by.x, from->y + by.y});
    return true;
}

bool Driver::drag_within(std::string_view name, ImVec2 from, ImVec2 to) {
    const std::optional<ImVec2> start = place_of(name, from);
    const std::optional<ImVec2> end = place_of(name, to);
    if (!start || !end) return false;
    drag_between(*start, *end);
    return true;
}

bool Driver::wheel(std::string_view name, float steps) {
    if (!hover(name)) return false;
    ImGui::GetIO().AddMouseWheelEvent(0, steps);
    frames(3);
    return true;
}

bool Driver::type_into(std::string_view name, std::string_view text) {
    if (!click(name)) return false;
    key(ImGuiMod_Ctrl | ImGuiKey_A);
    if (text.empty()) key(ImGuiKey_Delete);
    type(text);
    key(ImGuiKey_Enter);
    return true;
}

std::optional<ImVec2> Driver::cell_place(std::string_view grid, Index row, Index col) {
    const std::optional<Item> item = find(grid);
    if (!item || item->rows == 0) {
        ADD_FAILURE() << "There is no grid “" << grid << "” on the screen.";
        return std::nullopt;
    }
    if (item->transposed) std::swap(row, col);
    if (row < 0 || col < 0 || row >= item->rows || col >= item->cols) {
        ADD_FAILURE() << "“" << grid << "” has " << item->rows << " × " << item->cols << " cells.";
        return std::nullopt;
    }
    return at_share(item->whole, {(static_cast<float>(col) + 0.5F) / static_cast<float>(item->cols),
                                  (static_cast<float>(row) + 0.5F) / static_cast<float>(item->rows)});
}

bool Driver::hover_cell(std::string_view grid, Index row, Index col) {
    const std::optional<ImVec2> at = cell_place(grid, row, col);
    if (at) move_to(*at);
    return at.has_value();
}

bool Driver::click_cell(std::string_view grid, Index row, Index col) {
    if (!hover_cell(grid, row, col)) return false;
    click_here();
    return true;
}

bool Driver::drag_cells(std::string_view grid, Index row_0, Index col_0, Index row_1, Index col_1) {
    const std::optional<ImVec2> from = cell_place(grid, row_0, col_0);
    const std::optional<ImVec2> to = cell_place(grid, row_1, col_1);
    if (!from || !to) return false;
    drag_between(*from, *to);
    return true;
}

void Driver::key(ImGuiKeyChord chord) {
    ImGuiIO& io = ImGui::GetIO();
    const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
    const auto set = [&](bool down) {
        for (const ImGuiKey modifier : {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt, ImGuiMod_Super})
            if ((chord & modifier) != 0) io.AddKeyEvent(modifier, down);
    };
    set(true);
    frames(1);
    if (key != ImGuiKey_None) io.AddKeyEvent(key, true);
    frames(1);
    if (key != ImGuiKey_None) io.AddKeyEvent(key, false);
    set(false);
    frames(2);
}

void Driver::type(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        ImGui::GetIO().AddInputCharacter(next_code_point(text, at));
        frames(1);
    }
    frames(1);
}

Pixels Driver::pixels() { return host_->pixels(); }

std::string Driver::complaints() {
    pixels();  // OpenGL complains about what it draws
    std::string all = host_->take_gl_error();
    for (const std::uint32_t code : missing_glyphs()) {
        char text[40];
        std::snprintf(text, sizeof text, "%sno font has U+%04X", all.empty() ? "" : ", ", code);
        all += text;
    }
    return all;
}

}  // namespace heed::app
