// What the shell does with files: opening, saving, recovering, and asking first where work would be lost.
#include "app/picture_file.h"
#include "app/settings.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/shell.h"
#include "app/views/picture_mask.h"
#include "core/edit/picture.h"
#include "core/embedded.h"
#include "core/files/lesson_file.h"
#include "core/files/scene_file.h"

#include <utility>

namespace heed::app {

namespace {

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

}  // namespace

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

}  // namespace heed::app
