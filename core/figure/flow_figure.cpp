// Query and key tokens with ribbons by weight: where attention goes.
#include "core/analysis/flow_links.h"
#include "core/counting.h"
#include "core/display/flow_display.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/percent.h"
#include "core/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace heed {

namespace {

constexpr float padding = 20;
constexpr std::size_t most_summary_lines = 3;
constexpr float faded = 0.12F;
constexpr float plain_alpha = 0.38F;
constexpr float strong_alpha = 0.75F;

using Links = std::shared_ptr<const FlowLinks>;

// heads: all of them, or one.
Links links_of(const FigureContext& context, const std::vector<int>& heads, float mass) {
    const auto which = heads.size() == 1 ? static_cast<std::uint64_t>(heads[0]) : ~std::uint64_t{0};
    return kept(context, "links", bits_at(context.trace.version, 61, which, std::bit_cast<std::uint32_t>(mass)),
                [&] { return strongest_links(context.trace, heads, mass); });
}

// 12,345
std::string grouped(std::size_t number) {
    std::string digits = std::to_string(number);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

class FlowFigure {
public:
    explicit FlowFigure(const FigureContext& context)
        : context_(context),
          colors_(context.colors()),
          text_(context.options.text_size),
          model_(context.model),
          flow_(*context.display.flow) {
        figure_ = empty_figure(context);
        if (flow_.all_heads) {
            heads_.resize(static_cast<std::size_t>(model_.n_heads));
            std::iota(heads_.begin(), heads_.end(), 0);
        } else {
            heads_ = {shown_head(context)};
        }
        links_ = links_of(context, heads_, flow_.mass);
        choose_focus();
        if (focus_ >= 0)
            links_ = std::make_shared<const FlowLinks>(
                with_links_of(*links_, context.trace, heads_, flow_.mass, {focus_, focus_is_key_, partner_}));
    }

    Figure draw() {
        const Rect page = add_page(figure_, context_, padding);
        const float bottom = draw_foot(page.bottom());
        const Rect room{page.x, page.y, page.w, bottom - page.y};
        if (flow_.arcs && model_.self_attention)
            draw_arcs(room);
        else
            draw_columns(room);
        return std::move(figure_);
    }

private:
    void words(std::string text, Point at, float size, Color color, AlignX align = AlignX::left,
               AlignY align_y = AlignY::baseline, Font font = Font::words, bool plain = false, float angle = 0) {
        figure_.marks.emplace_back(TextMark{std::move(text), at, {size, font, color}, align, align_y, angle, plain});
    }

    // The token whose links stand out: under the mouse, or pinned.
    void choose_focus() {
        if (context_.hovered && (context_.hovered->query < 0 || context_.hovered->key < 0)) {
            focus_is_key_ = context_.hovered->query < 0;
            focus_ = focus_is_key_ ? context_.hovered->key : context_.hovered->query;
        } else if (context_.display.pinned && context_.options.pins) {
            const Cell pin = pinned_cell(context_);
            focus_is_key_ = flow_.direction == FlowDirection::key;
            focus_ = focus_is_key_ ? pin.key : pin.query;
            partner_ = focus_is_key_ ? pin.query : pin.key;
        }
    }

    // The token of a side that is labelled whatever its neighbours: the focus, or the other end of the pinned link.
    int marked(bool is_query_side) const { return focus_ < 0 || focus_is_key_ == is_query_side ? partner_ : focus_; }

    // Which tokens of a side are named where `step` tokens share the room of one name: the marked one, then those that are
    // linked to the focus, the strongest first, then every step-th of the rest; none touches another.
    std::vector<bool> labelled(int count, int step, int marked, const std::vector<float>& linked) const {
        std::vector<bool> is_labelled(static_cast<std::size_t>(count), step == 1);
        if (step == 1) return is_labelled;
        std::vector<int> order;
        if (marked >= 0) order.push_back(marked);
        for (int i = 0; i < count; ++i)
            if (i != marked && !linked.empty() && linked[static_cast<std::size_t>(i)] != 0) order.push_back(i);
        std::stable_sort(order.begin() + (marked >= 0 ? 1 : 0), order.end(), [&](int a, int b) {
            return std::abs(linked[static_cast<std::size_t>(a)]) > std::abs(linked[static_cast<std::size_t>(b)]);
        });
        for (int i = 0; i < count; i += step) order.push_back(i);
        for (const int i : order) {
            const auto first = is_labelled.begin() + std::max(0, i - step + 1);
            const auto last = is_labelled.begin() + std::min(count, i + step);
            if (std::find(first, last, true) == last) is_labelled[static_cast<std::size_t>(i)] = true;
        }
        return is_labelled;
    }

    bool is_in_focus(const FlowLink& link) const {
        return focus_ < 0 || (focus_is_key_ ? link.key : link.query) == focus_;
    }

    bool is_drawn(const FlowLink& link) const { return !flow_.alone || is_in_focus(link); }

    Color link_color(const FlowLink& link) const {
        const Color base = flow_.all_heads ? head_color(colors_, link.head) : colors_.query;
        return with_alpha(base, focus_ < 0 ? plain_alpha : is_in_focus(link) ? strong_alpha : faded);
    }

    // What is thinner than its colour shows is drawn as thick and as much paler, so that weak links look weak. Those of the focus
    // are less pale, but never alike: a weight that reads 0.00 must not look like one that reads 0.97.
    Color paler(const FlowLink& link, float share, float stronger) const {
        Color color = link_color(link);
        const float least = focus_ >= 0 && is_in_focus(link) ? 0.5F * std::sqrt(std::abs(link.weight)) : 0;
        const float seen = std::min(1.0F, std::max(share, least));
        color.a = static_cast<std::uint8_t>(std::min(255.0F, static_cast<float>(color.a) * stronger * seen));
        return color;
    }

    // Links out of focus first, so that the others lie on top.
    template <typename Draw>
    void each_link(Draw draw) {
        for (const bool in_focus : {false, true})
            for (const FlowLink& link : links_->shown)
                if (is_in_focus(link) == in_focus && is_drawn(link)) draw(link);
    }

    std::string summary() const {
        if (flow_.alone && focus_ >= 0)
            return fill(context_.word("Only the links of “{0}” are drawn"),
                        {focus_is_key_ ? key_label(model_, focus_) : query_label(model_, focus_)});
        const std::string percent = percent_digits(static_cast<double>(links_->shown_mass));
        if (links_->total == 0) return std::string(context_.word(without_links()));
        const bool is_limited = links_->is_limited;
        const bool is_each = links_->without == 0;
        std::string_view sentence;
        if (is_limited && links_->strongest == 0)
            sentence = links_->shown.empty()
                           ? "More than {4} links are equally strong, and too many to draw"
                           : "More than {4} links are equally strong, and too many to draw; those of the chosen token "
                             "show {1} % of the attention";
        else if (is_limited)
            sentence = focus_ >= 0
                           ? "Limited to the {0} strongest links and those of the chosen token: {1} % of the attention"
                           : "Limited to the {0} strongest links: {1} % of the attention";
        else if (links_->shown.size() == 1)
            sentence = "One link shows {1} % of the attention, at least {3} % of its query’s; hidden links: {2}";
        else
            sentence = is_each
                           ? "{0} links show {1} % of the attention, at least {3} % of each query’s; hidden links: {2}"
                           : "{0} links show {1} % of the attention, at least {3} % of each query’s that has any; "
                             "hidden links: {2}";
        // Rounded down: what is covered is at least what was asked for.
        const double least = std::floor(static_cast<double>(flow_.mass) * 1000 + 1e-3) / 10;
        return fill(context_.word(sentence),
                    {grouped(is_limited ? links_->strongest : links_->shown.size()), percent, grouped(links_->hidden),
                     decimal(least, least == std::floor(least) ? 0 : 1), grouped(most_flow_links)});
    }

    std::string_view without_links() const {
        for (const int head : heads_)
            if (!context_.trace.weights[head].allFinite())
                return "The weights are not numbers: there is no link to draw";
        return "No query gives weight to a key: there is no link to draw";
    }

    // What is shown, what the numbers are and which colour is which head, from the bottom up; returns where the room above
    // ends.
    float draw_foot(float bottom) {
        const float line = text_ * 1.4F;
        const bool has_legend = flow_.all_heads && context_.options.legend;
        const float legend_left = has_legend ? draw_head_legend(bottom) : context_.width;
        if (focus_ >= 0 && heads_.size() > 1) {
            const std::string means(context_.word("Numbers are means over the heads"));
            const bool is_clear = padding + context_.measure.width(means, text_ - 3, Font::words) + 16 <= legend_left;
            if (!is_clear) bottom -= line;
            words(means, {padding, bottom}, text_ - 3, colors_.dim, AlignX::left, AlignY::bottom);
            bottom -= line;
        } else if (has_legend) {
            bottom -= line;
        }
        const auto lines = wrapped(context_.measure, summary(), text_ - 2, Font::words, context_.width - 2 * padding);
        if (lines.size() > most_summary_lines) return bottom;  // in a sliver the picture comes first
        for (auto one = lines.rbegin(); one != lines.rend(); ++one) {
            words(*one, {padding, bottom}, text_ - 2, colors_.dim, AlignX::left, AlignY::bottom);
            bottom -= line;
        }
        return bottom - text_ * 0.4F;
    }

    // At the right; by number alone where the names do not fit. Returns its left end.
    float draw_head_legend(float bottom) {
        const int last = std::min(model_.n_heads, 8) - 1;
        const auto name = [&](int head, bool in_full) {
            return in_full ? fill(context_.word("Head {0}"), {shown_number(head)}) : shown_number(head);
        };
        float full = 0;
        for (int head = 0; head <= last; ++head)
            full += context_.measure.width(name(head, true), text_ - 3, Font::words) + 26;
        float x = context_.width - padding;
        for (int head = last; head >= 0; --head) {
            const std::string shown = name(head, full <= context_.width - 2 * padding || head == 0);
            const float width = context_.measure.width(shown, text_ - 3, Font::words);
            words(shown, {x, bottom}, text_ - 3, colors_.dim, AlignX::right, AlignY::bottom);
            figure_.marks.emplace_back(BoxMark{
                .area = {x - width - 13, bottom - text_ + 4, 9, 9}, .fill = head_color(colors_, head), .radius = 2});
            x -= width + 26;
        }
        return x;
    }

    int label_step(float spacing) const {
        return std::max(1, static_cast<int>(std::ceil((text_ - 2) * 1.15F / std::max(spacing, 0.01F))));
    }

    void draw_columns(Rect room) {
        const int n_keys = effective_n_keys(model_);
        const float heading = text_ * 1.8F;
        const Rect body{room.x, room.y + heading, room.w, room.h - heading};
        const float label_room = std::min(room.w * 0.22F, text_ * 11);
        // The ribbons' ends stand no further apart than reads well.
        const float span = std::min(room.w - 2 * label_room, 760.0F);
        const float left = room.center().x - span / 2;
        const float right = room.center().x + span / 2;
        const float query_slot = std::min(body.h / static_cast<float>(model_.n_queries), 64.0F);
        const float key_slot = std::min(body.h / static_cast<float>(n_keys), 64.0F);
        const float query_top = body.y + (body.h - query_slot * static_cast<float>(model_.n_queries)) / 2;
        const float key_top = body.y + (body.h - key_slot * static_cast<float>(n_keys)) / 2;
        words(std::string(context_.word("query (asks)")), {left, room.y + text_}, text_, colors_.query, AlignX::right,
              AlignY::baseline, Font::bold);
        words(std::string(context_.word("key (is asked)")), {right, room.y + text_}, text_, colors_.key, AlignX::left,
              AlignY::baseline, Font::bold);

        draw_ribbons(left + 4, right - 4, query_top, query_slot, key_top, key_slot);
        draw_tokens(true, model_.n_queries, left - 8, query_top, query_slot, label_room);
        draw_tokens(false, n_keys, right + 8, key_top, key_slot, label_room);
    }

    void draw_ribbons(float left, float right, float query_top, float query_slot, float key_top, float key_slot) {
        const int n_keys = effective_n_keys(model_);
        const float share = 1.0F / static_cast<float>(heads_.size());
        std::vector<float> incoming(static_cast<std::size_t>(n_keys), 0.0F);
        for (const FlowLink& link : links_->shown)
            incoming[static_cast<std::size_t>(link.key)] += std::abs(link.weight) * share;
        const float busiest = std::max(1.0F, *std::ranges::max_element(incoming));
        // Pixels for a weight of 1, the same at both ends: a ribbon is as wide where it arrives as where it starts.
        std::vector<float> outgoing(static_cast<std::size_t>(model_.n_queries), 0.0F);
        for (const FlowLink& link : links_->shown)
            outgoing[static_cast<std::size_t>(link.query)] += std::abs(link.weight) * share;
        const float busiest_query = std::max(1.0F, *std::ranges::max_element(outgoing));
        const float unit = 0.86F * std::min(query_slot / busiest_query, key_slot / busiest);
        // Ends are stacked in the order of the tokens on the other side, so that ribbons cross as little as they can.
        std::vector<FlowLink> by_query = links_->shown;
        std::ranges::stable_sort(by_query, {}, [](const FlowLink& link) { return std::pair(link.query, link.key); });
        std::vector<float> query_used(static_cast<std::size_t>(model_.n_queries), 0.0F);
        std::vector<float> key_used(incoming.size(), 0.0F);
        std::vector<std::pair<FlowLink, RibbonMark>> ribbons;
        float widest = 0;
        for (const FlowLink& link : by_query) widest = std::max(widest, std::abs(link.weight) * share * unit);
        const float full = std::clamp(widest, 1e-6F, 1.0F);  // pixels of a ribbon in the whole colour
        const float stronger = widest < 1 ? 2.0F : 1.0F;     // threads alone are a haze
        for (const FlowLink& link : by_query) {
            const auto q = static_cast<std::size_t>(link.query);
            const auto k = static_cast<std::size_t>(link.key);
            const float weight = std::abs(link.weight) * share;
            const float width = weight * unit;
            const float from_y = query_top + (static_cast<float>(link.query) + 0.5F) * query_slot -
                                 outgoing[q] * unit / 2 + query_used[q];
            const float to_y =
                key_top + (static_cast<float>(link.key) + 0.5F) * key_slot - incoming[k] * unit / 2 + key_used[k];
            query_used[q] += width;
            key_used[k] += width;
            const Color color = paler(link, width / full, stronger);
            ribbons.push_back({link,
                               {{left, from_y},
                                {left, from_y + std::max(1.0F, width)},
                                {right, to_y},
                                {right, to_y + std::max(1.0F, width)},
                                color}});
        }
        for (const bool in_focus : {false, true})
            for (const auto& [link, ribbon] : ribbons)
                if (is_in_focus(link) == in_focus && is_drawn(link)) figure_.marks.emplace_back(ribbon);
    }

    // The mean over the heads of what links a token to the focus, hidden links included; 0 where none of them is shown.
    float focus_weight(bool is_query_side, int token) const {
        const bool is_linked = std::ranges::any_of(links_->shown, [&](const FlowLink& link) {
            return is_in_focus(link) && (is_query_side ? link.query : link.key) == token;
        });
        if (!is_linked) return 0;
        float sum = 0;
        for (const int head : heads_)
            sum += context_.trace.weights[head](is_query_side ? token : focus_, is_query_side ? focus_ : token);
        return sum / static_cast<float>(heads_.size());
    }

    void draw_tokens(bool is_query_side, int count, float x, float top, float slot, float room) {
        const int step = label_step(slot);
        const float size = std::clamp(slot * 0.7F, text_ - 4, text_);
        const bool is_focus_side = focus_ >= 0 && focus_is_key_ != is_query_side;
        std::vector<float> linked(static_cast<std::size_t>(count), 0.0F);
        if (focus_ >= 0 && !is_focus_side)
            for (int i = 0; i < count; ++i) linked[static_cast<std::size_t>(i)] = focus_weight(is_query_side, i);
        const LabelPictures pictures = label_pictures(context_, is_query_side, count);
        const std::vector<bool> is_labelled = labelled(count, pictures ? 1 : step, marked(is_query_side), linked);
        const bool is_strip = slot <= text_ * 1.8F;  // of pictures side to side
        if (pictures && is_strip) {
            const float wide = std::max(slot, 6.0F);
            add_label_pictures(figure_, pictures,
                               {is_query_side ? x - wide : x, top, wide, slot * static_cast<float>(count)}, true);
        }
        for (int i = 0; i < count; ++i) {
            const float y = top + (static_cast<float>(i) + 0.5F) * slot;
            const bool is_focus = is_focus_side && i == focus_;
            const float weight = linked[static_cast<std::size_t>(i)];
            const TargetId id{is_query_side ? "query" : "key", i};
            figure_.targets.push_back({.id = id,
                                       .kind = TargetKind::button,
                                       .area = {is_query_side ? x - room : x, y - slot / 2, room, slot},
                                       .tooltip = {}});
            if (!is_labelled[static_cast<std::size_t>(i)]) continue;
            const Color role = is_query_side ? colors_.query : colors_.key;
            const bool is_dim = focus_ >= 0 && !is_focus_side && weight == 0;
            if (pictures.is_picture(i)) {
                const float side = std::min(slot, text_ * 1.8F);
                const float wide = std::max(side, 6.0F);
                const Rect box{is_query_side ? x - wide : x, y - side / 2, wide, side};
                if (!is_strip) add_token_picture(figure_, context_, is_query_side, i, box);
                if (is_focus) figure_.marks.emplace_back(BoxMark{box, {0, 0, 0, 0}, role, 2});
                if (is_dim) figure_.marks.emplace_back(BoxMark{box, with_alpha(colors_.panel, 0.55F)});
                if (weight == 0) continue;
                if (slot < text_ - 4) continue;  // numbers would stand on each other
                const float offset = wide + 8;
                words(decimal(static_cast<double>(weight), 2), {is_query_side ? x - offset : x + offset, y}, text_ - 3,
                      colors_.dim, is_query_side ? AlignX::right : AlignX::left, AlignY::middle, Font::mono);
                continue;
            }
            std::string text = shorten(context_.measure, is_query_side ? query_label(model_, i) : key_label(model_, i),
                                       size, Font::bold, room - (weight != 0 ? text_ * 3 : 0));
            words(text, {x, y}, size, is_dim ? with_alpha(role, 0.45F) : role,
                  is_query_side ? AlignX::right : AlignX::left, AlignY::middle, is_focus ? Font::bold : Font::words,
                  true);
            if (weight == 0) continue;
            const float offset = context_.measure.width(text, size, Font::words) + 8;
            words(decimal(static_cast<double>(weight), 2), {is_query_side ? x - offset : x + offset, y}, text_ - 3,
                  colors_.dim, is_query_side ? AlignX::right : AlignX::left, AlignY::middle, Font::mono);
        }
    }

    // One line of tokens: arcs above it lead from a query back or on to its keys, where their arrows end.
    void draw_arcs(Rect room) {
        const int n = model_.n_queries;
        const float slot = std::min(room.w / static_cast<float>(n), 110.0F);
        const float left = room.center().x - slot * static_cast<float>(n) / 2;
        const bool is_turned = slot < text_ * 4;
        const float base = room.bottom() - (is_turned ? text_ * 5 : focus_ >= 0 ? text_ * 3.4F : text_ * 2.2F);
        const auto x_of = [&](int token) { return left + (static_cast<float>(token) + 0.5F) * slot; };
        const std::string asks = std::string(context_.word("query (asks)")) + " →";
        words(asks, {room.x, room.y + text_}, text_, colors_.query, AlignX::left, AlignY::baseline, Font::bold);
        words(std::string(context_.word("key (is asked)")),
              {room.x + context_.measure.width(asks, text_, Font::bold) + 6, room.y + text_}, text_, colors_.key,
              AlignX::left, AlignY::baseline, Font::bold);
        int longest = 1;
        for (const FlowLink& link : links_->shown) longest = std::max(longest, std::abs(link.query - link.key));
        const float height = base - room.y - text_ * 2;
        const auto rise_of = [&](const FlowLink& link) {
            const int distance = std::abs(link.query - link.key);
            const float share = static_cast<float>(distance) / static_cast<float>(longest);
            return distance == 0 ? std::min(40.0F, height) : std::min(height, std::max(24.0F, height * share));
        };
        each_link(
            [&](const FlowLink& link) { draw_arc(link, x_of(link.query), x_of(link.key), base, rise_of(link), slot); });
        draw_arc_tokens(left, slot, base, room.bottom(), is_turned);
    }

    void draw_arc(const FlowLink& link, float from, float to, float base, float rise, float slot) {
        constexpr float thinnest = 0.8F;  // pixels, beside which a thinner one is paler
        const float wanted = std::abs(link.weight) / static_cast<float>(heads_.size()) * 9;
        const Color color = paler(link, wanted / thinnest, 1);
        const float width = std::max(thinnest, wanted);
        const bool is_loop = link.query == link.key;
        // Among hundreds of tokens the arrows of all links would be a solid line.
        const bool has_arrow = slot >= 12 || (focus_ >= 0 && is_in_focus(link));
        const float arrow = has_arrow ? std::min(rise / 2, std::max(8.0F, width * 1.6F)) : 0;
        const float half = is_loop ? slot * 0.18F : std::abs(from - to) / 2;
        const float direction = from <= to ? -1.0F : 1.0F;
        const float middle = (from + to) / 2;
        LineMark arc{{}, color, width};
        for (int t = 0; t <= 72; ++t) {
            const float angle = std::numbers::pi_v<float> * static_cast<float>(t) / 72;
            const float end = t > 36 ? base - arrow : base;  // comes down on the neck of the arrow
            arc.points.push_back(
                {middle + direction * half * std::cos(angle), end - (rise - (base - end)) * std::sin(angle)});
        }
        const Point tip{middle - direction * half, base};
        const Point neck{tip.x, base - arrow};
        figure_.marks.emplace_back(std::move(arc));
        if (has_arrow)
            figure_.marks.emplace_back(
                AreaMark{{{neck.x - arrow * 0.55F, neck.y}, {neck.x + arrow * 0.55F, neck.y}, tip}, color});
    }

    // The focus and the tokens at the other end of its links take the colours of their roles.
    void draw_arc_tokens(float left, float slot, float base, float bottom, bool is_turned) {
        const int n = model_.n_queries;
        // No room at all leaves a slot of nothing, or less.
        const int step =
            std::max(1, static_cast<int>(std::ceil(text_ * (is_turned ? 1.25F : 1.0F) / std::max(slot, 0.01F))));
        std::vector<float> linked(static_cast<std::size_t>(n), 0.0F);
        if (focus_ >= 0)
            for (int i = 0; i < n; ++i) linked[static_cast<std::size_t>(i)] = focus_weight(focus_is_key_, i);
        const std::vector<bool> is_labelled = labelled(n, step, focus_, linked);
        for (int i = 0; i < n; ++i) {
            const float x = left + (static_cast<float>(i) + 0.5F) * slot;
            figure_.targets.push_back({.id = {"query", i},
                                       .kind = TargetKind::button,
                                       .area = {x - slot / 2, base, slot, bottom - base},
                                       .tooltip = {}});
            if (!is_labelled[static_cast<std::size_t>(i)]) continue;
            const bool is_focus = i == focus_;
            const float weight = linked[static_cast<std::size_t>(i)];
            const bool is_partner = weight != 0;
            const Color role = is_focus != focus_is_key_ ? colors_.query : colors_.key;
            const std::string text = shorten(context_.measure, query_label(model_, i), text_ - 1, Font::bold,
                                             is_turned ? text_ * 6 : slot - 4);
            words(text, {x, base + 10}, text_ - 1, is_focus || is_partner ? role : colors_.dim,
                  is_turned ? AlignX::right : AlignX::center, is_turned ? AlignY::middle : AlignY::top,
                  is_focus ? Font::bold : Font::words, true, is_turned ? 45.0F : 0.0F);
            const std::string number = decimal(static_cast<double>(weight), 2);
            if (is_partner && !is_turned && context_.measure.width(number, text_ - 3, Font::mono) + 4 <= slot)
                words(number, {x, base + 10 + text_ * 1.3F}, text_ - 3, colors_.dim, AlignX::center, AlignY::top,
                      Font::mono);
        }
        figure_.marks.emplace_back(
            LineMark{{{left, base + 3}, {left + slot * static_cast<float>(n), base + 3}}, colors_.hairline});
    }

    const FigureContext& context_;
    const Palette& colors_;
    float text_;
    const Model& model_;
    const FlowDisplay& flow_;
    std::vector<int> heads_;
    Links links_;
    int focus_ = -1;
    bool focus_is_key_ = false;
    int partner_ = -1;  // the other end of the pinned link
    Figure figure_;
};

}  // namespace

Figure flow_figure(const FigureContext& context) { return FlowFigure(context).draw(); }

}  // namespace heed
