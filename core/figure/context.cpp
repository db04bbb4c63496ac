#include "core/figure/context.h"

#include "core/random.h"

#include <algorithm>

namespace heed {

namespace {

// Differs between the blocks of one trace, and between traces.
std::uint64_t version_of(const FigureContext& context, const void* block) {
    return mix_bits(context.trace.version ^ mix_bits(reinterpret_cast<std::uintptr_t>(block)));
}

}  // namespace

std::string scene_title(const Scene& scene, Language language) {
    return language == Language::chinese && !scene.title_zh.empty() ? scene.title_zh : scene.title;
}

FigureContext with_layer(const FigureContext& context, const Model& model, const AttentionTrace& trace,
                         const Display& display) {
    return {.model = model,
            .trace = trace,
            .display = display,
            .title = context.title,
            .trace_owner = context.trace_owner,
            .language = context.language,
            .theme = context.theme,
            .measure = context.measure,
            .width = context.width,
            .height = context.height,
            .hovered = context.hovered,
            .hovered_entry = context.hovered_entry,
            .hovered_head = context.hovered_head,
            .baseline = context.baseline,
            .show_difference = context.show_difference,
            .options = context.options,
            .results = context.results,
            .on_paper = context.on_paper};
}

Cell pinned_cell(const Model& model, const Display& display) {
    return {std::clamp(display.pin.query, 0, model.n_queries - 1),
            std::clamp(display.pin.key, 0, effective_n_keys(model) - 1)};
}

int shown_head(const Model& model, const Display& display) { return std::clamp(display.head, 0, model.n_heads - 1); }

MatrixView stack_view(const FigureContext& context, const Stack& stack, int index) {
    return {stack.data() + index * stack.rows() * stack.cols(), stack.rows(), stack.cols(), context.trace_owner,
            version_of(context, stack.data() + index * stack.rows() * stack.cols())};
}

MaskView mask_view(const FigureContext& context, int head) {
    const MaskMatrix& visible = context.trace.visible_of(head);
    return {visible.data(), visible.rows(), visible.cols(), context.trace_owner, version_of(context, visible.data())};
}

}  // namespace heed
