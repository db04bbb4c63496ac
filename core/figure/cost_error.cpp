// Dense weights, approximate weights and their difference, and what becomes of the output.
#include "core/attention/rows.h"
#include "core/cost/data.h"
#include "core/cost/errors.h"
#include "core/display/cells_display.h"
#include "core/figure/cost_pages.h"
#include "core/figure/kept.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/random.h"
#include "core/version.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

struct ErrorKey {
    std::uint64_t trace = 0;  // of the scene; 0: the data are drawn
    int head = 0;
    CostDataChoice data = CostDataChoice::scene;
    int n = 0;
    std::string method;
    CostParameters parameters;
    friend bool operator==(const ErrorKey&, const ErrorKey&) = default;
};

// Everything the page shows, of one head.
struct ErrorPage {
    bool is_complete = false;
    Matrix exact, weights, difference;
    Comparable comparable = Comparable::yes;
    std::shared_ptr<const MaskMatrix> visible;  // null: all are
    CostError error;                            // of the chosen method
    std::vector<double> relative;               // of every method
    std::uint64_t version = 0;
    std::size_t bytes() const {
        return sizeof(ErrorPage) + static_cast<std::size_t>(3 * exact.size()) * sizeof(float) + error.bytes();
    }
};

struct Numbers {
    Matrix q, k, v;
    float factor = 1;
    Index query_offset = 0;
    std::shared_ptr<const MaskMatrix> visible;  // null: all are
    MaskedRow masked_row = MaskedRow::zero;
};

Numbers scene_numbers(const Model& model, const AttentionTrace& trace, int head) {
    const int kv_head = kv_head_of(model, head);
    Numbers numbers{trace.q[head],
                    trace.k[kv_head],
                    trace.v[kv_head],
                    trace.score_factor,
                    model.query_offset,
                    {},
                    model.normalizer->masked_row};
    if (trace.hidden_cells > 0 || trace.visible.size() > 1)
        numbers.visible = std::make_shared<const MaskMatrix>(trace.visible_of(head));
    return numbers;
}

constexpr Index drawn_width = 64;

Numbers drawn_numbers(CostDataChoice choice, Index n) {
    const auto kind = static_cast<std::size_t>(choice) - 1;  // the first choice is the scene
    CostData data = cost_data_kinds()[kind].draw(1, 1, n, drawn_width);
    return {
        std::move(data.q), std::move(data.k), std::move(data.v), 1 / std::sqrt(static_cast<float>(drawn_width)), 0, {}};
}

// Rows that see no key are nobody's weights: the scene's rule fills them in for every method, after they were compared.
void fill_masked_rows(const Numbers& numbers, Matrix& weights) {
    if (numbers.visible == nullptr || numbers.masked_row == MaskedRow::zero) return;
    const auto weight =
        static_cast<float>(masked_row_weight(numbers.masked_row, static_cast<std::size_t>(weights.cols())));
    for (Index i = 0; i < weights.rows(); ++i)
        if (numbers.visible->row(i).isZero()) weights.row(i).setConstant(weight);
}

ErrorPage compute_page(const Numbers& numbers, const ErrorKey& key) {
    ErrorPage page;
    const Index n = numbers.q.rows(), m = numbers.k.rows(), d_v = numbers.v.cols();
    const CostHead head{.q = numbers.q,
                        .k = numbers.k,
                        .factor = numbers.factor,
                        .query_offset = numbers.query_offset,
                        .visible = numbers.visible.get(),
                        .parameters = key.parameters};
    CostScratch scratch;
    Matrix exact_output(n, d_v), weights(n, m), output(n, d_v);
    page.exact.resize(n, m);
    masked_forward(exact_method(), head, numbers.v, scratch, page.exact, exact_output);
    for (const CostMethod& method : cost_methods()) {
        masked_forward(method, head, numbers.v, scratch, weights, output);
        if (method.id == key.method) {
            page.error = cost_error(weights, output, page.exact, exact_output, numbers.v, numbers.visible.get());
            page.weights = weights;
            page.difference = weights - page.exact;
        }
        page.relative.push_back(relative_error(output, exact_output));
    }
    page.comparable = comparable(exact_output, numbers.v, numbers.visible.get());
    page.visible = numbers.visible;
    fill_masked_rows(numbers, page.exact);
    fill_masked_rows(numbers, page.weights);
    page.is_complete = true;
    page.version = next_version();
    return page;
}

std::shared_ptr<const ErrorPage> page_of(const FigureContext& context) {
    const CostDisplay& display = *context.display.cost;
    const bool is_scene = display.data == CostDataChoice::scene;
    const ErrorKey key{is_scene ? context.trace.version : 0,
                       is_scene ? shown_head(context) : 0,
                       display.data,
                       is_scene ? 0 : display.data_n,
                       display.method,
                       parameters_of(display)};
    constexpr Index quick = 128 * 128;  // cells: a few milliseconds
    const Index cells =
        is_scene ? context.trace.weights.rows() * context.trace.weights.cols() : Index{display.data_n} * display.data_n;
    return refined(context, "cost error", key,
                   [is_quick = cells <= quick, is_scene, model = context.model, trace = &context.trace,
                    owner = context.trace_owner](const ErrorKey& of, bool is_fine) {
                       if (!is_fine && !is_quick) return ErrorPage{};
                       return compute_page(
                           is_scene ? scene_numbers(model, *trace, of.head) : drawn_numbers(of.data, of.n), of);
                   });
}

float largest_finite(const Matrix& values) {
    float most = 0;
    for (const float value : values.reshaped())
        if (std::isfinite(value)) most = std::max(most, std::abs(value));
    return most;
}

class Maps {
public:
    Maps(const PanelPen& pen, std::shared_ptr<const ErrorPage> page) : pen_(pen), page_(std::move(page)) {}

    // Three maps and a strip, from the left edge of the room to its right one; cells may be wider than high.
    void draw(Rect room, const CostMethod& method) const {
        const float head = pen_.text * 1.7F, foot = pen_.text * 1.4F;
        const float gap = 22, strip = 14, beside = pen_.text * 2.6F;
        const auto rows = static_cast<float>(page_->exact.rows()), cols = static_cast<float>(page_->exact.cols());
        float names = pen_.text * 4.5F;
        const auto width = [&] { return (room.w - names - 2 * gap - strip - beside) / 3; };
        const float names_h =
            has_labels() ? column_labels_height(pen_.context.measure, labels(false), width() / cols, pen_.text * 4) : 0;
        const float with_names = room.h - head - foot - names_h;
        const bool shows_names = has_labels() && with_names / rows >= pen_.text * 0.7F && width() / cols >= 7;
        if (!shows_names) names = 0;
        const float h = std::clamp(shows_names ? with_names : room.h - head - foot, 1.0F, 56 * rows);
        const float w = std::max(1.0F, width());
        const float step = w + gap;
        const ColorScale sequential{color_map(pen_.context.display.cells->sequential_map).id, 0,
                                    std::max(1e-6F, largest_finite(page_->exact))};
        // By the exact weights' colours; of a narrow method some weights lie above them.
        ColorScale approximate = sequential;
        approximate.goes_on = largest_finite(page_->weights) > sequential.high * 1.001F;  // more than a rounding
        const float most = largest_finite(page_->difference);
        const float end = most > 0 ? std::max(1e-6F, most) : 1;
        const ColorScale diverging{color_map(pen_.context.display.cells->diverging_map).id, -end, end};
        const auto place = [&](float number) { return Rect{room.x + names + step * number, room.y + head, w, h}; };
        if (shows_names) add_row_labels(pen_.figure, pen_.context.measure, labels(true), place(0), names - 6);
        draw_map("cost exact", pen_.word(exact_method().name), page_->exact, 1, sequential, place(0), shows_names);
        draw_map("cost approximate", pen_.word(method.name), page_->weights, 2, approximate, place(1), shows_names);
        draw_map("cost difference", difference_title(w), page_->difference, 3, diverging, place(2), shows_names);
        draw_strip({room.right() - strip, room.y + head, strip, h});
    }

private:
    // Which is taken from which, where there is room for it.
    std::string difference_title(float room) const {
        for (const std::string_view words : {"Difference: approximate − exact", "approximate − exact"})
            if (std::string title = pen_.word(words);
                pen_.context.measure.width(title, pen_.text - 1, Font::bold) <= room)
                return title;
        return pen_.word("Difference");
    }

    void draw_map(const char* id, const std::string& title, const Matrix& values, std::uint64_t which,
                  const ColorScale& scale, Rect area, bool shows_names) const {
        pen_.words(title, {area.x, area.y - pen_.text * 0.9F}, pen_.colors.text, AlignX::left, Font::bold, 1);
        HeatmapMark map;
        map.id = id;
        map.area = area;
        map.values = {values.data(), values.rows(), values.cols(), page_, mix_bits(page_->version ^ (which << 40U))};
        map.scale = scale;
        if (page_->visible != nullptr)
            map.visible = {page_->visible->data(), values.rows(), values.cols(), page_->visible, map.values.version};
        StagePanel panel;
        panel.id = id;
        panel.heatmap = map;
        const float cell = area.w / static_cast<float>(values.cols());
        const float cell_h = area.h / static_cast<float>(values.rows());
        const NumberLook look = fitting_numbers(pen_.context, panel, cell, cell_h);
        constexpr float smallest_written = 5e-7F;  // below, each number would be 0.000000
        const float most = largest_finite(values);
        map.decimals = most < smallest_written ? std::min(look.decimals, 0) : look.decimals;
        map.number_size = look.size;
        map.grid = std::min(cell, cell_h) >= 8;
        const float foot = shows_names ? add_column_labels(pen_.figure, pen_.context.measure, labels(false), area,
                                                           pen_.text * 4, false)
                                       : 0;
        pen_.words(most == 0 ? "0" : range_words(scale), {area.x, area.bottom() + foot + pen_.text}, pen_.colors.dim,
                   AlignX::left, Font::mono, 4);
        frame(area);
        pen_.figure.targets.push_back({.id = id,
                                       .kind = TargetKind::cells,
                                       .area = area,
                                       .rows = values.rows(),
                                       .cols = values.cols(),
                                       .tooltip = {}});
        pen_.figure.marks.emplace_back(std::move(map));
    }

    // The tokens of the scene; data that are drawn have none.
    bool has_labels() const {
        return pen_.context.display.cost->data == CostDataChoice::scene && pen_.context.options.tick_labels;
    }
    LabelSpec labels(bool are_queries) const {
        LabelSpec spec;
        spec.style = {pen_.text - 3, Font::words, are_queries ? pen_.colors.query : pen_.colors.key};
        spec.count = static_cast<int>(are_queries ? page_->exact.rows() : page_->exact.cols());
        spec.label_at = [this, are_queries](int token) {
            return are_queries ? query_label(pen_.context.model, token) : key_label(pen_.context.model, token);
        };
        spec.pictures = label_pictures(pen_.context, are_queries, spec.count);
        return spec;
    }

    void draw_strip(Rect area) const {
        HeatmapMark map;
        map.id = "cost variation";
        map.area = area;
        const std::vector<float>& variation = page_->error.row_total_variation;
        map.values = {variation.data(), static_cast<Index>(variation.size()), 1, page_,
                      mix_bits(page_->version ^ (std::uint64_t{4} << 40U))};
        map.scale = {color_map(pen_.context.display.cells->sequential_map).id, 0, 1};
        pen_.words(pen_.word("TV"), {area.right(), area.y - pen_.text * 0.9F}, pen_.colors.text, AlignX::right,
                   Font::bold, 1);
        pen_.words("0 – 1", {area.right(), area.bottom() + pen_.text}, pen_.colors.dim, AlignX::right, Font::mono, 4);
        frame(area);
        pen_.figure.targets.push_back(
            {.id = map.id,
             .kind = TargetKind::cells,
             .area = area,
             .rows = map.values.rows,
             .cols = 1,
             .tooltip = pen_.word("Total variation of each row: half the sum of |difference|, 0 to 1")});
        pen_.figure.marks.emplace_back(std::move(map));
    }

    void frame(Rect area) const {
        pen_.figure.marks.emplace_back(
            BoxMark{.area = {area.x - 1, area.y - 1, area.w + 2, area.h + 2}, .stroke = pen_.colors.hairline});
    }

    const PanelPen& pen_;
    std::shared_ptr<const ErrorPage> page_;
};

// Every method's error as a bar, and the line that an answer must stay below to be of use.
void add_bars(const PanelPen& pen, const ErrorPage& page, const CostMethod& chosen, Rect room) {
    const std::span<const CostMethod> methods = cost_methods();
    PlotMark plot;
    plot.id = "cost error";
    constexpr float numbers_w = 4.5F;  // texts: they stand in a column beside the frame, where no line strikes through
    plot.text_size = pen.text - 2;
    float name_w = 0;
    for (const CostMethod& method : methods)
        name_w = std::max(name_w, pen.context.measure.width(pen.word(method.name), plot.text_size, Font::words));
    plot.area = {room.x + name_w + 14, room.y, std::max(60.0F, room.w - name_w - 14 - pen.text * numbers_w),
                 room.h - pen.text * 2.6F};
    double most = page.error.mean_of_v * 1.3;
    for (const double error : page.relative)
        if (std::isfinite(error)) most = std::max(most, error);
    plot.x.shown = {0, std::max(most * 1.12, 0.01)};
    plot.x.locked = true;
    plot.x.words = pen.word("‖Ô − O‖ / ‖O‖ of the output");
    plot.y.shown = {0, static_cast<double>(methods.size())};
    plot.y.policy = TickPolicy::named;
    plot.y.locked = true;
    Series bars{.id = "errors",
                .name = pen.word("relative error"),
                .kind = SeriesKind::bars,
                .thickness = 0.62,
                .radius = 2,
                .lying = true};
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const double middle = static_cast<double>(methods.size() - i) - 0.5;
        const double error = page.relative[i];
        const bool is_useless = CostError::is_hardly_better(error, page.error.mean_of_v);
        bars.x.push_back(std::isfinite(error) ? error : most);
        bars.y.push_back(middle);
        bars.low.push_back(0);
        const Color color = is_useless ? amber(pen) : pen.colors.good;
        bars.colors.push_back(with_alpha(color, &methods[i] == &chosen ? 0.95F : 0.5F));
        plot.y.ticks.push_back({middle, pen.word(methods[i].name)});
        plot.notes.push_back({.text = error < 1e-5 ? compact(error) : decimal(error, error < 0.0995 ? 3 : 2),
                              .x = plot.x.shown.high,
                              .y = middle,
                              .shift = {pen.text * numbers_w, 0},
                              .style = {pen.text - 3, Font::mono, pen.colors.text},
                              .align_x = AlignX::right});
    }
    plot.series.push_back(std::move(bars));
    plot.series.push_back({.id = "mean",
                           .kind = SeriesKind::rules,
                           .x = {page.error.mean_of_v},
                           .color = pen.colors.text,
                           .width = 1.5F,
                           .dashed = true});
    plot.notes.push_back({.text = fill(pen.context.word("mean of V: {0}"), {decimal(page.error.mean_of_v, 2)}),
                          .x = page.error.mean_of_v,
                          .y = static_cast<double>(methods.size()),
                          .shift = {0, -pen.text * 0.8F},
                          .style = {pen.text - 3, Font::bold, pen.colors.text}});
    pen.plot(std::move(plot));
}

std::string why_incomparable(const PanelPen& pen, Comparable why) {
    return pen.word(why == Comparable::no_key ? "No query sees a key: there is nothing to compare"
                    : why == Comparable::zero
                        ? "The output of dense attention is 0: an error relative to it cannot be told"
                        : "The output of dense attention has NaN or ∞: nothing can be compared with it");
}

// What makes a method dense: a parameter that lets every query see every key.
std::string same_words(const PanelPen& pen, const ErrorPage& page, const CostMethod& method) {
    const CostParameters parameters = parameters_of(*pen.context.display.cost);
    const Index n = page.exact.rows(), m = page.exact.cols();
    const std::string name = pen.word(method.name);
    for (const int index : method.parameters) {
        if (index < 0) continue;
        const auto value = cost_parameters()[static_cast<std::size_t>(index)].value;
        if (value == &CostParameters::top && parameters.top >= m)
            return fill(pen.context.word("{0}: the same as dense here, because k = {1} is not below the {2} keys"),
                        {name, std::to_string(parameters.top), std::to_string(m)});
        if (value == &CostParameters::window && parameters.window >= std::max(n, m) - 1)
            return fill(
                pen.context.word(m == 1 ? "{0}: the same as dense here, because there is only one key"
                                        : "{0}: the same as dense here, because a window of {1} reaches all {2} keys"),
                {name, std::to_string(parameters.window), std::to_string(m)});
    }
    return fill(pen.context.word("{0}: the same as dense here"), {name});
}

bool uses_root_stride(const CostMethod& method, const CostDisplay& display) {
    return display.stride == 0 && std::ranges::any_of(method.parameters, [](int index) {
               return index >= 0 && cost_parameters()[static_cast<std::size_t>(index)].value == &CostParameters::stride;
           });
}

struct Verdict {
    std::string words;
    bool is_bad = false;
};

Verdict verdict(const PanelPen& pen, const ErrorPage& page, const CostMethod& method) {
    const std::string error =
        page.error.relative < 0.005 ? compact(page.error.relative) : decimal(page.error.relative, 2);
    const std::string mean = decimal(page.error.mean_of_v, 2);
    const std::string name = pen.word(method.name);
    if (method.is_exact && page.error.relative < 1e-4)
        return {fill(pen.context.word("{0}: off by {1} of the output: rounding alone"), {name, error})};
    if (!std::isfinite(page.error.relative))
        return {fill(pen.context.word("{0}: its output has NaN or ∞ here, dense attention's has not"), {name}), true};
    if (page.error.has_same_output() && page.error.has_same_weights()) return {same_words(pen, page, method)};
    if (page.error.has_same_output())
        return {fill(pen.context.word("{0}: the same output as dense here, but from other weights"), {name})};
    const bool is_bad = CostError::is_hardly_better(page.error.relative, page.error.mean_of_v);
    return {fill(pen.context.word(page.error.is_useless()
                                      ? "{0}: off by {1} of the output. Useless here: the mean of V, which looks at "
                                        "nothing, is off by {2}"
                                  : is_bad ? "{0}: off by {1} of the output, hardly better than the mean of V ({2}), "
                                             "which looks at nothing"
                                           : "{0}: off by {1} of the output; the mean of V is off by {2}"),
                 {name, error, mean}),
            is_bad};
}

}  // namespace

void add_cost_error(const PanelPen& pen, Rect room) {
    const CostDisplay& display = *pen.context.display.cost;
    const CostMethod* method = find_cost_method(display.method);
    if (display.data == CostDataChoice::scene)
        if (const std::string why = why_not_comparable(pen); !why.empty())
            return pen.sentence(room, why, pen.colors.dim);
    const std::shared_ptr<const ErrorPage> page = page_of(pen.context);
    if (!page->is_complete) return pen.sentence(room, pen.word("Computing what the methods give…"), pen.colors.dim);
    const bool is_comparable = page->comparable == Comparable::yes;
    const Verdict told =
        is_comparable ? verdict(pen, *page, *method) : Verdict{why_incomparable(pen, page->comparable), true};
    float y = add_lines(pen, told.words, {room.x, room.y + pen.text * 0.7F}, room.w,
                        told.is_bad ? amber(pen) : pen.colors.good, Font::bold, 0);
    std::string about =
        fill(pen.context.word("mean total variation of a row {0}"), {decimal(page->error.total_variation, 2)});
    if (uses_root_stride(*method, display))
        about += " · " + fill(pen.context.word("stride √n = {0}"),
                              {std::to_string(stride_of(parameters_of(display), page->exact.cols()))});
    y = add_lines(pen, about, {room.x, y}, room.w, pen.colors.dim, Font::words, 2);
    const float bars_h = std::clamp(room.h * 0.36F, 120.0F, 260.0F);
    Maps(pen, page).draw({room.x, y, room.w, room.bottom() - bars_h - pen.text * 2.2F - y}, *method);
    const Rect bars{room.x, room.bottom() - bars_h, room.w, bars_h};
    if (is_comparable)
        add_bars(pen, *page, *method, bars);
    else
        pen.sentence(bars, pen.word("No error of the output can be told"), pen.colors.dim);
}

}  // namespace heed
