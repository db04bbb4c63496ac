// Weights beside what they carry.
//
// What a weight carries is α·‖v‖, a length. As a share of the row's lengths (which is no share of the output: opposite values
// cancel there) both maps run from 0 to 1 and sum to 1, so that a cell that is dark in
// one and pale in the other is a large weight on a tiny value. As they are, lengths have no end: one scale holds both maps,
// so that one colour is one number there too.
#include "core/analysis/contributions.h"
#include "core/attention/normalizers.h"
#include "core/display/cells_display.h"
#include "core/display/contribution_display.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace heed {

namespace {

Matrix shares_by_row(Matrix map) {
    for (Index i = 0; i < map.rows(); ++i)
        if (const float total = map.row(i).sum(); total != 0) map.row(i) /= total;
    return map;
}

// As far as its own cells reach. Lengths may be any size, shares end at 1.
ColorScale own_scale(const FigureContext& context, const HeatmapMark& map, bool by_row) {
    ColorScale scale = weight_scale(context, map);
    if (scale.low < 0) scale = {color_map(context.display.cells->sequential_map).id, 0, 1};  // lengths have no sign
    if (!by_row && !scale.goes_on) scale.high = largest_magnitude(context, map.values, map.visible);
    if (scale.log) scale.low = scale.high * 1e-4F;
    return scale;
}

void share_digits(Figure& figure) {
    const HeatmapMark* weights = figure.find_heatmap("weights");
    for (Mark& mark : figure.marks)
        if (auto* heatmap = std::get_if<HeatmapMark>(&mark)) {
            heatmap->decimals = weights->decimals;
            heatmap->number_size = weights->number_size;
        }
}

// A length has no sign, a weight of L1 or L2 may.
std::string weight_symbol(const Model& model) { return normalizer(model.normalizer->id).may_be_negative ? "|α|" : "α"; }

// The cell under the mouse or the pin in numbers: the weight, the length of the value, and what they make.
std::string cell_words(const FigureContext& context, int head) {
    const bool is_over_cell = context.hovered && context.hovered->query >= 0 && context.hovered->key >= 0;
    const Cell cell = is_over_cell ? *context.hovered : pinned_cell(context);
    const Model& model = context.model;
    const float weight = context.trace.weights[head](cell.query, cell.key);
    if (!model.heads[static_cast<std::size_t>(head)].on)
        return std::string(context.word("This head is switched off: nothing of it reaches the output."));
    const float length = context.trace.v[kv_head_of(model, head)].row(cell.key).norm();
    return fill(
        context.word("“{0}” asks “{1}”: {2} = {3} · {4} = {5}"),
        {query_label(model, cell.query), key_label(model, cell.key), weight_symbol(model) + "·‖v‖",
         decimal(std::abs(weight), 3), decimal(length, 3), decimal(weight == 0 ? 0 : std::abs(weight) * length, 3)});
}

}  // namespace

Figure contribution_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const Rect page = add_page(figure, context, 20);
    const Model& model = context.model;
    const int head = shown_head(context);
    const float text = context.options.text_size;

    const bool by_row = context.display.contribution->by_row;
    // The head's gain, and 0 for one that is switched off, is part of what reaches the output; the shares are the same.
    const auto& settings = model.heads[static_cast<std::size_t>(head)];
    const float gain = settings.on ? std::abs(settings.gain) : 0.0F;
    const auto formula = [&](bool through_w_o) {
        if (!through_w_o) return weight_symbol(model) + "·‖v‖";
        const std::string factor = by_row || gain == 1 ? "" : compact(static_cast<double>(gain)) + "·";
        return factor + weight_symbol(model) + "·‖vW_{O}‖";
    };
    std::vector<StagePanel> panels;
    panels.push_back(stage_panel(context, Stage::weights));
    panels.back().has_row_sums = false;
    const auto carried = [&](bool through_w_o) {
        FigureContext plain = context;
        plain.show_difference = false;
        StagePanel panel = stage_panel(plain, Stage::weights);
        panel.id = through_w_o ? "carried through W_O" : "carried";
        panel.heatmap.id = panel.id;
        const std::string carries = formula(through_w_o);
        panel.title =
            by_row ? std::string(context.word(through_w_o ? "Share of lengths through W_{O}" : "Share of lengths"))
                   : carries;
        panel.note = by_row ? carries + " ÷ Σ"
                            : context.word(through_w_o ? "what reaches the output" : "what the weight carries");
        panel.has_row_sums = false;
        measure_panel(context, panel);
        const std::uint64_t version = bits_at(context.trace.version, 51, static_cast<std::uint64_t>(head),
                                              (through_w_o ? 1U : 0U) + (by_row ? 2U : 0U));
        panel.heatmap.values = *kept(context, "carried", version, [&] {
            Matrix map = contribution_map(model, context.trace, head, through_w_o);
            if (through_w_o && !by_row) map *= gain;
            return view_of(by_row ? shares_by_row(std::move(map)) : std::move(map), version);
        });
        panel.heatmap.scale = own_scale(context, panel.heatmap, by_row);
        return panel;
    };
    panels.push_back(carried(false));
    if (model.output_projection) panels.push_back(carried(true));
    // Weights of L1 and L2 have signs, what they carry has none: they keep a scale of their own.
    const bool has_signs = panels[0].heatmap.scale.low < 0;
    share_scale(context, std::span(panels).subspan(has_signs ? 1 : 0));
    for (StagePanel& panel : panels) measure_panel(context, panel);

    const Shape shape{panels[0].heatmap.shown_rows(), panels[0].heatmap.shown_cols()};
    const auto count = static_cast<float>(panels.size());
    const float foot_room = text * 3.4F;  // axis words and the pinned cell's
    float cell = 8;
    PanelMargins margins;
    for (int pass = 0; pass < 3; ++pass) {
        margins = panel_margins(context, panels[0], shape, cell, true, true);
        const float room_w = page.w / count - margins.left - 24;
        const float room_h = page.h - foot_room - margins.top - margins.bottom;
        cell = std::clamp(std::min(room_w / static_cast<float>(shape.cols), room_h / static_cast<float>(shape.rows)),
                          0.02F, 64.0F);
    }
    const float panel_w =
        std::min(margins.left + std::max(cell * static_cast<float>(shape.cols), text * 11) + 24, (page.w + 24) / count);
    float x = std::max(page.x, (context.width - panel_w * count) / 2);
    const float y = page.y + margins.top;
    const Rect first{x + margins.left, y, cell * static_cast<float>(shape.cols), cell * static_cast<float>(shape.rows)};
    PanelDress dress;
    dress.title_room = panel_w - margins.left - 8;
    for (StagePanel& panel : panels) {
        const bool is_long = panel.title_width > *dress.title_room && panel.id != "weights";
        const bool through_w_o = panel.id == "carried through W_O";
        if (is_long)
            panel.title = by_row ? context.word(through_w_o ? "Share through W_{O}" : "Share") : formula(through_w_o);
        measure_panel(context, panel);
        add_stage_panel(figure, context, std::move(panel), dress, {std::round(x + margins.left), y, first.w, first.h});
        x += panel_w;
    }
    share_digits(figure);
    const float foot = first.bottom() + margins.bottom + 4;
    add_axis_words(figure, context, {first.x, foot}, false);
    if (context.options.pins || context.hovered)
        figure.marks.emplace_back(TextMark{cell_words(context, head),
                                           {first.x, foot + text * 1.7F},
                                           {text - 1, Font::words, context.colors().text},
                                           AlignX::left,
                                           AlignY::top,
                                           0,
                                           true});
    return figure;
}

}  // namespace heed
