#include "app/lessons/lesson_list.h"

#include "core/files/lesson_file.h"
#include "core/lessons/actions.h"
#include "core/lessons/player.h"

#include <string>

namespace heed::app {

namespace {

// How much of what an action does has to do with the topic.
int mentions(const heed::Action& action, std::string_view topic) {
    const std::string_view argument = action.argument;
    switch (action.verb) {
        case Verb::set:
        case Verb::sweep:
            return argument.substr(0, argument.find('=')) == topic ? 2 : 0;
        case Verb::look:
            if (argument == topic || argument == "control." + std::string(topic)) return 4;
            return argument.substr(0, argument.find('.')) == topic ? 1 : 0;
        case Verb::view:
            return argument == topic.substr(0, topic.find('.')) ? 1 : 0;
        default:
            return 0;
    }
}

int mentions(const std::vector<heed::Action>& actions, std::string_view topic) {
    int sum = 0;
    for (const heed::Action& action : actions) sum += mentions(action, topic);
    return sum;
}

int mentions(const Words& words, std::string_view topic) {
    int sum = 0;
    for (const TextLink& link : links_in(words.en))
        if (const Result<std::vector<heed::Action>> actions = parse_actions(link.destination))
            sum += mentions(*actions, topic);
    return sum;
}

int mentions(const Lesson& lesson, std::string_view topic) {
    int sum = 0;
    // Of few controls each one matters.
    if (lesson.show && names_field(*lesson.show, topic)) sum += 12 / static_cast<int>(1 + lesson.show->size());
    for (const Step& step : lesson.steps) {
        sum += mentions(step.actions.list, topic) + mentions(step.words, topic);
        if (step.reveal) sum += mentions(step.reveal->actions.list, topic) + mentions(step.reveal->words, topic);
        if (step.gate) sum += mentions(step.gate->solve.list, topic) + mentions(step.gate->words, topic);
        if (step.question && step.question->over.field == topic) sum += 2;
    }
    return sum;
}

}  // namespace

std::vector<Lesson> all_lessons() {
    std::vector<Lesson> lessons;
    for (const BuiltInLesson& one : built_in_lessons())
        if (Result<Lesson> lesson = built_in_lesson(one.id)) lessons.push_back(std::move(*lesson));
    return lessons;
}

const Lesson* lesson_about(std::span<const Lesson> lessons, std::string_view topic) {
    const Lesson* best = nullptr;
    int most = 0;
    if (topic.empty()) return nullptr;
    for (const Lesson& lesson : lessons)
        if (const int sum = mentions(lesson, topic); sum > most) {
            most = sum;
            best = &lesson;
        }
    return best;
}

}  // namespace heed::app
