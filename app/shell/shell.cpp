#include "app/shell/shell.h"

#include "app/panels/controls.h"
#include "app/panels/matrix_editor.h"
#include "app/picture_file.h"
#include "app/platform/fonts.h"
#include "app/settings.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/menus.h"
#include "app/shell/panel.h"
#include "app/shell/status_bar.h"
#include "app/told.h"
#include "app/views/explainer_view.h"
#include "app/views/keep_state.h"
#include "app/views/picture_mask.h"
#include "app/widgets/slider.h"
#include "core/display/pipeline_display.h"
#include "core/edit/picture.h"
#include "core/embedded.h"
#include "core/figure/explainer_figure.h"
#include "core/files/lesson_file.h"
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

// Who has the arrow and page keys in a presentation while no widget has them; ImGui would move the focus.
const ImGuiID presentation_keys = ImHashStr("presentation");

// The same while a lesson is running.
const ImGuiID lesson_keys = ImHashStr("lesson");

FileFilter scene_filter() { return {std::string(tr("Scenes")), {".json"}}; }
FileFilter openable_filter() { return {std::string(tr("Scenes and pictures")), {".json", ".png"}}; }
FileFilter picture_filter() { return {std::string(tr("Pictures")), {".png"}}; }
FileFilter lesson_filter() { return {std::string(tr("Lessons")), {std::string(lesson_ending)}}; }
FileFilter array_filter() { return {std::string(tr("Arrays")), {".npy", ".csv", ".tsv", ".txt"}}; }

// A title as a file name.
std::string file_name(const std::string& title) {
    std::string name;
    for (const char c : title) name += c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? '-' : c;
    return (name.empty() || name.front() == '.' ? "scene" : name) + ".json";
}

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

bool Shell::has_just_saved() const { return !document_.is_edited() && ImGui::GetTime() - saved_since_ < saved_seconds; }

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

void Shell::take(const Status& status) {
    if (!status) session_.message = status.error();
}

// During a lesson the user's own scene is the one that must not be lost; the lesson's is there again tomorrow.
void Shell::begin(Intent intent) {
    if (document_.is_saving()) {
        pending_ = std::move(intent);  // follow_saving() comes back to it
    } else if (lessons_->run().work(document_).is_edited) {
        pending_ = std::move(intent);
        unsaved_.ask();
    } else {
        perform(intent);
    }
}

void Shell::perform(const Intent& intent) {
    if (intent.kind != Intent::Kind::open_dialog) lessons_->leave();
    switch (intent.kind) {
        case Intent::Kind::new_scene:
            document_.replace(default_scene(), std::nullopt);
            session_.comparison = {};
            break;
        case Intent::Kind::open_dialog:
            open_dialog(DialogFor::open);
            return;
        case Intent::Kind::open_file: {
            const Status opened = document_.open(intent.file);
            take(opened);
            if (!opened) {
                forget_file(session_.settings, intent.file);
                return;
            }
            remember_file(session_.settings, intent.file);
            session_.comparison = {};
            break;
        }
        case Intent::Kind::open_example: {
            Result<Scene> scene = load_scene(embedded_file(intent.file.string()), intent.file.string());
            if (!scene) {
                session_.message = scene.error();
                return;
            }
            document_.replace(std::move(*scene), std::nullopt);
            session_.comparison = {};
            break;
        }
        case Intent::Kind::quit:
            if (lessons_->editor().has_unsaved_words()) {
                pending_ = intent;
                asks_for_draft_ = true;
                unsaved_.ask();
            } else {
                wants_to_quit_ = true;
            }
            return;
    }
    session_.message.clear();
    view_to_show_ = document_.next().display.view;
}

void Shell::save(std::optional<Intent> then) {
    pending_ = std::move(then);
    if (document_.path())
        save_to(*document_.path());
    else
        open_dialog(DialogFor::save);
}

void Shell::save_to(const std::filesystem::path& file) { document_.save(file); }

void Shell::follow_saving() {
    const std::optional<Status> saved = document_.take_saved();
    if (!saved) return;
    take(*saved);
    const std::optional<Intent> then = std::exchange(pending_, std::nullopt);
    if (!*saved) return;
    session_.message.clear();
    saved_since_ = ImGui::GetTime();
    remember_file(session_.settings, *document_.path());
    if (then) begin(*then);  // which asks again where there were changes in the meantime
}

void Shell::open_dialog(DialogFor purpose) {
    dialog_for_ = purpose;
    FileRequest request;
    if (document_.path())
        request.folder = document_.path()->parent_path();
    else if (!session_.settings.recent_files.empty())
        request.folder = std::filesystem::path(session_.settings.recent_files.front()).parent_path();
    request.is_save = purpose == DialogFor::save || purpose == DialogFor::save_lesson;
    request.purpose = purpose == DialogFor::open          ? "Open scene"
                      : purpose == DialogFor::save        ? "Save scene"
                      : purpose == DialogFor::open_lesson ? "Open lesson"
                      : purpose == DialogFor::save_lesson ? "Save lesson"
                      : purpose == DialogFor::picture     ? "Take a picture’s patches as tokens"
                                                          : "Import matrix from a file";
    const bool is_lesson = purpose == DialogFor::open_lesson || purpose == DialogFor::save_lesson;
    request.filter = purpose == DialogFor::import_array ? array_filter()
                     : purpose == DialogFor::picture    ? picture_filter()
                     : purpose == DialogFor::open       ? openable_filter()
                     : is_lesson                        ? lesson_filter()
                                                        : scene_filter();
    if (purpose == DialogFor::save_lesson)
        request.name = draft_id(lessons_->editor().draft()) + std::string(lesson_ending);
    else if (request.is_save)
        request.name = document_.path() ? document_.path()->filename().string() : file_name(scene_title());
    file_dialog_.open(std::move(request), options_.wake, options_.native_dialogs);
}

void Shell::take_picture(const std::filesystem::path& file) {
    Result<Picture> picture = read_picture(file);
    if (!picture) {
        session_.message = picture.error();
        return;
    }
    session_.message = open_picture(document_.next().model, std::move(*picture)) ? mask_is_off() : std::string();
    show_view("picture");
}

void Shell::drop(const std::vector<std::filesystem::path>& files) {
    for (const std::filesystem::path& file : files) {
        if (file.string().ends_with(lesson_ending)) {
            lessons_->open(file);
            return;
        }
        if (!is_array_file(file)) {
            open_file(file);
            return;
        }
        import_.open(file, document_.next());
        return;
    }
}

void Shell::show_view(std::string_view view) {
    document_.next().display.view = view;
    view_to_show_ = view;
}

void Shell::handle_keys() {
    if (file_dialog_.is_open() || export_.is_choosing_file()) return;
    (void)handle_lesson_keys();
    for (const Action& row : actions())
        if (is_pressed(row) && can_run(row.command)) run(row.command);
    for (const View& view : views())
        if (is_pressed(view_keys(view))) show_view(view.id);
    if (!session_.presentation) return;
    const bool is_free = ImGui::GetTopMostPopupModal() == nullptr &&
                         !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) && !export_.is_open() &&
                         !show_shortcuts_ && !show_about_ && !show_frame_times_;
    if (!is_free) return;
    struct PresentationKey {
        ImGuiKey key;
        int step;         // of the explanation
        bool is_sliders;  // where a slider has the keyboard
    };
    constexpr PresentationKey keys[] = {
        {ImGuiKey_LeftArrow, -1, true}, {ImGuiKey_RightArrow, 1, true}, {ImGuiKey_PageUp, -1, false},
        {ImGuiKey_PageDown, 1, false},  {ImGuiKey_UpArrow, 0, false},   {ImGuiKey_DownArrow, 0, false},
        {ImGuiKey_Home, 0, true},       {ImGuiKey_End, 0, true},
    };
    for (const auto& [key, by, is_sliders] : keys) {
        if (is_sliders && has_slider_the_keyboard()) continue;
        const ImGuiID owner = ImGui::GetKeyOwner(key);
        if (owner != ImGuiKeyOwner_NoOwner && owner != presentation_keys) continue;
        ImGui::SetKeyOwner(key, presentation_keys);
        if (by != 0 && owner == presentation_keys &&
            ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, presentation_keys))
            step_explainer(by);
    }
    if (take_escape()) run(Command::presentation);
}

// Arrows and the keys of a presenter's remote are the lesson's first, then the explanation's; a text that is typed, a slider and
// whatever else the keyboard is on keep the arrows.
bool Shell::handle_lesson_keys() {
    if (!lessons_->run().is_running() || ImGui::GetIO().WantTextInput || ImGui::GetTopMostPopupModal() != nullptr ||
        ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup))
        return false;
    struct LessonKey {
        ImGuiKey key;
        int step;
        bool is_arrow;
    };
    constexpr LessonKey keys[] = {{ImGuiKey_RightArrow, 1, true},
                                  {ImGuiKey_LeftArrow, -1, true},
                                  {ImGuiKey_Space, 1, true},
                                  {ImGuiKey_PageDown, 1, false},
                                  {ImGuiKey_PageUp, -1, false}};
    int step = 0;
    for (const auto& [key, by, is_arrow] : keys) {
        if (is_arrow && (has_slider_the_keyboard() || ImGui::GetIO().NavVisible)) continue;
        const ImGuiID owner = ImGui::GetKeyOwner(key);
        if (owner != ImGuiKeyOwner_NoOwner && owner != lesson_keys) continue;
        ImGui::SetKeyOwner(key, lesson_keys);
        if (owner == lesson_keys && ImGui::IsKeyPressed(key, ImGuiInputFlags_None, lesson_keys)) step = by;
    }
    if (step != 0) lessons_->step(step);
    return step != 0;
}

void Shell::step_explainer(int by) {
    step_explanation(document_.next(), by);
    if (session_.presentation)
        presents_cell_ = true;
    else if (show_explainer_ && !is_panel_shown(explainer_panel))
        panel_to_show_ = explainer_panel;
    if (show_explainer_ && !session_.presentation) layout_.open_below();
}

void Shell::focus_panel(int by) {
    std::vector<std::string> panels;
    if (shows_controls()) panels.emplace_back(controls_panel);
    panels.push_back(view_panel(document_.next().display.view));
    for (const std::string_view below : {explainer_panel, matrices_panel})
        if (is_panel_shown(below)) panels.emplace_back(below);
    const auto count = static_cast<int>(panels.size());
    int at = by > 0 ? -1 : 0;
    for (int i = 0; i < count; ++i)
        if (has_keyboard(panels[static_cast<std::size_t>(i)])) at = i;
    const std::string& panel = panels[static_cast<std::size_t>((at + by + count) % count)];
    if (panel == explainer_panel || panel == matrices_panel) layout_.open_below();
    give_keyboard(panel);
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
        ImGui::SetNextWindowDockID(layout_.center(), ImGuiCond_FirstUseEver);
        if (begin_panel(kind->name, view_panel(view.id), true)) draw_view(view, context);
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

void Shell::recover(const Leftover& leftover) {
    Result<Scene> scene = read_leftover(leftover);
    if (!scene) {
        session_.message = scene.error();
        return;
    }
    document_.replace(std::move(*scene), leftover.origin);
    document_.mark_unsaved();
    view_to_show_ = document_.next().display.view;
    // Only once this program's own copy is written may the old one go.
    if (autosave_ && autosave_->write_now(document_)) discard_leftover(leftover);
}

// Of what would be lost: the lesson that is written, or the user's own scene, which may wait behind a lesson.
std::string Shell::title_in_question() {
    const auto named = [&](const std::string& title) { return title.empty() ? std::string(tr("Untitled")) : title; };
    if (asks_for_draft_) {
        const LessonDraft& draft = lessons_->editor().draft();
        const bool is_chinese = language() == Language::chinese && !draft.title_zh.empty();
        return named(is_chinese ? draft.title_zh : draft.title);
    }
    const Document::Aside* aside = lessons_->run().aside();
    return aside == nullptr ? scene_title() : named(heed::scene_title(aside->scene(), language()));
}

void Shell::draw_dialogs() {
    follow_saving();
    draw_shortcuts_window(show_shortcuts_);
    draw_about_window(show_about_, options_.renderer);
    frame_times_.draw_window(show_frame_times_);

    if (const std::optional<Leftover> leftover = recovery_.frame()) recover(*leftover);
    switch (unsaved_.frame(title_in_question())) {
        case UnsavedAnswer::save:
            if (std::exchange(asks_for_draft_, false)) {
                open_dialog(DialogFor::save_lesson);
                break;
            }
            lessons_->leave();  // the question was about what waits behind it
            save(std::exchange(pending_, std::nullopt));
            break;
        case UnsavedAnswer::discard:
            if (std::exchange(asks_for_draft_, false)) lessons_->editor().discard();
            if (const std::optional<Intent> intent = std::exchange(pending_, std::nullopt)) perform(*intent);
            break;
        case UnsavedAnswer::cancel:
            asks_for_draft_ = false;
            pending_.reset();
            break;
        case UnsavedAnswer::waiting:
            break;
    }
    const bool was_open = file_dialog_.is_open();
    if (const std::optional<std::filesystem::path> file = file_dialog_.frame()) {
        switch (dialog_for_) {
            case DialogFor::open:
                perform({Intent::Kind::open_file, *file});
                break;
            case DialogFor::save:
                save_to(*file);
                break;
            case DialogFor::import_array:
                import_.open(*file, document_.next());
                break;
            case DialogFor::picture:
                take_picture(*file);
                break;
            case DialogFor::open_lesson:
                lessons_->open(*file);
                break;
            case DialogFor::save_lesson:
                lessons_->save_draft(*file);
                // Where that failed, the message says why and nothing follows.
                if (const std::optional<Intent> then = std::exchange(pending_, std::nullopt);
                    then && !lessons_->editor().has_unsaved_words())
                    perform(*then);
                break;
        }
    } else if (was_open && !file_dialog_.is_open()) {
        pending_.reset();  // given up: so is what was to follow
    }
    if (const std::optional<std::string> sentence = import_.frame(document_)) session_.message = *sentence;
    if (std::exchange(session_.picture_wanted, false) && can_run(Command::open_picture))
        open_dialog(DialogFor::picture);
    if (const auto figure = std::exchange(session_.export_wanted, std::nullopt)) export_.open(*figure);
    export_.frame(document_, session_);
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
