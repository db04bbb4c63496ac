// Block: what stands around attention. The pictures are core/figure/block_figure.
#include "app/views/depth_change.h"
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/counting.h"
#include "core/display/block_display.h"
#include "core/figure/block_pages.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/norms.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

struct Choice {
    std::string_view name, help;
};
constexpr Choice panels[] = {
    {"Stream", "From embedding to output: what each part writes into the stream"},
    {"Position-wise", "Nudge a token: a feed-forward changes that token only, attention changes others"},
    {"Depth", "How alike tokens become, layer by layer"},
};

// Whether dropdowns stand behind their names: in a narrow window "None" has to say of what.
bool is_titled() { return ImGui::GetWindowWidth() >= px(780); }

void residual_chip(ViewContext& context) {
    Depth depth = *context.next.model.depth;
    ChipFlow flow = toolbar_chip_flow();
    if (chip(flow, "Residual", "Residual", depth.residual, tr("Residual"),
             tr("A part adds what it computed to the stream; off, it replaces the stream by it.")))
        change_depth(context, depth);
    ImGui::SameLine();
}

// Where the norm stands and which it is, in one choice.
void norm_dropdown(ViewContext& context) {
    Depth depth = *context.next.model.depth;
    std::vector<Option> options{{std::string(tr(is_titled() ? "None" : "No norm")), {}, "none"}};
    std::vector<Depth> meant{depth};
    meant[0].norm_place = NormPlace::none;
    int chosen = 0;
    for (const NormPlace place : {NormPlace::before, NormPlace::after})
        for (const Norm& norm : norms()) {
            Depth one = depth;
            one.norm_place = place;
            one.norm = norm.id;
            if (depth.norm_place == place && depth.norm == norm.id) chosen = static_cast<int>(options.size());
            const bool is_before = place == NormPlace::before;
            options.push_back({std::string(tr(norm.name)),
                               std::string(tr(is_before ? "before each part" : "after each part")),
                               std::string(is_before ? "before " : "after ") + std::string(norm.id)});
            meant.push_back(std::move(one));
        }
    if (titled_dropdown("Norm", options, chosen, tr("Norm"), tr("Brings each token's numbers to one length")))
        change_depth(context, meant[static_cast<std::size_t>(chosen)]);
    ImGui::SameLine();
}

void feed_forward_dropdown(ViewContext& context) {
    Depth depth = *context.next.model.depth;
    std::vector<Option> options;
    int chosen = 0;
    for (const FeedForward& row : feed_forwards()) {
        if (row.id == depth.feed_forward) chosen = static_cast<int>(options.size());
        const bool is_none = row.activate == nullptr && !is_titled();
        options.push_back({std::string(tr(is_none ? "No feed-forward" : row.name)), {}, std::string(row.id)});
    }
    if (!titled_dropdown("Feed-forward", options, chosen, tr("Feed-forward"),
                         tr("A part that widens each token to d_ff units and back, by itself")))
        return;
    depth.feed_forward = feed_forwards()[static_cast<std::size_t>(chosen)].id;
    change_depth(context, depth);
}

void layer_dropdown(ViewContext& context) {
    const int layers = context.next.model.depth->layers;
    if (layers == 1) return;
    ImGui::SameLine();
    std::vector<Option> options;
    for (int layer = 0; layer < layers; ++layer)
        options.push_back({fill(tr("Layer {0}"), {shown_number(layer)}), {}, std::to_string(layer)});
    int chosen = std::clamp(context.next.display.layer, 0, layers - 1);
    if (titled_dropdown("Layer", options, chosen, tr("Layer"), tr("The layer that every view looks at")))
        context.next.display.layer = chosen;
}

Slider toolbar_slider(const char* id, std::string_view label) {
    ImGui::BeginChild(id, {slider_label_width(label) + px(210), px(28)});
    Slider row;
    row.label = label;
    row.own_label_width = true;
    return row;
}

void position_controls(ViewContext& context) {
    BlockDisplay& display = *context.next.display.block;
    std::vector<Option> options;
    const int count = context.next.model.n_queries;
    for (int token = 0; token < count; ++token)
        options.push_back({query_label(context.next.model, token), shown_number(token), std::to_string(token)});
    int chosen = std::min(display.nudged, count - 1);
    if (titled_dropdown("Nudged token", options, chosen, tr("Nudged token"), tr("Which token is moved")))
        display.nudged = chosen;
    ImGui::SameLine();
    Slider nudge = toolbar_slider("nudge row", "Nudge");
    nudge.name = "nudge";
    nudge.help = "How far it is moved, in standard deviations of its numbers";
    nudge.low = limits_of(display, display.nudge).low;
    nudge.high = limits_of(display, display.nudge).high;
    nudge.usual = BlockDisplay().nudge;
    slider(nudge, display.nudge);
    ImGui::EndChild();
}

void depth_controls(ViewContext& context) {
    BlockDisplay& display = *context.next.display.block;
    Slider seeds = toolbar_slider("seeds row", "Seeds");
    seeds.name = "seeds";
    seeds.help = "Over how many draws of all weights the lines are measured";
    seeds.low = limits_of(display, display.seeds).low;
    seeds.high = limits_of(display, display.seeds).high;
    seeds.integer = true;
    seeds.usual = BlockDisplay().seeds;
    slider(seeds, display.seeds);
    ImGui::EndChild();
    ImGui::SameLine();
    ChipFlow flow = toolbar_chip_flow();
    chip(flow, "Logarithmic", "Logarithmic", display.log, tr("Logarithmic"),
         tr("A share of 1 % as far below 10 % as that is below 100 %"));
}

void controls(ViewContext& context) {
    BlockDisplay& display = *context.next.display.block;
    std::vector<Segment> segments;
    for (const Choice& panel : panels)
        segments.push_back(
            {panel.name, std::string(tr(panel.name)), std::string(tr(panel.name)), std::string(tr(panel.help)), {}});
    int panel = static_cast<int>(display.panel);
    if (segmented("Block panel", segments, panel)) display.panel = static_cast<BlockPanel>(panel);
    residual_chip(context);
    norm_dropdown(context);
    feed_forward_dropdown(context);
    if (display.panel != BlockPanel::depth) layer_dropdown(context);
    if (display.panel == BlockPanel::position && why_no_depth(context.next.model).empty()) position_controls(context);
    if (display.panel == BlockPanel::depth) depth_controls(context);
}

FigureContext shown(const ViewContext& context) {
    return {.model = context.model,
            .trace = context.trace,
            .display = context.display,
            .language = context.session.settings.language,
            .theme = context.session.settings.theme,
            .measure = screen_measure(),
            .results = context.session.results.get()};
}

// What a part of the stream is explained by.
void open_part(ViewContext& context, int row) {
    const std::shared_ptr<const Around> around = stream_of(shown(context));
    if (around == nullptr) return;
    const std::vector<const Part*> parts = parts_of(around->transformer.config);
    const auto count = static_cast<int>(parts.size());
    context.next.display.layer = row / count;
    if (parts[static_cast<std::size_t>(row % count)]->attends)
        context.next.display.view = "pipeline";
    else
        context.next.display.block->panel = BlockPanel::position;
}

void cell_tooltip(const ViewContext& context, const Hit& hit) {
    const auto write = hit.target.number_of("write");
    const auto stream = hit.target.number_of("stream");
    if (!write && !stream) return;
    const std::shared_ptr<const Around> around = stream_of(shown(context));
    if (around == nullptr) return;
    const auto count = static_cast<int>(parts_of(around->transformer.config).size());
    const int row = write ? *write : *stream;
    const Matrix* of = &around->trace.input;
    if (row > 0) {
        if ((row - 1) / count >= static_cast<int>(around->trace.layers.size())) return;
        const PartTrace& part = around->trace.layers[static_cast<std::size_t>((row - 1) / count)]
                                    .parts[static_cast<std::size_t>((row - 1) % count)];
        of = write ? &part.write : &part.after;
    }
    const int token = followed_token(shown(context));
    if (token >= 0 ? hit.col >= of->cols() || token >= of->rows() : hit.col >= of->rows()) return;
    const std::string words =
        token >= 0 ? fill(tr("“{0}”, component {1}: {2}"), {query_label(context.model, token), shown_number(hit.col),
                                                            compact(static_cast<double>((*of)(token, hit.col)))})
                   : fill(tr("“{0}”: length {1}"), {query_label(context.model, static_cast<int>(hit.col)),
                                                    compact(static_cast<double>(of->row(hit.col).norm()))});
    ImGui::SetTooltip("%s", words.c_str());
}

void act(ViewContext& context, const Figure&, const Interaction& interaction) {
    BlockDisplay& display = *context.next.display.block;
    if (interaction.hovered && !interaction.dragged) cell_tooltip(context, *interaction.hovered);
    if (!interaction.clicked) return;
    const Hit& hit = *interaction.clicked;
    if (hit.target == "make block") {
        Depth depth = *context.next.model.depth;
        depth.residual = true;
        depth.norm_place = NormPlace::before;
        depth.feed_forward = "gelu";
        change_depth(context, depth);
    }
    if (const auto token = hit.target.number_of("follow"))
        display.followed = *token - 1 == display.followed ? -1 : *token - 1;
    if (const auto row = hit.target.number_of("part")) open_part(context, *row);
    const bool is_strip = hit.target.number_of("write") || hit.target.number_of("stream");
    if (is_strip && followed_token(shown(context)) < 0) display.followed = static_cast<int>(hit.col);
    for (const char* name : {"nudge", "nudge below"})
        if (const auto token = hit.target.number_of(name)) display.nudged = *token;
}

bool has_no_cell(const Display&) { return false; }

}  // namespace

View block_view() { return {"block", ImGuiKey_B, controls, act, has_no_cell}; }

}  // namespace heed::app
