#include "core/order/permutation.h"

#include "core/bounds.h"
#include "core/counting.h"
#include "core/random.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace heed {
namespace {

std::vector<int> counting(int n) {
    std::vector<int> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

// Whole numbers between spaces; nothing where there is anything else.
std::optional<std::vector<int>> whole_numbers(std::string_view text) {
    std::vector<int> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        while (at != end && *at == ' ') ++at;
        if (at == end) return numbers;
        int number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc() || (next != end && *next != ' ')) return std::nullopt;
        numbers.push_back(number);
        at = next;
    }
}

}  // namespace

Permutation::Permutation(int n) : order_(counting(n)) {}

Permutation::Permutation(std::vector<int> order) : order_(std::move(order)) {
    assert(std::is_permutation(order_.begin(), order_.end(), counting(size()).begin()));
}

bool Permutation::is_identity() const { return std::is_sorted(order_.begin(), order_.end()); }

Permutation inverse(const Permutation& p) {
    std::vector<int> places(p.order().size());
    for (int i = 0; i < p.size(); ++i) places[static_cast<std::size_t>(p[i])] = i;
    return Permutation(std::move(places));
}

Permutation composed(const Permutation& first, const Permutation& second) {
    assert(first.size() == second.size());
    std::vector<int> order;
    for (const int place : first.order()) order.push_back(second[place]);
    return Permutation(std::move(order));
}

Matrix permutation_matrix(const Permutation& p) {
    Matrix matrix = Matrix::Zero(p.size(), p.size());
    for (int i = 0; i < p.size(); ++i) matrix(i, p[i]) = 1;
    return matrix;
}

std::vector<std::vector<int>> cycles(const Permutation& p) {
    std::vector<std::vector<int>> found;
    std::vector<bool> seen(p.order().size());
    for (int start = 0; start < p.size(); ++start) {
        std::vector<int> cycle;
        for (int at = start; !seen[static_cast<std::size_t>(at)]; at = p[at]) {
            seen[static_cast<std::size_t>(at)] = true;
            cycle.push_back(at);
        }
        if (cycle.size() > 1) found.push_back(std::move(cycle));
    }
    return found;
}

int sign(const Permutation& p) {
    std::size_t swaps = 0;  // a cycle of length l is l − 1 of them
    for (const std::vector<int>& cycle : cycles(p)) swaps += cycle.size() - 1;
    return swaps % 2 == 0 ? 1 : -1;
}

std::string cycle_text(const Permutation& p, int most) {
    std::string text;
    for (const std::vector<int>& cycle : cycles(p)) {
        if (most-- == 0) return text + "…";
        for (std::size_t i = 0; i < cycle.size(); ++i) text += (i == 0 ? "(" : " ") + shown_number(cycle[i]);
        text += ")";
    }
    return text;
}

std::int64_t inversions(const Permutation& p) {
    // Fenwick's tree of the tokens seen so far: how many of them are larger than the next one.
    std::vector<int> tree(p.order().size() + 1);
    std::int64_t count = 0;
    for (int i = 0; i < p.size(); ++i) {
        int not_larger = 0;
        for (int at = p[i] + 1; at > 0; at -= at & -at) not_larger += tree[static_cast<std::size_t>(at)];
        count += i - not_larger;
        for (int at = p[i] + 1; at <= p.size(); at += at & -at) ++tree[static_cast<std::size_t>(at)];
    }
    return count;
}

Permutation swapped(const Permutation& p, int place, int other) {
    std::vector<int> order = p.order();
    std::swap(order[static_cast<std::size_t>(place)], order[static_cast<std::size_t>(other)]);
    return Permutation(std::move(order));
}

Permutation cycled(const Permutation& p) {
    std::vector<int> order = p.order();
    if (!order.empty()) std::rotate(order.begin(), order.end() - 1, order.end());
    return Permutation(std::move(order));
}

Permutation reversed(const Permutation& p) {
    return Permutation(std::vector<int>(p.order().rbegin(), p.order().rend()));
}

Permutation shuffled(const Permutation& p, std::uint64_t seed) {
    std::vector<int> order = p.order();
    constexpr std::uint64_t stream = 0x73687566666c65ULL;  // "shuffle"
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[bits_at(seed, stream, left, 0) % left]);
    return Permutation(std::move(order));
}

Permutation moved(const Permutation& p, int from, int to) {
    std::vector<int> order = p.order();
    const auto at = [&](int place) { return order.begin() + place; };
    if (from < to)
        std::rotate(at(from), at(from + 1), at(to + 1));
    else
        std::rotate(at(to), at(from), at(from + 1));
    return Permutation(std::move(order));
}

Permutation partly(const Permutation& p, double share) {
    std::int64_t left = std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(inversions(p)));
    std::vector<int> order = counting(p.size());
    for (int i = 0; i < p.size() && left > 0; ++i) {
        const auto place = order.begin() + i;
        const auto token = std::find(place, order.end(), p[i]);
        const auto step = std::min<std::int64_t>(left, token - place);
        std::rotate(token - step, token, token + 1);
        left -= step;
    }
    return Permutation(std::move(order));
}

std::string order_text(const Permutation& p) {
    int used = p.size();
    while (used > 0 && p[used - 1] == used - 1) --used;
    std::string text;
    for (int i = 0; i < used; ++i) text += (i == 0 ? "" : " ") + std::to_string(p[i]);
    return text;
}

Permutation order_from_text(std::string_view text, int n) {
    std::vector<int> order;
    std::vector<bool> placed(static_cast<std::size_t>(n));
    for (const int token : whole_numbers(text).value_or(std::vector<int>())) {
        if (token < 0 || token >= n || placed[static_cast<std::size_t>(token)]) continue;
        placed[static_cast<std::size_t>(token)] = true;
        order.push_back(token);
    }
    for (int token = 0; token < n; ++token)
        if (!placed[static_cast<std::size_t>(token)]) order.push_back(token);
    return Permutation(std::move(order));
}

std::string wrong_order(std::string_view text) {
    const auto numbers = whole_numbers(text);
    if (!numbers) return "an order of tokens is whole numbers with spaces between them, such as 2 0 1";
    std::vector<int> sorted = *numbers;
    std::ranges::sort(sorted);
    if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= max_tokens)) {
        const int far = sorted.front() < 0 ? sorted.front() : sorted.back();
        return std::to_string(far) + " is not between 0 and " + std::to_string(max_tokens - 1);
    }
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        return "token " + std::to_string(*twice) + " stands in the order twice";
    return {};
}

}  // namespace heed
