// The stream from embedding to output: how much of it is whose, which token is followed, and a row for each part.
#include "core/figure/block_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/rich_text.h"
#include "core/model/depth.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace heed {

namespace {

constexpr float chip_gap = 5;

class Stream {
public:
    Stream(const PanelPen& pen, const Around& around)
        : pen_(pen),
          context_(pen.context),
          around_(around),
          config_(around.transformer.config),
          token_(followed_token(pen.context)),
          reading_(kept(context_, "block stream", std::pair(context_.trace.version, token_),
                        [&] { return read_stream(around, token_); })) {}

    void draw(Rect room) const {
        room = add_headline(pen_, headline(), room);
        room = add_tokens(room);
        room = add_formula(room);
        add_stream_rows(pen_, config_, *reading_, token_, room);
    }

private:
    std::string of_whom() const {
        if (token_ < 0) return pen_.word("all tokens");
        return "“" + shorten(context_.measure, query_label(context_.model, token_), pen_.text - 2, Font::words, 120) +
               "”";
    }

    Headline headline() const {
        Headline out;
        out.color = pen_.colors.accent;
        if (!reading_->along.empty()) {
            const std::vector<double> shares = reading_->by_kind(config_);
            std::vector<std::string> percents;
            double seen = 0;
            for (const double share : shares) {
                percents.push_back(as_percent(share));
                seen += std::copysign(std::strtod(as_percent(std::abs(share)).c_str(), nullptr), share);
            }
            const bool adds_up = std::abs(seen - 100) < 1e-6;  // as the rounded numbers are read
            out.number = percents.front();
            out.what = pen_.word("of the output is the embedding");
            const bool has_feed = config_.feed_forward != "none";
            out.bold = fill(
                context_.word(has_feed && adds_up
                                  ? "Embedding {0}, attention {1}, feed-forward {2}: they add up to the output of {3}"
                              : has_feed ? "Embedding {0}, attention {1}, feed-forward {2}, each rounded: they add "
                                           "up to the output of {3}"
                              : adds_up
                                  ? "Embedding {0}, attention {1}: they add up to the output of {3}"
                                  : "Embedding {0}, attention {1}, each rounded: they add up to the output of {3}"),
                {percents[0], percents[1], has_feed ? percents[2] : "", of_whom()});
            out.sentence = pen_.word(
                "Parts only add to the stream, so the output is the sum of all writes; the share of each is its length "
                "along the output, below 0 where it points the other way.");
            return out;
        }
        const double cosine = reading_->cosine;
        out.number = std::isfinite(cosine) ? decimal(cosine, 3) : "–";
        out.what = pen_.word("cosine of embedding and output");
        const bool is_sum = config_.residual && config_.norm_place != NormPlace::after;
        out.bold = is_sum ? pen_.word("The output is 0 or holds what is no number: it points nowhere")
                   : is_alone(around_)
                       ? pen_.word("Attention alone: nothing stands around it, and the stream ends with what it wrote")
                   : !config_.residual
                       ? pen_.word("No residual: each part replaces the stream by what it computed")
                       : pen_.word("A norm after each part: the stream is brought to the same length again and again");
        if (!is_sum)
            out.sentence = pen_.word(
                "The output is no sum of writes here, so no share of it belongs to the embedding; the cosine "
                "tells how far it still points the same way.");
        return out;
    }

    // A chip for each token to follow, and one for all of them.
    Rect add_tokens(Rect room) const {
        const float height = std::round(pen_.text * 1.7F);
        float x = room.x, y = room.y;
        int row = 0;
        const float more_w =
            context_.measure.width(fill(context_.word("… {0} more tokens"), {std::to_string(context_.model.n_queries)}),
                                   pen_.text - 2, Font::words) +
            8;
        const auto add = [&](int token, const std::string& words, bool plain) {
            const bool is_on = token == token_;
            const std::string label = shorten(context_.measure, words, pen_.text - 2, Font::words, pen_.text * 8);
            const float w = std::ceil(context_.measure.width(label, pen_.text - 2, Font::words) + 16);
            if (x > room.x && x + w > room.right() - (row == 1 ? more_w : 0)) {
                if (++row == 2) return false;
                x = room.x;
                y += height + chip_gap;
            }
            const Rect area{x, y, w, height};
            pen_.figure.marks.emplace_back(BoxMark{.area = area,
                                                   .fill = is_on ? pen_.colors.field_selected : pen_.colors.field,
                                                   .stroke = is_on ? pen_.colors.accent : pen_.colors.hairline,
                                                   .radius = 6});
            pen_.words(label, {area.x + 8, area.center().y}, is_on ? pen_.colors.accent : pen_.colors.text,
                       AlignX::left, Font::words, 2, plain);
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

    const PanelPen& pen_;
    const FigureContext& context_;
    const Around& around_;
    const TransformerConfig& config_;
    int token_;
    std::shared_ptr<const StreamReading> reading_;
};

}  // namespace

void add_block_stream(const PanelPen& pen, const Around& around, Rect room) { Stream(pen, around).draw(room); }

}  // namespace heed
