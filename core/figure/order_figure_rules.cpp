// What breaks the equality, one at a time: a bar for everything that knows of places.
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace heed {
namespace {

// Those that are on first, as the table has them, where there is no room for all.
std::vector<RuleEffect> shown_rules(const RuleEffects& effects, std::size_t most) {
    std::vector<RuleEffect> rules = effects.rules;
    if (rules.size() <= most) return rules;
    std::ranges::stable_partition(rules, &RuleEffect::is_on);
    rules.resize(most);
    return rules;
}

class RuleRows {
public:
    RuleRows(const PanelPen& pen, const RuleEffects& effects, Rect room)
        : pen_(pen), room_(room), row_h_(std::round(pen.text * 1.7F)) {
        const float top = pen.text * 3;
        columns_ = room.w >= 2 * least_width() + 20 ? 2 : 1;
        const auto fitting = static_cast<std::size_t>(std::max(1.0F, std::floor((room.h - top) / row_h_)));
        rules_ = shown_rules(effects, fitting * static_cast<std::size_t>(columns_));
        left_out_ = effects.rules.size() - rules_.size();
        down_ = (rules_.size() + static_cast<std::size_t>(columns_) - 1) / static_cast<std::size_t>(columns_);
        for (const RuleEffect& one : rules_) {
            if (one.alone.is_finite) largest_ = std::max(largest_, one.alone.from_moved);
            name_w_ =
                std::max(name_w_, pen.context.measure.width(pen.word(one.rule.name()), pen.text - 2, Font::words));
        }
        top_ = room.y + top;
        name_w_ = std::ceil(name_w_ + 20);
    }

    void draw() const {
        const float width = (room_.w - 20 * static_cast<float>(columns_ - 1)) / static_cast<float>(columns_);
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            const float x = room_.x + (width + 20) * static_cast<float>(i / down_);
            draw_row(rules_[i], {x, top_ + row_h_ * static_cast<float>(i % down_), width, row_h_});
        }
    }
    std::size_t left_out() const { return left_out_; }

private:
    float least_width() const { return pen_.text * 15; }

    void draw_row(const RuleEffect& one, Rect row) const {
        const float middle = row.center().y;
        const Rect name{row.x, row.y + 2, name_w_, row.h - 4};
        pen_.figure.marks.emplace_back(BoxMark{.area = name,
                                               .fill = one.is_on ? pen_.colors.field_selected : pen_.colors.field,
                                               .stroke = one.is_on ? pen_.colors.accent : pen_.colors.hairline,
                                               .radius = name.h / 2});
        pen_.words(pen_.word(one.rule.name()), {name.center().x, middle},
                   one.is_on ? pen_.colors.accent : pen_.colors.dim, AlignX::center);
        if (!pen_.context.on_paper)
            pen_.figure.targets.push_back({.id = {"rule", one.rule.id()}, .area = name, .tooltip = tooltip(one)});
        const bool holds = one.alone.holds();
        const std::string number = difference_text(one.alone);
        const float number_w = pen_.context.measure.width("0.00e-00", pen_.text - 2, Font::mono);
        const float bar_room = std::max(8.0F, row.right() - name.right() - 16 - number_w);
        const float share = holds || largest_ <= 0 ? 0 : static_cast<float>(one.alone.from_moved / largest_);
        const Rect bar{name.right() + 10, middle - 5, std::max(holds ? 0.0F : 2.0F, bar_room * share), 10};
        if (bar.w > 0)
            pen_.figure.marks.emplace_back(BoxMark{
                .area = bar, .fill = with_alpha(broken_color(pen_.colors), one.is_on ? 1.0F : 0.55F), .radius = 2});
        pen_.words(number, {bar.right() + 6, middle}, holds ? pen_.colors.good : pen_.colors.text, AlignX::left,
                   Font::mono);
    }

    std::string tooltip(const RuleEffect& one) const {
        if (!one.is_on) return pen_.word("Switch it on in this scene");
        return fill(pen_.context.word("On: all that is on but this gives {0}. Press to switch it off."),
                    {difference_text(one.without)});
    }

    const PanelPen& pen_;
    Rect room_;
    float row_h_;
    float top_ = 0, name_w_ = 0;
    int columns_ = 1;
    std::vector<RuleEffect> rules_;
    std::size_t left_out_ = 0, down_ = 1;
    double largest_ = 0;
};

}  // namespace

void add_rules(const PanelPen& pen, const ShownOrder& order, const RuleEffects& effects, Rect room) {
    const FigureContext& context = pen.context;
    const std::string title = pen.word("What breaks it, one at a time");
    pen.words(shorten(context.measure, title, pen.text - 1, Font::bold, room.w), {room.x, room.y + pen.text * 0.6F},
              pen.colors.text, AlignX::left, Font::bold, 1);
    const auto note = [&](const std::string& words) {
        pen.words(shorten(context.measure, words, pen.text - 2, Font::words, room.w),
                  {room.x, room.y + pen.text * 1.95F}, pen.colors.dim);
    };
    if (effects.is_too_large) return note(pen.word("Too many weights to compute each of them alone."));
    if (!effects.is_complete) return note(pen.word("Computing each of them alone…"));
    const RuleRows rows(pen, effects, room);
    const std::string about = pen.word(order.permutation.is_identity() ? "nothing is moved, so nothing is broken"
                                                                       : "each alone, with this order");
    note(rows.left_out() > 0
             ? fill(context.word("{0}; {1} more have no room here"), {about, std::to_string(rows.left_out())})
             : about);
    rows.draw();
}

}  // namespace heed
