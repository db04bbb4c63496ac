#include "app/widgets/token_field.h"

#include "app/gl/imgui_compat.h"
#include "app/session.h"
#include "app/widgets/token_chips.h"
#include "core/edit/tokens.h"

#include <algorithm>
#include <limits>

namespace heed::app {

namespace {

int grow(ImGuiInputTextCallbackData* data) {
    if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
        auto* text = static_cast<std::string*>(data->UserData);
        text->resize(static_cast<std::size_t>(data->BufTextLen));
        data->Buf = text->data();
    }
    return 0;
}

// A text field of one line drops line breaks; for tokens they are as good as spaces. The clipboard gets its text back.
class SpacesForLineBreaks {
public:
    explicit SpacesForLineBreaks(bool is_pasting) {
        const char* clipboard = is_pasting ? ImGui::GetClipboardText() : nullptr;
        if (clipboard == nullptr || std::string_view(clipboard).find_first_of("\r\n\t") == std::string_view::npos)
            return;
        kept_ = clipboard;
        std::string spaced = *kept_;
        std::replace_if(
            spaced.begin(), spaced.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
        ImGui::SetClipboardText(spaced.c_str());
    }
    ~SpacesForLineBreaks() {
        if (kept_) ImGui::SetClipboardText(kept_->c_str());
    }
    SpacesForLineBreaks(const SpacesForLineBreaks&) = delete;
    SpacesForLineBreaks& operator=(const SpacesForLineBreaks&) = delete;

private:
    std::optional<std::string> kept_;
};

void underline(const TokenField& field, const std::vector<ChipPlace>& places, const ImRect& box, float text_x) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect({box.Min.x + px(6), box.Min.y}, {box.Max.x - px(6), box.Max.y}, true);
    const float y = box.Max.y - px(6);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const float x = text_x + places[i].x;
        const bool is_used = static_cast<int>(i) < field.in_use;
        list->AddRectFilled({x + px(0.5F), y}, {x + places[i].width - px(0.5F), y + px(1.5F)},
                            ink(with_alpha(is_used ? field.color : colors().faint, is_used ? 0.75F : 0.5F)), px(1));
    }
    list->PopClipRect();
}

// A click that a chip has taken, and that is meant for the text: for the time of this value it happens now.
class ClickNow {
public:
    explicit ClickNow(bool happens) : happens_(happens) {
        if (!happens_) return;
        ImGuiIO& io = ImGui::GetIO();
        ImGui::SetHoveredID(0);
        io.MouseClicked[0] = true;
        io.MouseClickedCount[0] = 1;
    }
    ~ClickNow() {
        if (!happens_) return;
        ImGuiIO& io = ImGui::GetIO();
        io.MouseClicked[0] = false;
        io.MouseClickedCount[0] = 0;
    }
    ClickNow(const ClickNow&) = delete;
    ClickNow& operator=(const ClickNow&) = delete;

private:
    bool happens_;
};

// More than fits: the end fades into the field, with dots.
void fade_end(const ImRect& box) {
    const float width = px(40);
    const ImU32 ground = ink(colors().field);
    const ImU32 clear = ground & ~IM_COL32_A_MASK;
    const ImRect end({box.Max.x - width, box.Min.y + px(2)}, {box.Max.x, box.Max.y - px(2)});
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float middle = end.Min.x + width * 0.45F;
    list->AddRectFilledMultiColor(end.Min, {middle, end.Max.y}, clear, ground, ground, clear);
    list->AddRectFilled({middle, box.Min.y}, box.Max, ground, px(field_radius), ImDrawFlags_RoundCornersRight);
    draw_text(list, Font::words, body_size, {end.Max.x - px(8), end.GetCenter().y}, ink(colors().dim), "…",
              AlignX::right, AlignY::middle);
}

}  // namespace

TokenEdit token_field(const TokenField& field, const std::vector<std::string>& tokens) {
    std::string text = token_text(tokens);
    const std::string before = text;
    const std::string label = "###" + std::string(field.name);
    const std::string hint(tr(field.hint));
    const ImGuiID id = ImGui::GetID(label.c_str());
    const bool was_active = ImGui::GetActiveID() == id;
    const ImGuiIO& io = ImGui::GetIO();
    const float height = px(32);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect box(at, {at.x + ImGui::GetContentRegionAvail().x, at.y + height});
    const float text_x = box.Min.x + px(10);
    const auto overflow_of = [&](const std::string& words) {
        return text_width(Font::words, body_size, words) > box.GetWidth() - px(20) && words.size() < 2000 ? words : "";
    };
    // A drag may go on to words that are not in sight.
    const bool is_held = ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseReleased(ImGuiMouseButton_Left);
    const bool may_drag = is_held && box.Contains(io.MouseClickedPos[0]);
    const float reach = may_drag ? std::numeric_limits<float>::infinity() : box.GetWidth();
    const std::vector<ChipPlace> chips = chip_places(text, tokens, reach);
    TokenChips words(field, tokens, box, text_x, chips);
    const ChipEvents chip = was_active ? ChipEvents() : words.submit(overflow_of(text));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(10), (height - ImGui::GetFontSize()) * 0.5F});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, px(field_radius));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0F);
    {
        const ClickNow click(chip.clicked);
        const SpacesForLineBreaks spaces(was_active && io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_V));
        ImGui::InputTextEx(label.c_str(), hint.c_str(), text.data(), static_cast<int>(text.capacity() + 1),
                           box.GetSize(), ImGuiInputTextFlags_CallbackResize, grow, &text);
    }
    const bool edited = ImGui::IsItemEdited() || ImGui::IsItemDeactivatedAfterEdit();
    const bool is_active = ImGui::IsItemActive();
    const bool hovered = ImGui::IsItemHovered() || chip.hovered;
    const bool overflows = text_width(Font::words, body_size, text) > box.GetWidth() - px(20);
    TokenEdit edit;
    edit.is_taken_up = ImGui::IsItemActivated();
    edit.moved = chip.moved;
    explain(tr(field.hint), tr(field.help), overflow_of(text));
    ImGui::PopStyleVar(3);
    const ImGuiInputTextState* state = ImGui::GetInputTextState(id);
    const float scroll = is_active && state != nullptr ? scroll_of(*state) : 0.0F;
    if (!is_active) words.draw();
    if (!words.is_dragging())
        underline(field, chip_places(text, split_tokens(text), box.GetWidth() + scroll), box, text_x - scroll);
    if (overflows && !is_active && !words.is_dragging()) fade_end(box);
    outlined_box(box,
                 is_active ? colors().accent
                 : hovered ? colors().track
                           : colors().hairline,
                 field_radius, is_active ? 1.5F : 1.0F);
    if (edited && text != before) edit.text = text;
    return edit;
}

}  // namespace heed::app
