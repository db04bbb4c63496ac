#include "app/widgets/mask_picture.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr Index most_across = 42;  // cells: two pixels each

// The share of visible cells in rows [top, bottom) × columns [left, right), from at most 8 × 8 samples.
float visible_share(const MaskMatrix& visible, Index top, Index bottom, Index left, Index right) {
    const Index down = std::max<Index>(1, (bottom - top) / 8);
    const Index across = std::max<Index>(1, (right - left) / 8);
    int seen = 0;
    int all = 0;
    for (Index i = top; i < bottom; i += down)
        for (Index j = left; j < right; j += across) {
            seen += visible(i, j);
            ++all;
        }
    return static_cast<float>(seen) / static_cast<float>(std::max(1, all));
}

}  // namespace

Item mask_picture(std::string_view name, float side, const MaskMatrix& visible) {
    const Item item = button_item(name, {side, side});
    if (!item.shown || visible.size() == 0) return item;
    const Index rows = std::min(visible.rows(), most_across);
    const Index cols = std::min(visible.cols(), most_across);
    const float cell = side / static_cast<float>(std::max(rows, cols));
    const float line = cell >= px(6) ? std::max(1.0F, std::floor(px(1))) : 0.0F;  // between cells, where there is room
    const Palette& c = colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto edge = [](float from, Index at, float step) { return std::round(from + static_cast<float>(at) * step); };
    for (Index i = 0; i < rows; ++i) {
        const Index top = i * visible.rows() / rows;
        const Index bottom = std::max(top + 1, (i + 1) * visible.rows() / rows);
        for (Index j = 0; j < cols; ++j) {
            const Index left = j * visible.cols() / cols;
            const Index right = std::max(left + 1, (j + 1) * visible.cols() / cols);
            const float share = visible_share(visible, top, bottom, left, right);
            list->AddRectFilled({edge(item.box.Min.x, j, cell), edge(item.box.Min.y, i, cell)},
                                {edge(item.box.Min.x, j + 1, cell) - line, edge(item.box.Min.y, i + 1, cell) - line},
                                ink(mix(c.track, c.accent, share)));
        }
    }
    return item;
}

std::optional<Cell> cell_under_mouse(const Item& picture, const MaskMatrix& visible) {
    if (!picture.hovered || visible.size() == 0) return std::nullopt;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Index shown_rows = std::min(visible.rows(), most_across);
    const Index shown_cols = std::min(visible.cols(), most_across);
    const float cell = picture.box.GetWidth() / static_cast<float>(std::max(shown_rows, shown_cols));
    const auto row = static_cast<Index>((mouse.y - picture.box.Min.y) / cell);
    const auto col = static_cast<Index>((mouse.x - picture.box.Min.x) / cell);
    if (row < 0 || row >= shown_rows || col < 0 || col >= shown_cols) return std::nullopt;
    return Cell{static_cast<int>(row * visible.rows() / shown_rows),
                static_cast<int>(col * visible.cols() / shown_cols)};
}

}  // namespace heed::app
