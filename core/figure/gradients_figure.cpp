// Gradients: the Jacobian of the pinned row, a loss carried back through attention, and distance in a recurrent net.
#include "core/analysis/backward.h"
#include "core/analysis/recurrence.h"
#include "core/attention/rows.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/display/gradients_display.h"
#include "core/figure/color_bar.h"
#include "core/figure/gradient_maps.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace heed {

namespace {

constexpr std::size_t most_jacobian_keys = 96;
constexpr int most_jacobian_decimals = 6;
constexpr int distance = 200;

std::string number(double value) { return std::isfinite(value) ? compact(value) : "NaN"; }

// One row's Jacobian: as the scene has it, or with the other scale.
struct Jacobian {
    Matrix values;
    double norm = 0;
    Extremes eigenvalues;
    bool is_symmetric = false;
    bool is_scaled = true;
};

Jacobian jacobian_of(const Model& model, const AttentionTrace& trace, int head, int query,
                     const std::vector<int>& keys) {
    Jacobian made;
    made.values = row_jacobian(model, trace, head, query, keys, most_jacobian_keys);
    made.norm = made.values.cast<double>().norm();
    made.is_scaled = is_scaled_by_root(model);
    made.is_symmetric =
        std::isfinite(made.norm) && (made.values - made.values.transpose()).cwiseAbs().maxCoeff() < 1e-6F;
    if (made.is_symmetric) made.eigenvalues = eigenvalue_extremes(made.values);
    return made;
}

// diag(p) − ppᵀ of the pinned row, or what stands for it with another normaliser; beside it the same row with the scale that the
// scene does not have. Both maps have one range.
class JacobianPanel {
public:
    JacobianPanel(const PanelPen& pen, std::vector<int> keys) : pen_(pen), keys_(std::move(keys)) {
        const Model& model = pen.context.model;
        const int head = shown_head(pen.context);
        const int query = pinned_cell(pen.context).query;
        n_visible_ = keys_.size();
        if (is_cut()) bring_heaviest_to_front(pen.context.trace, head, query);
        mine_ = jacobian_of(model, pen.context.trace, head, query, keys_);
        other_ = jacobian_of(with_other_scale(model), pen.context.trace, head, query, keys_);
        other_.is_scaled = !mine_.is_scaled;  // of d_k = 1 both scales are 1
        if (is_cut()) keys_.resize(most_jacobian_keys);
        for (const Jacobian* one : {&mine_, &other_})
            if (std::isfinite(one->norm)) largest_ = std::max(largest_, one->values.cwiseAbs().maxCoeff());
        for (const int key : keys_) labels_.labels.push_back(key_label(model, key));
        labels_.style = {pen.text - 2, Font::words, pen.colors.key};
        labels_.pictures = label_pictures(pen.context, false, labels_.size(),
                                          [this](int i) { return keys_[static_cast<std::size_t>(i)]; });
    }

    void draw(Rect room) {
        const Model& model = pen_.context.model;
        const float label_w = row_labels_width(widest_label(pen_.context.measure, labels_, 90));
        const float numbers_h = pen_.text * 6.4F;
        const auto n = static_cast<float>(keys_.size());
        const float bar_w = colour_bar_width();
        const float map_room = (room.w - gap) / 2 - label_w - bar_w;
        const float top = room.y + pen_.text * 2.6F;
        float cell = std::clamp(std::min(map_room, room.bottom() - top - numbers_h) / n, 0.5F, 60.0F);
        const float foot = column_labels_height(pen_.context.measure, labels_, cell, 70);
        cell = std::clamp(std::min(map_room, room.bottom() - top - numbers_h - foot) / n, 0.5F, 60.0F);
        const std::string query = shorten(pen_.context.measure, query_label(model, pinned_cell(pen_.context).query),
                                          pen_.text - 1, Font::bold, 160);
        const std::string title = is_softmax() ? "J = diag(p) − pp^{T}" : "J = ∂p/∂s";
        pen_.words(title, {room.x + label_w, room.y + pen_.text / 2}, pen_.colors.text, AlignX::left, Font::bold, 0);
        const float title_w = rich_width(pen_.context.measure, title, pen_.text, Font::bold);
        pen_.words(fill(pen_.context.word("for the weights of “{0}”"), {query}),
                   {room.x + label_w + title_w + 10, room.y + pen_.text / 2}, pen_.colors.dim, AlignX::left,
                   Font::words, 2, true);
        const Jacobian* both[] = {mine_.is_scaled ? &mine_ : &other_, mine_.is_scaled ? &other_ : &mine_};
        const float step = std::min((room.w + gap) / 2, label_w + std::max(cell * n + bar_w, pen_.text * 17) + gap);
        numbers_w_ = std::min(pen_.text * 15, step - label_w - gap);
        for (int i = 0; i < 2; ++i)
            draw_one(*both[i], {room.x + label_w + step * static_cast<float>(i), top, cell * n, cell * n}, foot);
        draw_notes({room.x + label_w, top + cell * n + foot + pen_.text * 4});
    }

private:
    static constexpr float gap = 40;

    bool is_cut() const { return n_visible_ > most_jacobian_keys; }

    // The keys that are shown, which stay in the order of the tokens: where the weight is, the Jacobian is.
    void bring_heaviest_to_front(const AttentionTrace& trace, int head, int query) {
        const auto weights = trace.weights[head];
        std::ranges::stable_sort(keys_, std::greater(), [&](int key) { return std::abs(weights(query, key)); });
        std::ranges::sort(keys_.begin(), keys_.begin() + most_jacobian_keys);
    }

    // Where all is 0 there is no range to tell.
    bool has_bars() const { return pen_.context.options.color_bars && largest_ > 0; }

    ColorScale scale() const {
        const float reach = largest_ > 0 ? largest_ : 1;
        return {color_map(pen_.context.display.cells->diverging_map).id, -reach, reach};
    }

    float colour_bar_width() const {
        if (!has_bars()) return 0;
        HeatmapMark map;
        map.scale = scale();
        return beside_bar_size(pen_.context, map, bar_numbers(pen_.context, map), 1).width;
    }

    // Another digit where there is room for it, in smaller type if need be: rows sum to 0, which rounded numbers hide.
    NumberLook more_digits(NumberLook look, const StagePanel& panel, float cell) const {
        if (look.decimals <= 0 || look.decimals >= most_jacobian_decimals) return look;
        const std::string longest = decimal(-static_cast<double>(panel.largest_number), look.decimals + 1);
        for (float size = look.size; size >= pen_.text - 4; --size)
            if (pen_.context.measure.width(longest, size, Font::mono) + size * 0.3F <= cell)
                return {size, look.decimals + 1};
        return look;
    }

    bool is_softmax() const { return normalizer(pen_.context.model.normalizer->id).is_softmax; }

    void draw_one(const Jacobian& one, Rect area, float foot) {
        const bool is_mine = &one == &mine_;
        const Color color = one.is_scaled ? pen_.scaled() : pen_.unscaled();
        const bool is_typed = is_mine && !saturation_setting(pen_.context.model).has_scale(one.is_scaled);
        const std::string name =
            (is_typed ? scaling_note(pen_.context.model) : pen_.word(one.is_scaled ? "with 1/√d_{k}" : "without")) +
            (is_mine ? pen_.word(" (this scene)") : "");
        pen_.words(name, {area.x, area.y - pen_.text * 0.8F}, color, AlignX::left, Font::bold, 2);
        const float cell = area.w / static_cast<float>(keys_.size());
        StagePanel panel;
        panel.id = is_mine ? "jacobian" : "jacobian, other scale";
        HeatmapMark& map = panel.heatmap;
        map.id = panel.id;
        map.area = area;
        map.values = view_by_content(one.values);
        map.scale = scale();
        map.grid = cell >= 8;
        // The colours are shared, the digits are each map's own: beside large numbers small ones would all read 0.
        panel.largest_number = std::isfinite(one.norm) ? one.values.cwiseAbs().maxCoeff() : 0;
        const NumberLook look = more_digits(fitting_numbers(pen_.context, panel, cell, cell), panel, cell);
        map.decimals = look.decimals;
        map.number_size = look.size;
        const auto n = static_cast<Index>(keys_.size());
        pen_.figure.targets.push_back(
            {.id = map.id, .kind = TargetKind::cells, .area = area, .rows = n, .cols = n, .tooltip = {}});
        if (has_bars()) add_bar_beside(pen_.figure, pen_.context, map, area.right());
        pen_.figure.marks.emplace_back(std::move(map));
        add_row_labels(pen_.figure, pen_.context.measure, labels_, area, 90);
        add_column_labels(pen_.figure, pen_.context.measure, labels_, area, 70, false);
        draw_numbers(one, {area.x, area.bottom() + foot + pen_.text});
    }

    void draw_numbers(const Jacobian& one, Point at) {
        const auto line = [&](std::string name, std::string value) {
            pen_.words(std::move(name), at, pen_.colors.dim, AlignX::left, Font::words, 1);
            pen_.words(std::move(value), {at.x + numbers_w_, at.y}, pen_.colors.text, AlignX::right, Font::mono, 1);
            at.y += pen_.text * 1.5F;
        };
        line(is_cut() ? pen_.word("‖J‖_{F} of the part shown") : "‖J‖_{F}", number(one.norm));
        if (one.is_symmetric) line(pen_.word("largest eigenvalue"), number(one.eigenvalues.largest));
    }

    void draw_notes(Point at) {
        const auto put = [&](std::string words) {
            pen_.words(std::move(words), at, pen_.colors.dim, AlignX::left, Font::words, 3);
            at.y += pen_.text * 1.3F;
        };
        const auto note = [&](std::string_view words) { put(pen_.word(words)); };
        if (is_softmax() && mine_.is_symmetric)
            note(is_cut()
                     ? "Over all keys rows sum to 0 (before rounding): a number added to every logit changes nothing."
                     : "Rows sum to 0 (before rounding): a number added to every logit changes nothing.");
        if (const std::string_view steps = steps_sentence(pen_.context.model); !steps.empty())
            note(steps);
        else if (mine_.norm == 0)
            note(n_visible_ == 1 ? "J is 0: the only key has all the weight, whatever its score."
                 : is_softmax()  ? "J is 0 as far as 32-bit numbers know: one key has all the weight."
                                 : "J is 0: a small change of the scores changes none of these weights.");
        if (is_cut())
            put(fill(pen_.context.word("Shown are the {0} keys of {1} with the largest weights."),
                     {std::to_string(keys_.size()), std::to_string(n_visible_)}));
    }

    const PanelPen& pen_;
    std::vector<int> keys_;
    LabelSpec labels_;
    Jacobian mine_, other_;
    float largest_ = 0;
    float numbers_w_ = 0;  // of the numbers below a map, with their names
    std::size_t n_visible_ = 0;
};

void add_jacobian(const PanelPen& pen, Rect room) {
    const int head = shown_head(pen.context);
    const int query = pinned_cell(pen.context).query;
    const MaskMatrix& visible = pen.context.trace.visible_of(head);
    std::vector<int> keys;
    for (Index j = 0; j < visible.cols(); ++j)
        if (visible(query, j) != 0) keys.push_back(static_cast<int>(j));
    if (keys.empty())
        pen.sentence(room, pen.word("The pinned query sees no key, so there is nothing to normalise."), pen.colors.dim);
    else
        JacobianPanel(pen, std::move(keys)).draw(room);
}

struct BackwardKey {
    std::uint64_t version = 0;
    Cell pin;
    GradientsDisplay display;
    friend bool operator==(const BackwardKey&, const BackwardKey&) = default;
};

std::shared_ptr<const Backward> backward_of(const FigureContext& context) {
    constexpr double quick = 2e6;  // multiplications: far below a frame
    const Model& model = context.model;
    const double work = static_cast<double>(context.trace.weights.rows()) *
                        static_cast<double>(context.trace.weights.cols()) * model.n_heads * (model.d_k + model.d_v);
    BackwardKey key{context.trace.version, pinned_cell(context), *context.display.gradients};
    key.display.panel = GradientsPanel::backward;
    key.display.radius = 0;
    key.display.tanh = false;
    return refined(context, "backward", key,
                   [model = context.model, trace = &context.trace, owner = context.trace_owner,
                    is_quick = work < quick](const BackwardKey& of, bool is_fine) {
                       const Loss loss{of.display.loss, of.display.component};
                       return is_fine || is_quick ? run_backward(model, *trace, loss, of.pin) : Backward{};
                   });
}

// Heads side by side are the output where nothing mixes them: then a component is one head's, and the others have no part in it.
std::string whose_component(const FigureContext& context) {
    const Model& model = context.model;
    const GradientsDisplay& display = *context.display.gradients;
    if (display.loss != LossKind::component || model.output_projection) return {};
    const int component = std::clamp(display.component, 0, model.n_heads * model.d_v - 1);
    const int owner = component / model.d_v;
    const int head = shown_head(context);
    if (owner == head) return {};
    const bool is_shared = kv_head_of(model, owner) == kv_head_of(model, head);
    return fill(
        context.word(is_shared ? "Component {0} is head {1}’s: head {2} only shares its keys and values."
                               : "Component {0} is head {1}’s: head {2} has no part in it, and its gradients are 0."),
        {shown_number(component), shown_number(owner), shown_number(head)});
}

struct DistanceKey {
    std::uint64_t seed = 0;
    int d_k = 1;
    double factor = 1;  // on q·k
    double radius = 1;
    bool is_tanh = false;
    friend bool operator==(const DistanceKey&, const DistanceKey&) = default;
};
struct DistanceCurves {
    std::vector<double> recurrent, attention;
};

std::shared_ptr<const DistanceCurves> distance_curves(const FigureContext& context, const DistanceKey& of) {
    return kept(context, "distance", of, [&] {
        return DistanceCurves{
            recurrent_gradient({.seed = of.seed, .width = 32, .radius = of.radius, .is_tanh = of.is_tanh}, distance),
            attention_gradient(of.seed, of.d_k, of.factor, distance)};
    });
}

// Whole fives of decades around both curves, so that the axis rests while the radius is dragged a little.
Axis axis_of(const DistanceCurves& curves) {
    constexpr double least_weight =
        1e-40;  // of attention: at a low temperature nearly all of its curve is below anything
    double low = 1, high = 1;
    const auto hold = [&](double value) {
        if (!std::isfinite(value) || value <= 0) return;
        low = std::min(low, value);
        high = std::max(high, value);
    };
    for (const double value : curves.recurrent) hold(value);
    for (const double value : curves.attention)
        if (value >= least_weight) hold(value);
    const auto decades = [](double exponent) { return std::pow(10.0, 5 * exponent); };
    return {decades(std::min(-1.0, std::floor(std::log10(low) / 5))),
            high > 1 ? decades(std::ceil(std::log10(high) / 5)) : 10.0, true};
}

void add_recurrence(const PanelPen& pen, Rect room) {
    const GradientsDisplay& display = *pen.context.display.gradients;
    const Model& model = pen.context.model;
    const auto radius = static_cast<double>(display.radius);
    const int d_k = std::min(model.d_k, 512);
    // The scene's own scale and temperature where its score is a dot product; the usual one for other scores.
    const bool is_dot = score_function(model.score).is_dot;
    const bool by_root = !is_dot || is_scaled_by_root(model);
    const double scale = by_root ? 1 / std::sqrt(d_k) : static_cast<double>(score_scale(model));
    const double coldest = 1e-6;  // T = 0 is its limit
    const double factor = is_dot ? scale / std::max(static_cast<double>(model.temperature), coldest) : scale;
    const auto curves = distance_curves(pen.context, {model.seed, d_k, factor, radius, display.tanh});
    const auto& [recurrent, attention] = *curves;
    room = pen.intro(room, pen.word("How much of a gradient reaches a token at distance t: t steps of a recurrent net, "
                                    "or one step of attention from a random query to 201 random keys (q and k "
                                    "from N(0, 1), none of this scene's)"));
    const float track_h = pen.text * 3;
    const float top = room.y + pen.text * 3.4F;
    PlotMark plot;
    plot.id = "recurrence";
    plot.area = {room.x + 66, top, std::max(60.0F, room.w - 78),
                 std::max(40.0F, room.bottom() - top - track_h - pen.text * 4)};
    const Rect area = plot.area;
    plot.x.shown = {0, distance};
    plot.y.shown = axis_of(*curves);
    plot.x.words = pen.word("distance t (tokens)");
    plot.y.words = pen.word("gradient ÷ that at the output");
    plot.text_size = pen.text - 2;
    const std::string recurrent_words =
        fill(pen.context.word(display.tanh ? "recurrent, tanh, radius {0}" : "recurrent, linear, radius {0}"),
             {decimal(radius, 2)});
    const std::string attention_words =
        fill(pen.context.word("attention, q·k {0}"), {is_dot ? scaling_note(model) : "÷ √" + std::to_string(d_k)});
    plot.series.push_back(
        {.id = "one", .kind = SeriesKind::rules, .y = {1}, .color = pen.colors.faint, .width = 1, .lying = true});
    const auto curve = [&](const char* id, std::string name, const std::vector<double>& values, Color color) {
        Series line{.id = id, .legend = id, .name = std::move(name), .color = color};
        for (std::size_t t = 0; t < values.size(); ++t) {
            line.x.push_back(static_cast<double>(t));
            line.y.push_back(values[t]);
        }
        plot.series.push_back(std::move(line));
    };
    curve("attention", attention_words, attention, pen.scaled());
    curve("recurrent", recurrent_words, recurrent, pen.unscaled());
    pen.legend(area.right(), room.y + pen.text * 2.0F,
               {{recurrent_words, pen.unscaled(), "recurrent"}, {attention_words, pen.scaled(), "attention"}},
               {"recurrence"});
    pen.plot(std::move(plot));
    const double last = recurrent.back();
    const std::string_view verdict = last < 1e-3 ? "vanishes" : last > 1e3 ? "explodes" : "survives";
    pen.words(fill(pen.context.word("at distance 200: recurrent {0} ({1}), attention {2}"),
                   {number(last), pen.context.word(verdict), number(attention.back())}),
              {area.x, area.bottom() + pen.text * 3.5F}, pen.colors.text, AlignX::left, Font::words, 1);
    const Limits limits = limits_of(display, display.radius);
    pen.track("radius", {area.x, room.bottom() - track_h, area.w, track_h * 0.6F}, {limits.low, limits.high, false},
              static_cast<double>(display.radius), pen.word("radius"), false);
}

}  // namespace

Figure gradients_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const PanelPen pen{figure, context};
    Rect room = pen.frame_page();
    switch (context.display.gradients->panel) {
        case GradientsPanel::jacobian:
            add_jacobian(pen, room);
            break;
        case GradientsPanel::backward: {
            const std::string whose = whose_component(context);
            if (!whose.empty()) {
                room = pen.intro(room, whose);
                room = {room.x, room.y + pen.text * 1.6F, room.w, room.h - pen.text * 1.6F};
            }
            add_gradient_maps(pen, room, backward_of(context));
            break;
        }
        case GradientsPanel::recurrence:
            add_recurrence(pen, room);
            break;
    }
    return figure;
}

}  // namespace heed
