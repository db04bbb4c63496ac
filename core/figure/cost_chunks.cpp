// Chunked attention of the pinned query, one chunk of keys at a time, beside the exact end.
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/rows.h"
#include "core/cost/chunk_steps.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/figure/cost_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace heed {

namespace {

std::vector<double> logits_of(const FigureContext& context, int head, int query) {
    const Model& model = context.model;
    std::vector<double> logits;
    for (int j = 0; j < effective_n_keys(model); ++j) {
        const bool is_visible = context.trace.visible_of(head)(query, j) != 0;
        logits.push_back(is_visible
                             ? static_cast<double>(stage_value(model, context.trace, Stage::masked, head, query, j))
                             : -std::numeric_limits<double>::infinity());
    }
    return logits;
}

float largest_finite(const ConstMatrixRef& values) {
    float most = 0;
    for (Index i = 0; i < values.rows(); ++i)
        for (Index c = 0; c < values.cols(); ++c)
            if (std::isfinite(values(i, c))) most = std::max(most, std::abs(values(i, c)));
    return most;
}

class Chunks {
public:
    Chunks(const PanelPen& pen)
        : pen_(pen),
          context_(pen.context),
          head_(shown_head(pen.context)),
          query_(pinned_cell(pen.context).query),
          chunk_(pen.context.display.cost->chunk),
          logits_(logits_of(pen.context, head_, query_)),
          steps_(chunk_steps(logits_, pen.context.trace.v[kv_head_of(pen.context.model, head_)], chunk_)),
          taken_(std::clamp(pen.context.display.cost->step, 0, static_cast<int>(steps_.size()))) {}

    void draw(Rect room) const {
        room = pen_.intro(
            room,
            fill(context_.word(
                     steps_.size() == 1
                         ? "Query “{0}”: all keys are read in 1 chunk; nothing is kept of it but three things: a "
                           "maximum, a denominator and an output"
                         : "Query “{0}”: keys are read in {1} chunks of {2}; nothing is kept of a chunk but three "
                           "things: a maximum, a denominator and an output"),
                 {shorten(context_.measure, query_label(context_.model, query_), pen_.text - 2, Font::words, 110),
                  std::to_string(steps_.size()), std::to_string(chunk_)}));
        float y = room.y + pen_.text * 2.2F;
        y = draw_logits({room.x, y, room.w, 0});
        const float split = room.x + room.w * 0.46F;
        draw_arithmetic({room.x, y, split - room.x - 24, room.bottom() - y});
        draw_outputs({split, y, room.right() - split, room.bottom() - y});
    }

private:
    // The logits as a strip; chunks that were not read yet are veiled, the one that was read last is framed.
    float draw_logits(Rect room) const {
        pen_.words(pen_.word("logits of the query, chunk by chunk"), {room.x, room.y}, pen_.colors.text, AlignX::left,
                   Font::bold, 1);
        const auto count = static_cast<Index>(logits_.size());
        Matrix values(1, count);
        MaskMatrix visible(1, count);
        for (Index j = 0; j < count; ++j) {
            visible(0, j) = context_.trace.visible_of(head_)(query_, j);
            values(0, j) = visible(0, j) != 0 ? static_cast<float>(logits_[static_cast<std::size_t>(j)]) : 0.0F;
        }
        HeatmapMark map;
        map.id = "cost logits";
        const float cell = std::min(72.0F, room.w / static_cast<float>(count));
        const float height = 34;
        map.area = {room.x, room.y + pen_.text * 1.1F, cell * static_cast<float>(count), height};
        const float most = std::max(1e-6F, largest_finite(values));
        map.scale = {color_map(context_.display.cells->diverging_map).id, -most, most};
        map.values = view_by_content(std::move(values));
        const auto mask = std::make_shared<const MaskMatrix>(std::move(visible));
        map.visible = {mask->data(), 1, count, mask, map.values.version};
        StagePanel panel;
        panel.id = map.id;
        panel.heatmap = map;
        const NumberLook look = fitting_numbers(context_, panel, cell, height);
        map.decimals = look.decimals;
        map.number_size = look.size;
        const Rect area = map.area;
        pen_.figure.targets.push_back(
            {.id = map.id, .kind = TargetKind::cells, .area = area, .rows = 1, .cols = count, .tooltip = {}});
        pen_.figure.marks.emplace_back(std::move(map));
        const auto place = [&](Index key) { return area.x + cell * static_cast<float>(key); };
        if (taken_ < static_cast<int>(steps_.size())) {
            const float from = place(taken_ == 0 ? 0 : steps_[static_cast<std::size_t>(taken_ - 1)].end);
            pen_.figure.marks.emplace_back(BoxMark{.area = {from, area.y, area.right() - from, area.h},
                                                   .fill = with_alpha(pen_.colors.window, 0.75F)});
        }
        if (cell * static_cast<float>(chunk_) >= 4)
            for (const ChunkStep& step : steps_)
                pen_.figure.marks.emplace_back(LineMark{
                    {{place(step.first), area.y - 3}, {place(step.first), area.bottom() + 3}}, pen_.colors.dim});
        if (taken_ > 0) {
            const ChunkStep& step = steps_[static_cast<std::size_t>(taken_ - 1)];
            pen_.figure.marks.emplace_back(BoxMark{
                .area = {place(step.first), area.y, std::max(2.0F, place(step.end) - place(step.first)), area.h},
                .stroke = pen_.colors.accent,
                .stroke_width = 2});
        }
        float foot = 0;
        if (context_.options.tick_labels && cell >= 7) {
            LabelSpec keys;
            keys.style = {pen_.text - 3, Font::words, pen_.colors.key};
            keys.count = static_cast<int>(count);
            keys.label_at = [this](int key) { return key_label(context_.model, key); };
            keys.pictures = label_pictures(context_, false, keys.count);
            foot = add_column_labels(pen_.figure, context_.measure, keys, area, pen_.text * 4, false);
        }
        return area.bottom() + foot + pen_.text * 1.6F;
    }

    static std::string digits(double value) {
        if (value == -std::numeric_limits<double>::infinity()) return "−∞";
        const double size = std::abs(value);
        return size != 0 && (size < 0.0005 || size >= 1e5) ? compact(value) : decimal(value, 3);
    }

    // A quotient's terms with as many digits as it takes for who divides what is written to get what is written.
    static std::pair<std::string, std::string> quotient(double above, double below, double result) {
        for (const int decimals : {3, 4, 5}) {
            const double unit = std::pow(10.0, decimals);
            const double read = std::round(above * unit) / std::round(below * unit);
            if (decimal(read, 3) == decimal(result, 3)) return {decimal(above, decimals), decimal(below, decimals)};
        }
        return {digits(above), digits(below)};
    }

    // "− 3.462", or "+ 3.462" where −3.462 is taken away.
    static std::string less(double value) { return (value < 0 ? "+ " : "− ") + digits(std::abs(value)); }

    // What the last chunk did, in numbers.
    void draw_arithmetic(Rect room) const {
        float y = room.y + pen_.text * 0.5F;
        const auto say = [&](const std::string& words, Color color, Font font = Font::words) {
            const float smaller = font == Font::bold ? 0.0F : 1.0F;
            const auto lines = wrapped(context_.measure, words, pen_.text - smaller, font, room.w).size();
            if (y + static_cast<float>(lines) * pen_.text * 1.4F > room.bottom()) return;
            y = add_lines(pen_, words, {room.x, y}, room.w, color, font, smaller) + pen_.text * 0.3F;
        };
        if (taken_ == 0) {
            say(pen_.word("Nothing is read yet"), pen_.colors.text, Font::bold);
            say(pen_.word("maximum −∞, denominator 0, output 0"), pen_.colors.dim);
            return;
        }
        const ChunkStep& step = steps_[static_cast<std::size_t>(taken_ - 1)];
        say(fill(context_.word(step.end - step.first == 1 ? "Chunk {0} of {1}: key {2}"
                                                          : "Chunk {0} of {1}: keys {2}–{3}"),
                 {std::to_string(taken_), std::to_string(steps_.size()), shown_number(step.first),
                  std::to_string(step.end)}),
            pen_.colors.text, Font::bold);
        if (step.seen == 0) {
            say(pen_.word("All of its keys are hidden: nothing changes"), pen_.colors.dim);
        } else {
            say(fill(context_.word("maximum: max({0}, {1}) = {2}"),
                     {digits(step.maximum_before), digits(step.chunk_maximum), digits(step.maximum)}),
                pen_.colors.text);
            if (step.denominator_before == 0)
                say(pen_.word("Nothing was summed before: nothing to rescale"), pen_.colors.dim);
            else
                say(fill(context_.word("rescale what was summed: e^{{0} {1}} = {2}"),
                         {digits(step.maximum_before), less(step.maximum), digits(step.rescale)}),
                    pen_.colors.key);
            say(step.denominator_before == 0 ? fill(context_.word("denominator: {0}"), {digits(step.denominator)})
                                             : fill(context_.word("denominator: {0} · {1} + {2} = {3}"),
                                                    {digits(step.denominator_before), digits(step.rescale),
                                                     digits(step.chunk_sum), digits(step.denominator)}),
                pen_.colors.text);
            const auto [sum, denominator] = quotient(step.sum.front(), step.denominator, step.output.front());
            say(fill(context_.word("output, first component: {0} ÷ {1} = {2}"),
                     {sum, denominator, digits(step.output.front())}),
                pen_.colors.output);
        }
        if (taken_ == static_cast<int>(steps_.size())) {
            const auto [words, color] = end_words(step);
            say(words, color);
            return;
        }
        const auto left = logits_.size() - static_cast<std::size_t>(step.end);
        say(fill(context_.word(left == 1 ? "largest difference from the end {0}: 1 key is still to come"
                                         : "largest difference from the end {0}: {1} keys are still to come"),
                 {compact(largest_difference(step.output, whole())), std::to_string(left)}),
            pen_.colors.dim);
    }

    std::span<const float> whole() const {
        const auto row = context_.trace.head_output[head_].row(query_);
        return {row.data(), static_cast<std::size_t>(row.size())};
    }

    // Whether the last chunk ends where the whole softmax does, and where not, why.
    std::pair<std::string, Color> end_words(const ChunkStep& step) const {
        const Model& model = context_.model;
        if (!context_.trace.sees_a_key(head_, query_) && model.normalizer->masked_row != MaskedRow::zero)
            return {pen_.word(model.normalizer->masked_row == MaskedRow::uniform
                                  ? "The query sees no key: chunks give 0, this scene gives such a row the mean of V"
                                  : "The query sees no key: chunks give 0, this scene gives such a row NaN"),
                    amber(pen_)};
        const std::string apart = compact(largest_difference(step.output, whole()));
        const auto values = context_.trace.v[kv_head_of(model, head_)];
        switch (compare_end(step.output, whole(), static_cast<double>(largest_finite(values)))) {
            case ChunkEnd::equal:
                return {"✓ " + fill(context_.word("equal to the whole softmax: largest difference {0}"), {apart}),
                        pen_.colors.good};
            case ChunkEnd::apart:
                return {fill(context_.word("not equal to the whole softmax: largest difference {0}"), {apart}),
                        amber(pen_)};
            case ChunkEnd::both_broken:
                return {pen_.word("nothing to compare: the chunks and the whole softmax both give NaN or ∞"),
                        amber(pen_)};
            case ChunkEnd::whole_broken:
                return {pen_.word(normalizer(model.normalizer->id).is_stable
                                      ? "not equal: the whole softmax gives NaN or ∞ here, the chunks do not"
                                      : "not equal: this scene's softmax subtracts no maximum and overflows here, the "
                                        "chunks do not"),
                        amber(pen_)};
            case ChunkEnd::chunks_broken:
                break;
        }
        return {pen_.word("not equal: the chunks give NaN or ∞ here, the whole softmax does not"), amber(pen_)};
    }

    // The output after each chunk, a row each, and under them what the whole softmax gives.
    void draw_outputs(Rect room) const {
        const auto rows = static_cast<Index>(steps_.size());
        const Index cols = context_.trace.head_output.cols();
        Matrix values = Matrix::Zero(rows, cols);
        MaskMatrix visible(rows, cols);
        for (Index r = 0; r < rows; ++r)
            for (Index c = 0; c < cols; ++c) {
                values(r, c) =
                    static_cast<float>(steps_[static_cast<std::size_t>(r)].output[static_cast<std::size_t>(c)]);
                visible(r, c) = r < taken_ ? 1 : 0;
            }
        Matrix exact = context_.trace.head_output[head_].row(query_);
        const float most = std::max({1e-6F, largest_finite(values), largest_finite(exact)});
        const float label_w = pen_.text * 5;
        const float head_h = pen_.text * 1.7F;
        const float below = pen_.text * 1.2F + 26;
        const float w = std::min(72.0F * static_cast<float>(cols), room.w - label_w);
        const float h = std::max(8.0F, std::min(36.0F * static_cast<float>(rows), room.h - head_h - below));
        pen_.words(pen_.word("output after each chunk"), {room.x + label_w, room.y + pen_.text * 0.5F},
                   pen_.colors.output, AlignX::left, Font::bold, 1);
        const Rect area{room.x + label_w, room.y + head_h, w, h};
        draw_rows("cost outputs", std::move(values), std::move(visible), most, area);
        const float cell_h = h / static_cast<float>(rows);
        const Index every = std::max<Index>(1, static_cast<Index>(std::ceil(pen_.text * 1.3F / cell_h)));
        for (Index r = 0; r < rows; r += every)
            pen_.words(fill(context_.word("chunk {0}"), {shown_number(r)}),
                       {area.x - 8, area.y + cell_h * (static_cast<float>(r) + 0.5F)},
                       r + 1 == taken_ ? pen_.colors.text : pen_.colors.dim, AlignX::right, Font::words, 3);
        if (taken_ > 0)
            pen_.figure.marks.emplace_back(
                BoxMark{.area = {area.x, area.y + cell_h * static_cast<float>(taken_ - 1), area.w, cell_h},
                        .stroke = pen_.colors.accent,
                        .stroke_width = 2});
        const Rect end{area.x, area.bottom() + pen_.text * 1.2F, w, 22};
        pen_.words(pen_.word("exact"), {end.x - 8, end.center().y}, pen_.colors.text, AlignX::right, Font::words, 3);
        draw_rows("cost exact output", std::move(exact), MaskMatrix::Ones(1, cols), most, end);
    }

    void draw_rows(const char* id, Matrix values, MaskMatrix visible, float most, Rect area) const {
        HeatmapMark map;
        map.id = id;
        map.area = area;
        map.scale = {color_map(context_.display.cells->diverging_map).id, -most, most};
        const Index rows = values.rows(), cols = values.cols();
        map.values = view_by_content(std::move(values));
        const auto mask = std::make_shared<const MaskMatrix>(std::move(visible));
        map.visible = {mask->data(), rows, cols, mask,
                       mix_bits(map.values.version + static_cast<std::uint64_t>(taken_))};
        StagePanel panel;
        panel.id = id;
        panel.heatmap = map;
        const NumberLook look =
            fitting_numbers(context_, panel, area.w / static_cast<float>(cols), area.h / static_cast<float>(rows));
        map.decimals = look.decimals;
        map.number_size = look.size;
        pen_.figure.marks.emplace_back(
            BoxMark{.area = {area.x - 1, area.y - 1, area.w + 2, area.h + 2}, .stroke = pen_.colors.hairline});
        pen_.figure.targets.push_back(
            {.id = id, .kind = TargetKind::cells, .area = area, .rows = rows, .cols = cols, .tooltip = {}});
        pen_.figure.marks.emplace_back(std::move(map));
    }

    const PanelPen& pen_;
    const FigureContext& context_;
    int head_, query_;
    Index chunk_;
    std::vector<double> logits_;
    std::vector<ChunkStep> steps_;
    int taken_;
};

}  // namespace

void add_cost_chunks(const PanelPen& pen, Rect room) {
    const Model& model = pen.context.model;
    if (!normalizer(model.normalizer->id).is_softmax || is_limit(model))
        return pen.sentence(
            room,
            pen.word(
                "Chunks are joined by a softmax's exponentials: this scene has another normaliser, or temperature 0."),
            pen.colors.dim);
    Chunks(pen).draw(room);
}

}  // namespace heed
