#include "app/panels/controls_sections.h"

#include <algorithm>

namespace heed::app {

namespace {

struct Section {
    std::string_view name;  // as controls() has it
    void (*draw)(ViewContext&);
};

constexpr Section sections[] = {
    {"Tokens", draw_tokens_section},
    {"Sizes", draw_sizes_section},
    {"Source", draw_source_section},
    {"Layers", draw_depth_section},
    {"Score", draw_score_section},
    {"Mask", draw_mask_section},
    {"Position", draw_position_section},
    {"Normaliser", draw_normalizer_section},
    {"Fully masked row", draw_masked_row_section},
};

// What a lesson has folded away, and how to have it back.
void draw_hidden_note(ViewContext& context) {
    ControlHolds& holds = context.session.holds;
    if (holds.shown.empty()) return;
    gap(4);
    if (holds.shows_all) {
        if (small_button("Only the lesson's controls", "Folds away what the lesson does not need."))
            holds.shows_all = false;
        return;
    }
    const int hidden = n_hidden_controls(context);
    if (hidden == 0) return;
    note(fill(tr(hidden == 1 ? "{0} control is folded away for this lesson."
                             : "{0} controls are folded away for this lesson."),
              {std::to_string(hidden)}));
    gap(6);
    if (small_button("Show all controls", "Brings back the controls that the lesson does not need."))
        holds.shows_all = true;
}

}  // namespace

void draw_controls(ViewContext& context) {
    // The scroll bar stands in the panel's padding, so that nothing moves sideways when it comes and goes.
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    const float right = window->Pos.x + window->Size.x - std::max(window->WindowPadding.x, window->ScrollbarSizes.x);
    window->ContentRegionRect.Max.x = window->WorkRect.Max.x = right;
    ImGui::PushClipRect(window->InnerRect.Min, window->InnerRect.Max, false);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(6), 0});
    for (const Section& one : sections)
        if (has_shown_controls(context, one.name)) one.draw(context);
    draw_hidden_note(context);
    ImGui::PopStyleVar();
    ImGui::PopClipRect();
}

void draw_sliders(ViewContext& context, std::span<const SliderRow> rows) {
    for (const SliderRow& row : rows) {
        if (!control(row.name).is_there(context.next.model)) continue;
        if (const ControlScope scope{context, row.name}) row.draw(context);
    }
}

Slider slider_of(std::string_view name) {
    const Control& row = control(name);
    Slider s;
    s.name = row.name;
    s.label = row.label;
    s.help = row.help;
    return s;
}

Switch switch_of(std::string_view name, bool usual) {
    const Control& row = control(name);
    return {row.name, row.label, row.help, usual, {}};
}

namespace {

const SliderRow* find_slider(std::string_view name) {
    for (const auto rows : {size_sliders(), depth_sliders(), score_sliders(), mask_sliders()})
        for (const SliderRow& row : rows)
            if (row.name == name) return &row;
    return nullptr;
}

}  // namespace

bool has_slider(const Model& model, std::string_view name) {
    const SliderRow* row = find_slider(name);
    return row != nullptr && control(row->name).is_there(model);
}

bool draw_slider(ViewContext& context, std::string_view name) {
    if (!has_slider(context.next.model, name)) return false;
    const SliderRow* row = find_slider(name);
    if (const ControlScope scope{context, row->name}) row->draw(context);
    return true;
}

}  // namespace heed::app
