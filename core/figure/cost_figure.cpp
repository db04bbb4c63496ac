// Cost: what attention takes in time and memory, and what cheaper attention gives up.
#include "core/attention/normalizers.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/figure/cost_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/page.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <cmath>

namespace heed {

std::string bytes_words(double bytes) {
    const char* unit = "B";
    for (const char* larger : {"kB", "MB", "GB", "TB", "PB"}) {
        if (bytes < 999.5) break;
        bytes /= 1000;
        unit = larger;
    }
    return decimal(bytes, bytes < 9.95 && std::abs(bytes - std::round(bytes)) > 1e-3 ? 1 : 0) + " " + unit;
}

std::string time_words(double milliseconds) {
    const auto digits = [](double value) { return decimal(value, value < 9.95 ? 2 : value < 99.5 ? 1 : 0); };
    if (milliseconds < 0.095) return digits(milliseconds * 1000) + " µs";
    if (milliseconds < 1000) return digits(milliseconds) + " ms";
    const double seconds = milliseconds / 1000;
    if (seconds < 3600) return digits(seconds) + " s";
    return digits(seconds / 3600) + " h";
}

std::string count_words(double count) {
    if (count < 10000) return decimal(count, 0);
    const double power = std::floor(std::log10(count * 1.005));  // 9.96 is written 10.0
    return decimal(count / std::pow(10.0, power), 1) + "·10^{" + decimal(power, 0) + "}";
}

std::string measured_words(const PanelPen& pen, bool is_measured, std::string_view otherwise, bool alone) {
    if (!is_measured) return pen.word(otherwise);
    const int cores = pen.context.measured->cores;
    const std::string_view words =
        cores == 1 ? "Measured on this machine with 1 core in float32: the shortest of several rounds"
        : alone    ? "Measured on one of this machine's {0} cores in float32: the shortest of several rounds"
                   : "Measured on this machine with {0} cores in float32: the shortest of several rounds";
    return fill(pen.context.word(words), {std::to_string(cores)});
}

float add_lines(const PanelPen& pen, const std::string& words, Point at, float width, Color color, Font font,
                float smaller) {
    const float line = (pen.text - smaller) * 1.45F;
    for (const std::string& part : wrapped(pen.context.measure, words, pen.text - smaller, font, width)) {
        pen.words(part, at, color, AlignX::left, font, smaller);
        at.y += line;
    }
    return at.y;
}

std::string fitting_words(const PanelPen& pen, float room, std::string_view words, std::string_view shorter) {
    const std::string whole = pen.word(words);
    return pen.context.measure.width(whole, pen.text - 2, Font::words) <= room ? whole : pen.word(shorter);
}

Color method_color(const PanelPen& pen, const CostMethod& method) {
    return head_color(pen.colors, static_cast<int>(&method - cost_methods().data()));
}

Color amber(const PanelPen& pen) {
    constexpr Color on_light = hex(0x8a6500);  // 4.5:1 at least, as thin type needs
    return pen.colors.theme == Theme::dark ? pen.colors.heads[5] : on_light;
}

bool is_switched_off(const Display& display, std::string_view plot, std::string_view legend) {
    const PlotView* view = find_plot_view(display, plot);
    return view != nullptr && std::ranges::find(view->hidden, legend) != view->hidden.end();
}

std::string why_not_comparable(const PanelPen& pen) {
    const Model& model = pen.context.model;
    if (!score_function(model.score).is_dot || !normalizer(model.normalizer->id).has_kernel || logits_are_kept(model) ||
        model.temperature == 0.0F)
        return pen.word(
            "The cheaper methods replace a softmax of dot products. This scene has another score or normaliser, "
            "a bias, a soft cap or temperature 0: choose other data.");
    return {};
}

namespace {

// Whether the page shows something of the scene: the others have sizes and data of their own.
bool is_of_scene(const CostDisplay& display) {
    switch (display.panel) {
        case CostPanel::measured:
        case CostPanel::sequential:
            return false;
        case CostPanel::error:
            return display.data == CostDataChoice::scene;
        case CostPanel::chunks:
        case CostPanel::time:
            break;
    }
    return true;
}

}  // namespace

Figure cost_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const PanelPen pen{figure, context};
    const Rect room = is_of_scene(*context.display.cost) ? pen.frame_page() : pen.frame_page_apart();
    switch (context.display.cost->panel) {
        case CostPanel::measured:
            add_cost_measured(pen, room);
            break;
        case CostPanel::error:
            add_cost_error(pen, room);
            break;
        case CostPanel::chunks:
            add_cost_chunks(pen, room);
            break;
        case CostPanel::time:
            add_cost_time(pen, room);
            break;
        case CostPanel::sequential:
            add_cost_sequential(pen, room);
            break;
    }
    return figure;
}

}  // namespace heed
