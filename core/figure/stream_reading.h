// What the stream's page shows of a trace: read off once for each trace and token that is followed.
#pragma once

#include "core/transformer/block_reading.h"

#include <vector>

namespace heed {

struct StreamReading {
    std::vector<PartWrite> writes;
    std::vector<double> along;  // shares of the output, of the embedding first; empty: it is no sum
    double cosine = 0;          // of embedding and output
    // One row each: a token's numbers, or of all tokens their lengths. The stream begins with the embedding.
    std::vector<Matrix> write_strips, stream_strips;
    float most_write = 0, most_stream = 0;  // their largest size

    // Shares of the embedding, of attention and, where there is one, of the feed-forward; together 1.
    std::vector<double> by_kind(const TransformerConfig& config) const;
    std::size_t bytes() const;
};

// token −1: all.
StreamReading read_stream(const Around& around, int token);

}  // namespace heed
