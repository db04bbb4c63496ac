#include "core/figure/gradient_maps.h"

#include "core/display/gradients_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/plot.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace heed {

namespace {

enum class Side { queries, keys, components };

struct Map {
    const char* id;
    std::string title;
    const Stack* stack;
    int index;
    Color color;
    Side down, across;  // of the matrix, not as drawn
    bool is_cells() const { return down == Side::queries && across == Side::keys; }
    bool has_tokens() const { return down != Side::components; }
};

std::vector<Map> maps_of(const PanelPen& pen, const Backward& backward) {
    const Model& model = pen.context.model;
    const int head = shown_head(pen.context);
    const int kv = kv_head_of(model, head);
    const AttentionGradients& g = backward.gradients;
    const Palette& c = pen.colors;
    std::vector<Map> maps = {
        {"d_weights", pen.word("∂L/∂weights"), &g.d_weights, head, c.text, Side::queries, Side::keys},
        {"d_scores", pen.word("∂L/∂scores"), &g.d_scores, head, c.text, Side::queries, Side::keys},
        {"d_q", "∂L/∂Q", &g.q, head, c.query, Side::queries, Side::components},
        {"d_k", "∂L/∂K", &g.k, kv, c.key, Side::keys, Side::components},
        {"d_v", "∂L/∂V", &g.v, kv, c.value, Side::keys, Side::components}};
    if (model.source == Source::projected) {
        maps.push_back({"d_w_q", "∂L/∂W_{Q}", &g.w_q, head, c.query, Side::components, Side::components});
        maps.push_back({"d_w_k", "∂L/∂W_{K}", &g.w_k, kv, c.key, Side::components, Side::components});
        maps.push_back({"d_w_v", "∂L/∂W_{V}", &g.w_v, kv, c.value, Side::components, Side::components});
    }
    if (model.output_projection)
        maps.push_back({"d_w_o", "∂L/∂W_{O}", &g.w_o, head, c.output, Side::components, Side::components});
    std::erase_if(maps, [](const Map& map) { return map.stack->empty(); });
    return maps;
}

// Maps in equal tiles. Those with tokens have cells of one height, so that the rows of a token stand at one height too.
class MapGrid {
public:
    MapGrid(const PanelPen& pen, const std::shared_ptr<const Backward>& backward, Rect room)
        : pen_(pen), context_(pen.context), backward_(backward), maps_(maps_of(pen, *backward)) {
        const auto count = static_cast<int>(maps_.size());
        columns_ = count <= 6 ? 3 : 5;
        const int rows = (count + columns_ - 1) / columns_;
        tile_ = {room.x, room.y, (room.w - gap * static_cast<float>(columns_ - 1)) / static_cast<float>(columns_),
                 (room.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows)};
        measure();
    }

    void draw() const {
        for (int i = 0; i < static_cast<int>(maps_.size()); ++i)
            draw_map(maps_[static_cast<std::size_t>(i)],
                     {tile_.x + static_cast<float>(i % columns_) * (tile_.w + gap),
                      tile_.y + static_cast<float>(i / columns_) * (tile_.h + gap), tile_.w, tile_.h});
    }

private:
    static constexpr float gap = 16;
    static constexpr float largest_cell = 44;
    static constexpr float smallest_labelled = 7;  // pixels of a row: below, labels say nothing

    bool turns(const Map& map) const { return map.is_cells() && context_.display.keys_down; }
    Side down(const Map& map) const { return turns(map) ? map.across : map.down; }
    Side across(const Map& map) const { return turns(map) ? map.down : map.across; }
    float rows(const Map& map) const { return static_cast<float>(turns(map) ? map.stack->cols() : map.stack->rows()); }
    float cols(const Map& map) const { return static_cast<float>(turns(map) ? map.stack->rows() : map.stack->cols()); }

    LabelSpec labels(Side side) const {
        const Model& model = context_.model;
        const bool is_query = side == Side::queries;
        LabelSpec spec;
        spec.style = {pen_.text - 3, Font::words, is_query ? pen_.colors.query : pen_.colors.key};
        spec.count = is_query ? model.n_queries : effective_n_keys(model);
        spec.label_at = [&model, is_query](int i) { return is_query ? query_label(model, i) : key_label(model, i); };
        const Cell pin = pinned_cell(context_);
        if (context_.display.pinned && context_.options.pins) spec.pinned = is_query ? pin.query : pin.key;
        return spec;
    }

    void measure() {
        label_w_ = std::min(row_labels_width(std::max(widest_label(context_.measure, labels(Side::queries), most_label),
                                                      widest_label(context_.measure, labels(Side::keys), most_label))),
                            tile_.w * 0.3F);
        const auto fit = [&](float foot) {
            float cell = largest_cell;
            for (const Map& map : maps_) {
                if (!map.has_tokens()) continue;
                cell = std::min(cell, (tile_.h - header() - foot) / rows(map));
                if (map.is_cells()) cell = std::min(cell, (tile_.w - label_w_) / cols(map));
            }
            return cell;
        };
        const LabelSpec below = labels(context_.display.keys_down ? Side::queries : Side::keys);
        foot_ = column_labels_height(context_.measure, below, fit(0), most_label);
        cell_ = fit(foot_);
        if (cell_ < smallest_labelled || !context_.options.tick_labels) {
            label_w_ = foot_ = 0;
            cell_ = fit(0);
        }
    }

    float header() const { return pen_.text * 1.7F; }

    Rect area_of(const Map& map, Rect tile) const {
        const float left = map.has_tokens() ? label_w_ : 0;
        const float room_w = tile.w - left;
        const float room_h = tile.h - header() - foot_;
        float cell_h = map.has_tokens() ? cell_ : std::min({room_h / rows(map), room_w / cols(map), largest_cell});
        float cell_w = std::min(cell_h, room_w / cols(map));
        if (cell_h < 6) {  // too many to be square: as large as the tile
            cell_h = std::min(room_h / rows(map), largest_cell);
            cell_w = std::min(room_w / cols(map), largest_cell);
        }
        return {std::round(tile.x + left), std::round(tile.y + header()), cell_w * cols(map), cell_h * rows(map)};
    }

    void draw_map(const Map& entry, Rect tile) const {
        HeatmapMark map;
        map.id = entry.id;
        const auto numbers = (*entry.stack)[entry.index];
        map.values = {numbers.data(), numbers.rows(), numbers.cols(), backward_,
                      mix_bits(backward_->version ^ mix_bits(std::hash<std::string_view>()(entry.id) +
                                                             static_cast<std::uint64_t>(entry.index)))};
        if (entry.is_cells()) map.visible = mask_view(context_, shown_head(context_));
        map.transposed = turns(entry);
        map.area = area_of(entry, tile);
        const float cell_w = map.area.w / cols(entry);
        const float cell_h = map.area.h / rows(entry);
        const float largest = std::max(largest_magnitude(map.values, map.visible), 1e-12F);
        map.scale = {color_map(context_.display.diverging_map).id, -largest, largest};
        map.grid = std::min(cell_w, cell_h) >= 8;
        map.decimals = cell_w >= 38 && cell_h >= 16 && context_.display.numbers && context_.options.numbers &&
                               context_.measure.width(decimal(-static_cast<double>(largest), decimals_for(map.scale)),
                                                      pen_.text - 3, Font::mono) +
                                       4 <=
                                   cell_w
                           ? decimals_for(map.scale)
                           : -1;
        map.number_size = pen_.text - 3;
        light(entry, map);
        draw_title(entry, tile, map.area.x, numbers.cast<double>().norm(), largest);
        if (label_w_ > 0 && down(entry) != Side::components)
            add_row_labels(pen_.figure, context_.measure, labels(down(entry)), map.area, label_w_);
        if (foot_ > 0 && across(entry) != Side::components)
            add_column_labels(pen_.figure, context_.measure, labels(across(entry)), map.area, most_label, false);
        pen_.figure.marks.emplace_back(BoxMark{.area = {map.area.x - 1, map.area.y - 1, map.area.w + 2, map.area.h + 2},
                                               .stroke = pen_.colors.hairline});
        pen_.figure.targets.push_back({.id = entry.id,
                                       .kind = TargetKind::cells,
                                       .area = map.area,
                                       .rows = map.shown_rows(),
                                       .cols = map.shown_cols(),
                                       .transposed = map.transposed,
                                       .tooltip = {}});
        pen_.figure.marks.emplace_back(std::move(map));
    }

    void light(const Map& entry, HeatmapMark& map) const {
        if (!entry.is_cells() || !context_.options.pins) return;
        const Cell pin = pinned_cell(context_);
        const Cell lit =
            context_.hovered && context_.hovered->query >= 0 && context_.hovered->key >= 0 ? *context_.hovered : pin;
        if (context_.display.pinned) {
            map.pinned_row = pin.query;
            map.pinned_col = pin.key;
        }
        map.lit_row = lit.query;
        map.lit_col = lit.key;
    }

    // Its name, then its norm and its range as far as there is room.
    void draw_title(const Map& entry, Rect tile, float x, double norm, float largest) const {
        const float y = tile.y + pen_.text * 0.7F;
        pen_.words(entry.title, {x, y}, entry.color, AlignX::left, Font::bold, 1);
        x += rich_width(context_.measure, entry.title, pen_.text - 1, Font::bold) + 10;
        const std::string size = std::isfinite(norm) ? "‖·‖ " + compact(norm) : pen_.word("NaN");
        const std::string both = size + "  ±" + compact(static_cast<double>(largest));
        for (const std::string& words : {both, size})
            if (x + context_.measure.width(words, pen_.text - 3, Font::mono) <= tile.right()) {
                pen_.words(words, {x, y}, pen_.colors.dim, AlignX::left, Font::mono, 3);
                return;
            }
    }

    static constexpr float most_label = 70;
    const PanelPen& pen_;
    const FigureContext& context_;
    const std::shared_ptr<const Backward>& backward_;
    std::vector<Map> maps_;
    int columns_ = 1;
    Rect tile_;  // the first
    float label_w_ = 0, foot_ = 0, cell_ = 0;
};

// ‖∂L/∂stage‖ of all heads from the output back, on a logarithmic axis.
void add_sizes(const PanelPen& pen, Rect room, const Backward& backward) {
    const std::string names[] = {pen.word("∂L/∂output"),
                                 pen.word("∂L/∂weights"),
                                 pen.word("∂L/∂logits"),
                                 pen.word("∂L/∂scores"),
                                 "∂L/∂Q",
                                 "∂L/∂K",
                                 "∂L/∂V"};
    const StageNorms& scaled = backward.is_scaled ? backward.norms : backward.other;
    const StageNorms& unscaled = backward.is_scaled ? backward.other : backward.norms;
    double low = 1, high = 1;
    for (const StageNorms* norms : {&scaled, &unscaled})
        for (const double norm : *norms)
            if (std::isfinite(norm) && norm > 1e-12) {
                low = std::min(low, norm);
                high = std::max(high, norm);
            }
    const Axis axis{std::pow(10.0, std::floor(std::log10(low)) - 0.3),
                    std::pow(10.0, std::ceil(std::log10(high)) + 0.01), true};
    pen.words(pen.word("Size by stage, all heads"), {room.x, room.y + pen.text * 0.7F}, pen.colors.text, AlignX::left,
              Font::bold, 1);
    pen.legend(room.right(), room.y + pen.text * 2.2F,
               {{pen.word("with 1/√d_{k}"), pen.scaled(), "scaled"}, {pen.word("without"), pen.unscaled(), "unscaled"}},
               {"sizes"});
    const float name_w = pen.text * 6.4F;
    const float number_w = pen.text * 4.2F;
    // In a low window the bars come first, and what the stages are stays untold.
    const bool has_notes = room.h - pen.text * 10.8F >= pen.text * 1.3F * n_backward_stages;
    const float foot = pen.text * (has_notes ? 10.8F : 8.0F);
    const Rect bars{room.x + name_w, room.y + pen.text * 3.2F, std::max(20.0F, room.w - name_w - number_w),
                    std::max(20.0F, std::min(room.h - foot, pen.text * 3 * n_backward_stages))};
    const float slot = bars.h / n_backward_stages;
    PlotMark plot;
    plot.id = "sizes";
    plot.area = bars;
    plot.x.shown = axis;
    plot.x.spacing = 44;
    plot.y.shown = {0, static_cast<double>(n_backward_stages)};
    plot.y.policy = TickPolicy::named;
    plot.y.locked = true;
    plot.text_size = pen.text - (slot >= pen.text * 1.2F ? 2 : 4);
    plot.framed = false;
    for (const bool is_scaled : {true, false}) {
        const StageNorms& norms = is_scaled ? scaled : unscaled;
        Series one{.id = is_scaled ? "scaled" : "unscaled",
                   .legend = is_scaled ? "scaled" : "unscaled",
                   .name = pen.word(is_scaled ? "with 1/√d_{k}" : "without"),
                   .kind = SeriesKind::bars,
                   .color = is_scaled ? pen.scaled() : pen.unscaled(),
                   .thickness = static_cast<double>(std::min(slot * 0.34F, 11.0F) / slot),
                   .radius = 2,
                   .lying = true};
        for (std::size_t stage = 0; stage < n_backward_stages; ++stage) {
            const double middle = static_cast<double>(n_backward_stages - stage) - 0.5;
            const double at = middle + (is_scaled ? 0.2 : -0.2);
            const double norm = norms[stage];
            if (is_scaled && slot >= pen.text - 3) plot.y.ticks.push_back({middle, names[stage]});
            one.y.push_back(at);
            one.x.push_back(norm > axis.low ? norm : std::numeric_limits<double>::quiet_NaN());
            if (slot >= (pen.text - 4) * 2.2F)
                pen.words(std::isfinite(norm) ? compact(norm) : pen.word("NaN"),
                          {room.right(), bars.bottom() - static_cast<float>(at) * slot}, pen.colors.text, AlignX::right,
                          Font::mono, 4);
        }
        plot.series.push_back(std::move(one));
    }
    pen.plot(std::move(plot));
    const bool holds = backward.identity_error < 1e-4;
    float y = bars.bottom() + pen.text * 2.4F;
    for (const std::string_view line :
         {"logits: what the normaliser is given", "scores: q·k before the scale, whose factor is in"}) {
        if (!has_notes) break;
        pen.words(pen.word(line), {room.x, y}, pen.colors.dim, AlignX::left, Font::words, 3);
        y += pen.text * 1.25F;
    }
    if (has_notes) y += pen.text * 0.4F;
    pen.words("∂L/∂V_{j} = Σ_{i} α_{ij} ∂L/∂out_{i}", {room.x, y}, pen.colors.text, AlignX::left, Font::words, 1);
    y += pen.text * 1.5F;
    pen.words(
        (holds ? "✓ " : "") + fill(pen.context.word("largest difference {0}"),
                                   {std::isfinite(backward.identity_error) ? compact(backward.identity_error) : "NaN"}),
        {room.x, y}, holds ? pen.colors.good : pen.colors.warning, AlignX::left, Font::words, 2);
}

}  // namespace

void add_gradient_maps(const PanelPen& pen, Rect room, const std::shared_ptr<const Backward>& backward) {
    if (backward->is_too_large) {
        const double gigabytes = static_cast<double>(backward_bytes(pen.context.model, pen.context.trace)) / 1e9;
        pen.sentence(room,
                     fill(pen.context.word("Carrying the gradient back would take {0} GB of memory, more than there is "
                                           "for it. Fewer tokens or heads take less."),
                          {decimal(gigabytes, 1)}),
                     pen.colors.dim);
        return;
    }
    if (!backward->is_complete) {
        pen.sentence(room, pen.word("Carrying the gradient back…"), pen.colors.dim);
        return;
    }
    const Model& model = pen.context.model;
    const GradientsDisplay& display = *pen.context.display.gradients;
    const Cell pin = pinned_cell(pen.context);
    const std::string query =
        shorten(pen.context.measure, query_label(model, pin.query), pen.text - 2, Font::words, 110);
    const std::string key = shorten(pen.context.measure, key_label(model, pin.key), pen.text - 2, Font::words, 110);
    const std::string component = std::to_string(std::min<Index>(display.component, backward->d_output.cols() - 1));
    const std::string about =
        display.loss == LossKind::component
            ? fill(pen.context.word("L = component {0} of the output of “{1}”"), {component, query})
        : display.loss == LossKind::random
            ? pen.word("∂L/∂output = random numbers, for every query")
            : fill(pen.context.word("L = ½‖output of “{0}” − what “{1}” alone would give‖²"), {query, key});
    pen.words(about, {room.x, room.y + pen.text / 2}, pen.colors.dim, AlignX::left, Font::words, 2, true);

    const float side_w = std::clamp(room.w * 0.3F, 190.0F, 330.0F);
    const Rect grid{room.x, room.y + pen.text * 1.8F, room.w - side_w - 28, room.h - pen.text * 1.8F};
    MapGrid(pen, backward, grid).draw();
    add_sizes(pen, {room.right() - side_w, room.y + pen.text * 1.8F, side_w, room.h - pen.text * 1.8F}, *backward);
}

}  // namespace heed
