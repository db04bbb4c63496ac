#include "core/figure/stream_reading.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

// A token's numbers as they are, or of all tokens their lengths: one row of cells.
Matrix strip_of(const Matrix& stream, int token) {
    if (token >= 0) return stream.row(token);
    return stream.rowwise().norm().transpose();
}

float largest(const Matrix& strip) {
    float most = 0;
    for (Index c = 0; c < strip.size(); ++c)
        if (std::isfinite(strip.data()[c])) most = std::max(most, std::abs(strip.data()[c]));
    return most;
}

}  // namespace

std::vector<double> StreamReading::by_kind(const TransformerConfig& config) const {
    std::vector<double> kinds{along.front(), 0};
    if (config.feed_forward != "none") kinds.push_back(0);
    for (std::size_t i = 0; i < writes.size(); ++i) kinds[writes[i].kind->attends ? 1 : 2] += along[i + 1];
    return kinds;
}

std::size_t StreamReading::bytes() const {
    std::size_t bytes = sizeof *this + writes.size() * sizeof(PartWrite) + along.size() * sizeof(double);
    for (const auto* const strips : {&write_strips, &stream_strips})
        for (const Matrix& strip : *strips) bytes += static_cast<std::size_t>(strip.size()) * sizeof(float);
    return bytes;
}

StreamReading read_stream(const Around& around, int token) {
    StreamReading reading;
    reading.writes = part_writes(around, token);
    reading.along = shares_along_output(around, token);
    reading.cosine = cosine_of_ends(around, token);
    reading.stream_strips.push_back(strip_of(around.trace.input, token));
    for (const LayerTrace& layer : around.trace.layers)
        for (const PartTrace& part : layer.parts) {
            reading.write_strips.push_back(strip_of(part.write, token));
            reading.stream_strips.push_back(strip_of(part.after, token));
        }
    for (const Matrix& strip : reading.write_strips) reading.most_write = std::max(reading.most_write, largest(strip));
    for (const Matrix& strip : reading.stream_strips)
        reading.most_stream = std::max(reading.most_stream, largest(strip));
    return reading;
}

}  // namespace heed
