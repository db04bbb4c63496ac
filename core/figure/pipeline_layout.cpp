#include "core/figure/pipeline_layout.h"

#include "core/figure/pipeline_look.h"
#include "core/figure/seen_tokens.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace heed {

namespace {

constexpr float operator_width = 26;
constexpr float shortest_map = 28;        // of its longer side; below that there is nothing to see
constexpr float thinnest_map = 14;        // of one query among hundreds of keys
constexpr float thinnest_strip = 28;      // of many components: one can still tell them apart
constexpr float narrowest_component = 8;  // where a strip may be as long as it likes
constexpr float short_strip = 120;        // where maps are smaller than that, strips may still be this long

// A barer look must be worth what it drops.
constexpr float worthwhile_gain = 1.15F;

using Slots = std::span<const PipelineSlot>;

struct Arrangement {
    std::span<const Slots> rows;
    float liking = 1;  // how much its cells count beside those of another
};

class Layout {
public:
    Layout(const FigureContext& context, const PipelineLook& look, std::span<const Slots> rows,
           std::span<const BarPlace> bars, float head, float foot, float aspect)
        : context_(context), look_(look), rows_(rows), bars_(bars), head_(head), foot_(foot), aspect_(aspect) {
        for (const Slots& row : rows_)
            for (const PipelineSlot& slot : row)
                if (slot.is_weights) has_weights_ = !slot.is_folded;
        words_width_ = axis_words_width(context);
        words_height_ = axis_words_height(context);
    }

    // Beside strips of a modest length. Whole pixels where cells are large, so that edges stay sharp.
    void choose_cell() {
        constexpr float smallest = 0.02F;
        const float cap = 120 * context_.options.text_size / 14;
        cell_ = largest(smallest, cap, [&](float cell) { return fits(cell, modest_strips(cell)); });
        if (cell_ > 8) cell_ = std::floor(cell_);
    }
    float cell() const { return cell_; }
    // Whether cells can be as large as this at least.
    bool has_room_for(CellSize size) const {
        const float cell = std::ceil(std::max(size.h, size.w / aspect_));
        return fits(cell, modest_strips(cell));
    }
    bool fits() const { return fits(cell_, modest_strips(cell_)); }
    bool is_legible() const { return fits() && longest_map() >= shortest_map; }
    bool is_enough() const {
        const float unit = context_.options.text_size / 14;
        return is_legible() && (cell_ >= look_.enough_cell * unit || longest_map() >= look_.enough_map * unit);
    }
    PlacedPipeline place() const;

private:
    // A cell's width where its height is `cell`.
    float cell_width(float cell) const {
        const float width = cell * aspect_;
        return aspect_ == 1 || cell <= 8 ? width : std::floor(width);
    }
    // `cell`: what a token takes along this side.
    float side(PanelAxis axis, Index count, float cell, float strip) const {
        const auto n = static_cast<float>(count);
        if (axis != PanelAxis::components) return std::max(n * cell, thinnest_map);
        return std::min(n * std::max(cell, narrowest_component), strip);
    }
    float cells_w(const PipelineSlot& slot, float cell, float strip) const {
        const bool of_tokens = slot.panel.across != PanelAxis::components;
        return side(slot.panel.across, slot.panel.heatmap.shown_cols(), of_tokens ? cell_width(cell) : cell, strip);
    }
    float cells_h(const PipelineSlot& slot, float cell, float strip) const {
        return side(slot.panel.down, slot.panel.heatmap.shown_rows(), cell, strip);
    }

    PanelDress dress(const PipelineSlot& slot, std::size_t r) const {
        const ColumnLabels labels = look_.column_labels;
        PanelDress dress;
        dress.row_labels = slot.row_labels && (look_.row_labels == RowLabels::everywhere ||
                                               (look_.row_labels == RowLabels::first_map && &slot == rows_[r].data()));
        dress.column_labels = slot.column_labels && (labels == ColumnLabels::everywhere ||
                                                     (labels == ColumnLabels::lowest_row && r + 1 == rows_.size()) ||
                                                     (labels == ColumnLabels::weights && slot.is_weights));
        dress.sums = look_.sums;
        dress.bar = look_.bars ? bars_[r] : BarPlace::none;
        dress.label_room = look_.label_room;
        return dress;
    }

    PanelMargins margins(const PipelineSlot& slot, std::size_t r, float w, float h) const {
        const StagePanel& panel = slot.panel;
        PanelMargins margins = panel_margins(context_, panel, dress(slot, r), w, h);
        const bool has_range = !look_.bars && look_.row_labels == RowLabels::everywhere && context_.options.color_bars;
        const float note = look_.notes ? panel.note_width + 6 : has_range ? panel.range_width + 6 : 0;
        if (!panel.has_row_sums) margins.right = std::max(margins.right, panel.title_width + note - w);
        return margins;
    }

    // A row that goes on in the middle of a product says so; one that starts with the scaled scores begins a new thought, in
    // line with the first.
    bool opens_with_operator(std::size_t r) const {
        return r > 0 && rows_[r].front().panel.id != stage_id(Stage::scaled);
    }

    // What a row takes.
    struct Extent {
        float width = 0;
        float top = 0;    // above the cells
        float below = 0;  // from their upper edge on
        float words = 0;  // from there on to the axis words, in the row of the weights
        float height() const { return top + below; }
    };
    Extent row_extent(std::size_t r, float cell, float strip) const {
        Extent extent;
        extent.width = operator_width * static_cast<float>(rows_[r].size() - (opens_with_operator(r) ? 0 : 1));
        bool words_under_row = false;
        for (const PipelineSlot& slot : rows_[r]) {
            if (slot.is_folded) {
                extent.width += slot.chip_width;
                extent.below = std::max(extent.below, chip_height());
                continue;
            }
            const float w = cells_w(slot, cell, strip);
            const float h = cells_h(slot, cell, strip);
            const PanelMargins m = margins(slot, r, w, h);
            extent.width += m.left + w + std::max(0.0F, m.right);
            extent.top = std::max(extent.top, m.top);
            extent.below = std::max(extent.below, h + m.bottom);
            if (!slot.is_weights) continue;
            // Right under the weights, unless they would run into the next map.
            words_under_row = w + std::max(0.0F, m.right) + operator_width < words_width_ + 4;
            extent.words = h + m.bottom;
        }
        if (extent.words > 0) {
            if (words_under_row) extent.words = extent.below;
            extent.below = std::max(extent.below, extent.words + words_height_);
        }
        return extent;
    }
    float chip_height() const { return context_.options.text_size * 1.9F; }

    struct Size {
        float width = 0, height = 0;
    };
    Size size(float cell, std::span<const float> strips) const {
        Size all{0, look_.row_gap * static_cast<float>(rows_.size() - 1) + (has_weights_ ? 0 : words_height_)};
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const Extent extent = row_extent(r, cell, strips[r]);
            all.width = std::max(all.width, extent.width);
            all.height += extent.height();
        }
        return all;
    }
    float room_w() const { return context_.width - 2 * look_.padding; }
    float room_h() const { return context_.height - head_ - foot_ - 2 * look_.padding; }
    bool fits(float cell, std::span<const float> strips) const {
        const Size needed = size(cell, strips);
        return needed.width <= room_w() && needed.height <= room_h();
    }

    float longest_map() const { return cell_ * static_cast<float>(std::max(seen_.queries.count, seen_.keys.count)); }

    // The side of a square map with as many cells as the scores.
    float typical_map(float cell) const {
        return cell * std::sqrt(static_cast<float>(seen_.queries.count) * static_cast<float>(seen_.keys.count));
    }

    // The largest number in [low, high] for which `holds`, within half a percent.
    template <typename Holds>
    static float largest(float low, float high, Holds holds) {
        if (holds(high)) return high;
        while (high > low * 1.005F) {
            const float middle = std::sqrt(low * high);
            (holds(middle) ? low : high) = middle;
        }
        return low;
    }

    std::vector<float> modest_strips(float cell) const {
        return std::vector<float>(rows_.size(), std::max(thinnest_strip, typical_map(cell) * 0.6F));
    }

    // Then every row's strips take what room is left.
    std::vector<float> longest_strips() const {
        std::vector<float> strips = modest_strips(cell_);
        const float longest = std::max(typical_map(cell_), short_strip * context_.options.text_size / 14);
        for (float& strip : strips) {
            const float start = strip;
            strip = std::floor(largest(start, std::max(start, longest), [&](float length) {
                strip = length;
                return fits(cell_, strips);
            }));
        }
        return strips;
    }

    float band(float strip, const PipelineSlot* before, const PipelineSlot* after) const;
    // Returns the row's height.
    float place_row(PlacedPipeline& placed, std::size_t r, float strip, Point at) const;

    const FigureContext& context_;
    const PipelineLook& look_;
    std::span<const Slots> rows_;
    std::span<const BarPlace> bars_;
    float head_, foot_;
    float aspect_;  // of a cell: its width over its height
    SeenTokens seen_ = seen_tokens(context_.model, context_.display);
    bool has_weights_ = false;
    float words_width_ = 0, words_height_ = 0;
    float cell_ = 0;
};

// Half the height that the unfolded maps on both sides share: where the eye looks for an operator.
float Layout::band(float strip, const PipelineSlot* before, const PipelineSlot* after) const {
    float height = 0;
    for (const PipelineSlot* slot : {before, after}) {
        if (slot == nullptr) continue;
        const float h = cells_h(*slot, cell_, strip);
        height = height == 0 ? h : std::min(height, h);
    }
    return (height == 0 ? chip_height() : height) / 2;
}

PlacedPipeline Layout::place() const {
    PlacedPipeline placed;
    const std::vector<float> strips = longest_strips();  // of each row: the length of its component sides, at most
    const Size all = size(cell_, strips);
    const float spare = std::max(0.0F, room_h() - all.height);
    const auto n_gaps = static_cast<float>(rows_.size() - 1);
    // Spare height goes between the rows first, until they are well apart.
    const float well_apart = std::clamp(20 - look_.row_gap, 0.0F, 20.0F);
    const float share = std::clamp(spare / (n_gaps + 2), well_apart, 24.0F);
    const float more_gap = rows_.size() > 1 ? std::min(share, spare / n_gaps) : 0;
    const float left = std::max(look_.padding, (context_.width - all.width) / 2);
    float y = head_ + look_.padding + std::max(0.0F, (spare - more_gap * n_gaps) / 2);
    placed.axis_words = {left, y + all.height + more_gap * n_gaps - words_height_ + axis_words_gap};
    for (std::size_t r = 0; r < rows_.size(); ++r)
        y += place_row(placed, r, strips[r], {left, y}) + look_.row_gap + more_gap;
    return placed;
}

float Layout::place_row(PlacedPipeline& placed, std::size_t r, float strip, Point at) const {
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
                        .has_operator = i > 0 || opens_with_operator(r),
                        .operator_at = {x + operator_width / 2, middle},
                        .dress = {}};
        if (here.has_operator) x += operator_width;
        if (slot.is_folded) {
            here.area = {x, std::max(middle - chip_height() / 2, top), slot.chip_width, chip_height()};
            here.operator_at.y = here.area.center().y;
            x += slot.chip_width;
        } else {
            const float w = cells_w(slot, cell_, strip);
            const float h = cells_h(slot, cell_, strip);
            const PanelMargins m = margins(slot, r, w, h);
            here.area = {std::round(x + m.left), top, w, h};
            here.dress = dress(slot, r);
            if (slot.is_weights)
                placed.axis_words = {std::min(here.area.x, context_.width - look_.padding - words_width_),
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

}  // namespace

namespace {

using Bars = std::array<BarPlace, 3>;  // of each row
constexpr Bars bar_places[] = {{BarPlace::beside, BarPlace::beside, BarPlace::beside},
                               {BarPlace::beside, BarPlace::below, BarPlace::below},
                               {BarPlace::below, BarPlace::beside, BarPlace::beside},
                               {BarPlace::below, BarPlace::below, BarPlace::below}};
constexpr float cell_aspects[] = {1, 1.25F, 1.5F, 1.8F, 2.2F};  // wider than high, where numbers need it

// The ways in which stages can stand, tried one after the other.
class PipelineSearch {
public:
    PipelineSearch(const FigureContext& context, const PipelineRow& stages, float head, float foot)
        : context_(context), head_(head), foot_(foot) {
        const auto index_of = [&](Stage stage) {
            const auto found =
                std::ranges::find(stages, stage_id(stage), [](const PipelineSlot& s) { return s.panel.id; });
            return static_cast<std::size_t>(found - stages.begin());
        };
        const Slots all(stages);
        const std::size_t scaled = index_of(Stage::scaled);
        const std::size_t weights = index_of(Stage::weights);
        one_row_ = {all};
        two_rows_ = {all.first(scaled), all.subspan(scaled)};
        even_rows_ = {all.first(weights), all.subspan(weights)};
        three_rows_ = {all.first(scaled), all.subspan(scaled, weights + 1 - scaled), all.subspan(weights + 1)};
        for (const PipelineSlot& slot : all) {
            if (slot.is_folded || slot.panel.across == PanelAxis::components ||
                slot.panel.down == PanelAxis::components)
                continue;
            const std::optional<CellSize> cell = smallest_numbered_cell(context, slot.panel);
            if (!cell) continue;
            if (!numbered_) numbered_ = CellSize{};
            numbered_ = CellSize{std::max(numbered_->w, cell->w), std::max(numbered_->h, cell->h)};
        }
    }

    std::optional<PlacedPipeline> find() const {
        if (std::optional<PlacedPipeline> placed = with_numbers()) return placed;
        return as_large_as_possible();
    }

private:
    struct Choice {
        std::span<const Slots> rows;
        const PipelineLook* look = nullptr;
        const Bars* bars = nullptr;
        float aspect = 1;
        float worth = -1;  // its cell, as far as the arrangement is liked
        bool is_enough = false;
    };
    Layout lay_out(const Choice& choice) const {
        return Layout(context_, *choice.look, choice.rows, *choice.bars, head_, foot_, choice.aspect);
    }
    PlacedPipeline place(const Choice& choice) const {
        Layout layout = lay_out(choice);
        layout.choose_cell();
        return layout.place();
    }
    bool is_upright() const { return context_.width < context_.height; }

    template <typename Visit>
    void for_each_choice(std::span<const Arrangement> arrangements, const PipelineLook& look, float aspect,
                         Visit visit) const {
        for (const Arrangement& arrangement : arrangements)
            for (const Bars& bars : bar_places) {
                const bool is_repeated = arrangement.rows.size() == 1 && bars[0] != bars[1];
                if (!is_repeated) visit(Choice{arrangement.rows, &look, &bars, aspect}, arrangement.liking);
                if (!look.bars) break;
            }
    }

    // Every score and weight with its number: what stands around the maps gives way to them as far as labels stay, and
    // cells may be wider than high.
    std::optional<PlacedPipeline> with_numbers() const {
        if (!numbered_) return std::nullopt;
        const std::array<Arrangement, 4> arrangements{
            {{two_rows_, 1}, {even_rows_, 0.9F}, {one_row_, 0.8F}, {three_rows_, is_upright() ? 1.2F : 0.85F}}};
        for (const PipelineLook& look : pipeline_looks) {
            if (look.row_labels != RowLabels::everywhere) break;
            for (const float aspect : cell_aspects) {
                Choice best;
                for_each_choice(arrangements, look, aspect, [&](Choice choice, float liking) {
                    Layout layout = lay_out(choice);
                    if (!layout.has_room_for(*numbered_)) return;
                    layout.choose_cell();
                    choice.worth = layout.cell() * liking;
                    if (choice.worth > best.worth && layout.is_legible()) best = choice;
                });
                if (best.look != nullptr) return place(best);
            }
        }
        return std::nullopt;
    }

    std::optional<PlacedPipeline> as_large_as_possible() const {
        // Two rows, or one where that is much better; three in upright pictures, or where two leave too little.
        const std::array<Arrangement, 3> usual{{{two_rows_, 1}, {even_rows_, 0.9F}, {one_row_, 0.8F}}};
        const std::array<Arrangement, 1> stacked{{{three_rows_, 1}}};
        using Arrangements = std::span<const Arrangement>;
        const std::array<Arrangements, 2> groups =
            is_upright() ? std::array<Arrangements, 2>{stacked, usual} : std::array<Arrangements, 2>{usual, stacked};
        Choice best;
        for (const Arrangements& group : groups)
            for (const PipelineLook& look : pipeline_looks) {
                Choice of_look;
                for_each_choice(group, look, 1, [&](Choice choice, float liking) {
                    Layout layout = lay_out(choice);
                    layout.choose_cell();
                    choice.worth = layout.fits() ? layout.cell() * liking : 0;
                    choice.is_enough = layout.is_enough();
                    if (choice.worth > of_look.worth) of_look = choice;
                });
                if (of_look.worth > best.worth * worthwhile_gain) best = of_look;
                if (of_look.is_enough) return place(of_look);
            }
        Layout layout = lay_out(best);
        layout.choose_cell();
        if (!layout.is_legible()) return std::nullopt;
        return layout.place();
    }

    const FigureContext& context_;
    float head_, foot_;
    std::array<Slots, 1> one_row_;
    std::array<Slots, 2> two_rows_;   // the second begins with the scaled scores
    std::array<Slots, 2> even_rows_;  // the second begins with the weights
    std::array<Slots, 3> three_rows_;
    std::optional<CellSize> numbered_;  // the smallest cells in which every number fits; nothing where none is wanted
};

}  // namespace

std::optional<PlacedPipeline> place_pipeline(const FigureContext& context, const PipelineRow& stages, float head,
                                             float foot) {
    return PipelineSearch(context, stages, head, foot).find();
}

}  // namespace heed
