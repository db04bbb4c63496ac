#include "app/widgets/token_chips.h"

#include "app/session.h"
#include "core/counting.h"

#include <algorithm>
#include <cstddef>

namespace heed::app {

std::vector<ChipPlace> chip_places(std::string_view text, const std::vector<std::string>& tokens, float most_x) {
    std::vector<ChipPlace> places;
    std::size_t at = 0;
    float x = 0;
    for (std::size_t i = 0; i < tokens.size() && x < most_x; ++i) {
        const std::size_t start = text.find(tokens[i], at);
        if (start == std::string_view::npos) break;
        x += text_width(Font::words, body_size, text.substr(at, start - at));
        places.push_back({x, text_width(Font::words, body_size, tokens[i])});
        x += places.back().width;
        at = start + tokens[i].size();
    }
    return places;
}

int TokenChips::count() const {
    return std::min({static_cast<int>(places_.size()), static_cast<int>(tokens_.size()), field_.in_use});
}

ImRect TokenChips::chip_box(int token, float scroll) const {
    const ChipPlace& place = places_[static_cast<std::size_t>(token)];
    const float x = text_x_ + place.x - scroll;
    return {{x - px(1.5F), box_.Min.y + px(5)}, {x + place.width + px(1.5F), box_.Max.y - px(5)}};
}

void TokenChips::follow_mouse(int token) {
    const ImGuiIO& io = ImGui::GetIO();
    ImGuiStorage* storage = ImGui::GetStateStorage();
    float& scroll = *storage->GetFloatRef(ImGui::GetID("scroll of chips"), 0.0F);
    const float end = places_.back().x + places_.back().width;
    const float most = std::max(0.0F, end - (box_.Max.x - px(10) - text_x_));
    const float edge = px(24);
    if (io.MousePos.x > box_.Max.x - edge) scroll += io.DeltaTime * px(240);
    if (io.MousePos.x < box_.Min.x + edge) scroll -= io.DeltaTime * px(240);
    scroll = std::clamp(scroll, 0.0F, most);
    Drag drag;
    drag.from = token;
    drag.mouse_x = io.MousePos.x;
    drag.grip = io.MouseClickedPos[0].x - chip_box(token, 0).Min.x;
    drag.scroll = scroll;
    while (drag.slot < count() && chip_box(drag.slot, scroll).GetCenter().x < io.MousePos.x) ++drag.slot;
    drag_ = drag;
}

ChipEvents TokenChips::submit(std::string_view whole) {
    const ImGuiIO& io = ImGui::GetIO();
    ChipEvents events;
    ImGui::PushID(std::string(field_.name).c_str());
    const float scroll = ImGui::GetStateStorage()->GetFloat(ImGui::GetID("scroll of chips"), 0.0F);
    ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop | ImGuiItemFlags_NoNav, true);
    bool is_dragging = false;
    for (int i = 0; i < count(); ++i) {
        const std::string name = std::string(field_.name) + " " + shown_number(i);
        // Where it stood when the drag began: the one that is held must not slip away under the mouse.
        ImRect box = chip_box(i, 0);
        box.ClipWith(box_);
        if (box.GetWidth() < 1 && ImGui::GetActiveID() != ImGui::GetID(name.c_str())) continue;
        const Item item = button_item_at(name, box);
        explain(tokens_[static_cast<std::size_t>(i)],
                tr("Drag the word to another place: its rows go with it. Click to type."), whole);
        if (item.hovered && !item.held) hovered_ = i;
        const bool is_past = io.MouseDragMaxDistanceSqr[0] > io.MouseDragThreshold * io.MouseDragThreshold;
        const bool is_let_go = ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(ImGuiMouseButton_Left);
        if (item.held && is_past) {
            is_dragging = true;
            follow_mouse(i);
            if (ImGui::IsKeyPressed(ImGuiKey_Escape)) {
                ImGui::ClearActiveID();
                drag_.reset();
            }
        } else if (is_let_go && is_past) {
            follow_mouse(i);
            const int to = drag_->slot > i ? drag_->slot - 1 : drag_->slot;
            drag_.reset();
            if (to != i) events.moved = TokenMove{i, to};
        } else if (is_let_go && item.hovered) {
            events.clicked = true;
        }
    }
    ImGui::PopItemFlag();
    if (!is_dragging && scroll != 0.0F) ImGui::GetStateStorage()->SetFloat(ImGui::GetID("scroll of chips"), 0.0F);
    ImGui::PopID();
    if (hovered_ || drag_) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    events.hovered = hovered_;
    return events;
}

void TokenChips::draw_word(int token, const ImRect& box, float alpha) const {
    filled_box(box, with_alpha(field_.color, 0.16F * alpha), 4);
    draw_text(ImGui::GetWindowDrawList(), Font::words, body_size, {box.Min.x + px(1.5F), box.GetCenter().y},
              ink(with_alpha(colors().text, alpha)), tokens_[static_cast<std::size_t>(token)], AlignX::left,
              AlignY::middle);
}

// The words with a mark in the middle of the gap that the held one would fall into.
void TokenChips::draw_drop() const {
    filled_box(box_, colors().field, field_radius);
    for (int i = 0; i < static_cast<int>(places_.size()); ++i) {
        const ImRect box = chip_box(i, drag_->scroll);
        if (box.Max.x < box_.Min.x || box.Min.x > box_.Max.x) continue;
        draw_word(i, box, i == drag_->from ? 0.3F : i < field_.in_use ? 1.0F : 0.5F);
    }
    const float before =
        drag_->slot == 0 ? text_x_ - drag_->scroll - px(4) : chip_box(drag_->slot - 1, drag_->scroll).Max.x;
    const float after = drag_->slot == count() ? before + px(2) : chip_box(drag_->slot, drag_->scroll).Min.x;
    const float mark = (before + after) / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({mark - px(1), box_.Min.y + px(3)}, {mark + px(1), box_.Max.y - px(3)},
                                              ink(colors().accent), px(1));
}

// Lifted out of the field, so that the gap can be seen.
void TokenChips::draw_held() const {
    ImRect held = chip_box(drag_->from, 0);
    held.Translate({drag_->mouse_x - drag_->grip - held.Min.x, -px(17)});
    filled_box(held, colors().field, 4);
    draw_word(drag_->from, held, 1);
    outlined_box(held, field_.color, 4);
}

void TokenChips::draw() const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect({box_.Min.x + px(4), box_.Min.y}, {box_.Max.x - px(4), box_.Max.y}, true);
    if (drag_) {
        draw_drop();
    } else {
        for (int i = 0; i < count(); ++i) {
            const ImRect box = chip_box(i, 0);
            filled_box(box, with_alpha(field_.color, hovered_ == i ? 0.2F : 0.07F), 4);
            if (!field_.swatch || box.Min.x > box_.Max.x) continue;
            if (const std::optional<Color> patch = field_.swatch(tokens_[static_cast<std::size_t>(i)]))
                filled_box({box.Min, {box.Max.x, box.Min.y + px(4)}}, *patch, 2);
        }
    }
    list->PopClipRect();
    if (drag_) draw_held();
}

}  // namespace heed::app
