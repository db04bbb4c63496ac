#include "core/files/lesson_file_entries.h"

#include "core/files/lesson_file.h"
#include "core/files/shown.h"

#include <algorithm>

namespace heed {
namespace {

constexpr std::string_view with_entries_below[] = {"ask", "reveal", "until"};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Where the key ends: the first colon outside of words in quotes.
std::size_t find_colon(std::string_view line) {
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') is_quoted = !is_quoted;
        if (line[i] == ':' && !is_quoted) return i;
    }
    return std::string_view::npos;
}

class Entries {
public:
    explicit Entries(std::string_view text) : text_(text) {}

    std::vector<LessonBlock> read(LessonFileError& error) {
        blocks_.push_back({"", 1});
        while (error_.sentence.empty() && !text_.empty()) {
            const std::size_t end = std::min(text_.find('\n'), text_.size());
            std::string_view line = text_.substr(0, end);
            text_.remove_prefix(std::min(end + 1, text_.size()));
            ++number_;
            if (line.ends_with('\r')) line.remove_suffix(1);
            take(line);
        }
        if (error_.sentence.empty() && fences_ < 2)
            fail("this is not a lesson: it does not begin with --- and end its front matter with another");
        if (error_.sentence.empty()) return std::move(blocks_);
        error = error_;
        return {};
    }

private:
    void fail(std::string sentence) { error_ = {number_, std::move(sentence)}; }

    void take(std::string_view raw) {
        std::string line(raw);
        std::ranges::replace(line, '\t', ' ');
        while (line.ends_with(' ')) line.pop_back();
        for (std::string_view rest = line; !rest.empty(); rest.remove_prefix(character_length(rest)))
            if (character_length(rest) == 0 || is_control(rest.substr(0, character_length(rest))))
                return fail("a character that is not text stands here");
        if (line.starts_with("%%")) return;
        if (line.empty()) {
            ++empty_lines_;
            return;
        }
        const std::size_t indent = line.find_first_not_of(' ');
        if (fences_ < 2 && line == "---") {
            ++fences_;
            entry_ = nullptr;
            return;
        }
        if (fences_ == 0) return fail("a lesson begins with a line ---");
        if (indent == 0 && fences_ == 2 && line[0] == '#') return begin_step(trimmed(std::string_view(line).substr(1)));
        if (indent == 1) return fail("indented by one space: two or more continue what stands above");
        if (indent >= 2) return continue_entry(line, indent);
        if (fences_ == 2 && blocks_.size() == 1) return fail("a step begins with # and its name");
        begin_entry(line, blocks_.back().entries);
    }

    void begin_step(std::string_view id) {
        if (!is_lesson_id(id))
            return fail("\"" + shown(id) + "\" is no name of a step: small letters, digits and hyphens are");
        if (blocks_.size() > most_lesson_steps)
            return fail("a lesson has at most " + std::to_string(most_lesson_steps) + " steps");
        blocks_.push_back({std::string(id), number_});
        entry_ = nullptr;
    }

    void begin_entry(std::string_view line, std::vector<LessonEntry>& entries) {
        const std::size_t colon = find_colon(line);
        if (colon == std::string_view::npos)
            return fail("\"" + shown(line) + "\": a key and a colon are wanted; what continues an entry is indented");
        const std::string_view head = trimmed(line.substr(0, colon));
        const std::size_t space = std::min(head.find(' '), head.size());
        if (head.empty()) return fail("the key before the colon is missing");
        constexpr std::size_t most_entries = 256;
        if (entries.size() >= most_entries) return fail("too many entries stand here");
        LessonEntry entry;
        entry.key = std::string(head.substr(0, space));
        entry.argument = std::string(trimmed(head.substr(space)));
        entry.value = std::string(trimmed(line.substr(colon + 1)));
        entry.line = entry.value_line = number_;
        entries.push_back(std::move(entry));
        entry_ = &entries.back();
        indent_ = 0;
        empty_lines_ = 0;
    }

    void continue_entry(const std::string& line, std::size_t indent) {
        if (entry_ == nullptr) return fail("an indented line continues nothing here");
        LessonEntry& outer = blocks_.back().entries.back();
        if (std::ranges::find(with_entries_below, outer.key) != std::end(with_entries_below) && indent < 4)
            return begin_entry(std::string_view(line).substr(indent), outer.below);
        if (indent_ == 0) indent_ = indent;
        std::string& value = entry_->value;
        if (value.empty()) {
            entry_->value_line = number_;
        } else {
            value.append(static_cast<std::size_t>(empty_lines_) + 1, '\n');
        }
        value += line.substr(std::min(indent, indent_));
        empty_lines_ = 0;
    }

    std::string_view text_;
    std::vector<LessonBlock> blocks_;
    LessonFileError error_;
    LessonEntry* entry_ = nullptr;  // that an indented line continues
    std::size_t indent_ = 0;        // of the first line that continued it; 0: none yet
    int number_ = 0;
    int empty_lines_ = 0;
    int fences_ = 0;
};

}  // namespace

std::vector<LessonBlock> lesson_entries(std::string_view text, LessonFileError& error) {
    return Entries(text).read(error);
}

}  // namespace heed
