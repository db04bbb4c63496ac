// Cost: its pages' controls, measuring, and what dragging n means. The pictures are core/figure/cost_*.
#include "app/cost_measuring.h"
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/cost/data.h"
#include "core/display/cost_display.h"
#include "core/figure/cost_pages.h"

#include <algorithm>

namespace heed::app {

namespace {

struct Choice {
    std::string_view name;
    std::string_view help;
};
constexpr Choice panels[] = {
    {"Measured", "Time and memory against the number of tokens, and what a chosen number needs"},
    {"Error", "What cheaper attention gets wrong: weights and output beside the exact ones"},
    {"Chunks", "Attention without ever holding a row of weights, one chunk of keys at a time"},
    {"Time", "Where the time of this scene goes, and what an additive score takes"},
    {"Sequential", "What must wait for what: recurrence, convolution and attention"},
};
constexpr int sizes[] = {1, 8, 32, 96};

// The slider takes the room it is given; a child keeps it from taking the whole row. In a narrow window it begins another.
void toolbar_slider(const Slider& look, int& value) {
    if (ImGui::GetContentRegionAvail().x < px(290)) ImGui::NewLine();
    ImGui::BeginChild(std::string(look.name).c_str(), {px(290), px(28)});
    slider(look, value);
    ImGui::EndChild();
    ImGui::SameLine();
}

void number_slider(std::string_view name, std::string_view label, std::string_view help, int& value, Limits<int> track,
                   Limits<int> typed, int usual, bool log, std::string_view zero_word = {}) {
    Slider look;
    look.name = name;
    look.label = label;
    look.help = help;
    look.low = track.low;
    look.high = track.high;
    look.typed_low = typed.low;
    look.typed_high = typed.high;
    look.integer = true;
    look.log = log;
    look.usual = usual;
    look.zero_word = zero_word;
    toolbar_slider(look, value);
}

// One of a few sizes that models have, with what is counted; another from a file stands beside them.
void size_dropdown(std::string_view name, std::string_view help, std::string_view one, std::string_view several,
                   int& value) {
    std::vector<int> offered(std::begin(sizes), std::end(sizes));
    if (std::ranges::find(offered, value) == offered.end()) offered.push_back(value);
    std::vector<Option> options;
    for (const int size : offered)
        options.push_back({fill(tr(size == 1 ? one : several), {std::to_string(size)}), {}, std::to_string(size)});
    int chosen = static_cast<int>(std::ranges::find(offered, value) - offered.begin());
    if (dropdown(name, px(110), options, chosen, tr(name), tr(help))) value = offered[static_cast<std::size_t>(chosen)];
    ImGui::SameLine();
}

void start_measuring(ViewContext& context) {
    const CostDisplay& display = *context.display.cost;
    CostMeasuring& measuring = *context.session.measuring;
    switch (display.panel) {
        case CostPanel::measured: {
            MeasureRequest request;
            for (const CostMethod& method : cost_methods())
                if (!is_switched_off(context.display, "cost", method.id)) request.methods.push_back(&method);
            request.d = display.width;
            request.parameters = parameters_of(display);
            measuring.measure_methods(request);
            break;
        }
        case CostPanel::time:
            measuring.measure_scene(context.model,
                                    std::shared_ptr<const AttentionTrace>(context.trace_owner, &context.trace));
            break;
        case CostPanel::sequential:
            measuring.measure_sequential(16, 4096);
            break;
        case CostPanel::error:
        case CostPanel::chunks:
            break;
    }
}

void measure_button(ViewContext& context) {
    CostMeasuring& measuring = *context.session.measuring;
    if (measuring.is_active()) {
        if (small_button("Cancel", "Stop measuring; what was measured so far stays")) measuring.cancel();
    } else if (small_button("Measure", "Measure on this machine, smallest sizes first", true)) {
        start_measuring(context);
    }
    ImGui::SameLine();
}

void measured_controls(ViewContext& context, CostDisplay& display) {
    measure_button(context);
    std::vector<Option> options{{std::string(tr("Time")), {}, "Time"}, {std::string(tr("Memory")), {}, "Memory"}};
    int quantity = static_cast<int>(display.quantity);
    if (titled_dropdown("Against n", options, quantity, tr("Against n"), tr("What the curves show")))
        display.quantity = static_cast<CostQuantity>(quantity);
    ImGui::SameLine();
    size_dropdown("Heads of a layer", "How many heads the table counts", "1 head", "{0} heads", display.heads);
    size_dropdown("Layers", "How many layers the table counts", "1 layer", "{0} layers", display.layers);
    ImGui::NewLine();
}

// What the chosen method takes, as sliders; the stepper's chunk is a page of its own.
void parameter_sliders(CostDisplay& display, const CostMethod& method) {
    struct Bound {
        int CostParameters::*parameter;
        int CostDisplay::*member;
        int high;
    };
    static constexpr Bound bounds[] = {{&CostParameters::window, &CostDisplay::window, 512},
                                       {&CostParameters::stride, &CostDisplay::stride, 512},
                                       {&CostParameters::globals, &CostDisplay::globals, 64},
                                       {&CostParameters::top, &CostDisplay::top, 512},
                                       {&CostParameters::features, &CostDisplay::features, 4096}};
    static const CostDisplay usual;
    for (const int index : method.parameters) {
        if (index < 0) continue;
        const CostParameter& parameter = cost_parameters()[static_cast<std::size_t>(index)];
        const bool has_root = parameter.value == &CostParameters::stride;  // its 0 is no stride of 0
        for (const Bound& bound : bounds)
            if (bound.parameter == parameter.value)
                number_slider(parameter.id, parameter.name, parameter.help, display.*bound.member,
                              Limits{has_root ? 1 : parameter.low, bound.high},
                              limits_of(display, display.*bound.member), usual.*bound.member, parameter.low > 0,
                              has_root ? "√n" : "");
    }
}

void error_controls(ViewContext& context, CostDisplay& display) {
    std::vector<Option> data{{std::string(tr("This scene")), {}, "This scene"}};
    for (const CostDataKind& kind : cost_data_kinds())
        data.push_back({std::string(tr(kind.name)), {}, std::string(kind.name)});
    int chosen_data = static_cast<int>(display.data);
    if (titled_dropdown("Data", data, chosen_data, tr("Data"), tr("What the methods are tried on")))
        display.data = static_cast<CostDataChoice>(chosen_data);
    ImGui::SameLine();
    std::vector<Option> methods;
    for (const CostMethod& method : cost_methods())
        methods.push_back({std::string(tr(method.name)), {}, std::string(method.id)});
    int chosen = static_cast<int>(find_cost_method(display.method) - cost_methods().data());
    if (titled_dropdown("Method", methods, chosen, tr("Method"), tr("Whose weights stand beside the exact ones")))
        display.method = cost_methods()[static_cast<std::size_t>(chosen)].id;
    ImGui::SameLine();
    const Limits ends = limits_of(display, display.data_n);
    if (display.data == CostDataChoice::scene)
        head_dropdown(context);
    else
        number_slider("data_n", "Tokens", "How many tokens are drawn", display.data_n, ends, ends, 256, true);
    parameter_sliders(display, *find_cost_method(display.method));
    ImGui::NewLine();
}

void chunk_controls(ViewContext& context, CostDisplay& display) {
    head_dropdown(context);
    const int keys = effective_n_keys(context.model);
    const int steps = (keys + display.chunk - 1) / display.chunk;
    display.step = std::min(display.step, steps);
    if (small_button("Back", "Forget the last chunk")) display.step = std::max(0, display.step - 1);
    ImGui::SameLine();
    if (small_button("Next chunk", "Read the next chunk of keys", true))
        display.step = std::min(steps, display.step + 1);
    ImGui::SameLine();
    int query = pinned_cell(context).query + 1;  // from 1 on the screen, from 0 in the scene
    const int before = query;
    const Limits queries{1, std::max(2, context.model.n_queries)};
    number_slider("query", "Query", "Which query reads the keys: the pinned one", query, queries, queries, 1, false);
    if (query != before) context.next.display.pin.query = std::clamp(query, 1, context.model.n_queries) - 1;
    number_slider("chunk", "Chunk size", "How many keys are read at a time", display.chunk,
                  Limits{1, std::max(2, keys)}, limits_of(display, display.chunk), 2, false);
    const Limits reads{0, std::max(1, steps)};
    number_slider("step", "Chunks read", "How many chunks were read", display.step, reads, reads, 1, false);
    ImGui::NewLine();
}

void controls(ViewContext& context) {
    CostDisplay& display = *context.next.display.cost;
    std::vector<Segment> segments;
    for (const Choice& panel : panels)
        segments.push_back(
            {panel.name, std::string(tr(panel.name)), std::string(tr(panel.name)), std::string(tr(panel.help)), {}});
    int panel = static_cast<int>(display.panel);
    if (segmented("Cost panel", segments, panel)) {
        display.panel = static_cast<CostPanel>(panel);
        context.session.measuring->cancel();  // it was for the page that is left
    }
    switch (display.panel) {
        case CostPanel::measured:
            measured_controls(context, display);
            break;
        case CostPanel::error:
            error_controls(context, display);
            break;
        case CostPanel::chunks:
            chunk_controls(context, display);
            break;
        case CostPanel::time:
        case CostPanel::sequential:
            measure_button(context);
            ImGui::NewLine();
            break;
    }
}

void act(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    if (interaction.hovered)
        if (const HeatmapMark* map = figure.find_heatmap(interaction.hovered->target.name))
            ImGui::SetTooltip(
                "%s",
                map->visible.at(interaction.hovered->row, interaction.hovered->col)
                    ? compact(static_cast<double>(map->values.at(interaction.hovered->row, interaction.hovered->col)))
                          .c_str()
                    : std::string(tr("hidden")).c_str());
    if (!interaction.dragged || interaction.dragged->target != "n") return;
    const Hit& hit = *interaction.dragged;
    if (hit.at.x == interaction.drag_start.x) return;
    const Frame* frame = figure.find_frame(hit.frame);
    if (frame == nullptr) return;
    CostDisplay& display = *context.next.display.cost;
    const Limits limits = limits_of(display, display.n);
    const std::shared_ptr<const CostMeasured> measured = context.session.measuring->measured();
    display.n = std::clamp(tokens_at(*frame, hit.at.x, measured.get()), limits.low, limits.high);
    ImGui::SetTooltip("n = %d", display.n);
}

bool has_no_cell(const Display&) { return false; }  // the room is for the pictures

}  // namespace

View cost_view() { return {"cost", ImGuiKey_T, controls, act, has_no_cell}; }

}  // namespace heed::app
