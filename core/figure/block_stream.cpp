// The stream from embedding to output, a row for each part: what it wrote, how long that is, and the stream after it.
#include "core/counting.h"
#include "core/figure/block_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float chip_gap = 5;

// A token's numbers as they are, or of all tokens their lengths: one row of cells.
Matrix strip_of(const Matrix& stream, int token) {
    if (token >= 0) return stream.row(token);
    return stream.rowwise().norm().transpose();
}

class Stream {
public:
    Stream(const PanelPen& pen, const Around& around)
        : pen_(pen),
          context_(pen.context),
          around_(around),
          config_(around.transformer.config),
          token_(followed_token(pen.context)),
          writes_(part_writes(around, token_)) {
        for (const PartWrite& one : writes_) {
            most_write_ = std::max(most_write_, largest(strip_of(trace_of(one).write, token_)));
            most_stream_ = std::max(most_stream_, largest(strip_of(trace_of(one).after, token_)));
        }
        most_stream_ = std::max(most_stream_, largest(strip_of(around.trace.input, token_)));
    }

    void draw(Rect room) const {
        room = add_headline(pen_, headline(), room);
        room = add_tokens(room);
        room = add_formula(room);
        add_rows(room);
    }

private:
    const PartTrace& trace_of(const PartWrite& one) const {
        return around_.trace.layers[static_cast<std::size_t>(one.layer)].parts[static_cast<std::size_t>(one.part)];
    }
    static float largest(const Matrix& strip) {
        float most = 0;
        for (Index c = 0; c < strip.size(); ++c)
            if (std::isfinite(strip.data()[c])) most = std::max(most, std::abs(strip.data()[c]));
        return most;
    }

    std::string of_whom() const {
        if (token_ < 0) return pen_.word("all tokens");
        return "“" + shorten(context_.measure, query_label(context_.model, token_), pen_.text - 2, Font::words, 120) + "”";
    }

    Headline headline() const {
        const std::vector<double> shares = shares_along_output(around_, token_);
        Headline out;
        out.color = pen_.colors.accent;
        if (!shares.empty()) {
            double by_attention = 0, by_feed = 0;
            for (std::size_t i = 0; i < writes_.size(); ++i)
                (writes_[i].kind->attends ? by_attention : by_feed) += shares[i + 1];
            out.number = percent(shares.front());
            out.what = pen_.word("of the output is the embedding");
            const bool has_feed = config_.feed_forward != "none";
            out.bold = fill(context_.word(has_feed ? "Embedding {0}, attention {1}, feed-forward {2}: they add up to the "
                                                     "output of {3}"
                                                   : "Embedding {0}, attention {1}: they add up to the output of {3}"),
                            {percent(shares.front()), percent(by_attention), percent(by_feed), of_whom()});
            out.sentence = pen_.word(
                "Parts only add to the stream, so the output is the sum of all writes; the share of each is its length "
                "along the output, below 0 where it points the other way.");
            return out;
        }
        const double cosine = cosine_of_ends(around_, token_);
        out.number = std::isfinite(cosine) ? decimal(cosine, 3) : "–";
        out.what = pen_.word("cosine of embedding and output");
        const bool is_sum = config_.residual && config_.norm_place != NormPlace::after;
        out.bold = is_sum ? pen_.word("The output is 0 or holds what is no number: it points nowhere")
                   : is_alone(around_)
                       ? pen_.word("Attention alone: nothing stands around it, and the stream ends with what it wrote")
                   : !config_.residual
                       ? pen_.word("No residual: each part replaces the stream by what it computed")
                       : pen_.word("A norm after each part: the stream is brought to the same length again and again");
        if (!is_sum) out.sentence = pen_.word("The output is no sum of writes here, so no share of it belongs to the embedding; the cosine "
                                 "tells how far it still points the same way.");
        return out;
    }

    // A chip for each token to follow, and one for all of them.
    Rect add_tokens(Rect room) const {
        const float height = std::round(pen_.text * 1.7F);
        float x = room.x, y = room.y;
        int row = 0;
        const auto add = [&](int token, const std::string& words, bool plain) {
            const bool is_on = token == token_;
            const std::string label = shorten(context_.measure, words, pen_.text - 2, Font::words, pen_.text * 8);
            const float w = std::ceil(context_.measure.width(label, pen_.text - 2, Font::words) + 16);
            if (x > room.x && x + w > room.right() - (row == 1 ? 80 : 0)) {
                if (++row == 2) return false;
                x = room.x;
                y += height + chip_gap;
            }
            const Rect area{x, y, w, height};
            pen_.figure.marks.emplace_back(BoxMark{.area = area,
                                                   .fill = is_on ? pen_.colors.field_selected : pen_.colors.field,
                                                   .stroke = is_on ? pen_.colors.accent : pen_.colors.hairline,
                                                   .radius = 6});
            pen_.words(label, {area.x + 8, area.center().y}, is_on ? pen_.colors.accent : pen_.colors.text, AlignX::left,
                       Font::words, 2, plain);
            if (!context_.on_paper)
                pen_.figure.targets.push_back({.id = {"follow", token + 1},
                                               .area = area,
                                               .tooltip = pen_.word("Follow this token through the layers")});
            x += w + chip_gap;
            return true;
        };
        if (context_.on_paper && token_ < 0) return room;
        add(-1, pen_.word("all tokens"), false);
        for (int token = 0; token < context_.model.n_queries; ++token)
            if (!add(token, query_label(context_.model, token), true)) {
                pen_.words(fill(context_.word("… {0} more tokens"), {std::to_string(context_.model.n_queries - token)}),
                           {x + 4, y + height / 2}, pen_.colors.dim);
                break;
            }
        const float used = y + height + 12 - room.y;
        return {room.x, room.y + used, room.w, std::max(20.0F, room.h - used)};
    }

    Rect add_formula(Rect room) const {
        std::string words;
        for (const std::string& line : block_formulas(config_)) words += (words.empty() ? "" : ",    ") + line;
        if (config_.n_layers > 1) words += "    × " + std::to_string(config_.n_layers);
        float y = room.y + pen_.text * 0.7F;
        for (const std::string& line : wrapped(context_.measure, words, pen_.text, Font::words, room.w)) {
            pen_.words(line, {room.x, y}, pen_.colors.text, AlignX::left, Font::words, 0);
            y += pen_.text * 1.4F;
        }
        const float used = y - room.y + pen_.text * 0.3F;
        return {room.x, room.y + used, room.w, std::max(20.0F, room.h - used)};
    }

    struct Columns {
        float line, name, write, write_number, share, stream, stream_number;
        float strip_w, share_w;
    };
    Columns columns_of(Rect room) const {
        Columns at{};
        at.line = room.x + 12;
        at.name = room.x + 30;
        float name_w = 0;
        for (const PartWrite& one : writes_)
            name_w = std::max(name_w, context_.measure.width(name_of(one), pen_.text - 1, Font::words));
        name_w = std::max(name_w, context_.measure.width(pen_.word("Embedding"), pen_.text - 1, Font::words)) + 22;
        const float number_w = context_.measure.width("00.00", pen_.text - 2, Font::mono) + 16;
        const float rest = std::max(90.0F, room.right() - at.name - name_w - 2 * number_w - 28);
        at.share_w = rest * 0.2F;
        at.strip_w = rest * 0.4F;
        at.write = at.name + name_w;
        at.write_number = at.write + at.strip_w + 6;
        at.share = at.write_number + number_w;
        at.stream = at.share + at.share_w + 14;
        at.stream_number = at.stream + at.strip_w + 6;
        return at;
    }

    std::string name_of(const PartWrite& one) const {
        return (config_.n_layers > 1 ? shown_number(one.layer) + "  " : "") + pen_.word(one.kind->name);
    }

    void add_strip(const char* id, int number, const Matrix& of, Rect area, float most) const {
        HeatmapMark map;
        map.id = std::string(id) + " " + std::to_string(number);
        map.area = area;
        map.values = view_by_content(strip_of(of, token_));
        map.scale = token_ >= 0 ? diverging_scale(context_, std::max(most, 1e-30F)) : lengths_scale(most);
        map.hatch_hidden = false;
        pen_.figure.marks.emplace_back(std::move(map));
        pen_.figure.marks.emplace_back(BoxMark{.area = area, .stroke = pen_.colors.hairline});
        if (!context_.on_paper)
            pen_.figure.targets.push_back({.id = {id, number},
                                           .kind = TargetKind::cells,
                                           .area = area,
                                           .rows = 1,
                                           .cols = std::max<Index>(1, map_columns(of)),
                                           .tooltip = {}});
    }
    Index map_columns(const Matrix& of) const { return token_ >= 0 ? of.cols() : of.rows(); }
    ColorScale lengths_scale(float most) const {
        ColorScale scale = diverging_scale(context_, 1);
        scale.map = context_.display.sequential_map;
        scale.low = 0;
        scale.high = std::max(most, 1e-30F);
        return scale;
    }

    void add_rows(Rect room) const {
        const Columns at = columns_of(room);
        const float head = pen_.text * 1.5F;
        const auto count = static_cast<float>(writes_.size() + 1);
        const float step = std::min(pen_.text * 3, (room.h - head - 6) / count);
        const float strip_h = std::max(3.0F, std::min(pen_.text * 1.5F, step - 4));
        const float text_step = pen_.text * 1.05F;
        const auto every = static_cast<std::size_t>(std::max(1.0F, std::ceil(text_step / step)));
        const auto title = [&](const std::string& words, float x, float w) {
            pen_.words(shorten(context_.measure, words, pen_.text - 2, Font::words, w), {x, room.y + head * 0.4F}, pen_.colors.dim);
        };
        const bool is_token = token_ >= 0;
        title(pen_.word(is_token ? "what it writes, d_model numbers" : "what it writes: length for each token"), at.write,
              at.strip_w);
        title("‖·‖", at.write_number, 60);
        title(pen_.word("share"), at.share, at.share_w);
        title(pen_.word(is_token ? "the stream after it" : "the stream after it: length for each token"), at.stream, at.strip_w);
        title("‖·‖", at.stream_number, 60);

        const float first = room.y + head + step / 2;
        add_line(at.line, first, step);
        const auto number = [&](double value, float x, float y) {
            pen_.words(std::isfinite(value) ? compact(value) : "–", {x, y}, pen_.colors.text, AlignX::left, Font::mono);
        };
        if (strip_h >= 3) add_strip("stream", 0, around_.trace.input, {at.stream, first - strip_h / 2, at.strip_w, strip_h}, most_stream_);
        pen_.words(pen_.word("Embedding"), {at.name, first}, pen_.colors.text, AlignX::left, Font::words, 1);
        number(writes_.empty() ? 0 : writes_.front().before, at.stream_number, first);
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            const PartWrite& one = writes_[i];
            const float y = first + step * static_cast<float>(i + 1);
            const bool has_words = (i + 1) % every == 0;
            const Color color = one.kind->attends ? pen_.colors.accent : pen_.colors.output;
            const int row = static_cast<int>(i) + 1;
            add_strip("write", row, trace_of(one).write, {at.write, y - strip_h / 2, at.strip_w, strip_h}, most_write_);
            add_strip("stream", row, trace_of(one).after, {at.stream, y - strip_h / 2, at.strip_w, strip_h}, most_stream_);
            const float bar = at.share_w * static_cast<float>(std::isfinite(one.share) ? one.share : 0);
            const float bar_h = std::min(strip_h, 10.0F);
            pen_.figure.marks.emplace_back(BoxMark{.area = {at.share, y - bar_h / 2, at.share_w, bar_h}, .fill = pen_.colors.field, .radius = 3});
            pen_.figure.marks.emplace_back(
                BoxMark{.area = {at.share, y - bar_h / 2, std::max(1.0F, bar), bar_h}, .fill = with_alpha(color, 0.85F), .radius = 3});
            if (has_words) {
                pen_.words(name_of(one), {at.name, y}, color, AlignX::left, Font::words, 1);
                number(one.write, at.write_number, y);
                number(one.after, at.stream_number, y);
            }
            if (!context_.on_paper) {
                const Target opens{.id = {"part", row - 1},
                                   .area = {at.line - 10, y - step / 2, at.write - at.line, step},
                                   .tooltip = pen_.word(one.kind->attends ? "Open this layer's attention in Pipeline"
                                                                          : "See what this feed-forward does to a token")};
                pen_.figure.targets.push_back(opens);
                pen_.figure.targets.push_back({.id = {"share", row - 1},
                                               .area = {at.share, y - step / 2, at.share_w, step},
                                               .tooltip = share_words(one)});
            }
        }
    }

    std::string share_words(const PartWrite& one) const {
        if (!config_.residual) return pen_.word("Without a residual the stream is what the part wrote: all of it");
        return fill(context_.word("‖write‖ / (‖stream before‖ + ‖write‖) = {0} / ({1} + {0}) = {2}"),
                    {compact(one.write), compact(one.before), percent(one.share)});
    }

    // The stream itself: a line with a + where a part adds, and a break where it replaces.
    void add_line(float x, float first, float step) const {
        const Color color = pen_.colors.dim;
        const float radius = std::clamp(step / 3, 1.5F, 8.0F);
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            const float from = first + step * static_cast<float>(i);
            pen_.figure.marks.emplace_back(LineMark{{{x, from}, {x, from + step}},
                                                    config_.residual ? color : with_alpha(color, 0.45F), 2,
                                                    !config_.residual});
        }
        pen_.figure.marks.emplace_back(CircleMark{{x, first}, std::min(4.0F, radius), color});
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            const Point at{x, first + step * static_cast<float>(i + 1)};
            const Color part = writes_[i].kind->attends ? pen_.colors.accent : pen_.colors.output;
            pen_.figure.marks.emplace_back(CircleMark{at, radius, pen_.colors.panel, part, 1.5F});
            if (radius < 5) continue;
            const float arm = radius * 0.5F;
            pen_.figure.marks.emplace_back(LineMark{{{at.x - arm, at.y}, {at.x + arm, at.y}}, part, 1.5F});
            if (config_.residual)
                pen_.figure.marks.emplace_back(LineMark{{{at.x, at.y - arm}, {at.x, at.y + arm}}, part, 1.5F});
        }
    }

    const PanelPen& pen_;
    const FigureContext& context_;
    const Around& around_;
    const TransformerConfig& config_;
    int token_;
    std::vector<PartWrite> writes_;
    float most_write_ = 0, most_stream_ = 0;
};

}  // namespace

void add_block_stream(const PanelPen& pen, const Around& around, Rect room) { Stream(pen, around).draw(room); }

}  // namespace heed
