#include "app/shell/questions.h"

#include "app/session.h"
#include "app/shell/panel.h"
#include "core/files/shown.h"
#include "core/language.h"

#include <ctime>

namespace heed::app {

namespace {

// Local time, "2026-03-01 14:05": read alike in both languages.
std::string moment(std::filesystem::file_time_type time) {
    const auto system = std::chrono::file_clock::to_sys(time);
    const std::time_t seconds =
        std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(system));
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

}  // namespace

UnsavedAnswer UnsavedQuestion::frame(std::string_view title) {
    if (!begin_dialog("Save changes?", open_, 420)) return UnsavedAnswer::waiting;
    wrapped_text(fill(tr("“{0}” has changes that are in no file yet."), {title}));
    UnsavedAnswer answer = open_ ? UnsavedAnswer::waiting : UnsavedAnswer::cancel;
    switch (dialog_buttons({"Cancel", "Don't save", "Save"})) {
        case 0:
            answer = UnsavedAnswer::cancel;
            break;
        case 1:
            answer = UnsavedAnswer::discard;
            break;
        case 2:
            answer = UnsavedAnswer::save;
            break;
        default:
            break;
    }
    open_ = answer == UnsavedAnswer::waiting;
    end_dialog(open_);
    return answer;
}

std::optional<Leftover> RecoveryQuestion::frame() {
    bool is_open = !leftovers_.empty();
    if (!begin_dialog("Recover unsaved work?", is_open, 460)) return std::nullopt;
    const Leftover& leftover = leftovers_.front();
    const std::string title = leftover.title.empty() ? std::string(tr("Untitled")) : leftover.title;
    wrapped_text(
        fill(tr("Heed did not end as it should. “{0}” of {1} was not saved."), {title, moment(leftover.written)}));
    if (leftover.origin) dim_text(shown_path(*leftover.origin));
    std::optional<Leftover> recovered;
    switch (dialog_buttons({"Later", "Discard", "Recover"})) {
        case 0:
            is_open = false;
            break;
        case 1:
            discard_leftover(leftover);
            leftovers_.erase(leftovers_.begin());
            break;
        case 2:
            recovered = leftover;
            leftovers_.clear();  // the others are offered at the next start
            break;
        default:
            break;
    }
    if (!is_open) leftovers_.clear();
    end_dialog(!leftovers_.empty());
    return recovered;
}

}  // namespace heed::app
