#include "app/widgets/mask_picture.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

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
    constexpr Index most = 42;  // cells across: two pixels each
    const Index rows = std::min(visible.rows(), most);
    const Index cols = std::min(visible.cols(), most);
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

}  // namespace heed::app
