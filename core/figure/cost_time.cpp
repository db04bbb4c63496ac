// Where the time of this scene goes, and what an additive score takes beside a dot product.
#include "core/attention/normalizers.h"
#include "core/figure/cost_pages.h"
#include "core/figure/rich_text.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

struct Part {
    std::string_view name;
    double value;
    Color color;
    std::string words;
};

// One bar cut into its parts, with their names and shares under it.
void add_bar(const PanelPen& pen, Rect room, const std::array<Part, 4>& parts) {
    double sum = 0;
    for (const Part& part : parts) sum += part.value;
    if (sum <= 0) return;
    const float height = 44;
    float widest = 0;
    for (const Part& part : parts)
        widest = std::max(widest, rich_width(pen.context.measure, part.words, pen.text - 3, Font::words));
    const float names = pen.text * 8;
    float x = room.x;
    int shown = 0;
    for (const Part& part : parts) {
        const auto share = static_cast<float>(part.value / sum);
        const float w = room.w * share;
        if (w >= 0.5F)
            pen.figure.marks.emplace_back(
                BoxMark{.area = {x, room.y, std::max(0.5F, w - 1), height}, .fill = part.color, .radius = 2});
        x += w;
        const float y = room.y + height + pen.text * (1.4F + 1.7F * static_cast<float>(shown++));
        pen.figure.marks.emplace_back(BoxMark{.area = {room.x, y - 5, 10, 10}, .fill = part.color, .radius = 2});
        pen.words(pen.word(part.name), {room.x + 18, y}, pen.colors.text);
        pen.words(decimal(100 * part.value / sum, 0) + " %", {room.x + names + pen.text * 4, y}, pen.colors.dim,
                  AlignX::right, Font::mono, 3);
        pen.words(part.words, {room.x + names + pen.text * 5 + widest, y}, pen.colors.text, AlignX::right, Font::words,
                  3);
    }
}

std::array<Part, 4> parts_of(const PanelPen& pen, double projections, double scores, double softmax, double values) {
    const Palette& c = pen.colors;
    const bool is_softmax = normalizer(pen.context.model.normalizer->id).is_softmax;
    return {{{"projections", projections, c.faint, {}},
             {"scores", scores, c.query, {}},
             {is_softmax ? "softmax" : "normaliser", softmax, c.key, {}},
             {"values", values, c.value, {}}}};
}

std::array<Part, 4> measured_parts(const PanelPen& pen, const SceneTimes& times) {
    auto parts = parts_of(pen, times.projections, times.scores, times.softmax, times.values);
    for (Part& part : parts) part.words = part.value == 0 ? pen.word("none") : time_words(part.value);
    return parts;
}

// Each with what is counted: a multiply-add is not an exponential.
std::array<Part, 4> counted_parts(const PanelPen& pen, const StageCounts& counts) {
    auto parts = parts_of(pen, counts.projections, counts.scores + counts.tanh, counts.softmax, counts.values);
    const auto told = [&](std::string_view unit, double count) {
        return count == 0 ? pen.word("none") : fill(pen.context.word(unit), {count_words(count)});
    };
    const bool is_softmax = normalizer(pen.context.model.normalizer->id).is_softmax;
    parts[0].words = told("{0} multiply-adds", counts.projections);
    parts[1].words = counts.tanh == 0 ? told("{0} multiply-adds", counts.scores)
                                      : fill(pen.context.word("{0} multiply-adds, {1} tanh"),
                                             {count_words(counts.scores), count_words(counts.tanh)});
    parts[2].words = told(is_softmax ? "{0} exponentials" : "{0} weights", counts.softmax);
    parts[3].words = told("{0} multiply-adds", counts.values);
    return parts;
}

void add_pair(const PanelPen& pen, Rect room, const CostMeasured* measured, Index width) {
    const bool is_measured = measured != nullptr && measured->scene.has_value();
    float y =
        add_lines(pen,
                  fill(pen.context.word("A dot product and an additive score at equal width, d_{k} = d_{a} = {0}"),
                       {std::to_string(width)}),
                  {room.x, room.y}, room.w, pen.colors.text, Font::bold, 1) -
        pen.text * 1.5F;
    struct Line {
        std::string_view name;
        bool has_hidden;
        double nanoseconds;
    };
    const double slowest = is_measured ? std::max(measured->scene->dot, measured->scene->additive) : 1;
    const float name_w = pen.text * 9, numbers_w = pen.text * 19;
    for (const Line& line : {Line{"Dot product", false, is_measured ? measured->scene->dot : 0},
                             Line{"Additive", true, is_measured ? measured->scene->additive : 0}}) {
        y += pen.text * 2.1F;
        pen.words(pen.word(line.name), {room.x, y}, pen.colors.text);
        pen.words(fill(pen.context.word("{0} parameters"),
                       {thousands(static_cast<int>(score_parameters(line.has_hidden, width, width)))}),
                  {room.x + name_w + pen.text * 9, y}, pen.colors.text, AlignX::right, Font::words, 3);
        if (!is_measured) continue;
        pen.words(fill(pen.context.word("{0} ns a score"), {decimal(line.nanoseconds, 0)}),
                  {room.x + name_w + numbers_w, y}, pen.colors.text, AlignX::right, Font::words, 3);
        const float from = room.x + name_w + numbers_w + 14;
        const auto length = static_cast<float>(line.nanoseconds / slowest) * std::max(10.0F, room.right() - from);
        pen.figure.marks.emplace_back(BoxMark{.area = {from, y - 7, std::max(1.0F, length), 14},
                                              .fill = line.has_hidden ? amber(pen) : pen.colors.accent,
                                              .radius = 2});
    }
    y += pen.text * 2.1F;
    std::string told =
        pen.word("A dot product learns nothing of its own; the additive score has 2·d_{k}·d_{a} + d_{a} numbers.");
    if (is_measured)
        told += " " + fill(pen.context.word("Computed alike, it takes {0} times as long."),
                           {decimal(measured->scene->additive / std::max(1e-9, measured->scene->dot), 1)});
    add_lines(pen, told, {room.x, y}, room.w, pen.colors.dim, Font::words, 2);
}

}  // namespace

void add_cost_time(const PanelPen& pen, Rect room) {
    const CostMeasured* measured = pen.context.measured.get();
    const Model& model = pen.context.model;
    const bool is_measured = measured != nullptr && measured->scene.has_value();
    const bool is_this = is_measured && measured->scene->model == model;
    std::string about = measured_words(
        pen, is_this,
        is_measured
            ? "The scene has changed since it was measured: multiply-adds and exponentials are counted. Press Measure."
        : pen.context.on_paper ? "Nothing was measured for this picture: multiply-adds and exponentials are counted"
                               : "Nothing is measured yet: multiply-adds and exponentials are counted. Press Measure.");
    if (measured != nullptr && measured->is_measuring)
        about = fill(pen.context.word("Measuring: {0} %"), {decimal(measured->progress * 100, 0)});
    room = pen.intro(room, about);
    float y = room.y + pen.text * 2.6F;
    y = add_lines(pen,
                  fill(pen.context.word(
                           is_this ? "Where the time goes: heads {0}, queries {1}, keys {2}, d_{k} = {3}, d_{v} = {4}"
                                   : "Operations, counted: heads {0}, queries {1}, keys {2}, d_{k} = {3}, d_{v} = {4}"),
                       {std::to_string(model.n_heads), std::to_string(model.n_queries),
                        std::to_string(effective_n_keys(model)), std::to_string(model.d_k), std::to_string(model.d_v)}),
                  {room.x, y}, room.w, pen.colors.text, Font::bold, 1);
    add_bar(pen, {room.x, y, room.w, 0},
            is_this ? measured_parts(pen, *measured->scene) : counted_parts(pen, stage_counts(model)));
    y += 44 + pen.text * 10.5F;
    if (y + pen.text * 7 < room.bottom() + pen.text)
        add_pair(pen, {room.x, y, room.w, room.bottom() - y}, is_this ? measured : nullptr, std::min(model.d_k, 64));
}

}  // namespace heed
