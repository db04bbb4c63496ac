// The permutation as a matrix, and what it does from the left and from the right to a matrix of nine numbers.
#include "core/display/cells_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace heed {
namespace {

constexpr int most_cells = 64;  // a side; beyond, a one would be thinner than a pixel of a map

// Of nine numbers, in text sizes: the title and the names of the first line, the names of the second, a cell at least.
constexpr float example_head = 2.9F;
constexpr float example_middle = 1.5F;
constexpr float example_cell = 0.9F;

LabelSpec token_labels(const PanelPen& pen, const ShownOrder& order, bool is_moved) {
    LabelSpec spec;
    spec.style = {pen.text - 3, Font::words, order.side == MovedSide::keys ? pen.colors.key : pen.colors.query};
    spec.count = order.permutation.size();
    spec.label_at = [&pen, &order, is_moved](int place) {
        return moved_label(pen.context.model, order.side, is_moved ? order.permutation[place] : place);
    };
    spec.pictures = label_pictures(pen.context, order.side != MovedSide::keys, spec.count,
                                   [&](int place) { return is_moved ? order.permutation[place] : place; });
    return spec;
}

// Nine numbers with a tint for each row or column they come from.
void add_nine(const PanelPen& pen, const Matrix& numbers, const std::string& name, Point at, float cell,
              int (*tint)(int number)) {
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j) {
            const Rect box{at.x + cell * static_cast<float>(j), at.y + cell * static_cast<float>(i), cell, cell};
            const int number = static_cast<int>(std::lround(numbers(i, j)));
            const int hue = tint(number);
            pen.figure.marks.emplace_back(BoxMark{
                .area = box,
                .fill = hue < 0 ? pen.colors.field : with_alpha(pen.colors.heads[static_cast<std::size_t>(hue)], 0.28F),
                .stroke = pen.colors.hairline});
            pen.words(std::to_string(number), box.center(), number == 0 ? pen.colors.faint : pen.colors.text,
                      AlignX::center, Font::mono, 3);
        }
    pen.words(name, {at.x + cell * 1.5F, at.y - pen.text * 0.55F}, pen.colors.text, AlignX::center, Font::bold, 3);
}

// Another permutation than the page's, and so under another name.
std::string example_title(const PanelPen& pen, float room) {
    const std::string whole = pen.word("Example of three: P_{3}A moves rows, AP_{3} columns");
    return rich_width(pen.context.measure, whole, pen.text - 1, Font::bold) <= room
               ? whole
               : pen.word("P_{3}A moves rows, AP_{3} columns");
}

int no_tint(int) { return -1; }
int tint_of_row(int number) { return (number - 1) / 3; }
int tint_of_column(int number) { return (number - 1) % 3; }

}  // namespace

void add_matrix_of_order(const PanelPen& pen, const ShownOrder& order, Rect room) {
    const FigureContext& context = pen.context;
    const Permutation& p = order.permutation;
    const auto n = static_cast<float>(p.size());
    constexpr float most_label = 52;
    const bool has_labels = context.options.tick_labels;
    const float label_w =
        has_labels ? row_labels_width(widest_label(context.measure, token_labels(pen, order, true), most_label)) : 0;
    const float head = pen.text * 1.6F;
    float side = std::min(room.w - label_w, room.h - head);
    const float foot =
        has_labels ? column_labels_height(context.measure, token_labels(pen, order, false), side / n, most_label) : 0;
    side = std::max(8.0F, std::min({room.w - label_w, room.h - head - foot, std::max(n * 40, room.h * 0.65F)}));
    const Rect area{std::round(room.x + label_w), std::round(room.y + head), side, side};
    pen.words("P", {area.x, room.y + pen.text * 0.6F}, pen.colors.text, AlignX::left, Font::bold, 1);
    const std::string note = pen.word("a one in each row and column");
    if (area.x + 20 + context.measure.width(note, pen.text - 3, Font::words) <= room.right())
        pen.words(note, {area.x + 20, room.y + pen.text * 0.6F}, pen.colors.dim, AlignX::left, Font::words, 3);
    pen.figure.marks.emplace_back(
        BoxMark{.area = {area.x - 1, area.y - 1, area.w + 2, area.h + 2}, .stroke = pen.colors.hairline});
    if (p.size() <= most_cells) {
        StagePanel panel;
        panel.id = "permutation";
        HeatmapMark& map = panel.heatmap;
        map.id = panel.id;
        map.area = area;
        map.values = view_by_content(permutation_matrix(p));
        map.scale = {color_map(context.display.cells->sequential_map).id, 0, 1};
        map.grid = side / n >= 8;
        if (const NumberLook look = fitting_numbers(context, panel, side / n, side / n); look.decimals >= 0) {
            map.decimals = 0;
            map.number_size = look.size;
        }
        pen.figure.targets.push_back(
            {.id = map.id, .kind = TargetKind::cells, .area = area, .rows = p.size(), .cols = p.size(), .tooltip = {}});
        pen.figure.marks.emplace_back(std::move(map));
    } else {
        const float dot = std::max(1.5F, side / n);
        for (int i = 0; i < p.size(); ++i)
            pen.figure.marks.emplace_back(BoxMark{.area = {area.x + side * static_cast<float>(p[i]) / n,
                                                           area.y + side * static_cast<float>(i) / n, dot, dot},
                                                  .fill = pen.colors.accent});
    }
    if (!has_labels) return;
    add_row_labels(pen.figure, context.measure, token_labels(pen, order, true), area, most_label);
    add_column_labels(pen.figure, context.measure, token_labels(pen, order, false), area, most_label, false);
}

float three_by_three_least(const PanelPen& pen) {
    return pen.text * (example_head + example_middle + 6 * example_cell);
}

void add_three_by_three(const PanelPen& pen, const ShownOrder& order, Rect room) {
    const bool is_scenes = order.permutation.size() == 3;
    const Permutation p = is_scenes ? order.permutation : Permutation(std::vector<int>{2, 0, 1});
    const Matrix matrix = permutation_matrix(p);
    Matrix a(3, 3);
    for (Index i = 0; i < 9; ++i) a(i / 3, i % 3) = static_cast<float>(i + 1);
    std::string title = pen.word("PA moves rows, AP columns");
    if (!is_scenes) title = example_title(pen, room.w);
    pen.words(title, {room.x, room.y + pen.text * 0.6F}, pen.colors.text, AlignX::left, Font::bold, 1);
    const float head = pen.text * example_head;
    const float middle = pen.text * example_middle;
    const float signs = 16;
    const float cell = std::floor(
        std::min({(room.w - 2 * signs) / 9, (room.h - head - middle) / 6, std::max(pen.text * 2, room.h * 0.08F)}));
    if (cell < std::floor(pen.text * example_cell)) return;
    const auto line = [&](float y, const std::array<const Matrix*, 3>& parts, const std::array<const char*, 3>& names,
                          const std::array<int (*)(int), 3>& tints) {
        for (std::size_t i = 0; i < 3; ++i) {
            const float x = room.x + static_cast<float>(i) * (3 * cell + signs);
            if (i > 0) pen.words(i == 1 ? "·" : "=", {x - signs / 2, y + cell * 1.5F}, pen.colors.dim, AlignX::center);
            add_nine(pen, *parts[i], names[i], {x, y}, cell, tints[i]);
        }
    };
    const Matrix pa = matrix * a, ap = a * matrix;
    const char* const name = is_scenes ? "P" : "P_{3}";
    line(room.y + head, {&matrix, &a, &pa}, {name, "A", is_scenes ? "PA" : "P_{3}A"},
         {no_tint, tint_of_row, tint_of_row});
    line(room.y + head + 3 * cell + middle, {&a, &matrix, &ap}, {"A", name, is_scenes ? "AP" : "AP_{3}"},
         {tint_of_column, no_tint, tint_of_column});
}

}  // namespace heed
