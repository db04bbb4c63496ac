// What breaks the equality, one at a time: a bar for everything that knows of places.
#include "core/display/order_display.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace heed {
namespace {

constexpr float column_gap = 20;
constexpr float least_bar = 24;

// Where there is no room for all: those that are on first, then the one that everyone knows, and random tables last.
int rank_of(const RuleEffect& one) {
    if (one.is_on) return 0;
    if (one.rule.mask != nullptr && one.rule.mask->id == "causal") return 1;
    const PositionEncoding* position = one.rule.position;
    return position != nullptr && position->add != nullptr && position->frequency == nullptr ? 3 : 2;
}

std::vector<RuleEffect> shown_rules(const RuleEffects& effects, std::size_t most) {
    std::vector<RuleEffect> rules = effects.rules;
    if (rules.size() <= most) return rules;
    std::ranges::stable_sort(rules, {}, rank_of);
    rules.resize(most);
    return rules;
}

class RuleRows {
public:
    // `room`: below the title.
    RuleRows(const PanelPen& pen, const RuleEffects& effects, bool is_still, Rect room)
        : pen_(pen), is_still_(is_still), room_(room) {
        number_w_ = pen.context.measure.width("0.00e-00", pen.text - 2, Font::mono);
        const float least_row = std::floor(pen.text * 1.5F);
        const auto most_down = static_cast<std::size_t>(std::max(1.0F, std::floor(room.h / least_row)));
        // The fewest columns that hold all; the masks' numbers are left out where they would cost a row.
        for (const bool with_numbers : {true, false}) {
            has_numbers_ = with_numbers;
            measure_names(effects.rules);
            const float least = name_w_ + 16 + least_bar + number_w_;
            const auto most_across =
                static_cast<std::size_t>(std::clamp((room.w + column_gap) / (least + column_gap), 1.0F, 4.0F));
            columns_ = std::clamp((effects.rules.size() + most_down - 1) / most_down, std::size_t{1}, most_across);
            if (columns_ == 1 && most_across > 1) columns_ = 2;
            if (columns_ * most_down >= effects.rules.size()) break;
        }
        rules_ = shown_rules(effects, most_down * columns_);
        left_out_ = effects.rules.size() - rules_.size();
        down_ = std::max<std::size_t>(1, (rules_.size() + columns_ - 1) / columns_);
        row_h_ = std::clamp(std::floor(room.h / static_cast<float>(down_)), least_row, std::round(pen.text * 2.4F));
        for (const RuleEffect& one : rules_)
            if (one.alone.is_finite) largest_ = std::max(largest_, one.alone.from_moved);
    }

    void draw() const {
        const auto across = static_cast<float>(columns_);
        const float width = (room_.w - column_gap * (across - 1)) / across;
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            const float x = room_.x + (width + column_gap) * static_cast<float>(i / down_);
            draw_row(rules_[i], {x, room_.y + row_h_ * static_cast<float>(i % down_), width, row_h_});
        }
    }
    std::size_t left_out() const { return left_out_; }

private:
    std::string name_of(const RuleEffect& one) const {
        const std::string name = pen_.word(one.rule.name());
        return has_numbers_ && !one.numbers.empty() ? name + " · " + one.numbers : name;
    }

    void measure_names(const std::vector<RuleEffect>& rules) {
        name_w_ = 0;
        for (const RuleEffect& one : rules)
            name_w_ = std::max(name_w_, pen_.context.measure.width(name_of(one), pen_.text - 2, Font::words));
        name_w_ = std::ceil(name_w_ + 20);
    }

    void draw_row(const RuleEffect& one, Rect row) const {
        const float middle = row.center().y;
        const Rect name{row.x, row.y + 2, name_w_, row.h - 4};
        pen_.figure.marks.emplace_back(BoxMark{.area = name,
                                               .fill = one.is_on ? pen_.colors.field_selected : pen_.colors.field,
                                               .stroke = one.is_on ? pen_.colors.accent : pen_.colors.hairline,
                                               .radius = name.h / 2});
        pen_.words(name_of(one), {name.center().x, middle}, one.is_on ? pen_.colors.accent : pen_.colors.dim,
                   AlignX::center);
        if (!pen_.context.on_paper)
            pen_.figure.targets.push_back({.id = {"rule", one.rule.id()}, .area = name, .tooltip = tooltip(one)});
        const bool holds = one.alone.holds();
        const std::string number = difference_text(one.alone);
        const float bar_room = std::max(8.0F, row.right() - name.right() - 16 - number_w_);
        const float share = holds || largest_ <= 0 ? 0 : static_cast<float>(one.alone.from_moved / largest_);
        const Rect bar{name.right() + 10, middle - 5, std::max(holds ? 0.0F : 2.0F, bar_room * share), 10};
        if (bar.w > 0)
            pen_.figure.marks.emplace_back(BoxMark{
                .area = bar, .fill = with_alpha(broken_color(pen_.colors), one.is_on ? 1.0F : 0.55F), .radius = 2});
        // Where nothing is moved, a difference of 0 says nothing.
        const Color color = is_still_ ? pen_.colors.dim : holds ? pen_.colors.good : pen_.colors.text;
        pen_.words(number, {bar.right() + 6, middle}, color, AlignX::left, Font::mono);
    }

    std::string tooltip(const RuleEffect& one) const {
        const std::string with =
            one.numbers.empty() ? std::string() : fill(pen_.context.word("Measured with {0}."), {one.numbers}) + " ";
        if (!one.is_on) return with + pen_.word("Switch it on in this scene");
        return with + fill(pen_.context.word("On: all that is on but this gives {0}. Press to switch it off."),
                           {difference_text(one.without)});
    }

    const PanelPen& pen_;
    bool is_still_;
    Rect room_;
    float row_h_ = 0, name_w_ = 0, number_w_ = 0;
    bool has_numbers_ = true;
    std::size_t columns_ = 1;
    std::vector<RuleEffect> rules_;
    std::size_t left_out_ = 0, down_ = 1;
    double largest_ = 0;
};

}  // namespace

void add_rules(const PanelPen& pen, const ShownOrder& order, const RuleEffects& effects, Rect room) {
    const FigureContext& context = pen.context;
    const bool is_listed = context.display.order->rules;
    if (context.on_paper && !is_listed) return;
    std::string title = pen.word("What breaks it, one at a time");
    if (!context.on_paper) title = (is_listed ? "▾ " : "▸ ") + title;
    pen.words(shorten(context.measure, title, pen.text - 1, Font::bold, room.w), {room.x, room.y + pen.text * 0.6F},
              pen.colors.text, AlignX::left, Font::bold, 1);
    // Beside the title where it fits, else below it.
    const float title_w = context.measure.width(title, pen.text - 1, Font::bold) + 14;
    if (!context.on_paper)
        pen.figure.targets.push_back(
            {.id = "rules",
             .area = {room.x, room.y - pen.text * 0.3F, std::min(title_w, room.w), pen.text * 1.8F},
             .tooltip = pen.word(is_listed ? "Click to fold the list away" : "Click to see the list")});
    if (!is_listed) return;
    const auto is_beside = [&](const std::string& words) {
        return title_w + context.measure.width(words, pen.text - 2, Font::words) <= room.w;
    };
    const auto note = [&](const std::string& words, bool beside) {
        pen.words(shorten(context.measure, words, pen.text - 2, Font::words, room.w),
                  {room.x + (beside ? title_w : 0), room.y + pen.text * (beside ? 0.6F : 1.95F)}, pen.colors.dim);
    };
    const auto only = [&](const std::string& words) { note(words, is_beside(words)); };
    if (effects.is_too_large) return only(pen.word("Too many weights to compute each of them alone."));
    if (!effects.is_complete) return only(pen.word("Computing each of them alone…"));
    const std::string about =
        pen.word(order.permutation.is_identity() ? "nothing is moved, so nothing is broken"
                 : effects.has_added             ? "each alone, with this order"
                                     : "each alone in this layer; what is added to embeddings comes before it");
    const auto with_left_out = [&](std::size_t count) {
        return count == 0   ? about
               : count == 1 ? fill(context.word("{0}; 1 more has no room here"), {about})
                            : fill(context.word("{0}; {1} more have no room here"), {about, std::to_string(count)});
    };
    for (const bool beside : {true, false}) {
        const float top = pen.text * (beside ? 1.7F : 3);
        const RuleRows rows(pen, effects, order.permutation.is_identity(),
                            {room.x, room.y + top, room.w, room.h - top});
        const std::string words = with_left_out(rows.left_out());
        if (beside && !is_beside(words)) continue;
        note(words, beside);
        return rows.draw();
    }
}

}  // namespace heed
