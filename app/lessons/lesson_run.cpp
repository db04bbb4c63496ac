#include "app/lessons/lesson_run.h"

#include "app/session.h"
#include "core/files/number_text.h"
#include "core/files/scene_file.h"
#include "core/language.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::app {

namespace {

constexpr double sweep_seconds = 3;

bool all_hold(const LessonPlayer& player, const Scene& scene, const AttentionTrace& trace, const Scene& step,
              Results* results) {
    for (const Formula& claim : player.current().claims) {
        const Result<Expression> read = parse_condition(claim.text);
        if (!read) continue;  // the file was checked
        const Result<bool> holds =
            evaluate_condition(*read, Moment{.scene = scene, .trace = trace, .step = &step, .results = results});
        if (!holds || !*holds) return false;
    }
    return true;
}

}  // namespace

std::string logit_text(const Scene& scene, const Question& question, int key) {
    const Result<FieldValue> value = field_value(scene, logit_field(question.logits, key));
    const double* number = value ? std::get_if<double>(&*value) : nullptr;
    return number == nullptr ? std::string() : float_text(static_cast<float>(*number));
}

Status LessonRun::start(Document& document, Session& session, Lesson lesson, const std::filesystem::path& folder,
                        int step) {
    Result<LessonPlayer> opened = open_lesson(std::move(lesson), folder);
    if (!opened) return Error{opened.error()};
    opened->step = step;
    return start(document, session, std::move(*opened));
}

Status LessonRun::start(Document& document, Session& session, LessonPlayer player) {
    player.step = std::clamp(player.step, 0, player.n_steps() - 1);
    for (int i = 0; i < player.step; ++i) {
        StepProgress& done = player.progress[static_cast<std::size_t>(i)];
        done.revealed = player.lesson->steps[static_cast<std::size_t>(i)].question.has_value();
        done.gate_passed = true;
    }
    const Result<Scene> scene = heed::step_scene(player);
    if (!scene) return Error{scene.error()};
    const bool answers = is_running() && player_->open_answers;
    if (is_running()) leave(document, session);
    player.open_answers = answers;
    player_ = std::move(player);
    aside_ = document.set_aside(*scene);
    kept_comparison_ = std::exchange(session.comparison, {});
    drafts_.assign(static_cast<std::size_t>(player_->n_steps()), {});
    furthest_ = player_->step;
    is_collapsed = false;
    session.holds = {.shown = player_->lesson->show.value_or(std::vector<std::string>()),
                     .locked = player_->lesson->lock,
                     .shows_all = false};
    session.inspection.is_on = false;
    enter(document, session);
    return ok();
}

void LessonRun::leave(Document& document, Session& session) {
    if (!is_running()) return;
    document.bring_back(std::move(aside_));
    session.comparison = std::exchange(kept_comparison_, {});
    player_.reset();
    said_of_.reset();
    sweep_.reset();
    curve_job_.cancel();
    curve_.clear();
    texts.reset();
    session.holds = {};
    session.pointing = {};
    session.message.clear();
    wanted_view_ = document.next().display.view;
}

// The step's own scene, and nothing to undo before it.
void LessonRun::enter(Document& document, Session& session) {
    sweep_.reset();
    curve_job_.cancel();
    curve_.clear();
    session.pointing = {};
    furthest_ = std::max(furthest_, player_->step);
    ++version_;
    is_held_ = false;
    Result<Scene> scene = heed::step_scene(*player_);
    if (!scene) {
        session.message = scene.error();
        return;
    }
    step_scene_ = std::move(*scene);
    document.replace(step_scene_, std::nullopt);
    wanted_view_ = step_scene_.display.view;
    pin_ = {step_scene_.display.pinned, step_scene_.display.pin};
    for (const heed::Action& action : player_->current().actions.list)
        if (action.verb == Verb::look) look(session, document, action.argument);
    if (player_->state().revealed) start_curve(step_scene_);
    document.end_frame(false);  // so that the words are never those of another scene
    frame(document, session, 0);
}

void LessonRun::go_on(Document& document, Session& session) {
    if (!is_running()) return;
    if (heed::go_on(*player_))
        enter(document, session);
    else
        is_held_ = true;
}

std::string_view LessonRun::why_held() const {
    if (!is_running()) return {};
    const Step& step = player_->current();
    const StepProgress& state = player_->state();
    if (!heed::may_go_on(*player_)) {
        if (!step.question || state.revealed) return "The goal is not reached yet; Show me does it for you.";
        if (step.question->kind == AskKind::row) return "Check the row first: then the lesson goes on.";
        if (state.answer) return "Press Reveal first: then the lesson goes on.";
        return "Answer first, then press Reveal. Teachers: Lessons → Open all answers.";
    }
    return has_next(*player_) ? std::string_view() : "This was the last step: Finish ends the lesson.";
}

void LessonRun::go_back(Document& document, Session& session) {
    if (is_running() && heed::go_back(*player_)) enter(document, session);
}

void LessonRun::go_to(Document& document, Session& session, int step) {
    if (is_running() && step != player_->step && is_reached(step) && heed::go_to(*player_, step))
        enter(document, session);
}

void LessonRun::back_to_the_step(Document& document, Session& session) {
    session.pointing = {};
    sweep_.reset();
    document.next() = step_scene_;
    wanted_view_ = step_scene_.display.view;
    pin_ = {step_scene_.display.pinned, step_scene_.display.pin};
}

void LessonRun::look(Session& session, const Document& document, std::string_view place) {
    const Result<LookPlace> found = look_place(place);
    if (!found) return;
    session.pointing = {.stays = true};
    if (found->view.empty()) {
        session.pointing.field = found->field;
        session.pointing.wants_focus = true;
    } else {
        session.pointing.view = found->view;
        session.pointing.place = found->id;
        wanted_view_ = document.next().display.view;
    }
}

void LessonRun::perform(Document& document, Session& session, const std::vector<heed::Action>& actions, double now) {
    session.pointing = {};
    sweep_.reset();
    Scene next = document.next();
    if (const Status done = apply_all(actions, next); !done) {
        session.message = done.error();
        return;
    }
    document.next() = std::move(next);
    for (const heed::Action& action : actions) {
        if (action.verb == Verb::look) look(session, document, action.argument);
        if (action.verb != Verb::sweep) continue;
        if (const Result<Sweep> sweep = sweep_of(action)) sweep_ = Playing{*sweep, now};
    }
    wanted_view_ = document.next().display.view;
    pin_ = {document.next().display.pinned, document.next().display.pin};
}

std::string LessonRun::follow(Document& document, Session& session, std::string_view destination, double now) {
    const Result<std::vector<heed::Action>> actions = parse_actions(destination);
    if (!actions) {
        session.message = actions.error();
        return {};
    }
    for (const heed::Action& action : *actions)
        if (action.verb == Verb::lesson) return action.argument;
    perform(document, session, *actions, now);
    if (!session.animate && sweep_) play_sweep(document, now + sweep_seconds);
    return {};
}

void LessonRun::show_me(Document& document, Session& session) {
    if (is_running() && player_->current().gate) perform(document, session, player_->current().gate->solve.list, 0);
}

// One undo step: whoever ends the frame says that a gesture is under way while it plays.
void LessonRun::play_sweep(Document& document, double now) {
    const double share = std::clamp((now - sweep_->since) / sweep_seconds, 0.0, 1.0);
    Scene next = document.next();
    if (apply_sweep(sweep_->sweep, share, next)) document.next() = std::move(next);
    if (share >= 1) sweep_.reset();
}

void LessonRun::answer(Document& document, Session& session) {
    if (!is_running() || !player_->current().question) return;
    const Question& question = *player_->current().question;
    AnswerDraft& made = draft();
    made.problem.clear();
    Answer answer;
    switch (question.kind) {
        case AskKind::number: {
            const std::optional<TypedNumber> number = typed_number(made.number);
            if (!number) {
                made.problem = "Type a number, such as 0.5, 50% or 1/2";
                return;
            }
            answer.number = number->value;
            break;
        }
        case AskKind::choice:
            if (made.option < 0) return;
            answer.option = made.option;
            break;
        case AskKind::cell:
            if (!made.cell) return;
            answer.cell = *made.cell;
            break;
        case AskKind::row: {
            const std::optional<TrueRow>& row = words_.row;
            if (!row) return;
            if (!judge_row(made.row, *row).is_whole) {
                made.problem = "Each cell wants a number, such as 0.5, 50% or 1/2";
                return;
            }
            answer.row = made.row;
            break;
        }
        case AskKind::sketch:
            if (sketch_missing(made.sketch) > most_sketch_missing) return forget_answer();
            // Judged once the true curve is there; until then it is a prediction.
            answer.sketch = to_the_edges(made.sketch);
            player_->state().answer = answer;
            player_->state().verdict.reset();
            ++version_;
            return;
    }
    const Result<Verdict> verdict = give_answer(*player_, answer, document.next(), session.results.get());
    if (!verdict) session.message = verdict.error();
    ++version_;
}

void LessonRun::forget_answer() {
    if (!is_running() || player_->state().revealed) return;
    player_->state().answer.reset();
    player_->state().verdict.reset();
    ++version_;
}

void LessonRun::check_row(Document& document, Session& session) {
    answer(document, session);
    if (draft().problem.empty()) reveal(document, session);
}

std::string LessonRun::typed_logit(const Document& document, int key) const {
    return logit_text(document.next(), *player_->current().question, key);
}

void LessonRun::type_logit(Document& document, int key, const std::string& text) {
    const std::optional<TypedNumber> number = typed_number(text);
    draft().problem.clear();
    if (!number) {
        draft().problem = "Type a number, such as 0.5, 50% or 1/2";
        return;
    }
    const std::string field = logit_field(player_->current().question->logits, key);
    Scene next = document.next();
    if (const Status set = set_field(next, field, float_text(static_cast<float>(number->value))); !set)
        draft().problem = set.error();
    else
        document.next() = std::move(next);
}

// What a row is typed for: its keys, and before anything was typed what the lesson puts there.
void LessonRun::look_at_row(const Document& document, Results* results) {
    words_.row.reset();
    const std::optional<Question>& question = player_->current().question;
    if (!question || question->kind != AskKind::row) return;
    Result<Truth> truth = true_answer(*player_, document.scene(), results);
    if (!truth) return;
    words_.row = std::move(truth->row);
    std::vector<std::string>& typed = draft().row;
    const int n_keys = effective_n_keys(document.scene().model);
    if (typed.empty()) typed = texts_by_key(question->claimed, *words_.row, n_keys);
    typed.resize(static_cast<std::size_t>(n_keys));
}

void LessonRun::reveal(Document& document, Session& session) {
    if (!is_running() || !may_reveal(*player_)) return;
    session.pointing = {};
    sweep_.reset();
    Scene live = document.next();
    if (const Status done = heed::reveal(*player_, live); !done) {
        session.message = done.error();
        return;
    }
    document.next() = live;
    wanted_view_ = live.display.view;
    pin_ = {live.display.pinned, live.display.pin};
    if (Result<Scene> scene = heed::step_scene(*player_)) step_scene_ = std::move(*scene);
    if (const std::optional<Reveal>& told = player_->current().reveal)
        for (const heed::Action& action : told->actions.list)
            if (action.verb == Verb::look) look(session, document, action.argument);
    start_curve(live);
    ++version_;
}

void LessonRun::open_answers(bool open) {
    if (!is_running()) return;
    player_->open_answers = open;
    ++version_;
}

void LessonRun::start_curve(const Scene& live) {
    const std::optional<Question>& question = player_->current().question;
    if (!question || question->kind != AskKind::sketch) return;
    const Result<Scene> scene = revealed_scene(*player_, live);
    if (!scene) return;
    curve_.clear();
    curve_step_ = player_->step;
    curve_job_.start([question = *question, scene = *scene](JobControl<>& control) {
        return heed::true_curve(question, scene, control.cancel_flag());
    });
}

void LessonRun::take_curve() {
    std::optional<Result<std::vector<SketchPoint>>> computed = curve_job_.take();
    if (!computed || !*computed || curve_step_ != player_->step) return;
    curve_ = std::move(**computed);
    const StepProgress& state = player_->state();
    if (state.answer && !state.answer->sketch.empty())
        keep_answer(*player_, *state.answer, judge_sketch(*player_->current().question, state.answer->sketch, curve_));
    ++version_;
}

// A click on the weights is the answer to a question for a cell.
void LessonRun::follow_pin(const Document& document) {
    const std::pair<bool, Cell> now{document.next().display.pinned, document.next().display.pin};
    if (std::exchange(pin_, now) == now) return;
    const std::optional<Question>& question = player_->current().question;
    if (!question || question->kind != AskKind::cell || player_->state().revealed) return;
    draft().cell = now.second;
}

// The cell that the question asks for: who clicks it has not left the step.
bool LessonRun::has_only_pinned(Scene scene) const {
    const std::optional<Question>& question = player_->current().question;
    if (!question || question->kind != AskKind::cell || player_->state().revealed) return false;
    scene.display.pinned = step_scene_.display.pinned;
    scene.display.pin = step_scene_.display.pin;
    return scene == step_scene_;
}

void LessonRun::frame(Document& document, Session& session, double now) {
    if (!is_running()) return;
    if (heed::may_go_on(*player_) && has_next(*player_)) is_held_ = false;
    if (sweep_) play_sweep(document, now);
    take_curve();
    follow_pin(document);
    SaidOf about{document.scene(), session.settings.language, version_};
    if (said_of_ == about) return;
    Results* results = session.results.get();
    if (look_at_gate(*player_, document.scene(), document.trace(), results))
        furthest_ = std::max(furthest_, player_->step);
    words_.text = step_text(*player_, about.language, document.scene(), document.trace(), results);
    const bool is_changed = document.scene() != step_scene_;
    words_.has_wandered = is_changed && !has_only_pinned(document.scene());
    const bool is_whole = !player_->current().reveal || player_->state().revealed;
    words_.claims_hold =
        !is_changed || !is_whole || all_hold(*player_, document.scene(), document.trace(), step_scene_, results);
    look_at_row(document, results);
    words_.truth.reset();
    if (player_->state().revealed)
        if (Result<Truth> truth = true_answer(*player_, document.scene(), results)) words_.truth = std::move(*truth);
    said_of_ = std::move(about);
}

}  // namespace heed::app
