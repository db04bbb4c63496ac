#include "app/shell/file_dialog.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/session.h"
#include "app/shell/panel.h"
#include "app/told.h"
#include "core/files/shown.h"
#include "core/language.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <cstdlib>

namespace heed::app {

void FileDialog::open(FileRequest request, Wake wake, bool may_be_native) {
    wake_ = wake;
    request_ = std::move(request);
    request_.folder = existing_folder(request_.folder);
    error_.clear();
    overwriting_.reset();
    in_window_ = false;
    native_.reset();
    name_ = request_.name;
    if (may_be_native && NativeDialog::is_available()) {
        native_ = std::make_unique<NativeDialog>(request_, wake);
    } else {
        in_window_ = true;
        take_focus_ = true;
        enter(request_.folder);
    }
}

void FileDialog::enter(const std::filesystem::path& folder) {
    folder_ = existing_folder(folder);
    list_ = list_folder(folder_, request_.filter.extensions);
    error_ = list_.error;
    if (!request_.is_save) name_.clear();
}

std::optional<std::filesystem::path> FileDialog::accept() {
    if (name_.empty()) return std::nullopt;
    const std::filesystem::path typed = folder_ / std::filesystem::path(name_);  // an absolute name replaces the folder
    std::error_code failed;
    if (std::filesystem::is_directory(typed, failed)) {
        enter(typed);
        return std::nullopt;
    }
    if (!request_.is_save) {
        if (std::filesystem::exists(typed, failed)) return typed;
        error_ = fill(tr("There is no file {0} here"), {shown(name_)});
        return std::nullopt;
    }
    const std::filesystem::path file = with_extension(typed.string(), request_.filter.extensions);
    if (!std::filesystem::is_directory(file.parent_path(), failed)) {
        error_ = fill(tr("There is no folder {0}"), {shown_path(file.parent_path())});
        return std::nullopt;
    }
    if (!std::filesystem::exists(file, failed)) return file;
    overwriting_ = file;
    return std::nullopt;
}

void FileDialog::draw_places() {
    if (button("Up", tr("Up"), ButtonLook::plain, 0, folder_.has_relative_path())) entered_ = folder_.parent_path();
    ImGui::SameLine(0, px(8));
    if (button("Home", tr("Home"), ButtonLook::plain)) entered_ = existing_folder({});
    ImGui::SameLine(0, px(12));
    ImGui::AlignTextToFramePadding();
    // The end of a long path says more than its start.
    std::string path = shown_path(folder_);
    const float room = ImGui::GetContentRegionAvail().x;
    while (path.size() > 8 && text_width(Font::words, body_size, path) > room) {
        std::size_t cut = path.find('/', path.starts_with("…") ? 4 : 1);
        if (cut == std::string::npos) break;
        path = "…" + path.substr(cut);
    }
    dim_text(path);
}

void FileDialog::draw_list() {
    const float height = std::min(px(300), ImGui::GetMainViewport()->Size.y - px(300));
    if (begin_bordered_list("files", {0, height})) {
        if (list_.entries.empty() && list_.error.empty())
            dim_text(fill(tr("Nothing here that ends in {0}"),
                          {request_.filter.extensions.empty() ? "" : request_.filter.extensions.front()}));
        for (const FolderEntry& entry : list_.entries) {
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const bool is_selected = !entry.is_folder && name_ == entry.name;
            if (ImGui::Selectable(("###" + entry.name).c_str(), is_selected,
                                  ImGuiSelectableFlags_AllowDoubleClick | keeps_popup, {0, px(20)})) {
                const bool by_mouse =
                    ImGui::IsMouseReleased(0) || ImGui::IsMouseClicked(0) || ImGui::IsMouseDoubleClicked(0);
                const bool is_double = !by_mouse || ImGui::IsMouseDoubleClicked(0);
                if (entry.is_folder) {
                    if (is_double) entered_ = folder_ / entry.name;
                } else {
                    name_ = entry.name;
                    accepted_ = is_double;
                }
            }
            const float middle = at.y + px(10);
            ImDrawList* list = ImGui::GetWindowDrawList();
            if (entry.is_folder) {
                // A small folder: a tab and a box.
                const ImU32 ink = u32(colors().key);
                list->AddRectFilled({at.x + px(2), middle - px(5)}, {at.x + px(8), middle}, ink, px(1));
                list->AddRectFilled({at.x + px(2), middle - px(3)}, {at.x + px(15), middle + px(6)}, ink, px(2));
            }
            draw_text(list, Font::words, body_size, {at.x + px(24), middle}, u32(colors().text), shown(entry.name, 80),
                      AlignX::left, AlignY::middle);
        }
    }
    ImGui::EndChild();
}

void FileDialog::draw_overwrite_question(std::optional<std::filesystem::path>& chosen) {
    wrapped_text(fill(tr("{0} exists. Replace it?"), {shown_path(overwriting_->filename())}));
    switch (dialog_buttons({"Cancel", "Replace"})) {
        case 0:
            overwriting_.reset();
            break;
        case 1:
            chosen = overwriting_;
            break;
        default:
            break;
    }
}

// The desktop's dialog has asked about the name it was given. An ending that is added makes it another file's, which is then
// asked about here.
std::optional<std::filesystem::path> FileDialog::native_frame() {
    const std::optional<NativeDialog::Answer> answer = native_->take_answer();
    if (!answer) return std::nullopt;
    native_.reset();
    if (answer->outcome == NativeDialog::Outcome::failed) open(request_, wake_, false);
    if (answer->outcome != NativeDialog::Outcome::chosen) return std::nullopt;
    if (!request_.is_save) return answer->file;
    const std::filesystem::path file = with_extension(answer->file.string(), request_.filter.extensions);
    std::error_code failed;
    if (file == answer->file || !std::filesystem::exists(file, failed)) return file;
    in_window_ = true;
    enter(file.parent_path());
    name_ = file.filename().string();
    overwriting_ = file;
    return std::nullopt;
}

std::optional<std::filesystem::path> FileDialog::frame() {
    if (native_) return native_frame();
    std::optional<std::filesystem::path> chosen;
    if (!begin_dialog(request_.purpose, in_window_, 560)) return std::nullopt;
    entered_.reset();
    accepted_ = false;
    if (overwriting_) {
        draw_overwrite_question(chosen);
    } else {
        draw_places();
        draw_list();
        if (take_focus_) ImGui::SetKeyboardFocusHere();
        take_focus_ = false;
        ImGui::SetNextItemWidth(-1);
        const std::string hint(tr(request_.is_save ? "Name" : "Name or path"));
        const bool is_entered =
            ImGui::InputTextWithHint("##File name", hint.c_str(), &name_, ImGuiInputTextFlags_EnterReturnsTrue);
        const bool is_left = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
        if (ImGui::IsItemEdited()) error_ = list_.error;  // another name: what was wrong with the last one is past
        if (!error_.empty()) {
            ImGui::PushStyleColor(ImGuiCol_Text, vec4(colors().warning));
            wrapped_text(told(error_));
            ImGui::PopStyleColor();
        }
        const int pressed = dialog_buttons({"Cancel", request_.is_save ? "Save" : "Open"}, !name_.empty());
        if (pressed == 0 || is_left) in_window_ = false;
        const bool backspace = ImGui::IsKeyPressed(ImGuiKey_Backspace) && !ImGui::GetIO().WantTextInput;
        if (backspace && folder_.has_relative_path()) entered_ = folder_.parent_path();
        if (is_entered || accepted_ || pressed == 1) {
            chosen = accept();
            take_focus_ = !chosen && !overwriting_;  // to try another name
        }
        if (entered_) enter(*entered_);
    }
    if (chosen) in_window_ = false;
    end_dialog(in_window_);
    return chosen;
}

}  // namespace heed::app
