#include "app/print/quantize.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace heed::app {
namespace {

// More distinct colours than this are first rounded to 6 bits a channel: a photograph, not a figure.
constexpr std::size_t most_distinct = std::size_t{1} << 15U;
constexpr std::uint32_t coarse_bits = 0xFCFCFCU;

int channel(std::uint32_t color, int axis) { return static_cast<int>((color >> (16 - 8 * axis)) & 0xFFU); }

Color to_color(std::uint32_t rgb) { return hex(rgb); }

struct Weighted {
    std::uint32_t color = 0;
    double count = 0;
};

// A stretch of the list of colours that will share one entry of the palette.
struct Box {
    std::size_t begin = 0;
    std::size_t end = 0;
    double error = 0;   // sum of count × squared distance from the mean
    int axis = 0;       // along which the colours differ most
    double middle = 0;  // their mean on that axis
};

Box measured(const std::vector<Weighted>& colors, std::size_t begin, std::size_t end) {
    Box box{begin, end, 0, 0, 0};
    double widest = -1;
    for (int axis = 0; axis < 3; ++axis) {
        double count = 0;
        double sum = 0;
        double squares = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const double value = channel(colors[i].color, axis);
            count += colors[i].count;
            sum += colors[i].count * value;
            squares += colors[i].count * value * value;
        }
        const double spread = squares - sum * sum / count;
        box.error += spread;
        if (spread > widest) {
            widest = spread;
            box.axis = axis;
            box.middle = sum / count;
        }
    }
    return box;
}

// The mean of a box, or its most frequent colour where that is most of it.
Color color_of(const std::vector<Weighted>& colors, const Box& box) {
    double count = 0;
    std::array<double, 3> sum{};
    const Weighted* top = &colors[box.begin];
    for (std::size_t i = box.begin; i < box.end; ++i) {
        count += colors[i].count;
        for (int axis = 0; axis < 3; ++axis)
            sum[static_cast<std::size_t>(axis)] += colors[i].count * channel(colors[i].color, axis);
        if (colors[i].count > top->count) top = &colors[i];
    }
    if (top->count > count / 2) return to_color(top->color);
    const auto mean = [&](std::size_t axis) { return static_cast<std::uint8_t>(std::lround(sum[axis] / count)); };
    return {mean(0), mean(1), mean(2), 255};
}

std::vector<Color> best_palette(std::vector<Weighted>& colors, int most) {
    std::vector<Box> boxes{measured(colors, 0, colors.size())};
    while (boxes.size() < static_cast<std::size_t>(most)) {
        const auto worst =
            std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.error < b.error; });
        if (worst->error <= 0) break;
        const Box box = *worst;
        const auto first = colors.begin() + static_cast<std::ptrdiff_t>(box.begin);
        const auto last = colors.begin() + static_cast<std::ptrdiff_t>(box.end);
        const auto cut =
            std::partition(first, last, [&](const Weighted& w) { return channel(w.color, box.axis) <= box.middle; });
        const auto split = static_cast<std::size_t>(cut - colors.begin());
        if (split == box.begin || split == box.end) {  // equal but for rounding
            worst->error = 0;
            continue;
        }
        *worst = measured(colors, box.begin, split);
        boxes.push_back(measured(colors, split, box.end));
    }
    std::vector<Color> palette;
    for (const Box& box : boxes) palette.push_back(color_of(colors, box));
    return palette;
}

std::uint8_t nearest(const std::vector<Color>& palette, std::uint32_t color) {
    int least = std::numeric_limits<int>::max();
    std::size_t found = 0;
    for (std::size_t i = 0; i < palette.size(); ++i) {
        const int r = palette[i].r - channel(color, 0);
        const int g = palette[i].g - channel(color, 1);
        const int b = palette[i].b - channel(color, 2);
        const int far = r * r + g * g + b * b;
        if (far < least) {
            least = far;
            found = i;
        }
    }
    return static_cast<std::uint8_t>(found);
}

// Calls visit(color, run length) for stretches of equal pixels: figures are mostly flat.
template <typename Visit>
void for_each_run(std::span<const std::uint32_t> pixels, Visit&& visit) {
    for (std::size_t i = 0; i < pixels.size();) {
        std::size_t end = i + 1;
        while (end < pixels.size() && pixels[end] == pixels[i]) ++end;
        visit(pixels[i], end - i);
        i = end;
    }
}

}  // namespace

IndexedPixels quantize(std::span<const std::uint32_t> pixels, int most) {
    assert(most >= 2 && most <= 256);
    std::unordered_map<std::uint32_t, double> counts;
    for_each_run(pixels,
                 [&](std::uint32_t color, std::size_t length) { counts[color] += static_cast<double>(length); });
    std::uint32_t kept_bits = 0xFFFFFFU;
    if (counts.size() > most_distinct) {
        kept_bits = coarse_bits;
        std::unordered_map<std::uint32_t, double> coarse;
        for (const auto& [color, count] : counts) coarse[color & kept_bits] += count;
        counts = std::move(coarse);
    }
    std::vector<Weighted> colors;
    for (const auto& [color, count] : counts) colors.push_back({color, count});
    // The order of a hash table is nobody's promise, and equal frames must give equal bytes.
    std::sort(colors.begin(), colors.end(), [](const Weighted& a, const Weighted& b) { return a.color < b.color; });

    IndexedPixels result;
    if (colors.size() <= static_cast<std::size_t>(most)) {
        for (const Weighted& w : colors) result.palette.push_back(to_color(w.color));
    } else {
        result.palette = best_palette(colors, most);
    }
    std::unordered_map<std::uint32_t, std::uint8_t> index_of;
    index_of.reserve(colors.size());
    for (const Weighted& w : colors) index_of[w.color] = nearest(result.palette, w.color);
    result.indices.reserve(pixels.size());
    for_each_run(pixels, [&](std::uint32_t color, std::size_t length) {
        result.indices.insert(result.indices.end(), length, index_of[color & kept_bits]);
    });
    return result;
}

}  // namespace heed::app
