#include "app/shell/view_tabs.h"

#include "app/platform/fonts.h"
#include "app/platform/test_hooks.h"
#include "app/platform/theme.h"
#include "app/session.h"
#include "app/shell/layout.h"
#include "app/shell/panel.h"
#include "app/views/view.h"
#include "core/figure/rich_text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr float widest_padding = 12;
constexpr float narrowest_padding = 6;
constexpr float padding_with_more = 9;
constexpr float bar_ends = 28;  // what ImGui leaves free at both ends of the bar
constexpr float tab_line = 2;   // and beside each name, rounded up

// Of the view whose panel a tab belongs to; none for another panel that was docked there.
std::optional<std::size_t> view_of(const ImGuiTabItem& tab) {
    for (std::size_t i = 0; i < views().size(); ++i)
        if (tab.Window != nullptr && tab.Window == find_panel(view_panel(views()[i].id))) return i;
    return std::nullopt;
}

void sort_tabs(ImGuiTabBar& bar) {
    const auto rank = [](const ImGuiTabItem& tab) { return view_of(tab).value_or(views().size()); };
    std::stable_sort(bar.Tabs.begin(), bar.Tabs.end(),
                     [&](const ImGuiTabItem& a, const ImGuiTabItem& b) { return rank(a) < rank(b); });
}

void draw_group_lines(const ImGuiDockNode& node) {
    if (node.VisibleWindow == nullptr) return;
    ImDrawList* list = node.VisibleWindow->DrawList;
    const ImRect bar = node.TabBar->BarRect;
    const float inset = std::floor(bar.GetHeight() / 4);
    const float width = std::max(1.0F, std::floor(px(1)));
    list->PushClipRect(bar.Min, bar.Max);
    std::optional<std::size_t> before;
    for (const ImGuiTabItem& tab : node.TabBar->Tabs) {
        const std::optional<std::size_t> view = view_of(tab);
        if (view && before && views()[*view].group != views()[*before].group) {
            const float x = std::floor(bar.Min.x + tab.Offset);
            list->AddRectFilled({x, bar.Min.y + inset}, {x + width, bar.Max.y - inset}, u32(colors().hairline));
        }
        before = view;
    }
    list->PopClipRect();
}

}  // namespace

FittingTabs fit_tabs(std::span<const float> names, float room, float more, std::size_t kept) {
    FittingTabs tabs;
    tabs.shown.assign(names.size(), true);
    float all = 0;
    for (const float name : names) all += name;
    const float padding = (room - all) / (2 * static_cast<float>(std::max<std::size_t>(names.size(), 1)));
    if (padding >= narrowest_padding) {
        tabs.padding = std::min(std::floor(padding), widest_padding);
        return tabs;
    }
    tabs.padding = padding_with_more;
    tabs.has_more = true;
    float left = room - more - 2 * tabs.padding;
    if (kept < names.size()) left -= names[kept] + 2 * tabs.padding;
    bool is_full = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == kept) continue;
        left -= names[i] + 2 * tabs.padding;
        is_full = is_full || left < 0;
        tabs.shown[i] = !is_full;
    }
    return tabs;
}

void ViewTabs::frame(float width, std::string_view current) {
    width_ = width;
    const float scale = ui_scale();
    std::vector<float> names;
    std::optional<std::size_t> front;
    for (const View& view : views()) {
        const FigureKind* kind = find_figure_kind(view.id);
        names.push_back(kind != nullptr ? text_width(Font::bold, body_size, tr(kind->name)) / scale + tab_line : 0);
        if (view.id == current) front = names.size() - 1;
    }
    const bool is_front_away = front && (fitting_.shown.size() <= *front || !fitting_.shown[*front]);
    if (is_front_away) kept_ = *front;
    const float more = text_width(Font::words, body_size, tr("More")) / scale + 16;
    const float room = width / scale - bar_ends;
    FittingTabs fitting = fit_tabs(names, room, more, kept_);
    // After the window became wider or narrower, `kept_` may be none that had to be brought back.
    if (front && !fitting.shown[*front]) fitting = fit_tabs(names, room, more, kept_ = *front);
    // At the start, too: tabs that were away when the layout was kept stand in it anywhere.
    if (fitting.shown != fitting_.shown) unsorted_frames_ = 4;
    fitting_ = std::move(fitting);
}

bool ViewTabs::shows(std::string_view view) const {
    for (std::size_t i = 0; i < views().size(); ++i)
        if (views()[i].id == view) return fitting_.shown[i];
    return false;
}

std::optional<std::string_view> ViewTabs::draw(ImGuiID dock_node) {
    ImGuiDockNode* node = ImGui::DockBuilderGetNode(dock_node);
    if (node == nullptr || node->TabBar == nullptr || !node->IsVisible) return std::nullopt;
    if (unsorted_frames_ > 0 && node->TabBar->ReorderRequestTabId == 0) {
        --unsorted_frames_;
        sort_tabs(*node->TabBar);
    }
    draw_group_lines(*node);
    // A bar without any room is not drawn, and cannot be added to.
    if (!fitting_.has_more || node->HostWindow == nullptr || node->HostWindow->SkipItems) return std::nullopt;
    std::optional<std::string_view> chosen;
    if (ImGui::DockNodeBeginAmendTabBar(node)) {
        const std::string name = std::string(tr("More")) + " ▾###More";
        push_dock_style();
        const bool is_pressed =
            ImGui::TabItemButton(name.c_str(), ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip);
        pop_dock_style();
        name_item(ImGui::GetItemID(), "More");  // ImGui tells a tab's name before its place
        if (is_pressed) ImGui::OpenPopup("more views");
        chosen = draw_more();
        ImGui::DockNodeEndAmendTabBar();
    }
    return chosen;
}

std::optional<std::string_view> ViewTabs::draw_more() {
    std::optional<std::string_view> chosen;
    if (!ImGui::BeginPopup("more views")) return chosen;
    std::optional<ViewGroup> group;
    for (std::size_t i = 0; i < views().size(); ++i) {
        const View& view = views()[i];
        const FigureKind* kind = find_figure_kind(view.id);
        if (kind == nullptr || fitting_.shown[i]) continue;
        if (group && *group != view.group) ImGui::Separator();
        group = view.group;
        if (ImGui::MenuItem(label(kind->name).c_str())) chosen = view.id;
        ImGui::SetItemTooltip("%s", plain_text(tr(kind->help)).c_str());
    }
    ImGui::EndPopup();
    return chosen;
}

}  // namespace heed::app
