#include "app/widgets/choices.h"

#include "app/gl/imgui_compat.h"
#include "app/inspection.h"
#include "app/session.h"
#include "app/widgets/slider.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed::app {

ChipFlow chip_flow() {
    const float left = ImGui::GetCursorScreenPos().x;
    return {left, left + ImGui::GetContentRegionAvail().x, true};
}

ChipFlow toolbar_chip_flow() {
    ChipFlow flow = chip_flow();
    flow.left = ImGui::GetWindowPos().x + ImGui::GetCursorStartPos().x;
    flow.first = ImGui::GetCursorScreenPos().x <= flow.left;  // otherwise it follows what is in the row already
    return flow;
}

bool chip(ChipFlow& flow, std::string_view name, std::string_view english, bool& on, std::string_view title,
          std::string_view help) {
    const std::string_view words = tr(english);
    const float width = rich_text_width(Font::words, 13, words) + 2 * px(10);
    if (!flow.first) {
        const float next = ImGui::GetItemRectMax().x + px(chip_gap);
        if (next + width <= flow.right) {
            ImGui::SameLine(0, px(chip_gap));
        } else {
            ImGui::SetCursorScreenPos({flow.left, ImGui::GetItemRectMax().y + px(chip_gap)});
            ImGui::GetCurrentWindow()->DC.IsSameLine = false;  // where the caller has asked for the same line
        }
    }
    flow.first = false;
    const Item item = button_item(name, {width, px(small_height)}, 0, on ? CheckMark::on : CheckMark::off);
    explain(title, help);
    const Palette& c = colors();
    const float radius = small_height / 2;
    filled_box(item.box, on ? c.field_selected : item.hovered ? mix(c.field, c.text, 0.05F) : c.field, radius);
    outlined_box(item.box, on ? c.accent : c.hairline, radius, on ? 1.25F : 1.0F);
    text_center(item.box, words, on ? c.accent : item.hovered ? c.text : c.dim, Font::words, 13);
    focus_ring(item, radius);
    if (item.pressed) on = !on;
    return item.pressed;
}

bool switch_row(const Switch& row, bool& on) {
    const RowColumns columns = row_columns();
    ImGui::Dummy(columns.all.GetSize());
    ImGui::BeginDisabled(!row.why_not.empty());
    bool changed = false;
    RowColumns wide = columns;  // a long label may use the track's room
    wide.label.Max.x = columns.track.Max.x;
    if (row_label(wide, row.name, row.label, false, !row.why_not.empty())) changed = true;
    if (on != row.usual && row.why_not.empty()) {
        RowColumns back = columns;
        const float after = columns.label.Min.x + rich_text_width(Font::words, body_size, tr(row.label)) + px(4);
        if (after > columns.back.Min.x) back.back = {{after, columns.all.Min.y}, {after + px(14), columns.all.Max.y}};
        back.label.Max.x = back.label.Min.x;
        if (row_label(back, row.name, {}, true, false)) {
            on = row.usual;
            changed = true;
        }
    }
    const float width = px(30);
    const float height = px(16);
    const float y = columns.all.GetCenter().y;
    const ImRect box({columns.all.Max.x - width, y - height / 2}, {columns.all.Max.x, y + height / 2});
    const Item item = button_item_at(row.name, box, 0, on ? CheckMark::on : CheckMark::off);
    explain(tr(row.label), row.why_not.empty() ? tr(row.help) : row.why_not);
    const Palette& c = colors();
    filled_box(box, on ? c.accent : item.hovered ? mix(c.track, c.text, 0.1F) : c.track, 8);
    const float knob = on ? box.Max.x - height / 2 : box.Min.x + height / 2;
    ImGui::GetWindowDrawList()->AddCircleFilled({knob, y}, px(6), ink(c.panel));
    focus_ring(item, 8);
    if (item.pressed) {
        on = !on;
        changed = true;
    }
    ImGui::EndDisabled();
    return changed;
}

float small_button_width(std::string_view english) {
    return rich_text_width(Font::words, 13, tr(english)) + 2 * px(10);
}

// What comes after SameLine() and has no room left goes to a new line.
static void wrap_before(float width) {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    if (window->DC.IsSameLine && window->DC.CursorPos.x + width > window->WorkRect.Max.x) ImGui::NewLine();
}

bool small_button(std::string_view english, std::string_view help, bool primary, bool lit) {
    wrap_before(small_button_width(english));
    const Item item =
        button_item(english, {small_button_width(english), px(small_height)}, 0, lit ? CheckMark::on : CheckMark::none);
    if (!help.empty()) explain(is_inspecting() ? tr(english) : std::string_view(), tr(help));
    const Palette& c = colors();
    if (primary) {
        filled_box(item.box,
                   item.held      ? mix(c.accent, c.text, 0.2F)
                   : item.hovered ? mix(c.accent, c.text, 0.1F)
                                  : c.accent,
                   field_radius);
        text_center(item.box, tr(english), c.panel, Font::words, 13);
    } else {
        const Color fill = lit            ? c.field_selected
                           : item.held    ? mix(c.field, c.text, 0.08F)
                           : item.hovered ? c.field
                                          : c.panel;
        filled_box(item.box, fill, field_radius);
        outlined_box(item.box, lit ? c.accent : c.hairline, field_radius);
        text_center(item.box, tr(english), lit ? c.accent : c.text, Font::words, 13);
    }
    focus_ring(item, field_radius);
    return item.pressed;
}

namespace {

constexpr float caption_gap = 6;
constexpr float arrow_room = 19;
constexpr float narrowest_titled = 780;  // of the window: below, a toolbar would need a second line

// caption: before the choice, dim; may be empty.
bool draw_dropdown(std::string_view name, float width, std::string_view caption, std::span<const Option> options,
                   int& chosen, std::string_view title, std::string_view help) {
    wrap_before(width);
    ImGui::PushID(name.data(), name.data() + name.size());
    const Item item = button_item(name, {width, px(small_height)});
    explain(title, help);
    const Palette& c = colors();
    filled_box(item.box, item.hovered ? mix(c.field, c.text, 0.04F) : c.field, field_radius);
    outlined_box(item.box, c.hairline, field_radius);
    if (chosen >= 0 && chosen < static_cast<int>(options.size())) {
        ImGui::PushClipRect(item.box.Min, {item.box.Max.x - px(arrow_room), item.box.Max.y}, true);
        float left = 8;
        if (!caption.empty()) {
            text_left(item.box, left, caption, c.dim, Font::words, 13);
            left += rich_text_width(Font::words, 13, caption) / ui_scale() + caption_gap;
        }
        text_left(item.box, left, options[static_cast<std::size_t>(chosen)].label, c.text, Font::words, 13);
        ImGui::PopClipRect();
    }
    const ImVec2 tip{item.box.Max.x - px(12), item.box.GetCenter().y + px(2)};
    stroke_polyline(
        ImGui::GetWindowDrawList(),
        std::array<ImVec2, 3>{ImVec2{tip.x - px(4), tip.y - px(4)}, tip, ImVec2{tip.x + px(4), tip.y - px(4)}}.data(),
        3, ink(c.dim), px(1.5F));
    focus_ring(item, field_radius);

    const char* popup = "options";
    if (item.pressed) ImGui::OpenPopup(popup);
    bool changed = false;
    ImGui::SetNextWindowPos({item.box.Min.x, item.box.Max.y + px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    if (ImGui::BeginPopup(popup)) {
        float widest = width - px(8);
        for (const Option& option : options)
            widest = std::max(widest, rich_text_width(Font::words, 13, option.label) +
                                          rich_text_width(Font::words, small_size, option.note) + px(40));
        for (int i = 0; i < static_cast<int>(options.size()); ++i) {
            const Option& option = options[static_cast<std::size_t>(i)];
            const Item line = button_item(std::string(name) + "/" + option.name, {widest, px(row_height)});
            if (line.hovered || i == chosen) filled_box(line.box, i == chosen ? c.field_selected : c.field, 4);
            text_left(line.box, 8, option.label, i == chosen ? c.accent : c.text, Font::words, 13);
            text_right(line.box, 8, option.note, c.dim, Font::words, small_size);
            focus_ring(line, 4);
            if (line.pressed) {
                changed = changed || i != chosen;
                chosen = i;
                ImGui::CloseCurrentPopup();
            }
        }
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
    ImGui::PopID();
    return changed;
}

}  // namespace

bool dropdown(std::string_view name, float width, std::span<const Option> options, int& chosen, std::string_view title,
              std::string_view help) {
    return draw_dropdown(name, width, {}, options, chosen, title, help);
}

bool titled_dropdown(std::string_view name, std::span<const Option> options, int& chosen, std::string_view title,
                     std::string_view help) {
    const std::string_view title_shown = ImGui::GetWindowWidth() < px(narrowest_titled) ? std::string_view() : title;
    float widest = 0;
    for (const Option& option : options) widest = std::max(widest, rich_text_width(Font::words, 13, option.label));
    const float width = px(8 + caption_gap + arrow_room + 4) + rich_text_width(Font::words, 13, title_shown) + widest;
    return draw_dropdown(name, std::ceil(width), title_shown, options, chosen, title, help);
}

}  // namespace heed::app
