// Which keys a query may see: the masks of the table, the painted one, and a picture of them together.
#include "app/inspection.h"
#include "app/panels/controls_sections.h"
#include "app/panels/matrix_editor.h"
#include "app/widgets/mask_picture.h"
#include "core/attention/masks.h"
#include "core/attention/positions.h"
#include "core/edit/matrices.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/model/position_settings.h"
#include "core/model_fields.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

std::string hidden_text(const ViewContext& context) {
    const Model& model = context.model;
    const std::int64_t cells = std::int64_t{model.n_queries} * effective_n_keys(model);
    const std::int64_t hidden = context.trace.hidden_cells;
    const double percent = 100.0 * static_cast<double>(hidden) / static_cast<double>(cells);
    // Never "0 %" or "100 %" unless it is.
    const double shown = std::clamp(std::round(percent), hidden > 0 ? 1.0 : 0.0, hidden < cells ? 99.0 : 100.0);
    return fill(tr("{0} of {1} hidden, {2} %"), {std::to_string(hidden), std::to_string(cells), decimal(shown, 0)});
}

void count_row(std::string_view name, int high, int usual, const MaskSettings& mask, int& value) {
    Slider s = slider_of(name);
    s.low = 1;
    s.high = std::max(2, high);
    s.log = high > 64;
    s.integer = true;
    s.typed_high = limits_of(mask, value).high;
    s.usual = usual;
    slider(s, value);
}

// −1 leaves the side open.
void reach_row(std::string_view name, int high, const MaskSettings& mask, int& value) {
    Slider s = slider_of(name);
    s.low = 0;
    s.high = std::max(2, high);
    s.integer = true;
    s.typed_high = limits_of(mask, value).high;
    s.usual = 2;
    s.off_word = "∞";
    s.off_at_right = true;
    std::optional<float> reach;
    if (value >= 0) reach = static_cast<float>(value);
    if (slider_or_off(s, reach, static_cast<float>(s.high))) value = reach ? static_cast<int>(std::lround(*reach)) : -1;
}

void chips(ViewContext& context, int n_keys) {
    MaskSettings& mask = *context.next.model.mask;
    ChipFlow flow = chip_flow();
    const auto table_chip = [&](std::string_view id, std::string_view name, bool& on) {
        const ControlScope scope{context, name, ControlScope::Extent::item};
        if (!scope) return false;
        const Control& row = control(name);
        std::string title(tr(row.label));
        for (const Mask& one : masks())
            if (one.id == id)
                title = std::string(tr(one.name)) + (is_inspecting() ? "" : "  " + std::string(tr(one.formula)));
        return chip(flow, name, row.label, on, title, tr(row.help));
    };
    // A number of 0 is off; the row knows what it starts with.
    const auto number_chip = [&](std::string_view id, std::string_view name, int number) {
        bool on = number > 0;
        if (!table_chip(id, name, on)) return;
        for (const Mask& row : masks())
            if (row.id == id) row.set(mask, on, n_keys);
    };
    table_chip("causal", "mask/causal", mask.causal);
    number_chip("padding", "mask/padding", mask.padding);
    table_chip("window", "mask/window", mask.window);
    number_chip("global", "mask/global", mask.global_tokens);
    number_chip("strided", "mask/strided", mask.stride);
    number_chip("block", "mask/blocks", mask.block);
    table_chip("grid-window", "mask/2-D window", mask.grid_window);
    table_chip("painted", "mask/paint", mask.painted);
}

void paint_row(ViewContext& context) {
    Model& model = context.next.model;
    gap(4);
    if (small_button("Brush", "Drag over the weights to hide cells; start on a hidden one to show them again.", false,
                     context.session.brush.is_in_hand))
        context.session.brush.is_in_hand = !context.session.brush.is_in_hand;
    ImGui::SameLine();
    if (small_button("Edit mask…", "Shows the painted mask in the matrix editor."))
        edit_matrix(context.session, "painted_mask");
    ImGui::SameLine();
    if (small_button("Clear", "Shows every cell that was hidden by hand."))
        for (int head = 0; head < operand_count(model, Operand::painted_mask); ++head)
            set_block(model, Operand::painted_mask, head, whole_operand(model, Operand::painted_mask), 1.0F);
    gap(2);
}

void offset_row(Model& model, int n_keys) {
    const MaskSettings& mask = *model.mask;
    const bool by_place =
        mask.causal || mask.window || mask.stride > 0 || mask.block > 0 || mask.global_tokens > 0 || mask.grid_window;
    Slider s = slider_of("query offset");
    s.low = -n_keys;
    s.high = n_keys;
    s.integer = true;
    s.typed_low = limits_of(model, model.query_offset).low;
    s.typed_high = limits_of(model, model.query_offset).high;
    s.usual = 0;
    if (!by_place && !position_encoding(model.position->encoding).uses_places())
        s.why_not = tr("Only masks and positions that depend on places use it; none is on.");
    slider(s, model.query_offset);
}

template <int(MaskSettings::*number)>
void count_row_of(ViewContext& context, std::string_view name, int usual) {
    MaskSettings& mask = *context.next.model.mask;
    count_row(name, effective_n_keys(context.next.model), usual, mask, mask.*number);
}

template <int(MaskSettings::*number)>
void reach_row_of(ViewContext& context, std::string_view name) {
    MaskSettings& mask = *context.next.model.mask;
    reach_row(name, effective_n_keys(context.next.model), mask, mask.*number);
}

constexpr SliderRow slider_rows[] = {
    {"padding p", [](ViewContext& context) { count_row_of<&MaskSettings::padding>(context, "padding p", 1); }},
    {"window left", [](ViewContext& context) { reach_row_of<&MaskSettings::window_left>(context, "window left"); }},
    {"window right", [](ViewContext& context) { reach_row_of<&MaskSettings::window_right>(context, "window right"); }},
    {"global tokens",
     [](ViewContext& context) { count_row_of<&MaskSettings::global_tokens>(context, "global tokens", 1); }},
    {"stride", [](ViewContext& context) { count_row_of<&MaskSettings::stride>(context, "stride", 2); }},
    {"block",
     [](ViewContext& context) {
         const int half = std::max(2, effective_n_keys(context.next.model) / 2);
         count_row_of<&MaskSettings::block>(context, "block", half);
     }},
    {"grid radius",
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = *model.mask;
         Slider s = slider_of("grid radius");
         s.low = 0;
         s.high = has_picture(*model.picture) ? std::max({2, model.picture->columns - 1, model.picture->rows - 1})
                                              : std::max(2, effective_n_keys(model) / 2);
         s.integer = true;
         s.typed_high = limits_of(mask, mask.grid_radius).high;
         s.usual = 1;
         slider(s, mask.grid_radius);
     }},
    {"grid columns",
     [](ViewContext& context) {
         const Picture& picture = *context.next.model.picture;
         const int usual = has_picture(picture) ? picture.columns : MaskSettings().grid_columns;
         count_row_of<&MaskSettings::grid_columns>(context, "grid columns", usual);
     }},
    {"query offset",
     [](ViewContext& context) { offset_row(context.next.model, effective_n_keys(context.next.model)); }},
};

}  // namespace

std::span<const SliderRow> mask_sliders() { return slider_rows; }

void draw_mask_section(ViewContext& context) {
    const MaskSettings& mask = *context.next.model.mask;
    const int n_keys = effective_n_keys(context.next.model);
    section("Mask", hidden_text(context));

    const ImVec2 at = ImGui::GetCursorScreenPos();
    // As high as four lines of chips, unless that leaves no room for two of them side by side.
    const float side =
        std::clamp(ImGui::GetContentRegionAvail().x - px(150), px(48), px(4 * small_height + 3 * chip_gap));
    const auto& visible = context.trace.visible_of(shown_head(context));
    const Item picture = mask_picture("mask picture", side, visible);
    if (const std::optional<Cell> cell = cell_under_mouse(picture, visible)) {
        context.session.hover.next_cell = cell;
        if (picture.pressed) {
            context.next.display.pin = *cell;
            context.next.display.pinned = true;
        }
    }
    explain(tr("Combined mask"), tr("Rows are queries, columns are keys; grey cells are hidden."));
    ImGui::SetCursorScreenPos({at.x + side + px(10), at.y});
    chips(context, n_keys);
    const float below = std::max(ImGui::GetItemRectMax().y, at.y + side);
    ImGui::SetCursorScreenPos({at.x, below});
    gap(6);

    draw_sliders(context, std::span(slider_rows).first(std::size(slider_rows) - 1));
    if (mask.painted && !is_hidden(context.session.holds, control("mask/paint").field)) paint_row(context);
    if (!mask.painted) context.session.brush.is_in_hand = false;
    draw_sliders(context, std::span(slider_rows).last(1));
    end_section();
}

}  // namespace heed::app
