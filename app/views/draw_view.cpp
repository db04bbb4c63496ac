#include "app/platform/fonts.h"
#include "app/views/view.h"
#include "core/figure/plot.h"

#include <algorithm>

namespace heed::app {

namespace {

// Right-click: take the picture away, or only the map under the mouse.
void figure_menu(const FigureKind& kind, ViewContext& context, const Figure& figure, const Interaction& interaction) {
    if (interaction.right_clicked) {
        context.session.menu_target = interaction.right_clicked->target.name;
        ImGui::OpenPopup("figure menu");
    }
    if (!ImGui::BeginPopup("figure menu")) return;
    if (const FigureKind* part = find_figure_kind(context.session.menu_target); part != nullptr && part->id != kind.id)
        if (ImGui::MenuItem((fill(tr("Export only {0}…"), {tr(part->name)}) + "###export part").c_str()))
            context.session.export_wanted = part->id;
    if (ImGui::MenuItem((fill(tr("Export {0}…"), {tr(kind.name)}) + "###export figure").c_str()))
        context.session.export_wanted = kind.id;
    if (const PlotMark* plot = figure.find_plot(context.session.menu_target))
        if (ImGui::MenuItem(label("Copy the data as CSV").c_str())) ImGui::SetClipboardText(plot_csv(*plot).c_str());
    ImGui::EndPopup();
}

// What was under the mouse in the frame before may no longer exist: the scene can have shrunk since.
std::optional<Cell> existing(const std::optional<Cell>& hovered, const Model& model) {
    return hovered && hovered->query < model.n_queries && hovered->key < effective_n_keys(model) ? hovered
                                                                                                 : std::nullopt;
}
std::optional<StageCell> existing(const std::optional<StageCell>& entry, const Model& model) {
    if (!entry || !has_stage(model, entry->stage)) return std::nullopt;
    const Shape shape = stage_shape(model, entry->stage);
    return entry->row < shape.rows && entry->col < shape.cols ? entry : std::nullopt;
}
std::optional<int> existing(const std::optional<int>& head, const Model& model) {
    return head && *head < model.n_heads ? head : std::nullopt;
}

}  // namespace

ViewContext view_context(Document& document, Session& session) {
    return {.model = document.layer(),
            .trace = document.trace(),
            .display = document.scene().display,
            .trace_owner = document.shared_trace(),
            .title = scene_title(document.scene(), session.settings.language),
            .next = document.next(),
            .session = session};
}

void draw_view(const View& view, ViewContext& context) {
    const FigureKind* kind = find_figure_kind(view.id);
    if (view.controls != nullptr && !context.session.presentation) view.controls(context);
    draw_kind(*kind, context, view.act);
}

void draw_kind(const FigureKind& kind, ViewContext& context,
               void (*act)(ViewContext&, const Figure&, const Interaction&)) {
    if (std::string failed = context.session.measuring->take(); !failed.empty())
        context.session.message = std::move(failed);
    const float unit = ui_scale();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    FigureContext figure_context{.model = context.model,
                                 .trace = context.trace,
                                 .display = context.display,
                                 .title = context.title,
                                 .trace_owner = context.trace_owner,
                                 .language = context.session.settings.language,
                                 .theme = context.session.settings.theme,
                                 .measure = screen_measure(),
                                 .width = std::max(120.0F, room.x / unit),
                                 .height = std::max(90.0F, room.y / unit),
                                 .hovered = existing(context.session.hover.cell, context.model),
                                 .hovered_entry = existing(context.session.hover.entry, context.model),
                                 .hovered_head = existing(context.session.hover.head, context.model),
                                 .baseline = context.session.comparison.baseline,
                                 .show_difference = context.session.comparison.show_difference,
                                 .results = context.session.results.get(),
                                 .measured = context.session.measuring->measured()};
    figure_context.options.title = false;
    const Figure figure = kind.make(figure_context);
    const Interaction interaction = draw_figure(kind.id.data(), figure);
    figure_menu(kind, context, figure, interaction);
    keep_plot_views(context.next.display, figure, interaction);
    if (act != nullptr) act(context, figure, interaction);
}

}  // namespace heed::app
