#include "core/figure/gradient_maps.h"

#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace heed {

namespace {

struct Map {
    const char* id;
    std::string title;
    const Stack* stack;
    int index;
    Color color;
    bool is_cells;  // n × m: can be pinned, and follows the convention
};

std::vector<Map> maps_of(const PanelPen& pen, const Backward& backward) {
    const Model& model = pen.context.scene.model;
    const int head = shown_head(pen.context.scene);
    const int kv = kv_head_of(model, head);
    const AttentionGradients& g = backward.gradients;
    std::vector<Map> maps = {{"d_weights", pen.word("∂L/∂weights"), &g.d_weights, head, pen.colors.text, true}, {"d_scores", pen.word("∂L/∂scores"), &g.d_scores, head, pen.colors.text, true},
                             {"d_q", "∂L/∂Q", &g.q, head, pen.colors.query, false},       {"d_k", "∂L/∂K", &g.k, kv, pen.colors.key, false},
                             {"d_v", "∂L/∂V", &g.v, kv, pen.colors.value, false}};
    if (model.source == Source::projected) {
        maps.push_back({"d_w_q", "∂L/∂W_{Q}", &g.w_q, head, pen.colors.query, false});
        maps.push_back({"d_w_k", "∂L/∂W_{K}", &g.w_k, kv, pen.colors.key, false});
        maps.push_back({"d_w_v", "∂L/∂W_{V}", &g.w_v, kv, pen.colors.value, false});
    }
    if (model.output_projection) maps.push_back({"d_w_o", "∂L/∂W_{O}", &g.w_o, head, pen.colors.output, false});
    std::erase_if(maps, [](const Map& map) { return map.stack->empty(); });
    return maps;
}

void add_map(const PanelPen& pen, const std::shared_ptr<const Backward>& backward, const Map& entry, Rect tile) {
    const FigureContext& context = pen.context;
    const bool is_transposed = entry.is_cells && context.scene.display.keys_down;
    HeatmapMark map;
    map.id = entry.id;
    const auto numbers = (*entry.stack)[entry.index];
    map.values = {numbers.data(), numbers.rows(), numbers.cols(), backward, mix_bits(backward->version ^ mix_bits(std::hash<std::string_view>()(entry.id) + static_cast<std::uint64_t>(entry.index)))};
    if (entry.is_cells) map.visible = mask_view(context, shown_head(context.scene));
    map.transposed = is_transposed;
    const float header = pen.text * 1.7F;
    const auto rows = static_cast<float>(map.shown_rows());
    const auto cols = static_cast<float>(map.shown_cols());
    // Square cells where they stay visible; long thin matrices are stretched into strips.
    float cell_w = std::min({tile.w / cols, (tile.h - header) / rows, 44.0F});
    float cell_h = cell_w;
    if (cell_w < 6) {
        cell_w = std::min(tile.w / cols, 44.0F);
        cell_h = std::min((tile.h - header) / rows, 44.0F);
    }
    map.area = {std::round(tile.x), std::round(tile.y + header), cell_w * cols, cell_h * rows};
    const float largest = largest_magnitude(map.values, map.visible);
    const double norm = numbers.cast<double>().norm();
    map.scale = {color_map(context.scene.display.diverging_map).id, -std::max(largest, 1e-12F), std::max(largest, 1e-12F)};
    map.grid = std::min(cell_w, cell_h) >= 8;
    map.decimals = cell_w >= 38 && cell_h >= 16 && context.scene.display.numbers && context.options.numbers ? 2 : -1;
    map.number_size = pen.text - 3;
    if (entry.is_cells && context.options.pins) {
        const Cell pin = pinned_cell(context.scene);
        const Cell lit = context.hovered && context.hovered->query >= 0 && context.hovered->key >= 0 ? *context.hovered : pin;
        if (context.scene.display.pinned) {
            map.pinned_row = pin.query;
            map.pinned_col = pin.key;
        }
        map.lit_row = lit.query;
        map.lit_col = lit.key;
    }
    pen.words(entry.title, {tile.x, tile.y + pen.text * 0.7F}, entry.color, AlignX::left, Font::bold, 1);
    const float title_w = rich_width(context.measure, entry.title, pen.text - 1, Font::bold);
    const std::string size = std::isfinite(norm) ? "‖·‖ " + compact(norm) : pen.word("NaN");
    if (title_w + 10 + context.measure.width(size, pen.text - 3, Font::mono) <= tile.w)
        pen.words(size, {tile.x + title_w + 10, tile.y + pen.text * 0.7F}, pen.colors.dim, AlignX::left, Font::mono, 3);
    pen.figure.marks.emplace_back(BoxMark{.area = {map.area.x - 1, map.area.y - 1, map.area.w + 2, map.area.h + 2}, .stroke = pen.colors.hairline});
    pen.figure.targets.push_back({.id = entry.id, .kind = TargetKind::cells, .area = map.area, .rows = map.shown_rows(), .cols = map.shown_cols(), .transposed = is_transposed, .tooltip = {}});
    pen.figure.marks.emplace_back(std::move(map));
}

// ‖∂L/∂stage‖ of all heads from the output back, on a logarithmic axis.
void add_sizes(const PanelPen& pen, Rect room, const Backward& backward) {
    const std::string names[] = {pen.word("∂L/∂output"), pen.word("∂L/∂weights"), pen.word("∂L/∂scores"), "∂L/∂Q", "∂L/∂K", "∂L/∂V"};
    const StageNorms& scaled = backward.is_scaled ? backward.norms : backward.other;
    const StageNorms& unscaled = backward.is_scaled ? backward.other : backward.norms;
    double low = 1, high = 1;
    for (const StageNorms* norms : {&scaled, &unscaled})
        for (const double norm : *norms)
            if (std::isfinite(norm) && norm > 1e-12) {
                low = std::min(low, norm);
                high = std::max(high, norm);
            }
    const Axis axis{std::pow(10.0, std::floor(std::log10(low)) - 0.3), std::pow(10.0, std::ceil(std::log10(high)) + 0.01), true};
    pen.words(pen.word("Size by stage, all heads"), {room.x, room.y + pen.text * 0.7F}, pen.colors.text, AlignX::left, Font::bold, 1);
    pen.legend(room.right(), room.y + pen.text * 2.2F, {{pen.word("with 1/√d_{k}"), pen.scaled()}, {pen.word("without"), pen.unscaled()}});
    const float name_w = pen.text * 6.4F;
    const float number_w = pen.text * 4.2F;
    const Rect bars{room.x + name_w, room.y + pen.text * 3.2F, std::max(20.0F, room.w - name_w - number_w), std::max(20.0F, std::min(room.h - pen.text * 8.2F, pen.text * 3 * n_backward_stages))};
    const Frame frame{"sizes", bars, axis, {0, 1}};
    const float slot = bars.h / n_backward_stages;
    for (const Tick& tick : ticks(axis, bars.w, 44)) {
        const float x = frame.place(tick.value, 0).x;
        pen.figure.marks.emplace_back(LineMark{{{x, bars.y}, {x, bars.bottom()}}, with_alpha(pen.colors.hairline, 0.8F)});
        if (!tick.text.empty()) pen.words(tick.text, {x, bars.bottom() + 4}, pen.colors.dim, AlignX::center, Font::mono, 4, false, AlignY::top);
    }
    for (std::size_t stage = 0; stage < n_backward_stages; ++stage) {
        const float y = bars.y + slot * (static_cast<float>(stage) + 0.5F);
        pen.words(names[stage], {bars.x - 8, y}, pen.colors.dim, AlignX::right);
        const auto bar = [&](double norm, float at, Color color) {
            const float h = std::min(slot * 0.34F, 11.0F);
            if (norm > axis.low) pen.figure.marks.emplace_back(BoxMark{.area = {bars.x, at - h / 2, std::max(1.0F, frame.place(norm, 0).x - bars.x), h}, .fill = color, .radius = 2});
            if (slot >= (pen.text - 4) * 2.2F) pen.words(std::isfinite(norm) ? compact(norm) : pen.word("NaN"), {room.right(), at}, pen.colors.text, AlignX::right, Font::mono, 4);
        };
        bar(scaled[stage], y - slot * 0.2F, pen.scaled());
        bar(unscaled[stage], y + slot * 0.2F, pen.unscaled());
    }
    const bool holds = backward.identity_error < 1e-4;
    float y = bars.bottom() + pen.text * 2.6F;
    pen.words("∂L/∂V_{j} = Σ_{i} α_{ij} ∂L/∂out_{i}", {room.x, y}, pen.colors.text, AlignX::left, Font::words, 1);
    y += pen.text * 1.5F;
    pen.words((holds ? "✓ " : "") + fill(pen.context.word("largest difference {0}"), {std::isfinite(backward.identity_error) ? compact(backward.identity_error) : "NaN"}),
              {room.x, y}, holds ? pen.colors.good : pen.colors.warning, AlignX::left, Font::words, 2);
}

}  // namespace

void add_gradient_maps(const PanelPen& pen, Rect room, const std::shared_ptr<const Backward>& backward) {
    if (!backward->is_complete) {
        pen.sentence(room, pen.word("Carrying the gradient back…"), pen.colors.dim);
        return;
    }
    const Model& model = pen.context.scene.model;
    const GradientsDisplay& display = pen.context.scene.display.gradients;
    const Cell pin = pinned_cell(pen.context.scene);
    const std::string query = shorten(pen.context.measure, query_label(model, pin.query), pen.text - 2, Font::words, 110);
    const std::string key = shorten(pen.context.measure, key_label(model, pin.key), pen.text - 2, Font::words, 110);
    const std::string component = std::to_string(std::min<Index>(display.component, backward->d_output.cols() - 1));
    const std::string about = display.loss == LossKind::component ? fill(pen.context.word("L = component {0} of the output of “{1}”"), {component, query})
                              : display.loss == LossKind::random  ? pen.word("∂L/∂output = random numbers, for every query")
                                                                  : fill(pen.context.word("L = ½‖output of “{0}” − what “{1}” alone would give‖²"), {query, key});
    pen.words(about, {room.x, room.y + pen.text / 2}, pen.colors.dim, AlignX::left, Font::words, 2, true);

    const float side_w = std::clamp(room.w * 0.3F, 190.0F, 330.0F);
    const Rect grid{room.x, room.y + pen.text * 1.8F, room.w - side_w - 28, room.h - pen.text * 1.8F};
    const std::vector<Map> maps = maps_of(pen, *backward);
    const auto count = static_cast<int>(maps.size());
    const int columns = count <= 6 ? 3 : 5;
    const int rows = (count + columns - 1) / columns;
    constexpr float gap = 16;
    const float tile_w = (grid.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float tile_h = (grid.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
    for (int i = 0; i < count; ++i)
        add_map(pen, backward, maps[static_cast<std::size_t>(i)],
                {grid.x + static_cast<float>(i % columns) * (tile_w + gap), grid.y + static_cast<float>(i / columns) * (tile_h + gap), tile_w, tile_h});
    add_sizes(pen, {room.right() - side_w, room.y + pen.text * 1.8F, side_w, room.h - pen.text * 1.8F}, *backward);
}

}  // namespace heed
