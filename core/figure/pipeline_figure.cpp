#include "core/figure/pipeline_figure.h"

#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace heed {

namespace {

constexpr float largest_cell = 72;
constexpr float operator_width = 30;
constexpr float strip_share = 0.66F;  // of a square map's width: vectors are narrower than weights

// How much stands around the maps. The small ones are for small windows, where the maps come first.
struct Density {
    float padding;
    float row_gap;
    float text_change;       // of the body size
    bool all_color_bars;     // or only the weights'
    bool all_column_labels;  // or only the weights'
};
constexpr Density densities[] = {{20, 20, 0, true, true},
                                 {12, 14, 0, true, false},
                                 {12, 10, 0, false, false},
                                 {8, 6, -1, false, false},
                                 {6, 4, -3, false, false}};
constexpr float comfortable_cell = 34;  // a weight with two decimals fits

// A panel or, where its stage is folded, a chip that unfolds it; with the operator that stands before it.
struct Slot {
    StagePanel panel;
    bool is_folded = false;
    bool row_labels = false;
    bool column_labels = false;
    std::string before;  // "·", "=", "→" or nothing
    Shape shape;         // cells as drawn
};

using Row = std::vector<Slot>;

class Layout {
public:
    Layout(const FigureContext& context, const Density& density, std::vector<Row> rows)
        : context_(context), density_(density), padding_(density.padding), rows_(std::move(rows)) {
        chip_height_ = context.options.text_size * 1.9F;
        head_room_ = context.options.title ? context.options.text_size * 2 : 0;
        foot_room_ = (context.options.axis_words ? context.options.text_size * 1.5F : 0) +
                     (context.options.caption ? context.options.text_size * 1.8F : 0);
        choose_cells();
    }

    Figure draw() const;
    float smallest_cell() const { return *std::ranges::min_element(cells_); }

private:
    bool is_tokens(PanelAxis axis) const { return axis != PanelAxis::components; }

    // Token sides grow with the cell; component sides are squeezed into a strip.
    float side(PanelAxis axis, Index count, float cell, const Row& row, bool down) const {
        const float wanted = static_cast<float>(count) * cell;
        if (is_tokens(axis)) return wanted;
        float cap = 0;
        const auto widen = [&](const Row& by) {
            for (const Slot& slot : by)
                if (!slot.is_folded && is_tokens(slot.panel.down) && is_tokens(slot.panel.across))
                    cap = std::max(cap, cell * static_cast<float>(down ? slot.shape.rows : slot.shape.cols));
        };
        widen(row);
        if (cap == 0)  // no map in this row to go by
            for (const Row& other : rows_) widen(other);
        if (!down) cap = std::min(cap * strip_share, 240.0F);
        constexpr float thinnest = 28;  // a strip one can still read
        return std::max(std::min(wanted, std::max(cap, cell * 2)), std::min(thinnest, cap));
    }
    float cells_w(const Slot& slot, const Row& row, float cell) const {
        return side(slot.panel.across, slot.shape.cols, cell, row, false);
    }
    float cells_h(const Slot& slot, const Row& row, float cell) const {
        return side(slot.panel.down, slot.shape.rows, cell, row, true);
    }

    bool has_column_labels(const Slot& slot) const {
        return slot.column_labels && (density_.all_column_labels || slot.panel.id == "weights");
    }

    FigureContext panel_context(const Slot& slot) const {
        FigureContext context = context_;
        context.options.color_bars =
            context.options.color_bars && (density_.all_color_bars || slot.panel.id == "weights");
        return context;
    }

    PanelMargins margins(const Slot& slot, const Row& row, float cell) const {
        const float cell_w = cells_w(slot, row, cell) / static_cast<float>(std::max<Index>(1, slot.shape.cols));
        return panel_margins(panel_context(slot), slot.panel, slot.shape, cell_w, slot.row_labels,
                             has_column_labels(slot));
    }

    float chip_width(const Slot& slot) const {
        return rich_width(context_.measure, slot.panel.title, context_.options.text_size - 1, Font::words) + 28;
    }

    float slot_width(const Slot& slot, const Row& row, float cell) const {
        const float before = slot.before.empty() ? 0 : operator_width;
        if (slot.is_folded) return before + chip_width(slot);
        const PanelMargins m = margins(slot, row, cell);
        return before + m.left + cells_w(slot, row, cell) + std::max(0.0F, m.right);
    }

    float row_width(const Row& row, float cell) const {
        float width = 0;
        for (const Slot& slot : row) width += slot_width(slot, row, cell);
        return width;
    }

    struct Heights {
        float top = 0, cells = 0, bottom = 0;
        float all() const { return top + cells + bottom; }
    };
    Heights row_heights(const Row& row, float cell) const {
        Heights heights;
        for (const Slot& slot : row) {
            if (slot.is_folded) {
                heights.cells = std::max(heights.cells, chip_height_);
                continue;
            }
            const PanelMargins m = margins(slot, row, cell);
            heights.top = std::max(heights.top, m.top);
            heights.cells = std::max(heights.cells, cells_h(slot, row, cell));
            heights.bottom = std::max(heights.bottom, m.bottom);
        }
        return heights;
    }

    bool fits(std::span<const float> cells) const {
        float height = 2 * padding_ + head_room_ + foot_room_ + density_.row_gap * static_cast<float>(rows_.size() - 1);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (row_width(rows_[r], cells[r]) > context_.width - 2 * padding_) return false;
            height += row_heights(rows_[r], cells[r]).all();
        }
        return height <= context_.height;
    }

    // The largest cell in [low, high] for which `try_cell` holds; whole pixels where cells are large, so that edges stay sharp.
    template <typename Try>
    static float largest(float low, float high, Try try_cell) {
        if (try_cell(high)) return high;
        for (int i = 0; i < 20; ++i) {
            const float middle = (low + high) / 2;
            (try_cell(middle) ? low : high) = middle;
        }
        return low > 8 ? std::floor(low) : low;
    }

    // One size for both rows first; then the upper row, which has fewer maps, takes what width and height are left.
    void choose_cells() {
        const float cap = largest_cell * context_.options.text_size / 14.0F;
        cells_.assign(rows_.size(), 0.02F);
        const float common =
            largest(0.02F, cap, [&](float cell) { return fits(std::vector<float>(rows_.size(), cell)); });
        cells_.assign(rows_.size(), common);
        cells_[0] = largest(common, std::min(cap, common * 1.4F), [&](float cell) {
            std::vector<float> cells = cells_;
            cells[0] = cell;
            return fits(cells);
        });
    }

    void draw_row(Figure& figure, const Row& row, float cell, float left, float top) const;
    void draw_chip(Figure& figure, const Slot& slot, float x, float middle) const;

    const FigureContext& context_;
    const Density& density_;
    float padding_;
    std::vector<Row> rows_;
    std::vector<float> cells_;  // of each row
    float chip_height_ = 26;
    float head_room_ = 0;
    float foot_room_ = 0;
};

void Layout::draw_chip(Figure& figure, const Slot& slot, float x, float middle) const {
    const Palette& colors = context_.colors();
    const Rect area{x, middle - chip_height_ / 2, chip_width(slot), chip_height_};
    figure.marks.emplace_back(
        BoxMark{.area = area, .fill = colors.field, .stroke = colors.hairline, .radius = chip_height_ / 2});
    figure.marks.emplace_back(TextMark{slot.panel.title,
                                       area.center(),
                                       {context_.options.text_size - 1, Font::words, slot.panel.title_color},
                                       AlignX::center,
                                       AlignY::middle});
    figure.targets.push_back({.id = "unfold " + slot.panel.id,
                              .kind = TargetKind::button,
                              .area = area,
                              .tooltip = std::string(context_.word("Click to unfold this stage"))});
}

void Layout::draw_row(Figure& figure, const Row& row, float cell, float left, float top) const {
    const Palette& colors = context_.colors();
    const Heights heights = row_heights(row, cell);
    const float cells_top = top + heights.top;
    const float middle = cells_top + heights.cells / 2;
    float x = left;
    for (const Slot& slot : row) {
        if (!slot.before.empty()) {
            figure.marks.emplace_back(TextMark{slot.before,
                                               {x + operator_width / 2, middle},
                                               {context_.options.text_size + 2, Font::bold, colors.dim},
                                               AlignX::center,
                                               AlignY::middle});
            x += operator_width;
        }
        if (slot.is_folded) {
            draw_chip(figure, slot, x, middle);
            x += chip_width(slot);
            continue;
        }
        const PanelMargins m = margins(slot, row, cell);
        const Rect cells{std::round(x + m.left), std::round(cells_top), cells_w(slot, row, cell),
                         cells_h(slot, row, cell)};
        add_stage_panel(figure, panel_context(slot), slot.panel, cells, slot.row_labels, has_column_labels(slot));
        const float text = context_.options.text_size;
        figure.targets.push_back(
            {.id = "fold " + slot.panel.id,
             .kind = TargetKind::button,
             .area = {cells.x - 2, cells.y - 12 - text,
                      rich_width(context_.measure, slot.panel.title, text, Font::bold) + 4, text * 1.3F},
             .tooltip = std::string(context_.word("Click to fold this stage away"))});
        if (slot.panel.id == "weights" && &row == &rows_.back())
            add_axis_words(figure, context_, {cells.x, cells.bottom() + m.bottom + 4});
        x += m.left + cells.w + std::max(0.0F, m.right);
    }
}

Figure Layout::draw() const {
    Figure figure{.width = context_.width,
                  .height = context_.height,
                  .theme = context_.theme,
                  .marks = {},
                  .targets = {},
                  .frames = {}};
    const float text = context_.options.text_size;
    float widest = 0;
    float height = foot_room_ + density_.row_gap * static_cast<float>(rows_.size() - 1);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        widest = std::max(widest, row_width(rows_[r], cells_[r]));
        height += row_heights(rows_[r], cells_[r]).all();
    }
    const float left = std::max(padding_, (context_.width - widest) / 2);
    float y = std::max(padding_, (context_.height - head_room_ - height) / 2) + head_room_;
    if (context_.options.title)
        figure.marks.emplace_back(TextMark{scene_title(context_.scene, context_.language),
                                           {padding_, padding_ + text},
                                           {text + 1, Font::bold, context_.colors().text},
                                           AlignX::left,
                                           AlignY::baseline,
                                           0,
                                           true});
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        draw_row(figure, rows_[r], cells_[r], left, y);
        y += row_heights(rows_[r], cells_[r]).all() + density_.row_gap;
    }
    const bool has_words = std::ranges::any_of(
        rows_.back(), [](const Slot& slot) { return slot.panel.id == "weights" && !slot.is_folded; });
    if (!has_words) add_axis_words(figure, context_, {left, y - density_.row_gap + 4});
    if (context_.options.caption)
        figure.marks.emplace_back(TextMark{settings_caption(context_),
                                           {padding_, context_.height - 8},
                                           {text - 3, Font::words, context_.colors().dim},
                                           AlignX::left,
                                           AlignY::bottom});
    return figure;
}

enum class Arrangement { rows, stacked };  // stacked: three rows, for tall and narrow pictures

std::vector<Row> pipeline_rows(const FigureContext& context, Arrangement arrangement) {
    const Display& display = context.scene.display;
    const auto slot = [&](Stage stage, std::string before, bool row_labels, bool column_labels) {
        Slot made{stage_panel(context, stage), false, row_labels, column_labels, std::move(before), {}};
        made.shape = {made.panel.heatmap.shown_rows(), made.panel.heatmap.shown_cols()};
        made.is_folded = std::ranges::find(display.pipeline.folded, made.panel.id) != display.pipeline.folded.end();
        return made;
    };
    const bool swapped = display.keys_down;
    std::vector<Row> rows(2);
    rows[0].push_back(slot(swapped ? Stage::k : Stage::q, "", true, false));
    // Only the dot products are products of the matrices; the other scores are made from them.
    const bool is_product = context.scene.model.score == "scaled-dot" || context.scene.model.score == "dot";
    rows[0].push_back(slot(swapped ? Stage::q : Stage::k, is_product ? "·" : ",", false, true));
    rows[0].push_back(slot(Stage::scores, is_product ? "=" : "→", true, true));
    rows[1].push_back(slot(Stage::scaled, "", true, false));
    rows[1].push_back(slot(Stage::masked, "→", false, true));
    if (swapped) {
        // Transposing a product turns it round: outputᵀ = Vᵀ · weightsᵀ.
        rows[1].push_back(slot(Stage::v, " ", false, true));
        rows[1].push_back(slot(Stage::weights, "·", true, true));
    } else {
        rows[1].push_back(slot(Stage::weights, "→", true, true));
        rows[1].push_back(slot(Stage::v, "·", true, false));
    }
    rows[1].push_back(slot(Stage::head_output, "=", false, swapped));
    if (context.scene.model.output_projection) rows[1].push_back(slot(Stage::output, "→", false, swapped));
    if (arrangement == Arrangement::stacked) {
        Row& lower = rows[1];
        const auto last = lower.begin() + 3;  // after scaled, masked and weights (or the value that stands before them)
        rows.emplace_back(std::make_move_iterator(last), std::make_move_iterator(lower.end()));
        rows[1].resize(3);
        return rows;
    }
    const bool is_flat = context.height < context.width * 0.3F;
    if (is_flat) {
        rows[1].front().before = "→";
        std::ranges::move(rows[1], std::back_inserter(rows[0]));
        rows.pop_back();
    }
    return rows;
}

}  // namespace

Figure pipeline_figure(const FigureContext& context) {
    // The most generous density that leaves the cells a comfortable size, or else the one with the largest cells.
    struct Choice {
        const Density* density = nullptr;
        Arrangement arrangement = Arrangement::rows;
        float cell = 0;
    };
    FigureContext dense = context;
    const auto best_of = [&](Arrangement arrangement) {
        Choice best;
        for (const Density& density : densities) {
            dense.options.text_size = context.options.text_size + density.text_change;
            const float cell = Layout(dense, density, pipeline_rows(dense, arrangement)).smallest_cell();
            if (best.density == nullptr || cell > best.cell * 1.12F) best = {&density, arrangement, cell};
            if (cell >= comfortable_cell) break;
        }
        return best;
    };
    Choice best = best_of(Arrangement::rows);
    if (context.width < context.height)
        if (const Choice stacked = best_of(Arrangement::stacked); stacked.cell > best.cell) best = stacked;
    dense.options.text_size = context.options.text_size + best.density->text_change;
    return Layout(dense, *best.density, pipeline_rows(dense, best.arrangement)).draw();
}

}  // namespace heed
