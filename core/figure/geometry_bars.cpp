// Why the pinned weight is what it is: lengths and angle as bars that end in the weight, and the same pair by other scores.
#include "core/attention/exact.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/rich_text.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace heed {

namespace {

constexpr float bar_row = 1.55F;    // of the text, from one bar to the next
constexpr float zero_share = 0.3F;  // of the bars' room lies left of zero, always: a sign that flips moves nothing else
constexpr int bar_rows = 7;
constexpr float score_row = 3.3F;         // of the text, a row of small bars
constexpr float signed_score_row = 4.4F;  // with room below the line

struct Bar {
    std::string label;  // rich text
    double value = 0;
    Color color;
    bool exists = true;  // an arrow without length has no angle
    std::string number() const { return exists ? compact(value) : "–"; }
};

struct PairFacts {
    double query_length = 0, key_length = 0, cosine = 0, product = 0;
    bool has_angle() const { return query_length != 0 && key_length != 0; }
};

// The angle from vectors of length 1, so that the product is a check and not a detour.
PairFacts facts_of(const GeometryRow& of) {
    const auto d = static_cast<Index>(of.row.q.size());
    const float* const q = of.row.q.data();
    const float* const k = of.row.keys->row(of.key).data();
    PairFacts facts;
    facts.query_length = std::sqrt(exact_dot(q, q, d));
    facts.key_length = std::sqrt(exact_dot(k, k, d));
    if (facts.query_length > 0 && facts.key_length > 0)
        facts.cosine = exact_sum(d, [&](Index t) {
            return static_cast<double>(q[t]) / facts.query_length * (static_cast<double>(k[t]) / facts.key_length);
        });
    facts.product = facts.query_length * facts.key_length * facts.cosine;
    return facts;
}

std::vector<Bar> bars_of(const FigureContext& context, const GeometryRow& of, const PairFacts& facts) {
    const Palette& colors = context.colors();
    const Model& model = context.model;
    const ScoreFunction& score = score_function(model.score);
    const auto word = [&](std::string_view english) { return std::string(context.word(english)); };
    std::vector<Bar> bars = {{"‖q‖", facts.query_length, colors.query},
                             {"‖k‖", facts.key_length, colors.key},
                             {"cos θ", facts.cosine, colors.dim, facts.has_angle()},
                             {"q·k", facts.product, colors.text}};
    const int query = of.row.query;
    if (!score.is_dot)
        bars.push_back(
            {word(score.short_name), static_cast<double>(context.trace.scores[of.head](query, of.key)), colors.text});
    const bool has_bias = model.bias_on || position_encoding(model.position->encoding).bias != nullptr;
    bars.push_back({word(has_bias ? "scaled, + bias" : "scaled"),
                    static_cast<double>(stage_value(model, context.trace, Stage::masked, of.head, query, of.key)),
                    colors.text});
    bars.push_back({word("weight"), static_cast<double>(of.weights[static_cast<std::size_t>(of.key)]), colors.output});
    return bars;
}

std::optional<Note> check_of(const FigureContext& context, const GeometryRow& of, const PairFacts& facts) {
    const Palette& colors = context.colors();
    if (of.row.visible[static_cast<std::size_t>(of.key)] == 0)
        return Note{std::string(context.word("The mask hides this key from the query.")), colors.dim};
    if (!score_function(context.model.score).is_dot)
        return Note{std::string(context.word("This score is not ‖q‖·‖k‖·cos θ.")), colors.dim};
    if (!facts.has_angle()) return std::nullopt;
    const auto score = static_cast<double>(context.trace.scores[of.head](of.row.query, of.key));
    const double error = std::abs(facts.product - score) / std::max(1.0, std::abs(score));
    if (!(error < 1e-6)) return std::nullopt;
    return Note{std::string(context.word("✓ ‖q‖·‖k‖·cos θ = q·k to 1e-6")), colors.good};
}

}  // namespace

float weight_bars_height(const FigureContext& context) {
    const float text = context.options.text_size;
    return text * (1.7F + bar_row * bar_rows) + notes_height(context, 1) + 4;
}

void add_weight_bars(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room) {
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    const float size = text - 2;
    const PairFacts facts = facts_of(of);
    const std::vector<Bar> bars = bars_of(context, of, facts);
    const std::string query = told_query(context.model, of.row.query);
    const std::string key = told_key(context.model, of.key);
    std::string title = fill(context.word("Why this weight: “{0}” asks “{1}”"), {query, key});
    if (context.measure.width(title, text, Font::bold) > room.w)
        title = fill(context.word("“{0}” asks “{1}”"), {query, key});
    figure.marks.emplace_back(TextMark{shorten(context.measure, title, text, Font::bold, room.w),
                                       {room.x, room.y + text * 0.6F},
                                       {text, Font::bold, colors.text},
                                       AlignX::left,
                                       AlignY::middle,
                                       0,
                                       true});
    float labels = 0;
    float numbers = 0;
    double above = 0;
    double below = 0;
    for (const Bar& bar : bars) {
        labels = std::max(labels, rich_width(context.measure, bar.label, size, Font::words));
        numbers = std::max(numbers, context.measure.width(bar.number(), size, Font::mono));
        if (!std::isfinite(bar.value)) continue;
        above = std::max(above, bar.value);
        below = std::max(below, -bar.value);
    }
    numbers = std::max(numbers, context.measure.width("−0.000", size, Font::mono));
    const float left = room.x + labels + 10;
    const float right = room.right() - numbers - 10;
    const float zero = left + (right - left) * zero_share;
    const double unit = std::min(static_cast<double>(right - zero) / std::max(above, 1e-300),
                                 static_cast<double>(zero - left) / std::max(below, 1e-300));  // px
    float y = room.y + text * 1.7F;
    const float top = y;
    for (const Bar& bar : bars) {
        const float middle = y + text * bar_row / 2;
        figure.marks.emplace_back(
            TextMark{bar.label, {left - 8, middle}, {size, Font::words, bar.color}, AlignX::right, AlignY::middle});
        figure.marks.emplace_back(TextMark{
            bar.number(), {room.right(), middle}, {size, Font::mono, colors.text}, AlignX::right, AlignY::middle});
        if (std::isfinite(bar.value) && bar.value != 0) {
            const auto length = static_cast<float>(std::abs(bar.value) * unit);
            const float h = text * 0.85F;
            figure.marks.emplace_back(BoxMark{.area = {bar.value < 0 ? zero - length : zero, middle - h / 2, length, h},
                                              .fill = with_alpha(bar.color, 0.8F),
                                              .radius = 2});
        }
        y += text * bar_row;
    }
    figure.marks.emplace_back(LineMark{{{zero, top}, {zero, y}}, colors.hairline});
    if (const std::optional<Note> check = check_of(context, of, facts))
        add_notes(figure, context, {room.x, y + 2, room.w, notes_height(context, 1) + 0.5F}, {*check});
}

namespace {

float score_row_of(const Model& model) {
    return normalizer(model.normalizer->id).may_be_negative ? signed_score_row : score_row;
}

// The weights of the shown keys by each score, and how far they reach above and below zero.
struct ScoreRows {
    struct Row {
        const ScoreFunction* score = nullptr;
        std::vector<double> weights;  // one for each shown key
    };
    std::vector<Row> rows;
    double above = 0, below = 0;
};

ScoreRows score_rows(const GeometryRow& of, const std::vector<int>& shown) {
    ScoreRows out;
    for (const ScoreFunction& score : score_functions()) {
        if (score.uses_hidden_layer) continue;
        // What a row that sees no key gets does not follow from scores.
        const std::vector<double> all = of.sees_a_key ? weights_by_score(of.row, score.id)
                                                      : std::vector<double>(of.weights.begin(), of.weights.end());
        ScoreRows::Row row{&score, {}};
        for (const int key : shown) {
            const double weight = all[static_cast<std::size_t>(key)];
            row.weights.push_back(weight);
            if (!std::isfinite(weight)) continue;
            out.above = std::max(out.above, weight);
            out.below = std::max(out.below, -weight);
        }
        out.rows.push_back(std::move(row));
    }
    return out;
}

// Those whose weights are largest, whatever their signs, and the pinned one; in their order.
std::vector<int> strongest_keys(const GeometryRow& of, int count) {
    std::vector<int> keys = of.by_weight;
    const auto size = [&](int key) {
        const float weight = std::abs(of.weights[static_cast<std::size_t>(key)]);
        return std::isnan(weight) ? -1.0F : weight;
    };
    std::ranges::stable_sort(keys, [&](int a, int b) { return size(a) > size(b); });
    keys.resize(static_cast<std::size_t>(count));
    if (std::ranges::find(keys, of.key) == keys.end()) keys.back() = of.key;
    std::ranges::sort(keys);
    return keys;
}

// How many keys are shown is said wherever it is not all of them.
void add_score_title(Figure& figure, const FigureContext& context, Rect room, int shown, int keys) {
    const bool are_all = shown == keys;
    const std::string note = are_all
                                 ? std::string(context.word("under each name the pair’s score"))
                                 : fill(context.word("{0} of {1} keys"), {std::to_string(shown), std::to_string(keys)});
    const float text = context.options.text_size;
    std::string_view title = context.word("Stretch k: which weights move");
    const float needed = rich_width(context.measure, title, text, Font::bold) + 10 +
                         rich_width(context.measure, note, text - 2, Font::words);
    if (!are_all && needed > room.w) title = context.word("Stretch k");
    add_panel_title(figure, context, room, title, note, context.colors().text);
}

}  // namespace

float score_rows_height(const FigureContext& context) {
    const float text = context.options.text_size;
    int rows = 0;
    for (const ScoreFunction& score : score_functions()) rows += score.uses_hidden_layer ? 0 : 1;
    return text * (1.7F + score_row_of(context.model) * static_cast<float>(rows) + 1.3F);
}

void add_score_rows(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room) {
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    const float size = text - 2;
    const float small = text - 4;
    float labels = 0;
    for (const ScoreFunction& score : score_functions())
        if (!score.uses_hidden_layer)
            labels = std::max(labels, rich_width(context.measure, context.word(score.short_name), size, Font::bold));
    const float left = room.x + labels + 12;
    const bool may_be_negative = normalizer(context.model.normalizer->id).may_be_negative;
    const float number = context.measure.width(may_be_negative ? "−0.00" : "0.00", small, Font::mono) + 6;
    const auto keys = static_cast<int>(of.weights.size());
    const int shown = std::clamp(static_cast<int>((room.right() - left) / number), 1, keys);
    const std::vector<int> picked = strongest_keys(of, shown);
    add_score_title(figure, context, room, shown, keys);
    const float w = std::min((room.right() - left) / static_cast<float>(shown), text * 5);
    const ScoreRows rows = score_rows(of, picked);
    const float row_height = text * score_row_of(context.model);
    const float foot = rows.below > 0 ? small + 2 : 0;  // numbers below the line
    const double unit = static_cast<double>(row_height - small - 10 - foot) / std::max(rows.above + rows.below, 1e-300);
    float y = room.y + text * 1.7F;
    for (const ScoreRows::Row& row : rows.rows) {
        const bool is_used = row.score->id == context.model.score;
        const float base = y + row_height - 4 - foot - static_cast<float>(rows.below * unit);
        const float name_y = y + row_height / 2;
        figure.marks.emplace_back(
            TextMark{std::string(context.word(row.score->short_name)),
                     {left - 10, name_y},
                     {size, is_used ? Font::bold : Font::words, is_used ? colors.text : colors.dim},
                     AlignX::right,
                     AlignY::middle});
        figure.marks.emplace_back(TextMark{compact(score_of_pair(of.row, row.score->id, of.key)),
                                           {left - 10, name_y + size * 1.15F},
                                           {small, Font::mono, colors.accent},
                                           AlignX::right,
                                           AlignY::middle});
        figure.marks.emplace_back(
            LineMark{{{left, base}, {left + w * static_cast<float>(shown), base}}, colors.hairline});
        for (int at = 0; at < shown; ++at) {
            const int key = picked[static_cast<std::size_t>(at)];
            const double weight = row.weights[static_cast<std::size_t>(at)];
            const float middle = left + (static_cast<float>(at) + 0.5F) * w;
            const float h = std::isfinite(weight) ? static_cast<float>(std::abs(weight) * unit) : 0;
            const bool is_below = weight < 0;
            if (h >= 0.5F)  // px: what has no height has no bar
                figure.marks.emplace_back(
                    BoxMark{.area = {middle - w * 0.36F, is_below ? base : base - h, w * 0.72F, h},
                            .fill = key == of.key ? colors.accent : colors.track,
                            .radius = std::min(2.0F, h / 2)});
            figure.marks.emplace_back(TextMark{decimal(weight, 2),
                                               {middle, is_below ? base + h + 2 : base - h - 2},
                                               {small, Font::mono, key == of.key ? colors.text : colors.dim},
                                               AlignX::center,
                                               is_below ? AlignY::top : AlignY::bottom});
        }
        y += row_height;
    }
    for (int at = 0; at < shown; ++at) {
        const int key = picked[static_cast<std::size_t>(at)];
        const float middle = left + (static_cast<float>(at) + 0.5F) * w;
        const Font font = key == of.key ? Font::bold : Font::words;
        figure.marks.emplace_back(TextMark{shorten(context.measure, told_key(context.model, key), small, font, w - 4),
                                           {middle, y + 2},
                                           {small, font, colors.key},
                                           AlignX::center,
                                           AlignY::top,
                                           0,
                                           true});
    }
}

}  // namespace heed
