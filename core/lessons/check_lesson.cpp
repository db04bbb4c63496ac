#include "core/lessons/check_lesson.h"

#include "core/figure/registry.h"
#include "core/files/near_names.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"
#include "core/lessons/actions.h"
#include "core/lessons/check_question.h"
#include "core/lessons/expression_node.h"
#include "core/lessons/player.h"
#include "core/results.h"

#include <algorithm>
#include <set>

namespace heed {
namespace {

constexpr Language languages[] = {Language::english, Language::chinese};

// What the words after an answer may say of it.
struct Answered {
    Allowed allowed = {};
    std::optional<Answer> answer = {};
};

class Checker {
public:
    Checker(const Lesson& lesson, const std::vector<std::string>& lessons) : lesson_(lesson), lessons_(lessons) {}

    std::vector<LessonFault> run(const std::filesystem::path& folder) {
        check_fields(lesson_.lock, lesson_.lock_line, "lock");
        if (lesson_.show) check_fields(*lesson_.show, lesson_.show_line, "show");
        const Result<LessonPlayer> player = open_lesson(lesson_, folder);
        if (!player) {
            fault(lesson_.start_line, player.error());
            return in_order();
        }
        scene_ = player->start;
        check_words(lesson_.title, "the title");
        check_words(lesson_.about, "about");
        for (const Step& step : lesson_.steps) check_step(step);
        return in_order();
    }

private:
    void fault(Line line, const std::string& sentence) { faults_.push_back({line.number, sentence}); }

    std::vector<LessonFault> in_order() {
        std::ranges::stable_sort(faults_, {}, &LessonFault::line);
        return std::move(faults_);
    }

    void check_fields(const std::vector<std::string>& names, Line line, const std::string& key) {
        for (const std::string& name : names)
            if (const Result<FieldKind> kind = field_kind(default_scene(), name); !kind)
                fault(line, key + ": " + kind.error());
    }

    std::shared_ptr<const AttentionTrace> trace(const Scene& scene) { return trace_of(scene.model, &results_); }

    // Applies what can be applied, and looks at every place that is pointed at.
    void play(const Actions& actions, Scene& scene, std::string_view key) {
        for (const Action& action : actions.list)
            if (Status status = apply(action, scene); !status)
                fault(actions.line, std::string(key) + ": " + status.error());
        for (const Action& action : actions.list)
            if (action.verb == Verb::look) check_place(action, scene, actions.line);
    }

    void check_place(const Action& action, const Scene& scene, Line line) {
        const Result<LookPlace> place = look_place(action.argument);
        if (!place) return fault(line, place.error());
        if (!place->field.empty()) {
            if (const Result<FieldKind> kind = field_kind(scene, place->field); !kind)
                fault(line, "look: " + kind.error());
            else if (!is_shown(lesson_, place->field))
                fault(line, "look: the control of " + place->field + " is not among those that show: names");
            return;
        }
        const FigureKind* kind = find_figure_kind(place->view);
        if (kind == nullptr) {
            std::vector<std::string> names = {"control"};
            for (const FigureKind& known : figure_kinds()) names.emplace_back(known.id);
            return fault(line,
                         "look " + shown(action.argument) + ": there is no such view" + near_names(place->view, names));
        }
        const std::shared_ptr<const AttentionTrace> shown_trace = trace(scene);
        const FigureContext context{.model = scene.model,
                                    .trace = *shown_trace,
                                    .display = scene.display,
                                    .trace_owner = shown_trace,
                                    .measure = rough_measure(),
                                    .width = 960,
                                    .height = 680,
                                    .results = &results_};
        const Figure figure = kind->make(context);
        if (place_in(figure, place->id)) return;
        std::string known;
        for (const std::string& id : places_of(figure))
            if (known.size() < 400) known += (known.empty() ? "" : ", ") + id;
        fault(line, "look " + shown(action.argument) + ": that picture has no such place here; it has " +
                        (known.empty() ? "none" : known));
    }

    void check_link(const std::string& destination, Line line, const Scene& scene) {
        if (destination == plain_link) return;
        const Result<std::vector<Action>> actions = parse_actions(destination);
        if (!actions) return fault(line, "link: " + actions.error());
        if (actions->empty()) return fault(line, "link: it leads nowhere");
        Scene after = scene;
        for (const Action& action : *actions) {
            if (Status status = apply(action, after); !status) fault(line, "link: " + status.error());
            if (action.verb == Verb::look) check_place(action, after, line);
            if (action.verb == Verb::sweep) check_sweep(action, after, line);
            if (action.verb == Verb::lesson && action.argument != lesson_.id &&
                std::ranges::find(lessons_, action.argument) == lessons_.end())
                fault(line,
                      "link: there is no lesson " + shown(action.argument) + near_names(action.argument, lessons_));
            if (action.verb == Verb::set) check_lock(action, line, "link");
        }
    }

    void check_sweep(const Action& action, const Scene& scene, Line line) {
        const Result<Sweep> sweep = sweep_of(action);
        if (!sweep) return fault(line, "link: " + sweep.error());
        for (const double share : {0.0, 0.5, 1.0}) {
            Scene swept = scene;
            if (Status status = apply_sweep(*sweep, share, swept); !status)
                return fault(line, "link: sweep " + shown(action.argument) + ": " + status.error());
        }
    }

    // What the user cannot move is not moved for him by what stands for his own hand.
    void check_lock(const Action& action, Line line, const std::string& key) {
        const std::string field = action.argument.substr(0, action.argument.find('='));
        if (is_locked(lesson_, field)) fault(line, key + ": it sets " + field + ", which is locked");
    }

    // Both languages, with every expression and link of theirs.
    void check_words(const Words& words, std::string_view owner, const Question* question = nullptr,
                     const Answered& answered = {}) {
        std::set<std::string> links[2];
        for (const Language language : languages) {
            const bool is_english = language == Language::english;
            const Line line = is_english ? words.en_line : words.zh_line;
            if (!words.has(language)) {
                if (!words.empty())
                    fault(line, std::string(owner) + (is_english ? " has no English" : " has no Chinese"));
                continue;
            }
            const std::shared_ptr<const AttentionTrace> now = trace(scene_);
            Moment moment{.scene = scene_, .trace = *now, .step = &own_, .results = &results_};
            if (question != nullptr && answered.answer) {
                moment.answer = answer_value(*question, *answered.answer, scene_.model, language);
                moment.difference = 0;
            }
            std::vector<TextFault> found;
            filled_text(words.in(language), moment, answered.allowed, language, &found);
            for (const TextFault& one : found) fault({line.number + one.line}, one.sentence);
            for (const TextLink& link : links_in(words.in(language))) {
                links[is_english ? 0 : 1].insert(link.destination);
                check_link(link.destination, {line.number + link.line}, scene_);
            }
        }
        if (words.en.empty() || words.zh.empty()) return;
        for (const std::string& link : links[0])
            if (!links[1].contains(link) && link != plain_link)
                fault(words.zh_line, "the Chinese has no link to " + shown(link) + ", which the English has");
        for (const std::string& link : links[1])
            if (!links[0].contains(link) && link != plain_link)
                fault(words.en_line, "the English has no link to " + shown(link) + ", which the Chinese has");
    }

    void check_step(const Step& step) {
        play(step.actions, scene_, "do");
        own_ = scene_;
        check_words(step.title, "the title of " + step.id);
        check_words(step.words, "the step " + step.id);
        if (step.question) check_asked(step, *step.question);
        for (const Formula& claim : step.claims) check_claim(claim);
        if (step.gate) check_gate(*step.gate);
    }

    void check_asked(const Step& step, const Question& question) {
        check_words(question.words, "the question");
        for (const Option& option : question.options) check_words(option.words, "the option");
        for (const Hint& hint : question.hints) check_words(hint.words, "the hint");
        if (step.reveal) play(step.reveal->actions, scene_, "reveal");
        const std::shared_ptr<const AttentionTrace> after = trace(scene_);
        const CheckedQuestion checked =
            check_question(question, {.scene = scene_, .trace = *after, .step = &own_, .results = &results_});
        faults_.insert(faults_.end(), checked.faults.begin(), checked.faults.end());
        if (step.reveal && !step.reveal->words.empty())
            check_words(step.reveal->words, "the reveal", &question, {allowed_in_reveal(question), checked.answer});
    }

    std::optional<bool> condition(const Formula& formula, const Scene& scene, const std::string& key) {
        const Result<Expression> parsed = parse_condition(formula.text);
        const std::shared_ptr<const AttentionTrace> now = trace(scene);
        const Moment moment{.scene = scene, .trace = *now, .step = &own_, .results = &results_};
        const Result<bool> holds = parsed ? evaluate_condition(*parsed, moment) : Result<bool>(Error{parsed.error()});
        if (!holds) {
            fault(formula.line, key + ": " + holds.error());
            return std::nullopt;
        }
        if (!*holds) why_ = why_false(parsed->root(), moment);
        return *holds;
    }

    void check_claim(const Formula& claim) {
        const std::optional<bool> holds = condition(claim, scene_, "claim");
        if (holds && !*holds) fault(claim.line, "claim: " + shown(claim.text, 120) + " is false" + why_);
    }

    void check_gate(const Gate& gate) {
        const std::optional<bool> before = condition(gate.condition, scene_, "until");
        if (!before) return;
        if (*before)
            fault(gate.condition.line, "until: " + shown(gate.condition.text, 120) + " holds before anything is done");
        check_words(gate.words, "the goal of until");
        Scene solved = scene_;
        play(gate.solve, solved, "solve");
        for (const Action& action : gate.solve.list)
            if (action.verb == Verb::set) check_lock(action, gate.solve.line, "solve");
        const std::optional<bool> after = condition(gate.condition, solved, "until");
        if (after && !*after)
            fault(gate.condition.line,
                  "until: " + shown(gate.condition.text, 120) + " does not hold after solve" + why_);
    }

    // " (0.41 > 0.9)", of the comparison that fails.
    static std::string why_false(const Expression::Node& node, const Moment& moment) {
        if (node.operation == Operation::both) {
            for (const auto& part : node.parts) {
                const Result<LessonValue> value = evaluate(Expression(part, part->kind), moment);
                if (value && !std::get<bool>(*value)) return why_false(*part, moment);
            }
            return "";
        }
        static constexpr std::pair<Operation, std::string_view> signs[] = {
            {Operation::less, "<"},      {Operation::at_most, "<="}, {Operation::greater, ">"},
            {Operation::at_least, ">="}, {Operation::equal, "=="},   {Operation::unequal, "!="}};
        const auto* sign = std::ranges::find(signs, node.operation, &std::pair<Operation, std::string_view>::first);
        if (sign == std::end(signs)) return "";
        std::string sides[2];
        for (std::size_t i = 0; i < 2; ++i) {
            const Result<LessonValue> value = evaluate(Expression(node.parts[i], node.parts[i]->kind), moment);
            if (!value) return "";
            sides[i] = *value_text(*value, "");
        }
        return " (" + sides[0] + " " + std::string(sign->second) + " " + sides[1] + ")";
    }

    const Lesson& lesson_;
    const std::vector<std::string>& lessons_;
    std::vector<LessonFault> faults_;
    Results results_;
    Scene scene_;  // as played so far
    Scene own_;    // of the step, before its reveal
    std::string why_;
};

}  // namespace

std::vector<LessonFault> check_lesson(const Lesson& lesson, const std::filesystem::path& folder,
                                      const std::vector<std::string>& lessons) {
    return Checker(lesson, lessons).run(folder);
}

std::string fault_text(std::string_view name, const LessonFault& fault) {
    const std::string line = fault.line > 0 ? ":" + std::to_string(fault.line) : "";
    return std::string(name) + line + ": " + fault.sentence;
}

}  // namespace heed
