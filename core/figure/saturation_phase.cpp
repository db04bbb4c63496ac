// The (T, d_k) plane: where softmax is frozen, healthy or uniform.
#include "core/analysis/saturation.h"
#include "core/attention/score_functions.h"
#include "core/display/saturation_display.h"
#include "core/figure/kept.h"
#include "core/figure/saturation_panels.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr int coarse_draws = 60;
constexpr int fine_draws = 1000;
constexpr Index most_scene_rows = 400;
constexpr float frozen_below = 0.2F;  // of H / ln m
constexpr float uniform_above = 0.95F;

struct PhaseKey {
    std::uint64_t seed = 0;
    int keys = 8;
    bool is_scaled = true;
    friend bool operator==(const PhaseKey&, const PhaseKey&) = default;
};
struct ScenePhaseKey {
    std::uint64_t version = 0;  // of the trace
    int head = 0;
    int d_k = 1;
    bool is_scaled = true;
    friend bool operator==(const ScenePhaseKey&, const ScenePhaseKey&) = default;
};

// Raw scores of the shown head; −inf at hidden cells; at most so many rows, evenly chosen.
Matrix scene_scores(const FigureContext& context, int head) {
    const auto scores = context.trace.scores[head];
    const MaskMatrix& visible = context.trace.visible_of(head);
    const Index stride = std::max<Index>(1, scores.rows() / most_scene_rows);
    Matrix kept((scores.rows() + stride - 1) / stride, std::min<Index>(scores.cols(), 2048));
    for (Index i = 0; i < kept.rows(); ++i)
        for (Index j = 0; j < kept.cols(); ++j)
            kept(i, j) = visible(i * stride, j) != 0 ? scores(i * stride, j) : -std::numeric_limits<float>::infinity();
    return kept;
}

std::shared_ptr<const PhaseMap> map_of(const FigureContext& context, bool is_scaled) {
    const SaturationDisplay& display = *context.display.saturation;
    if (!display.own_scores)
        return refined(context, is_scaled ? "phase map, scaled" : "phase map, unscaled",
                       PhaseKey{context.model.seed, display.keys, is_scaled}, [](const PhaseKey& key, bool is_fine) {
                           return draw_phase_map(key.seed, key.keys, key.is_scaled,
                                                 is_fine ? fine_draws : coarse_draws);
                       });
    const int head = shown_head(context);
    const auto scores = std::make_shared<const Matrix>(scene_scores(context, head));
    return refined(context, is_scaled ? "scene's phase map, scaled" : "scene's phase map, unscaled",
                   ScenePhaseKey{context.trace.version, head, context.model.d_k, is_scaled},
                   [scores](const ScenePhaseKey& key, bool is_fine) {
                       return scene_phase_map(
                           is_fine ? *scores : Matrix(scores->topRows(std::min<Index>(scores->rows(), 8))), key.d_k,
                           key.is_scaled);
                   });
}

// Marching squares between the middles of cells: pieces with gaps between them.
Series contour(const Matrix& values, float level, std::string id) {
    Series line{.id = std::move(id), .color = hex(0x1a1f26), .width = 1.5F};
    for (Index i = 0; i + 1 < values.rows(); ++i)
        for (Index j = 0; j + 1 < values.cols(); ++j) {
            const Index rows[] = {i, i, i + 1, i + 1};
            const Index cols[] = {j, j + 1, j + 1, j};
            std::vector<std::pair<double, double>> crossings;  // row, column
            for (std::size_t a = 0; a < 4; ++a) {
                const std::size_t b = (a + 1) % 4;
                const float from = values(rows[a], cols[a]);
                const float to = values(rows[b], cols[b]);
                if ((from < level) == (to < level) || !std::isfinite(from) || !std::isfinite(to)) continue;
                const auto share = static_cast<double>((level - from) / (to - from));
                crossings.emplace_back(static_cast<double>(rows[a]) + share * static_cast<double>(rows[b] - rows[a]),
                                       static_cast<double>(cols[a]) + share * static_cast<double>(cols[b] - cols[a]));
            }
            for (std::size_t c = 0; c + 1 < crossings.size(); c += 2) {
                for (const auto& [row, col] : {crossings[c], crossings[c + 1]}) {
                    line.x.push_back(phase_temperature(col));
                    line.y.push_back(phase_d_k(row));
                }
                line.x.push_back(std::numeric_limits<double>::quiet_NaN());
                line.y.push_back(std::numeric_limits<double>::quiet_NaN());
            }
        }
    return line;
}

// Where the cells that are in view begin and end: those at whose middles `is_in` says so.
template <typename IsIn>
std::pair<Index, Index> cells_in_view(Index count, IsIn&& is_in) {
    Index first = 0;
    while (first < count && !is_in(first)) ++first;
    Index end = first;
    while (end < count && is_in(end)) ++end;
    return {first, end};
}

// Inside the widest run of cells that pass, among the middle rows of what is in view.
template <typename Passes>
void add_region_name(const PanelPen& pen, PlotMark& plot, const Matrix& shown, const ColorScale& scale,
                     const Matrix& entropy, const std::string& name, Passes passes) {
    const PlotPart part = part_in_view(pen.context.display, plot);
    const auto [top, bottom] = cells_in_view(entropy.rows(), [&](Index row) {
        const double d_k = phase_d_k(static_cast<double>(row));
        return d_k >= part.y.low && d_k <= part.y.high;
    });
    const auto [left, right] = cells_in_view(entropy.cols(), [&](Index col) {
        const double temperature = phase_temperature(static_cast<double>(col));
        return temperature >= part.x.low && temperature <= part.x.high;
    });
    Index best_row = -1, best_from = 0, best_length = 0;
    for (Index i = top + (bottom - top) / 4; i < bottom - (bottom - top) / 4; ++i)
        for (Index j = left; j < right;) {
            Index end = j;
            while (end < right && passes(entropy(i, end))) ++end;
            if (end - j > best_length) {
                best_row = i;
                best_from = j;
                best_length = end - j;
            }
            j = std::max(end, j + 1);
        }
    const Frame frame{plot.id, plot.area, part.x, part.y};
    const auto edge = [&](Index col) {
        return frame.place(phase_temperature(static_cast<double>(col) - 0.5), part.y.low).x;
    };
    if (best_row < 0 ||
        edge(best_from + best_length) - edge(best_from) < pen.context.measure.width(name, pen.text - 1, Font::bold) + 8)
        return;
    const Index middle = best_from + best_length / 2;
    const Color ground = color_at(scale, shown(best_row, middle), pen.figure.theme);
    plot.notes.push_back(
        {.text = name,
         .x = phase_temperature(static_cast<double>(best_from) + static_cast<double>(best_length) / 2 - 0.5),
         .y = phase_d_k(static_cast<double>(best_row)),
         .style = {pen.text - 1, Font::bold, luminance(ground) > 0.55F ? hex(0x1a1f26) : hex(0xffffff)}});
}

void add_map(const PanelPen& pen, Rect area, const PhaseMap& map, const SaturationSetting& setting, bool is_scaled) {
    const bool is_gradient = pen.context.display.saturation->phase == PhaseColour::gradient;
    const Matrix& shown = is_gradient ? map.jacobian : map.entropy;
    const ColorScale scale{"viridis", 0, is_gradient ? 0.4F : 1.0F};
    PlotMark plot;
    plot.id = is_scaled ? "phase scaled" : "phase unscaled";
    plot.area = area;
    plot.x.shown = {lowest_temperature, highest_temperature, true};
    plot.x.words = pen.word("temperature T");
    plot.y.shown = {1, largest_drawn_d_k, true};
    plot.y.words = area.h > 200 ? pen.word("width of a head d_{k} (components)") : "d_{k}";
    plot.x.link = "temperature";
    plot.y.link = "d_k";
    plot.y.policy = TickPolicy::powers_of_two;
    plot.y.spacing = 30;
    plot.y.grid = false;  // it would lie under the map
    plot.title = pen.word(is_scaled ? "With 1/√d_{k}" : "Without scaling");
    plot.text_size = pen.text - 2;
    plot.series.push_back({.id = "map",
                           .name = is_gradient ? "‖J‖_{F}" : "H / ln m",
                           .kind = SeriesKind::heat,
                           .heat = view_of(shown, mix_bits(map.version ^ (is_gradient ? 0x9e37U : 0U))),
                           .scale = scale});
    for (Series line : {contour(map.entropy, frozen_below, "frozen"), contour(map.entropy, uniform_above, "uniform")}) {
        Series casing = line;  // seen where the map is dark, the line where it is light
        casing.id += " casing";
        casing.color = hex(0xffffff);
        casing.width = 4;
        plot.series.push_back(std::move(casing));
        plot.series.push_back(std::move(line));
    }
    add_region_name(pen, plot, shown, scale, map.entropy, pen.word("frozen"), [](float h) { return h < frozen_below; });
    add_region_name(pen, plot, shown, scale, map.entropy, pen.word("healthy"),
                    [](float h) { return h >= frozen_below && h <= uniform_above; });
    add_region_name(pen, plot, shown, scale, map.entropy, pen.word("uniform"),
                    [](float h) { return h > uniform_above; });
    plot.points.push_back({.id = {"phase", is_scaled ? "scaled dot" : "unscaled dot"},
                           .x = setting.temperature,
                           .y = setting.d_k,
                           .color = is_scaled ? pen.scaled() : pen.unscaled(),
                           .tooltip = pen.word("Drag to change d_k and the temperature"),
                           .ringed = setting.is_dot && setting.has_scale(is_scaled)});
    pen.plot(std::move(plot));
}

}  // namespace

void add_phase_panel(const PanelPen& pen, Rect room) {
    const SaturationDisplay& display = *pen.context.display.saturation;
    const SaturationSetting setting = saturation_setting(pen.context.model);
    const auto unscaled = map_of(pen.context, false);
    const auto scaled = map_of(pen.context, true);
    const std::string count = thousands(std::min(scaled->draws, unscaled->draws));
    if (scaled->draws == 0) {
        pen.sentence(room, pen.word("No query of this head sees two keys, so there is no entropy to map."),
                     pen.colors.dim);
        return;
    }
    const ScoreFunction& score = score_function(pen.context.model.score);
    const std::string_view own_words =
        score.is_dot ? "From this scene: {0} rows of scores, stretched as √d_{k} would"
                     : "From this scene: {0} rows of scores, stretched as √d_{k} would stretch q·k, which they are not";
    const std::string drawn = display.own_scores ? fill(pen.context.word(own_words), {count})
                                                 : fill(pen.context.word("{0} keys, {1} draws for each place"),
                                                        {std::to_string(display.keys), count});
    room = pen.intro(room, drawn);
    if (const std::string beyond = pen.temperature_beyond(); !beyond.empty()) {
        const float line = pen.text * 1.4F;
        room = pen.intro({room.x, room.y + line, room.w, room.h - line}, beyond);
    }
    const float left = 62;
    const float between = 78;
    const float bar_room = 66;
    const float top = room.y + pen.text * 3.2F;
    // Cells of whole quarter pixels: their edges then meet exactly, whoever adds them up.
    const auto whole_cells = [](float length, int cells) {
        return std::max(0.25F, std::floor(length / static_cast<float>(cells) * 4) / 4) * static_cast<float>(cells);
    };
    const float room_w = (room.w - left - between - bar_room) / 2;
    const float plot_w = whole_cells(room_w, phase_columns);
    const float plot_h = whole_cells(std::min(room.bottom() - top - 64, room_w * 1.05F), phase_rows);
    const Rect first{std::round(room.x + left), std::round(top), plot_w, plot_h};
    const Rect second{first.right() + between, first.y, plot_w, plot_h};
    add_map(pen, first, *scaled, setting, true);
    add_map(pen, second, *unscaled, setting, false);
    const bool is_gradient = display.phase == PhaseColour::gradient;
    const Rect bar{second.right() + 18, top, 12, plot_h};
    const ColorScale scale{"viridis", 0, is_gradient ? 0.4F : 1.0F};
    pen.figure.marks.emplace_back(ColorBarMark{.area = bar, .scale = scale});
    for (const float share : {0.0F, 0.5F, 1.0F})
        pen.words(decimal(static_cast<double>(scale.high * share), 1), {bar.right() + 5, bar.bottom() - bar.h * share},
                  pen.colors.dim, AlignX::left, Font::mono, 3);
    pen.words(is_gradient ? "‖J‖_{F}" : "H / ln m", {bar.x + 30, bar.y - pen.text}, pen.colors.dim, AlignX::right);
    pen.words(
        pen.word(is_gradient ? "Lines: H / ln m = 0.2 and 0.95. ‖J‖_{F} is taken with respect to the scaled score."
                             : "Lines: H / ln m = 0.2 and 0.95."),
        {first.x, first.bottom() + 54}, pen.colors.dim, AlignX::left);
}

}  // namespace heed
