// Tokens in their new order as chips to drag, and the permutation in one line.
#include "core/display/order_display.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"
#include "core/figure/token_pictures.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace heed {
namespace {

constexpr float chip_gap = 6;
constexpr float picture_inset = 4;
constexpr float grip_w = 16;  // with the dots that say that it can be dragged

// The six dots at the left of a chip.
void add_grip(const PanelPen& pen, Rect chip) {
    for (const float y : {-4.0F, 0.0F, 4.0F})
        for (const float x : {8.0F, 12.0F})
            pen.figure.marks.emplace_back(
                CircleMark{.center = {chip.x + x, chip.center().y + y}, .radius = 1, .fill = pen.colors.faint});
}

// Without a label: the token is a patch, and its picture stands there.
void add_chip(const PanelPen& pen, const ShownOrder& order, int place, const std::string& label, Rect area) {
    const int token = order.permutation[place];
    const bool is_keys = order.side == MovedSide::keys;
    const Color color = is_keys ? pen.colors.key : pen.colors.query;
    const bool is_moved = token != place;
    pen.figure.marks.emplace_back(BoxMark{.area = area,
                                          .fill = is_moved ? mix(pen.colors.field, color, 0.12F) : pen.colors.field,
                                          .stroke = is_moved ? color : pen.colors.hairline,
                                          .radius = 6});
    float left = area.x + 8;
    if (!pen.context.on_paper) {
        add_grip(pen, area);
        left = area.x + grip_w + 2;
        pen.figure.targets.push_back({.id = {"chip", token},
                                      .kind = TargetKind::handle,
                                      .area = area,
                                      .tooltip = pen.word("Drag this token to another place")});
    }
    if (label.empty())
        add_token_picture(pen.figure, pen.context, !is_keys, token,
                          {left, area.y + picture_inset, area.h - 2 * picture_inset, area.h - 2 * picture_inset});
    else
        pen.words(label, {left, area.center().y}, color, AlignX::left, Font::words, 1, true);
}

std::string about(const PanelPen& pen, const Permutation& p, float width) {
    const bool is_orthogonal = composed(inverse(p), p).is_identity();
    const std::string tail =
        "det P = " + std::string(sign(p) > 0 ? "+1" : "−1") + " · P^{T}P = I " + (is_orthogonal ? "✓" : "✗");
    const std::string parity = pen.word(sign(p) > 0 ? "even" : "odd");
    const std::string swaps = inversions(p) == 1
                                  ? pen.word("1 swap of neighbours")
                                  : fill(pen.context.word("{0} swaps of neighbours"), {std::to_string(inversions(p))});
    if (p.is_identity()) return "P = I · " + tail;
    // As many cycles as there is room for.
    const int many = static_cast<int>(cycles(p).size());
    for (const int most : {many, 12, 6, 3, 1, 0}) {
        if (most > many) continue;
        const std::string notation = most > 0 ? cycle_text(p, most) + " · " : "";
        for (const std::string& words :
             {notation + parity + " · " + swaps + " · " + tail, notation + parity + " · " + tail})
            if (rich_width(pen.context.measure, words, pen.text - 2, Font::words) <= width) return words;
    }
    return parity + " · " + tail;
}

// How much of the way is walked: a track at the right end of the line, where there is a way. Returns the width used.
float add_share(const PanelPen& pen, Rect line) {
    const OrderDisplay& display = *pen.context.display.order;
    if (pen.context.on_paper || (display.permutation.empty() && display.share == 1)) return 0;
    const float length = std::clamp(line.w * 0.16F, 70.0F, 150.0F);
    const Rect area{line.right() - length - 10, line.y - 8, length, 16};
    const Frame frame{"share", area, {0, 1}, {0, 1}};
    pen.figure.marks.emplace_back(LineMark{{{area.x, line.y}, {area.right(), line.y}}, pen.colors.track, 3});
    const Point dot = frame.place(static_cast<double>(display.share), 0.5);
    pen.figure.marks.emplace_back(LineMark{{{area.x, line.y}, {dot.x, line.y}}, pen.colors.accent, 3});
    pen.figure.frames.push_back(frame);
    pen.handle("share", dot, pen.colors.accent, pen.word("Drag to walk part of the way, in swaps of neighbours"),
               "share");
    const std::string words = pen.word("part of the way");
    pen.words(words, {area.x - 12, line.y}, pen.colors.dim, AlignX::right);
    return length + 34 + pen.context.measure.width(words, pen.text - 2, Font::words);
}

}  // namespace

float add_token_chips(const PanelPen& pen, const ShownOrder& order, Rect room, int most_rows) {
    const FigureContext& context = pen.context;
    const Permutation& p = order.permutation;
    const float height = std::round(pen.text * 1.9F);
    const std::string more_words = fill(context.word("… {0} more tokens"), {std::to_string(p.size())});
    const float more_w = context.measure.width(more_words, pen.text - 2, Font::words) + 12;
    const float padding = context.on_paper ? 16 : grip_w + 10;
    const float most_label = std::min(pen.text * 8, room.w - padding);
    const SharedPictures pictures = token_pictures(context, order.side != MovedSide::keys);
    float x = room.x, y = room.y;
    int row = 0;
    for (int place = 0; place < p.size(); ++place) {
        const bool is_picture = pictures && pictures->has_picture(p[place]);
        const std::string label = is_picture
                                      ? std::string()
                                      : shorten(context.measure, moved_label(context.model, order.side, p[place]),
                                                pen.text - 1, Font::words, most_label);
        const float w = std::ceil(
            (is_picture ? height - 2 * picture_inset : context.measure.width(label, pen.text - 1, Font::words)) +
            padding);
        const bool is_last = place + 1 == p.size();
        const float needed = row + 1 == most_rows && !is_last ? w + chip_gap + more_w : w;
        if (x > room.x && x + needed > room.right()) {
            if (row + 1 == most_rows) {
                const int left = p.size() - place;
                pen.words(left == 1 ? pen.word("… 1 more token")
                                    : fill(context.word("… {0} more tokens"), {std::to_string(left)}),
                          {x + 4, y + height / 2}, pen.colors.dim);
                break;
            }
            ++row;
            x = room.x;
            y += height + chip_gap;
        }
        add_chip(pen, order, place, label, {x, y, w, height});
        x += w + chip_gap;
    }
    const float used = y - room.y + height;
    const float line = pen.text * 1.6F;
    const float middle = room.y + used + line / 2 + 4;
    const float track_w = add_share(pen, {room.x, middle, room.w, 0});
    pen.words(about(pen, p, room.w - track_w), {room.x, middle}, pen.colors.dim);
    return used + line;
}

}  // namespace heed
