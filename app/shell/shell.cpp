#include "app/shell/shell.h"

#include "app/panels/controls.h"
#include "app/panels/matrix_editor.h"
#include "app/platform/fonts.h"
#include "app/settings.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/menus.h"
#include "app/shell/panel.h"
#include "app/shell/status_bar.h"
#include "app/told.h"
#include "app/views/explainer_view.h"
#include "app/views/keep_state.h"
#include "app/widgets/slider.h"
#include "core/embedded.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"

#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace heed::app {

namespace {

constexpr float status_bar_height = 26;
constexpr float presentation_zoom = 1.4F;
constexpr double message_seconds = 12;
constexpr double computing_seconds = 0.1;  // shorter work needs no sign
constexpr double saved_seconds = 4;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Shell::Shell(Document& document, Session& session, ShellOptions options)
    : document_(document), session_(session), options_(std::move(options)), kept_settings_(session.settings) {
    if (options_.config_folder) kept_settings_ = load_settings(settings_file(*options_.config_folder));
    lessons_ = std::make_unique<LessonDesk>(*this);
    if (options_.offers_start && !session_.settings.is_welcomed) lessons_->welcome();
    document_.on_ready(options_.wake);
    session_.measuring->set_wake(options_.wake);
    if (options_.wake != nullptr) refinement_.emplace(*session_.results, options_.wake);
    if (options_.autosave_folder) {
        recovery_.ask(find_leftovers(*options_.autosave_folder));
        autosave_ = std::make_unique<Autosave>(*options_.autosave_folder);
        session_.message = autosave_->error();
    }
    view_to_show_ = document_.next().display.view;
    panel_to_show_ = explainer_panel;
}

Shell::~Shell() {
    if (autosave_ && wants_to_quit_) autosave_->end_cleanly();
    keep_settings();
    set_inspection(nullptr);
}

void Shell::finish_jobs() {
    if (refinement_) refinement_->finish();
    document_.wait_for_saving();
    import_.finish();
    export_.finish();
    lessons_->run().finish_jobs();
}

float Shell::zoom() const { return session_.settings.zoom * (session_.presentation ? presentation_zoom : 1.0F); }

std::string Shell::scene_title() const {
    const std::string title = heed::scene_title(document_.next(), session_.settings.language);
    if (!title.empty()) return title;
    return document_.path() ? shown_path(document_.path()->filename()) : std::string(tr("Untitled"));
}

void Shell::set_title(const std::string& title) {
    Scene& scene = document_.next();
    if (title == heed::scene_title(scene, session_.settings.language)) return;
    scene.title = title;
    scene.title_zh.clear();
}

bool Shell::has_just_saved() const { return ImGui::GetTime() - saved_since_ < saved_seconds && !document_.is_edited(); }

std::string Shell::shown_title() const {
    const LessonRun& lesson = lessons_->run();
    return lesson.is_running() ? lesson.player().lesson->title.in(language()) : scene_title();
}

std::string Shell::window_title() const { return shown_title() + (document_.is_edited() ? " *" : "") + " — Heed"; }

const std::vector<Example>& Shell::examples() {
    if (!examples_) {
        examples_.emplace();
        for (const std::string_view path : embedded_files("assets/scenes/")) {
            const Result<Scene> scene = load_scene(embedded_file(path), path);
            if (scene) examples_->push_back({std::string(path), scene->title, scene->title_zh});
        }
    }
    return *examples_;
}

void Shell::show_view(std::string_view view) {
    document_.next().display.view = view;
    view_to_show_ = view;
}

bool Shell::view_has_cell() const {
    const Display& display = document_.next().display;
    for (const View& view : views())
        if (view.id == display.view) return view.has_cell == nullptr || view.has_cell(display);
    return true;
}

void Shell::clear_below() {
    if (is_below_away_ != view_has_cell()) return;
    is_below_away_ = !is_below_away_;
    // A panel that comes back is docked at the end and in front.
    if (is_below_away_) {
        front_below_ = is_panel_shown(matrices_panel) ? matrices_panel : explainer_panel;
        is_cell_first_ = !is_before(matrices_panel, explainer_panel);
        are_matrices_away_ = front_below_ != matrices_panel;
    } else {
        if (is_panel_shown(matrices_panel)) front_below_ = matrices_panel;
        panel_to_show_ = front_below_;
        settling_ = 4;
    }
}

// Of the cell under the mouse, in the head under the mouse.
void Shell::draw_explainer(ViewContext& context) {
    Display display = context.display;
    if (session_.hover.head && *session_.hover.head < context.model.n_heads) display.head = *session_.hover.head;
    ViewContext hovered{.model = context.model,
                        .trace = context.trace,
                        .display = display,
                        .trace_owner = context.trace_owner,
                        .title = context.title,
                        .next = context.next,
                        .session = context.session};
    draw_kind(*find_figure_kind("explainer"), hovered, act_on_explainer);
}

void Shell::draw_panels() {
    clear_below();
    ViewContext context = view_context(document_, session_);
    if (shows_controls()) {
        if (begin_panel("Controls", controls_panel, true)) draw_controls(context);
        end_panel();
        remember_slider(take_moved_slider());
    }
    if (shows_explainer() && !is_below_away_) {
        if (begin_panel("Cell", explainer_panel, false) && !layout_.is_collapsed(explainer_panel))
            draw_explainer(context);
        end_panel();
    }
    if (std::exchange(session_.matrices.is_wanted, false)) {
        show_matrices_ = true;
        are_matrices_away_ = false;
        panel_to_show_ = matrices_panel;
        layout_.open_below();
    }
    if (shows_matrices()) {
        if (begin_panel("Matrices", matrices_panel, true) && !layout_.is_collapsed(matrices_panel))
            draw_matrix_editor(context);
        end_panel();
    }
    if (panel_to_show_) {
        if (settling_ > 0 && !is_below_away_)
            put_before(is_cell_first_ ? explainer_panel : matrices_panel,
                       is_cell_first_ ? matrices_panel : explainer_panel);
        show_panel(*panel_to_show_);
        if (settling_ == 0 && is_panel_shown(*panel_to_show_)) panel_to_show_.reset();
    }
    std::optional<std::string_view> focused;
    const std::string view_before = document_.next().display.view;
    for (const View& view : views()) {
        const FigureKind* kind = find_figure_kind(view.id);
        if (kind == nullptr) continue;
        const ImGuiWindow* panel = find_panel(view_panel(view.id));
        const bool is_in_bar = panel == nullptr || panel->DockId == layout_.center();
        if (is_in_bar && !tabs_.shows(view.id)) continue;
        // A tab that has just come is open until its bar knows which one is in front: nobody sees the others.
        const bool is_new = panel == nullptr || !panel->WasActive;
        ImGui::SetNextWindowDockID(layout_.center(), ImGuiCond_FirstUseEver);
        if (begin_panel(kind->name, view_panel(view.id), true) && (!is_new || view.id == view_before))
            draw_view(view, context);
        if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) focused = view.id;
        end_panel();
    }
    if (const std::optional<std::string_view> chosen = tabs_.draw(layout_.center())) show_view(*chosen);
    // A view may lead to another.
    if (const std::string& wanted = document_.next().display.view; wanted != view_before && !view_to_show_)
        view_to_show_ = wanted;
    settling_ = std::max(0, settling_ - 1);
    if (view_to_show_) {
        show_panel(view_panel(*view_to_show_));
        const bool is_settled = settling_ == 0 && !tabs_.is_settling();
        if (is_settled && is_panel_shown(view_panel(*view_to_show_))) view_to_show_.reset();
    } else if (focused) {
        document_.next().display.view = *focused;
    }
}

void Shell::draw_notice(ImVec2 at, ImVec2 size) {
    const double now = ImGui::GetTime();
    if (autosave_ && !autosave_->error().empty() && session_.message.empty())
        session_.message = autosave_->take_error();
    if (session_.message != timed_message_) {
        timed_message_ = session_.message;
        message_since_ = now;
    }
    if (now - message_since_ > message_seconds) session_.message.clear();
    computing_since_ = !document_.is_computing() ? -1 : computing_since_ < 0 ? now : computing_since_;
    const bool show_computing = computing_since_ >= 0 && now - computing_since_ > computing_seconds;
    const std::string notice = told(document_.refusal().empty() ? session_.message : document_.refusal());
    if (draw_status_bar(at, size, document_, notice, show_computing)) {
        session_.message.clear();
        document_.forget_refusal();
    }
}

void Shell::keep_settings() {
    if (!options_.config_folder || session_.settings == kept_settings_) return;
    kept_settings_ = session_.settings;
    take(save_settings(kept_settings_, settings_file(*options_.config_folder)));
}

void Shell::frame(ImVec2 size) {
    const auto start = std::chrono::steady_clock::now();
    set_language(session_.settings.language);
    document_.begin_frame();
    begin_escapes();
    begin_inspecting();
    lessons_->frame();
    handle_keys();
    lessons_->follow_view();
    const float bottom = px(status_bar_height);
    const float top = session_.presentation ? 0.0F : px(top_bar_height);
    const bool has_notice = !session_.message.empty() || !document_.refusal().empty();
    const float lesson = lessons_->width(size);
    const float left = std::max(1.0F, size.x - lesson);
    tabs_.frame(layout_.center_width() > 0 ? layout_.center_width() : left, document_.next().display.view);
    set_tab_padding(tabs_.padding());
    if (tabs_.is_settling() && !view_to_show_) view_to_show_ = document_.next().display.view;
    layout_.frame({0, top}, {left, std::max(1.0F, size.y - top - bottom)}, ui_scale(), session_.presentation);
    if (session_.presentation) {
        draw_presentation({left, size.y - (has_notice ? bottom : 0)});
        remember_slider(take_moved_slider());
    } else {
        draw_top_bar(*this, size.x);
        draw_panels();
    }
    lessons_->draw({left, top}, {lesson, size.y - top - (session_.presentation && !has_notice ? 0 : bottom)});
    if (!session_.presentation || has_notice) draw_notice({0, size.y - bottom}, {size.x, bottom});
    draw_dialogs();
    lessons_->draw_welcome();
    palette_.frame(*this);
    end_inspecting(size);

    session_.hover.cell = std::exchange(session_.hover.next_cell, std::nullopt);
    session_.hover.entry = std::exchange(session_.hover.next_entry, std::nullopt);
    session_.hover.head = std::exchange(session_.hover.next_head, std::nullopt);
    const double draw_ms = milliseconds_since(start);
    const auto drawn = std::chrono::steady_clock::now();
    const bool is_gesture = ImGui::IsAnyItemActive() || lessons_->run().is_sweeping();
    document_.prepare_with(picture_in_advance(session_));
    document_.end_frame(is_gesture);
    keep_asked_state(document_, session_);
    frame_times_.add(milliseconds_since(drawn), draw_ms);
    if (autosave_) autosave_->frame(lessons_->run().work(document_), is_gesture);
    if (!is_gesture) keep_settings();
    end_escapes();
}

namespace {

// Until the mouse has rested long enough for the tooltip of what is under it. ImGui counts in frames, and an idle window draws
// none.
std::optional<double> tooltip_in() {
    const ImGuiContext& g = *GImGui;
    if (g.HoverItemDelayId == 0) return std::nullopt;
    const float rest = std::max(g.Style.HoverDelayNormal - g.HoverItemDelayTimer,
                                g.Style.HoverStationaryDelay - g.MouseStationaryTimer);
    if (rest > 0) return static_cast<double>(rest) + 0.01;
    // The frame after the one in which the time was up lets the tooltip through.
    if (g.HoverItemUnlockedStationaryId != g.HoverItemDelayId) return 0.0;
    return std::nullopt;
}

// ImGui takes a key's press, its character and its release from its queue in a frame each, and measures a tooltip or menu in
// a frame in which it is not seen yet.
bool imgui_is_behind() {
    const ImGuiContext& g = *GImGui;
    if (!g.InputEventsQueue.empty()) return true;
    // The ground behind a dialog darkens by and by.
    if (ImGui::GetTopMostPopupModal() != nullptr ? g.DimBgRatio < 1 : g.DimBgRatio > 0) return true;
    return std::any_of(g.Windows.begin(), g.Windows.end(), [](const ImGuiWindow* window) {
        const bool is_passing = (window->Flags & (ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_Popup)) != 0;
        return is_passing && window->Active && window->HiddenFramesCannotSkipItems > 0;
    });
}

}  // namespace

std::optional<double> Shell::next_frame_in() const {
    if (imgui_is_behind() || tabs_.is_settling() || tabs_.is_behind(layout_.center_width())) return 0.0;
    if (session_.lesson->is_sweeping()) return 0.0;
    if (show_frame_times_ || document_.is_computing()) return 1.0 / 30;
    if (!session_.pointing.control.empty() && !session_.pointing.stays) return 1.0 / 30;  // its ring fades
    std::optional<double> seconds = tooltip_in();
    if (!session_.message.empty()) seconds = std::min(seconds.value_or(1e9), message_seconds);
    if (has_just_saved()) seconds = std::min(seconds.value_or(1e9), saved_seconds);
    if (autosave_ && autosave_->due()) {
        const std::chrono::duration<double> wait = *autosave_->due() - Autosave::Clock::now();
        seconds = std::max(0.0, std::min(seconds.value_or(1e9), wait.count()));
    }
    return seconds;
}

}  // namespace heed::app
