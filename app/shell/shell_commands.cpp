// What each command does, when it can be given, and whether it is on.
#include "app/settings.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/shell.h"

#include <algorithm>

namespace heed::app {

void Shell::run(Command command) {
    Settings& settings = session_.settings;
    // "✓ 2 × 2 numbers pasted" and "— W_O joins the heads now" are no longer so.
    const auto forget_what_was_done = [&] {
        if (session_.message.starts_with("✓") || session_.message.starts_with("—")) session_.message.clear();
    };
    const auto zoom_by = [&](float factor) { settings.zoom = std::clamp(settings.zoom * factor, min_zoom, max_zoom); };
    switch (command) {
        case Command::new_scene:
            begin({Intent::Kind::new_scene, {}});
            break;
        case Command::open:
            begin({Intent::Kind::open_dialog, {}});
            break;
        case Command::import_array:
            open_dialog(DialogFor::import_array);
            break;
        case Command::open_picture:
            open_dialog(DialogFor::picture);
            break;
        case Command::save:
            save(std::nullopt);
            break;
        case Command::save_as:
            pending_.reset();
            open_dialog(DialogFor::save);
            break;
        case Command::quit:
            ask_to_quit();
            break;
        case Command::undo:
            document_.undo();
            forget_what_was_done();
            break;
        case Command::redo:
            document_.redo();
            forget_what_was_done();
            break;
        case Command::restart_seed:
            restart_seed(document_.next().model);
            break;
        case Command::presentation:
            toggle_presentation();
            break;
        case Command::fullscreen:
            wants_fullscreen_ = true;
            is_fullscreen_ = !is_fullscreen_;
            break;
        case Command::step_forward:
            step_explainer(1);
            break;
        case Command::step_back:
            step_explainer(-1);
            break;
        case Command::next_panel:
            focus_panel(1);
            break;
        case Command::previous_panel:
            focus_panel(-1);
            break;
        case Command::language:
            settings.language = settings.language == Language::english ? Language::chinese : Language::english;
            break;
        case Command::theme:
            settings.theme = settings.theme == Theme::dark ? Theme::light : Theme::dark;
            break;
        case Command::zoom_in:
            zoom_by(1.1F);
            break;
        case Command::zoom_out:
            zoom_by(1 / 1.1F);
            break;
        case Command::zoom_reset:
            settings.zoom = 1;
            break;
        case Command::show_controls:
            show_controls_ = are_controls_wanted_ = !shows_controls();
            break;
        case Command::show_explainer: {
            bool& shows = session_.presentation ? presents_cell_ : show_explainer_;
            shows = !is_on(command);
            if (shows) panel_to_show_ = explainer_panel;
            if (shows && !session_.presentation) layout_.open_below();
            break;
        }
        case Command::show_matrices:
            show_matrices_ = !is_on(command);
            are_matrices_away_ = false;
            if (show_matrices_) panel_to_show_ = matrices_panel;
            if (show_matrices_) layout_.open_below();
            break;
        case Command::reset_layout:
            show_controls_ = show_explainer_ = show_matrices_ = is_cell_first_ = true;
            are_controls_wanted_ = false;
            panel_to_show_ = explainer_panel;
            layout_.reset();
            settling_ = 6;
            view_to_show_ = document_.next().display.view;
            break;
        case Command::export_figure:
            export_.open(document_.scene().display.view);
            break;
        case Command::copy_picture:
            export_.copy(document_, session_, document_.scene().display.view);
            break;
        case Command::export_sweep:
            export_.open(document_.scene().display.view, ExportDialog::Page::sweep);
            break;
        case Command::export_matrix:
            export_.open({}, ExportDialog::Page::matrix);
            break;
        case Command::export_code:
            export_.open({}, ExportDialog::Page::code);
            break;
        case Command::screenshot:
            wants_screenshot_ = true;
            break;
        case Command::lesson_next:
            lessons_->step(1);
            break;
        case Command::lesson_back:
            lessons_->step(-1);
            break;
        case Command::lesson_continue:
            lessons_->go_on_where_left();
            break;
        case Command::lesson_leave:
            lessons_->leave();
            break;
        case Command::lesson_open:
            open_dialog(DialogFor::open_lesson);
            break;
        case Command::lesson_new:
            lessons_->write_new();
            break;
        case Command::lesson_answers:
            lessons_->run().open_answers(!is_on(command));
            break;
        case Command::palette:
            palette_.open();
            break;
        case Command::what_is_this:
            session_.inspection.is_on = !session_.inspection.is_on;
            break;
        case Command::shortcuts:
            show_shortcuts_ = !show_shortcuts_;
            break;
        case Command::frame_times:
            show_frame_times_ = !show_frame_times_;
            break;
        case Command::about:
            show_about_ = !show_about_;
            break;
    }
}

void Shell::toggle_presentation() {
    // Docking forgets which of two tabs was in front while both are away.
    if (!session_.presentation) {
        front_below_ = is_panel_shown(matrices_panel) ? matrices_panel : explainer_panel;
        is_cell_first_ = !is_before(matrices_panel, explainer_panel);
        was_fullscreen_ = is_fullscreen_;
        presents_cell_ = true;
    } else {
        panel_to_show_ = front_below_;
        view_to_show_ = document_.next().display.view;
        settling_ = 3;
    }
    session_.presentation = !session_.presentation;
    const bool is_wanted = session_.presentation || was_fullscreen_;
    wants_fullscreen_ = is_fullscreen_ != is_wanted;
    is_fullscreen_ = is_wanted;
    show_shortcuts_ = show_about_ = false;
    export_.close();
}

bool Shell::can_run(Command command) const {
    switch (command) {
        case Command::next_panel:
        case Command::previous_panel:
            return !session_.presentation;
        case Command::undo:
            return document_.can_undo();
        case Command::redo:
            return document_.can_redo();
        case Command::zoom_in:
            return session_.settings.zoom < max_zoom;
        case Command::zoom_out:
            return session_.settings.zoom > min_zoom;
        case Command::open:
        case Command::save:
        case Command::save_as:
        case Command::import_array:
        case Command::open_picture:
        case Command::lesson_open:
            return !file_dialog_.is_open();
        case Command::lesson_new:
            return !lessons_->run().is_running() && !lessons_->editor().is_open();
        case Command::lesson_next:
            return lessons_->run().may_go_on() && has_next(lessons_->run().player());
        case Command::lesson_back:
            return lessons_->run().is_running() && has_previous(lessons_->run().player());
        case Command::lesson_continue:
            return lessons_->can_go_on_where_left();
        case Command::lesson_leave:
        case Command::lesson_answers:
            return lessons_->run().is_running();
        default:
            return true;
    }
}

bool Shell::is_on(Command command) const {
    switch (command) {
        case Command::presentation:
            return session_.presentation;
        case Command::show_controls:
            return shows_controls() && !session_.presentation;
        case Command::show_explainer:
            return shows_explainer() && (session_.presentation || !layout_.is_collapsed(explainer_panel));
        case Command::show_matrices:
            return shows_matrices() && !layout_.is_collapsed(matrices_panel);
        case Command::lesson_answers:
            return lessons_->run().is_running() && lessons_->run().player().open_answers;
        case Command::what_is_this:
            return session_.inspection.is_on;
        case Command::shortcuts:
            return show_shortcuts_;
        case Command::frame_times:
            return show_frame_times_;
        default:
            return false;
    }
}

}  // namespace heed::app
