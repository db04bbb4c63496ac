#include "app/views/depth_change.h"

#include "core/layers.h"
#include "core/model/depth.h"

namespace heed::app {

void change_depth(ViewContext& context, const Depth& depth) {
    Model& model = context.next.model;
    if (!is_alone(depth) && !why_no_depth(model).empty()) {
        const bool was_direct = model.source == Source::direct, was_apart = !model.output_projection,
                   had_own_keys = !model.self_attention;
        allow_depth(model);
        context.session.message =
            "— " + std::string(tr(was_direct && was_apart ? "Layers need it: Q, K, V come from X now, W_O joins heads."
                                  : was_direct            ? "Layers need it: Q, K and V come from X now."
                                  : was_apart             ? "Layers need it: W_O joins the heads now."
                                  : had_own_keys          ? "Layers need it: the keys are the queries’ tokens now."
                                                 : "Layers need it: the first query stands at position 0 now."));
    }
    const int layers = depth.layers;
    const int now = model.depth->layers;
    *model.depth = depth;
    model.depth->layers = now;
    set_layers(model, layers);
}

}  // namespace heed::app
