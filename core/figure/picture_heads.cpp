// What all heads lay over the picture for one query, and the bar that tells what its light or colours stand for.
#include "core/display/cells_display.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/mark_look.h"
#include "core/figure/picture_parts.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {

namespace {

struct OverlayKey {
    std::uint64_t version;
    int query;
    PatchCells cells;
    OverlayLook look;
    bool is_common, is_log;
    friend bool operator==(const OverlayKey&, const OverlayKey&) = default;
};

// The colour that stands for all patches of the picture: their mean.
Color mean_ink(const Model& model) {
    const Rgbf mean = mean_color(*model.picture, 0, 0, 1, 1);
    const auto byte = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
    return {byte(mean.r), byte(mean.g), byte(mean.b), 255};
}

}  // namespace

std::size_t HeadOverlays::bytes() const {
    std::size_t sum = 0;
    for (const PictureCells& one : cells) sum += one.bytes();
    for (const PatchAttention& one : attention) sum += one.weights.size() * 5;
    return sum;
}

std::shared_ptr<const HeadOverlays> head_overlays(const FigureContext& context, const PictureQuery& asks,
                                                  PatchCells cells) {
    const OverlayKey key{context.trace.version,
                         asks.query,
                         cells,
                         overlay_look(context),
                         context.display.picture->common_scale,
                         context.display.cells->log_scale};
    return kept(context, "picture overlays", key, [&] {
        HeadOverlays made;
        float common = 0;
        for (int head = 0; head < context.model.n_heads; ++head) {
            made.attention.push_back(patch_attention(context.model, context.trace, asks.tokens, head, asks.query));
            made.largest.push_back(largest_weight(made.attention.back()));
            common = std::max(common, made.largest.back());
            made.distance.push_back(patch_distance(context.trace, asks.tokens, head, asks.query));
        }
        for (int head = 0; head < context.model.n_heads; ++head) {
            const auto at = static_cast<std::size_t>(head);
            if (key.is_common) made.largest[at] = common;
            made.cells.push_back(overlaid_cells(context, made.attention[at], asks.tokens,
                                                overlay_scale(context, made.largest[at]), cells));
        }
        return made;
    });
}

float add_overlay_bar(const PanelPen& pen, Rect bar, float largest, const PatchAttention& attention) {
    if (!pen.context.options.color_bars) return bar.y + pen.text * 0.6F;
    bar.w = std::min(bar.w, 220.0F);
    const OverlayLook look = overlay_look(pen.context);
    const Color ink = mean_ink(pen.context.model);
    const auto key = std::tuple(look, ink.r, ink.g, ink.b);
    const auto strip = kept(pen.context, "overlay bar", key, [&] {
        constexpr Index steps = 64;
        auto colors = std::make_shared<std::vector<Color>>();
        for (Index i = 0; i < steps; ++i)
            colors->push_back(overlay_color(look, ink, static_cast<float>(i) / (steps - 1)));
        return PictureCells{view_of(Matrix::Zero(1, steps)), {}, std::move(colors)};
    });
    HeatmapMark mark;
    mark.id = "overlay bar";
    mark.area = bar;
    mark.values = strip->values;
    mark.cell_colors = strip->colors;
    if (bar.w >= 64) pen.figure.marks.emplace_back(std::move(mark));
    const ColorScale scale = overlay_scale(pen.context, largest);
    const bool has_negative =
        std::any_of(attention.weights.begin(), attention.weights.end(), [](float weight) { return weight < 0; });
    const float y = bar.bottom() + pen.text * 0.75F;
    const std::string low = scale.log ? "≤ " + compact(static_cast<double>(scale.low)) : "0";
    const std::string high = compact(static_cast<double>(largest));
    const std::string alpha = has_negative ? "|α|" : "α";
    if (pen.context.measure.width(low + high, pen.text - 3, Font::mono) + pen.text * 3 > bar.w) {
        pen.words(alpha + " " + low + " – " + high, {bar.x, y}, pen.colors.dim, AlignX::left, Font::words, 3);
        return y + pen.text * 1.3F;
    }
    pen.words(low, {bar.x, y}, pen.colors.dim, AlignX::left, Font::mono, 3);
    pen.words(high, {bar.right(), y}, pen.colors.dim, AlignX::right, Font::mono, 3);
    pen.words(alpha, {bar.center().x, y}, pen.colors.dim, AlignX::center, Font::words, 3);
    return y + pen.text * 1.3F;
}

}  // namespace heed
