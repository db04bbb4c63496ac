// What a head does, in one word, with the measurement behind it.
//
// Everything is compared with chance: a head that spreads its weight evenly over the keys its mask leaves visible. A
// causal mask alone puts half of the second query on the first token; that is no sink.
#pragma once

#include "core/attention/trace.h"
#include "core/model.h"

#include <span>
#include <string>
#include <string_view>

namespace heed {

struct Archetype {
    std::string_view id;       // previous-token, next-token, diagonal, first-token, local, global, none
    std::string_view name;     // English, through tr()
    std::string_view measure;  // what value is, English, through tr()
    float value = 0;           // measured, averaged over the queries that see at least two keys
    float chance = 0;          // the same under chance
    float evidence = 0;        // 0 at chance, 1 where every query follows the pattern (global: 1 is even)
};

// Whether query and key count the places of one sentence, so that distances and places beside each other mean something.
// Across two sentences, as in a translation, they do not.
bool have_distances(const Model& model);

// Whether a head's entropy is one: weights that may be negative are no shares of anything.
bool have_entropy(const Model& model);
// A head's entropy in bits and the keys it comes to; "—" where it has none.
struct EntropyWords {
    std::string bits, keys;
};
EntropyWords entropy_words(const Model& model, const WeightStatistics& head);

// Every id, with nothing measured; none is the last.
std::span<const Archetype> archetypes();

// The label of one head; across two sentences only those that need no distance. With "none" comes the strongest of the point patterns, which was not strong enough.
Archetype head_archetype(const Model& model, const AttentionTrace& trace, int head);

}  // namespace heed
