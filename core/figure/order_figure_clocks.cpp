// One clock hand for each pair of components of a place, or what each head takes off for distance.
#include "core/counting.h"
#include "core/figure/order_encoding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {
namespace {

class Clocks : EncodingPart {
public:
    explicit Clocks(const PanelPen& pen) : EncodingPart(pen) {}

    float height(Rect room) const { return encoding_.bias != nullptr ? slopes_height(room) : pen_.text * 8.4F; }

    void draw(Rect room) const {
        if (encoding_.bias != nullptr)
            draw_slopes(room);
        else
            draw_clocks(room);
    }

private:
    // One hand for each pair of components of the pinned token's place.
    void draw_clocks(Rect room) const {
        const int pairs = pairs_of(width_);
        const float least = pen_.text * 3.1F;
        const int shown = std::min(std::max(static_cast<int>(room.w / least), 1), std::min(pairs, 24));
        const bool is_clock = encoding_.frequency != nullptr;
        if (pairs == 0) {
            title(pen_.word("One clock for each pair of components"), pen_.word(no_pair()), room);
            return;
        }
        std::string which =
            shown < pairs ? fill(context_.word("{0} of {1} pairs"), {std::to_string(shown), std::to_string(pairs)})
            : pairs == 1  ? pen_.word("1 pair")
                          : fill(context_.word("{0} pairs"), {std::to_string(pairs)});
        if (width_ % 2 == 1) which = fill(context_.word(left_over()), {which});
        title(pen_.word("One clock for each pair of components"),
              fill(context_.word(is_clock ? "place {0}, {1}; below: places for one turn"
                                          : "place {0}, {1}; drawn at random: no hand turns evenly"),
                   {shown_number(seen_), which}),
              room);
        const auto row = table_of(seen_, 1);
        const float step = std::min(room.w / static_cast<float>(shown), pen_.text * 5);
        const float radius = std::min(step / 2 - 4, pen_.text * 1.5F);
        const float y = room.y + pen_.text * 3 + radius + 2;
        for (int i = 0; i < shown; ++i) {
            const int pair =
                shown == 1 ? 0 : static_cast<int>(std::lround(static_cast<double>(i) * (pairs - 1) / (shown - 1)));
            const Point center{room.x + step * (static_cast<float>(i) + 0.5F), y};
            draw_clock(*row, pair, center, radius);
            if (!is_clock) continue;
            const double period = 2 * std::numbers::pi / encoding_.frequency(pair, width_);
            pen_.words(short_number(period), {center.x, y + radius + pen_.text * 0.8F}, pen_.colors.dim, AlignX::center,
                       Font::mono, 4);
        }
    }

    // What an odd number of components leaves without a partner.
    const char* left_over() const {
        if (encoding_.turn != nullptr) return "{0}, and one component that stays";
        return encoding_.frequency != nullptr ? "{0}, and one sine left over" : "{0}, and one number left over";
    }
    const char* no_pair() const {
        if (encoding_.turn != nullptr) return "no pair: a single component stays as it is";
        return encoding_.frequency != nullptr ? "no pair: a single sine" : "no pair: a single number";
    }

    static std::string short_number(double value) {
        return value < 10 ? decimal(value, 1) : value < 1e4 ? decimal(value, 0) : compact(value);
    }

    void draw_clock(const Matrix& row, int pair, Point center, float radius) const {
        pen_.figure.marks.emplace_back(
            CircleMark{.center = center, .radius = radius, .fill = pen_.colors.field, .stroke = pen_.colors.hairline});
        const Index first = Index{2} * pair;
        const float across = row(0, first);
        const float up = row(0, first + 1);
        // A turned pair starts at (1, 0); an added one at (sin 0, cos 0) = (0, 1): both hands start at twelve o'clock.
        const float right = encoding_.turn != nullptr ? up : across;
        const float upwards = encoding_.turn != nullptr ? across : up;
        const float longest = std::max(1.0F, std::hypot(right, upwards));
        const Point tip{center.x + right / longest * (radius - 3), center.y - upwards / longest * (radius - 3)};
        pen_.figure.marks.emplace_back(LineMark{{center, tip}, pen_.colors.accent, 2});
        pen_.figure.marks.emplace_back(CircleMark{.center = center, .radius = 2, .fill = pen_.colors.accent});
    }

    int shown_slopes() const { return std::min(model_.n_heads, most_heads); }
    float slope_row() const { return std::round(pen_.text * 1.45F); }
    float slopes_height(Rect room) const {
        const float wanted = pen_.text * 3 + slope_row() * static_cast<float>(shown_slopes());
        return std::min(wanted, std::max(pen_.text * 3 + slope_row(), room.h * 0.4F));
    }

    // What a place between query and key costs in each head.
    void draw_slopes(Rect room) const {
        const int fitting = std::min(shown_slopes(), static_cast<int>((room.h - pen_.text * 3 + 1) / slope_row()));
        title(pen_.word("Slope of each head"),
              fitting < model_.n_heads
                  ? fill(context_.word("the score loses this much for each place apart; the first {0} of {1} heads"),
                         {std::to_string(fitting), std::to_string(model_.n_heads)})
                  : pen_.word("the score loses this much for each place apart"),
              room);
        if (encoding_.slope == nullptr) return;
        const float name_w =
            context_.measure.width(fill(context_.word("Head {0}"), {"16"}), pen_.text - 2, Font::words) + 12;
        const float number_w = context_.measure.width("0.00e-00", pen_.text - 2, Font::mono) + 10;
        float steepest = 1e-9F;
        for (int head = 0; head < model_.n_heads; ++head)
            steepest = std::max(steepest, encoding_.slope(head, model_.n_heads));
        for (int head = 0; head < fitting; ++head) {
            const float slope = encoding_.slope(head, model_.n_heads);
            const float y = room.y + pen_.text * 3 + slope_row() * (static_cast<float>(head) + 0.5F);
            const bool is_shown = head == shown_head(context_);
            const Color color = is_shown ? pen_.colors.accent : pen_.colors.dim;
            pen_.words(fill(context_.word("Head {0}"), {shown_number(head)}), {room.x, y}, color);
            const float longest = std::max(10.0F, room.w - name_w - number_w);
            const Rect bar{room.x + name_w, y - 5, std::max(1.0F, longest * slope / steepest), 10};
            pen_.figure.marks.emplace_back(
                BoxMark{.area = bar, .fill = with_alpha(pen_.colors.accent, is_shown ? 1.0F : 0.4F), .radius = 2});
            pen_.words(compact(static_cast<double>(slope)), {bar.right() + 6, y}, pen_.colors.text, AlignX::left,
                       Font::mono);
            if (!context_.on_paper)
                pen_.figure.targets.push_back({.id = {"slope", head},
                                               .area = {room.x, y - slope_row() / 2, room.w, slope_row()},
                                               .tooltip = pen_.word("Show this head")});
        }
    }
};

}  // namespace

float clocks_height(const PanelPen& pen, Rect room) { return Clocks(pen).height(room); }
void add_clocks(const PanelPen& pen, Rect room) { Clocks(pen).draw(room); }

}  // namespace heed
