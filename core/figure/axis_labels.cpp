#include "core/figure/axis_labels.h"

#include "core/figure/rich_text.h"
#include "core/language.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float turned_angle = 45;
constexpr float label_gap = 6;  // between cells and labels
constexpr float line_height = 1.25F;
constexpr float tight_line = 1.12F;  // the least that keeps one row's label off the next

// Every how many labels one is shown, so that they stay a line apart.
int label_step(int count, float spacing, float line) {
    if (count == 0 || spacing >= line) return 1;
    const int least = static_cast<int>(std::ceil(line / std::max(spacing, 1e-3F)));
    for (const int step : {2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 2000, 4000})
        if (step >= least) return step;
    return least;
}

bool is_marked(const LabelSpec& spec, int index) { return index == spec.lit || index == spec.pinned; }

// A thinned label is dropped where a marked one stands in its place.
bool is_shown(const LabelSpec& spec, int index, int step) {
    if (is_marked(spec, index)) return true;
    if (index % step != 0) return false;
    if (step == 1) return true;
    for (const int marked : {spec.lit, spec.pinned})
        if (marked >= 0 && std::abs(marked - index) < step) return false;
    return true;
}

TextMark label_mark(const LabelSpec& spec, int index, std::string text) {
    TextMark mark;
    mark.text = std::move(text);
    mark.style = spec.style;
    if (is_marked(spec, index)) mark.style.font = Font::bold;
    mark.plain = true;
    return mark;
}

double nice_step(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (rough <= factor * power * 1.0001) return factor * power;
    return 10.0 * power;
}

std::string power_of_ten(int exponent) {
    if (exponent >= -2 && exponent <= 3) return decimal(std::pow(10.0, exponent), std::max(0, -exponent));
    return "10^{" + std::string(exponent < 0 ? "−" : "") + std::to_string(std::abs(exponent)) + "}";
}

}  // namespace

float widest_label(const TextMeasure& measure, const LabelSpec& spec, float room) {
    float widest = 0;
    const int stride = std::max(1, spec.size() / 64);
    for (int i = 0; i < spec.size(); i += stride)
        widest = std::max(widest, measure.width(spec.at(i), spec.style.size, Font::bold));
    return std::min(widest, room);
}

float row_labels_width(float widest) { return widest + label_gap; }

void add_row_labels(Figure& figure, const TextMeasure& measure, const LabelSpec& spec, Rect cells, float room) {
    const float spacing = cells.h / static_cast<float>(std::max(1, spec.size()));
    const int step = label_step(spec.size(), spacing, spec.style.size * tight_line);
    for (int i = 0; i < spec.size(); ++i) {
        if (!is_shown(spec, i, step)) continue;
        TextMark mark = label_mark(spec, i, shorten(measure, spec.at(i), spec.style.size, Font::bold, room));
        mark.at = {cells.x - label_gap, cells.y + (static_cast<float>(i) + 0.5F) * spacing};
        mark.align_x = AlignX::right;
        mark.align_y = AlignY::middle;
        figure.marks.emplace_back(std::move(mark));
    }
}

float column_labels_height(float widest, float text_size, float cell_width) {
    if (widest + 4 <= cell_width) return label_gap + text_size * line_height;
    return label_gap + (widest + text_size) * 0.7072F;
}

float column_labels_height(const TextMeasure& measure, const LabelSpec& spec, float cell_width, float room) {
    return column_labels_height(widest_label(measure, spec, room), spec.style.size, cell_width);
}

float add_column_labels(Figure& figure, const TextMeasure& measure, const LabelSpec& spec, Rect cells, float room,
                        bool above) {
    const float spacing = cells.w / static_cast<float>(std::max(1, spec.size()));
    const float widest = widest_label(measure, spec, room);
    const bool is_upright = widest + 4 <= spacing;
    const int step = is_upright ? 1 : label_step(spec.size(), spacing, spec.style.size * line_height);
    for (int i = 0; i < spec.size(); ++i) {
        if (!is_shown(spec, i, step)) continue;
        TextMark mark = label_mark(spec, i, shorten(measure, spec.at(i), spec.style.size, Font::bold, room));
        const float x = cells.x + (static_cast<float>(i) + 0.5F) * spacing;
        if (is_upright) {
            mark.at = {x, above ? cells.y - label_gap : cells.bottom() + label_gap};
            mark.align_x = AlignX::center;
            mark.align_y = above ? AlignY::bottom : AlignY::top;
        } else {
            // Below, the text's end meets the column; above, its start does.
            mark.at = {x + spec.style.size * 0.2F, above ? cells.y - label_gap : cells.bottom() + label_gap};
            mark.align_x = above ? AlignX::left : AlignX::right;
            mark.align_y = AlignY::middle;
            mark.angle = turned_angle;
            if (!above) mark.at.y += spec.style.size * 0.3F;
        }
        figure.marks.emplace_back(std::move(mark));
    }
    return column_labels_height(widest, spec.style.size, spacing);
}

std::vector<Tick> ticks(const Axis& axis, float length, float spacing, bool powers_of_two) {
    std::vector<Tick> result;
    const double low = std::min(axis.low, axis.high);
    const double high = std::max(axis.low, axis.high);
    if (!(high > low) || !std::isfinite(high - low) || length <= 0) return result;
    const double count = std::max(1.0, static_cast<double>(length / spacing));
    if (axis.log) {
        if (low <= 0) return result;
        const double base = powers_of_two ? 2.0 : 10.0;
        const int first = static_cast<int>(std::ceil(std::log(low) / std::log(base) - 1e-6));
        const int last = static_cast<int>(std::floor(std::log(high) / std::log(base) + 1e-6));
        const int step = std::max(1, static_cast<int>(std::ceil((last - first) / count)));
        for (int e = first; e <= last; ++e) {
            const bool is_major = (e - first) % step == 0;
            const double value = std::pow(base, e);
            result.push_back({value, !is_major ? "" : powers_of_two ? decimal(value, 0) : power_of_ten(e), is_major});
        }
        if (result.size() > 1) return result;
        result.clear();
    }
    const double step = nice_step((high - low) / count);
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
    const bool is_plain = step >= 1e-6 && high < 1e7;
    for (double i = std::ceil(low / step - 1e-6); i * step <= high + step * 1e-6; ++i)
        result.push_back({i * step, is_plain ? decimal(i * step, decimals) : compact(i * step), true});
    return result;
}

}  // namespace heed
