#include "core/lessons/player.h"

namespace heed {

Allowed allowed_in_reveal(const Question& question) {
    Allowed allowed;
    if (question.kind == AskKind::sketch)
        allowed.difference = true;
    else
        allowed.answer = question.kind == AskKind::number ? ValueKind::number : ValueKind::text;
    return allowed;
}

std::optional<LessonValue> answer_value(const Question& question, const Answer& answer, const Model& model,
                                        Language language) {
    switch (question.kind) {
        case AskKind::number:
            return LessonValue(answer.number);
        case AskKind::choice: {
            const auto option = static_cast<std::size_t>(answer.option);
            if (answer.option < 0 || option >= question.options.size()) return std::nullopt;
            return LessonValue(question.options[option].words.in(language));
        }
        case AskKind::cell:
            return LessonValue(query_label(model, answer.cell.query) + " → " + key_label(model, answer.cell.key));
        case AskKind::row: {
            std::string row;
            for (const std::string& text : answer.row)
                if (!text.empty()) row += (row.empty() ? "" : ", ") + text;
            return LessonValue(row);
        }
        case AskKind::sketch:
            return std::nullopt;
    }
    return std::nullopt;
}

StepText step_text(const LessonPlayer& player, Language language, const Scene& live, const AttentionTrace& trace,
                   Results* results) {
    const Step& step = player.current();
    const StepProgress& state = player.state();
    const std::shared_ptr<const Result<Scene>> own = kept_step_scene(player, results);
    Moment now{.scene = live, .trace = trace, .step = *own ? &**own : nullptr, .results = results};
    const auto filled = [&](const Words& words, const Moment& moment, const Allowed& allowed = {}) {
        return filled_text(words.in(language), moment, allowed, language);
    };

    StepText text;
    text.title = filled(step.title, now);
    if (state.before_reveal) {  // the step's text spoke of the scene before, and goes on to
        const std::shared_ptr<const AttentionTrace> before = trace_of(state.before_reveal->model, results);
        const Moment then{.scene = *state.before_reveal, .trace = *before, .step = now.step, .results = results};
        text.body = filled(step.words, then);
        if (step.question) text.question = filled(step.question->words, then);
    } else {
        text.body = filled(step.words, now);
        if (step.question) text.question = filled(step.question->words, now);
    }
    if (step.gate) text.goal = filled(step.gate->words, now);
    if (!step.question) return text;

    for (const Option& option : step.question->options) text.options.push_back(filled(option.words, now));
    if (state.verdict && !state.verdict->right && state.verdict->hint >= 0)
        text.hint = filled(step.question->hints[static_cast<std::size_t>(state.verdict->hint)].words, now);
    if (state.revealed && step.reveal) {
        if (state.answer) now.answer = answer_value(*step.question, *state.answer, live.model, language);
        if (state.verdict) now.difference = state.verdict->difference;
        text.revealed = filled(step.reveal->words, now, allowed_in_reveal(*step.question));
    }
    return text;
}

}  // namespace heed
