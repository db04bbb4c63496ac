#include "core/figure/stream_reading.h"

#include "core/figure/block_pages.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace heed {

namespace {

// Shares of a whole in tenths of a percent, rounded so that they still add up to 100 %.
std::vector<std::string> percents_of_a_whole(const std::vector<double>& shares) {
    std::vector<double> tenths;
    double left = 1000;
    for (const double share : shares) {
        tenths.push_back(std::floor(share * 1000));
        left -= tenths.back();
    }
    // What rounding down left over goes to those that lost most.
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return shares[i] * 1000 - tenths[i]; });
    for (const std::size_t i : order) {
        if (left < 0.5) break;
        ++tenths[i];
        --left;
    }
    std::vector<std::string> words;
    for (const double tenth : tenths) words.push_back(as_percent(tenth / 1000));
    return words;
}

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

std::vector<std::string> StreamReading::percents_by_kind(const TransformerConfig& config) const {
    std::vector<double> kinds{along.front(), 0};
    if (config.feed_forward != "none") kinds.push_back(0);
    for (std::size_t i = 0; i < writes.size(); ++i) kinds[writes[i].kind->attends ? 1 : 2] += along[i + 1];
    return percents_of_a_whole(kinds);
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
