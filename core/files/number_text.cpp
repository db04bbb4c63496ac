#include "core/files/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace heed {
namespace {

// For a number that from_chars found too large or too small: which of the two. Digits, a point, an exponent.
bool is_large(std::string_view digits) {
    const std::size_t mark = digits.find_first_of("eE");
    const std::string_view mantissa = digits.substr(0, mark);
    const std::size_t first = mantissa.find_first_of("123456789");
    if (first == std::string_view::npos) return false;
    const std::size_t point = mantissa.find('.') == std::string_view::npos ? mantissa.size() : mantissa.find('.');
    const auto order = static_cast<long long>(point) - static_cast<long long>(first);

    long long exponent = 0;
    if (mark != std::string_view::npos) {
        std::string_view text = digits.substr(mark + 1);
        const bool negative = text.starts_with('-');
        if (negative || text.starts_with('+')) text.remove_prefix(1);
        for (const char c : text) exponent = std::min(exponent * 10 + (c - '0'), 1'000'000'000'000LL);
        if (negative) exponent = -exponent;
    }
    return order + exponent > 0;
}

}  // namespace

std::optional<float> parse_float(std::string_view text) {
    constexpr std::string_view minus = "\xE2\x88\x92";  // U+2212
    bool negative = false;
    if (text.starts_with(minus)) {
        negative = true;
        text.remove_prefix(minus.size());
    } else if (text.starts_with('-') || text.starts_with('+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    // from_chars takes a minus of its own, and nan(…) with anything inside.
    if (text.empty() || text.front() == '-' || text.back() == ')') return std::nullopt;

    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range)
        value = is_large(text) ? std::numeric_limits<float>::infinity() : 0.0f;
    else if (error != std::errc())
        return std::nullopt;
    return negative ? -value : value;
}

std::string float_text(float value) {
    if (std::isnan(value)) return "nan";
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, error == std::errc() ? end : buffer);
}

}  // namespace heed
