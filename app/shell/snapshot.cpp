#include "app/shell/snapshot.h"

#include "app/document.h"
#include "app/gl/framebuffer.h"
#include "app/platform/offscreen.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/shell.h"
#include "app/views/view.h"
#include "core/files/lesson_file.h"

#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heed::app {

namespace {

// Docking, tab widths and text that appears for the first time need a few frames each; none needs more.
constexpr int settling_frames = 10;

// The lesson at the step, as if it had been played to there.
Status start_lesson(Shell& shell, const SnapshotOptions& options) {
    LessonDesk& desk = shell.lessons();
    shell.session().message.clear();
    if (options.lesson.ends_with(lesson_ending))
        desk.open(options.lesson);
    else
        desk.start(options.lesson);
    if (!desk.run().is_running()) return Error{shell.session().message};
    const Lesson& lesson = *desk.run().player().lesson;
    int step = options.step.empty() ? 0 : find_step(lesson, options.step);
    if (step < 0) {
        const auto [end, error] = std::from_chars(options.step.data(), options.step.data() + options.step.size(), step);
        const bool is_number = error == std::errc() && end == options.step.data() + options.step.size();
        if (!is_number || step < 0 || step >= static_cast<int>(lesson.steps.size()))
            return Error{"The lesson \"" + lesson.id + "\" has no step \"" + options.step + "\": steps go from 0 to " +
                         std::to_string(lesson.steps.size() - 1) + ", or have names"};
    }
    desk.run().open_answers(true);
    for (int i = 0; i < step; ++i) desk.step(1);
    if (options.is_revealed) desk.run().reveal(shell.document(), shell.session());
    desk.run().open_answers(false);
    return ok();
}

int in_pixels(int logical, float scale) {
    return std::max(1, static_cast<int>(std::lround(static_cast<float>(logical) * scale)));
}

}  // namespace

Result<Pixels> draw_window(Scene scene, const SnapshotOptions& options) {
    if (!options.view.empty()) {
        const auto is_wanted = [&](const View& view) { return view.id == options.view; };
        if (std::none_of(views().begin(), views().end(), is_wanted)) {
            std::string known;
            for (const View& view : views()) known += (known.empty() ? "" : ", ") + std::string(view.id);
            return Error{"There is no view \"" + options.view + "\"; there are " + known};
        }
        scene.display.view = options.view;
    }
    const int width = in_pixels(options.width, options.scale);
    const int height = in_pixels(options.height, options.scale);
    auto host = open_offscreen({.width = width, .height = height, .scale = options.scale});
    if (!host) return Error{host.error()};
    if (const int most = Framebuffer::largest_side(); std::max(width, height) > most)
        return Error{"OpenGL draws at most " + std::to_string(most) + " pixels on a side here"};

    Session session;
    session.settings.language = options.language;
    session.settings.theme = options.theme;
    session.animate = false;
    Document document(std::move(scene));
    document.settle();
    Shell shell(document, session, {.renderer = (*host)->renderer(), .native_dialogs = false});
    if (options.presents) shell.run(Command::presentation);
    for (int frame = 0; frame < settling_frames; ++frame) {
        if (frame == 2 && !options.lesson.empty())
            if (Status started = start_lesson(shell, options); !started) return Error{started.error()};
        shell.finish_jobs();
        (*host)->set_theme(session.settings.theme);
        (*host)->set_zoom(shell.zoom());
        if (!(*host)->begin_frame()) break;
        shell.frame(ImGui::GetIO().DisplaySize);
        (*host)->end_frame();
        document.settle();
    }
    return (*host)->pixels();
}

}  // namespace heed::app
