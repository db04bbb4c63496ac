// The rows of quantities(), by what they speak of, and what they share.
#pragma once

#include "core/lessons/quantities.h"
#include "core/results.h"

#include <span>

namespace heed {

std::span<const Quantity> weight_quantities();       // scores, weights and rows of them
std::span<const Quantity> vector_quantities();       // queries, keys, values, outputs and gradients
std::span<const Quantity> drawn_quantities();        // random rows, and rows that are typed
std::span<const Quantity> normalizer_quantities();   // a row of numbers through each normaliser
std::span<const Quantity> order_quantities();        // places and their encodings, recurrence
std::span<const Quantity> cost_quantities();         // what attention takes, and what cheaper attention gets wrong
std::span<const Quantity> transformer_quantities();  // blocks and reach
std::span<const Quantity> block_quantities();        // what stands around a scene’s attention

// Kept by its key where there is a place for it.
template <typename Key, typename Compute>
auto kept_quantity(const Call& call, std::string_view lane, const Key& key, Compute compute)
    -> std::shared_ptr<const std::invoke_result_t<Compute>> {
    if (call.moment().results != nullptr) return call.moment().results->now(lane, key, compute);
    return std::make_shared<const std::invoke_result_t<Compute>>(compute());
}

inline Result<LessonValue> number_value(double value) { return LessonValue(value); }
inline Result<LessonValue> truth_value(bool value) { return LessonValue(value); }

}  // namespace heed
