// Position-wise: one token is moved and the parts are run again; the units of the feed-forward; what is linear and what is not.
#include "core/counting.h"
#include "core/figure/block_pages.h"
#include "core/figure/cost_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/growing_room.h"
#include "core/figure/kept.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/depth.h"
#include "core/transformer/feed_forward.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {

namespace {

constexpr double counts_as_equal = 1e-5;  // of what float knows

struct Measured {
    Nudge nudge;
    Linearity linearity;
    NormSpan norms;
    bool is_measured = false;  // not yet: that is done beside the window
    std::size_t bytes() const { return sizeof *this + (nudge.by_mixer.size() + nudge.by_feed.size()) * sizeof(double); }
};

class PositionWise {
public:
    PositionWise(const PanelPen& pen, const std::shared_ptr<const Around>& owner)
        : pen_(pen),
          context_(pen.context),
          around_(*owner),
          config_(around_.transformer.config),
          layer_(around_.layer),
          token_(std::min(pen.context.display.block->nudged, pen.context.model.n_queries - 1)),
          has_feed_(config_.feed_forward != "none") {
        const double size = static_cast<double>(context_.display.block->nudge);
        const auto key = std::tuple(context_.trace.version, layer_, token_, size);
        measured_ =
            refined(context_, "block position", key, [owner, is_quick = is_quick()](const auto& of, bool is_fine) {
                const auto [version, layer, token, by] = of;
                if (!is_fine && !is_quick) return Measured{};
                return Measured{nudge_token(*owner, layer, token, by), linearity_of(*owner, layer),
                                normalized_norms(*owner, layer), true};
            });
    }

    void draw(Rect room) const {
        if (!measured_->is_measured) return pen_.sentence(room, pen_.word("computing…"), pen_.colors.dim);
        room = add_headline(pen_, headline(), room);
        const bool is_wide = room.w >= 620;
        const float narrow_units = pen_.text * (has_feed_ ? 15.0F : 5.0F);
        const float least = is_wide ? pen_.text * 28 : pen_.text * 34 + narrow_units;
        room = room_of_at_least(pen_.figure, context_, room, least);
        if (room.h < least && !is_wide)
            return add_both_changes(room);  // on a small paper there is room for nothing else
        const float gap = 40;
        const float half = is_wide ? (room.w - gap) / 2 : room.w;
        const float bars_h = is_wide ? room.h * 0.52F : std::max(pen_.text * 10, room.h * 0.2F);
        add_changes({room.x, room.y, half, bars_h}, true);
        const Rect right{is_wide ? room.x + half + gap : room.x, is_wide ? room.y : room.y + bars_h, half, bars_h};
        if (has_feed_)
            add_changes(right, false);
        else
            pen_.sentence(right, pen_.word("There is no feed-forward in this block: switch one on above."),
                          pen_.colors.dim);
        const float below = (is_wide ? bars_h : 2 * bars_h) + 10;
        const Rect rest{room.x, room.y + below, room.w, std::max(20.0F, room.h - below)};
        const float units_w = is_wide ? half : rest.w;
        const float units_h = is_wide ? rest.h : std::max(narrow_units, rest.h * 0.5F);
        const float linear_y = is_wide ? rest.y : rest.y + units_h;
        add_units({rest.x, rest.y, units_w, units_h});
        add_linearity({is_wide ? rest.x + half + gap : rest.x, linear_y, half, rest.bottom() - linear_y});
    }

private:
    // Whether it is measured well within a frame.
    bool is_quick() const {
        const double n = context_.model.n_queries;
        const double d = config_.d_model;
        return n * (4 * d * d + 2 * d * config_.d_ff + 2 * n * d) < 4e5;
    }

    void add_both_changes(Rect room) const {
        const float half = has_feed_ ? (room.w - 16) / 2 : room.w;
        add_changes({room.x, room.y, half, room.h}, true);
        if (has_feed_) add_changes({room.x + half + 16, room.y, half, room.h}, false);
    }

    std::string name_of(int token) const {
        return shorten(context_.measure, query_label(context_.model, token), pen_.text - 2, Font::words, 110);
    }

    Headline headline() const {
        const Nudge& nudge = measured_->nudge;
        const int others = context_.model.n_queries - 1;
        Headline out;
        const auto count = [&](int moved) { return std::to_string(moved) + " / " + std::to_string(others); };
        out.number =
            has_feed_ ? std::to_string(nudge.others_moved_by_feed) : std::to_string(nudge.others_moved_by_mixer);
        out.what = pen_.word(has_feed_ ? "other tokens moved by the feed-forward" : "other tokens moved by attention");
        const bool is_position_wise = nudge.others_moved_by_feed == 0;
        out.color = !has_feed_ ? pen_.colors.accent : is_position_wise ? pen_.colors.good : amber(pen_);
        if (context_.display.block->nudge == 0.0F || others == 0) {
            out.number = "–";  // 0 would be true of whatever stands there
            out.color = pen_.colors.dim;
        }
        if (context_.display.block->nudge == 0.0F) {
            out.bold = pen_.word("Nothing is nudged: move a token to see what follows");
            return out;
        }
        if (others == 0) {
            out.bold = pen_.word("There is one token, and no other that could move");
            return out;
        }
        out.bold =
            has_feed_
                ? fill(
                      context_.word("“{0}” is nudged: the feed-forward changes {1} of the other tokens, attention {2}"),
                      {name_of(token_), count(nudge.others_moved_by_feed), count(nudge.others_moved_by_mixer)})
                : fill(context_.word("“{0}” is nudged: attention changes {1} of the other tokens"),
                       {name_of(token_), count(nudge.others_moved_by_mixer)});
        out.sentence = pen_.word(
            nudge.others_moved_by_mixer == others ? "Attention is the part that moves numbers from token to token; "
                                                    "what a feed-forward writes for a token "
                                                    "depends on that token alone."
            : !nudge.is_number                    ? "The stream holds what is no number."
            : !nudge.moves_stream ? "The nudge is lost in rounding: the token’s numbers are the same as before, and "
                                    "there is nothing to carry."
            : !nudge.moves_read ? "The norm takes the nudge away: attention reads the same numbers as before, and has "
                                  "nothing to carry."
            : others_that_see() == others
                ? "Every other token sees the nudged one with a weight, and yet what attention writes for some stays "
                  "the "
                  "same to the last digit; what a feed-forward writes for a token depends on that token alone."
                : "Attention carries the nudge only to tokens that see the nudged one with a weight, and that is not "
                  "every "
                  "one here; what a feed-forward writes for a token depends on that token alone.");
        return out;
    }

    // With a weight in some head that is on.
    int others_that_see() const {
        const auto& weights = context_.trace.weights;
        int count = 0;
        for (Index i = 0; i < weights.rows(); ++i) {
            bool sees = false;
            for (Index head = 0; head < weights.count(); ++head) {
                const float weight = weights[head](i, token_);
                sees = sees || (context_.model.heads[static_cast<std::size_t>(head)].on && std::isfinite(weight) &&
                                weight != 0);
            }
            if (sees && i != token_) ++count;
        }
        return count;
    }

    // ‖change‖ of what a part writes, a bar for each token; a click nudges that token instead.
    void add_changes(Rect room, bool is_mixer) const {
        const std::vector<double>& by = is_mixer ? measured_->nudge.by_mixer : measured_->nudge.by_feed;
        const auto n = static_cast<int>(by.size());
        PlotMark plot;
        plot.id = is_mixer ? "nudge attention" : "nudge feed-forward";
        plot.area = {room.x + 52, room.y + pen_.text * 2, std::max(60.0F, room.w - 60),
                     std::max(24.0F, room.h - pen_.text * 2 - pen_.text * 3)};
        plot.text_size = pen_.text - 2;
        plot.title =
            fitting_words(pen_, plot.area.w,
                          is_mixer ? "Attention: change of what it writes" : "Feed-forward: change of what it writes",
                          is_mixer ? "Attention" : "Feed-forward");
        double high = 0;
        for (const double change : by)
            if (std::isfinite(change)) high = std::max(high, change);
        plot.y.shown = {0, high > 0 ? high * 1.08 : 1};
        plot.y.words = "‖Δ‖";
        plot.x.shown = {-0.6, n - 0.4};
        // Names as those of a map, turned where they are long: bars stay where they are for them.
        plot.x.policy = TickPolicy::none;
        plot.x.locked = true;
        LabelSpec names;
        names.style = {pen_.text - 3, Font::words, pen_.colors.dim};
        names.count = n;
        names.label_at = [&model = context_.model](int token) { return query_label(model, token); };
        names.pinned = token_;
        const float names_room = pen_.text * 3.5F;
        const float names_h =
            column_labels_height(context_.measure, names, plot.area.w / (static_cast<float>(n) + 0.2F), names_room);
        plot.area.h = std::max(24.0F, room.h - pen_.text * 2.6F - names_h);
        Series bars{.id = "change", .name = "‖Δ‖", .kind = SeriesKind::bars, .color = pen_.colors.accent};
        bars.radius = n > 60 ? 0.0F : 2.0F;
        for (int i = 0; i < n; ++i) {
            bars.x.push_back(i);
            bars.y.push_back(by[static_cast<std::size_t>(i)]);
            bars.colors.push_back(i == token_ ? pen_.colors.key : is_mixer ? pen_.colors.accent : pen_.colors.output);
        }
        plot.series.push_back(std::move(bars));
        const Frame frame = pen_.plot(std::move(plot));
        const float first_x = frame.place(-0.5, 0).x;
        add_column_labels(pen_.figure, context_.measure, names,
                          {first_x, frame.area.y, frame.place(n - 0.5, 0).x - first_x, frame.area.h}, names_room,
                          false);
        if (context_.on_paper || n > 128) return;
        for (int i = 0; i < n; ++i) {
            const Point left = frame.place(i - 0.5, 0);
            const Point right = frame.place(i + 0.5, 0);
            const float x = std::max(left.x, frame.area.x);
            const float w = std::min(right.x, frame.area.right()) - x;
            if (w > 0)
                pen_.figure.targets.push_back({.id = {is_mixer ? "nudge" : "nudge below", i},
                                               .area = {x, frame.area.bottom() + 2, w, pen_.text * 1.6F},
                                               .tooltip = pen_.word("Nudge this token")});
        }
    }

    void title(const std::string& words, Rect room) const {
        pen_.words(shorten(context_.measure, words, pen_.text - 1, Font::bold, room.w),
                   {room.x, room.y + pen_.text * 0.6F}, pen_.colors.text, AlignX::left, Font::bold, 1);
    }

    // d_model → d_ff → d_model, and which units the token sets off.
    void add_units(Rect room) const {
        if (!has_feed_) return add_norms(room);
        const PartTrace& part = around_.trace.layers[static_cast<std::size_t>(layer_)].parts.back();
        title(fill(context_.word("The units of “{0}”: {1} → {2} → {1}"),
                   {name_of(token_), std::to_string(config_.d_model), std::to_string(config_.d_ff)}),
              room);
        const bool is_gated = feed_forward_row(config_.feed_forward).gated;
        const Matrix& drive = is_gated ? part.gate : part.hidden;
        const auto firing = [&](Index row) { return static_cast<int>((drive.row(row).array() > 0).count()); };
        double mean = 0;
        for (Index i = 0; i < drive.rows(); ++i)
            mean += static_cast<double>(firing(i)) / static_cast<double>(drive.rows());
        float y = room.y + pen_.text * 1.6F;
        const float strip_h = std::clamp(room.h * 0.11F, 8.0F, 28.0F);
        const auto widest = static_cast<float>(std::max(config_.d_ff, config_.d_model));
        const auto strip = [&](const char* id, const std::string& words, const Matrix& of, float share) {
            pen_.words(words, {room.x, y + strip_h / 2}, pen_.colors.dim);
            const float left = room.x + label_w();
            const Rect area{left, y, std::max(20.0F, (room.right() - left) * share), strip_h};
            HeatmapMark map;
            map.id = id;
            map.area = area;
            map.values = view_by_content(of.row(token_));
            map.scale = diverging_scale(context_, std::max(1e-30F, of.row(token_).cwiseAbs().maxCoeff()));
            map.hatch_hidden = false;
            pen_.figure.marks.emplace_back(std::move(map));
            pen_.figure.marks.emplace_back(BoxMark{.area = area, .stroke = pen_.colors.hairline});
            if (!context_.on_paper)
                pen_.figure.targets.push_back(
                    {.id = id, .kind = TargetKind::cells, .area = area, .rows = 1, .cols = of.cols(), .tooltip = {}});
            y += strip_h + 6;
        };
        const float narrow = static_cast<float>(config_.d_model) / widest;
        const float wide = static_cast<float>(config_.d_ff) / widest;
        strip("units read", pen_.word("reads"), part.read, narrow);
        strip("units", pen_.word("units"), part.units, wide);
        strip("units write", pen_.word("writes"), part.write, narrow);
        y = add_lines(
            pen_,
            fill(context_.word("{0} of {1} units fire for it (what goes into them is above 0); over all tokens {2} on "
                               "average."),
                 {std::to_string(firing(token_)), std::to_string(config_.d_ff), decimal(mean, 1)}),
            {room.x, y + pen_.text * 0.6F}, room.w, pen_.colors.text, Font::words, 2);
        add_norms({room.x, y + 2, room.w, room.bottom() - y});
    }
    float label_w() const {
        float w = 0;
        for (const char* word : {"reads", "units", "writes"})
            w = std::max(w, context_.measure.width(pen_.word(word), pen_.text - 2, Font::words));
        return w + 12;
    }

    void add_norms(Rect room) const {
        const double root = std::sqrt(static_cast<double>(config_.d_model));
        std::string words;
        if (config_.norm_place == NormPlace::none) {
            words = pen_.word("There is no norm: rows are read as long as they are.");
        } else {
            const NormSpan& span = measured_->norms;
            const bool holds = std::abs(span.least - root) < 1e-3 * root && std::abs(span.most - root) < 1e-3 * root;
            const std::string name = config_.norm == "rms-norm" ? "RMSNorm" : "LN";
            words =
                holds ? fill(context_.word(
                                 "‖{0}(x)‖ = √d_{model} = {1} for every token, before the gain: measured {2} to {3}."),
                             {name, decimal(root, 3), decimal(span.least, 3), decimal(span.most, 3)})
                      : fill(context_.word("‖{0}(x)‖ is {2} to {3} here, and √d_{model} = {1}: a row whose numbers are "
                                           "all alike, or "
                                           "too small beside ε, does not get there."),
                             {name, decimal(root, 3), decimal(span.least, 3), decimal(span.most, 3)});
        }
        add_lines(pen_, words, {room.x, room.y + pen_.text * 0.6F}, room.w, pen_.colors.text, Font::words, 2);
    }

    // f(2x) against 2·f(x), as a table.
    void add_linearity(Rect room) const {
        title(pen_.word("Is it linear? f(2x) against 2·f(x)"), room);
        float y = room.y + pen_.text * 2;
        float name_w = 0;
        for (const char* name : {"attention, in what it reads", "attention, in V alone", "feed-forward"})
            name_w = std::max(name_w, context_.measure.width(pen_.word(name), pen_.text - 2, Font::words));
        const auto row = [&](const std::string& name, const Homogeneity& of) {
            const bool is_known = std::isfinite(of.doubled);
            const bool is_equal = is_known && of.doubled < counts_as_equal;
            pen_.words(name, {room.x, y}, pen_.colors.text);
            const float x = room.x + name_w + 16;
            pen_.words(!is_known         ? "–"
                       : of.doubled == 0 ? "0"
                                         : compact(of.doubled),
                       {x, y}, is_equal ? pen_.colors.good : amber(pen_), AlignX::left, Font::mono);
            std::string_view said = !is_known ? "nothing to compare" : is_equal ? "equal" : "not equal";
            if (is_equal && !(of.turned < counts_as_equal)) said = "equal, but f(−x) is not −f(x)";
            pen_.words(pen_.word(said), {x + context_.measure.width("0.00e-00", pen_.text - 2, Font::mono) + 10, y},
                       pen_.colors.dim);
            y += pen_.text * 1.6F;
        };
        row(pen_.word("attention, in what it reads"), measured_->linearity.attention);
        row(pen_.word("attention, in V alone"), measured_->linearity.attention_values);
        if (has_feed_) row(pen_.word("feed-forward"), measured_->linearity.feed);
        const Homogeneity& attention = measured_->linearity.attention;
        const bool is_linear_here = attention.doubled < counts_as_equal && attention.turned < counts_as_equal;
        add_lines(
            pen_,
            pen_.word(
                !std::isfinite(attention.doubled) ? "Attention writes nothing here that could be compared."
                : is_linear_here
                    ? "Here doubling what attention reads doubles what it writes: its weights do not depend on the "
                      "size of what it reads. In general they do, through the softmax of Q K^{T}."
                    : "Relative difference of lengths. “Multi-head attention is linear” holds for V alone: what it "
                      "reads is "
                      "also in the weights, through Q K^{T}."),
            {room.x, y + pen_.text * 0.4F}, room.w, pen_.colors.dim, Font::words, 2);
    }

    const PanelPen& pen_;
    const FigureContext& context_;
    const Around& around_;
    const TransformerConfig& config_;
    int layer_;
    int token_;
    bool has_feed_;
    std::shared_ptr<const Measured> measured_;
};

}  // namespace

void add_block_position(const PanelPen& pen, const std::shared_ptr<const Around>& around, Rect room) {
    PositionWise(pen, around).draw(room);
}

}  // namespace heed
