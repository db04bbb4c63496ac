// The grids of Reach: the layers of a stack over its tokens, tinted by what each state does to one token of the output.
#include "core/display/cells_display.h"
#include "core/figure/color_bar.h"
#include "core/figure/cost_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/reach_pages.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/mask_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

// The output on top: row 0 is the stream as the last layer leaves it.
Matrix shares_of(const Matrix& measured) {
    Matrix shares = measured.colwise().reverse();
    for (Index row = 0; row < shares.rows(); ++row) {
        const float most = shares.row(row).maxCoeff();
        if (most > 0 && std::isfinite(most)) shares.row(row) /= most;
    }
    return shares;
}

MaskView reached(const ReachCount& count) {
    auto flipped = std::make_shared<MaskMatrix>(count.cells.colwise().reverse());
    std::uint64_t version = mix_bits(static_cast<std::uint64_t>(flipped->cols()));
    for (const std::uint8_t cell : flipped->reshaped()) version = mix_bits(version ^ cell);
    return {flipped->data(), flipped->rows(), flipped->cols(), flipped, version};
}

LabelSpec token_labels(const PanelPen& pen, const ReachScene& scene) {
    LabelSpec spec;
    spec.style = {pen.text - 3, Font::words, pen.colors.text};
    spec.count = static_cast<int>(scene.n_tokens);
    spec.label_at = [&model = pen.context.model](int token) { return query_label(model, token); };
    return spec;
}

Point place_on(const HeatmapMark& map, int n_layers, const Place& place) {
    return map.cell_rect(n_layers - place.layer, place.token).center();
}

void add_path(const PanelPen& pen, const ReachColumn& column, const HeatmapMark& map) {
    const std::vector<Place>& path = column.counted->path;
    if (path.empty()) return;
    std::vector<Point> points;
    for (const Place& place : path) points.push_back(place_on(map, column.config.n_layers, place));
    pen.figure.marks.emplace_back(LineMark{points, pen.colors.panel, 5});
    pen.figure.marks.emplace_back(LineMark{points, mixer_color(pen, column.mixer), 2.5F});
}

void add_end(const PanelPen& pen, const HeatmapMark& map, Index row, Index token, Color color) {
    Rect cell = map.cell_rect(row, token);
    const float grow = std::max(0.0F, (7 - std::min(cell.w, cell.h)) / 2);
    cell = {cell.x - grow, cell.y - grow, cell.w + 2 * grow, cell.h + 2 * grow};
    pen.figure.marks.emplace_back(BoxMark{.area = cell, .stroke = pen.colors.panel, .stroke_width = 4});
    pen.figure.marks.emplace_back(BoxMark{.area = cell, .stroke = color, .stroke_width = 2});
}

void add_layer_names(const PanelPen& pen, const HeatmapMark& map, Rect left) {
    const Index layers = map.values.rows - 1;
    const float row_h = map.area.h / static_cast<float>(layers + 1);
    const auto step = static_cast<Index>(std::max(1.0F, std::ceil((pen.text - 3) * 1.2F / row_h)));
    for (Index row = 0; row <= layers; ++row) {
        const bool is_end = row == 0 || row == layers;
        if (!is_end && (row % step != 0 || row + step > layers)) continue;
        pen.words(row == 0        ? pen.word("output")
                  : row == layers ? pen.word("input")
                                  : std::to_string(layers - row),
                  {left.right() - 6, map.cell_rect(row, 0).center().y},
                  row == 0        ? pen.colors.output
                  : row == layers ? pen.colors.accent
                                  : pen.colors.dim,
                  AlignX::right, Font::words, 3);
    }
}

// The longest first; nothing where none of them fits.
std::vector<std::string> settings_of(const PanelPen& pen, const ReachColumn& column) {
    const FigureContext& context = pen.context;
    switch (column.mixer) {
        case ReachMixer::attention: {
            const int heads = column.config.attention.n_heads;
            return {fill(context.word(heads == 1 ? "1 head" : "{0} heads"), {std::to_string(heads)})};
        }
        case ReachMixer::convolution: {
            const std::string kernel = std::to_string(column.config.kernel);
            const std::string dilation = std::to_string(column.config.dilation);
            const std::string brief = fill(context.word("kernel {0}"), {kernel});
            const int growth = column.config.dilation_growth;
            if (growth > 1)
                return {fill(context.word("kernel {0}, dilation {1} × {2} a layer"),
                             {kernel, dilation, std::to_string(growth)}),
                        brief};
            return {fill(context.word("kernel {0}, dilation {1}"), {kernel, dilation}), brief};
        }
        case ReachMixer::recurrence:
            break;
    }
    return {pen.word(context.display.reach->recurrence == ReachRecurrence::gated ? "gated" : "tanh")};
}

ColorScale scale_of(const PanelPen& pen) {
    const Display& display = pen.context.display;
    const bool is_log = display.reach->log_scale;
    return {color_map(display.cells->sequential_map).id, is_log ? 1e-6F : 0.0F, 1, is_log};
}

}  // namespace

void add_reach_grid(const PanelPen& pen, const ReachScene& scene, const ReachColumn& column, Rect room, bool is_first) {
    const FigureContext& context = pen.context;
    const float title_y = room.y + pen.text * 0.6F;
    const float names = is_first ? pen.text * 3.4F : 0;
    const std::string title = pen.word(mixer_name(column.mixer));
    // As large as leaves the next one alone.
    float less = 0;
    while (less < 4 && context.measure.width(title, pen.text - less, Font::bold) > room.w - names + 4) ++less;
    pen.words(title, {room.x + names, title_y}, mixer_color(pen, column.mixer), AlignX::left, Font::bold, less);
    const float title_w = context.measure.width(title, pen.text - less, Font::bold) + 8;
    for (const std::string& settings : settings_of(pen, column)) {
        if (context.measure.width(settings, pen.text - 2, Font::words) > room.w - names - title_w) continue;
        pen.words(settings, {room.x + names + title_w, title_y}, pen.colors.dim, AlignX::left, Font::words, 2, true);
        break;
    }
    const float head = pen.text * 1.5F;
    const float width = std::max(1.0F, room.w - names);
    const LabelSpec labels = token_labels(pen, scene);
    const float foot =
        context.options.tick_labels
            ? column_labels_height(context.measure, labels, width / static_cast<float>(scene.n_tokens), pen.text * 3.5F)
            : 0;
    const Rect area{room.x + names, room.y + head, width, std::max(1.0F, room.h - head - foot)};
    if (!column.is_complete()) {
        pen.figure.marks.emplace_back(BoxMark{.area = area, .stroke = pen.colors.hairline});
        return pen.sentence(area, pen.word("Measuring…"), pen.colors.dim);
    }
    HeatmapMark map;
    map.id = mixer_target(column.mixer);
    map.area = area;
    map.values = view_by_content(shares_of(*column.measured));
    map.visible = reached(*column.counted);
    map.scale = scale_of(pen);
    const float cell_h = area.h / static_cast<float>(map.values.rows);
    const float cell_w = area.w / static_cast<float>(map.values.cols);
    map.grid = std::min(cell_w, cell_h) >= 7;
    pen.figure.targets.push_back({.id = map.id,
                                  .kind = TargetKind::cells,
                                  .area = area,
                                  .rows = map.values.rows,
                                  .cols = map.values.cols,
                                  .tooltip = {}});
    pen.figure.marks.emplace_back(map);
    pen.figure.marks.emplace_back(
        BoxMark{.area = {area.x - 1, area.y - 1, area.w + 2, area.h + 2}, .stroke = pen.colors.hairline});
    add_path(pen, column, map);
    add_end(pen, map, 0, scene.output, pen.colors.output);
    add_end(pen, map, map.values.rows - 1, scene.input, pen.colors.accent);
    if (is_first) add_layer_names(pen, map, {room.x, area.y, names, area.h});
    if (context.options.tick_labels)
        add_column_labels(pen.figure, context.measure, labels, area, pen.text * 3.5F, false);
}

float reach_bar_width(const PanelPen& pen) {
    HeatmapMark map;
    map.scale = scale_of(pen);
    return beside_bar_size(pen.context, map, bar_numbers(pen.context, map), 0).width;
}

void add_reach_bar(const PanelPen& pen, const ReachColumn& last) {
    if (const HeatmapMark* const map = pen.figure.find_heatmap(mixer_target(last.mixer)))
        add_bar_beside(pen.figure, pen.context, HeatmapMark(*map), map->area.right());
}

namespace {

std::string never_words(const PanelPen& pen, const ReachScene& scene, const ReachColumn& column) {
    if (column.mixer == ReachMixer::attention) return pen.word("never reached: the mask hides it at every depth");
    if (column.mixer == ReachMixer::recurrence) return pen.word("never reached: it comes later");
    return pen.word(scene.attention.mask->causal && scene.input > scene.output
                        ? "never reached: it comes later, and the mask is causal"
                        : "never reached: no tap lands on it at any depth");
}

constexpr float narrow_words = 8.5F;  // in text sizes: below, what is said of a column takes two lines for one

struct Headline {
    std::string number, words;
    bool is_reached = true;
    std::string brief = {};  // where the words need more than two lines
};

Headline headline(const PanelPen& pen, const ReachScene& scene, const ReachColumn& column) {
    const ReachCount& count = *column.counted;
    const auto token = [&](Index at) { return quoted_token(pen.context.model, at); };
    const std::string depth = std::to_string(column.config.n_layers);
    switch (reach_state(count, *column.measured, scene.input)) {
        case ReachState::reached: {
            const int moves = count_moves(count.path);
            return {std::to_string(moves),
                    fill(pen.context.word(moves == 1 ? "move from {0} to {1}" : "moves from {0} to {1}"),
                         {token(scene.input), token(scene.output)}),
                    true, pen.word(moves == 1 ? "move" : "moves")};
        }
        case ReachState::silent:
            return {"0", pen.word("influence, though a path leads there"), false};
        case ReachState::unclear:
            return {"–", pen.word("the influence is not a finite number"), false};
        case ReachState::deeper:
            return {"–",
                    fill(pen.context.word("not reached at this depth: needs {0} layers, not {1}"),
                         {std::to_string(*count.layers_needed), depth}),
                    false, fill(pen.context.word("needs {0} layers"), {std::to_string(*count.layers_needed)})};
        case ReachState::lost:
            return {"–",
                    fill(pen.context.word("reached after {0} layers, not after {1}: nothing passes it on"),
                         {std::to_string(*count.layers_needed), depth}),
                    false};
        case ReachState::never:
            break;
    }
    return {"–", never_words(pen, scene, column), false};
}

}  // namespace

float reach_words_height(const PanelPen& pen, float width) {
    return pen.text * 2.7F + (pen.text - 2) * 1.45F * (width < pen.text * narrow_words ? 6 : 3);
}

void add_reach_words(const PanelPen& pen, const ReachScene& scene, const ReachColumn& column, Rect room) {
    if (!column.is_complete()) return;
    const FigureContext& context = pen.context;
    const Headline told = headline(pen, scene, column);
    const float beside =
        room.w - rich_width(context.measure, told.number, pen.text * 1.9F, Font::bold) - pen.text * 0.6F;
    const bool is_long =
        wrapped(context.measure, told.words, pen.text - 2, Font::words, std::max(20.0F, beside)).size() > 2;
    add_large(pen, told.number, is_long && !told.brief.empty() ? told.brief : told.words,
              {room.x, room.y + pen.text * 1.2F}, room.w,
              told.is_reached ? mixer_color(pen, column.mixer) : amber(pen));
    const Matrix& measured = *column.measured;
    const float strength = measured(0, scene.input);
    const float most = measured.row(0).maxCoeff();
    // The longest way to say it that has room.
    std::vector<std::string> lines;
    const auto say = [&](std::initializer_list<std::string_view> ways, std::initializer_list<std::string_view> with) {
        std::string line;
        for (const std::string_view words : ways) {
            line = fill(context.word(words), with);
            if (context.measure.width(line, pen.text - 2, Font::words) <= room.w) break;
        }
        // In a narrow column over two lines.
        const std::size_t most_lines = room.w < pen.text * narrow_words ? 2 : 1;
        const auto parts = wrapped(context.measure, line, pen.text - 2, Font::words, room.w);
        if (parts.size() > most_lines)
            lines.push_back(shorten(context.measure, line, pen.text - 2, Font::words, room.w));
        else
            lines.insert(lines.end(), parts.begin(), parts.end());
    };
    if (!measured.allFinite())
        say({"influence not finite"}, {});
    else if (told.is_reached)
        say({"influence {0}: {1} % of the strongest", "{1} % of the strongest", "influence {0}"},
            {compact(static_cast<double>(strength)),
             compact(100 * static_cast<double>(strength) / static_cast<double>(most))});
    else
        say({"influence 0"}, {});
    if (column.counted->steps == 1)
        say({"1 step"}, {});
    else
        say({"this output takes {0} steps one after the other", "{0} steps one after the other", "{0} steps in a row"},
            {std::to_string(column.counted->steps)});
    const ReachWidth width = reach_width_of(*column.counted, measured, scene.output);
    const std::string span = std::to_string(width.span), all = std::to_string(scene.n_tokens);
    if (width.span == 0)
        say({"no token reaches it"}, {});
    else if (!measured.allFinite() || most <= 0)
        say({"spans {0} of {1} tokens", "spans {0} of {1}"}, {span, all});
    else if (room.w < pen.text * narrow_words) {
        say({"spans {0} of {1}", "{0} of {1}"}, {span, all});
        lines.push_back("σ " + decimal(width.effective, 2));
    } else
        say({"spans {0} of {1} tokens, root mean square distance σ {2}", "spans {0} of {1}, RMS distance σ {2}",
             "{0} of {1}, RMS σ {2}"},
            {span, all, decimal(width.effective, 2)});
    float y = room.y + pen.text * 2.7F + (pen.text - 2) * 0.7F;
    for (const std::string& words : lines) {
        pen.words(words, {room.x, y}, pen.colors.dim, AlignX::left, Font::words, 2);
        y += (pen.text - 2) * 1.45F;
    }
}

}  // namespace heed
