// Which keys a query may see: the masks of the table, the painted one, and a picture of them together.
#include "app/panels/controls_sections.h"
#include "app/panels/matrix_editor.h"
#include "app/widgets/mask_picture.h"
#include "core/attention/masks.h"
#include "core/attention/positions.h"
#include "core/edit/matrices.h"
#include "core/model_fields.h"

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

struct NumberRow {
    std::string_view name;
    std::string_view label;
    std::string_view help;
    int high;
    int usual;
};

void count_row(const NumberRow& row, const MaskSettings& mask, int& value) {
    Slider s;
    s.name = row.name;
    s.label = row.label;
    s.help = row.help;
    s.low = 1;
    s.high = std::max(2, row.high);
    s.log = row.high > 64;
    s.integer = true;
    s.typed_high = limits_of(mask, value).high;
    s.usual = row.usual;
    slider(s, value);
}

// −1 leaves the side open.
void reach_row(const NumberRow& row, const MaskSettings& mask, int& value) {
    Slider s;
    s.name = row.name;
    s.label = row.label;
    s.help = row.help;
    s.low = 0;
    s.high = std::max(2, row.high);
    s.integer = true;
    s.typed_high = limits_of(mask, value).high;
    s.usual = row.usual;
    s.off_word = "∞";
    s.off_at_right = true;
    std::optional<float> reach;
    if (value >= 0) reach = static_cast<float>(value);
    if (slider_or_off(s, reach, static_cast<float>(s.high))) value = reach ? static_cast<int>(std::lround(*reach)) : -1;
}

void chips(MaskSettings& mask, int n_keys) {
    ChipFlow flow = chip_flow();
    const auto table_chip = [&](std::string_view id, std::string_view name, std::string_view english, bool& on,
                                std::string_view help) {
        std::string title(tr(english));
        for (const Mask& row : masks())
            if (row.id == id) title = std::string(tr(row.name)) + "  " + std::string(tr(row.formula));
        return chip(flow, name, english, on, title, tr(help));
    };
    // A number of 0 is off; the row knows what it starts with.
    const auto number_chip = [&](std::string_view id, std::string_view name, std::string_view english, int number,
                                 std::string_view help) {
        bool on = number > 0;
        if (!table_chip(id, name, english, on, help)) return;
        for (const Mask& row : masks())
            if (row.id == id) row.set(mask, on, n_keys);
    };
    table_chip("causal", "mask/causal", "Causal", mask.causal, "A query sees no key that comes after it.");
    number_chip("padding", "mask/padding", "Padding", mask.padding, "The last keys are filling and hidden from all.");
    table_chip("window", "mask/window", "Window", mask.window, "A query sees the keys near its own place.");
    number_chip("global", "mask/global", "Global", mask.global_tokens, "The first tokens see all and are seen by all.");
    number_chip("strided", "mask/strided", "Strided", mask.stride, "A query sees every s-th key, counted from itself.");
    number_chip("block", "mask/blocks", "Blocks", mask.block, "A query sees the keys of its own block.");
    table_chip("grid-window", "mask/2-D window", "2-D window", mask.grid_window,
               "Tokens stand in rows, as the patches of a picture do; a query sees those around its own place.");
    table_chip("painted", "mask/paint", "Paint", mask.painted,
               "Cells hidden by hand, with the brush on the weights or in the matrix editor.");
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
    const MaskSettings& mask = model.mask;
    const bool by_place = mask.causal || mask.window || mask.stride > 0 || mask.block > 0 ||
                          mask.global_tokens > 0 || mask.grid_window;
    Slider s;
    s.name = "query offset";
    s.label = "Query offset";
    s.help = "How many tokens come before the first query: above 0 where earlier keys were kept in a cache.";
    s.low = -n_keys;
    s.high = n_keys;
    s.integer = true;
    s.typed_low = limits_of(model, model.query_offset).low;
    s.typed_high = limits_of(model, model.query_offset).high;
    s.usual = 0;
    if (!by_place && !position_encoding(model.position).uses_places())
        s.why_not = tr("Only masks and positions that depend on places use it; none is on.");
    slider(s, model.query_offset);
}

constexpr SliderRow slider_rows[] = {
    {"padding p", [](const Model& model) { return model.mask.padding > 0; },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         const int n_keys = effective_n_keys(model);
         count_row({"padding p", "Padding p", "How many of the last keys are hidden.", n_keys, 1}, mask, mask.padding);
     }},
    {"window left", [](const Model& model) { return model.mask.window; },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         const int n_keys = effective_n_keys(model);
         reach_row({"window left", "Window left", "How many keys before its own place a query sees.", n_keys, 2}, mask,
                   mask.window_left);
     }},
    {"window right", [](const Model& model) { return model.mask.window; },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         const int n_keys = effective_n_keys(model);
         reach_row({"window right", "Window right", "How many keys after its own place a query sees.", n_keys, 2}, mask,
                   mask.window_right);
     }},
    {"global tokens", [](const Model& model) { return model.mask.global_tokens > 0; },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         const int n_keys = effective_n_keys(model);
         count_row(
             {"global tokens", "Global tokens", "How many of the first tokens see all and are seen by all.", n_keys, 1},
             mask, mask.global_tokens);
     }},
    {"stride", [](const Model& model) { return model.mask.stride > 0; },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         const int n_keys = effective_n_keys(model);
         count_row({"stride", "Stride s", "The distance between the keys a query sees.", n_keys, 2}, mask, mask.stride);
     }},
    {"block", [](const Model& model) { return model.mask.block > 0; },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         const int n_keys = effective_n_keys(model);
         count_row({"block", "Block size", "How many tokens share a block.", n_keys, std::max(2, n_keys / 2)}, mask,
                   mask.block);
     }},
    {"grid radius", [](const Model& model) { return model.mask.grid_window; },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         Slider s;
         s.name = "grid radius";
         s.label = "Radius r";
         s.help = "How many rows and columns away a query sees.";
         s.low = 0;
         s.high = has_picture(model.picture) ? std::max({2, model.picture.columns - 1, model.picture.rows - 1})
                                             : std::max(2, effective_n_keys(model) / 2);
         s.integer = true;
         s.typed_high = limits_of(mask, mask.grid_radius).high;
         s.usual = 1;
         slider(s, mask.grid_radius);
     }},
    // A picture says how many tokens stand in a row; a file may still say otherwise.
    {"grid columns",
     [](const Model& model) {
         return model.mask.grid_window &&
                !(has_picture(model.picture) && model.mask.grid_columns == model.picture.columns);
     },
     [](ViewContext& context) {
         Model& model = context.next.model;
         MaskSettings& mask = model.mask;
         const int usual = has_picture(model.picture) ? model.picture.columns : MaskSettings().grid_columns;
         count_row({"grid columns", "Columns c", "How many tokens stand in a row.", effective_n_keys(model), usual},
                   mask, mask.grid_columns);
     }},
    {"query offset", [](const Model&) { return true; },
     [](ViewContext& context) { offset_row(context.next.model, effective_n_keys(context.next.model)); }},
};

}  // namespace

std::span<const SliderRow> mask_sliders() { return slider_rows; }

void draw_mask_section(ViewContext& context) {
    Model& model = context.next.model;
    MaskSettings& mask = model.mask;
    const int n_keys = effective_n_keys(model);
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
    chips(mask, n_keys);
    const float below = std::max(ImGui::GetItemRectMax().y, at.y + side);
    ImGui::SetCursorScreenPos({at.x, below});
    gap(6);

    draw_sliders(context, std::span(slider_rows).first(std::size(slider_rows) - 1));
    if (mask.painted) paint_row(context);
    if (!mask.painted) context.session.brush.is_in_hand = false;
    draw_sliders(context, std::span(slider_rows).last(1));
    end_section();
}

}  // namespace heed::app
