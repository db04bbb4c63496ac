#include "app/panels/controls_sections.h"

#include <algorithm>

namespace heed::app {

void draw_controls(ViewContext& context) {
    // The scroll bar stands in the panel's padding, so that nothing moves sideways when it comes and goes.
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    const float right = window->Pos.x + window->Size.x - std::max(window->WindowPadding.x, window->ScrollbarSizes.x);
    window->ContentRegionRect.Max.x = window->WorkRect.Max.x = right;
    ImGui::PushClipRect(window->InnerRect.Min, window->InnerRect.Max, false);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(6), 0});
    draw_tokens_section(context);
    draw_sizes_section(context);
    draw_source_section(context);
    draw_depth_section(context);
    draw_score_section(context);
    draw_mask_section(context);
    draw_position_section(context);
    draw_normalizer_section(context);
    draw_masked_row_section(context);
    ImGui::PopStyleVar();
    ImGui::PopClipRect();
}

void draw_sliders(ViewContext& context, std::span<const SliderRow> rows) {
    for (const SliderRow& row : rows)
        if (row.is_there(context.next.model)) row.draw(context);
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
    return row != nullptr && row->is_there(model);
}

bool draw_slider(ViewContext& context, std::string_view name) {
    if (!has_slider(context.next.model, name)) return false;
    find_slider(name)->draw(context);
    return true;
}

}  // namespace heed::app
