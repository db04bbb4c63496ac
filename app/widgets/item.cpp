#include "app/widgets/item.h"
#include "app/gl/imgui_compat.h"
#include "core/figure/explainer_lines.h"

#include <cctype>

namespace heed::app {

constexpr float widest_tooltip = 300;  // logical pixels

ImU32 ink(Color color) { return ImGui::GetColorU32(IM_COL32(color.r, color.g, color.b, color.a)); }

Item button_item_at(std::string_view name, const ImRect& box, ImGuiButtonFlags flags, Mark mark) {
    ImGuiContext& g = *ImGui::GetCurrentContext();
    const std::string label(name);
    Item item;
    item.id = ImGui::GetID(label.c_str());
    item.box = box;
    item.disabled = (g.CurrentItemFlags & ImGuiItemFlags_Disabled) != 0;
    item.shown = ImGui::ItemAdd(box, item.id);
    if (item.shown) {
        item.pressed = ImGui::ButtonBehavior(box, item.id, &item.hovered, &item.held, flags);
        item.focused = g.NavId == item.id && !item.disabled;
    }
    [[maybe_unused]] ImGuiItemStatusFlags told = g.LastItemData.StatusFlags;
    if (mark != Mark::none) told |= ImGuiItemStatusFlags_Checkable;
    if (mark == Mark::on) told |= ImGuiItemStatusFlags_Checked;
    IMGUI_TEST_ENGINE_ITEM_INFO(item.id, label.c_str(), told);
    return item;
}

Item button_item(std::string_view name, ImVec2 size, ImGuiButtonFlags flags, Mark mark) {
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
    return !ImGui::IsItemActive() && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_DelayNormal |
                                                          ImGuiHoveredFlags_AllowWhenDisabled);
}

namespace {

// "d_k" in a sentence is d with a small k below it.
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
