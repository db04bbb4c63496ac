#include "app/inspection.h"

#include <utility>

namespace heed::app {

namespace {

Inspection* current = nullptr;

bool lies_in(const Rect& inner, const Rect& outer) {
    constexpr float slack = 1;
    return inner.x >= outer.x - slack && inner.y >= outer.y - slack && inner.right() <= outer.right() + slack &&
           inner.bottom() <= outer.bottom() + slack;
}

void fill_in(std::string& mine, std::string& other) {
    if (mine.empty()) mine = std::move(other);
}

}  // namespace

void set_inspection(Inspection* inspection) { current = inspection; }

bool is_inspecting() { return current != nullptr && current->is_on; }

void offer(About about) {
    if (is_inspecting()) current->found = std::move(about);
}

void offer_around(About about) {
    if (!is_inspecting()) return;
    if (!current->found || !lies_in(current->found->box, about.box)) {
        current->found = std::move(about);
        return;
    }
    About& found = *current->found;
    fill_in(found.title, about.title);
    fill_in(found.formula, about.formula);
    fill_in(found.meaning, about.meaning);
    fill_in(found.range, about.range);
    fill_in(found.keys, about.keys);
    if (found.topic.empty()) {
        found.topic = std::move(about.topic);
        found.is_field = about.is_field;
    }
}

}  // namespace heed::app
