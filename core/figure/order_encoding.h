// What the parts of the encoding's page share: which encoding is looked at, and from where.
#pragma once

#include "core/cell.h"
#include "core/display/order_display.h"
#include "core/figure/order_panels.h"
#include "core/order/encodings.h"

#include <cstdint>
#include <memory>
#include <string>

namespace heed {

class EncodingPart {
protected:
    explicit EncodingPart(const PanelPen& pen);

    // A bold line, and a dim one below it. Both may hold the user's own words.
    void title(const std::string& words, const std::string& note, Rect room) const;
    // Rows of the encoding's table, kept between frames.
    std::shared_ptr<const Matrix> table_of(int first, int count) const;

    static constexpr int most_heads = 16;  // whose slopes are shown

    const PanelPen& pen_;
    const FigureContext& context_;
    const Model& model_;
    const OrderDisplay& display_;
    const PositionEncoding& encoding_;
    int width_;
    Cell pin_;
    int position_;  // of the pinned token
    int seen_;      // of the one under the mouse, or else of the pinned one
};

// A pair of tokens with an encoding on, in one head.
struct ScoreKey {
    std::uint64_t version = 0;
    std::string encoding = {};
    int head = 0;
    Cell cell = {};
    friend bool operator==(const ScoreKey&, const ScoreKey&) = default;
};

// One clock hand for each pair of components, or a slope for each head. The height is what they ask for in this room.
float clocks_height(const PanelPen& pen, Rect room);
void add_clocks(const PanelPen& pen, Rect room);

// How close two places are against their distance, and the score of the pinned pair when both move along.
inline constexpr float plot_under = 42;  // numbers and words below a plot
void add_closeness(const PanelPen& pen, Rect room);
void add_shift(const PanelPen& pen, Rect room);

}  // namespace heed
