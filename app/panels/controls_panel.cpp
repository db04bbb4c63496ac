#include "app/panels/controls_sections.h"

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
}

}  // namespace heed::app
