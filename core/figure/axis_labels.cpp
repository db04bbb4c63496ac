#include "core/figure/axis_labels.h"

#include "core/figure/rich_text.h"
#include "core/language.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace heed {

namespace {

constexpr float turned_angle = 45;
constexpr float label_gap = 6;  // between cells and labels
constexpr float line_height = 1.25F;
constexpr float stacked_line = 1.06F;     // from one character of a stacked label to the next
constexpr float stacked_spacing = 1.12F;  // the least between two stacked labels
constexpr float turned_spacing = 1.48F;   // between two turned ones: measured across them it is 1/√2 of this
constexpr float level_gap = 4;            // between level labels that all have their column
constexpr float thinned_gap = 0.8F;       // of the text's size, where some are left out: words apart, not a sentence
constexpr std::size_t most_stacked = 5;
constexpr int most_measured = 64;
constexpr float tight_line = 1.12F;   // the least that keeps one row's label off the next
constexpr int most_few = 6;           // rows that are all named, though they are lower than words
constexpr float few_size = 0.92F;     // of their usual size: eleven pixels of twelve
constexpr float few_shift = 0.35F;    // of a row: how far a label may stand from its row's middle
constexpr float picture_size = 1.6F;  // of a token's picture, in sizes of the text

// Every how many labels one is shown, so that they stay a line apart.
int label_step(int count, float spacing, float line) {
    if (count == 0 || spacing >= line) return 1;
    const int least = static_cast<int>(std::ceil(line / std::max(spacing, 1e-3F)));
    for (const int step : {2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 2000, 4000})
        if (step >= least) return step;
    return least;
}

std::vector<std::string> characters_of(std::string_view text) {
    std::vector<std::string> characters;
    for (const char byte : text) {
        if (characters.empty() || (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U) characters.emplace_back();
        characters.back() += byte;
    }
    return characters;
}

// How many characters a label has that can stand one under the other: Chinese ones and their punctuation alone, and few
// of them; or one of any kind. 0: it cannot.
int stacked_length(std::string_view label) {
    const std::vector<std::string> characters = characters_of(label);
    if (characters.size() == 1) return 1;
    const bool is_chinese = std::ranges::all_of(characters, [](const std::string& character) {
        const auto first = static_cast<unsigned char>(character[0]);
        return (first >= 0xE3 && first <= 0xE9) ||
               character.starts_with("\xEF\xBC");  // U+3000 to U+9FFF; U+FF00 to U+FF3F
    });
    return is_chinese && characters.size() <= most_stacked ? static_cast<int>(characters.size()) : 0;
}

enum class Stand { level, stacked, turned };

Stand stand_of(const ColumnWidths& widths, float text_size, float spacing) {
    if (widths.widest + level_gap <= spacing) return Stand::level;
    // What cannot be stacked must fit as it is, in the room that thinned labels have.
    const bool stacks = widths.most_stacked > 0 && widths.widest_level + level_gap <= std::max(spacing, text_size);
    return stacks ? Stand::stacked : Stand::turned;
}

bool is_marked(const LabelSpec& spec, int index) { return index == spec.lit || index == spec.pinned; }

// A thinned label is dropped where a marked one stands in its place.
bool is_shown(const LabelSpec& spec, int index, int step) {
    if (is_marked(spec, index)) return true;
    if (index % step != 0) return false;
    if (step == 1) return true;
    for (const int marked : {spec.lit, spec.pinned})
        if (marked >= 0 && std::abs(marked - index) < step) return false;
    return true;
}

TextMark label_mark(const LabelSpec& spec, int index, std::string text) {
    TextMark mark;
    mark.text = std::move(text);
    mark.style = spec.style;
    if (is_marked(spec, index)) mark.style.font = Font::bold;
    mark.plain = true;
    return mark;
}

double nice_step(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (rough <= factor * power * 1.0001) return factor * power;
    return 10.0 * power;
}

std::string power_of_ten(int exponent) {
    if (exponent >= -2 && exponent <= 3) return decimal(std::pow(10.0, exponent), std::max(0, -exponent));
    return "10^{" + std::string(exponent < 0 ? "−" : "") + std::to_string(std::abs(exponent)) + "}";
}

}  // namespace

float widest_label(const TextMeasure& measure, const LabelSpec& spec, float room) {
    float widest = spec.pictures ? spec.style.size * picture_size : 0;
    const int stride = std::max(1, spec.size() / most_measured);
    for (int i = 0; i < spec.size(); i += stride)
        if (!spec.pictures.is_picture(i))
            widest = std::max(widest, measure.width(spec.at(i), spec.style.size, Font::bold));
    return std::min(widest, room);
}

float row_labels_width(float widest) { return widest + label_gap; }

namespace {

// Along the cells in one strip, or where these are wider than pictures are, each in the middle of its own.
void add_pictures(Figure& figure, const LabelSpec& spec, Rect area, bool is_down) {
    const float spacing = (is_down ? area.h : area.w) / static_cast<float>(std::max(1, spec.size()));
    const float side = is_down ? area.w : area.h;
    if (spacing <= side * 1.15F) {
        add_label_pictures(figure, spec.pictures, area, is_down);
        return;
    }
    for (int i = 0; i < spec.size(); ++i) {
        if (!spec.pictures.is_picture(i)) continue;
        const float along = (static_cast<float>(i) + 0.5F) * spacing - side / 2;
        LabelPictures one = spec.pictures;
        one.tokens = {spec.pictures.tokens[static_cast<std::size_t>(i)]};
        add_label_pictures(
            figure, one, is_down ? Rect{area.x, area.y + along, side, side} : Rect{area.x + along, area.y, side, side},
            is_down);
    }
}

// A frame around what is lit or pinned, in the colour of the text.
void add_picture_frames(Figure& figure, const LabelSpec& spec, Rect area, bool is_down) {
    const float spacing = (is_down ? area.h : area.w) / static_cast<float>(spec.size());
    if (spacing < 4) return;
    for (const int index : {spec.lit, spec.pinned}) {
        if (index < 0 || index >= spec.size() || !spec.pictures.is_picture(index)) continue;
        const float side = is_down ? area.w : area.h;
        const float length = spacing <= side * 1.15F ? spacing : side;
        const float along = (static_cast<float>(index) + 0.5F) * spacing - length / 2;
        const Rect box =
            is_down ? Rect{area.x, area.y + along, area.w, length} : Rect{area.x + along, area.y, length, area.h};
        figure.marks.emplace_back(BoxMark{box, {0, 0, 0, 0}, spec.style.color, 2});
    }
}

}  // namespace

namespace {

// Labels of low rows: a little smaller, and those of few rows fanned out past the first and last one.
struct Spread {
    bool is_wanted = false;
    float size = 0, line = 0;
};
Spread spread_of(const LabelSpec& spec, float spacing) {
    const float size = spec.style.size * few_size;
    const float line = std::max(spacing, size * tight_line);
    const bool is_tight = spacing < spec.style.size * tight_line;
    const float shift = (line - spacing) * static_cast<float>(spec.size() - 1) / 2;
    const bool is_near = shift <= spacing * few_shift;
    const bool is_enough = line == spacing || (is_near && spec.size() <= most_few);
    return {is_tight && is_enough && !spec.pictures, size, line};
}

}  // namespace

void add_row_labels(Figure& figure, const TextMeasure& measure, const LabelSpec& spec, Rect cells, float room) {
    const float spacing = cells.h / static_cast<float>(std::max(1, spec.size()));
    const Spread few = spread_of(spec, spacing);
    const int step = few.is_wanted ? 1 : label_step(spec.size(), spacing, spec.style.size * tight_line);
    if (spec.pictures) {
        const float wide = std::min(std::max(spacing, 6.0F), spec.style.size * picture_size);
        const Rect strip{cells.x - label_gap - wide, cells.y, wide, cells.h};
        add_pictures(figure, spec, strip, true);
        add_picture_frames(figure, spec, strip, true);
    }
    for (int i = 0; i < spec.size(); ++i) {
        if (spec.pictures.is_picture(i) || !is_shown(spec, i, step)) continue;
        TextMark mark = label_mark(spec, i, shorten(measure, spec.at(i), spec.style.size, Font::bold, room));
        mark.at = {cells.x - label_gap, cells.y + (static_cast<float>(i) + 0.5F) * spacing};
        if (few.is_wanted) {
            mark.style.size = few.size;
            mark.at.y = cells.center().y + (static_cast<float>(i) - static_cast<float>(spec.size() - 1) / 2) * few.line;
        }
        mark.align_x = AlignX::right;
        mark.align_y = AlignY::middle;
        figure.marks.emplace_back(std::move(mark));
    }
}

ColumnWidths ColumnWidths::within(float room) const {
    return {std::min(widest, room), std::min(widest_level, room), most_stacked, pictures};
}

ColumnWidths column_widths(const TextMeasure& measure, const LabelSpec& spec, float room) {
    ColumnWidths widths;
    if (spec.pictures) widths.pictures = spec.style.size * picture_size;
    const int stride = std::max(1, spec.size() / most_measured);
    for (int i = 0; i < spec.size(); i += stride) {
        if (spec.pictures.is_picture(i)) continue;
        const std::string label = spec.at(i);
        const float width = std::min(room, measure.width(label, spec.style.size, Font::bold));
        widths.widest = std::max(widths.widest, width);
        if (const int length = stacked_length(label); length > 0)
            widths.most_stacked = std::max(widths.most_stacked, length);
        else
            widths.widest_level = std::max(widths.widest_level, width);
    }
    return widths;
}

bool are_turned(const ColumnWidths& widths, float text_size, float cell_width) {
    return stand_of(widths, text_size, cell_width) == Stand::turned;
}

float column_labels_height(const ColumnWidths& widths, float text_size, float cell_width) {
    if (widths.pictures > 0 && widths.widest <= 0) return label_gap + widths.pictures;
    switch (stand_of(widths, text_size, cell_width)) {
        case Stand::level:
            return label_gap + text_size * line_height;
        case Stand::stacked:
            return label_gap + text_size * stacked_line * static_cast<float>(widths.most_stacked) + text_size * 0.15F;
        case Stand::turned:
            break;
    }
    return label_gap + (widths.widest + text_size) * 0.7072F;
}

float column_labels_height(const TextMeasure& measure, const LabelSpec& spec, float cell_width, float room) {
    return column_labels_height(column_widths(measure, spec, room), spec.style.size, cell_width);
}

float add_column_labels(Figure& figure, const TextMeasure& measure, const LabelSpec& spec, Rect cells, float room,
                        bool above) {
    const float spacing = cells.w / static_cast<float>(std::max(1, spec.size()));
    const ColumnWidths widths = column_widths(measure, spec, room);
    const float size = spec.style.size;
    const Stand stand = spec.never_turned ? Stand::level : stand_of(widths, size, spacing);
    const float side_by_side = stand == Stand::level     ? widths.widest + level_gap
                               : stand == Stand::stacked ? size * stacked_spacing
                                                         : size * turned_spacing;
    const float thinned = stand == Stand::turned ? side_by_side : side_by_side + size * thinned_gap;
    const int step = spacing >= side_by_side ? 1 : label_step(spec.size(), spacing, thinned);
    if (spec.pictures) {
        const float high = std::min(std::max(spacing, 6.0F), widths.pictures);
        const Rect strip{cells.x, above ? cells.y - label_gap - high : cells.bottom() + label_gap, cells.w, high};
        add_pictures(figure, spec, strip, false);
        add_picture_frames(figure, spec, strip, false);
    }
    for (int i = 0; i < spec.size(); ++i) {
        if (spec.pictures.is_picture(i) || !is_shown(spec, i, step)) continue;
        const std::string label = spec.at(i);
        TextMark mark = label_mark(spec, i, shorten(measure, label, size, Font::bold, room));
        const float x = cells.x + (static_cast<float>(i) + 0.5F) * spacing;
        mark.at = {x, above ? cells.y - label_gap : cells.bottom() + label_gap};
        mark.align_x = AlignX::center;
        mark.align_y = above ? AlignY::bottom : AlignY::top;
        if (stand == Stand::stacked && stacked_length(label) > 1) {
            std::vector<std::string> characters = characters_of(label);
            if (above) mark.at.y -= size * stacked_line * static_cast<float>(characters.size() - 1);
            for (std::string& character : characters) {
                mark.text = std::move(character);
                figure.marks.emplace_back(mark);
                mark.at.y += size * stacked_line;
            }
            continue;
        }
        if (stand == Stand::turned) {
            // Below, the text's end meets the column; above, its start does.
            mark.at.x += size * 0.2F;
            mark.align_x = above ? AlignX::left : AlignX::right;
            mark.align_y = AlignY::middle;
            mark.angle = turned_angle;
            if (!above) mark.at.y += size * 0.3F;
        }
        figure.marks.emplace_back(std::move(mark));
    }
    return column_labels_height(widths, size, spacing);
}

std::vector<Tick> ticks(const Axis& axis, float length, float spacing, bool powers_of_two) {
    std::vector<Tick> result;
    const double low = std::min(axis.low, axis.high);
    const double high = std::max(axis.low, axis.high);
    if (!(high > low) || !std::isfinite(high - low) || length <= 0) return result;
    const double count = std::max(1.0, static_cast<double>(length / spacing));
    if (axis.log) {
        if (low <= 0) return result;
        const double base = powers_of_two ? 2.0 : 10.0;
        const int first = static_cast<int>(std::ceil(std::log(low) / std::log(base) - 1e-6));
        const int last = static_cast<int>(std::floor(std::log(high) / std::log(base) + 1e-6));
        const int step = std::max(1, static_cast<int>(std::ceil((last - first) / count)));
        for (int e = first; e <= last; ++e) {
            const bool is_major = (e - first) % step == 0;
            const double value = std::pow(base, e);
            result.push_back({value, !is_major ? "" : powers_of_two ? decimal(value, 0) : power_of_ten(e), is_major});
        }
        if (result.size() > 1) return result;
        result.clear();
    }
    const double step = nice_step((high - low) / count);
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
    const bool is_plain = step >= 1e-6 && high < 1e7;
    for (double i = std::ceil(low / step - 1e-6); i * step <= high + step * 1e-6; ++i)
        result.push_back({i * step, is_plain ? decimal(i * step, decimals) : compact(i * step), true});
    return result;
}

}  // namespace heed
