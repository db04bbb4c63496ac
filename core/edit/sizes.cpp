#include "core/edit/sizes.h"

#include "core/drawn_matrices.h"
#include "core/edit/words.h"
#include "core/layers.h"
#include "core/model/depth.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace heed {

namespace {

int& size_field(Model& model, Size size) {
    switch (size) {
        case Size::n_queries:
            return model.n_queries;
        case Size::n_keys:
            return model.n_keys;
        case Size::d_model:
            return model.d_model;
        case Size::d_k:
            return model.d_k;
        case Size::d_v:
            return model.d_v;
        case Size::d_additive:
            return model.d_additive;
        case Size::n_heads:
            return model.n_heads;
        case Size::n_kv_heads:
            return model.n_kv_heads;
    }
    assert(false);
    return model.n_queries;
}

// What a person may type; check_model() allows files a little more.
int hard_limit(Size size) {
    switch (size) {
        case Size::n_heads:
        case Size::n_kv_heads:
            return max_heads;
        default:
            return 4096;
    }
}

// `sizes` has the sizes to try and no matrices; `stored` has those that would grow to them.
bool fits(const Model& sizes, const Model& stored) {
    const std::int64_t around = numbers_around(sizes);
    return std::int64_t{sizes.depth->layers} * sizes.n_heads * sizes.n_queries * effective_n_keys(sizes) <=
               max_weights &&
           numbers_when_fitted(sizes, sizes) <= max_drawn_numbers &&
           numbers_when_fitted(sizes, stored) + around <= max_numbers;
}

}  // namespace

void follow_heads(Model& model) {
    // An impossible number is check_settings()'s to refuse, and makes no long lists here.
    const auto count = static_cast<std::size_t>(std::clamp(model.n_heads, 1, max_heads));
    const auto follow = [count](auto& one_or_many) {
        if (one_or_many.size() > 1 && one_or_many.size() < count) one_or_many.resize(count, one_or_many.front());
    };
    for_each_layer(model, [&](Model& layer) {
        follow(layer.bias);
        follow(layer.painted_mask);
    });
}

int size_of(const Model& model, Size size) { return size_field(const_cast<Model&>(model), size); }

int largest_size(const Model& model, Size size) {
    if (size == Size::n_kv_heads) return model.n_heads;
    Model trial;  // sizes only
    trial.self_attention = model.self_attention;
    trial.depth = model.depth;
    for (const Size each : {Size::n_queries, Size::n_keys, Size::d_model, Size::d_k, Size::d_v, Size::d_additive,
                            Size::n_heads, Size::n_kv_heads})
        size_field(trial, each) = size_of(model, each);
    int low = size_of(model, size);
    int high = std::max(low, hard_limit(size));
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        size_field(trial, size) = middle;
        if (size == Size::n_heads && model.n_kv_heads == model.n_heads) trial.n_kv_heads = middle;
        if (fits(trial, model))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int set_size(Model& model, Size size, int value) {
    // With as many key/value heads as heads they stay equal; otherwise as near as a divisor allows.
    if (size == Size::n_heads)
        return set_heads(model, value, model.n_kv_heads == model.n_heads ? value : model.n_kv_heads);
    const Model before = model;
    int& field = size_field(model, size);
    field = size == Size::n_kv_heads ? nearest_divisor(model.n_heads, value)
                                     : std::clamp(value, 1, largest_size(model, size));
    follow_words(before, model);
    forget_unused_draws(before, model);
    fit_matrices(model);
    return field;
}

int set_heads(Model& model, int n_heads, int wanted_kv_heads) {
    const Model before = model;
    model.n_heads = std::clamp(n_heads, 1, largest_size(model, Size::n_heads));
    model.n_kv_heads = nearest_divisor(model.n_heads, wanted_kv_heads);
    follow_heads(model);
    forget_unused_draws(before, model);
    fit_matrices(model);
    return model.n_heads;
}

std::vector<int> divisors(int number) {
    std::vector<int> found;
    for (int d = 1; d <= number; ++d)
        if (number % d == 0) found.push_back(d);
    return found;
}

int nearest_divisor(int number, int wanted) {
    int best = 1;
    for (const int d : divisors(number))
        if (std::abs(d - wanted) <= std::abs(best - wanted)) best = d;
    return best;
}

}  // namespace heed
