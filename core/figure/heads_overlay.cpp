#include "core/figure/heads_overlay.h"

#include "core/analysis/contributions.h"
#include "core/display/heads_display.h"
#include "core/figure/kept.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

MatrixView overlay_values(const FigureContext& context, bool is_mean) {
    const AttentionTrace& trace = context.trace;
    const std::uint64_t version = bits_at(trace.version, 41, is_mean ? 1 : 2, 0);
    return *kept(context, "overlay", version,
                 [&] { return view_of(is_mean ? mean_weights(trace) : largest_weights(trace), version); });
}

// What at least one head sees.
MaskView visible_to_any(const FigureContext& context) {
    const AttentionTrace& trace = context.trace;
    if (trace.visible.size() == 1) return mask_view(context, 0);
    const std::uint64_t version = bits_at(trace.version, 41, 3, 0);
    return *kept(context, "visible to any", version, [&] {
        auto any = std::make_shared<MaskMatrix>(trace.visible.front());
        for (const MaskMatrix& one : trace.visible) *any = any->cwiseMax(one);
        return MaskView{any->data(), any->rows(), any->cols(), any, version};
    });
}

using Colors = std::shared_ptr<const std::vector<Color>>;

// The winner's colour, stronger the larger its weight.
Colors winner_colors(const FigureContext& context, const MatrixView& largest) {
    const std::uint64_t version = bits_at(context.trace.version, 42, static_cast<std::uint64_t>(context.theme), 0);
    return kept(context, "winner colours", version, [&] {
        const Palette& colors = context.colors();
        const auto winner = winning_heads(context.trace);
        const float top = largest_magnitude(context, largest, {});
        std::vector<Color> list;
        for (Index i = 0; i < winner.rows(); ++i)
            for (Index j = 0; j < winner.cols(); ++j) {
                const float share = std::clamp(std::sqrt(std::max(0.0F, largest.at(i, j)) / top), 0.0F, 1.0F);
                const Color color =
                    winner(i, j) == tied_heads ? colors.dim : head_color(colors, std::max(0, winner(i, j)));
                list.push_back(winner(i, j) == no_head ? colors.panel
                                                       : mix(colors.panel, color, 0.15F + 0.85F * share));
            }
        return list;
    });
}

}  // namespace

StagePanel heads_overlay_panel(const FigureContext& context, HeadsDetail detail) {
    FigureContext plain = context;
    plain.show_difference = false;  // the change of a mean is not the mean of a change
    StagePanel panel = stage_panel(plain, Stage::weights);
    panel.title = context.word(detail == HeadsDetail::mean  ? "Mean over heads"
                               : detail == HeadsDetail::max ? "Largest over heads"
                                                            : "Which head wins");
    HeatmapMark& map = panel.heatmap;
    map.values = overlay_values(context, detail == HeadsDetail::mean);
    map.visible = visible_to_any(context);
    const bool is_signed = map.scale.low < 0;
    if (is_signed || map.scale.high != 1) {
        map.scale.high = largest_magnitude(context, map.values, map.visible);
        map.scale.low = is_signed ? -map.scale.high : map.scale.log ? map.scale.high * 1e-4F : 0;
    }
    if (detail == HeadsDetail::winner) {
        map.cell_colors = winner_colors(context, map.values);
        if ((winning_heads(context.trace).array() == tied_heads).any()) panel.title += context.word(" (grey: a tie)");
    }
    return panel;
}

}  // namespace heed
