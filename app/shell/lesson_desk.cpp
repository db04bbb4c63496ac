#include "app/shell/lesson_desk.h"

#include "app/gl/imgui_compat.h"
#include "app/lessons/lesson_list.h"
#include "app/panels/lesson_panel.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/shell/panel.h"
#include "app/shell/shell.h"
#include "app/widgets/item.h"
#include "core/files/lesson_file.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::app {

namespace {

constexpr float panel_width = 330;
constexpr float editor_width = 400;
constexpr float collapsed_width = 40;
constexpr float margin = 8;
constexpr float header_height = 37;
constexpr float narrowest_large_panel = 300;  // in a presentation
constexpr float share_of_presentation = 0.31F;

bool has_user_acted() {
    const ImVector<ImGuiInputEvent>& events = ImGui::GetCurrentContext()->InputEventsTrail;
    return std::any_of(events.begin(), events.end(), [](const ImGuiInputEvent& event) {
        return (event.Type == ImGuiInputEventType_Key && event.Key.Down) ||
               (event.Type == ImGuiInputEventType_MouseButton && event.MouseButton.Down);
    });
}

}  // namespace

LessonDesk::LessonDesk(Shell& shell) : shell_(shell) {
    if (shell.session_.lesson == nullptr) shell.session_.lesson = std::make_shared<LessonRun>();
    run().set_wake(shell.options_.wake);
}

LessonRun& LessonDesk::run() { return *shell_.session_.lesson; }

const std::vector<Lesson>& LessonDesk::list() {
    if (!list_) list_ = all_lessons();
    return *list_;
}

const Lesson* LessonDesk::about(std::string_view topic) { return lesson_about(list(), topic); }

void LessonDesk::start(Lesson lesson, const std::filesystem::path& folder, int step) {
    const Status started = run().start(shell_.document_, shell_.session_, std::move(lesson), folder, step);
    shell_.take(started);
    if (!started) return;
    shell_.session_.message.clear();
    is_welcoming_ = false;
    keep_mark();
    follow_view();
}

void LessonDesk::start(std::string_view id, int step) {
    for (const Lesson& lesson : list())
        if (lesson.id == id) {
            is_built_in_ = true;
            start(lesson, {}, step);
            return;
        }
    shell_.session_.message = fill(tr("There is no lesson “{0}”"), {id});
}

void LessonDesk::open(const std::filesystem::path& file) {
    Result<Lesson> lesson = read_lesson(file);
    if (!lesson) {
        shell_.session_.message = lesson.error();
        return;
    }
    is_built_in_ = false;
    start(std::move(*lesson), file.has_parent_path() ? file.parent_path() : std::filesystem::path("."), 0);
}

void LessonDesk::leave() {
    if (!run().is_running()) return;
    run().leave(shell_.document_, shell_.session_);
    shell_.document_.end_frame(false);
    follow_view();
}

void LessonDesk::finish() {
    if (!run().is_running()) return;
    keep_mark();
    if (is_built_in_) shell_.session_.settings.lessons.front().is_done = true;
    const std::string title = run().player().lesson->title.in(shell_.language());
    leave();
    shell_.session_.message = "✓ " + fill(tr("Lesson finished: {0}"), {title});
}

// How far the user has come, kept with the settings; the lesson played last comes first.
void LessonDesk::keep_mark() {
    if (!run().is_running() || !is_built_in_) return;
    std::vector<LessonMark>& marks = shell_.session_.settings.lessons;
    const auto known = std::ranges::find(marks, run().id(), &LessonMark::id);
    LessonMark mark = known != marks.end() ? *known : LessonMark{.id = run().id()};
    if (known != marks.end()) marks.erase(known);
    mark.furthest = std::max(mark.furthest, run().furthest());
    marks.insert(marks.begin(), std::move(mark));
}

bool LessonDesk::can_go_on_where_left() {
    return std::ranges::any_of(shell_.session_.settings.lessons, [&](const LessonMark& mark) {
        return !mark.is_done && (!run().is_running() || run().id() != mark.id) &&
               std::ranges::find(list(), mark.id, &Lesson::id) != list().end();
    });
}

void LessonDesk::go_on_where_left() {
    for (const LessonMark& mark : shell_.session_.settings.lessons) {
        if (mark.is_done || (run().is_running() && run().id() == mark.id)) continue;
        if (std::ranges::find(list(), mark.id, &Lesson::id) == list().end()) continue;
        const LessonMark found = mark;  // starting moves it
        start(found.id, found.furthest);
        return;
    }
}

void LessonDesk::step(int by) {
    if (!run().is_running()) return;
    if (by > 0)
        run().go_on(shell_.document_, shell_.session_);
    else
        run().go_back(shell_.document_, shell_.session_);
    keep_mark();
}

void LessonDesk::frame() {
    LessonRun& lesson = run();
    if (!lesson.is_running()) return;
    const bool has_acted = has_user_acted();
    if (has_acted && lesson.is_sweeping()) lesson.stop_sweep();
    if (has_acted && shell_.session_.pointing.stays) shell_.session_.pointing = {};
    lesson.frame(shell_.document_, shell_.session_, ImGui::GetTime());
}

void LessonDesk::follow_view() {
    if (const std::optional<std::string> view = run().take_wanted_view()) shell_.show_view(*view);
}

float LessonDesk::width(ImVec2 window) const {
    const LessonRun& lesson = *shell_.session_.lesson;
    if (!lesson.is_running()) return editor_.is_open() && !shell_.session_.presentation ? px(editor_width + margin) : 0;
    if (shell_.session_.presentation)
        return std::max(px(narrowest_large_panel), std::floor(window.x * share_of_presentation));
    return px((lesson.is_collapsed ? collapsed_width : panel_width) + margin);
}

// "Lesson                     3 of 8  ›"
void LessonDesk::draw_header() {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    const Palette& c = colors();
    const ImRect line(window->Pos, {window->Pos.x + window->Size.x, window->Pos.y + px(header_height)});
    ImGui::SetCursorScreenPos(line.Min);
    ImGui::Dummy(line.GetSize());
    text_left(line, 14, tr("Lesson"), c.text, Font::bold);
    const LessonPlayer& player = run().player();
    const std::string count =
        fill(tr("{0} of {1}"), {std::to_string(player.step + 1), std::to_string(player.n_steps())});
    const bool can_fold = !shell_.session_.presentation;
    text_right(line, can_fold ? 40 : 14, count, c.dim, Font::words, small_size);
    window->DrawList->AddRectFilled({line.Min.x, line.Max.y - px(1)}, {line.Max.x, line.Max.y}, u32(c.hairline));
    if (!can_fold) return;
    const ImRect box({line.Max.x - px(34), line.Min.y + px(6)}, {line.Max.x - px(8), line.Max.y - px(6)});
    const Item item = button_item_at("Fold the lesson", box);
    explain({}, tr("Folds the lesson away; it goes on where it is."));
    if (item.hovered) filled_box(box, c.field, 5);
    text_center(box, "›", c.dim, Font::bold);
    focus_ring(item, 5);
    if (item.pressed) run().is_collapsed = true;
}

void LessonDesk::draw_collapsed() {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    const ImRect box(window->Pos, {window->Pos.x + window->Size.x, window->Pos.y + window->Size.y});
    const Item item = button_item_at("Unfold the lesson", box);
    explain({}, tr("Shows the lesson again"));
    const Palette& c = colors();
    if (item.hovered) filled_box(box, c.field, 8);
    draw_text(window->DrawList, Font::bold, body_size, {box.GetCenter().x, box.Min.y + px(20)}, u32(c.dim), "‹",
              AlignX::center, AlignY::middle);
    draw_text(window->DrawList, Font::bold, body_size, {box.GetCenter().x, box.GetCenter().y}, u32(c.text),
              tr("Lesson"), AlignX::center, AlignY::middle, 90);
    focus_ring(item, 8);
    if (item.pressed) run().is_collapsed = false;
}

void LessonDesk::draw(ImVec2 at, ImVec2 size) {
    if (size.x <= 0) return;
    if (!run().is_running() && !editor_.is_open()) return;  // left in this frame, after its room was set aside
    const bool is_large = shell_.session_.presentation;
    const float edge = std::floor(px(margin));
    const ImVec2 from{at.x, at.y + edge};
    const ImVec2 to{at.x + size.x - edge, at.y + size.y - edge};
    ImGui::SetNextWindowPos(from);
    ImGui::SetNextWindowSize({to.x - from.x, to.y - from.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(8));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0F, std::floor(px(1))));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), 0));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, vec4(colors().panel));
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(colors().hairline));
    ImGui::Begin(label("Lesson").c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(3);
    LessonWish wish;
    if (!run().is_running()) {
        draw_editor();
    } else if (run().is_collapsed && !is_large) {
        draw_collapsed();
    } else {
        draw_header();
        wish = draw_lesson(shell_.document_, shell_.session_);
        keep_mark();
    }
    ImGui::PopStyleVar();
    ImGui::End();
    if (wish.finish)
        finish();
    else if (wish.leave)
        leave();
    else if (!wish.lesson.empty())
        start(wish.lesson);
    follow_view();
}

void LessonDesk::write_new() { editor_.open(shell_.document_.next()); }

void LessonDesk::save_draft(const std::filesystem::path& file) {
    const Status saved = app::save_draft(editor_.draft(), file);
    shell_.session_.message = saved ? "✓ " + fill(tr("Saved {0}"), {file.string()}) : saved.error();
}

void LessonDesk::draw_editor() {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    const ImRect line(window->Pos, {window->Pos.x + window->Size.x, window->Pos.y + px(header_height)});
    ImGui::SetCursorScreenPos(line.Min);
    ImGui::Dummy(line.GetSize());
    text_left(line, 14, tr("Writing a lesson"), colors().text, Font::bold);
    window->DrawList->AddRectFilled({line.Min.x, line.Max.y - px(1)}, {line.Max.x, line.Max.y}, u32(colors().hairline));
    const EditorWish wish = editor_.draw(shell_.document_, shell_.session_);
    if (wish.close) editor_.close();
    if (wish.save) shell_.open_dialog(Shell::DialogFor::save_lesson);
    if (!wish.play) return;
    Result<LessonPlayer> player = editor_.player();
    if (!player) {
        shell_.session_.message = player.error();
        return;
    }
    is_built_in_ = false;
    shell_.take(run().start(shell_.document_, shell_.session_, std::move(*player)));
}

void LessonDesk::draw_menu() {
    const std::vector<LessonMark>& marks = shell_.session_.settings.lessons;
    std::string group;
    std::optional<std::string> chosen;
    for (const Lesson& lesson : list()) {
        // A line between the texts that they follow.
        const std::string text =
            lesson.source.empty() ? std::string() : lesson.source[0].substr(0, lesson.source[0].find('#'));
        if (!group.empty() && text != group) ImGui::Separator();
        group = text;
        const auto mark = std::ranges::find(marks, lesson.id, &LessonMark::id);
        std::string note;
        if (mark != marks.end() && !mark->is_done && mark->furthest > 0)
            note = fill(tr("{0} of {1}"), {std::to_string(mark->furthest + 1), std::to_string(lesson.steps.size())});
        const std::string words = lesson.title.in(shell_.language()) + "###lesson " + lesson.id;
        if (ImGui::MenuItem(words.c_str(), note.c_str(), mark != marks.end() && mark->is_done)) chosen = lesson.id;
    }
    if (chosen) start(*chosen);
}

void LessonDesk::draw_welcome() {
    if (!is_welcoming_) return;
    Settings& settings = shell_.session_.settings;
    bool is_open = true;
    if (!begin_dialog("Welcome to Heed", is_open, 440)) {
        is_welcoming_ = false;
        settings.is_welcomed = true;
        return;
    }
    const Palette& c = colors();
    wrapped_text(tr("A microscope for attention mechanisms"));
    ImGui::Dummy({0, px(6)});
    const auto offer = [&](std::string_view name, std::string_view words, const std::string& note, bool primary) {
        const ImVec2 size{ImGui::GetContentRegionAvail().x, px(56)};
        const Item item = button_item(name, size);
        filled_box(item.box, primary ? c.field_selected : item.hovered ? mix(c.field, c.text, 0.04F) : c.field, 8);
        outlined_box(item.box, primary || item.hovered ? c.accent : c.hairline, 8);
        const ImVec2 middle = item.box.GetCenter();
        text_left({item.box.Min, {item.box.Max.x, middle.y + px(2)}}, 14, words, primary ? c.accent : c.text,
                  Font::bold);
        text_left({{item.box.Min.x, middle.y - px(2)}, item.box.Max}, 14, note, c.dim, Font::words, small_size);
        focus_ring(item, 8);
        ImGui::Dummy({0, px(4)});
        return item.pressed;
    };
    enum class Choice { none, lesson, example, empty } choice = Choice::none;
    if (!list().empty() &&
        offer("Begin with a lesson", tr("Take the first lesson"), list().front().title.in(shell_.language()), true))
        choice = Choice::lesson;
    if (offer("Begin with an example", tr("Open an example"),
              fill(tr("{0} scenes to look at and change"), {std::to_string(shell_.examples().size())}), false))
        choice = Choice::example;
    if (offer("Begin with a scene", tr("Start with a small scene"),
              std::string(tr("A sentence of your own, four heads")), false))
        choice = Choice::empty;
    dim_text(tr("All of them are in the menus later, too."));
    if (choice != Choice::none) is_open = false;
    end_dialog(is_open);
    if (is_open) return;
    is_welcoming_ = false;
    settings.is_welcomed = true;
    if (choice == Choice::lesson) start(list().front().id);
    if (choice == Choice::example) shell_.palette_.open(FoundKind::example);
}

}  // namespace heed::app
