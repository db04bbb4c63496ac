#include "core/figure/seen_tokens.h"

#include "core/display/pipeline_display.h"
#include "core/figure/kept.h"
#include "core/random.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

TokenSpan span_of(int first, int count, int total) {
    TokenSpan span{0, total, total};
    if (count <= 0 || count >= total) return span;
    span.count = count;
    return moved_to(span, first);
}

TokenSpan span_of_side(const SeenTokens& seen, PanelAxis side, Index length) {
    if (side == PanelAxis::queries) return seen.queries;
    if (side == PanelAxis::keys) return seen.keys;
    return {0, static_cast<int>(length), static_cast<int>(length)};
}

// Rows and columns of a matrix that are seen.
struct Part {
    TokenSpan rows, cols;
};

// Of whatever has data, rows, cols, an owner and a version, and a matrix of the same numbers that owns them.
template <typename Owner, typename View>
void cut(const FigureContext& context, std::string_view lane, View& view, const Part& part) {
    if (view.data == nullptr) return;
    const std::array<std::uint64_t, 5> key{
        view.version, static_cast<std::uint64_t>(part.rows.first), static_cast<std::uint64_t>(part.rows.count),
        static_cast<std::uint64_t>(part.cols.first), static_cast<std::uint64_t>(part.cols.count)};
    const std::shared_ptr<const Owner> seen = kept(context, lane, key, [&] {
        Owner block(part.rows.count, part.cols.count);
        for (Index i = 0; i < block.rows(); ++i)
            std::copy_n(view.data + (part.rows.first + i) * view.cols + part.cols.first, block.cols(),
                        block.row(i).data());
        return block;
    });
    const std::uint64_t version = bits_at(bits_at(key[0], 54, key[1], key[2]), 55, key[3], key[4]);
    view = {seen->data(), seen->rows(), seen->cols(), seen, version};
}

// A row or column of the whole as one of the part, or none.
int in_part(int index, const TokenSpan& span) { return span.contains(index) ? index - span.first : -1; }

}  // namespace

SeenTokens seen_tokens(const Model& model, const Display& display) {
    const PipelineDisplay& wanted = *display.pipeline;
    return {span_of(wanted.first_query, wanted.seen_queries, model.n_queries),
            span_of(wanted.first_key, wanted.seen_keys, effective_n_keys(model))};
}

void see_tokens(Display& display, const SeenTokens& seen) {
    PipelineDisplay& wanted = *display.pipeline;
    wanted.first_query = seen.queries.is_all() ? 0 : seen.queries.first;
    wanted.seen_queries = seen.queries.is_all() ? 0 : seen.queries.count;
    wanted.first_key = seen.keys.is_all() ? 0 : seen.keys.first;
    wanted.seen_keys = seen.keys.is_all() ? 0 : seen.keys.count;
}

TokenSpan moved_to(const TokenSpan& span, int first) {
    TokenSpan moved = span;
    moved.first = std::clamp(first, 0, std::max(0, span.total - span.count));
    return moved;
}

TokenSpan zoomed(const TokenSpan& span, int token, float factor) {
    const float wanted = std::round(static_cast<float>(span.count) * factor);
    TokenSpan next = span;
    next.count = std::clamp(static_cast<int>(wanted), std::min(fewest_seen, span.total), span.total);
    // The middle of the token stays where it is.
    const float share = (static_cast<float>(token - span.first) + 0.5F) / static_cast<float>(span.count);
    const float first = static_cast<float>(token) + 0.5F - share * static_cast<float>(next.count);
    return moved_to(next, static_cast<int>(std::lround(first)));
}

void show_seen_part(const FigureContext& context, StagePanel& panel) {
    const SeenTokens seen = seen_tokens(context.model, context.display);
    HeatmapMark& heatmap = panel.heatmap;
    const TokenSpan down = span_of_side(seen, panel.down, heatmap.shown_rows());
    const TokenSpan across = span_of_side(seen, panel.across, heatmap.shown_cols());
    if (down.is_all() && across.is_all()) return;
    const Part part = heatmap.transposed ? Part{across, down} : Part{down, across};
    cut<Matrix>(context, "seen numbers", heatmap.values, part);
    cut<MaskMatrix>(context, "seen mask", heatmap.visible, part);
    for (int* row : {&heatmap.lit_row, &heatmap.pinned_row}) *row = in_part(*row, part.rows);
    for (int* col : {&heatmap.lit_col, &heatmap.pinned_col}) *col = in_part(*col, part.cols);
    panel.first_row = part.rows.first;
    panel.first_col = part.cols.first;
    measure_panel(context, panel);
}

std::string seen_words(const FigureContext& context, const TokenSpan& span) {
    if (span.is_all()) return {};
    return fill(context.word("{0}–{1} of {2}"),
                {std::to_string(span.first + 1), std::to_string(span.first + span.count), std::to_string(span.total)});
}

}  // namespace heed
