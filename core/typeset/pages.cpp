#include "core/typeset/pages.h"

#include <algorithm>

namespace heed {

namespace {

class PageFiller {
public:
    explicit PageFiller(const PageRoom& room) : room_(room), pages_(1) {}

    // The parts [first, end) belong together.
    void place_together(std::vector<PagePart>& parts, std::size_t first, std::size_t end) {
        float height = 0;
        for (std::size_t i = first; i < end; ++i) height += parts[i].height() + (i == first ? 0 : parts[i].gap_before);
        const float gap = y_ > 0 ? parts[first].gap_before : 0;
        // What is taller than a page starts on a new one too, unless that leaves most of this one empty.
        const bool is_fresh_enough = height > room_.inner_height() && y_ < room_.inner_height() / 3;
        std::size_t turn_at = end;
        if (y_ > 0 && y_ + gap + height > room_.inner_height() && !is_fresh_enough)
            turn_at = turning(parts, first, end);
        for (std::size_t i = first; i < end; ++i) {
            if (i == turn_at) turn_page();
            place(std::move(parts[i]));
        }
    }

    std::vector<Page> take() { return std::move(pages_); }

private:
    // The first part that goes to the next page, where not all have room on this one.
    std::size_t turning(const std::vector<PagePart>& parts, std::size_t first, std::size_t end) const {
        const PagePart& one = parts[first];
        const float left = room_.inner_height() - y_;
        if (end == first + 1 && one.least_share < 1 && left - one.gap_before >= one.least_share * one.height())
            return end;
        std::size_t turn = first;
        if (left < room_.inner_height() / 3) return turn;
        float height = 0;
        for (std::size_t i = first; i < end; ++i) {
            height += parts[i].gap_before + parts[i].height();
            if (height > left) break;
            if (parts[i].may_part) turn = i + 1;
        }
        return turn;
    }

    void turn_page() {
        pages_.emplace_back();
        y_ = 0;
    }

    void put(Figure figure, float scale, float indent) {
        const float height = figure.height * scale;
        pages_.back().figures.push_back({std::move(figure), {room_.left + indent, room_.top + y_}, scale});
        y_ += height;
    }

    void place(PagePart part) {
        if (y_ > 0) y_ += part.gap_before;
        if (y_ + part.height() <= room_.inner_height()) return put(std::move(part.figure), part.scale, part.indent);
        const float left = room_.inner_height() - y_;
        if (part.least_share < 1 && left >= part.least_share * part.height()) {
            const float share = left / part.height();
            const float narrower = (1 - share) * part.figure.width * part.scale;
            return put(std::move(part.figure), part.scale * share, part.indent + narrower / 2);
        }
        if (part.breaks.size() < 2) {
            if (y_ > 0) turn_page();
            const float fitting = room_.inner_height() / std::max(1.0F, part.figure.height);
            return put(std::move(part.figure), std::min(part.scale, fitting), part.indent);
        }
        divide(part);
    }

    void divide(const PagePart& part) {
        float from = 0;
        while (from < part.figure.height) {
            float to = from;
            for (const float at : part.breaks)
                if (at > from && y_ + (at - from) * part.scale <= room_.inner_height()) to = std::max(to, at);
            if (to <= from && y_ > 0) {
                turn_page();
                continue;
            }
            if (to <= from) {  // one line taller than a page
                to = part.figure.height;
                for (const float at : part.breaks)
                    if (at > from) to = std::min(to, at);
            }
            put(slice(part.figure, from, to), part.scale, part.indent);
            from = to;
            if (from < part.figure.height) turn_page();
        }
    }

    const PageRoom& room_;
    std::vector<Page> pages_;
    float y_ = 0;
};

}  // namespace

Figure slice(const Figure& figure, float from, float to) {
    Figure part;
    part.width = figure.width;
    part.height = to - from;
    part.theme = figure.theme;
    Figure marks;
    marks.marks.emplace_back(ClipMark{{-figure.width, from, 3 * figure.width, to - from}, true});
    for (const Mark& mark : figure.marks) {
        const auto* text = std::get_if<TextMark>(&mark);
        if (text == nullptr || (text->at.y >= from && text->at.y < to)) marks.marks.push_back(mark);
    }
    marks.marks.emplace_back(ClipMark{{}, false});
    part.place(std::move(marks), 0, -from);
    return part;
}

std::vector<Page> fill_pages(std::vector<PagePart> parts, const PageRoom& room) {
    PageFiller filler(room);
    for (std::size_t first = 0; first < parts.size();) {
        std::size_t end = first + 1;
        while (end < parts.size() && parts[end - 1].keep_with_next) ++end;
        filler.place_together(parts, first, end);
        first = end;
    }
    return filler.take();
}

}  // namespace heed
