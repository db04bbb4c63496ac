#include "app/widgets/item.h"
#include "app/gl/imgui_compat.h"
#include "app/inspection.h"
#include "core/figure/explainer_lines.h"

#include <cctype>

namespace heed::app {

constexpr float widest_tooltip = 300;  // logical pixels

namespace {

WantedItem* looked_for = nullptr;
std::string held_why;

void compare_with_wanted(std::string_view name, ImGuiID id, CheckMark mark) {
    if (looked_for == nullptr || looked_for->is_exact) return;
    const std::string_view wanted = looked_for->name;
    const bool is_same = name == wanted;
    const bool is_part = name.size() > wanted.size() && name.starts_with(wanted) &&
                         (name[wanted.size()] == '/' || name.substr(wanted.size()) == " number");
    if (!is_same && !is_part) return;
    if (is_same || mark == CheckMark::on || looked_for->id == 0) looked_for->id = id;
    looked_for->is_exact = is_same || mark == CheckMark::on;
}

}  // namespace

void want_item(WantedItem* wanted) { looked_for = wanted; }

void hold_items(std::string_view why) {
    held_why = why;
    ImGui::BeginDisabled();
}

void let_items_go() {
    ImGui::EndDisabled();
    held_why.clear();
}

void point_at(const ImRect& box, float strength, float radius) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImRect ring = box;
    ring.Expand(px(4));
    list->AddRectFilled(ring.Min, ring.Max, ink(with_alpha(colors().accent, 0.08F * strength)), px(radius));
    stroke_rect(list, ring.Min, ring.Max, ink(with_alpha(colors().accent, strength)), px(radius), px(2));
}

ImU32 ink(Color color) { return ImGui::GetColorU32(IM_COL32(color.r, color.g, color.b, color.a)); }

Item button_item_at(std::string_view name, const ImRect& box, ImGuiButtonFlags flags, CheckMark mark) {
    ImGuiContext& g = *ImGui::GetCurrentContext();
    const std::string label(name);
    Item item;
    item.id = ImGui::GetID(label.c_str());
    item.box = box;
    item.disabled = (g.CurrentItemFlags & ImGuiItemFlags_Disabled) != 0;
    item.shown = ImGui::ItemAdd(box, item.id);
    compare_with_wanted(name, item.id, mark);
    if (item.shown) {
        item.pressed = ImGui::ButtonBehavior(box, item.id, &item.hovered, &item.held, flags);
        item.focused = g.NavId == item.id && !item.disabled;
    }
    [[maybe_unused]] ImGuiItemStatusFlags told = g.LastItemData.StatusFlags;
    if (mark != CheckMark::none) told |= ImGuiItemStatusFlags_Checkable;
    if (mark == CheckMark::on) told |= ImGuiItemStatusFlags_Checked;
    IMGUI_TEST_ENGINE_ITEM_INFO(item.id, label.c_str(), told);
    return item;
}

Item button_item(std::string_view name, ImVec2 size, ImGuiButtonFlags flags, CheckMark mark) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect box(at, {at.x + size.x, at.y + size.y});
    ImGui::ItemSize(size, 0);
    return button_item_at(name, box, flags, mark);
}

void put_cursor_back(ImVec2 at) {
    ImGui::SetCursorScreenPos(at);
    ImGui::GetCurrentWindow()->DC.IsSetPos = false;
}

void focus_ring(const Item& item, float radius) {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (!item.focused || !shows_focus(g)) return;
    ImRect ring = item.box;
    ring.Expand(px(2));
    stroke_rect(ImGui::GetWindowDrawList(), ring.Min, ring.Max, ink(with_alpha(colors().accent, 0.6F)), px(radius + 2),
                px(1.5F));
}

bool wants_explanation() {
    if (is_inspecting()) return ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
    return !ImGui::IsItemActive() && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_DelayNormal |
                                                          ImGuiHoveredFlags_AllowWhenDisabled);
}

std::string with_subscripts(std::string_view text) {
    const auto is_word = [&](std::size_t i) {
        return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
    };
    std::string rich;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_sign =
            text[i] == '_' && i > 0 && is_word(i - 1) && !is_word(i - 2) && is_word(i + 1) && !is_word(i + 2);
        rich += is_sign ? std::string("_{") + text[++i] + "}" : std::string(1, text[i]);
    }
    return rich;
}

namespace {

void rich_line(std::string_view rich, Font font, Color color) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{rich_text_width(font, body_size, rich), px(20)};
    ImGui::Dummy(size);
    text_left({at, {at.x + size.x, at.y + size.y}}, 0, rich, color, font);
}

}  // namespace

void tell_value(std::string_view rich) {
    if (!ImGui::BeginTooltip()) return;
    rich_line(rich, Font::words, colors().text);
    ImGui::EndTooltip();
}

void explain(std::string_view title, std::string_view meaning, std::string_view range) {
    if (!wants_explanation()) return;
    if (is_inspecting()) {
        const ImVec2 at = ImGui::GetItemRectMin();
        const ImVec2 size = ImGui::GetItemRectSize();
        offer({.title = std::string(title),
               .formula = {},
               .meaning = std::string(meaning),
               .range = std::string(range),
               .keys = {},
               .topic = {},
               .box = {at.x, at.y, size.x, size.y}});
        return;
    }
    if (!held_why.empty()) {
        meaning = held_why;
        range = {};
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(10)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(4), px(4)});
    if (ImGui::BeginTooltip()) {
        if (!title.empty()) rich_line(title, Font::bold, colors().text);
        ImGui::PushTextWrapPos(px(widest_tooltip));
        const auto line = [&](std::string_view text, Color color) {
            if (text.empty()) return;
            const std::string rich = with_subscripts(text);
            if (rich.find("_{") != std::string::npos || rich.find("^{") != std::string::npos) {
                for (const std::string& part : wrapped(screen_measure(), rich, body_size, Font::words, widest_tooltip))
                    rich_line(part, Font::words, color);
                return;
            }
            ImGui::PushStyleColor(ImGuiCol_Text, ink(color));
            ImGui::TextUnformatted(text.data(), text.data() + text.size());
            ImGui::PopStyleColor();
        };
        line(meaning, colors().text);
        {
            const ScopedFont small(Font::words, small_size);
            line(range, colors().dim);
        }
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
    ImGui::PopStyleVar(2);
}

void filled_box(const ImRect& box, Color fill, float radius) {
    ImGui::GetWindowDrawList()->AddRectFilled(box.Min, box.Max, ink(fill), px(radius));
}

void outlined_box(const ImRect& box, Color line, float radius, float width) {
    // Lines are drawn around their middle: half a pixel inwards keeps them sharp and inside.
    const ImVec2 half{0.5F, 0.5F};
    stroke_rect(ImGui::GetWindowDrawList(), {box.Min.x + half.x, box.Min.y + half.y},
                {box.Max.x - half.x, box.Max.y - half.y}, ink(line), px(radius), px(width));
}

void text_left(const ImRect& box, float inset, std::string_view rich, Color color, Font font, float size) {
    draw_rich_text(ImGui::GetWindowDrawList(), font, size, {box.Min.x + px(inset), box.GetCenter().y}, ink(color), rich,
                   AlignX::left, AlignY::middle);
}

void text_right(const ImRect& box, float inset, std::string_view rich, Color color, Font font, float size) {
    draw_rich_text(ImGui::GetWindowDrawList(), font, size, {box.Max.x - px(inset), box.GetCenter().y}, ink(color), rich,
                   AlignX::right, AlignY::middle);
}

void text_center(const ImRect& box, std::string_view rich, Color color, Font font, float size) {
    draw_rich_text(ImGui::GetWindowDrawList(), font, size, box.GetCenter(), ink(color), rich, AlignX::center,
                   AlignY::middle);
}

}  // namespace heed::app
