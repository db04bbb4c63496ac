#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/views/figure_about.h"
#include "app/views/view.h"
#include "app/widgets/item.h"
#include "core/figure/plot.h"
#include "core/lessons/actions.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// What a lesson speaks of stands in the light; the rest of the picture steps back.
void draw_spotlight(const FigureKind& kind, const ViewContext& context, const Figure& figure, ImVec2 origin) {
    const Pointing& pointing = context.session.pointing;
    if (pointing.view != kind.id || pointing.place.empty()) return;
    const std::optional<Rect> place = place_in(figure, pointing.place);
    if (!place) return;
    const float unit = ui_scale();
    const auto at = [&](float x, float y) { return ImVec2(origin.x + x * unit, origin.y + y * unit); };
    ImRect lit(at(place->x, place->y), at(place->right(), place->bottom()));
    lit.Expand(px(4));
    const ImRect whole(at(0, 0), at(figure.width, figure.height));
    lit.ClipWith(whole);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 veil = u32(with_alpha(colors().panel, 0.6F));
    list->AddRectFilled(whole.Min, {whole.Max.x, lit.Min.y}, veil);
    list->AddRectFilled({whole.Min.x, lit.Max.y}, whole.Max, veil);
    list->AddRectFilled({whole.Min.x, lit.Min.y}, {lit.Min.x, lit.Max.y}, veil);
    list->AddRectFilled({lit.Max.x, lit.Min.y}, {whole.Max.x, lit.Max.y}, veil);
    stroke_rect(list, lit.Min, lit.Max, u32(colors().accent), px(6), px(2));
}

// For What is this?: the place of the figure under the mouse.
void tell_what_it_is(const FigureKind& kind, const FigureContext& context, const Figure& figure, ImVec2 origin) {
    if (!is_inspecting() || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
    const float unit = ui_scale();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Point at{(mouse.x - origin.x) / unit, (mouse.y - origin.y) / unit};
    if (!Rect{0, 0, figure.width, figure.height}.contains(at)) return;
    About about = about_place(kind, context, figure, at);
    const Rect& box = about.box;
    about.box = {origin.x + box.x * unit, origin.y + box.y * unit, box.w * unit, box.h * unit};
    offer(std::move(about));
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
    context.session.figure_width = figure_context.width;
    context.session.figure_height = figure_context.height;
    const ImVec2 origin{std::round(ImGui::GetCursorScreenPos().x), std::round(ImGui::GetCursorScreenPos().y)};
    const Interaction interaction = draw_figure(kind.id.data(), figure, !is_inspecting());  // its card tells instead
    tell_what_it_is(kind, figure_context, figure, origin);
    draw_spotlight(kind, context, figure, origin);
    figure_menu(kind, context, figure, interaction);
    keep_plot_views(context.next.display, figure, interaction);
    if (act != nullptr) act(context, figure, interaction);
}

}  // namespace heed::app
