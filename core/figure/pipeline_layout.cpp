// The ways in which the Pipeline's rows can stand, tried one after the other.
#include "core/figure/pipeline_rows.h"

#include <algorithm>
#include <array>

namespace heed {

namespace {

// A barer look must be worth what it drops.
constexpr float worthwhile_gain = 1.15F;

struct Arrangement {
    std::span<const Slots> rows;
    float liking = 1;  // how much its cells count beside those of another
};

using Bars = std::array<BarPlace, 3>;  // of each row
constexpr Bars bar_places[] = {{BarPlace::beside, BarPlace::beside, BarPlace::beside},
                               {BarPlace::beside, BarPlace::below, BarPlace::below},
                               {BarPlace::below, BarPlace::beside, BarPlace::beside},
                               {BarPlace::below, BarPlace::below, BarPlace::below}};
constexpr float cell_aspects[] = {1, 1.25F, 1.5F, 1.8F, 2.2F};  // wider than high, where numbers need it

class PipelineSearch {
public:
    PipelineSearch(const FigureContext& context, const PipelineRow& stages, float head, float foot)
        : context_(context), room_(context, head, foot) {
        const auto index_of = [&](Stage stage) {
            const auto found =
                std::ranges::find(stages, stage_id(stage), [](const PipelineSlot& s) { return s.panel.id; });
            return static_cast<std::size_t>(found - stages.begin());
        };
        const Slots all(stages);
        const std::size_t scaled = index_of(Stage::scaled);
        const std::size_t weights = index_of(Stage::weights);
        one_row_ = {all};
        two_rows_ = {all.first(scaled), all.subspan(scaled)};
        even_rows_ = {all.first(weights), all.subspan(weights)};
        three_rows_ = {all.first(scaled), all.subspan(scaled, weights + 1 - scaled), all.subspan(weights + 1)};
        // Beside the embeddings there is no V in the second row to fill it.
        const bool is_even = all.front().follows_embeddings;
        two_ = {two_rows_, is_even ? 0.9F : 1.0F};
        even_ = {even_rows_, is_even ? 1.0F : 0.9F};
        for (const PipelineSlot& slot : all) {
            if (slot.is_folded || slot.panel.across == PanelAxis::components ||
                slot.panel.down == PanelAxis::components)
                continue;
            keep_larger(numbered_[0], smallest_numbered_cell(context, slot.panel));
            keep_larger(numbered_[1], tightest_numbered_cell(context, slot.panel));
        }
    }

    std::optional<PlacedPipeline> find() const {
        if (std::optional<PlacedPipeline> placed = with_numbers()) return placed;
        return as_large_as_possible();
    }

private:
    static void keep_larger(std::optional<CellSize>& size, const std::optional<CellSize>& other) {
        if (other) size = CellSize{std::max(size ? size->w : 0, other->w), std::max(size ? size->h : 0, other->h)};
    }

    struct Choice {
        std::span<const Slots> rows;
        const PipelineLook* look = nullptr;
        const Bars* bars = nullptr;
        float aspect = 1;
        float worth = -1;  // its cell, as far as the arrangement is liked
        bool is_enough = false;
    };
    PipelineRows lay_out(const Choice& choice) const {
        return PipelineRows(context_, room_, *choice.look, choice.rows, *choice.bars, choice.aspect);
    }
    PlacedPipeline place(const Choice& choice) const {
        PipelineRows layout = lay_out(choice);
        layout.choose_cell();
        return layout.place();
    }
    bool is_upright() const { return context_.width < context_.height; }

    template <typename Visit>
    void for_each_choice(std::span<const Arrangement> arrangements, const PipelineLook& look, float aspect,
                         Visit visit) const {
        for (const Arrangement& arrangement : arrangements)
            for (const Bars& bars : bar_places) {
                const bool is_repeated = arrangement.rows.size() == 1 && bars[0] != bars[1];
                if (!is_repeated) visit(Choice{arrangement.rows, &look, &bars, aspect}, arrangement.liking);
                if (!look.bars) break;
            }
    }

    // Every score and weight with its number: what stands around the maps gives way to them as far as labels stay, and
    // cells may be wider than high.
    std::optional<PlacedPipeline> with_numbers() const {
        if (!numbered_[0]) return std::nullopt;
        for (const PipelineLook& look : pipeline_looks) {
            if (look.row_labels != RowLabels::everywhere) break;
            for (const std::optional<CellSize>& cell : numbered_)
                if (std::optional<PlacedPipeline> placed = with_numbers(look, *cell)) return placed;
        }
        if (std::max(room_.seen.queries.count, room_.seen.keys.count) > handful) return std::nullopt;
        return with_numbers(tightest_with_numbers, *numbered_[1]);
    }

    std::optional<PlacedPipeline> with_numbers(const PipelineLook& look, CellSize cell) const {
        const std::array<Arrangement, 4> arrangements{
            {two_, even_, {one_row_, 0.8F}, {three_rows_, is_upright() ? 1.2F : 0.85F}}};
        for (const float aspect : cell_aspects) {
            Choice best;
            for_each_choice(arrangements, look, aspect, [&](Choice choice, float liking) {
                PipelineRows layout = lay_out(choice);
                if (!layout.has_room_for(cell)) return;
                layout.choose_cell();
                choice.worth = layout.cell() * liking;
                if (choice.worth > best.worth && layout.is_legible()) best = choice;
            });
            if (best.look == nullptr) continue;
            PlacedPipeline placed = place(best);
            placed.has_numbers = true;
            return placed;
        }
        return std::nullopt;
    }

    std::optional<PlacedPipeline> as_large_as_possible() const {
        // Two rows, or one where that is much better; three in upright pictures, or where two leave too little.
        const std::array<Arrangement, 3> usual{{two_, even_, {one_row_, 0.8F}}};
        const std::array<Arrangement, 1> stacked{{{three_rows_, 1}}};
        using Arrangements = std::span<const Arrangement>;
        const std::array<Arrangements, 2> groups =
            is_upright() ? std::array<Arrangements, 2>{stacked, usual} : std::array<Arrangements, 2>{usual, stacked};
        Choice best;
        for (const Arrangements& group : groups)
            for (const PipelineLook& look : pipeline_looks) {
                Choice of_look;
                for_each_choice(group, look, 1, [&](Choice choice, float liking) {
                    PipelineRows layout = lay_out(choice);
                    layout.choose_cell();
                    choice.worth = layout.fits() ? layout.cell() * liking : 0;
                    choice.is_enough = layout.is_enough();
                    if (choice.worth > of_look.worth) of_look = choice;
                });
                if (of_look.worth > best.worth * worthwhile_gain) best = of_look;
                if (of_look.is_enough) return place(of_look);
            }
        PipelineRows layout = lay_out(best);
        layout.choose_cell();
        if (!layout.is_legible()) return std::nullopt;
        return layout.place();
    }

    const FigureContext& context_;
    PipelineRoom room_;
    std::array<Slots, 1> one_row_;
    std::array<Slots, 2> two_rows_;   // the second begins with the scaled scores
    std::array<Slots, 2> even_rows_;  // the second begins with the weights
    std::array<Slots, 3> three_rows_;
    Arrangement two_, even_;
    // The smallest cells in which every number fits, and almost every one; nothing where none is wanted.
    std::array<std::optional<CellSize>, 2> numbered_;
};

}  // namespace

std::optional<PlacedPipeline> place_pipeline(const FigureContext& context, const PipelineRow& stages, float head,
                                             float foot) {
    return PipelineSearch(context, stages, head, foot).find();
}

}  // namespace heed
