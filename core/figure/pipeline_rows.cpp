#include "core/figure/pipeline_rows.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float thinnest_map = 14;  // of one query among hundreds of keys
constexpr float short_strip = 120;  // where maps are smaller than that, strips may still be this long

}  // namespace

float chip_height(const FigureContext& context) { return context.options.text_size * 1.9F; }

PipelineRoom::PipelineRoom(const FigureContext& context, float above, float below)
    : head(above),
      foot(below),
      words_width(axis_words_width(context)),
      words_height(axis_words_height(context)),
      seen(seen_tokens(context.model, context.display)) {}

PipelineRows::PipelineRows(const FigureContext& context, const PipelineRoom& room, const PipelineLook& look,
                           std::span<const Slots> rows, std::span<const BarPlace> bars, float aspect)
    : context_(context), room_(room), look_(look), rows_(rows), bars_(bars), aspect_(aspect) {
    for (std::size_t r = 0; r < rows_.size(); ++r)
        for (const PipelineSlot& slot : rows_[r]) {
            if (slot.is_weights) has_weights_ = !slot.is_folded;
            if (slot.panel.across != PanelAxis::components && !slot.is_folded) lowest_labelled_ = r;
        }
}

void PipelineRows::choose_cell() {
    constexpr float smallest = 0.02F;
    const float cap = 120 * context_.options.text_size / 14;
    cell_ = largest_that(smallest, cap, [&](float cell) { return fits(cell, modest_strips(cell)); });
    if (cell_ > 8) cell_ = std::floor(cell_);
}

bool PipelineRows::has_room_for(CellSize size) const {
    const float cell = std::ceil(std::max(size.h, size.w / aspect_));
    return fits(cell, modest_strips(cell));
}

bool PipelineRows::is_enough() const {
    const float unit = context_.options.text_size / 14;
    return is_legible() && (cell_ >= look_.enough_cell * unit || longest_map() >= look_.enough_map * unit);
}

// A cell's width where its height is `cell`.
float PipelineRows::cell_width(float cell) const {
    const float width = cell * aspect_;
    return aspect_ == 1 || cell <= 8 ? width : std::floor(width);
}

// `cell`: what a token takes along this side.
float PipelineRows::side(PanelAxis axis, Index count, float cell, float strip) const {
    const auto n = static_cast<float>(count);
    if (axis != PanelAxis::components) return std::max(n * cell, thinnest_map);
    return std::min(n * std::max(cell, narrowest_component), strip);
}

float PipelineRows::cells_w(const PipelineSlot& slot, std::size_t r, float cell, float strip) const {
    const bool is_wide = slot.panel.across != PanelAxis::components || wide_components_[r];
    return side(slot.panel.across, slot.panel.heatmap.shown_cols(), is_wide ? cell_width(cell) : cell, strip);
}

float PipelineRows::cells_h(const PipelineSlot& slot, float cell, float strip) const {
    return side(slot.panel.down, slot.panel.heatmap.shown_rows(), cell, strip);
}

PanelDress PipelineRows::dress(const PipelineSlot& slot, std::size_t r) const {
    const ColumnLabels labels = look_.column_labels;
    PanelDress dress;
    dress.row_labels = slot.row_labels && (look_.row_labels == RowLabels::everywhere ||
                                           (look_.row_labels == RowLabels::first_map && &slot == rows_[r].data()));
    dress.column_labels = slot.column_labels && (labels == ColumnLabels::everywhere ||
                                                 (labels == ColumnLabels::lowest_row && r == lowest_labelled_) ||
                                                 (labels == ColumnLabels::weights && slot.is_weights));
    dress.sums = look_.sums;
    dress.bar = look_.bars ? bars_[r] : BarPlace::none;
    dress.label_room = look_.label_room;
    return dress;
}

PanelMargins PipelineRows::margins(const PipelineSlot& slot, std::size_t r, float w, float h) const {
    const StagePanel& panel = slot.panel;
    PanelMargins margins = panel_margins(context_, panel, dress(slot, r), w, h);
    const bool has_range = !look_.bars && look_.row_labels == RowLabels::everywhere && context_.options.color_bars;
    const float note = look_.notes ? panel.note_width + 6 : has_range ? panel.range_width + 6 : 0;
    if (!panel.has_row_sums) margins.right = std::max(margins.right, panel.title_width + note - w);
    return margins;
}

// A row that goes on in the middle of a product says so; one that starts with the scaled scores begins a new thought, in
// line with the first.
bool PipelineRows::has_operator(std::size_t r, std::size_t i) const {
    const PipelineSlot& slot = rows_[r][i];
    return i > 0 || (r == 0 ? slot.follows_embeddings : slot.panel.id != stage_id(Stage::scaled));
}

float PipelineRows::operator_width(const PipelineSlot& slot) const {
    return slot.operator_width > usual_operator_width ? slot.operator_width
                                                      : std::min(slot.operator_width, look_.widest_operator);
}

PipelineRows::Extent PipelineRows::row_extent(std::size_t r, float cell, float strip) const {
    Extent extent;
    bool words_under_row = false;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
        const PipelineSlot& slot = rows_[r][i];
        if (has_operator(r, i)) extent.width += operator_width(slot);
        if (slot.is_folded) {
            extent.width += slot.chip_width;
            extent.below = std::max(extent.below, chip_height(context_));
            continue;
        }
        const float w = cells_w(slot, r, cell, strip);
        const float h = cells_h(slot, cell, strip);
        const PanelMargins m = margins(slot, r, w, h);
        extent.width += m.left + w + std::max(0.0F, m.right);
        extent.top = std::max(extent.top, m.top);
        extent.below = std::max(extent.below, h + m.bottom);
        if (!slot.is_weights) continue;
        // Right under the weights, unless they would run into the next map.
        words_under_row = w + std::max(0.0F, m.right) + usual_operator_width < room_.words_width + 4;
        extent.words = h + m.bottom;
    }
    if (extent.words > 0) {
        if (words_under_row) extent.words = extent.below;
        extent.below = std::max(extent.below, extent.words + room_.words_height);
    }
    return extent;
}

PipelineRows::Size PipelineRows::size(float cell, std::span<const float> strips) const {
    Size all{0, look_.row_gap * static_cast<float>(rows_.size() - 1) + (has_weights_ ? 0 : room_.words_height)};
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        const Extent extent = row_extent(r, cell, strips[r]);
        all.width = std::max(all.width, extent.width);
        all.height += extent.height();
    }
    return all;
}

bool PipelineRows::fits(float cell, std::span<const float> strips) const {
    const Size needed = size(cell, strips);
    return needed.width <= room_w() && needed.height <= room_h();
}

float PipelineRows::longest_map() const {
    return cell_ * static_cast<float>(std::max(room_.seen.queries.count, room_.seen.keys.count));
}

// The side of a square map with as many cells as the scores.
float PipelineRows::typical_map(float cell) const {
    return cell * std::sqrt(static_cast<float>(room_.seen.queries.count) * static_cast<float>(room_.seen.keys.count));
}

std::vector<float> PipelineRows::modest_strips(float cell) const {
    return std::vector<float>(rows_.size(), std::max(thinnest_strip, typical_map(cell) * 0.6F));
}

// Then every row's strips take what room is left.
std::vector<float> PipelineRows::longest_strips() const {
    std::vector<float> strips = modest_strips(cell_);
    for (std::size_t r = 0; r < strips.size(); ++r) {
        float& strip = strips[r];
        const float start = strip;
        const float longest = std::max(typical_map(cell_) * (wide_components_[r] ? aspect_ : 1),
                                       short_strip * context_.options.text_size / 14);
        strip = std::floor(largest_that(start, std::max(start, longest), [&](float length) {
            strip = length;
            return fits(cell_, strips);
        }));
    }
    return strips;
}

// Half the height that the unfolded maps on both sides share: where the eye looks for an operator.
float PipelineRows::band(float strip, const PipelineSlot* before, const PipelineSlot* after) const {
    float height = 0;
    for (const PipelineSlot* slot : {before, after}) {
        if (slot == nullptr) continue;
        const float h = cells_h(*slot, cell_, strip);
        height = height == 0 ? h : std::min(height, h);
    }
    return (height == 0 ? chip_height(context_) : height) / 2;
}

PlacedPipeline PipelineRows::place() {
    PlacedPipeline placed;
    // Where tokens are wider than high for the sake of numbers, so are components, as far as there is room.
    for (std::size_t r = 0; r < rows_.size() && aspect_ > 1; ++r) {
        wide_components_[r] = true;
        wide_components_[r] = fits();
    }
    const std::vector<float> strips = longest_strips();  // of each row: the length of its component sides, at most
    const Size all = size(cell_, strips);
    const float spare = std::max(0.0F, room_h() - all.height);
    const auto n_gaps = static_cast<float>(rows_.size() - 1);
    // Spare height goes between the rows first, until they are well apart.
    const float well_apart = std::clamp(20 - look_.row_gap, 0.0F, 20.0F);
    const float share = std::clamp(spare / (n_gaps + 2), well_apart, 24.0F);
    const float more_gap = rows_.size() > 1 ? std::min(share, spare / n_gaps) : 0;
    placed.left = std::max(look_.padding, (context_.width - all.width) / 2);
    placed.width = all.width;
    placed.cell = cell_;
    float y = room_.head + look_.padding + std::max(0.0F, (spare - more_gap * n_gaps) / 2);
    placed.axis_words = {placed.left, y + all.height + more_gap * n_gaps - room_.words_height + axis_words_gap};
    for (std::size_t r = 0; r < rows_.size(); ++r)
        y += place_row(placed, r, strips[r], {placed.left, y}) + look_.row_gap + more_gap;
    return placed;
}

// Returns the row's height.
float PipelineRows::place_row(PlacedPipeline& placed, std::size_t r, float strip, Point at) const {
    const Slots& row = rows_[r];
    const Extent extent = row_extent(r, cell_, strip);
    const float top = std::round(at.y + extent.top);
    float x = at.x;
    const PipelineSlot* last_map = nullptr;
    const std::size_t first_placed = placed.slots.size();
    for (std::size_t i = 0; i < row.size(); ++i) {
        const PipelineSlot& slot = row[i];
        const auto next_map = std::ranges::find(row.subspan(i), false, &PipelineSlot::is_folded);
        const float middle = top + band(strip, last_map, next_map == row.end() ? nullptr : &*next_map);
        PlacedSlot here{.slot = &slot,
                        .area = {},
                        .has_operator = has_operator(r, i),
                        .operator_at = {x + operator_width(slot) / 2, middle},
                        .dress = {}};
        if (here.has_operator) x += operator_width(slot);
        if (slot.is_folded) {
            here.area = {x, std::max(middle - chip_height(context_) / 2, top), slot.chip_width, chip_height(context_)};
            here.operator_at.y = here.area.center().y;
            x += slot.chip_width;
        } else {
            const float w = cells_w(slot, r, cell_, strip);
            const float h = cells_h(slot, cell_, strip);
            const PanelMargins m = margins(slot, r, w, h);
            here.area = {std::round(x + m.left), top, w, h};
            here.dress = dress(slot, r);
            if (slot.is_weights)
                placed.axis_words = {std::min(here.area.x, context_.width - look_.padding - room_.words_width),
                                     top + extent.words + axis_words_gap};
            x += m.left + w + std::max(0.0F, m.right);
            last_map = &slot;
        }
        placed.slots.push_back(here);
    }
    // A title may run on until the next one begins.
    float end = context_.width - look_.padding;
    for (std::size_t i = placed.slots.size(); i-- > first_placed;) {
        PlacedSlot& slot = placed.slots[i];
        if (slot.slot->is_folded) continue;
        slot.dress.title_room = end - slot.area.x;
        end = slot.area.x - 12;
    }
    return extent.height();
}

}  // namespace heed
