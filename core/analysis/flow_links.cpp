#include "core/analysis/flow_links.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <tuple>

namespace heed {
namespace {

// Sorting whole rows is what would take long, so their weights are sorted into buckets by size first, eight to each power
// of two; only the bucket in which the share is reached needs an order inside.
constexpr std::size_t n_buckets = 2048;
constexpr float same_size = 1e-6F;  // weights of equal scores differ no more
std::size_t bucket_of(float size) { return std::bit_cast<std::uint32_t>(size) >> 20U; }

bool is_stronger(const FlowLink& a, const FlowLink& b) {
    return std::tuple(std::abs(a.weight), -a.head, -a.query, -a.key) >
           std::tuple(std::abs(b.weight), -b.head, -b.query, -b.key);
}

bool is_before(const FlowLink& a, const FlowLink& b) {
    return std::tuple(a.head, a.query, -std::abs(a.weight), a.key) <
           std::tuple(b.head, b.query, -std::abs(b.weight), b.key);
}

class Selection {
public:
    explicit Selection(float mass) : mass_(static_cast<double>(mass)) {}

    void add_query(std::span<const float> weights, int head, int query) {
        const std::size_t with_weight = measure(weights);
        if (with_weight == 0) {
            ++without_;
            return;
        }
        // A hair of slack: ten weights of 0.1 cover 70 % with seven.
        const double enough = mass_ * row_total_ - 1e-6;
        double covered = 0;
        std::size_t boundary = n_buckets - 1;
        while (boundary > 0 && (sizes_[boundary] == 0 || covered + sizes_[boundary] < enough))
            covered += sizes_[boundary--];

        boundary_.clear();
        for (const float weight : weights)
            if (const float size = std::abs(weight); std::isfinite(size) && size > 0 && bucket_of(size) == boundary)
                boundary_.push_back(size);
        std::ranges::sort(boundary_, std::greater<>());
        float weakest = std::numeric_limits<float>::infinity();  // that is shown, with all that equal it
        for (const float size : boundary_) {
            if (covered >= enough && covered > 0) break;
            covered += static_cast<double>(size);
            weakest = size;
        }
        const std::size_t before = shown_.size();
        for (std::size_t key = 0; key < weights.size(); ++key) {
            const float size = std::abs(weights[key]);
            if (size == 0 || !std::isfinite(size)) continue;
            if (bucket_of(size) > boundary || size >= weakest * (1 - same_size))
                shown_.push_back({head, query, static_cast<int>(key), weights[key]});
        }
        hidden_ += with_weight - (shown_.size() - before);
        total_ += row_total_;
        if (shown_.size() > 4 * most_flow_links) drop_weakest();
    }

    FlowLinks finish() {
        drop_weakest();
        double shown = 0;
        for (const FlowLink& link : shown_) shown += static_cast<double>(std::abs(link.weight));
        std::ranges::sort(shown_, is_before);
        const std::size_t count = shown_.size();
        return {std::move(shown_), hidden_, total_ > 0 ? static_cast<float>(shown / total_) : 0, is_limited_, total_,
                without_,          count};
    }

    // The links chosen so far, however many.
    std::vector<FlowLink> take() { return std::move(shown_); }

private:
    // Sums by bucket, and the sum of all; returns how many there are.
    std::size_t measure(std::span<const float> weights) {
        sizes_.fill(0);
        row_total_ = 0;
        std::size_t count = 0;
        for (const float weight : weights) {
            const float size = std::abs(weight);
            if (size == 0 || !std::isfinite(size)) continue;
            sizes_[bucket_of(size)] += static_cast<double>(size);
            row_total_ += static_cast<double>(size);
            ++count;
        }
        return count;
    }

    // The strongest one that has to go takes its equals with it, earlier and later ones.
    void drop_weakest() {
        if (shown_.size() > most_flow_links) {
            std::ranges::nth_element(shown_, shown_.begin() + most_flow_links, is_stronger);
            is_limited_ = true;
            too_weak_ = std::max(too_weak_, std::abs(shown_[most_flow_links].weight) * (1 + same_size));
        }
        hidden_ += std::erase_if(shown_, [&](const FlowLink& link) { return std::abs(link.weight) <= too_weak_; });
    }

    double mass_;
    double total_ = 0;
    double row_total_ = 0;
    std::size_t hidden_ = 0;
    std::size_t without_ = 0;
    bool is_limited_ = false;
    float too_weak_ = 0;  // no link of this size or less is shown
    std::vector<FlowLink> shown_;
    std::vector<float> boundary_;  // sizes
    std::array<double, n_buckets> sizes_{};
};

}  // namespace

FlowLinks strongest_links(const AttentionTrace& trace, const std::vector<int>& heads, float mass) {
    Selection selection(mass);
    for (const int head : heads) {
        const auto weights = trace.weights[head];
        for (Index query = 0; query < weights.rows(); ++query)
            selection.add_query({weights.data() + query * weights.cols(), static_cast<std::size_t>(weights.cols())},
                                head, static_cast<int>(query));
    }
    return selection.finish();
}

FlowLinks with_links_of(FlowLinks links, const AttentionTrace& trace, const std::vector<int>& heads, float mass,
                        FlowFocus focus) {
    std::vector<FlowLink> own;
    for (const int head : heads) {
        const auto weights = trace.weights[head];
        std::vector<float> line(static_cast<std::size_t>(focus.is_key ? weights.rows() : weights.cols()));
        for (std::size_t i = 0; i < line.size(); ++i)
            line[i] = focus.is_key ? weights(static_cast<Index>(i), focus.token)
                                   : weights(focus.token, static_cast<Index>(i));
        Selection selection(mass);
        selection.add_query(line, head, focus.token);
        std::vector<FlowLink> chosen = selection.take();
        if (focus.partner >= 0)
            if (const float weight = line[static_cast<std::size_t>(focus.partner)];
                std::isfinite(weight) && weight != 0)
                chosen.push_back({head, focus.token, focus.partner, weight});
        for (FlowLink& link : chosen) {
            if (focus.is_key) std::swap(link.query, link.key);
            own.push_back(link);
        }
    }
    const std::size_t before = links.shown.size();
    const auto is_same = [](const FlowLink& a, const FlowLink& b) {
        return std::tuple(a.head, a.query, a.key) == std::tuple(b.head, b.query, b.key);
    };
    links.shown.insert(links.shown.end(), own.begin(), own.end());
    std::ranges::sort(links.shown, is_before);
    links.shown.erase(std::unique(links.shown.begin(), links.shown.end(), is_same), links.shown.end());
    links.hidden -= links.shown.size() - before;
    double shown = 0;
    for (const FlowLink& link : links.shown) shown += static_cast<double>(std::abs(link.weight));
    links.shown_mass = links.total > 0 ? static_cast<float>(shown / links.total) : 0;
    return links;
}

}  // namespace heed
