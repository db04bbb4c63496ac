// The ground of the plane of queries and keys: whose each place of it is.
#include "core/figure/geometry_planes.h"
#include "core/figure/kept.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {

namespace {

std::uint8_t byte(double linear) {
    const double bent = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(std::clamp(bent, 0.0, 1.0) * 255));
}

// Ottosson's Oklab (2020), by lightness, chroma and angle.
Color from_oklch(double lightness, double chroma, double turns) {
    const double a = chroma * std::cos(2 * std::numbers::pi * turns);
    const double b = chroma * std::sin(2 * std::numbers::pi * turns);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 255};
}

// As many as there are keys, neighbours in number far apart in hue.
Color territory_color(Theme theme, int key) {
    constexpr double golden = 0.6180339887498949;
    const double turns = 0.65 + golden * key;  // the first ones keep clear of the keys’ orange
    return theme == Theme::dark ? from_oklch(0.66, 0.13, turns) : from_oklch(0.70, 0.13, turns);
}

struct TerritoryKey {
    std::uint64_t version = 0;  // of the trace
    int head = 0;
    int query = 0;
    std::uint64_t plane = 0;
    Outlook outlook;
    float width = 0, height = 0;
    Theme theme = Theme::light;
    bool on_paper = false;
    friend bool operator==(const TerritoryKey&, const TerritoryKey&) = default;
};

struct TerritoryMap {
    MatrixView weights;  // of the winners
    std::shared_ptr<const std::vector<Color>> colors;
    bool has_ties = false;
    std::size_t bytes() const { return weights.bytes() + colors->size() * sizeof(Color); }
};

// Paper where nobody leads, grey where several do, the winner's colour where it has all the weight.
Color ground(Theme theme, const Territories& map, std::size_t at, Index keys) {
    const Color paper = palette(theme).panel;
    if (map.winner[at] == tied_keys) return mix(paper, palette(theme).text, 0.16F);
    if (map.winner[at] < 0) return paper;
    const float even = 1.0F / static_cast<float>(std::max<Index>(1, keys));
    const float share = keys < 2 ? 1.0F : std::clamp((std::abs(map.weight[at]) - even) / (1 - even), 0.0F, 1.0F);
    return mix(paper, territory_color(theme, map.winner[at]), 0.10F + 0.45F * share);
}

std::uint64_t plane_content(const Plane& plane) {
    Matrix numbers(2, plane.d());
    numbers.row(0) = plane.across.transpose().cast<float>();
    numbers.row(1) = plane.up.transpose().cast<float>();
    return content_of(numbers);
}

TerritoryMap territory_map(const QueryRow& row, const Plane& plane, const TerritoryKey& key, bool is_fine) {
    const double budget = is_fine ? (key.on_paper ? 6e8 : 2.5e8) : 3e6;  // ns
    const double smallest = is_fine ? (key.on_paper ? 1.0 : 2.0) : 3.0;  // px
    // A page that is too small for the plane leaves it less than nothing.
    const double area = std::max(0.0, static_cast<double>(key.width)) * std::max(0.0, static_cast<double>(key.height));
    const double cell = std::clamp(std::sqrt(area * nanoseconds_of_a_place(row) / budget), smallest, 160.0);
    const auto cells = [cell](float length) {
        return std::max<Index>(4, static_cast<Index>(static_cast<double>(length) / cell));  // never smaller than asked
    };
    const Territories map = territories(row, plane, key.outlook, cells(key.height), cells(key.width));
    Matrix weights(map.rows, map.cols);
    auto colors = std::make_shared<std::vector<Color>>(map.winner.size());
    for (std::size_t at = 0; at < map.winner.size(); ++at) {
        weights.data()[at] = map.weight[at];
        (*colors)[at] = ground(key.theme, map, at, row.visible_keys());
    }
    return {view_of(std::move(weights)), std::move(colors),
            std::ranges::find(map.winner, tied_keys) != map.winner.end()};
}

}  // namespace

bool add_territories(Figure& figure, const FigureContext& context, const GeometryRow& of, const DrawnPlane& drawn) {
    const TerritoryKey key{context.trace.version, of.head,      of.row.query, plane_content(drawn.plane),
                           drawn.outlook,         drawn.area.w, drawn.area.h, context.theme,
                           context.on_paper};
    const auto map = refined(context, "territories", key,
                             [row = of.row, plane = drawn.plane](const TerritoryKey& wanted, bool is_fine) {
                                 return territory_map(row, plane, wanted, is_fine);
                             });
    HeatmapMark heat;
    heat.id = "territories";
    heat.area = drawn.area;
    heat.values = map->weights;
    heat.cell_colors = map->colors;
    figure.targets.push_back({.id = heat.id,
                              .kind = TargetKind::cells,
                              .area = heat.area,
                              .rows = heat.values.rows,
                              .cols = heat.values.cols,
                              .tooltip = {}});
    figure.marks.emplace_back(std::move(heat));
    return map->has_ties;
}

}  // namespace heed
