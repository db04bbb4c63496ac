// The rows of the stream's page: for each part what it wrote, how long that is, its share, and the stream after it.
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/figure/block_pages.h"
#include "core/figure/color_bar.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/growing_room.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

class StreamRows {
public:
    StreamRows(const PanelPen& pen, const TransformerConfig& config, const StreamReading& reading, int token)
        : pen_(pen), context_(pen.context), config_(config), reading_(reading), token_(token) {}

    void draw(Rect room) const {
        const float head = pen_.text * 1.5F;
        const auto count = static_cast<float>(reading_.writes.size() + 1);
        room = room_of_at_least(pen_.figure, context_, room, head + 6 + count * pen_.text * 1.3F);
        const Columns at = columns_of(room);
        const float names_h = token_names_height(at, room.h - head - 6 - count * pen_.text * 1.3F);
        const float step = std::min(pen_.text * 4, (room.h - head - 6 - names_h) / count);
        const float strip_h = std::max(3.0F, std::min(pen_.text * 2, step * 0.62F));
        // Where not every row has room for words, a number of rows that lets both kinds of parts be named in turn.
        auto every = static_cast<std::size_t>(std::max(1.0F, std::ceil(pen_.text * 1.05F / step)));
        if (every > 1) every |= 1U;
        add_titles(at, room.y + head * 0.4F);
        const float first = room.y + head + step / 2;
        add_line(at.line, first, step);
        const auto number = [&](double value, float x, float y) {
            pen_.words(std::isfinite(value) ? compact(value) : "–", {x, y}, pen_.colors.text, AlignX::left, Font::mono);
        };
        const auto stream = [&](int row, double length, float y, bool has_words) {
            if (!at.has_stream) return;
            add_strip("stream", row, reading_.stream_strips[static_cast<std::size_t>(row)],
                      {at.stream, y - strip_h / 2, at.strip_w, strip_h}, reading_.most_stream);
            if (has_words) number(length, at.stream_number, y);
        };
        stream(0, reading_.writes.empty() ? 0 : reading_.writes.front().before, first, true);
        pen_.words(pen_.word("Embedding"), {at.name, first}, pen_.colors.text, AlignX::left, Font::words, 1);
        add_share(at, 0, first, step, strip_h, pen_.colors.dim, true);
        for (std::size_t i = 0; i < reading_.writes.size(); ++i) {
            const PartWrite& one = reading_.writes[i];
            const float y = first + step * static_cast<float>(i + 1);
            const bool has_words = (i + 1) % every == 0;
            const Color color = one.kind->attends ? pen_.colors.accent : pen_.colors.output;
            const int row = static_cast<int>(i) + 1;
            add_strip("write", row, reading_.write_strips[i], {at.write, y - strip_h / 2, at.strip_w, strip_h},
                      reading_.most_write);
            stream(row, one.after, y, has_words);
            add_share(at, i + 1, y, step, strip_h, color, has_words);
            if (has_words) {
                pen_.words(name_of(one), {at.name, y}, color, AlignX::left, Font::words, 1);
                number(one.write, at.write_number, y);
            }
            if (!context_.on_paper) {
                const Target opens{
                    .id = {"part", row - 1},
                    .area = {at.line - 10, y - step / 2, at.write - at.line, step},
                    .tooltip = pen_.word(one.kind->attends ? "Open this layer's attention in Pipeline"
                                                           : "See what this feed-forward does to a token")};
                pen_.figure.targets.push_back(opens);
            }
        }
        if (names_h == 0) return;
        const float y = first + step * (count - 1);
        for (const float x : {at.write, at.stream})
            if (x == at.write || at.has_stream)
                add_column_labels(pen_.figure, context_.measure, token_names(),
                                  {x, y - strip_h / 2, at.strip_w, strip_h}, most_name(), false);
    }

private:
    // Of all tokens the columns are tokens, and the last strips have their names below.
    LabelSpec token_names() const {
        LabelSpec names;
        names.style = {pen_.text - 3, Font::words, pen_.colors.dim};
        names.count = context_.model.n_queries;
        names.label_at = [&model = context_.model](int token) { return query_label(model, token); };
        names.pictures = label_pictures(context_, true, names.count);
        return names;
    }
    float most_name() const { return pen_.text * 4; }
    struct Columns {
        float line, name, write, write_number, share, stream, stream_number;
        float strip_w, share_w;
        bool has_stream, has_bars;
    };
    // 0 where the rows leave no room for them.
    float token_names_height(const Columns& at, float spare) const {
        if (token_ >= 0) return 0;
        const float cell = at.strip_w / static_cast<float>(std::max(1, context_.model.n_queries));
        const float height = column_labels_height(context_.measure, token_names(), cell, most_name());
        return height <= spare ? height : 0;
    }
    // Where there is little room the stream after a part gives way first, then the bars beside the shares.
    Columns columns_of(Rect room) const {
        Columns at{};
        at.line = room.x + 12;
        at.name = room.x + 30;
        float name_w = 0;
        for (const PartWrite& one : reading_.writes)
            name_w = std::max(name_w, context_.measure.width(name_of(one), pen_.text - 1, Font::words));
        name_w = std::max(name_w, context_.measure.width(pen_.word("Embedding"), pen_.text - 1, Font::words)) + 22;
        const float number_w = context_.measure.width("00.00", pen_.text - 2, Font::mono) + 16;
        at.write = at.name + name_w;
        const float left = room.right() - at.write;
        at.has_stream = left - 2 * number_w - 28 >= pen_.text * 20;
        const float rest = std::max(90.0F, left - (at.has_stream ? 2 : 1) * number_w - (at.has_stream ? 28 : 8));
        if (has_shares()) {
            const float least = share_number_w() + pen_.text * 2;
            at.share_w = std::max(rest * (at.has_stream ? 0.24F : 0.42F), share_number_w());
            if (at.has_stream)
                at.share_w =
                    std::max(at.share_w, context_.measure.width(share_titles().front(), pen_.text - 2, Font::words));
            at.has_bars = at.share_w >= least;
            if (!at.has_bars) at.share_w = share_number_w();
        }
        at.strip_w = std::max(24.0F, (rest - at.share_w) / (at.has_stream ? 2.0F : 1.0F));
        at.write_number = at.write + at.strip_w + 6;
        at.share = at.write_number + number_w;
        at.stream = at.share + at.share_w + (has_shares() ? 14.0F : 0.0F);
        at.stream_number = at.stream + at.strip_w + 6;
        return at;
    }

    // Without a residual nothing of the stream is kept, and there is nothing to share.
    bool has_shares() const { return config_.residual; }
    std::vector<std::string> share_titles() const {
        if (reading_.along.empty()) return {pen_.word("write / (stream + write)"), pen_.word("write part")};
        return {pen_.word("share of the output"), pen_.word("share")};
    }
    // Of row 0, the embedding, or of a part: along the output where that is a sum, else beside the stream it found. NaN: it has none.
    double share_of(std::size_t row) const {
        if (!reading_.along.empty()) return reading_.along[row];
        return row == 0 ? std::numeric_limits<double>::quiet_NaN() : reading_.writes[row - 1].share;
    }

    std::string name_of(const PartWrite& one) const {
        return (config_.n_layers > 1 ? shown_number(one.layer) + "  " : "") + pen_.word(one.kind->name);
    }

    ColorScale scale_of(float most) const {
        return token_ >= 0 ? diverging_scale(context_, std::max(most, 1e-30F)) : lengths_scale(most);
    }

    void add_strip(const char* id, int number, const Matrix& strip, Rect area, float most) const {
        HeatmapMark map;
        map.id = std::string(id) + " " + std::to_string(number);
        map.area = area;
        map.values = view_by_content(strip);
        map.scale = scale_of(most);
        map.hatch_hidden = false;
        pen_.figure.marks.emplace_back(std::move(map));
        pen_.figure.marks.emplace_back(BoxMark{.area = area, .stroke = pen_.colors.hairline});
        if (!context_.on_paper)
            pen_.figure.targets.push_back({.id = {id, number},
                                           .kind = TargetKind::cells,
                                           .area = area,
                                           .rows = 1,
                                           .cols = std::max<Index>(1, strip.cols()),
                                           .tooltip = {}});
    }
    float share_number_w() const { return context_.measure.width("100.0 %", pen_.text - 2, Font::mono) + 6; }
    ColorScale lengths_scale(float most) const {
        ColorScale scale = diverging_scale(context_, 1);
        scale.map = color_map(context_.display.cells->sequential_map).id;
        scale.low = 0;
        scale.high = std::max(most, 1e-30F);
        return scale;
    }

    void add_titles(const Columns& at, float y) const {
        const auto title = [&](const std::vector<std::string>& choices, float x, float w) {
            std::string words;
            for (const std::string& choice : choices) {
                words = choice;
                if (context_.measure.width(words, pen_.text - 2, Font::words) <= w) break;
            }
            pen_.words(shorten(context_.measure, words, pen_.text - 2, Font::words, w), {x, y}, pen_.colors.dim);
        };
        const bool is_token = token_ >= 0;
        // All strips of a column have one scale; fewer words leave room for its range.
        const auto with_range = [&](const std::vector<std::string>& choices, float most) {
            std::vector<std::string> all;
            if (context_.options.color_bars && most > 0)  // otherwise there is no range to tell
                for (const std::string& words : choices) all.push_back(words + "  " + range_words(scale_of(most)));
            all.insert(all.end(), choices.begin(), choices.end());
            return all;
        };
        title(
            with_range({is_token ? fill(context_.word("what it writes, {0} numbers"), {std::to_string(config_.d_model)})
                                 : pen_.word("what it writes: length for each token"),
                        pen_.word("what it writes"), pen_.word("writes")},
                       reading_.most_write),
            at.write, at.strip_w);
        title({"‖·‖"}, at.write_number, 60);
        if (has_shares()) title(share_titles(), at.share, at.share_w);
        if (!at.has_stream) return;
        title(with_range({pen_.word(is_token ? "the stream after it" : "the stream after it: length for each token"),
                          pen_.word("the stream after it"), pen_.word("stream")},
                         reading_.most_stream),
              at.stream, at.strip_w);
        title({"‖·‖"}, at.stream_number, 60);
    }

    void add_share(const Columns& at, std::size_t row, float y, float step, float strip_h, Color color,
                   bool has_words) const {
        const double share = share_of(row);
        if (!has_shares() || (row == 0 && reading_.along.empty())) return;
        if (at.has_bars && std::isfinite(share)) {
            // From 0, which stands at the left unless a share lies below it, to the largest.
            double low = 0, high = reading_.along.empty() ? 1 : 1e-9;
            for (const double one : reading_.along) {
                low = std::min(low, one);
                high = std::max(high, one);
            }
            const float w = at.share_w - share_number_w();
            const auto place = [&](double of) { return at.share + w * static_cast<float>((of - low) / (high - low)); };
            const float h = std::min(strip_h, 10.0F);
            const float from = place(std::min(0.0, share));
            const float to = place(std::max(0.0, share));
            if (high == 1 && low == 0)  // a track says that its end is the whole
                pen_.figure.marks.emplace_back(
                    BoxMark{.area = {at.share, y - h / 2, w, h}, .fill = pen_.colors.field, .radius = 3});
            pen_.figure.marks.emplace_back(BoxMark{.area = {from, y - h / 2, std::max(1.0F, to - from), h},
                                                   .fill = with_alpha(color, 0.85F),
                                                   .radius = 3});
            if (low < 0)
                pen_.figure.marks.emplace_back(
                    LineMark{{{place(0), y - h / 2 - 2}, {place(0), y + h / 2 + 2}}, pen_.colors.dim});
        }
        if (has_words)
            pen_.words(as_percent(share), {at.share + at.share_w, y}, pen_.colors.text, AlignX::right, Font::mono);
        if (!context_.on_paper)
            pen_.figure.targets.push_back({.id = {"share", static_cast<int>(row)},
                                           .area = {at.share, y - step / 2, at.share_w, step},
                                           .tooltip = share_words(row)});
    }

    std::string share_words(std::size_t row) const {
        if (!reading_.along.empty())
            return fill(context_.word(row == 0 ? "embedding · output / ‖output‖^{2} = {0}"
                                               : "write · output / ‖output‖^{2} = {0}"),
                        {as_percent(reading_.along[row])});
        const PartWrite& one = reading_.writes[row - 1];
        return fill(context_.word("‖write‖ / (‖stream before‖ + ‖write‖) = {0} / ({1} + {0}) = {2}"),
                    {compact(one.write), compact(one.before), as_percent(one.share)});
    }

    // The stream itself: a line with a + where a part adds, and a break with a dot where it replaces.
    void add_line(float x, float first, float step) const {
        const Color color = pen_.colors.dim;
        const float radius = std::clamp(step / 3, 1.5F, 8.0F);
        for (std::size_t i = 0; i < reading_.writes.size(); ++i) {
            const float from = first + step * static_cast<float>(i);
            pen_.figure.marks.emplace_back(LineMark{{{x, from}, {x, from + step}},
                                                    config_.residual ? color : with_alpha(color, 0.45F),
                                                    2,
                                                    !config_.residual});
        }
        pen_.figure.marks.emplace_back(CircleMark{{x, first}, std::min(4.0F, radius), color});
        for (std::size_t i = 0; i < reading_.writes.size(); ++i) {
            const Point at{x, first + step * static_cast<float>(i + 1)};
            const Color part = reading_.writes[i].kind->attends ? pen_.colors.accent : pen_.colors.output;
            pen_.figure.marks.emplace_back(CircleMark{at, radius, pen_.colors.panel, part, 1.5F});
            if (radius < 5) continue;
            const float arm = radius * 0.5F;
            if (!config_.residual) {
                pen_.figure.marks.emplace_back(CircleMark{at, arm, part});
                continue;
            }
            pen_.figure.marks.emplace_back(LineMark{{{at.x - arm, at.y}, {at.x + arm, at.y}}, part, 1.5F});
            pen_.figure.marks.emplace_back(LineMark{{{at.x, at.y - arm}, {at.x, at.y + arm}}, part, 1.5F});
        }
    }

    const PanelPen& pen_;
    const FigureContext& context_;
    const TransformerConfig& config_;
    const StreamReading& reading_;
    int token_;
};

}  // namespace

void add_stream_rows(const PanelPen& pen, const TransformerConfig& config, const StreamReading& reading, int token,
                     Rect room) {
    StreamRows(pen, config, reading, token).draw(room);
}

}  // namespace heed
