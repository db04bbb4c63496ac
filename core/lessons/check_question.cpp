#include "core/lessons/check_question.h"

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

    const Question& question_;
    const Moment& moment_;
    CheckedQuestion checked_;
};

}  // namespace

CheckedQuestion check_question(const Question& question, const Moment& moment) {
    return QuestionCheck(question, moment).run();
}

}  // namespace heed
