#include "core/language.h"

#include "core/embedded.h"

#include <cmath>
#include <cstdio>
#include <mutex>
#include <set>
#include <unordered_map>

namespace heed {

namespace {

using Table = std::unordered_map<std::string_view, std::string_view>;

const Table& chinese_table() {
    static const Table table = [] {
        Table rows;
        for (const std::string_view path : embedded_files("assets/languages/zh/")) {
            std::string_view text = embedded_file(path);
            while (!text.empty()) {
                const std::size_t end = std::min(text.find('\n'), text.size());
                const std::string_view line = text.substr(0, end);
                text.remove_prefix(std::min(end + 1, text.size()));
                const std::size_t tab = line.find('\t');
                if (tab != std::string_view::npos) rows.emplace(line.substr(0, tab), line.substr(tab + 1));
            }
        }
        return rows;
    }();
    return table;
}

std::mutex missing_mutex;

std::set<std::string, std::less<>>& missing() {
    static std::set<std::string, std::less<>> sentences;
    return sentences;
}

}  // namespace

std::string_view tr(Language language, std::string_view english) {
    if (language == Language::english || english.empty()) return english;
    const Table& table = chinese_table();
    if (const auto row = table.find(english); row != table.end()) return row->second;
    const std::scoped_lock lock(missing_mutex);
    missing().emplace(english);
    return english;
}

std::string fill(std::string_view sentence, std::initializer_list<std::string_view> values) {
    std::string filled;
    for (std::size_t at = 0; at < sentence.size(); ++at) {
        const bool is_place = at + 2 < sentence.size() && sentence[at] == '{' && sentence[at + 2] == '}' &&
                              sentence[at + 1] >= '0' && sentence[at + 1] <= '9';
        const auto index = is_place ? static_cast<std::size_t>(sentence[at + 1] - '0') : 0;
        if (is_place && index < values.size()) {
            filled += *(values.begin() + index);
            at += 2;
        } else {
            filled += sentence[at];
        }
    }
    return filled;
}

std::vector<std::string> missing_translations() {
    const std::scoped_lock lock(missing_mutex);
    return {missing().begin(), missing().end()};
}

std::string decimal(double value, int decimals) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(value));
    const std::string digits = text;
    const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
    return value < 0 && !is_zero ? "−" + digits : digits;
}

std::string compact(double value) {
    const double size = std::abs(value);
    if (size == 0 || !std::isfinite(value)) return decimal(value, 0);
    if (size >= 1e5 || size < 1e-3) {
        char text[64];
        std::snprintf(text, sizeof text, "%.1e", size);
        std::string mantissa = text;
        const std::size_t e = mantissa.find('e');
        const int exponent = std::stoi(mantissa.substr(e + 1));
        mantissa.resize(e);
        return (value < 0 ? "−" : "") + mantissa + "e" + (exponent < 0 ? "−" : "") + std::to_string(std::abs(exponent));
    }
    return decimal(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

}  // namespace heed
