// What a picture asks for in every frame, from the context's results where it has them (core/results.h).
//
// A lane names what is computed, the key everything it depends on: often the trace's version and a choice or two.
#pragma once

#include "core/figure/context.h"
#include "core/results.h"

namespace heed {

// compute() → Value, quick enough for a frame.
template <typename Key, typename Compute>
auto kept(const FigureContext& context, std::string_view lane, const Key& key, Compute compute)
    -> std::shared_ptr<const std::invoke_result_t<Compute>> {
    if (context.results != nullptr) return context.results->now(lane, key, compute);
    return std::make_shared<const std::invoke_result_t<Compute>>(compute());
}

// compute(key, fine) → Value: coarse while a fine one is computed beside the window, always fine on paper.
template <typename Key, typename Compute>
auto refined(const FigureContext& context, std::string_view lane, const Key& key, Compute compute)
    -> std::shared_ptr<const std::invoke_result_t<Compute, const Key&, bool>> {
    if (context.results != nullptr) return context.results->refined(lane, key, context.on_paper, compute);
    return std::make_shared<const std::invoke_result_t<Compute, const Key&, bool>>(compute(key, true));
}

}  // namespace heed
