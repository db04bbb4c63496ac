#include "core/lessons/player.h"

#include "core/figure/context.h"
#include "core/files/scene_file.h"
#include "core/lessons/actions.h"
#include "core/results.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

Result<Scene> start_scene(const Lesson& lesson, const std::filesystem::path& folder) {
    if (lesson.start.empty()) return default_scene();
    if (!lesson.start.ends_with(".json")) return example_scene(lesson.start);
    // A name of this folder: the reader of files lets no path through, and a value made otherwise is held to the same.
    if (lesson.start.find_first_of("/\\") != std::string::npos || lesson.start.starts_with('.'))
        return Error{"start: a scene beside the lesson is wanted, not a path"};
    if (folder.empty()) return Error{"start: " + lesson.start + ": the lesson has no folder to find it in"};
    return read_scene(folder / lesson.start);
}

}  // namespace

double number_allowance(const Question& question, double truth) {
    constexpr double usual_share = 0.1;
    constexpr double least = 0.02;
    if (!question.tolerance) return std::max(least, usual_share * std::abs(truth));
    if (question.tolerance->per_cent) return question.tolerance->value / 100 * std::abs(truth);
    return question.tolerance->value;
}

Verdict judge_number(const Question& question, double answer, double truth) {
    Verdict verdict;
    verdict.truth = truth;
    verdict.right = std::abs(answer - truth) <= number_allowance(question, truth) * (1 + 1e-9);
    if (verdict.right) return verdict;
    for (std::size_t i = 0; i < question.hints.size() && verdict.hint < 0; ++i)
        if (question.hints[i].below ? answer < question.hints[i].bound : answer > question.hints[i].bound)
            verdict.hint = static_cast<int>(i);
    return verdict;
}

namespace {

Result<int> right_option(const Question& question, const Moment& moment) {
    int right = -1;
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const Result<Expression> condition = parse_condition(question.options[i].condition.text);
        if (!condition) return Error{condition.error()};
        const Result<bool> holds = evaluate_condition(*condition, moment);
        if (!holds) return Error{holds.error()};
        if (*holds && right >= 0) return Error{"more than one option is true of this scene"};
        if (*holds) right = static_cast<int>(i);
    }
    if (right < 0) return Error{"no option is true of this scene"};
    return right;
}

constexpr Allowed with_cell{.cell = true};

Result<bool> is_right_cell(const Question& question, Moment moment, Cell cell) {
    const Result<Expression> condition = parse_condition(question.truth.text, with_cell);
    if (!condition) return Error{condition.error()};
    moment.cell = cell;
    return evaluate_condition(*condition, moment);
}

const std::vector<Action> no_actions;

const std::vector<Action>& reveal_actions(const Step& step) {
    return step.reveal ? step.reveal->actions.list : no_actions;
}

}  // namespace

Result<TrueRow> asked_row(const Question& question, const Moment& moment) {
    const Result<Expression> expression = parse_number(question.truth.text);
    if (!expression) return Error{expression.error()};
    const Result<double> query = evaluate_number(*expression, moment);
    if (!query) return Error{query.error()};
    return true_row(moment.scene.model, moment.trace, moment.scene.display.head, *query);
}

Result<LessonPlayer> open_lesson(Lesson lesson, const std::filesystem::path& folder) {
    if (lesson.steps.empty()) return Error{"the lesson has no steps"};
    Result<Scene> start = start_scene(lesson, folder);
    if (!start) return Error{start.error()};
    LessonPlayer player;
    player.progress.resize(lesson.steps.size());
    player.lesson = std::make_shared<const Lesson>(std::move(lesson));
    player.start = *std::move(start);
    return player;
}

Result<Scene> step_scene(const LessonPlayer& player, int step, bool revealed) {
    Scene scene = player.start;
    for (int i = 0; i <= step; ++i) {
        const Step& one = player.lesson->steps[static_cast<std::size_t>(i)];
        if (Status status = apply_all(one.actions.list, scene); !status) return Error{status.error()};
        if (i == step && !revealed) break;
        if (Status status = apply_all(reveal_actions(one), scene); !status) return Error{status.error()};
    }
    return scene;
}

Result<Scene> step_scene(const LessonPlayer& player) {
    return step_scene(player, player.step, player.state().revealed);
}

std::shared_ptr<const Result<Scene>> kept_step_scene(const LessonPlayer& player, Results* results) {
    const auto made = [&] { return step_scene(player, player.step, false); };
    if (results == nullptr) return std::make_shared<const Result<Scene>>(made());
    return results->now("lesson step", std::tuple(player.lesson, player.step), made);
}

bool has_next(const LessonPlayer& player) { return player.step + 1 < player.n_steps(); }
bool has_previous(const LessonPlayer& player) { return player.step > 0; }

namespace {

bool is_done(const LessonPlayer& player, int step) {
    const Step& one = player.lesson->steps[static_cast<std::size_t>(step)];
    const StepProgress& state = player.progress[static_cast<std::size_t>(step)];
    return player.open_answers || ((!one.question || state.revealed) && (!one.gate || state.gate_passed));
}

}  // namespace

bool may_go_on(const LessonPlayer& player) { return is_done(player, player.step); }

bool go_on(LessonPlayer& player) {
    if (!has_next(player) || !may_go_on(player)) return false;
    ++player.step;
    return true;
}

bool go_back(LessonPlayer& player) {
    if (!has_previous(player)) return false;
    --player.step;
    return true;
}

bool go_to(LessonPlayer& player, int step) {
    if (step < 0 || step >= player.n_steps()) return false;
    for (int i = 0; i < step; ++i)
        if (!is_done(player, i)) return false;
    player.step = step;
    return true;
}

bool look_at_gate(LessonPlayer& player, const Scene& live, const AttentionTrace& trace, Results* results) {
    const std::optional<Gate>& gate = player.current().gate;
    if (!gate || player.state().gate_passed) return true;
    const Result<Expression> condition = parse_condition(gate->condition.text);
    if (!condition) return false;
    const std::shared_ptr<const Result<Scene>> step = kept_step_scene(player, results);
    Moment moment{.scene = live, .trace = trace, .results = results};
    if (*step) moment.step = &**step;
    const Result<bool> holds = evaluate_condition(*condition, moment);
    player.state().gate_passed = holds && *holds;
    return player.state().gate_passed;
}

Result<Scene> revealed_scene(const LessonPlayer& player, const Scene& live) {
    Scene scene = live;
    if (!player.state().revealed)
        if (Status status = apply_all(reveal_actions(player.current()), scene); !status) return Error{status.error()};
    return scene;
}

Result<Truth> true_answer(const LessonPlayer& player, const Scene& live, Results* results) {
    const std::optional<Question>& question = player.current().question;
    if (!question) return Error{"this step asks nothing"};
    const Result<Scene> scene = revealed_scene(player, live);
    if (!scene) return Error{scene.error()};
    const std::shared_ptr<const AttentionTrace> trace = trace_of(scene->model, results);
    const std::shared_ptr<const Result<Scene>> step = kept_step_scene(player, results);
    Moment moment{.scene = *scene, .trace = *trace, .results = results};
    if (*step) moment.step = &**step;
    Truth truth;
    if (question->kind == AskKind::number) {
        const Result<Expression> expression = parse_number(question->truth.text);
        if (!expression) return Error{expression.error()};
        const Result<double> value = evaluate_number(*expression, moment);
        if (!value) return Error{value.error()};
        truth.number = *value;
    } else if (question->kind == AskKind::choice) {
        const Result<int> option = right_option(*question, moment);
        if (!option) return Error{option.error()};
        truth.option = *option;
    } else if (question->kind == AskKind::cell) {
        constexpr std::size_t most = 4096;
        for (int i = 0; i < scene->model.n_queries && i < 128; ++i)
            for (int j = 0; j < effective_n_keys(scene->model) && j < 128 && truth.cells.size() < most; ++j) {
                const Result<bool> right = is_right_cell(*question, moment, {i, j});
                if (!right) return Error{right.error()};
                if (*right) truth.cells.push_back({i, j});
            }
    } else if (question->kind == AskKind::row) {
        Result<TrueRow> row = asked_row(*question, moment);
        if (!row) return Error{row.error()};
        truth.row = *std::move(row);
    }
    return truth;
}

Result<Verdict> give_answer(LessonPlayer& player, const Answer& answer, const Scene& live, Results* results) {
    const std::optional<Question>& question = player.current().question;
    if (!question) return Error{"this step asks nothing"};
    Verdict verdict;
    if (question->kind == AskKind::number || question->kind == AskKind::choice || question->kind == AskKind::row) {
        const Result<Truth> truth = true_answer(player, live, results);
        if (!truth) return Error{truth.error()};
        if (question->kind == AskKind::number) {
            verdict = judge_number(*question, answer.number, *truth->number);
        } else if (question->kind == AskKind::row) {
            verdict.right = judge_row(answer.row, *truth->row).right();
        } else {
            verdict.option = truth->option;
            verdict.right = answer.option == truth->option;
        }
    } else {
        const Result<Scene> scene = revealed_scene(player, live);
        if (!scene) return Error{scene.error()};
        if (question->kind == AskKind::cell) {
            const std::shared_ptr<const AttentionTrace> trace = trace_of(scene->model, results);
            const Result<bool> right =
                is_right_cell(*question, {.scene = *scene, .trace = *trace, .results = results}, answer.cell);
            if (!right) return Error{right.error()};
            verdict.right = *right;
        } else {
            const Result<std::vector<SketchPoint>> truth = true_curve(*question, *scene);
            if (!truth) return Error{truth.error()};
            verdict = judge_sketch(*question, answer.sketch, *truth);
        }
    }
    keep_answer(player, answer, verdict);
    return verdict;
}

void keep_answer(LessonPlayer& player, const Answer& answer, const Verdict& verdict) {
    player.state().answer = answer;
    player.state().verdict = verdict;
}

bool may_reveal(const LessonPlayer& player) {
    return player.current().question && (player.open_answers || player.state().answer);
}

Status reveal(LessonPlayer& player, Scene& live) {
    if (!player.current().question) return Error{"this step asks nothing"};
    if (!may_reveal(player)) return Error{"first say what you expect"};
    if (player.state().revealed) return ok();
    Scene before = live;
    if (Status status = apply_all(reveal_actions(player.current()), live); !status) return status;
    player.state().before_reveal = std::move(before);
    player.state().revealed = true;
    return ok();
}

}  // namespace heed
