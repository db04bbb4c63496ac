// Lessons with everything in them that a file can hold, by a seed.
#pragma once

#include "core/files/lesson_file.h"

#include <random>
#include <string>
#include <vector>

namespace heed::test {

class RandomLesson {
public:
    explicit RandomLesson(std::uint32_t seed) : random_(seed) {}

    Lesson lesson() {
        Lesson lesson;
        lesson.id = "l" + std::to_string(below(1000));
        lesson.title = words(false);
        if (coin()) lesson.about = words(false);
        if (coin()) lesson.source = {"000#2.2", "004#1"};
        if (coin()) lesson.start = coin() ? "cat" : "mine.json";
        if (coin()) lesson.show = std::vector<std::string>{"model.d_k", "model.mask"};
        if (coin()) lesson.lock = {"model.temperature"};
        const std::size_t steps = 1 + below(5);
        for (std::size_t i = 0; i < steps; ++i) lesson.steps.push_back(step("s" + std::to_string(i)));
        return lesson;
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    bool coin() { return below(2) == 0; }

    std::string text(bool lines) {
        static const std::string pieces[] = {"a word",
                                             "查询与键",
                                             "$\\sum_{i=1}^{d_k} q_i$",
                                             "{max_weight(0):2}",
                                             "[link](set: model.d_k=256; view: heads)",
                                             "key: value",
                                             "# no step",
                                             "%% no comment",
                                             "---",
                                             "a | b",
                                             "\"quoted: words\"",
                                             "- item",
                                             "🙂"};
        std::string made;
        for (std::size_t i = 0, n = 1 + below(6); i < n; ++i) {
            made += pieces[below(std::size(pieces))];
            made += lines && below(3) == 0 ? (coin() ? "\n" : coin() ? "\n\n" : "\n   ") : " ";
        }
        return tidy(made, lines);
    }
    Words words(bool lines = true) {
        Words made{text(lines), text(lines)};
        if (below(5) == 0) (coin() ? made.en : made.zh).clear();
        return made;
    }

    Actions actions(bool may_be_empty) {
        static const Action all[] = {{Verb::set, "model.d_k=64"}, {Verb::set, "model.query_tokens=[\"a;b\", \"c\"]"},
                                     {Verb::scene, "cat"},        {Verb::view, "heads"},
                                     {Verb::head, "2"},           {Verb::pin, "0,argmax"},
                                     {Verb::unpin, ""},           {Verb::look, "pipeline.weights"}};
        Actions made;
        for (std::size_t i = 0, n = below(4) + (may_be_empty ? 0 : 1); i < n; ++i)
            made.list.push_back(all[below(std::size(all))]);
        return made;
    }

    Formula condition() {
        static const std::string all[] = {"entropy(0) < 0.5", "model.score == \"a:b\"", "not (1 > 2) and true"};
        return {all[below(std::size(all))]};
    }

    double number() {
        static constexpr double all[] = {0.1, 0.07, 3, 1e-9, 12345.678, 1.0 / 3};
        return all[below(std::size(all))];
    }

    Question question() {
        Question question;
        question.kind = static_cast<AskKind>(below(5));
        question.words = words();
        if (question.kind != AskKind::choice) question.truth = condition();
        if (question.kind == AskKind::choice)
            for (std::size_t i = 0, n = 2 + below(4); i < n; ++i)
                question.options.push_back({condition(), words(false)});
        if (question.kind == AskKind::number)
            for (std::size_t i = 0, n = below(3); i < n; ++i)
                question.hints.push_back({coin(), coin() ? number() : -number(), words(false)});
        const bool has_tolerance = question.kind == AskKind::number || question.kind == AskKind::sketch;
        if (has_tolerance && coin()) question.tolerance = Tolerance{number(), coin()};
        if (question.kind == AskKind::row && coin()) question.claimed = {"0.87", "0.090", "4%"};
        if (question.kind == AskKind::row && coin()) question.logits = "model.q[0][1]";
        if (question.kind == AskKind::sketch) {
            question.over = {"model.temperature", number(), number() + 20000, coin()};
            question.low = -number();
            question.high = number();
        }
        return question;
    }

    Step step(std::string id) {
        Step step;
        step.id = std::move(id);
        if (coin()) step.title = words(false);
        step.actions = actions(true);
        step.words = words();
        if (coin()) step.question = question();
        if (step.question && coin()) {
            step.reveal.emplace().actions = actions(true);
            if (coin()) step.reveal->words = words();
        }
        if (below(3) == 0) step.gate = Gate{condition(), actions(false), words()};
        for (std::size_t i = 0, n = below(3); i < n; ++i) step.claims.push_back(condition());
        return step;
    }

    std::mt19937 random_;
};

}  // namespace heed::test
