#include "core/figure/gradients_figure.h"

#include "core/analysis/backward.h"
#include "core/analysis/recurrence.h"
#include "core/analysis/refine.h"
#include "core/attention/rows.h"
#include "core/figure/gradient_maps.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float padding = 20;
constexpr std::size_t most_jacobian_keys = 96;
constexpr int distance = 200;

std::string number(double value) { return std::isfinite(value) ? compact(value) : "NaN"; }

// diag(p) − ppᵀ of the pinned row, or what stands for it with another normaliser.
void add_jacobian(const PanelPen& pen, Rect room) {
    const Model& model = pen.context.scene.model;
    const int head = shown_head(pen.context.scene);
    const int query = pinned_cell(pen.context.scene).query;
    const MaskMatrix& visible = pen.context.trace.visible_of(head);
    std::vector<int> keys;
    for (Index j = 0; j < visible.cols(); ++j)
        if (visible(query, j) != 0) keys.push_back(static_cast<int>(j));
    if (keys.empty()) {
        pen.sentence(room, pen.word("The pinned query sees no key, so there is nothing to normalise."), pen.colors.dim);
        return;
    }
    const bool is_cut = keys.size() > most_jacobian_keys;
    const bool is_softmax = model.normalizer == "softmax" || model.normalizer == "naive-softmax";
    Matrix jacobian = row_jacobian(model, pen.context.trace, head, query, keys, most_jacobian_keys);
    if (is_cut) keys.resize(most_jacobian_keys);
    std::vector<std::string> labels;
    for (const int key : keys) labels.push_back(key_label(model, key));

    const float side_w = std::clamp(room.w * 0.3F, 190.0F, 330.0F);
    const LabelSpec spec{labels, {pen.text - 2, Font::words, pen.colors.key}, -1, -1};
    const float label_w = row_labels_width(widest_label(pen.context.measure, spec, 90));
    const float top = room.y + pen.text * 1.8F;
    const float most_h = room.bottom() - top - 70;
    const auto n = static_cast<float>(keys.size());
    const float cell = std::clamp(std::min((room.w - side_w - label_w - 24) / n, most_h / n), 0.5F, 52.0F);
    const Rect area{room.x + label_w, top, cell * n, cell * n};
    const std::string title = is_softmax ? "J = diag(p) − pp^{T}" : "J = ∂p/∂s";
    pen.words(title, {area.x, room.y + pen.text / 2}, pen.colors.text, AlignX::left, Font::bold, 0);
    const double norm = jacobian.cast<double>().norm();
    const bool is_symmetric = std::isfinite(norm) && (jacobian - jacobian.transpose()).cwiseAbs().maxCoeff() < 1e-6F;
    const Extremes extremes = is_symmetric ? eigenvalue_extremes(jacobian) : Extremes{};
    const float largest = std::isfinite(norm) ? std::max(jacobian.cwiseAbs().maxCoeff(), 1e-6F) : 1.0F;
    HeatmapMark map;
    map.id = "jacobian";
    map.area = area;
    map.values = view_by_content(std::move(jacobian));
    map.scale = {color_map(pen.context.scene.display.diverging_map).id, -largest, largest};
    map.grid = cell >= 8;
    map.decimals = cell >= 34 && pen.context.options.numbers && pen.context.scene.display.numbers ? 2 : -1;
    map.number_size = pen.text - 3;
    pen.figure.marks.emplace_back(std::move(map));
    pen.figure.targets.push_back({.id = "jacobian", .kind = TargetKind::cells, .area = area, .rows = static_cast<Index>(keys.size()), .cols = static_cast<Index>(keys.size()), .tooltip = {}});
    add_row_labels(pen.figure, pen.context.measure, spec, area, 90);
    add_column_labels(pen.figure, pen.context.measure, spec, area, 70, false);

    const float x = area.right() + 32;
    float y = area.y + pen.text;
    const auto line = [&](std::string name, std::string value) {
        pen.words(std::move(name), {x, y}, pen.colors.dim, AlignX::left, Font::words, 1);
        pen.words(std::move(value), {x + side_w - 40, y}, pen.colors.text, AlignX::right, Font::mono, 1);
        y += pen.text * 1.7F;
    };
    line(is_cut ? pen.word("‖J‖_{F} of the part shown") : "‖J‖_{F}", number(norm));
    if (is_symmetric) {
        line(pen.word("largest eigenvalue"), number(extremes.largest));
        line(pen.word("smallest eigenvalue"), number(std::abs(extremes.smallest) < 1e-7 ? 0 : extremes.smallest));
    }
    const auto note = [&](std::string_view words) {
        pen.words(pen.word(words), {x, y}, pen.colors.dim, AlignX::left, Font::words, 2);
        y += pen.text * 1.4F;
    };
    if (is_softmax && is_symmetric) {
        note("Rows sum to 0: one number added to");
        note("every score changes no weight.");
    }
    if (at_argmax_limit(model)) note("At T = 0 the weights are flat: no gradient.");
    if (is_cut) note("The first 96 keys are shown.");
}

struct BackwardKey {
    std::uint64_t version = 0;
    Cell pin;
    GradientsDisplay display;
    friend bool operator==(const BackwardKey&, const BackwardKey&) = default;
};

std::shared_ptr<const Backward> backward_of(const FigureContext& context) {
    static Refined<BackwardKey, Backward, 3> results;  // each may be as large as the trace
    constexpr double quick = 2e6;  // multiplications: far below a frame
    const Model& model = context.scene.model;
    const double work = static_cast<double>(context.trace.weights.rows()) * static_cast<double>(context.trace.weights.cols()) * model.n_heads * (model.d_k + model.d_v);
    BackwardKey key{context.trace.version, pinned_cell(context.scene), context.scene.display.gradients};
    key.display.panel = GradientsPanel::backward;
    key.display.radius = 0;
    key.display.tanh = false;
    return results.get(key, context.on_paper, [scene = context.scene, trace = &context.trace, owner = context.trace_owner, is_quick = work < quick](const BackwardKey& of, bool is_fine) {
        return is_fine || is_quick ? run_backward(scene, *trace, of.pin) : Backward{};
    });
}

struct DistanceKey {
    std::uint64_t seed = 0;
    int d_k = 1;
    double radius = 1;
    bool is_tanh = false;
    friend bool operator==(const DistanceKey&, const DistanceKey&) = default;
};
struct DistanceCurves {
    std::vector<double> recurrent, attention;
};

std::shared_ptr<const DistanceCurves> distance_curves(const DistanceKey& key) {
    static Refined<DistanceKey, DistanceCurves> curves;
    return curves.now(key, [](const DistanceKey& of) {
        return DistanceCurves{recurrent_gradient({.seed = of.seed, .width = 32, .radius = of.radius, .is_tanh = of.is_tanh}, distance), attention_gradient(of.seed, of.d_k, distance)};
    });
}

void add_recurrence(const PanelPen& pen, Rect room) {
    const GradientsDisplay& display = pen.context.scene.display.gradients;
    const Model& model = pen.context.scene.model;
    const auto radius = static_cast<double>(display.radius);
    const auto curves = distance_curves({model.seed, std::min(model.d_k, 512), radius, display.tanh});
    const auto& [recurrent, attention] = *curves;
    pen.words(pen.word("How much of a gradient reaches a token at distance t: t steps of a recurrent net, or one step of attention over 201 keys"), {room.x, room.y + pen.text / 2}, pen.colors.dim);
    const float track_h = pen.text * 3;
    const float top = room.y + pen.text * 3.4F;
    PlotSpec spec;
    spec.id = "recurrence";
    spec.area = {room.x + 66, top, std::max(60.0F, room.w - 78), std::max(40.0F, room.bottom() - top - track_h - pen.text * 4)};
    spec.x = {0, distance};
    spec.y = {1e-10, 1e10, true};
    spec.x_words = pen.word("distance t (tokens)");
    spec.y_words = pen.word("gradient, relative");
    spec.text_size = pen.text - 2;
    const Frame frame = add_plot(pen.figure, pen.context.measure, pen.colors, spec);
    pen.legend(spec.area.right(), room.y + pen.text * 2.0F,
               {{fill(pen.context.word(display.tanh ? "recurrent, tanh, radius {0}" : "recurrent, linear, radius {0}"), {decimal(radius, 2)}), pen.unscaled()}, {pen.word("attention"), pen.scaled()}});
    pen.figure.marks.emplace_back(ClipMark{spec.area, true});
    const float one = frame.place(0, 1).y;
    pen.figure.marks.emplace_back(LineMark{{{spec.area.x, one}, {spec.area.right(), one}}, pen.colors.faint, 1});
    const auto curve = [&](const std::vector<double>& values, Color color) {
        LineMark line{{}, color, 2};
        for (std::size_t t = 0; t < values.size(); ++t) line.points.push_back(frame.place(static_cast<double>(t), std::clamp(values[t], 1e-14, 1e14)));
        pen.figure.marks.emplace_back(std::move(line));
    };
    curve(attention, pen.scaled());
    curve(recurrent, pen.unscaled());
    pen.figure.marks.emplace_back(ClipMark{spec.area, false});
    const double last = recurrent.back();
    const std::string_view verdict = last < 1e-3 ? "vanishes" : last > 1e3 ? "explodes" : "survives";
    pen.words(fill(pen.context.word("at distance 200: recurrent {0} ({1}), attention {2}"), {number(last), pen.context.word(verdict), number(attention.back())}),
              {spec.area.x + 12, spec.area.bottom() - pen.text}, pen.colors.text, AlignX::left, Font::words, 1);
    pen.track("radius", {spec.area.x, room.bottom() - track_h, spec.area.w, track_h * 0.6F}, {0.5, 1.5, false}, static_cast<double>(display.radius), pen.word("radius"), false);
}

}  // namespace

Figure gradients_figure(const FigureContext& context) {
    Figure figure{.width = context.width, .height = context.height, .theme = context.theme, .marks = {}, .targets = {}, .frames = {}};
    const PanelPen pen{figure, context};
    float top = padding;
    float bottom = context.height - padding;
    if (context.options.title) {
        pen.words(scene_title(context.scene, context.language), {padding, top + pen.text / 2}, pen.colors.text, AlignX::left, Font::bold, -1, true);
        top += pen.text * 2;
    }
    if (context.options.caption) {
        pen.words(settings_caption(context), {padding, bottom - pen.text / 2}, pen.colors.dim, AlignX::left, Font::words, 3);
        bottom -= pen.text * 1.6F;
    }
    const Rect room{padding, top, std::max(60.0F, context.width - 2 * padding), std::max(60.0F, bottom - top)};
    switch (context.scene.display.gradients.panel) {
        case GradientsPanel::jacobian: add_jacobian(pen, room); break;
        case GradientsPanel::backward: add_gradient_maps(pen, room, backward_of(context)); break;
        case GradientsPanel::recurrence: add_recurrence(pen, room); break;
    }
    return figure;
}

}  // namespace heed
