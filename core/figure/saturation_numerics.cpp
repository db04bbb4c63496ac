// Softmax in four number formats: where the naive form overflows, and what subtracting the maximum changes.
#include "core/analysis/number_formats.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

constexpr double most = 10000;
constexpr double tolerance = 0.01;

struct Lane {
    const NumberFormat* format;
    bool is_stable;
    FormatLimits limits;
};

const std::vector<Lane>& lanes() {
    static const std::vector<Lane> table = [] {
        std::vector<Lane> made;
        for (const NumberFormat& format : number_formats())
            for (const bool is_stable : {false, true})
                made.push_back({&format, is_stable, softmax_limits(format, is_stable, tolerance, most)});
        return made;
    }();
    return table;
}

std::string weight_text(const PanelPen& pen, double value) {
    return std::isnan(value) ? pen.word("NaN") : decimal(value, 3);
}

}  // namespace

void add_numerics_panel(const PanelPen& pen, Rect room) {
    const auto score =
        static_cast<double>(std::clamp(pen.context.display.saturation.largest_score, 1.0F, static_cast<float>(most)));
    pen.words(pen.word("Softmax of (s, s − 1, s − 2) is (0.665, 0.245, 0.090) for every s. Drag s and see which format "
                       "still says so."),
              {room.x, room.y + pen.text / 2}, pen.colors.dim);
    const float name_w = pen.text * 10;
    const float table_w = pen.text * 14;
    const float top = room.y + pen.text * 4.2F;
    const Rect area{room.x + name_w, top, std::max(60.0F, room.w - name_w - table_w - 16),
                    std::max(40.0F, room.bottom() - top - pen.text * 4)};
    PlotSpec spec;
    spec.id = "numerics";
    spec.area = area;
    spec.x = {1, most, true};
    spec.y = {0, 0};
    spec.x_words = pen.word("largest score s");
    spec.text_size = pen.text - 2;
    Frame frame = add_plot(pen.figure, pen.context.measure, pen.colors, spec);
    frame.y = {0, 1};
    pen.figure.frames.back() = frame;

    pen.words(fill(pen.context.word("weights at s = {0}"), {decimal(score, score < 100 ? 1 : 0)}),
              {room.right(), top - pen.text * 0.8F}, pen.colors.dim, AlignX::right);
    const float slot = area.h / static_cast<float>(lanes().size());
    const std::array<double, 3> scores = {score, score - 1, score - 2};
    for (std::size_t i = 0; i < lanes().size(); ++i) {
        const Lane& lane = lanes()[i];
        const float y = area.y + slot * (static_cast<float>(i) + 0.5F);
        const float h = std::min(slot * 0.56F, 20.0F);
        const auto x_of = [&](double s) { return frame.place(std::clamp(s, 1.0, most), 0).x; };
        const float right_end = x_of(lane.limits.right_up_to);
        const float nan_start = x_of(lane.limits.nan_from);
        const auto bar = [&](float from, float to, Color color) {
            if (to > from)
                pen.figure.marks.emplace_back(BoxMark{.area = {from, y - h / 2, to - from, h}, .fill = color});
        };
        bar(area.x, right_end, with_alpha(pen.colors.good, 0.8F));
        bar(right_end, nan_start, with_alpha(pen.colors.key, 0.65F));
        bar(nan_start, area.right(), with_alpha(pen.colors.warning, 0.75F));
        if (lane.limits.nan_from < most)
            pen.words(fill(pen.context.word("NaN from {0}"), {compact(lane.limits.nan_from)}), {nan_start + 6, y},
                      hex(0xffffff), AlignX::left, Font::bold, 3);
        else if (lane.limits.right_up_to < most)
            pen.words(fill(pen.context.word("wrong from {0}"), {compact(lane.limits.right_up_to)}), {right_end + 6, y},
                      pen.colors.text, AlignX::left, Font::bold, 3);
        if (!lane.is_stable)
            pen.words(std::string(lane.format->name), {room.x, y}, pen.colors.text, AlignX::left, Font::mono, 2);
        pen.words(pen.word(lane.is_stable ? "minus max" : "naive"), {area.x - 8, y}, pen.colors.dim, AlignX::right);
        if (!lane.is_stable && i > 0)
            pen.figure.marks.emplace_back(
                LineMark{{{room.x, y - slot / 2}, {room.right(), y - slot / 2}}, pen.colors.hairline});
        const std::vector<double> row = softmax_in(*lane.format, scores, lane.is_stable);
        std::string numbers;
        for (const double weight : row) numbers += (numbers.empty() ? "" : "  ") + weight_text(pen, weight);
        const bool is_nan = std::isnan(row[0]) || std::isnan(row[1]) || std::isnan(row[2]);
        const bool is_wrong = !is_nan && score > lane.limits.right_up_to;
        pen.words(numbers, {room.right(), y},
                  is_nan     ? pen.colors.warning
                  : is_wrong ? pen.colors.key
                             : pen.colors.text,
                  AlignX::right, Font::mono, 2);
    }
    const float x = frame.place(score, 0).x;
    pen.figure.marks.emplace_back(LineMark{{{x, area.y}, {x, area.bottom()}}, pen.colors.text, 1.5F});
    pen.handle("numerics", {x, area.y}, pen.colors.accent, pen.word("Drag to let the scores grow"));
    pen.legend(area.right(), room.y + pen.text * 2.0F,
               {{pen.word("right within 0.01"), with_alpha(pen.colors.good, 0.8F)},
                {pen.word("wrong"), with_alpha(pen.colors.key, 0.65F)},
                {pen.word("NaN"), with_alpha(pen.colors.warning, 0.75F)}});
}

}  // namespace heed
