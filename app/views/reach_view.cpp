// Reach: its pages' controls, and what a click on a grid means. The pictures are core/figure/reach_*.
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/figure/reach_pages.h"
#include "core/model/mask_settings.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

struct Choice {
    std::string_view name;
    std::string_view help;
};
constexpr Choice panels[] = {
    {"Layers", "Which inputs reach an output through attention, convolution and recurrence, and how strongly"},
    {"One vector", "One context vector for every query against one for each"},
};

bool is_narrow() { return ImGui::GetWindowWidth() < px(640); }

// The slider takes the room it is given; a child keeps it from taking the whole row. In a narrow window it begins another.
template <typename Number>
bool toolbar_slider(Slider look, Number& value) {
    look.own_label_width = true;
    const float width = std::max(px(150), slider_label_width(look.label) + px(is_narrow() ? 96.0F : 126.0F));
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    ImGui::BeginChild(std::string(look.name).c_str(), {width, px(28)});
    const bool did = slider(look, value);
    ImGui::EndChild();
    ImGui::SameLine();
    return did;
}

bool number_slider(std::string_view name, std::string_view label, std::string_view help, int& value, Limits<int> track,
                   int usual, Limits<int> typed) {
    Slider look;
    look.name = name;
    look.label = label;
    look.help = help;
    look.low = track.low;
    look.high = track.high;
    look.typed_low = typed.low;
    look.typed_high = typed.high;
    look.integer = true;
    look.usual = usual;
    return toolbar_slider(look, value);
}

// A centred kernel has a tap in the middle: from an odd one the slider goes to the next odd one.
void kernel_slider(ViewContext& context, ReachDisplay& display) {
    const int before = display.kernel;
    const bool is_causal = context.next.model.self_attention && context.next.model.mask->causal;
    int kernel = used_kernel(before, is_causal);
    if (!number_slider("kernel", "Kernel",
                       "How many neighbouring tokens a convolution reads at once; odd unless it is causal", kernel,
                       {1, 15}, ReachDisplay{}.kernel, limits_of(display, display.kernel)))
        return;
    if (!is_causal && kernel % 2 == 0) kernel += kernel > before ? 1 : -1;
    display.kernel = kernel;
}

void layers_controls(ViewContext& context, ReachDisplay& display) {
    const ReachDisplay usual;
    const auto bounded = [&](std::string_view name, std::string_view label, std::string_view help,
                             int ReachDisplay::*member, Limits<int> track) {
        number_slider(name, label, help, display.*member, track, usual.*member, limits_of(display, display.*member));
    };
    bounded("depth", is_narrow() ? "Layers" : "Stacked layers", "How many layers lie between input and output",
            &ReachDisplay::depth, {1, most_reach_layers});
    kernel_slider(context, display);
    bounded("dilation", "Dilation", "Tokens from tap to tap of the convolution, in the first layer",
            &ReachDisplay::dilation, {1, 16});
    bounded("dilation_growth", "Growth", "How many times as far apart the taps are in each further layer",
            &ReachDisplay::dilation_growth, {1, 4});
    bounded("draws", "Draws", "How many stacks of random layers the influence is averaged over", &ReachDisplay::draws,
            {1, 16});
    std::vector<Option> kinds{{"tanh", {}, "tanh"}, {std::string(tr("gated")), {}, "gated"}};
    int kind = static_cast<int>(display.recurrence);
    if (titled_dropdown("Recurrence kind", kinds, kind, tr("Recurrence"),
                        tr("What carries the state from token to token")))
        display.recurrence = static_cast<ReachRecurrence>(kind);
    ImGui::SameLine();
    ChipFlow chips = toolbar_chip_flow();
    chip(chips, "Residual", "Residual", display.residual, tr("Residual"),
         tr("x + f(norm(x)) in every layer, as in a transformer; off, a layer is its mixer alone"));
    chip(chips, "Log colours", "Log colours", display.log_scale, tr("Log colours"),
         tr("Colours by the logarithm of the influence, from a millionth on"));
    ImGui::SameLine();
    if (small_button("Other layers", "Draw the layers from the next seed")) ++display.seed;
}

void vector_controls(ViewContext& context, ReachDisplay& display) {
    head_dropdown(context);
    std::vector<Option> kinds{{std::string(tr("Mean of the weights")), {}, "mean"},
                              {std::string(tr("Last state")), {}, "last"}};
    int kind = static_cast<int>(display.shared);
    if (titled_dropdown("Shared vector", kinds, kind, tr("Shared vector"),
                        tr("What every query would get instead of its own")))
        display.shared = static_cast<SharedContext>(kind);
    ImGui::SameLine();
    Slider look;
    look.name = "own";
    look.label = "Shared → own";
    look.help = "From one context for all queries (0) to each query’s own weights (1)";
    look.usual = 1;
    toolbar_slider(look, display.own);
    ImGui::NewLine();
}

void controls(ViewContext& context) {
    ReachDisplay& display = *context.next.display.reach;
    std::vector<Segment> segments;
    for (const Choice& panel : panels)
        segments.push_back(
            {panel.name, std::string(tr(panel.name)), std::string(tr(panel.name)), std::string(tr(panel.help)), {}});
    int panel = static_cast<int>(display.panel);
    if (segmented("Reach panel", segments, panel)) display.panel = static_cast<ReachPanel>(panel);
    if (display.panel == ReachPanel::vector)
        vector_controls(context, display);
    else
        layers_controls(context, display);
}

void cell_tooltip(ViewContext& context, const Figure& figure, const Hit& hit) {
    const HeatmapMark* map = figure.find_heatmap(hit.target.name);
    if (map == nullptr || hit.row >= map->values.rows || hit.col >= map->values.cols) return;
    const bool is_there = map->visible.at(hit.row, hit.col);
    const std::string number = compact(static_cast<double>(map->values.at(hit.row, hit.col)));
    if (hit.target == "shared weights") {
        ImGui::SetTooltip("%s", is_there ? number.c_str() : std::string(tr("hidden")).c_str());
        return;
    }
    const std::string token = quoted_token(context.model, hit.col);
    const std::string layer = std::to_string(map->values.rows - 1 - hit.row);
    ImGui::SetTooltip(
        "%s", (is_there ? fill(tr("{0} after {1} layers: {2} of the strongest in its row"), {token, layer, number})
                        : fill(tr("{0} after {1} layers: nothing leads from here to the output"), {token, layer}))
                  .c_str());
}

void act(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    if (interaction.hovered) cell_tooltip(context, figure, *interaction.hovered);
    ReachDisplay& display = *context.next.display.reach;
    if (interaction.clicked)
        for (const ReachMixer mixer : reach_mixers)
            if (interaction.clicked->target == mixer_target(mixer)) {
                int& end = interaction.clicked->row == 0 ? display.output : display.input;
                end = static_cast<int>(interaction.clicked->col);
            }
    if (!interaction.dragged || interaction.dragged->target != "distance") return;
    const Hit& hit = *interaction.dragged;
    const Frame* const frame = figure.find_frame(hit.frame);
    if (frame == nullptr || hit.at.x == interaction.drag_start.x) return;
    const Limits limits = limits_of(display, display.distance);
    display.distance = static_cast<int>(std::lround(
        std::clamp(frame->data_x(hit.at.x), static_cast<double>(limits.low), static_cast<double>(limits.high))));
    ImGui::SetTooltip("%d", display.distance);
}

bool has_no_cell(const Display&) { return false; }  // the room is for the pictures

}  // namespace

View reach_view() { return {"reach", ImGuiKey_R, controls, act, has_no_cell}; }

}  // namespace heed::app
