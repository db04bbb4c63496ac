// The pinned row: its softmax from T = 0.01 to 100, its logits as dots that can be dragged, and other normalisers on it.
#include "core/analysis/saturation.h"
#include "core/attention/normalizers.h"
#include "core/attention/rows.h"
#include "core/figure/rich_text.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr int most_points = 121;
constexpr int least_points = 25;
constexpr std::size_t most_softmax_terms = 400000;  // of one picture
constexpr std::size_t most_keys_apart = 24;         // beyond that the weakest share one area
constexpr std::size_t most_logit_dots = 32;

// The visible keys of the pinned row and its logits at any temperature.
class PinnedRow {
public:
    explicit PinnedRow(const FigureContext& context)
        : model_(context.model), head_(shown_head(context)), query_(pinned_cell(context).query) {
        const auto scores = context.trace.scores[head_];
        const MaskMatrix& visible = context.trace.visible_of(head_);
        for (Index j = 0; j < scores.cols(); ++j) {
            scores_.push_back(static_cast<double>(scores(query_, j)));
            if (visible(query_, j) != 0) keys.push_back(static_cast<std::size_t>(j));
        }
        logits_.resize(scores_.size());
    }

    // Of the visible keys.
    std::vector<double> logits(double temperature) {
        model_.temperature = static_cast<float>(temperature);
        row_logits(model_, head_, query_, scores_, logits_);
        std::vector<double> seen;
        for (const std::size_t key : keys) seen.push_back(logits_[key]);
        return seen;
    }
    bool is_finite() {
        return std::ranges::all_of(logits(1), [](double logit) { return std::isfinite(logit); });
    }

    std::vector<std::size_t> keys;

private:
    Model model_;
    int head_;
    int query_;
    std::vector<double> scores_;
    std::vector<double> logits_;
};

std::vector<double> normalized(std::string_view id, const std::vector<double>& logits) {
    const std::vector<std::uint8_t> visible(logits.size(), 1);
    std::vector<double> weights(logits.size());
    normalizer(id).weights(logits, visible, weights);
    return weights;
}

Color area_color(const PanelPen& pen, std::size_t place, bool is_pinned) {
    if (is_pinned) return pen.colors.key;
    return mix(pen.colors.key, pen.colors.panel, place % 2 == 0 ? 0.62F : 0.78F);
}

void add_areas(const PanelPen& pen, Rect area, PinnedRow& row) {
    const Model& model = pen.context.model;
    const Cell pin = pinned_cell(pen.context);
    const SaturationSetting setting = saturation_setting(pen.context.model);
    PlotSpec spec;
    spec.id = "temperature";
    spec.area = area;
    spec.x = {lowest_temperature, highest_temperature, true};
    spec.y = {0, 1};
    spec.x_words = pen.word("temperature T");
    spec.title = fill(pen.context.word("Softmax of the pinned query “{0}”"),
                      {shorten(pen.context.measure, query_label(model, pin.query), pen.text, Font::bold, 160)});
    spec.text_size = pen.text - 2;
    const Frame frame = add_plot(pen.figure, pen.context.measure, pen.colors, spec);

    const std::size_t shown = std::min(row.keys.size(), most_keys_apart);
    std::vector<BandMark> bands(shown);
    std::vector<double> last;
    const int points = std::clamp(static_cast<int>(most_softmax_terms / row.keys.size()), least_points, most_points);
    for (int t = 0; t < points; ++t) {
        const double temperature = lowest_temperature * std::pow(highest_temperature / lowest_temperature,
                                                                 static_cast<double>(t) / (points - 1));
        const std::vector<double> weights = normalized("softmax", row.logits(temperature));
        double below = 0;
        for (std::size_t j = 0; j < shown; ++j) {
            const double above = j + 1 == shown ? 1.0 : below + weights[j];
            bands[j].lower.push_back(frame.place(temperature, below));
            bands[j].upper.push_back(frame.place(temperature, above));
            below = above;
        }
        last = weights;
    }
    // Towards T = 0: all on the largest, ties share.
    const std::vector<double> limit = normalized("argmax", row.logits(1));
    const Rect strip{area.x - 54, area.y, 14, area.h};
    double below = 0;
    double below_last = 0;
    for (std::size_t j = 0; j < shown; ++j) {
        const bool is_pinned = static_cast<int>(row.keys[j]) == pin.key;
        bands[j].color = area_color(pen, j, is_pinned);
        const LineMark edge{bands[j].upper, pen.colors.panel, 1};
        pen.figure.marks.emplace_back(std::move(bands[j]));
        if (j + 1 < shown) pen.figure.marks.emplace_back(edge);
        const double above = j + 1 == shown ? 1.0 : below + limit[j];
        if (above > below)
            pen.figure.marks.emplace_back(
                BoxMark{.area = {strip.x, strip.bottom() - static_cast<float>(above) * strip.h, strip.w,
                                 static_cast<float>(above - below) * strip.h},
                        .fill = area_color(pen, j, is_pinned)});
        const double above_last = j + 1 == shown ? 1.0 : below_last + last[j];
        if (static_cast<float>(above_last - below_last) * area.h >= pen.text - 2) {
            const std::string name = j + 1 == shown && shown < row.keys.size()
                                         ? pen.word("other keys")
                                         : key_label(model, static_cast<int>(row.keys[j]));
            pen.words(shorten(pen.context.measure, name, pen.text - 2, Font::bold, 84),
                      {area.right() + 8, area.bottom() - static_cast<float>(above_last + below_last) / 2 * area.h},
                      is_pinned ? pen.colors.key : pen.colors.dim, AlignX::left, is_pinned ? Font::bold : Font::words,
                      2, true);
        }
        below = above;
        below_last = above_last;
    }
    pen.figure.marks.emplace_back(BoxMark{.area = strip, .stroke = pen.colors.hairline});
    pen.figure.marks.emplace_back(TextMark{pen.word("weights p, stacked"),
                                           {strip.x - 8, area.center().y},
                                           {pen.text - 2, Font::words, pen.colors.dim},
                                           AlignX::center,
                                           AlignY::bottom,
                                           90});
    pen.words("T→0", {strip.center().x, strip.bottom() + 4}, pen.colors.dim, AlignX::center, Font::words, 3, false,
              AlignY::top);
    const float x = frame.place(setting.temperature, 0).x;
    pen.figure.marks.emplace_back(LineMark{{{x, area.y}, {x, area.bottom()}}, pen.colors.text, 1.5F});
    pen.handle("temperature", {x, area.y}, pen.colors.accent, pen.word("Drag to change the temperature"));
}

// Bars from zero; the dot at a bar's end is dragged. A power of two that holds them all, so that the axis rests while dragging.
void add_logits(const PanelPen& pen, Rect area, PinnedRow& row) {
    const Model& model = pen.context.model;
    const std::vector<double> logits = row.logits(model.temperature > 0 ? static_cast<double>(model.temperature) : 1.0);
    double reach = 4;
    for (const double logit : logits)
        while (reach < std::abs(logit)) reach *= 2;
    PlotSpec spec;
    spec.id = "logits";
    spec.area = area;
    spec.x = {0, 0};
    spec.y = {-reach, reach};
    spec.y_words = pen.word("logit");
    spec.title = pen.word(area.w > 240 ? "Logits: drag a dot, a bias follows" : "Logits");
    spec.text_size = pen.text - 2;
    Frame frame = add_plot(pen.figure, pen.context.measure, pen.colors, spec);
    frame.x = {0, static_cast<double>(logits.size())};
    pen.figure.frames.back() = frame;
    const float slot = area.w / static_cast<float>(logits.size());
    const Cell pin = pinned_cell(pen.context);
    const float zero = frame.place(0, 0).y;
    for (std::size_t j = 0; j < logits.size() && j < 400; ++j) {
        const bool is_pinned = static_cast<int>(row.keys[j]) == pin.key;
        const Point at = frame.place(static_cast<double>(j) + 0.5, logits[j]);
        pen.figure.marks.emplace_back(
            BoxMark{.area = {at.x - slot * 0.3F, std::min(zero, at.y), slot * 0.6F, std::abs(at.y - zero)},
                    .fill = area_color(pen, 0, is_pinned)});
        if (logits.size() <= most_logit_dots)
            pen.handle("logit " + std::to_string(row.keys[j]), at, pen.colors.key, {});
    }
    pen.figure.marks.emplace_back(LineMark{{{area.x, zero}, {area.right(), zero}}, pen.colors.faint});
}

void add_normalizers(const PanelPen& pen, Rect area, PinnedRow& row) {
    const Model& model = pen.context.model;
    const std::vector<double> logits = row.logits(model.temperature > 0 ? static_cast<double>(model.temperature) : 1.0);
    constexpr std::string_view ids[] = {"softmax", "sparsemax", "l1", "l2", "argmax"};
    Matrix weights(static_cast<Index>(std::size(ids)), static_cast<Index>(logits.size()));
    std::vector<std::string> names;
    for (Index i = 0; i < weights.rows(); ++i) {
        const std::string_view id = ids[static_cast<std::size_t>(i)];
        const std::vector<double> made = normalized(id, logits);
        for (Index j = 0; j < weights.cols(); ++j)
            weights(i, j) = static_cast<float>(made[static_cast<std::size_t>(j)]);
        names.emplace_back(pen.context.word(normalizer(id).name));
    }
    HeatmapMark map;
    map.id = "normalizers";
    map.area = area;
    map.values = view_by_content(std::move(weights));
    map.scale = {color_map(pen.context.display.diverging_map).id, -1, 1};
    const float cell = area.w / static_cast<float>(logits.size());
    map.decimals = cell >= 34 ? 2 : -1;
    map.number_size = pen.text - 3;
    map.grid = true;
    pen.figure.marks.emplace_back(std::move(map));
    pen.figure.marks.emplace_back(TextMark{pen.word(area.w > 200 ? "Normalisers on the same row" : "Normalisers"),
                                           {area.x, area.y - 8},
                                           {pen.text - 1, Font::bold, pen.colors.text},
                                           AlignX::left,
                                           AlignY::baseline});
    add_row_labels(pen.figure, pen.context.measure, {names, {pen.text - 2, Font::words, pen.colors.dim}}, area, 80);
    std::vector<std::string> labels;
    for (const std::size_t key : row.keys) labels.push_back(key_label(model, static_cast<int>(key)));
    add_column_labels(pen.figure, pen.context.measure, {labels, {pen.text - 2, Font::words, pen.colors.key}}, area, 70,
                      false);
}

}  // namespace

void add_temperature_panel(const PanelPen& pen, Rect room) {
    PinnedRow row(pen.context);
    if (row.keys.empty()) {
        pen.sentence(room, pen.word("The pinned query sees no key, so there is nothing to normalise."), pen.colors.dim);
        return;
    }
    if (!row.is_finite()) {
        pen.sentence(room, pen.word("A logit of the pinned row is not a finite number."), pen.colors.warning);
        return;
    }
    const float top = room.y + pen.text * 1.6F;
    const float left = 84;
    const float names = 96;
    // Logits above the normalisers; side by side in a low room.
    const bool is_low = room.h < 300;
    const float side = is_low ? room.w * 0.56F : std::clamp(room.w * 0.4F, 140.0F, 560.0F);
    const Rect areas{room.x + left, top, std::max(60.0F, room.w - left - names - side),
                     std::max(40.0F, room.bottom() - top - 44)};
    add_areas(pen, areas, row);
    const Rect right{room.right() - side + 72, top, side - 78, areas.h};
    if (is_low) {
        const float half = (right.w - 96) / 2;
        add_logits(pen, {right.x - 16, right.y, half, right.h}, row);
        add_normalizers(pen, {right.right() - half, right.y, half, std::min(right.h, 5 * 30.0F)}, row);
        return;
    }
    const float upper = right.h * 0.46F;
    add_logits(pen, {right.x, right.y, right.w, upper}, row);
    const float maps_top = right.y + upper + pen.text * 3;
    add_normalizers(
        pen, {right.x, maps_top, right.w, std::max(20.0F, std::min(right.bottom() - maps_top - 30, 5 * 30.0F))}, row);
}

}  // namespace heed
