#include "app/panels/control_scope.h"

#include "app/gl/imgui_compat.h"
#include "app/inspection.h"

#include <algorithm>

namespace heed::app {

namespace {

bool names(const std::vector<std::string>& fields, std::string_view field) {
    return std::ranges::any_of(fields, [&](const std::string& one) { return holds_field(one, field); });
}

}  // namespace

bool is_hidden(const ControlHolds& holds, std::string_view field) {
    // What is held is there to be seen.
    return !holds.shown.empty() && !holds.shows_all && !names(holds.shown, field) && !names(holds.locked, field);
}

bool is_locked(const ControlHolds& holds, std::string_view field) { return names(holds.locked, field); }

bool has_shown_controls(const ViewContext& context, std::string_view section) {
    return std::ranges::any_of(controls(), [&](const Control& row) {
        return row.section == section && row.is_there(context.next.model) &&
               !is_hidden(context.session.holds, row.field);
    });
}

int n_hidden_controls(const ViewContext& context) {
    return static_cast<int>(std::ranges::count_if(controls(), [&](const Control& row) {
        return row.is_there(context.next.model) && is_hidden(context.session.holds, row.field);
    }));
}

ControlScope::ControlScope(ViewContext& context, std::string_view name, Extent extent)
    : context_(context), control_(control(name)), extent_(extent), start_(ImGui::GetCursorScreenPos()) {
    is_shown_ = !is_hidden(context.session.holds, control_.field);
    if (!is_shown_) return;
    is_locked_ = is_locked(context.session.holds, control_.field);
    if (is_locked_) hold_items(tr("The lesson holds this."));
    Pointing& pointing = context.session.pointing;
    if (!pointing.field.empty() && control_of_field(pointing.field, context.next.model) == &control_) {
        pointing.control = control_.name;
        pointing.field.clear();
    }
    if (pointing.control == control_.name && pointing.wants_focus) {
        wanted_.name = control_.name;
        want_item(&wanted_);
    }
}

ControlScope::~ControlScope() {
    if (!is_shown_) return;
    want_item(nullptr);
    if (is_locked_) let_items_go();
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    ImRect box(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (extent_ == Extent::row) {
        const float below = std::max(ImGui::GetCursorScreenPos().y, start_.y + px(row_height));
        box = {start_, {window->WorkRect.Max.x, below}};
    }
    if (context_.session.pointing.control == control_.name) point(box);
    if (is_inspecting() && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
        ImGui::IsMouseHoveringRect(box.Min, box.Max))
        offer_around({.title = std::string(tr(control_.label)),
                      .formula = control_.formula != nullptr ? control_.formula(context_.next.model) : std::string(),
                      .meaning = std::string(tr(control_.help)),
                      .range = {},
                      .keys = {},
                      .topic = std::string(control_.field),
                      .box = {box.Min.x, box.Min.y, box.GetWidth(), box.GetHeight()},
                      .is_field = true});
}

void ControlScope::point(const ImRect& box) {
    Pointing& pointing = context_.session.pointing;
    if (pointing.wants_focus) {
        ImGuiWindow* window = ImGui::GetCurrentWindow();
        ImGui::ScrollToRect(window, box, ImGuiScrollFlags_KeepVisibleEdgeY);
        if (wanted_.id != 0 && !pointing.stays) {
            ImGui::FocusWindow(window);
            ImGui::SetFocusID(wanted_.id, window);
            show_focus();
        }
        pointing.wants_focus = false;
    }
    const double now = ImGui::GetTime();
    if (pointing.since < 0) pointing.since = now;
    const double age = now - pointing.since;
    if (!pointing.stays && age > pointing_seconds) {
        pointing.control.clear();
        return;
    }
    const double left = (pointing_seconds - age) / pointing_seconds;
    const float strength =
        pointing.stays || !context_.session.animate ? 1.0F : static_cast<float>(std::min(1.0, 2 * left));
    point_at(box, strength);
}

}  // namespace heed::app
