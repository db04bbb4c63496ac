#include "core/told_error.h"

#include "core/embedded.h"

#include <algorithm>
#include <array>
#include <vector>

namespace heed {

namespace {

constexpr std::size_t most_values = 8;
constexpr int deepest = 6;  // of sentences in sentences: a file's name may look like any of them

struct Pattern {
    std::vector<std::string_view> pieces;  // what stands before, between and after the values
    std::string_view chinese;
    std::size_t letters = 0;  // of the pieces: what says more is tried first
};

Pattern pattern_of(std::string_view english, std::string_view chinese) {
    Pattern pattern{{}, chinese, 0};
    std::size_t from = 0;
    for (std::size_t at = 0; at + 2 < english.size(); ++at) {
        if (english[at] != '{' || english[at + 2] != '}' || english[at + 1] < '0' || english[at + 1] > '9') continue;
        pattern.pieces.push_back(english.substr(from, at - from));
        from = at + 3;
    }
    pattern.pieces.push_back(english.substr(from));
    for (const std::string_view piece : pattern.pieces) pattern.letters += piece.size();
    return pattern;
}

const std::vector<Pattern>& patterns() {
    static const std::vector<Pattern> table = [] {
        std::vector<Pattern> rows;
        for (const std::string_view path : embedded_files("assets/languages/zh/errors")) {
            std::string_view text = embedded_file(path);
            while (!text.empty()) {
                const std::size_t end = std::min(text.find('\n'), text.size());
                const std::string_view line = text.substr(0, end);
                text.remove_prefix(std::min(end + 1, text.size()));
                if (const std::size_t tab = line.find('\t'); tab != std::string_view::npos)
                    rows.push_back(pattern_of(line.substr(0, tab), line.substr(tab + 1)));
            }
        }
        std::ranges::stable_sort(rows, std::ranges::greater{}, &Pattern::letters);
        return rows;
    }();
    return table;
}

// The values between the pieces, in the order of the English sentence; nothing where the sentence is another.
std::optional<std::vector<std::string_view>> values_in(std::string_view sentence, const Pattern& pattern) {
    const std::string_view first = pattern.pieces.front();
    const std::string_view last = pattern.pieces.back();
    if (pattern.pieces.size() == 1) {
        if (sentence != first) return std::nullopt;
        return std::vector<std::string_view>{};
    }
    if (sentence.size() < first.size() + last.size() || !sentence.starts_with(first) || !sentence.ends_with(last))
        return std::nullopt;
    sentence = sentence.substr(first.size(), sentence.size() - first.size() - last.size());
    std::vector<std::string_view> values;
    for (std::size_t i = 1; i + 1 < pattern.pieces.size(); ++i) {
        const std::size_t at = sentence.find(pattern.pieces[i]);
        if (at == std::string_view::npos) return std::nullopt;
        values.push_back(sentence.substr(0, at));
        sentence.remove_prefix(at + pattern.pieces[i].size());
    }
    values.push_back(sentence);
    if (std::ranges::any_of(values, &std::string_view::empty)) return std::nullopt;
    // A colon joins two sentences: at the end, a value that holds one would carry an unknown sentence along in English.
    if (last.empty() && !sentence.starts_with('"') && !sentence.starts_with('\'') &&
        sentence.find(": ") != std::string_view::npos)
        return std::nullopt;
    return values;
}

std::optional<std::string> translated(std::string_view sentence, int depth);

std::string or_as_it_is(std::string_view sentence, int depth) {
    return translated(sentence, depth).value_or(std::string(sentence));
}

// Where this joint stands outside of brackets; anywhere, where a name holds a bracket that is never closed.
std::size_t find_joint(std::string_view sentence, std::string_view joint) {
    int brackets = 0;
    for (std::size_t at = 0; at < sentence.size(); ++at) {
        if (sentence[at] == '(') ++brackets;
        if (sentence[at] == ')') brackets = std::max(0, brackets - 1);
        if (brackets == 0 && sentence.substr(at, joint.size()) == joint) return at;
    }
    return brackets == 0 ? std::string_view::npos : sentence.find(joint);
}

// "model.d_k: 0 is not …; model.d_v: 0 is not …": both must be known.
std::optional<std::string> translated_list(std::string_view sentence, int depth) {
    const std::size_t at = find_joint(sentence, "; ");
    if (at == std::string_view::npos) return std::nullopt;
    const std::optional<std::string> first = translated(sentence.substr(0, at), depth);
    if (!first) return std::nullopt;
    const std::optional<std::string> rest = translated(sentence.substr(at + 2), depth);
    if (!rest) return std::nullopt;
    return *first + "；" + *rest;
}

// "weights.npy: the file is empty": what stands before the colon may be a name.
std::optional<std::string> translated_after_colon(std::string_view sentence, int depth) {
    const std::size_t at = find_joint(sentence, ": ");
    if (at == std::string_view::npos) return std::nullopt;
    const std::optional<std::string> rest = translated(sentence.substr(at + 2), depth);
    if (!rest) return std::nullopt;
    return or_as_it_is(sentence.substr(0, at), depth) + "：" + *rest;
}

std::optional<std::string> translated(std::string_view sentence, int depth) {
    if (depth > deepest) return std::nullopt;
    // Before patterns, whose values would swallow what joins two sentences.
    if (std::optional<std::string> list = translated_list(sentence, depth + 1)) return list;
    if (std::optional<std::string> named = translated_after_colon(sentence, depth + 1)) return named;
    for (const Pattern& pattern : patterns()) {
        const auto found = values_in(sentence, pattern);
        if (!found || found->size() > most_values) continue;
        std::array<std::string, most_values> told;
        for (std::size_t i = 0; i < found->size(); ++i) told[i] = or_as_it_is((*found)[i], depth + 1);
        return fill(pattern.chinese, {told[0], told[1], told[2], told[3], told[4], told[5], told[6], told[7]});
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> error_in_chinese(std::string_view english) { return translated(english, 0); }

std::string told_error(Language language, std::string_view english) {
    if (language == Language::english) return std::string(english);
    return error_in_chinese(english).value_or(std::string(english));
}

}  // namespace heed
