#include "core/figure/projection_links.h"

#include "core/attention/operands.h"
#include "core/display/pipeline_display.h"

#include <algorithm>

namespace heed {

namespace {

// The number under the mouse, or else the one that was chosen; nothing while the mouse is on something else.
std::optional<StageCell> traced_entry(const FigureContext& context) {
    if (context.model.source != Source::projected) return std::nullopt;
    if (context.hovered_entry) return context.hovered_entry;
    if (context.hovered || !context.display.pinned || !context.options.pins) return std::nullopt;
    return pinned_entry(context.model, context.display);
}

}  // namespace

std::optional<StageCell> pinned_entry(const Model& model, const Display& display) {
    if (model.source != Source::projected) return std::nullopt;
    const Projection* projection = find_projection(display.pipeline->explained);
    if (projection == nullptr) return std::nullopt;
    const Cell pin = pinned_cell(model, display);
    const int width = projection->result == Stage::v ? model.d_v : model.d_k;
    return StageCell{projection->result, projection->is_of_query ? pin.query : pin.key,
                     std::clamp(display.pipeline->explained_component, 0, width - 1)};
}

std::optional<StageCell> explained_entry(const FigureContext& context) {
    const std::optional<StageCell> entry = traced_entry(context);
    if (!entry) return std::nullopt;
    const Projection* projection = projection_of(entry->stage);
    if (projection == nullptr) return std::nullopt;
    if (entry->stage != projection->weights) return StageCell{projection->result, entry->row, entry->col};
    // A column of W makes one component of every token: of the pinned one, say.
    const Cell pin = pinned_cell(context);
    return StageCell{projection->result, projection->is_of_query ? pin.query : pin.key, entry->col};
}

LitEntry lit_entry(const FigureContext& context, Stage stage, const std::optional<Cell>& lit) {
    LitEntry out;
    const std::optional<StageCell> entry = traced_entry(context);
    const Projection* from = entry ? projection_of(entry->stage) : nullptr;
    const bool is_from_weights = from != nullptr && entry->stage == from->weights;
    // The component of the embedding, and the one of q, k or v, that the number belongs to.
    const int in = !entry ? -1 : is_embedding(entry->stage) ? entry->col : is_from_weights ? entry->row : -1;
    const int made = from != nullptr ? entry->col : -1;
    if (is_embedding(stage)) {
        const bool is_key = is_of_keys(stage) || (keys_share_embeddings(context.model) && from != nullptr &&
                                                  !from->is_of_query && !is_from_weights);
        if (lit) out.row = is_key ? lit->key : lit->query;
        out.col = in;
        return out;
    }
    const Projection* of = projection_of(stage);
    if (of == nullptr) return out;
    if (of->weights == stage) {
        out.row = in >= 0 && (from == nullptr || from == of) ? in : -1;
        out.col = from == of ? made : -1;
        return out;
    }
    if (lit) out.row = of->is_of_query ? lit->query : lit->key;
    out.col = from == of ? made : -1;
    return out;
}

}  // namespace heed
