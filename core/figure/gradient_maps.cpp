#include "core/figure/gradient_maps.h"

#include "core/attention/normalizers.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/display/gradients_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/color_bar.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/plot.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
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
        choose_layout(room);
    }

    void draw() const {
        for (int i = 0; i < static_cast<int>(maps_.size()); ++i)
            draw_map(maps_[static_cast<std::size_t>(i)],
                     {at_.tile.x + static_cast<float>(i % at_.columns) * (at_.tile.w + gap),
                      at_.tile.y + static_cast<float>(i / at_.columns) * (at_.tile.h + gap), at_.tile.w, at_.tile.h});
    }

private:
    static constexpr float gap = 16;
    static constexpr float largest_cell = 44;
    static constexpr float smallest_labelled = 7;  // pixels of a row: below, labels say nothing

    bool turns(const Map& map) const { return map.is_cells() && context_.display.cells->keys_down; }
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
        spec.pictures = label_pictures(context_, is_query, spec.count);
        const Cell pin = pinned_cell(context_);
        if (context_.display.pinned && context_.options.pins) spec.pinned = is_query ? pin.query : pin.key;
        return spec;
    }

    struct Layout {
        int columns = 1;
        Rect tile;  // the first
        float label_w = 0, foot = 0;
        float cell = 0;   // the side of a cell where there are tokens
        float bar_w = 0;  // of a colour bar with its numbers; 0: the range stands in the title
    };

    // The largest cells; of two layouts that both have room for numbers in them, or both have none, a bar beside each map.
    void choose_layout(Rect room) {
        const auto count = static_cast<int>(maps_.size());
        const float narrowest = std::max(pen_.text * 7, widest_title());
        const float number_w = context_.measure.width("−0.00", pen_.text - 4, Font::mono) + 4;
        float best = -1;
        for (int columns = 1; columns <= count; ++columns) {
            const int rows = (count + columns - 1) / columns;
            const Rect tile{room.x, room.y,
                            (room.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                            (room.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows)};
            if (tile.w < narrowest && columns > 1) break;
            for (const bool has_bars : {true, false}) {
                const Layout layout = layout_for(columns, tile, has_bars);
                if (has_bars && layout.bar_w == 0) continue;
                const float value = layout.cell * (layout.cell >= number_w ? 2.0F : 1.0F) * (has_bars ? 1.3F : 1.0F);
                if (value <= best) continue;
                best = value;
                at_ = layout;
            }
        }
    }

    float widest_title() const {
        float widest = 0;
        for (const Map& map : maps_)
            widest = std::max(widest, rich_width(context_.measure, map.title, pen_.text - 1, Font::bold));
        return widest;
    }

    Layout layout_for(int columns, Rect tile, bool has_bars) const {
        Layout at{.columns = columns, .tile = tile};
        at.label_w =
            std::min(row_labels_width(std::max(widest_label(context_.measure, labels(Side::queries), most_label),
                                               widest_label(context_.measure, labels(Side::keys), most_label))),
                     tile.w * 0.3F);
        if (has_bars && context_.options.color_bars)
            for (const Map& map : maps_) {
                const HeatmapMark heat = heat_of(map);
                at.bar_w = std::max(at.bar_w,
                                    beside_bar_size(context_, heat, bar_numbers(context_, heat), largest_cell).width);
            }
        if (at.bar_w > tile.w * 0.4F || tile.h < pen_.text * 6) at.bar_w = 0;
        const auto fit = [&](float foot) {
            float cell = largest_cell;
            for (const Map& map : maps_) {
                if (!map.has_tokens()) continue;
                cell = std::min(cell, (tile.h - header() - foot) / rows(map));
                if (map.is_cells()) cell = std::min(cell, (tile.w - at.label_w - at.bar_w) / cols(map));
            }
            return cell;
        };
        const LabelSpec below = labels(context_.display.cells->keys_down ? Side::queries : Side::keys);
        at.foot = column_labels_height(context_.measure, below, fit(0), most_label);
        at.cell = fit(at.foot);
        if (at.cell < smallest_labelled || !context_.options.tick_labels) {
            at.label_w = at.foot = 0;
            at.cell = fit(0);
        }
        return at;
    }

    float header() const { return pen_.text * 1.7F; }

    Rect area_of(const Map& map, Rect tile) const {
        const float left = map.has_tokens() ? at_.label_w : 0;
        const float room_w = tile.w - left - at_.bar_w;
        const float room_h = tile.h - header() - at_.foot;
        float cell_h = map.has_tokens() ? at_.cell : std::min({room_h / rows(map), room_w / cols(map), largest_cell});
        float cell_w = std::min(cell_h, room_w / cols(map));
        if (cell_h < 6) {  // too many to be square: as large as the tile
            cell_h = std::min(room_h / rows(map), largest_cell);
            cell_w = std::min(room_w / cols(map), largest_cell);
        }
        return {std::round(tile.x + left), std::round(tile.y + header()), cell_w * cols(map), cell_h * rows(map)};
    }

    // Without a place yet.
    HeatmapMark heat_of(const Map& entry) const {
        HeatmapMark map;
        map.id = entry.id;
        const auto numbers = (*entry.stack)[entry.index];
        map.values = {numbers.data(), numbers.rows(), numbers.cols(), backward_,
                      mix_bits(backward_->version ^ mix_bits(std::hash<std::string_view>()(entry.id) +
                                                             static_cast<std::uint64_t>(entry.index)))};
        if (entry.is_cells()) map.visible = mask_view(context_, shown_head(context_));
        map.transposed = turns(entry);
        const float largest = std::max(largest_magnitude(context_, map.values, map.visible), 1e-12F);
        map.scale = {color_map(context_.display.cells->diverging_map).id, -largest, largest};
        return map;
    }

    void draw_map(const Map& entry, Rect tile) const {
        StagePanel panel;
        panel.id = entry.id;
        panel.heatmap = heat_of(entry);
        HeatmapMark& map = panel.heatmap;
        map.area = area_of(entry, tile);
        const float cell_w = map.area.w / cols(entry);
        const float cell_h = map.area.h / rows(entry);
        map.grid = std::min(cell_w, cell_h) >= 8;
        const NumberLook look = fitting_numbers(context_, panel, cell_w, cell_h);
        map.decimals = look.decimals;
        map.number_size = look.size;
        light(entry, map);
        draw_title(entry, tile, map.area.x, (*entry.stack)[entry.index].cast<double>().norm(), map.scale.high);
        if (at_.bar_w > 0) add_bar_beside(pen_.figure, context_, map, map.area.right());
        if (at_.label_w > 0 && down(entry) != Side::components)
            add_row_labels(pen_.figure, context_.measure, labels(down(entry)), map.area, at_.label_w);
        if (at_.foot > 0 && across(entry) != Side::components)
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

    // A crosshair only under the mouse: of a loss of one query all that is not zero is the pinned row, and it would lie on it.
    void light(const Map& entry, HeatmapMark& map) const {
        if (!entry.is_cells()) return;
        if (context_.display.pinned && context_.options.pins) {
            const Cell pin = pinned_cell(context_);
            map.pinned_row = pin.query;
            map.pinned_col = pin.key;
        }
        if (!context_.hovered || context_.hovered->query < 0 || context_.hovered->key < 0) return;
        map.lit_row = context_.hovered->query;
        map.lit_col = context_.hovered->key;
    }

    // Its name, then its norm and, where there is no bar, its range, as far as there is room.
    void draw_title(const Map& entry, Rect tile, float x, double norm, float largest) const {
        const float y = tile.y + pen_.text * 0.7F;
        const float title_w = rich_width(context_.measure, entry.title, pen_.text - 1, Font::bold);
        if (x + title_w > tile.right()) x = tile.x;  // over the labels too
        pen_.words(entry.title, {x, y}, entry.color, AlignX::left, Font::bold, 1);
        x += title_w + 10;
        const std::string size = std::isfinite(norm) ? "‖·‖ " + compact(norm) : pen_.word("NaN");
        const std::string range = "±" + compact(static_cast<double>(largest));
        const std::string both = at_.bar_w > 0 ? size : size + "  " + range;
        for (const std::string& words : {both, at_.bar_w > 0 ? size : range})
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
    Layout at_;
};

// "12 ×": how many times larger with the one scale than with the other. What is below `rounding` says nothing: then "> 9.9e6 ×", or "–".
std::string ratio_words(double scaled, double unscaled, double rounding) {
    if (!std::isfinite(scaled) || !std::isfinite(unscaled) || scaled < rounding) return "–";
    return unscaled < rounding ? "> " + compact(scaled / rounding) + " ×" : compact(scaled / unscaled) + " ×";
}

// ‖∂L/∂stage‖ of all heads from the output back: dots on a logarithmic axis, where a bar's length would mean nothing, and
// how many times larger one is than the other.
class StageSizes {
public:
    StageSizes(const PanelPen& pen, const Backward& backward)
        : pen_(pen),
          backward_(backward),
          scaled_(backward.is_scaled ? backward.norms : backward.other),
          unscaled_(backward.is_scaled ? backward.other : backward.norms),
          is_typed_(!saturation_setting(pen.context.model).has_scale(backward.is_scaled)) {}

    void draw(Rect room) const {
        pen_.words(pen_.word("Size by stage, all heads"), {room.x, room.y + pen_.text * 0.7F}, pen_.colors.text,
                   AlignX::left, Font::bold, 1);
        pen_.legend(room.right(), room.y + pen_.text * 2.2F,
                    {{name_of(true), pen_.scaled(), "scaled"}, {name_of(false), pen_.unscaled(), "unscaled"}},
                    {"sizes"});
        // In a low window the sizes come first, and what the stages are stays untold.
        std::vector<std::string> notes = note_lines(room.w);
        const float top = pen_.text * 3.2F;
        const float with_identity = pen_.text * 5.6F;  // ticks, and the identity that is checked
        const float stages = pen_.text * 1.5F * n_backward_stages;
        const bool has_identity = room.h - top - with_identity >= stages * 0.8F;
        const float below = has_identity ? with_identity : pen_.text * 2.4F;
        if (room.h - top - below - note_line() * static_cast<float>(notes.size()) < stages) notes.clear();
        const float foot = below + note_line() * static_cast<float>(notes.size());
        const float height = std::min(room.h - top - foot, pen_.text * 3 * n_backward_stages);
        draw_dots({room.x, room.y + top, room.w, std::max(20.0F, height)});
        float y = room.y + top + std::max(20.0F, height) + pen_.text * 2.4F;
        for (const std::string& line : notes) {
            pen_.words(line, {room.x, y}, pen_.colors.dim, AlignX::left, Font::words, 3);
            y += note_line();
        }
        if (!notes.empty()) y += pen_.text * 0.4F;
        if (has_identity) draw_identity({room.x, y});
    }

private:
    float note_line() const { return pen_.text * 1.25F; }

    // A scale that is typed stands in the place of the one it is nearer to, and is called by its number.
    std::string name_of(bool is_scaled) const {
        if (is_typed_ && is_scaled == backward_.is_scaled)
            return scaling_note(pen_.context.model) + pen_.word(" (this scene)");
        return pen_.word(is_scaled ? "with 1/√d_{k}" : "without");
    }

    std::string ratio_note() const {
        if (!is_typed_) return pen_.word("×: how many times larger with 1/√d_{k} than without");
        return fill(pen_.context.word(backward_.is_scaled ? "×: how many times larger with {0} than without"
                                                          : "×: how many times larger with 1/√d_{k} than with {0}"),
                    {scaling_note(pen_.context.model)});
    }

    std::vector<std::string> note_lines(float width) const {
        std::vector<std::string> lines;
        for (const std::string& note :
             {ratio_note(), pen_.word("logits: what the normaliser is given"),
              pen_.word(score_function(pen_.context.model.score).is_dot
                            ? "scores: q·k before the scale, whose factor is in"
                            : "scores: what the score function gives, before the scale, whose factor is in")})
            std::ranges::move(wrapped(pen_.context.measure, note, pen_.text - 3, Font::words, width),
                              std::back_inserter(lines));
        return lines;
    }

    // The differences of numbers as large as ∂L/∂weights are right to a float's rounding.
    std::string ratio(std::size_t stage) const {
        constexpr std::size_t weights = 1;
        const double rounding = 1e-7 * std::max({scaled_[weights], unscaled_[weights], 1e-5});
        return ratio_words(scaled_[stage], unscaled_[stage], rounding);
    }

    // From a power of ten below the smallest to one above the largest.
    Axis axis() const {
        double low = 1, high = 1;
        for (const StageNorms* norms : {&scaled_, &unscaled_})
            for (const double norm : *norms)
                if (std::isfinite(norm) && norm > 1e-12) {
                    low = std::min(low, norm);
                    high = std::max(high, norm);
                }
        return {std::pow(10.0, std::floor(std::log10(low)) - 0.3), std::pow(10.0, std::ceil(std::log10(high)) + 0.35),
                true};
    }

    void draw_dots(Rect room) const {
        const std::string names[] = {pen_.word("∂L/∂output"),
                                     pen_.word("∂L/∂weights"),
                                     pen_.word("∂L/∂logits"),
                                     pen_.word("∂L/∂scores"),
                                     "∂L/∂Q",
                                     "∂L/∂K",
                                     "∂L/∂V"};
        const float slot = room.h / n_backward_stages;
        PlotMark plot;
        plot.id = "sizes";
        plot.text_size = pen_.text - (slot >= pen_.text * 1.2F ? 2 : 4);
        float name_w = 0, ratio_w = 0;
        for (std::size_t stage = 0; stage < n_backward_stages; ++stage) {
            name_w = std::max(name_w, pen_.context.measure.width(names[stage], plot.text_size, Font::words));
            ratio_w = std::max(ratio_w, pen_.context.measure.width(ratio(stage), plot.text_size, Font::mono));
        }
        name_w += 12;
        plot.area = {room.x + name_w, room.y, std::max(20.0F, room.w - name_w - ratio_w - 12), room.h};
        plot.x.shown = axis();
        plot.x.spacing = 44;
        plot.y.shown = {0, static_cast<double>(n_backward_stages)};
        plot.y.policy = TickPolicy::named;
        plot.y.locked = true;
        plot.framed = false;
        Series rows{
            .id = "stages", .kind = SeriesKind::rules, .color = pen_.colors.hairline, .width = 1, .lying = true};
        for (std::size_t stage = 0; stage < n_backward_stages; ++stage) {
            const double middle = static_cast<double>(n_backward_stages - stage) - 0.5;
            rows.y.push_back(middle);
            if (slot < pen_.text - 3) continue;
            plot.y.ticks.push_back({middle, names[stage]});
            pen_.words(ratio(stage), {room.right(), room.bottom() - static_cast<float>(middle) * slot},
                       pen_.colors.text, AlignX::right, Font::mono, pen_.text - plot.text_size);
        }
        plot.series.push_back(std::move(rows));
        for (const bool is_scaled : {false, true}) plot.series.push_back(dots(is_scaled, plot.x.shown));
        pen_.plot(std::move(plot));
    }

    Series dots(bool is_scaled, const Axis& shown) const {
        Series one{.id = is_scaled ? "scaled" : "unscaled",
                   .legend = is_scaled ? "scaled" : "unscaled",
                   .name = name_of(is_scaled),
                   .kind = SeriesKind::points,
                   .color = is_scaled ? pen_.scaled() : pen_.unscaled(),
                   .width = is_scaled ? 4.0F : 5.5F,  // both are seen where they lie on each other
                   .thickness = 1,
                   .lying = true};
        const StageNorms& norms = is_scaled ? scaled_ : unscaled_;
        for (std::size_t stage = 0; stage < n_backward_stages; ++stage) {
            one.y.push_back(static_cast<double>(n_backward_stages - stage) - 0.5);
            one.x.push_back(norms[stage] > shown.low ? norms[stage] : std::numeric_limits<double>::quiet_NaN());
        }
        return one;
    }

    void draw_identity(Point at) const {
        const bool holds = backward_.identity_error < 1e-4;
        pen_.words("∂L/∂V_{j} = Σ_{i} α_{ij} ∂L/∂out_{i}", at, pen_.colors.text, AlignX::left, Font::words, 1);
        at.y += pen_.text * 1.5F;
        const std::string error = std::isfinite(backward_.identity_error) ? compact(backward_.identity_error) : "NaN";
        pen_.words((holds ? "✓ " : "") + fill(pen_.context.word("largest difference {0}"), {error}), at,
                   holds ? pen_.colors.good : pen_.colors.warning, AlignX::left, Font::words, 2);
    }

    const PanelPen& pen_;
    const Backward& backward_;
    const StageNorms& scaled_;
    const StageNorms& unscaled_;
    bool is_typed_;  // the scene's scale is neither of the two
};

// Why the maps from the scores on are empty; nothing where they are not.
std::string no_gradient_words(const PanelPen& pen, const Backward& backward) {
    if (const std::string_view steps = steps_sentence(pen.context.model); !steps.empty()) return pen.word(steps);
    const int head = shown_head(pen.context);
    const auto is_zero = [&](const Stack& of) { return !of.empty() && (of[head].array() == 0).all(); };
    const AttentionGradients& g = backward.gradients;
    return is_zero(g.d_scores) && !is_zero(g.d_weights)
               ? pen.word(
                     "∂L/∂scores is 0: a small change of the scores changes none of the weights that L depends on.")
               : std::string();
}

}  // namespace

std::string_view steps_sentence(const Model& model) {
    if (&normalizer(model.normalizer->id) == &argmax_row())
        return "Argmax makes the weights steps of the scores: no gradient reaches them.";
    if (model.temperature == 0 && (model.scale->soft_cap || at_argmax_limit(model)))
        return "At T = 0 the weights are steps of the scores: no gradient reaches them.";
    return {};
}

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
    const std::string component = shown_number(std::min<Index>(display.component, backward->d_output.cols() - 1));
    const std::string about =
        display.loss == LossKind::component
            ? fill(pen.context.word("L = component {0} of the output of “{1}”"), {component, query})
        : display.loss == LossKind::random
            ? pen.word("∂L/∂output = random numbers, for every query")
            : fill(pen.context.word("L = ½‖output of “{0}” − what “{1}” alone would give‖²"), {query, key});
    pen.words(about, {room.x, room.y + pen.text / 2}, pen.colors.dim, AlignX::left, Font::words, 2, true);
    const std::string why = no_gradient_words(pen, *backward);
    if (!why.empty()) {
        const float line = pen.text * 1.4F;
        room = pen.intro({room.x, room.y + line, room.w, room.h - line}, why);
    }

    const float side_w = std::clamp(room.w * 0.3F, 190.0F, 330.0F);
    const Rect grid{room.x, room.y + pen.text * 1.8F, room.w - side_w - 28, room.h - pen.text * 1.8F};
    MapGrid(pen, backward, grid).draw();
    StageSizes(pen, *backward)
        .draw({room.right() - side_w, room.y + pen.text * 1.8F, side_w, room.h - pen.text * 1.8F});
}

}  // namespace heed
