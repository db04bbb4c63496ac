// The maps of the embeddings, their projections and what these are before a position turns them.
#include "core/attention/operands.h"
#include "core/attention/positions.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/projection_links.h"
#include "core/figure/stage_panel.h"
#include "core/operands.h"
#include "core/random.h"

#include <array>
#include <cstdint>
#include <string>

namespace heed {

namespace {

// "√6·X + PE": what is done to the embeddings before they are projected.
std::string placed_title(const Model& model, std::string_view embeddings) {
    const bool is_scaled = embedding_factor(model) != 1;
    return (is_scaled ? "√" + std::to_string(model.d_model) + "·" : std::string()) + std::string(embeddings) + " + PE";
}

std::string title_of(const FigureContext& context, Stage stage) {
    const Model& model = context.model;
    switch (stage) {
        case Stage::x:
            return "X";
        case Stage::y:
            return "Y";
        case Stage::x_in:
            return placed_title(model, "X");
        case Stage::y_in:
            // The same words at other places: the queries begin at an offset.
            return model.self_attention ? placed_title(model, "X") + std::string(context.word(" (keys)"))
                                        : placed_title(model, "Y");
        case Stage::w_q:
            return "W_{Q}";
        case Stage::w_k:
            return "W_{K}";
        case Stage::w_v:
            return "W_{V}";
        case Stage::q_unrotated:
            return "Q";
        default:
            return "K";
    }
}

Color color_of(const FigureContext& context, Stage stage) {
    const Palette& colors = context.colors();
    const Projection* projection = projection_of(stage);
    if (projection == nullptr) return colors.text;
    return projection->result == Stage::q ? colors.query : projection->result == Stage::k ? colors.key : colors.value;
}

MatrixView numbers_of(const FigureContext& context, Stage stage, int head) {
    const std::array<std::uint64_t, 3> key{context.trace.version, static_cast<std::uint64_t>(stage),
                                           static_cast<std::uint64_t>(head)};
    const std::shared_ptr<const Matrix> matrix =
        kept(context, "projection map", key, [&] { return stage_matrix(context.model, context.trace, stage, head); });
    return {matrix->data(), matrix->rows(), matrix->cols(), matrix, bits_at(key[0], 56, key[1], key[2])};
}

}  // namespace

std::string head_part_words(const FigureContext& context, Stage stage, bool in_full) {
    const Model& model = context.model;
    const Projection* projection = projection_of(stage);
    if (projection == nullptr || projection->weights != stage || model.n_heads == 1) return {};
    const int head = shown_head(context);
    const bool is_shared = stage != Stage::w_q && model.n_kv_heads < model.n_heads;
    const int group = stage == Stage::w_q ? head : kv_head_of(model, head);
    const int size = heads_per_kv_head(model);
    std::string whose = is_shared ? fill(context.word("heads {0}–{1}"),
                                         {shown_number(group * size), shown_number(group * size + size - 1)})
                                  : fill(context.word("head {0}"), {shown_number(head)});
    if (!in_full) return whose;
    const int width = stage == Stage::w_v ? model.d_v : model.d_k;
    const int count = stage == Stage::w_q ? model.n_heads : model.n_kv_heads;
    return fill(
        context.word("{0}: columns {1}–{2} of {3}"),
        {whose, shown_number(group * width), shown_number((group + 1) * width - 1), std::to_string(count * width)});
}

StagePanel projection_panel(const FigureContext& context, Stage stage) {
    const bool keys_down = context.display.cells->keys_down;
    const Cell pin = pinned_cell(context);
    const bool show_pin = context.display.pinned && context.options.pins;
    const std::optional<Cell> lit = context.hovered ? context.hovered : show_pin ? std::optional(pin) : std::nullopt;
    StagePanel panel;
    panel.id = stage_id(stage);
    panel.title_color = color_of(context, stage);
    HeatmapMark& heatmap = panel.heatmap;
    heatmap.id = panel.id;
    heatmap.number_size = context.options.text_size - 3;
    heatmap.values = numbers_of(context, stage, shown_head(context));
    heatmap.transposed = keys_down;
    const std::string title = title_of(context, stage);
    const bool is_sum = title.find('+') != std::string::npos;
    panel.title = keys_down ? (is_sum ? "(" + title + ")" : title) + "^{T}" : title;
    const StageSides sides = stage_sides(stage);
    panel.down = keys_down ? sides.cols : sides.rows;
    panel.across = keys_down ? sides.rows : sides.cols;
    const LitEntry entry = lit_entry(context, stage, lit);
    heatmap.lit_row = entry.row;
    heatmap.lit_col = entry.col;
    heatmap.scale = diverging_scale(context, largest_magnitude(context, heatmap.values, {}));
    const std::string shape = std::to_string(heatmap.shown_rows()) + " × " + std::to_string(heatmap.shown_cols());
    const std::string whose = head_part_words(context, stage, true);
    panel.note = whose.empty() ? shape : whose;
    return panel;
}

Figure projection_figure(const FigureContext& context, Stage stage) {
    if (has_stage(context.model, stage)) return stage_figure(context, stage);
    Figure figure = empty_figure(context);
    const Rect page = add_page(figure, context, 16);
    const char* why = "No position is added to the embeddings of this scene.";
    if (context.model.source == Source::direct)
        why = "Q, K and V of this scene are typed, not projected from embeddings.";
    else if (stage == Stage::y)
        why = "The keys’ embeddings are those of the queries: there is no Y.";
    else if (stage == Stage::y_in && has_stage(context.model, Stage::x_in))
        why = "The keys’ embeddings are those of the queries, positions included.";
    else if (stage == Stage::q_unrotated || stage == Stage::k_unrotated)
        why = "No position rotates q and k in this scene.";
    add_sentence(figure, context, page, std::string(context.word(why)), context.colors().dim);
    return figure;
}

}  // namespace heed
