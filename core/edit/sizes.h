// Changing a size: what is there stays, what is new comes from the seed, and going back brings the same numbers back.
#pragma once

#include "core/model.h"

#include <cstdint>
#include <vector>

namespace heed {

enum class Size { n_queries, n_keys, d_model, d_k, d_v, d_additive, n_heads, n_kv_heads };

// A size asked for by hand draws its numbers at once, so all matrices together stay below what can be drawn in a moment.
inline constexpr std::int64_t max_drawn_numbers = std::int64_t{1} << 25;

int size_of(const Model& model, Size size);

// The largest value that keeps the other sizes as they are. At least what there is now, which a file may have made larger
// than what can be asked for by hand.
int largest_size(const Model& model, Size size);

// The nearest possible value: within 1 … largest_size, and a divisor of the heads for n_kv_heads. Returns what was set.
int set_size(Model& model, Size size, int value);

// Heads, with the key/value heads that come nearest to `wanted_kv_heads`: a slider that passes through 3 on its way from
// 4 to 2 keeps asking for what there was when it was taken up.
int set_heads(Model& model, int n_heads, int wanted_kv_heads);

// After more heads were asked for: where each head has its own bias or painted mask, the new ones start like the first.
void follow_heads(Model& model);

std::vector<int> divisors(int number);
int nearest_divisor(int number, int wanted);

}  // namespace heed
