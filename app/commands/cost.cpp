#include "app/commands/cost.h"

#include "core/bounds.h"
#include "core/cost/measure.h"
#include "core/files/atomic_write.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace heed::app {

namespace {

// Digits that a clock and a sum of squares are worth.
std::string four_digits(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4);
    return {text, error == std::errc() ? end : text};
}

std::optional<Index> whole(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > max_tokens)
        return std::nullopt;
    return value;
}

}  // namespace

std::string read_sizes(const std::string& text, CostRequest& request) {
    const std::size_t colon = text.find(':');
    const auto from = whole(std::string_view(text).substr(0, colon));
    const auto to = colon == std::string::npos ? from : whole(std::string_view(text).substr(colon + 1));
    if (!from || !to || *from > *to)
        return "--n " + text + ": FROM:TO is wanted, two whole numbers between 1 and " + std::to_string(max_tokens) +
               ", the smaller one first";
    request.from = *from;
    request.to = *to;
    return {};
}

Status run_cost(const CostRequest& request) {
    std::vector<ChosenMethod> methods = request.methods;
    if (methods.empty())
        for (const CostMethod& method : cost_methods()) methods.push_back({.row = &method, .parameters = {}});
    std::string table = "method,n,milliseconds,bytes,error\n";
    bool has_rows = false;
    for (const ChosenMethod& method : methods) {
        MeasureRequest measuring;
        measuring.methods = {method.row};
        measuring.from = request.from;
        measuring.to = request.to;
        measuring.d = request.d;
        measuring.heads = request.heads;
        measuring.parameters = method.parameters;
        measuring.wants_errors = true;
        measuring.most_bytes = most_cost_bytes;
        std::vector<CostPoint> points;
        measure_methods(measuring, {.point = [&](const CostPoint& point) { put_point(points, point); }});
        for (const CostPoint& point : points)
            table += std::string(point.method) + "," + std::to_string(point.n) + "," + four_digits(point.milliseconds) +
                     "," + std::to_string(std::llround(point.bytes)) + "," +
                     (point.error ? four_digits(*point.error) : "") + "\n";
        has_rows = has_rows || !points.empty();
    }
    if (!has_rows) return Error{"--n: every method would hold more than 4 GB at these sizes"};
    return write_file(request.out, table);
}

}  // namespace heed::app
