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

Cell pinned_cell(const Scene& scene) {
    return {std::clamp(scene.display.pin.query, 0, scene.model.n_queries - 1),
            std::clamp(scene.display.pin.key, 0, effective_n_keys(scene.model) - 1)};
}

int shown_head(const Scene& scene) { return std::clamp(scene.display.head, 0, scene.model.n_heads - 1); }

MatrixView stack_view(const FigureContext& context, const Stack& stack, int index) {
    return {stack.data() + index * stack.rows() * stack.cols(), stack.rows(), stack.cols(), context.trace_owner,
            version_of(context, stack.data() + index * stack.rows() * stack.cols())};
}

MaskView mask_view(const FigureContext& context, int head) {
    const MaskMatrix& visible = context.trace.visible_of(head);
    return {visible.data(), visible.rows(), visible.cols(), context.trace_owner, version_of(context, visible.data())};
}

}  // namespace heed
