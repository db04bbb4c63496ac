// Texts, pictures and boxes filled into pages of paper, one below the other.
#pragma once

#include "core/figure/figure.h"

#include <vector>

namespace heed {

// All lengths in the page's logical pixels; a figure may be drawn smaller than it is.
struct PagePart {
    Figure figure;
    float scale = 1;
    std::vector<float> breaks = {};  // heights at which it may be divided (TypesetText::breaks); empty: nowhere
    float gap_before = 0;            // dropped at the top of a page
    float indent = 0;                // from the left margin
    bool keep_with_next = false;     // both on one page, where one page has room for them
    bool may_part = false;  // from the next all the same, where keeping them together leaves a third of a page empty
    float least_share = 1;  // of its size: so small it may be drawn to end a page rather than to begin one

    float height() const { return figure.height * scale; }
};

struct PageRoom {
    float width = 794;  // A4 at 96 pixels an inch
    float height = 1123;
    float left = 72;
    float top = 64;
    float bottom = 80;
    float inner_height() const { return height - top - bottom; }
    float inner_width() const { return width - 2 * left; }
};

struct PlacedFigure {
    Figure figure;
    Point at;  // of its top left corner
    float scale = 1;
};
struct Page {
    std::vector<PlacedFigure> figures;
};

// Parts that belong together go to the next page together; a part taller than a page is divided, and one that has no place to be
// divided at is drawn smaller.
std::vector<Page> fill_pages(std::vector<PagePart> parts, const PageRoom& room);

// What of a figure lies between two heights, moved up to the first: text by its base line, everything else clipped.
Figure slice(const Figure& figure, float from, float to);

}  // namespace heed
