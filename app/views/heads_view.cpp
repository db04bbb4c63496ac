// Heads: sorting, switching and turning heads, and building one by design. The picture is core/figure/heads_figure.
#include "app/views/keep_state.h"
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "core/analysis/head_presets.h"
#include "core/analysis/head_statistics.h"
#include "core/attention/statistics.h"
#include "core/counting.h"
#include "core/display/contribution_display.h"
#include "core/display/heads_display.h"
#include "core/edit/sizes.h"
#include "core/figure/heads_figure.h"
#include "core/percent.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed::app {

namespace {

std::string percent(float share) {
    return fill(tr("{0} %"), {std::isnan(share) ? "—" : percent_digits(static_cast<double>(share))});
}

void head_tooltip(const ViewContext& context, int head, const Hit& hit) {
    const Model& model = context.model;
    const WeightStatistics& s = context.trace.heads[static_cast<std::size_t>(head)];
    const Archetype archetype = head_archetype(model, context.trace, head);
    std::string text = fill(tr("Head {0}"), {shown_number(head)});
    if (archetype.id != "none") text += " · " + std::string(tr(archetype.name));
    if (archetype.chance > 0)  // otherwise no row had a choice, and nothing was measured
        text += "\n" + fill(tr("{0}: {1}, with even attention {2}"),
                            {tr(archetype.measure), decimal(static_cast<double>(archetype.value), 2),
                             decimal(static_cast<double>(archetype.chance), 2)});
    const auto [entropy, keys] = entropy_words(model, s);
    const std::string peak = mean_in_digits(s.peak, 2);
    if (have_distances(model)) {
        text += "\n" + fill(tr("entropy {0} bits · {1} keys in effect · mean distance {2} · peak {3}"),
                            {entropy, keys, mean_in_digits(s.mean_distance, 2), peak});
        text += "\n" + fill(tr("on the first token {0}, on itself {1}, on the token before {2}"),
                            {percent(s.first_token), percent(s.diagonal), percent(s.previous_token)});
    } else {
        text += "\n" + fill(tr("entropy {0} bits · {1} keys in effect · peak {2}"), {entropy, keys, peak});
        text += "\n" + fill(tr("on the first token {0}"), {percent(s.first_token)});
    }
    if (model.n_kv_heads < model.n_heads)
        text += "\n" + fill(tr("uses key and value head {0}"), {shown_number(kv_head_of(model, head))});
    text += "\n" + fill(tr("“{0}” asks “{1}”: {2}"),
                        {query_label(model, static_cast<int>(hit.row)), key_label(model, static_cast<int>(hit.col)),
                         compact(static_cast<double>(context.trace.weights[head](hit.row, hit.col)))});
    ImGui::SetTooltip("%s", text.c_str());
}

struct OrderRow {
    HeadOrder order;
    std::string_view name;
};
constexpr OrderRow orders[] = {{HeadOrder::number, "Number"},
                               {HeadOrder::entropy, "Entropy"},
                               {HeadOrder::distance, "Mean distance"},
                               {HeadOrder::peak, "Peak"},
                               {HeadOrder::first_token, "First token"},
                               {HeadOrder::diagonal, "Diagonal"},
                               {HeadOrder::previous_token, "Previous token"}};

constexpr std::string_view details[] = {"Shown head", "Mean", "Max", "Winner"};

// Projections are found for what the layer reads, which below it other layers may have written.
void add_by_design(ViewContext& context, std::string_view preset) {
    Model& model = context.next.model;
    if (context.trace.around == nullptr) {
        context.next.display.head = add_preset_head(model, preset);
        return;
    }
    Model layer = context.model;
    context.next.display.head = add_preset_head(layer, preset);
    take_back(model, context.trace, std::move(layer));
    follow_heads(model);
    fit_matrices(model);
}

void gallery(ViewContext& context) {
    if (small_button("Add a head…", "Heads that do something by design")) ImGui::OpenPopup("head gallery");
    if (!ImGui::BeginPopup("head gallery")) return;
    const std::string_view reason = why_no_preset_head(context.next.model);
    const std::string why_not(reason.empty() ? reason : tr(reason));
    if (!why_not.empty()) ImGui::TextDisabled("%s", why_not.c_str());
    ImGui::BeginDisabled(!why_not.empty());
    for (const HeadPreset& preset : head_presets()) {
        if (ImGui::MenuItem(label(preset.name).c_str())) {
            add_by_design(context, preset.id);
        }
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
            ImGui::SetTooltip("%s", std::string(tr(preset.how)).c_str());
    }
    ImGui::EndDisabled();
    ImGui::EndPopup();
}

void drag_gain(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    const Hit* hit = interaction.dragged          ? &*interaction.dragged
                     : interaction.double_clicked ? &*interaction.double_clicked
                                                  : nullptr;
    if (hit == nullptr) return;
    const std::optional<int> head = hit->target.number_of("gain");
    if (!head || *head >= context.next.model.n_heads) return;
    HeadSetting& setting = context.next.model.heads[static_cast<std::size_t>(*head)];
    if (interaction.double_clicked) {
        setting.gain = 1;
    } else if (const Frame* frame = figure.find_frame(hit->frame)) {
        const double gain = std::clamp(frame->data_x(hit->at.x), 0.0, largest_gain);
        setting.gain = static_cast<float>(std::round(gain * 20) / 20);
        ImGui::SetTooltip("× %s", decimal(static_cast<double>(setting.gain), 2).c_str());
    }
}

void controls(ViewContext& context) {
    HeadsDisplay& heads = *context.next.display.heads;
    std::vector<Option> options;
    for (const OrderRow& row : orders) options.push_back({std::string(tr(row.name)), {}, std::string(row.name)});
    int order = static_cast<int>(heads.sort);
    if (titled_dropdown("Sort by", options, order, tr("Sort by"), tr("The order of the heads, largest first")))
        heads.sort = orders[static_cast<std::size_t>(order)].order;
    ImGui::SameLine();
    options.clear();
    for (const std::string_view name : details) options.push_back({std::string(tr(name)), {}, std::string(name)});
    int detail = static_cast<int>(heads.detail);
    if (titled_dropdown("Large map", options, detail, tr("Large map"), tr("One head, or all of them in one map")))
        heads.detail = static_cast<HeadsDetail>(detail);
    ImGui::SameLine();
    if (small_button("All heads on", "Switch every head on with gain 1"))
        for (HeadSetting& head : context.next.model.heads) head = {};
    ImGui::SameLine();
    gallery(context);
    ImGui::SameLine();
    difference_controls(context);
}

void act(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    if (interaction.hovered) {
        if (const auto head = interaction.hovered->target.number_of("head")) {
            context.session.hover.next_head = head;
            context.session.hover.next_cell =
                Cell{static_cast<int>(interaction.hovered->row), static_cast<int>(interaction.hovered->col)};
            if (!interaction.dragged) head_tooltip(context, *head, *interaction.hovered);
        } else if (interaction.hovered->target == "detail") {
            context.session.hover.next_cell =
                Cell{static_cast<int>(interaction.hovered->row), static_cast<int>(interaction.hovered->col)};
        }
    }
    drag_gain(context, figure, interaction);
    if (!interaction.clicked) return;
    const Hit& hit = *interaction.clicked;
    if (const auto head = hit.target.number_of("head")) {
        context.next.display.head = *head;
        context.next.display.pinned = true;
        context.next.display.pin = {static_cast<int>(hit.row), static_cast<int>(hit.col)};
    }
    if (hit.target == "detail") {
        context.next.display.pinned = true;
        context.next.display.pin = {static_cast<int>(hit.row), static_cast<int>(hit.col)};
    }
    if (const auto head = hit.target.number_of("switch"); head && *head < context.next.model.n_heads) {
        bool& on = context.next.model.heads[static_cast<std::size_t>(*head)].on;
        on = !on;
    }
    if (hit.target == "similarity") context.next.display.head = static_cast<int>(hit.row);
}

}  // namespace

View heads_view() { return {"heads", ImGuiKey_2, controls, act}; }

}  // namespace heed::app
