// The sections of the controls panel, in its order, and what they share.
#pragma once

#include "app/panels/control_scope.h"
#include "app/panels/controls.h"
#include "app/widgets/choices.h"
#include "app/widgets/section.h"
#include "app/widgets/slider.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

void draw_tokens_section(ViewContext& context);
void draw_sizes_section(ViewContext& context);
void draw_source_section(ViewContext& context);
void draw_score_section(ViewContext& context);
void draw_mask_section(ViewContext& context);
void draw_position_section(ViewContext& context);
void draw_normalizer_section(ViewContext& context);
void draw_masked_row_section(ViewContext& context);
void draw_depth_section(ViewContext& context);

// A slider of a section, by its name in controls(): on its own in a presentation, in its place in the panel.
struct SliderRow {
    std::string_view name;
    void (*draw)(ViewContext&);
};
std::span<const SliderRow> size_sliders();
std::span<const SliderRow> score_sliders();
std::span<const SliderRow> mask_sliders();
std::span<const SliderRow> depth_sliders();
// Those that are there now, in their order.
void draw_sliders(ViewContext& context, std::span<const SliderRow> rows);

// Named and explained as its row of controls() has it.
Slider slider_of(std::string_view name);
Switch switch_of(std::string_view name, bool usual);

// One segment per row of a table, called by its short name, with its name and formula as the tooltip.
template <typename Table>
bool table_segmented(std::string_view name, const Table& table, std::string& id) {
    std::vector<Segment> segments;
    int chosen = 0;
    for (const auto& row : table) {
        if (row.id == id) chosen = static_cast<int>(segments.size());
        segments.push_back(
            {row.id, std::string(tr(row.short_name)), std::string(tr(row.name)), std::string(tr(row.formula)), {}});
    }
    if (!segmented(name, segments, chosen)) return false;
    id = table[static_cast<std::size_t>(chosen)].id;
    return true;
}

}  // namespace heed::app
