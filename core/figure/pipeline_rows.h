// The Pipeline's maps in rows, in one of the ways they can stand: how large cells can be, and where each map then is.
#pragma once

#include "core/figure/pipeline_layout.h"
#include "core/figure/pipeline_look.h"
#include "core/figure/seen_tokens.h"

#include <cmath>
#include <span>
#include <vector>

namespace heed {

using Slots = std::span<const PipelineSlot>;

inline constexpr float thinnest_strip = 28;      // of many components: one can still tell them apart
inline constexpr float narrowest_component = 8;  // where a strip may be as long as it likes
inline constexpr float shortest_map = 28;        // of its longer side; below that there is nothing to see

// What is the same for every way of standing.
struct PipelineRoom {
    PipelineRoom(const FigureContext& context, float above, float below);
    float head, foot;  // what is taken above and below the rows
    float words_width, words_height;
    SeenTokens seen;
};

class PipelineRows {
public:
    // `aspect` of a cell: its width over its height.
    PipelineRows(const FigureContext& context, const PipelineRoom& room, const PipelineLook& look,
                 std::span<const Slots> rows, std::span<const BarPlace> bars, float aspect);

    // Beside strips of a modest length. Whole pixels where cells are large, so that edges stay sharp.
    void choose_cell();
    float cell() const { return cell_; }
    // Whether cells can be as large as this at least.
    bool has_room_for(CellSize size) const;
    bool fits() const { return fits(cell_, modest_strips(cell_)); }
    bool is_legible() const { return fits() && longest_map() >= shortest_map; }
    bool is_enough() const;
    PlacedPipeline place();

private:
    // What a row takes.
    struct Extent {
        float width = 0;
        float top = 0;    // above the cells
        float below = 0;  // from their upper edge on
        float words = 0;  // from there on to the axis words, in the row of the weights
        float height() const { return top + below; }
    };
    struct Size {
        float width = 0, height = 0;
    };

    float cell_width(float cell) const;
    float side(PanelAxis axis, Index count, float cell, float strip) const;
    float cells_w(const PipelineSlot& slot, std::size_t r, float cell, float strip) const;
    float cells_h(const PipelineSlot& slot, float cell, float strip) const;
    PanelDress dress(const PipelineSlot& slot, std::size_t r) const;
    PanelMargins margins(const PipelineSlot& slot, std::size_t r, float w, float h) const;
    bool has_operator(std::size_t r, std::size_t i) const;
    float operator_width(const PipelineSlot& slot) const;
    Extent row_extent(std::size_t r, float cell, float strip) const;
    Size size(float cell, std::span<const float> strips) const;
    float room_w() const { return context_.width - 2 * look_.padding; }
    float room_h() const { return context_.height - room_.head - room_.foot - 2 * look_.padding; }
    bool fits(float cell, std::span<const float> strips) const;
    float longest_map() const;
    float typical_map(float cell) const;
    std::vector<float> modest_strips(float cell) const;
    std::vector<float> longest_strips() const;
    float band(float strip, const PipelineSlot* before, const PipelineSlot* after) const;
    float place_row(PlacedPipeline& placed, std::size_t r, float strip, Point at) const;

    const FigureContext& context_;
    const PipelineRoom& room_;
    const PipelineLook& look_;
    std::span<const Slots> rows_;
    std::span<const BarPlace> bars_;
    float aspect_;
    bool has_weights_ = false;
    std::size_t lowest_labelled_ = 0;  // the last row whose columns are tokens
    float cell_ = 0;
    std::vector<bool> wide_components_ = std::vector<bool>(rows_.size());  // of each row
};

// The largest number in [low, high] for which `holds`, within half a percent.
template <typename Holds>
float largest_that(float low, float high, Holds holds) {
    if (holds(high)) return high;
    while (high > low * 1.005F) {
        const float middle = std::sqrt(low * high);
        (holds(middle) ? low : high) = middle;
    }
    return low;
}

float chip_height(const FigureContext& context);

}  // namespace heed
