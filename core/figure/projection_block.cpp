#include "core/figure/projection_block.h"

#include "core/attention/operands.h"
#include "core/display/cells_display.h"
#include "core/figure/pipeline_rows.h"
#include "core/figure/pipeline_slots.h"
#include "core/figure/projection_links.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float fan_width = 44;      // between the embeddings and their projections
constexpr float product_width = 14;  // of it, for the sign of the product
constexpr float least_row = 22;      // of a row's cells
constexpr float most_gap = 22;       // between the rows

class BlockLayout {
public:
    BlockLayout(const FigureContext& context, const ProjectionBlock& block, float height)
        : context_(context), block_(block), unit_(context.options.text_size / 14) {
        dress_.bar = BarPlace::none;
        dress_.label_room = 4.5F;
        gap_ = std::clamp(height * 0.03F, 4.0F, 14.0F);
        float around = 2 * gap_;
        for (std::size_t r = 0; r < block_.chains.size(); ++r) around += edges(r).top + edges(r).bottom;
        row_ = (height - around) / static_cast<float>(block_.chains.size());
        choose_cells();
    }

    bool is_legible() const { return row_ >= least_row; }
    // Whether W's notes have room for the numbers of their columns, not only for the head's.
    void write_notes_in_full(bool in_full) { notes_in_full_ = in_full; }
    float width(float strip) const {
        float all = sources_width(strip) + fan_width;
        const std::vector<float> columns = column_widths(strip);
        for (std::size_t c = 0; c < columns.size(); ++c) all += columns[c] + (c > 0 ? usual_operator_width : 0);
        return all;
    }
    float longest_strip() const { return std::max(row_ * 1.5F, 200 * unit_); }
    PlacedBlock place(float strip, Rect room) const;

private:
    struct Edges {
        float top = 0, bottom = 0;
    };

    PanelDress dress(const PipelineSlot& slot) const {
        PanelDress dress = dress_;
        dress.row_labels = slot.row_labels;
        dress.column_labels = slot.column_labels;
        return dress;
    }
    // The maps of a row: its chain, and the embeddings that go into it alone.
    template <typename Visit>
    void for_each_of_row(std::size_t r, Visit visit) const {
        std::ranges::for_each(block_.chains[r].slots, visit);
        for (const ProjectionBlock::Source& source : block_.sources)
            if (source.first_chain == r && source.last_chain == r) std::ranges::for_each(source.slots, visit);
    }
    Edges edges(std::size_t r) const {
        Edges edges;
        for_each_of_row(r, [&](const PipelineSlot& slot) {
            const PanelMargins m = panel_margins(context_, slot.panel, dress(slot), 100, 100);
            edges = {std::max(edges.top, m.top), std::max(edges.bottom, m.bottom)};
        });
        return edges;
    }

    template <typename Visit>
    void for_each_slot(Visit visit) const {
        for (const ProjectionBlock::Source& source : block_.sources) std::ranges::for_each(source.slots, visit);
        for (const ProjectionBlock::Chain& chain : block_.chains) std::ranges::for_each(chain.slots, visit);
    }

    // As high as the rows allow; as wide as high, or as a number needs.
    void choose_cells() {
        Index tokens_down = 0;
        Index components_down = 1;
        Index most_across = 1;
        std::optional<CellSize> numbered;
        for_each_slot([&](const PipelineSlot& slot) {
            const Index rows = slot.panel.heatmap.shown_rows();
            Index& most = slot.panel.down == PanelAxis::components ? components_down : tokens_down;
            most = std::max(most, rows);
            most_across = std::max(most_across, slot.panel.heatmap.shown_cols());
            const std::optional<CellSize> own = smallest_numbered_cell(context_, slot.panel);
            if (!own) return;
            if (!numbered) numbered = CellSize{};
            numbered = CellSize{std::max(numbered->w, own->w), std::max(numbered->h, own->h)};
        });
        const float cap = 72 * unit_;
        cell_h_ = std::min(cap, row_ / static_cast<float>(tokens_down > 0 ? tokens_down : components_down));
        if (cell_h_ > 8) cell_h_ = std::floor(cell_h_);
        const float lowest = std::min(cell_h_, row_ / static_cast<float>(components_down));
        // So wide that the longest strip has all it may have, where cells are few and high.
        cell_w_ = std::min(cell_h_, longest_strip() / static_cast<float>(most_across));
        cell_w_ = std::max(cell_w_, narrowest_component);
        if (numbered && lowest >= numbered->h) cell_w_ = std::max(cell_w_, std::ceil(numbered->w));
    }

    float map_h(const PipelineSlot& slot) const {
        const auto rows = static_cast<float>(slot.panel.heatmap.shown_rows());
        if (slot.panel.down != PanelAxis::components) return rows * cell_h_;
        return std::min(rows * std::max(cell_h_, narrowest_component), row_);
    }
    float map_w(const PipelineSlot& slot, float strip) const {
        const auto cols = static_cast<float>(slot.panel.heatmap.shown_cols());
        return std::min(cols * cell_w_, strip);
    }
    // Of the whole panel; at least as wide as its title, and as the words that tell whose part of W it is.
    float slot_width(const PipelineSlot& slot, float strip) const {
        if (slot.is_folded) return slot.chip_width;
        const float w = map_w(slot, strip);
        const PanelMargins m = panel_margins(context_, slot.panel, dress(slot), w, map_h(slot));
        const float whose =
            slot.short_note.empty() ? 0 : 6 + note_width(notes_in_full_ ? slot.panel.note : slot.short_note);
        return m.left + std::max(w + std::max(0.0F, m.right), slot.panel.title_width + whose);
    }
    float note_width(const std::string& note) const {
        return rich_width(context_.measure, note, context_.options.text_size - 2, Font::words);
    }

    // Embeddings stand under each other: cells of a column begin at the same place, after the widest labels.
    struct SourceColumn {
        float left = 0, width = 0;
    };
    std::vector<SourceColumn> source_columns(float strip) const {
        std::vector<SourceColumn> columns;
        for (const ProjectionBlock::Source& source : block_.sources)
            for (std::size_t c = 0; c < source.slots.size(); ++c) {
                if (c >= columns.size()) columns.emplace_back();
                const PipelineSlot& slot = source.slots[c];
                const float left = labels_width(slot, strip);
                columns[c].left = std::max({columns[c].left, left, c == 0 ? overhang(slot, strip) : 0});
                columns[c].width = std::max(columns[c].width, slot_width(slot, strip) - left);
            }
        return columns;
    }
    // Turned labels end under their cell and begin to the left of it: how far the first one leaves the padding.
    float overhang(const PipelineSlot& slot, float strip) const {
        if (slot.is_folded || !dress(slot).column_labels || slot.panel.across == PanelAxis::components) return 0;
        const float text = context_.options.text_size;
        const float cell = map_w(slot, strip) / static_cast<float>(slot.panel.heatmap.shown_cols());
        const ColumnWidths widths = slot.panel.across_labels.within(text * dress(slot).label_room);
        constexpr float padding = 8;
        if (!are_turned(widths, text - 2, cell)) return 0;
        return std::max(0.0F, (widths.widest + text) * 0.7072F - cell / 2 - padding);
    }
    float labels_width(const PipelineSlot& slot, float strip) const {
        if (slot.is_folded) return 0;
        return panel_margins(context_, slot.panel, dress(slot), map_w(slot, strip), map_h(slot)).left;
    }
    float sources_width(float strip) const {
        float width = 0;
        for (const SourceColumn& column : source_columns(strip))
            width += column.left + column.width + (width > 0 ? usual_operator_width : 0);
        return width;
    }
    std::vector<float> column_widths(float strip) const {
        std::vector<float> columns;
        for (const ProjectionBlock::Chain& chain : block_.chains)
            for (std::size_t c = 0; c < chain.slots.size(); ++c) {
                if (c >= columns.size()) columns.push_back(0);
                columns[c] = std::max(columns[c], slot_width(chain.slots[c], strip));
            }
        return columns;
    }

    float slot_h(const PipelineSlot& slot) const { return slot.is_folded ? chip_height(context_) : map_h(slot); }

    // With its left edge, labels included, at x; `end`: where the next one begins.
    PlacedSlot place_slot(const PipelineSlot& slot, float strip, float x, float y, float end) const {
        PlacedSlot placed{.slot = &slot, .area = {}, .has_operator = true, .operator_at = {}, .dress = dress(slot)};
        if (slot.is_folded) {
            placed.area = {x, y, slot.chip_width, chip_height(context_)};
            return placed;
        }
        const float w = map_w(slot, strip);
        const float left = panel_margins(context_, slot.panel, placed.dress, w, map_h(slot)).left;
        placed.area = {std::round(x + left), std::round(y), w, map_h(slot)};
        placed.dress.title_room = end - placed.area.x;
        if (!slot.short_note.empty()) {
            const float room = *placed.dress.title_room - slot.panel.title_width - 6;
            placed.dress.note = note_width(slot.panel.note) <= room ? slot.panel.note : slot.short_note;
        }
        return placed;
    }

    const FigureContext& context_;
    const ProjectionBlock& block_;
    float unit_;
    PanelDress dress_;
    float gap_ = 0;
    float row_ = 0;  // the height of a row's cells
    float cell_w_ = 1, cell_h_ = 1;
    bool notes_in_full_ = false;
};

PlacedBlock BlockLayout::place(float strip, Rect room) const {
    PlacedBlock placed;
    const std::vector<float> columns = column_widths(strip);
    std::vector<float> heights;  // of the rows' cells
    float all = 0;
    for (std::size_t r = 0; r < block_.chains.size(); ++r) {
        float height = 0;
        for_each_of_row(r, [&](const PipelineSlot& slot) { height = std::max(height, slot_h(slot)); });
        heights.push_back(height);
        all += edges(r).top + height + edges(r).bottom;
    }
    const auto n_gaps = static_cast<float>(block_.chains.size() - 1);
    const float gap = std::clamp((room.h - all) / (n_gaps + 1), gap_, most_gap);
    float y = room.y + std::max(0.0F, (room.h - all - gap * n_gaps) / 2);
    placed.area = {room.x, y, width(strip), all + gap * n_gaps};

    const float chains_x = room.x + sources_width(strip) + fan_width;
    std::vector<Rect> rows;         // the cells of each chain
    std::vector<PlacedSlot> first;  // of each chain: its projection
    for (std::size_t r = 0; r < block_.chains.size(); ++r) {
        const ProjectionBlock::Chain& chain = block_.chains[r];
        const float top = y + edges(r).top;
        float x = chains_x;
        for (std::size_t c = 0; c < chain.slots.size(); ++c) {
            if (c > 0) x += usual_operator_width;
            const PipelineSlot& slot = chain.slots[c];
            const float chip_y = top + std::max(0.0F, heights[r] - chip_height(context_)) / 2;
            PlacedSlot here = place_slot(slot, strip, x, slot.is_folded ? chip_y : top, x + columns[c] + 8);
            const float sign_x = c == 0 ? x - product_width / 2 : x - usual_operator_width / 2;
            const float middle = c == 0 ? here.area.center().y : placed.slots.back().area.center().y;
            here.operator_at = {sign_x, std::min(middle, here.area.center().y)};
            if (c == 0) first.push_back(here);
            placed.slots.push_back(here);
            x += columns[c];
        }
        const Rect& last = placed.slots.back().area;
        if (chain.slots.size() > 1 && block_.chains[r].slots.back().panel.id != stage_id(Stage::v))
            placed.ends.push_back({{last.right() + 6, last.center().y}, {}, chain.color});
        rows.push_back({chains_x, top, x - chains_x, heights[r]});
        y = top + heights[r] + edges(r).bottom + gap;
    }
    const std::vector<SourceColumn> source_columns = this->source_columns(strip);
    for (const ProjectionBlock::Source& source : block_.sources) {
        const Rect& upper = rows[source.first_chain];
        const float bottom = rows[source.last_chain].bottom();
        float x = room.x;
        const bool is_of_one = source.first_chain == source.last_chain;
        for (std::size_t i = 0; i < source.slots.size(); ++i) {
            const PipelineSlot& slot = source.slots[i];
            const SourceColumn& column = source_columns[i];
            if (i > 0) x += usual_operator_width;
            const float slot_y = is_of_one ? upper.y : std::max(upper.y, (upper.y + bottom - slot_h(slot)) / 2);
            const float slot_x = x + column.left - labels_width(slot, strip);
            PlacedSlot here = place_slot(slot, strip, slot_x, slot_y, x + column.left + column.width + 10);
            here.has_operator = i > 0;
            here.operator_at = {x - usual_operator_width / 2, here.area.center().y};
            x += column.left + column.width;
            placed.slots.push_back(here);
        }
        const Rect& from = placed.slots.back().area;
        for (std::size_t r = source.first_chain; r <= source.last_chain; ++r)
            placed.lines.push_back({{from.right() + 5, from.center().y},
                                    {chains_x - product_width - 2, first[r].operator_at.y},
                                    block_.chains[r].color});
    }
    return placed;
}

// "Q, rotated" would be much wider than its map in a narrow picture: there it is Q′, and a note says why where it can.
void shorten_title(const FigureContext& context, StagePanel& panel) {
    if (context.width >= 64 * context.options.text_size || context.show_difference) return;
    panel.title = panel.title.substr(0, 1) + "′" + (panel.heatmap.transposed ? "^{T}" : "");
    panel.note = context.word("rotated");
    measure_panel(context, panel);
}

}  // namespace

const PipelineSlot* ProjectionBlock::find(std::string_view stage) const {
    for (const Source& source : sources)
        for (const PipelineSlot& slot : source.slots)
            if (slot.panel.id == stage) return &slot;
    for (const Chain& chain : chains)
        for (const PipelineSlot& slot : chain.slots)
            if (slot.panel.id == stage) return &slot;
    return nullptr;
}

ProjectionBlock projection_block(const FigureContext& context) {
    const Model& model = context.model;
    const bool swapped = context.display.cells->keys_down;
    ProjectionBlock block;
    const auto slot = [&](Stage stage, const char* before) {
        PipelineSlot made = pipeline_slot(context, stage, before, Standing::by_token);
        made.row_labels = is_embedding(stage);
        made.column_labels = is_embedding(stage);
        made.short_note = head_part_words(context, stage, false);
        return made;
    };
    const bool is_shared = keys_share_embeddings(model);
    const auto add_source = [&](std::initializer_list<Stage> stages, std::size_t first, std::size_t last) {
        ProjectionBlock::Source source;
        source.first_chain = first;
        source.last_chain = last;
        for (const Stage stage : stages)
            if (has_stage(model, stage)) source.slots.push_back(slot(stage, "→"));
        // The tokens are written once, beside what comes first.
        for (std::size_t i = 1; i < source.slots.size(); ++i) source.slots[i].row_labels = false;
        block.sources.push_back(std::move(source));
    };
    add_source({Stage::x, Stage::x_in}, 0, is_shared ? 2 : 0);
    if (!is_shared) add_source({Stage::y, Stage::y_in}, 1, 2);
    for (const Stage result : {Stage::q, Stage::k, Stage::v}) {
        const Projection& projection = *projection_of(result);
        ProjectionBlock::Chain chain;
        chain.slots.push_back(slot(projection.weights, swapped ? "," : "·"));
        const char* equals = swapped ? "→" : "=";
        const bool is_turned = projection.unrotated && has_stage(model, *projection.unrotated);
        if (is_turned) chain.slots.push_back(slot(*projection.unrotated, equals));
        chain.slots.push_back(slot(result, is_turned ? "→" : equals));
        if (is_turned) shorten_title(context, chain.slots.back().panel);
        chain.color = chain.slots.back().panel.title_color;
        block.chains.push_back(std::move(chain));
    }
    return block;
}

float natural_block_width(const FigureContext& context, const ProjectionBlock& block, float height) {
    BlockLayout layout(context, block, height);
    layout.write_notes_in_full(true);
    const float in_full = layout.width(layout.longest_strip());
    constexpr float modest_share = 0.42F;  // of the width: then the words cost nothing
    if (in_full <= context.width * modest_share) return in_full;
    layout.write_notes_in_full(false);
    return layout.width(layout.longest_strip());
}

std::optional<PlacedBlock> place_block(const FigureContext& context, const ProjectionBlock& block, Rect room) {
    BlockLayout layout(context, block, room.h);
    if (!layout.is_legible() || layout.width(thinnest_strip) > room.w) return std::nullopt;
    layout.write_notes_in_full(true);
    layout.write_notes_in_full(layout.width(layout.longest_strip()) <= room.w);
    const float strip = largest_that(thinnest_strip, std::max(thinnest_strip, layout.longest_strip()),
                                     [&](float length) { return layout.width(length) <= room.w; });
    return layout.place(std::floor(strip), room);
}

void move_block(PlacedBlock& block, float x, float y) {
    const auto move = [&](Point& point) { point = {point.x + x, point.y + y}; };
    for (PlacedSlot& slot : block.slots) {
        slot.area.x += x;
        slot.area.y += y;
        move(slot.operator_at);
    }
    for (std::vector<FlowLine>* lines : {&block.lines, &block.ends})
        for (FlowLine& line : *lines) {
            move(line.from);
            move(line.to);
        }
    block.area.x += x;
    block.area.y += y;
}

void add_flow_lines(Figure& figure, const std::vector<FlowLine>& lines) {
    for (const FlowLine& line : lines) {
        LineMark mark{{}, line.color, 1.75F};
        constexpr int pieces = 20;
        for (int i = 0; i <= pieces; ++i) {
            const float t = static_cast<float>(i) / pieces;
            const float rise = t * t * (3 - 2 * t);
            mark.points.push_back(
                {line.from.x + t * (line.to.x - line.from.x), line.from.y + rise * (line.to.y - line.from.y)});
        }
        figure.marks.emplace_back(std::move(mark));
    }
}

}  // namespace heed
