#include "app/views/depth_change.h"

#include "core/layers.h"

namespace heed::app {

void change_depth(ViewContext& context, const Depth& depth) {
    Model& model = context.next.model;
    const bool lacks_something = !is_alone(depth) && !why_no_depth(model).empty();
    if (lacks_something) {
        allow_depth(model);
        context.session.message =
            "— " +
            std::string(tr("Layers hand on embeddings: Q, K and V are projected from X now, and W_O joins the heads. "
                           "Undo brings back what there was."));
    }
    const int layers = depth.layers;
    const int now = model.depth.layers;
    model.depth = depth;
    model.depth.layers = now;
    set_layers(model, layers);
}

}  // namespace heed::app
