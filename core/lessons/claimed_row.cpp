#include "core/lessons/claimed_row.h"

#include "core/model.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace heed {
namespace {

std::optional<double> read_number(std::string_view text) {
    if (text.starts_with("+")) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

// How many digits stand behind the point of "2.06e-9", and what the power of ten makes of the last one.
void read_digits(std::string_view text, double factor, TypedNumber& number) {
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    const std::size_t point = text.substr(0, e).find('.');
    const int digits = point == std::string_view::npos ? 0 : static_cast<int>(e - point) - 1;
    int power = 0;
    if (e < text.size()) {
        std::string_view exponent = text.substr(e + 1);
        if (exponent.starts_with("+")) exponent.remove_prefix(1);
        std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    }
    number.half_unit = 0.5 * factor * std::pow(10.0, power - digits);
    number.decimals = std::max(0, digits - power + (factor < 1 ? 2 : 0));
}

constexpr double precision = 4e-7;  // of weights in single precision, relative
constexpr int least_decimals = 2;
constexpr int shown_decimals = 4;
constexpr int most_decimals = 7;

}  // namespace

std::optional<TypedNumber> typed_number(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    std::ranges::replace(text, ',', '.');
    for (std::size_t at = text.find("−"); at != std::string::npos; at = text.find("−")) text.replace(at, 3, "-");
    double factor = 1;
    for (const std::string_view percent : {"%", "％"})
        if (text.ends_with(percent)) {
            text.erase(text.size() - percent.size());
            factor = 0.01;
        }
    TypedNumber number;
    if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
        const auto above = read_number(std::string_view(text).substr(0, slash));
        const auto below = read_number(std::string_view(text).substr(slash + 1));
        if (!above || !below || *below == 0 || !std::isfinite(*above / *below)) return std::nullopt;
        number.value = factor * *above / *below;
        number.decimals = shown_decimals;
        return number;
    }
    const std::optional<double> value = read_number(text);
    if (!value) return std::nullopt;
    number.value = factor * *value;
    read_digits(text, factor, number);
    return number;
}

std::vector<std::string> typed_row(std::string_view text) {
    std::string plain(text);
    for (const std::string_view mark : {"[", "]", "(", ")", "［", "］"})
        for (std::size_t at = plain.find(mark); at != std::string::npos; at = plain.find(mark))
            plain.replace(at, mark.size(), " ");
    for (const std::string_view mark : {"、", "，", "；", ";", "\t", "\n"})
        for (std::size_t at = plain.find(mark); at != std::string::npos; at = plain.find(mark))
            plain.replace(at, mark.size(), "  ");
    // One comma without a space behind it is the point of a number.
    if (std::ranges::count(plain, ',') > 1 || plain.find(", ") != std::string::npos)
        std::ranges::replace(plain, ',', ' ');
    std::vector<std::string> parts;
    std::string_view rest = plain;
    while (true) {
        const std::size_t first = rest.find_first_not_of(' ');
        if (first == std::string_view::npos) return parts;
        const std::size_t end = std::min(rest.find(' ', first), rest.size());
        parts.emplace_back(rest.substr(first, end - first));
        rest.remove_prefix(end);
    }
}

Result<TrueRow> true_row(const Model& model, const AttentionTrace& trace, int head, double query) {
    if (!(query >= 0) || query >= model.n_queries || query != std::floor(query))
        return Error{"there is no query " + compact(query) + " in this scene"};
    TrueRow row;
    row.query = static_cast<int>(query);
    const auto weights = trace.weights[head];
    const MaskMatrix& visible = trace.visible_of(head);
    for (Index j = 0; j < weights.cols(); ++j) {
        if (visible(row.query, j) == 0) continue;
        row.keys.push_back(static_cast<int>(j));
        row.weights.push_back(static_cast<double>(weights(row.query, j)));
    }
    return row;
}

RowVerdict judge_row(const std::vector<std::string>& typed, const TrueRow& truth) {
    RowVerdict verdict;
    verdict.is_whole = !truth.keys.empty();
    double allowed_sum = 0;
    for (std::size_t i = 0; i < truth.keys.size(); ++i) {
        const auto key = static_cast<std::size_t>(truth.keys[i]);
        const std::optional<TypedNumber> number = key < typed.size() ? typed_number(typed[key]) : std::nullopt;
        RowCell cell{.key = truth.keys[i], .is_number = number.has_value(), .truth = truth.weights[i]};
        if (key < typed.size()) cell.typed = typed[key];
        verdict.true_sum += cell.truth;
        if (!number) {
            verdict.is_whole = false;
            verdict.cells.push_back(cell);
            continue;
        }
        const double allowed = std::min(number->half_unit, 0.5 * std::pow(10.0, -least_decimals)) * (1 + 1e-9) +
                               precision * std::abs(cell.truth);
        cell.claimed = number->value;
        cell.decimals = std::clamp(number->decimals + 1, shown_decimals, most_decimals);
        cell.right = std::abs(cell.difference()) <= allowed;
        verdict.claimed_sum += cell.claimed;
        verdict.decimals = std::max(verdict.decimals, std::min(number->decimals, most_decimals));
        allowed_sum += allowed;
        if (!cell.right) {
            ++verdict.n_wrong;
            const bool is_further =
                verdict.furthest < 0 ||
                std::abs(cell.difference()) >
                    std::abs(verdict.cells[static_cast<std::size_t>(verdict.furthest)].difference()) * (1 + 1e-4);
            if (is_further) verdict.furthest = static_cast<int>(verdict.cells.size());
        }
        verdict.cells.push_back(cell);
    }
    verdict.sums_up = std::abs(verdict.claimed_sum - verdict.true_sum) <= allowed_sum + precision;
    return verdict;
}

std::vector<std::string> texts_by_key(const std::vector<std::string>& claimed, const TrueRow& truth, int n_keys) {
    std::vector<std::string> texts(static_cast<std::size_t>(std::max(0, n_keys)));
    for (std::size_t i = 0; i < std::min(claimed.size(), truth.keys.size()); ++i)
        texts[static_cast<std::size_t>(truth.keys[i])] = claimed[i];
    return texts;
}

std::string row_number(double value, int decimals) {
    if (value == 0) return "0";
    if (std::abs(value) < 0.5 * std::pow(10.0, -decimals)) return compact(value);
    const auto looks_whole = [&](int digits) {
        const double unit = std::pow(10.0, digits);
        return std::round(value * unit) / unit == std::round(value);
    };
    // 0.9999 stays below 1.
    const bool is_whole = std::abs(value - std::round(value)) < precision;
    while (!is_whole && decimals < most_decimals && looks_whole(decimals)) ++decimals;
    return decimal(value, decimals);
}

std::string row_sentence(const RowVerdict& verdict, const Model& model, Language language) {
    if (!verdict.is_whole) return {};
    const std::string count = std::to_string(verdict.cells.size());
    if (verdict.n_wrong == 0 && verdict.sums_up)
        return fill(tr(language, "All {0} are right to the digits given."), {count});
    std::string sentence;
    if (!verdict.sums_up)
        sentence =
            fill(tr(language, "What is claimed sums to {0}; the true row sums to {1}."),
                 {row_number(verdict.claimed_sum, verdict.decimals), row_number(verdict.true_sum, verdict.decimals)});
    if (verdict.furthest >= 0) {
        const RowCell& cell = verdict.cells[static_cast<std::size_t>(verdict.furthest)];
        if (!sentence.empty()) sentence += language == Language::chinese ? "" : " ";
        sentence += fill(tr(language, "“{0}” is furthest off: {1} is claimed, {2} is true."),
                         {key_label(model, cell.key), cell.typed, row_number(cell.truth, cell.decimals)});
        sentence += language == Language::chinese ? "" : " ";
        sentence +=
            fill(tr(language, "Wrong to the digits given: {0} of {1}."), {std::to_string(verdict.n_wrong), count});
    }
    return sentence;
}

std::string logit_field(std::string_view row, int key) { return std::string(row) + "[" + std::to_string(key) + "]"; }

}  // namespace heed
