// Weights beside what they carry.
#include "core/analysis/contributions.h"
#include "core/figure/heads_figure.h"
#include "core/figure/kept.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

Figure contribution_figure(const FigureContext& context) {
    Figure figure{.width = context.width,
                  .height = context.height,
                  .theme = context.theme,
                  .marks = {},
                  .targets = {},
                  .frames = {}};
    const Model& model = context.scene.model;
    const int head = shown_head(context.scene);
    const float text = context.options.text_size;
    constexpr float pad = 20;

    std::vector<StagePanel> panels;
    panels.push_back(stage_panel(context, Stage::weights));
    panels.back().has_row_sums = false;
    const auto carried = [&](bool through_w_o) {
        StagePanel panel = stage_panel(context, Stage::weights);
        panel.id = through_w_o ? "carried through W_O" : "carried";
        panel.heatmap.id = panel.id;
        panel.title = through_w_o ? "α·‖v W_{O}‖" : "α·‖v‖";
        panel.note = context.word(through_w_o ? "what reaches the output" : "what the weight carries");
        panel.has_row_sums = false;
        measure_panel(context, panel);
        static Kept<MatrixView> kept;
        const std::uint64_t version =
            bits_at(context.trace.version, 51, static_cast<std::uint64_t>(head), through_w_o ? 1 : 0);
        panel.heatmap.values =
            kept.get(version, [&] { return view_of(contribution_map(model, context.trace, head, through_w_o), version); });
        panel.heatmap.scale = {color_map(context.scene.display.sequential_map).id, 0,
                               largest_magnitude(panel.heatmap.values, panel.heatmap.visible), false};
        return panel;
    };
    panels.push_back(carried(false));
    if (model.output_projection) panels.push_back(carried(true));

    const Shape shape{panels[0].heatmap.shown_rows(), panels[0].heatmap.shown_cols()};
    const auto count = static_cast<float>(panels.size());
    const float head_room = context.options.title ? text * 2 : 0;
    const float foot_room = text * 3;
    float cell = 8;
    PanelMargins margins;
    for (int pass = 0; pass < 3; ++pass) {
        margins = panel_margins(context, panels[0], shape, cell, true, true);
        const float room_w = (context.width - 2 * pad) / count - margins.left - 24;
        const float room_h = context.height - 2 * pad - head_room - foot_room - margins.top - margins.bottom;
        cell = std::clamp(std::min(room_w / static_cast<float>(shape.cols), room_h / static_cast<float>(shape.rows)),
                          0.02F, 64.0F);
    }
    const float panel_w = margins.left + std::max(cell * static_cast<float>(shape.cols), text * 11) + 24;
    float x = std::max(pad, (context.width - panel_w * count) / 2);
    const float y = pad + head_room + margins.top;
    const Rect first{x + margins.left, y, cell * static_cast<float>(shape.cols), cell * static_cast<float>(shape.rows)};
    if (context.options.title)
        figure.marks.emplace_back(TextMark{scene_title(context.scene, context.language),
                                           {pad, pad + text},
                                           {text + 1, Font::bold, context.colors().text},
                                           AlignX::left,
                                           AlignY::baseline,
                                           0,
                                           true});
    for (StagePanel& panel : panels) {
        add_stage_panel(figure, context, std::move(panel), {std::round(x + margins.left), y, first.w, first.h}, true,
                        true);
        x += panel_w;
    }
    add_axis_words(figure, context, {first.x, first.bottom() + margins.bottom + 4});
    if (context.options.caption)
        figure.marks.emplace_back(TextMark{settings_caption(context),
                                           {pad, context.height - 8},
                                           {text - 3, Font::words, context.colors().dim},
                                           AlignX::left,
                                           AlignY::bottom});
    return figure;
}

}  // namespace heed
