#include "app/shell/palette.h"

#include "app/panels/control_table.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/shell.h"
#include "app/widgets/item.h"
#include "core/figure/rich_text.h"
#include "core/find_words.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

namespace heed::app {

namespace {

constexpr float width = 580;  // logical pixels
constexpr float line_height = 32;
constexpr int most_lines = 11;
constexpr int also_distance = 6000;   // beyond every match of the name itself
constexpr int kind_distance = 12000;  // and beyond those: "lesson" lists them all

std::string chinese(std::string_view english) { return std::string(tr(Language::chinese, english)); }

std::string_view kind_name(FoundKind kind) {
    switch (kind) {
        case FoundKind::view:
            return "View";
        case FoundKind::control:
            return "Control";
        case FoundKind::example:
            return "Example";
        case FoundKind::lesson:
            return "Lesson";
        case FoundKind::command:
            return "Command";
    }
    return {};
}

void add_views(std::vector<Findable>& out) {
    for (const View& view : views()) {
        const FigureKind* kind = find_figure_kind(view.id);
        if (kind == nullptr) continue;
        out.push_back({FoundKind::view, std::string(view.id), std::string(kind->name), chinese(kind->name),
                       std::string(kind->help), chinese(kind->help), key_name(view_keys(view)),
                       [id = view.id](Shell& of) { of.show_view(id); }});
    }
}

void add_controls(const Model& model, std::vector<Findable>& out) {
    for (const Control& row : controls()) {
        std::string note(tr(row.section));
        if (!row.is_there(model))
            note += " · " + fill(tr("appears with {0}"), {plain_text(tr(control(row.brought_by).label))});
        out.push_back({FoundKind::control, std::string(row.name), std::string(row.label), chinese(row.label),
                       std::string(row.section) + " " + std::string(row.field), chinese(row.section), std::move(note),
                       [name = row.name](Shell& of) { of.point_at_control(name); }});
    }
}

void add_examples(Shell& shell, std::vector<Findable>& out) {
    for (const Example& example : shell.examples())
        out.push_back(
            {FoundKind::example, example.path, example.title, example.title_zh, {}, {}, {}, [example](Shell& of) {
                 of.open_example(example);
             }});
}

void add_lessons(Shell& shell, std::vector<Findable>& out) {
    for (const Lesson& lesson : shell.lessons().list())
        out.push_back({FoundKind::lesson,
                       lesson.id,
                       lesson.title.en,
                       lesson.title.zh,
                       lesson.about.en,
                       lesson.about.zh,
                       {},
                       [id = lesson.id](Shell& of) { of.lessons().start(id); }});
}

void add_commands(const Shell& shell, std::vector<Findable>& out) {
    for (const Action& row : actions()) {
        if (row.command == Command::palette || !shell.can_run(row.command)) continue;
        out.push_back({FoundKind::command, std::string(row.name), std::string(row.name), chinese(row.name),
                       std::string(menu_name(row.menu)), chinese(menu_name(row.menu)), key_name(row.keys[0]),
                       [command = row.command](Shell& of) { of.run(command); }});
    }
}

std::optional<int> distance(const Findable& row, std::string_view typed) {
    std::optional<int> best;
    const auto look = [&](std::string_view name, int beyond) {
        if (name.empty()) return;
        if (const std::optional<int> far = match_distance(name, typed))
            best = std::min(best.value_or(*far + beyond), *far + beyond);
    };
    look(row.english, 0);
    look(row.chinese, 0);
    look(row.also, also_distance);
    look(row.also_chinese, also_distance);
    look(kind_name(row.kind), kind_distance);
    look(chinese(kind_name(row.kind)), kind_distance);
    return best;
}

// ImGui hands up and down to a text field that has a history; ours is the list.
int move_selection(ImGuiInputTextCallbackData* data) {
    if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory)
        *static_cast<int*>(data->UserData) += data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
    return 0;
}

// InputText with a callback of its own cannot grow a string: nobody types more than this to find a thing.
constexpr std::size_t most_typed = 128;

}  // namespace

std::vector<Findable> findables(Shell& shell) {
    std::vector<Findable> all;
    add_views(all);
    add_controls(shell.document().next().model, all);
    add_examples(shell, all);
    add_lessons(shell, all);
    add_commands(shell, all);
    return all;
}

std::vector<const Findable*> found(const std::vector<Findable>& all, std::string_view typed) {
    std::vector<std::pair<int, const Findable*>> ranked;
    for (const Findable& row : all)
        if (const std::optional<int> far = distance(row, typed)) ranked.emplace_back(*far, &row);
    std::ranges::stable_sort(ranked, {}, [](const auto& one) { return one.first; });
    std::vector<const Findable*> list;
    for (const auto& [far, row] : ranked) list.push_back(row);
    return list;
}

void CommandPalette::open(std::optional<FoundKind> only) {
    only_ = only;
    is_open_ = is_new_ = true;
    typed_.clear();
    selected_ = 0;
    all_.clear();
    list_.clear();
}

void CommandPalette::close() {
    is_open_ = false;
    ImGui::CloseCurrentPopup();
}

void CommandPalette::frame(Shell& shell) {
    if (is_open_) draw(shell);
    if (const auto go = std::exchange(chosen_, nullptr)) go(shell);
}

void CommandPalette::draw(Shell& shell) {
    const char* name = "Find anything###palette";
    if (is_new_) ImGui::OpenPopup(name);
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    const Palette& c = colors();
    const float wide = std::min(px(width), viewport->Size.x - px(32));
    ImGui::SetNextWindowPos({viewport->Size.x / 2, viewport->Size.y * 0.12F}, ImGuiCond_Always, {0.5F, 0});
    ImGui::SetNextWindowSize({wide, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(8)));
    ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, px(10));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(10));
    ImGui::PushStyleColor(ImGuiCol_PopupBg, vec4(c.panel));
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(c.hairline));
    ImGui::PushStyleColor(ImGuiCol_ModalWindowDimBg, ImVec4(0, 0, 0, c.theme == Theme::dark ? 0.5F : 0.18F));
    const bool is_drawn = ImGui::BeginPopupModal(name, nullptr,
                                                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                                     ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(3);
    if (!is_drawn) {
        is_open_ = false;
        return;
    }
    if (is_new_) {
        all_ = findables(shell);
        if (only_) std::erase_if(all_, [&](const Findable& row) { return row.kind != *only_; });
        list_ = found(all_, typed_);
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(10), px(8)));
    ImGui::SetNextItemWidth(-1);
    char text[most_typed] = {};
    typed_.copy(text, most_typed - 1);
    int moved = 0;
    const bool is_entered = ImGui::InputTextWithHint(
        "###Find", std::string(tr("A view, control, example, lesson or command")).c_str(), text, sizeof text,
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory, move_selection, &moved);
    ImGui::PopStyleVar();
    if (typed_ != text) {
        typed_ = text;
        list_ = found(all_, typed_);
        selected_ = 0;
        is_moved_ = true;
    }
    const int count = static_cast<int>(list_.size());
    if (moved != 0 && count > 0) {
        selected_ = (selected_ + moved + count) % count;
        is_moved_ = true;
    }
    bool is_chosen = is_entered && count > 0;
    if (count == 0) {
        ImGui::Dummy({0, px(4)});
        text_left({ImGui::GetCursorScreenPos(),
                   {ImGui::GetCursorScreenPos().x + wide, ImGui::GetCursorScreenPos().y + px(line_height)}},
                  10, tr("Nothing has this name."), c.dim);
        ImGui::Dummy({0, px(line_height)});
    } else {
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
        ImGui::Dummy({0, px(6)});
        ImGui::BeginChild("found", {0, px(line_height) * static_cast<float>(std::min(count, most_lines))}, 0,
                          ImGuiWindowFlags_NoNav);
        for (int i = 0; i < count; ++i) draw_row(shell, *list_[static_cast<std::size_t>(i)], i, is_chosen);
        ImGui::EndChild();
        ImGui::PopStyleVar();
    }
    is_moved_ = is_new_ = false;
    const bool is_outside =
        ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
        !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    if (is_chosen && selected_ < count) chosen_ = list_[static_cast<std::size_t>(selected_)]->go;
    if (is_chosen || is_outside || ImGui::IsKeyPressed(ImGuiKey_Escape, false)) close();
    ImGui::EndPopup();
}

// "Temperature  温度            Score · Control"
void CommandPalette::draw_row(const Shell& shell, const Findable& row, int index, bool& is_chosen) {
    const Palette& c = colors();
    const Item item = button_item(std::string(kind_name(row.kind)) + " " + row.id,
                                  {ImGui::GetContentRegionAvail().x, px(line_height)}, 0,
                                  index == selected_ ? CheckMark::on : CheckMark::off);
    const bool has_mouse_moved = ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0;
    if (item.hovered && has_mouse_moved) selected_ = index;
    if (index == selected_ && is_moved_) ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
    if (item.pressed) {
        selected_ = index;
        is_chosen = true;
    }
    if (!item.shown) return;
    if (index == selected_) filled_box(item.box, c.field_selected, 6);
    const bool is_chinese = shell.language() == Language::chinese;
    const std::string& name = is_chinese && !row.chinese.empty() ? row.chinese : row.english;
    const std::string& other = is_chinese ? row.english : row.chinese;
    text_left(item.box, 10, name, index == selected_ ? c.accent : c.text);
    const std::string right = std::string(tr(kind_name(row.kind))) + (row.note.empty() ? "" : " · " + row.note);
    text_right(item.box, 10, right, c.faint, Font::words, small_size);
    // Found by its name in the other language: that one is shown too.
    if (typed_.empty() || other.empty() || match_distance(name, typed_) || !match_distance(other, typed_)) return;
    const float left = 10 + rich_text_width(Font::words, body_size, name) / ui_scale() + 10;
    const float end = rich_text_width(Font::words, small_size, right) / ui_scale() + 20;
    if (left + rich_text_width(Font::words, small_size, other) / ui_scale() + end < item.box.GetWidth() / ui_scale())
        text_left(item.box, left, other, c.dim, Font::words, small_size);
}

}  // namespace heed::app
