#include "core/lessons/lesson_text.h"

#include "core/figure/cost_pages.h"
#include "core/files/shown.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

// The } that closes what begins after a {, past words in quotes; npos where there is none on the paragraph.
std::size_t end_of_braces(std::string_view text, std::size_t from) {
    bool is_quoted = false;
    for (std::size_t i = from; i < text.size(); ++i) {
        if (text[i] == '"') is_quoted = !is_quoted;
        if (text[i] == '}' && !is_quoted) return i;
        if (text.substr(i, 2) == "\n\n") return std::string_view::npos;
    }
    return std::string_view::npos;
}

// The ) that closes a destination, past words in quotes and brackets of its own.
std::size_t end_of_destination(std::string_view text, std::size_t from) {
    bool is_quoted = false;
    int open = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        if (text[i] == '"') is_quoted = !is_quoted;
        if (text.substr(i, 2) == "\n\n") return std::string_view::npos;
        if (is_quoted) continue;
        if (text[i] == '(') ++open;
        if (text[i] == ')' && open-- == 0) return i;
    }
    return std::string_view::npos;
}

// What a walk through a text meets.
struct TextVisitor {
    virtual ~TextVisitor() = default;
    virtual void plain(std::string_view text) = 0;
    virtual void expression(std::string_view inside, bool in_formula) = 0;  // without its braces
    virtual void destination(std::string_view inside) = 0;                  // without its round brackets
    virtual void fault(std::string_view sentence) = 0;
};

class TextWalk {
public:
    TextWalk(std::string_view text, TextVisitor& visitor, int& line) : text_(text), visitor_(visitor), line_(line) {}

    void run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\\')
                pass(std::min<std::size_t>(2, text_.size() - at_));
            else if (c == '`')
                code();
            else if (c == '$')
                formula();
            else if (c == '{')
                braces(1, false);
            else if (c == ']' && open_ > 0)
                close_words();
            else {
                if (c == '[') ++open_;
                pass(1);
            }
        }
    }

private:
    void count_lines(std::size_t length) {
        line_ += static_cast<int>(std::ranges::count(text_.substr(at_, length), '\n'));
        at_ += length;
    }
    void pass(std::size_t length) {
        visitor_.plain(text_.substr(at_, length));
        count_lines(length);
    }

    void code() {
        std::size_t ticks = 0;
        while (at_ + ticks < text_.size() && text_[at_ + ticks] == '`') ++ticks;
        const std::size_t end = text_.find(text_.substr(at_, ticks), at_ + ticks);
        pass(end == std::string_view::npos ? ticks : end + ticks - at_);
    }

    void formula() {
        const std::size_t dollars = text_.substr(at_, 2) == "$$" ? 2 : 1;
        const std::string_view mark = text_.substr(at_, dollars);
        const std::size_t end = text_.find(mark, at_ + dollars);
        if (end == std::string_view::npos) {
            visitor_.fault("a formula that begins with $ does not end (a dollar is written \\$)");
            pass(dollars);
            return;
        }
        pass(dollars);
        while (at_ < end) {
            if (text_.substr(at_, 2) == "{=")
                braces(2, true);
            else
                pass(1);
        }
        pass(std::min(dollars, text_.size() - at_));
    }

    void braces(std::size_t opening, bool in_formula) {
        if (!in_formula && text_.substr(at_, 2) == "{=") opening = 2;
        const std::size_t end = end_of_braces(text_, at_ + opening);
        if (end == std::string_view::npos) {
            visitor_.fault("an expression that begins with { does not end (a brace is written \\{)");
            pass(opening);
            return;
        }
        visitor_.expression(text_.substr(at_ + opening, end - at_ - opening), in_formula);
        count_lines(end + 1 - at_);
    }

    void close_words() {
        --open_;
        if (text_.substr(at_, 2) != "](") return pass(1);
        const std::size_t end = end_of_destination(text_, at_ + 2);
        if (end == std::string_view::npos) {
            visitor_.fault("a link that begins with ]( does not end");
            return pass(2);
        }
        visitor_.destination(text_.substr(at_ + 2, end - at_ - 2));
        count_lines(end + 1 - at_);
    }

    std::string_view text_;
    TextVisitor& visitor_;
    int& line_;
    std::size_t at_ = 0;
    int open_ = 0;  // square brackets
};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::string_view without_angles(std::string_view destination) {
    destination = trimmed(destination);
    if (destination.size() >= 2 && destination.starts_with('<') && destination.ends_with('>'))
        return destination.substr(1, destination.size() - 2);
    return destination;
}

// As Markdown shows it letter by letter.
std::string escaped(std::string_view text) {
    constexpr std::string_view special = "\\`*_{}[]<>()#+-.!|~$&=\"'";
    std::string result;
    for (const char c : text) {
        if (special.find(c) != std::string_view::npos) result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result;
}

// 1.2e−6 as a formula.
std::string as_formula(const std::string& number) {
    const std::size_t e = number.find('e');
    if (e == std::string::npos) return number;
    return number.substr(0, e) + "\\cdot 10^{" + number.substr(e + 1) + "}";
}

class Filling : public TextVisitor {
public:
    Filling(const Moment& moment, const Allowed& allowed, Language language, std::vector<TextFault>* faults)
        : moment_(moment), allowed_(allowed), language_(language), faults_(faults) {}

    void plain(std::string_view text) override { filled += text; }
    void destination(std::string_view inside) override {
        filled += "](<";
        for (const char c : without_angles(inside)) {
            if (c == '<' || c == '>' || c == '\\') filled += '\\';
            filled += c == '\n' ? ' ' : c;
        }
        filled += ">)";
    }
    void fault(std::string_view sentence) override {
        if (faults_ != nullptr) faults_->push_back({line, std::string(sentence)});
    }
    void expression(std::string_view inside, bool in_formula) override {
        const Result<std::string> text = shown_value(inside, in_formula);
        if (!text) fault("{" + shown(inside, 80) + "}: " + text.error());
        filled += text ? *text : "—";
    }

    std::string filled;
    int line = 0;

private:
    Result<std::string> shown_value(std::string_view inside, bool in_formula) const {
        std::size_t colon = std::string_view::npos;
        bool is_quoted = false;
        for (std::size_t i = 0; i < inside.size(); ++i) {
            if (inside[i] == '"') is_quoted = !is_quoted;
            if (inside[i] == ':' && !is_quoted) colon = i;
        }
        const std::string_view format =
            colon == std::string_view::npos ? std::string_view() : trimmed(inside.substr(colon + 1));
        const Result<Expression> expression = parse_expression(trimmed(inside.substr(0, colon)), allowed_);
        if (!expression) return Error{expression.error()};
        Result<LessonValue> value = evaluate(*expression, moment_);
        if (!value) return Error{value.error()};
        if (const bool* truth = std::get_if<bool>(&*value))
            value = LessonValue(std::string(tr(language_, *truth ? "yes" : "no")));
        const bool is_text = kind_of(*value) == ValueKind::text;
        if (is_text && in_formula) return Error{"only a number can stand in a formula"};
        Result<std::string> text = value_text(*value, format);
        if (!text) return text;
        return in_formula ? as_formula(*text) : is_text ? escaped(*text) : *text;
    }

    const Moment& moment_;
    const Allowed& allowed_;
    Language language_;
    std::vector<TextFault>* faults_;
};

class Links : public TextVisitor {
public:
    void plain(std::string_view) override {}
    void expression(std::string_view, bool) override {}
    void fault(std::string_view) override {}
    void destination(std::string_view inside) override {
        found.push_back({std::string(without_angles(inside)), line});
        std::ranges::replace(found.back().destination, '\n', ' ');
    }
    std::vector<TextLink> found;
    int line = 0;
};

// Enough decimals that what is not everything does not look like it: 99.75 %, not 100 %.
std::string percentage(double value, int decimals) {
    const double hundredths = 100 * value;
    if (decimals < 0) {
        decimals = std::abs(hundredths) >= 10 ? 0 : 1;
        const auto hides = [&](double limit) {
            return hundredths != limit && decimal(hundredths, decimals) == decimal(limit, decimals);
        };
        while (decimals < 6 && (hides(100) || hides(0))) ++decimals;
    }
    return decimal(hundredths, decimals) + " %";
}

std::string number_text(double value) {
    if (std::floor(value) == value && std::abs(value) < 1e7) return decimal(value, 0);
    return compact(value);
}

}  // namespace

std::string filled_text(std::string_view text, const Moment& moment, const Allowed& allowed, Language language,
                        std::vector<TextFault>* faults) {
    Filling filling(moment, allowed, language, faults);
    TextWalk(text, filling, filling.line).run();
    return std::move(filling.filled);
}

std::vector<TextLink> links_in(std::string_view text) {
    Links links;
    TextWalk(text, links, links.line).run();
    return std::move(links.found);
}

Result<std::string> value_text(const LessonValue& value, std::string_view format) {
    const auto decimals = [](std::string_view digits) {
        return digits.size() == 1 && digits[0] >= '0' && digits[0] <= '9' ? digits[0] - '0' : -1;
    };
    if (const std::string* text = std::get_if<std::string>(&value)) {
        if (!format.empty()) return Error{"a word has no format"};
        return *text;
    }
    if (const bool* truth = std::get_if<bool>(&value)) return std::string(*truth ? "yes" : "no");
    const double number = std::get<double>(value);
    if (format.empty()) return number_text(number);
    if (format == "bytes") return bytes_words(number);
    if (format == "%") return percentage(number, -1);
    if (format.starts_with('%') && decimals(format.substr(1)) >= 0)
        return percentage(number, decimals(format.substr(1)));
    if (decimals(format) >= 0) return decimal(number, decimals(format));
    return Error{"\"" + shown(format) + "\" is no format; 0 to 9, %, %0 to %9 and bytes are"};
}

std::string escaped_markdown(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]()#+-.!$<>|").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

}  // namespace heed
