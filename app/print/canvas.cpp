#include "app/print/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed::app {

void Path::add_rect(Rect rect) {
    move_to({rect.x, rect.y});
    line_to({rect.right(), rect.y});
    line_to({rect.right(), rect.bottom()});
    line_to({rect.x, rect.bottom()});
    close();
}

void Path::add_rounded_rect(Rect rect, float radius) {
    const float r = std::min({radius, rect.w / 2, rect.h / 2});
    if (!(r > 0)) return add_rect(rect);
    const float k = r * 0.4477F;  // from a corner to the control point of a quarter circle
    const float left = rect.x;
    const float top = rect.y;
    const float right = rect.right();
    const float bottom = rect.bottom();
    move_to({left + r, top});
    line_to({right - r, top});
    cubic_to({right - k, top}, {right, top + k}, {right, top + r});
    line_to({right, bottom - r});
    cubic_to({right, bottom - k}, {right - k, bottom}, {right - r, bottom});
    line_to({left + r, bottom});
    cubic_to({left + k, bottom}, {left, bottom - k}, {left, bottom - r});
    line_to({left, top + r});
    cubic_to({left, top + k}, {left + k, top}, {left + r, top});
    close();
}

void Path::add_circle(Point center, float radius) {
    add_rounded_rect({center.x - radius, center.y - radius, 2 * radius, 2 * radius}, radius);
}

bool Path::is_axis_aligned() const {
    std::size_t next = 0;
    for (const Verb verb : verbs_) {
        if (verb == Verb::cubic) return false;
        if (verb == Verb::close) continue;
        const Point point = points_[next++];
        if (verb == Verb::line && next >= 2) {
            const Point before = points_[next - 2];
            if (before.x != point.x && before.y != point.y) return false;
        }
    }
    return true;
}

Rect Path::bounds() const {
    if (points_.empty()) return {};
    Point low = points_.front();
    Point high = low;
    for (const Point& p : points_) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

std::vector<int> gradient_stops(const ColorTable& table) {
    const auto channels = [&](int i) {
        const Color color = table[static_cast<std::size_t>(i)];
        return std::array<float, 3>{static_cast<float>(color.r), static_cast<float>(color.g),
                                    static_cast<float>(color.b)};
    };
    const auto is_straight = [&](int from, int to) {
        const auto first = channels(from);
        const auto last = channels(to);
        for (int i = from + 1; i < to; ++i) {
            const float share = static_cast<float>(i - from) / static_cast<float>(to - from);
            const auto middle = channels(i);
            for (std::size_t c = 0; c < 3; ++c)
                if (std::abs(first[c] + (last[c] - first[c]) * share - middle[c]) > 0.75F) return false;
        }
        return true;
    };
    std::vector<int> stops{0};
    while (stops.back() < color_table_size - 1) {
        int end = stops.back() + 1;
        while (end < color_table_size - 1 && is_straight(stops.back(), end + 1)) ++end;
        stops.push_back(end);
    }
    return stops;
}

}  // namespace heed::app
