#include "core/files/near_names.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace heed {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
    return result;
}

// Letters to insert, drop, change or swap with the next (Damerau 1964, Levenshtein 1965).
std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, above, row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string_view last_part(std::string_view name) {
    return name.substr(name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1);
}

}  // namespace

std::string near_names(std::string_view wrong, std::span<const std::string> names) {
    if (wrong.size() > 100) return "";  // no name is near, and the search takes time in proportion
    const std::string asked = lower(wrong);
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const std::string& name : names) {
        const std::string known = lower(name);
        const std::size_t whole = edits_between(asked, known);
        const std::size_t end = edits_between(last_part(asked), last_part(known));
        const std::size_t edits = std::min(whole, end);
        if (edits <= std::max<std::size_t>(1, last_part(known).size() / 3)) near.emplace_back(edits, name);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (!near.empty() && near.front().first == 0) std::erase_if(near, [](const auto& one) { return one.first > 0; });
    if (near.size() > 3) near.resize(3);
    std::string text;
    for (std::size_t i = 0; i < near.size(); ++i)
        text += (i == 0 ? "" : i + 1 == near.size() ? " or " : ", ") + std::string(near[i].second);
    return text.empty() ? "" : " (did you mean " + text + "?)";
}

}  // namespace heed
