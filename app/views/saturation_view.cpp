// Saturation: its panels' controls, and what dragging d_k, T, a logit or a score means. The pictures are core/figure/saturation_*.
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/analysis/saturation.h"
#include "core/attention/pipeline.h"
#include "core/display/saturation_display.h"
#include "core/edit/matrices.h"
#include "core/edit/sizes.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace heed::app {

namespace {

struct Choice {
    std::string_view name;
    std::string_view help;
};
constexpr Choice panels[] = {
    {"Score density", "How q·k is spread at this d_k, against a normal of variance d_k"},
    {"Twins", "One row of softmax with and without 1/√d_k, from the same random numbers"},
    {"Curves", "Largest weight, entropy and gradient against d_k and against the temperature"},
    {"Phase map", "Where softmax is frozen, healthy or uniform, over temperature and d_k"},
    {"Temperature", "The pinned row from argmax to uniform, and other normalisers on it"},
    {"Numerics", "Naive and stable softmax in four number formats"},
};
constexpr Choice score_parts[] = {
    {"Density", "How q·k is spread at this d_k"},
    {"Term by term", "How its variance comes about: one product q_i·k_i after the other"}};
constexpr Choice gradients[] = {{"the scaled score", "What enters the softmax"},
                                {"the raw score", "q·k itself: the chain rule adds scale/T"},
                                {"Both", "Solid scaled, dashed raw"}};
constexpr Choice colours[] = {{"Entropy", "H / ln m"}, {"Gradient", "‖J‖_{F}"}};

std::vector<Option> options_of(std::span<const Choice> choices) {
    std::vector<Option> options;
    for (const Choice& choice : choices)
        options.push_back({std::string(tr(choice.name)), {}, std::string(choice.name)});
    return options;
}

void keys_slider(SaturationDisplay& display) {
    // The slider takes the room it is given; a child keeps it from taking the whole row.
    ImGui::BeginChild("keys", {px(300), px(28)});
    Slider keys;
    keys.name = "keys";
    keys.label = "Random keys m";
    keys.help = "How many keys each random query is compared with";
    const Limits limits = limits_of(display, display.keys);
    keys.low = limits.low;
    keys.high = limits.high;
    keys.log = true;
    keys.integer = true;
    keys.usual = 8;
    slider(keys, display.keys);
    ImGui::EndChild();
    ImGui::SameLine();
}

// Spread and correlation of what is added up.
void terms_sliders(SaturationDisplay& display) {
    const auto small_slider = [](Slider& s, float& value, Limits<float> limits) {
        ImGui::BeginChild(std::string(s.name).c_str(), {px(260), px(28)});
        s.low = limits.low;
        s.high = limits.high;
        slider(s, value);
        ImGui::EndChild();
        ImGui::SameLine();
    };
    Slider spread;
    spread.name = "spread";
    spread.label = "Spread σ";
    spread.help =
        "Standard deviation of the components of q and k: it enters the variance of q·k with its fourth power";
    spread.log = true;
    spread.usual = 1;
    small_slider(spread, display.spread, limits_of(display, display.spread));
    Slider correlation;
    correlation.name = "correlation";
    correlation.label = "Correlation ρ";
    correlation.help = "Of q_i and k_i: 0 where they are independent, as the rule “variance d_k” takes them to be";
    correlation.usual = 0;
    small_slider(correlation, display.correlation, limits_of(display, display.correlation));
}

// What a person would type: three digits.
double three_digits(double value) {
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
    return std::round(value / unit) * unit;
}

// A drag stops at powers of two, as the slider does; with Alt it does not.
double dragged_d_k(double value) {
    return ImGui::GetIO().KeyAlt ? value : std::exp2(std::round(std::log2(std::max(1.0, value))));
}

void set_d_k(Model& model, double value) {
    set_size(model, Size::d_k,
             static_cast<int>(std::lround(std::clamp(value, 1.0, static_cast<double>(largest_drawn_d_k)))));
}

void set_temperature(Model& model, double value) {
    model.temperature = static_cast<float>(three_digits(std::clamp(value, lowest_temperature, highest_temperature)));
}

// A bias makes up the difference between the logit there is and the one that is wanted.
void set_logit(ViewContext& context, int key, double wanted) {
    const int head = shown_head(context);
    const int query = pinned_cell(context).query;
    if (key >= effective_n_keys(context.model) || key >= effective_n_keys(context.next.model)) return;
    const auto now = static_cast<double>(stage_value(context.model, context.trace, Stage::masked, head, query, key));
    if (!std::isfinite(now)) return;
    Model& model = context.next.model;
    // A bias that took no part would come back with other numbers than the one that is dragged.
    if (!model.bias_on) seed_block(model, Operand::bias, head, whole_operand(model, Operand::bias));
    const double before =
        context.model.bias_on ? static_cast<double>(cell_value(context.model, Operand::bias, head, query, key)) : 0.0;
    set_block(model, Operand::bias, head, {query, key, 1, 1},
              static_cast<float>(before + std::round((wanted - now) * 100) / 100));
}

void controls(ViewContext& context) {
    SaturationDisplay& display = *context.next.display.saturation;
    std::vector<Segment> segments;
    for (const Choice& panel : panels)
        segments.push_back(
            {panel.name, std::string(tr(panel.name)), std::string(tr(panel.name)), std::string(tr(panel.help)), {}});
    int panel = static_cast<int>(display.panel);
    if (segmented("Saturation panel", segments, panel)) display.panel = static_cast<SaturationPanel>(panel);
    switch (display.panel) {
        case SaturationPanel::curves: {
            keys_slider(display);
            int of = static_cast<int>(display.gradient_of);
            if (titled_dropdown("Gradient of", options_of(gradients), of, tr("Gradient of"),
                                tr("Which score ‖J‖ is taken with respect to")))
                display.gradient_of = static_cast<GradientOf>(of);
            break;
        }
        case SaturationPanel::twins:
            keys_slider(display);
            ImGui::NewLine();
            break;
        case SaturationPanel::phase: {
            if (display.own_scores)
                head_dropdown(context);
            else
                keys_slider(display);
            int colour = static_cast<int>(display.phase);
            if (titled_dropdown("Map colour", options_of(colours), colour, tr("Map colour"),
                                tr("What the colours of the map mean")))
                display.phase = static_cast<PhaseColour>(colour);
            ImGui::SameLine();
            ChipFlow flow = toolbar_chip_flow();
            chip(flow, "From this scene", "From this scene", display.own_scores, tr("From this scene"),
                 tr("The shown head's own scores instead of random ones"));
            break;
        }
        case SaturationPanel::scores: {
            int part = static_cast<int>(display.scores);
            if (titled_dropdown("Scores shown", options_of(score_parts), part, tr("Show"),
                                tr("The density of q·k, or how its variance comes about")))
                display.scores = static_cast<ScoresPart>(part);
            ImGui::SameLine();
            if (display.scores == ScoresPart::terms)
                terms_sliders(display);
            else
                head_dropdown(context);
            ImGui::NewLine();
            break;
        }
        case SaturationPanel::temperature:
            head_dropdown(context);
            ImGui::NewLine();
            break;
        case SaturationPanel::numerics:
            break;
    }
}

// What a handle stands at while it is dragged, in symbols that need no translation.
void show_value(const ViewContext& context, const Hit& hit, const Frame& frame) {
    const Model& model = context.next.model;
    const std::string d_k = "d_{k} = " + std::to_string(model.d_k);
    const std::string temperature = "T = " + compact(static_cast<double>(model.temperature));
    const std::string& what = hit.target.name;
    std::string words;
    if (what == "d_k") words = d_k;
    if (what == "temperature") words = temperature;
    if (what == "phase") words = d_k + ", " + temperature;
    if (what == "numerics")
        words = "s = " + compact(static_cast<double>(context.next.display.saturation->largest_score));
    if (hit.target.number_of("logit"))
        words = compact(std::round(std::clamp(frame.data_y(hit.at.y), frame.y.low, frame.y.high) * 100) / 100);
    if (!words.empty()) tell_value(words);
}

// A click on a phase map moves the dot there; a second one right after it fits the map, and the dot goes back.
void act_on_phase_map(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    std::optional<PhaseClick>& first = context.session.phase_click;
    const bool is_double =
        (interaction.double_clicked && interaction.double_clicked->target.name == "phase") ||
        (interaction.plot && interaction.plot->is_whole && interaction.plot->plot.starts_with("phase "));
    if (is_double && first &&
        ImGui::GetTime() - first->at <= 2.0 * static_cast<double>(ImGui::GetIO().MouseDoubleClickTime))
        context.next.model = first->before;
    if (is_double) first.reset();
    if (!interaction.clicked || !interaction.clicked->target.name.starts_with("phase ")) return;
    if (const Frame* frame = figure.find_frame(interaction.clicked->target)) {
        first = PhaseClick{ImGui::GetTime(), context.next.model};
        set_d_k(context.next.model, frame->data_y(interaction.clicked->at.y));
        set_temperature(context.next.model, frame->data_x(interaction.clicked->at.x));
    }
}

void act(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    act_on_phase_map(context, figure, interaction);
    if (!interaction.dragged) return;
    const Hit& hit = *interaction.dragged;
    const Frame* frame = figure.find_frame(hit.frame);
    if (frame == nullptr) return;
    // A press on a dot that does not move is no change.
    if (hit.at.x == interaction.drag_start.x && hit.at.y == interaction.drag_start.y) return;
    Model& model = context.next.model;
    const std::string& what = hit.target.name;
    if (what == "d_k") {
        set_d_k(model, dragged_d_k(frame->data_x(hit.at.x)));
    } else if (what == "temperature") {
        set_temperature(model, frame->data_x(hit.at.x));
    } else if (what == "phase") {
        set_d_k(model, dragged_d_k(frame->data_y(hit.at.y)));
        set_temperature(model, frame->data_x(hit.at.x));
    } else if (what == "numerics") {
        SaturationDisplay& display = *context.next.display.saturation;
        const Limits limits = limits_of(display, display.largest_score);
        display.largest_score =
            std::clamp(static_cast<float>(three_digits(frame->data_x(hit.at.x))), limits.low, limits.high);
    } else if (const auto key = hit.target.number_of("logit")) {
        set_logit(context, *key, std::clamp(frame->data_y(hit.at.y), frame->y.low, frame->y.high));
    }
    show_value(context, hit, *frame);
}

bool shows_pinned_row(const Display& display) { return display.saturation->panel == SaturationPanel::temperature; }

}  // namespace

View saturation_view() { return {"saturation", ImGuiKey_5, controls, act, shows_pinned_row}; }

}  // namespace heed::app
