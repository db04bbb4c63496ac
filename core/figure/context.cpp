#include "core/figure/context.h"

#include <algorithm>

namespace heed {

Cell pinned_cell(const Scene& scene) {
    return {std::clamp(scene.display.pin.query, 0, scene.model.n_queries - 1),
            std::clamp(scene.display.pin.key, 0, effective_n_keys(scene.model) - 1)};
}

int shown_head(const Scene& scene) { return std::clamp(scene.display.head, 0, scene.model.n_heads - 1); }

MatrixView stack_view(const FigureContext& context, const Stack& stack, int index) {
    return {stack.data() + index * stack.rows() * stack.cols(), stack.rows(), stack.cols(), context.trace_owner,
            context.trace.version};
}

MaskView mask_view(const FigureContext& context, int head) {
    const MaskMatrix& visible = context.trace.visible_of(head);
    return {visible.data(), visible.rows(), visible.cols(), context.trace_owner, context.trace.version};
}

}  // namespace heed
