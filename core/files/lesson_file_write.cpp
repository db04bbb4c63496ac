#include "core/files/atomic_write.h"
#include "core/files/lesson_file.h"
#include "core/files/shown.h"
#include "core/lessons/actions.h"

#include <algorithm>
#include <charconv>

namespace heed {
namespace {

std::string number(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    return error == std::errc() ? std::string(text, end) : "0";
}

class LessonWriter {
public:
    std::string write(const Lesson& lesson) {
        text_ = "---\n";
        line("heed-lesson", "1");
        line("id", lesson.id);
        line("title", both(lesson.title));
        if (!lesson.about.empty()) line("about", both(lesson.about));
        if (!lesson.source.empty()) line("source", list(lesson.source));
        if (!lesson.start.empty()) line("start", lesson.start);
        if (lesson.show) line("show", list(*lesson.show));
        if (!lesson.lock.empty()) line("lock", list(lesson.lock));
        text_ += "---\n";
        for (const Step& step : lesson.steps) write_step(step);
        return std::move(text_);
    }

private:
    void line(const std::string& key, const std::string& value) {
        text_ += indent_ + key + (value.empty() ? ":" : ": " + value) + "\n";
    }

    // On lines of its own where it has several.
    void text(const std::string& key, const std::string& value) {
        if (value.find('\n') == std::string::npos) return line(key, value);
        line(key, "");
        std::string_view rest = value;
        for (;;) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            text_ += end == 0 ? "\n" : indent_ + "  " + std::string(rest.substr(0, end)) + "\n";
            if (end == rest.size()) return;
            rest.remove_prefix(end + 1);
        }
    }
    void texts(const Words& words) {
        if (words.empty()) return;
        if (!words.en.empty()) text("en", words.en);
        if (!words.zh.empty()) text("zh", words.zh);
    }

    static std::string without_bars(std::string text) {
        for (std::size_t at = text.find(" | "); at != std::string::npos; at = text.find(" | ", at + 3))
            text.replace(at, 3, " \\| ");
        return text;
    }
    static std::string both(const Words& words) {
        if (words.zh.empty()) return without_bars(words.en) + " |";
        if (words.en.empty()) return "| " + without_bars(words.zh);
        return without_bars(words.en) + " | " + without_bars(words.zh);
    }

    static std::string list(const std::vector<std::string>& names) {
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
        return text;
    }

    void write_step(const Step& step) {
        text_ += "\n# " + step.id + "\n";
        if (!step.title.empty()) line("title", both(step.title));
        if (!step.actions.list.empty()) line("do", action_text(step.actions.list));
        texts(step.words);
        if (step.question) write_question(*step.question);
        if (step.reveal) {
            line("reveal", action_text(step.reveal->actions.list));
            below([&] { texts(step.reveal->words); });
        }
        if (step.gate) {
            line("until", step.gate->condition.text);
            below([&] {
                line("solve", action_text(step.gate->solve.list));
                texts(step.gate->words);
            });
        }
        for (const Formula& claim : step.claims) line("claim", claim.text);
    }

    template <typename Write>
    void below(Write write) {
        indent_ = "  ";
        write();
        indent_.clear();
    }

    void write_question(const Question& question) {
        switch (question.kind) {
            case AskKind::number:
                line("ask number", question.truth.text);
                break;
            case AskKind::choice:
                line("ask choice", "");
                break;
            case AskKind::cell:
                line("ask cell", question.truth.text);
                break;
            case AskKind::sketch:
                line("ask sketch", question.truth.text + " over " + sweep_text(question.over));
                break;
            case AskKind::row:
                line("ask row", question.truth.text);
                break;
        }
        below([&] {
            texts(question.words);
            for (const Option& option : question.options) line("option " + option.condition.text, both(option.words));
            if (question.tolerance)
                line("tolerance", number(question.tolerance->value) + (question.tolerance->per_cent ? "%" : ""));
            if (!question.claimed.empty()) line("claimed", list(question.claimed));
            if (!question.logits.empty()) line("logits", question.logits);
            if (question.kind == AskKind::sketch) line("range", number(question.low) + ":" + number(question.high));
            for (const Hint& hint : question.hints)
                line(std::string("hint ") + (hint.below ? "< " : "> ") + number(hint.bound), both(hint.words));
        });
    }

    std::string text_;
    std::string indent_;
};

}  // namespace

std::string save_lesson(const Lesson& lesson) { return LessonWriter().write(lesson); }

Status write_lesson(const std::filesystem::path& path, const Lesson& lesson) {
    const std::string text = save_lesson(lesson);
    // What is written can be read again.
    if (const Result<Lesson> again = load_lesson(text, shown_path(path)); !again) return Error{again.error()};
    return write_file(path, text);
}

std::string tidy(std::string_view text, bool lines) {
    std::string result;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t length = std::max<std::size_t>(1, character_length(rest));
        const std::string_view character = rest.substr(0, length);
        rest.remove_prefix(length);
        if (character == "\n" && lines) {
            while (result.ends_with(' ')) result.pop_back();
            result += '\n';
        } else if (character == "\n" || character == "\t") {
            result += ' ';
        } else if (character_length(character) > 0 && !is_control(character)) {
            result += character;
        }
    }
    while (result.ends_with(' ') || result.ends_with('\n')) result.pop_back();
    return result.substr(std::min(result.find_first_not_of(" \n"), result.size()));
}

}  // namespace heed
