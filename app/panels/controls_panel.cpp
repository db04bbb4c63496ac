#include "app/panels/controls_sections.h"

#include <algorithm>

namespace heed::app {

bool segmented_row(std::string_view name, std::string_view label, std::span<const Segment> segments, int& chosen) {
    const RowColumns columns = row_columns();
    text_left(columns.label, 0, tr(label), colors().text);
    ImGui::SetCursorScreenPos({columns.dot.Max.x, columns.all.Min.y + px(1)});
    const bool changed = segmented(name, segments, chosen);
    ImGui::SetCursorScreenPos({columns.all.Min.x, ImGui::GetCursorScreenPos().y + px(1)});
    return changed;
}

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
    draw_score_section(context);
    draw_mask_section(context);
    draw_position_section(context);
    draw_normalizer_section(context);
    draw_masked_row_section(context);
    ImGui::PopStyleVar();
    ImGui::PopClipRect();
}

}  // namespace heed::app
