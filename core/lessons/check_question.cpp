#include "core/lessons/check_question.h"

#include "core/attention/pipeline.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"
#include "core/lessons/actions.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

class QuestionCheck {
public:
    QuestionCheck(const Question& question, const Moment& moment) : question_(question), moment_(moment) {}

    CheckedQuestion run() {
        switch (question_.kind) {
            case AskKind::number:
                number();
                break;
            case AskKind::choice:
                choice();
                break;
            case AskKind::cell:
                cell();
                break;
            case AskKind::sketch:
                sketch();
                break;
            case AskKind::row:
                row();
                break;
        }
        return std::move(checked_);
    }

private:
    void fault(Line line, const std::string& sentence) { checked_.faults.push_back({line.number, sentence}); }

    void number() {
        const Result<Expression> expression = parse_number(question_.truth.text);
        const Result<double> truth =
            expression ? evaluate_number(*expression, moment_) : Result<double>(Error{expression.error()});
        if (!truth) return fault(question_.truth.line, "ask number: " + truth.error());
        if (!std::isfinite(*truth)) return fault(question_.truth.line, "ask number: the true value is not finite");
        checked_.answer.emplace().number = *truth;
        for (std::size_t i = 0; i < question_.hints.size(); ++i)
            if (!is_ever_shown(static_cast<int>(i), *truth))
                fault(question_.hints[i].words.en_line,
                      "hint: no wrong answer ever shows it, the true value being " + compact(*truth));
    }

    // Every range of answers between the bounds is tried once.
    bool is_ever_shown(int hint, double truth) const {
        std::vector<double> edges = {truth, truth - number_allowance(question_, truth),
                                     truth + number_allowance(question_, truth)};
        for (const Hint& other : question_.hints) edges.push_back(other.bound);
        std::ranges::sort(edges);
        std::vector<double> answers = {edges.front() - 1, edges.back() + 1};
        for (std::size_t i = 0; i + 1 < edges.size(); ++i) answers.push_back((edges[i] + edges[i + 1]) / 2);
        return std::ranges::any_of(answers,
                                   [&](double answer) { return judge_number(question_, answer, truth).hint == hint; });
    }

    void choice() {
        std::vector<int> right;
        for (std::size_t i = 0; i < question_.options.size(); ++i) {
            const Formula& formula = question_.options[i].condition;
            const Result<Expression> condition = parse_condition(formula.text);
            const Result<bool> holds =
                condition ? evaluate_condition(*condition, moment_) : Result<bool>(Error{condition.error()});
            if (!holds) return fault(formula.line, "option: " + holds.error());
            if (*holds) right.push_back(static_cast<int>(i));
        }
        if (right.size() != 1)
            return fault(question_.line,
                         "ask choice: " + std::to_string(right.size()) + " of its options are true, and one must be");
        checked_.answer.emplace().option = right[0];
    }

    void cell() {
        const Result<Expression> condition = parse_condition(question_.truth.text, {.cell = true});
        if (!condition) return fault(question_.truth.line, "ask cell: " + condition.error());
        const int n_queries = moment_.scene.model.n_queries;
        const int n_keys = effective_n_keys(moment_.scene.model);
        constexpr int most = 64;  // on a side: no one clicks among more
        int right = 0;
        for (int i = 0; i < std::min(n_queries, most); ++i)
            for (int j = 0; j < std::min(n_keys, most); ++j) {
                Moment moment = moment_;
                moment.cell = Cell{i, j};
                const Result<bool> holds = evaluate_condition(*condition, moment);
                if (!holds) return fault(question_.truth.line, "ask cell: " + holds.error());
                if (!*holds) continue;
                if (++right == 1) checked_.answer.emplace().cell = {i, j};
            }
        if (right == 0) fault(question_.truth.line, "ask cell: no cell is right");
        if (right > 0 && right == n_queries * n_keys) fault(question_.truth.line, "ask cell: every cell is right");
    }

    void sketch() {
        const Result<std::vector<SketchPoint>> curve = true_curve(question_, moment_.scene);
        if (!curve) return fault(question_.truth.line, "ask sketch: " + curve.error());
        const auto outside = std::ranges::count_if(
            *curve, [&](const SketchPoint& point) { return point.y < question_.low || point.y > question_.high; });
        if (outside > 0)
            fault(question_.line, "ask sketch: " + std::to_string(outside) + " of " + std::to_string(curve->size()) +
                                      " points of the true curve lie outside of its range");
        checked_.answer.emplace().sketch = *curve;
    }

    void row() {
        const Result<TrueRow> truth = asked_row(question_, moment_);
        if (!truth) return fault(question_.truth.line, "ask row: " + truth.error());
        const std::size_t n = truth->keys.size();
        if (n == 0 || n > most_row_cells)
            return fault(question_.truth.line, "ask row: the query sees " + std::to_string(n) +
                                                   " keys, which are not 1 to " + std::to_string(most_row_cells));
        if (!question_.claimed.empty() && question_.claimed.size() != n)
            fault(question_.line, "claimed: " + std::to_string(question_.claimed.size()) +
                                      " numbers are not one for each key: the query sees " + std::to_string(n));
        check_logits(*truth);
        std::vector<std::string> texts;
        for (const double weight : truth->weights) texts.push_back(row_number(weight, 4));
        checked_.answer.emplace().row = texts_by_key(texts, *truth, effective_n_keys(moment_.scene.model));
    }

    // Numbers that are typed there are those that enter the normaliser.
    void check_logits(const TrueRow& truth) {
        if (question_.logits.empty()) return;
        Scene probe = moment_.scene;
        const auto typed = [](std::size_t i) { return 0.25 + 0.5 * static_cast<double>(i % 7); };
        for (std::size_t i = 0; i < truth.keys.size(); ++i)
            if (Status set = set_field(probe, logit_field(question_.logits, truth.keys[i]), std::to_string(typed(i)));
                !set)
                return fault(question_.line, "logits: " + set.error());
        const std::shared_ptr<const AttentionTrace> trace = trace_of(probe.model, moment_.results);
        for (std::size_t i = 0; i < truth.keys.size(); ++i) {
            const double enters = static_cast<double>(
                stage_value(probe.model, *trace, Stage::masked, probe.display.head, truth.query, truth.keys[i]));
            if (std::abs(enters - typed(i)) > 1e-4)
                return fault(question_.line, "logits: what is typed into " + shown(question_.logits) +
                                                 " is not what enters the normaliser: " + compact(typed(i)) +
                                                 " became " + compact(enters));
        }
    }

    const Question& question_;
    const Moment& moment_;
    CheckedQuestion checked_;
};

}  // namespace

CheckedQuestion check_question(const Question& question, const Moment& moment) {
    return QuestionCheck(question, moment).run();
}

}  // namespace heed
