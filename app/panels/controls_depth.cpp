// What stands around the attention, how often, and which layer is looked at.
#include "app/panels/controls_sections.h"
#include "app/views/depth_change.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model_fields.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/norms.h"

#include <algorithm>
#include <array>

namespace heed::app {

namespace {

bool has_layers(const Model& model) { return model.depth->layers > 1; }

void layers_row(ViewContext& context) {
    Model& model = context.next.model;
    Slider s = slider_of("layers");
    const Limits ends = limits_of(*model.depth, model.depth->layers);
    s.low = ends.low;
    s.high = ends.high;
    s.integer = true;
    s.typed_high = largest_depth(model);
    s.usual = 1;
    Depth depth = *model.depth;
    if (slider(s, depth.layers)) change_depth(context, depth);
}

void layer_row(ViewContext& context) {
    const Model& model = context.next.model;
    Slider s = slider_of("layer");
    s.low = 1;
    s.high = model.depth->layers;
    s.integer = true;
    int layer = std::clamp(context.next.display.layer, 0, model.depth->layers - 1) + 1;
    if (slider(s, layer)) context.next.display.layer = layer - 1;
}

void units_row(ViewContext& context) {
    Depth& depth = *context.next.model.depth;
    Slider s = slider_of("d_ff");
    s.low = 1;
    s.high = 2048;
    s.log = true;
    s.integer = true;
    s.powers_of_two = true;
    s.typed_high = limits_of(depth, depth.d_ff).high;
    s.usual = Depth().d_ff;
    slider(s, depth.d_ff);
}

constexpr SliderRow slider_rows[] = {
    {"layers", layers_row},
    {"layer", layer_row},
    {"d_ff", units_row},
};

std::string summary(const Depth& depth) {
    if (is_alone(depth)) return std::string(tr("attention alone"));
    return depth.layers == 1 ? std::string(tr("one layer")) : fill(tr("{0} layers"), {std::to_string(depth.layers)});
}

}  // namespace

std::span<const SliderRow> depth_sliders() { return slider_rows; }

namespace {

void residual_switch(ViewContext& context) {
    const ControlScope scope{context, "residual"};
    if (!scope) return;
    Depth depth = *context.next.model.depth;
    if (switch_row(switch_of("residual", false), depth.residual)) change_depth(context, depth);
}

void norm_segments(ViewContext& context) {
    Depth depth = *context.next.model.depth;
    const std::array<Segment, 3> places{
        Segment{"none", std::string(tr("No norm")), {}, std::string(tr("The stream is read as it is.")), {}},
        Segment{"before",
                std::string(tr("Pre-norm")),
                {},
                std::string(tr("Each part reads the norm of the stream, as in GPT-2 and Llama.")),
                {}},
        Segment{"after",
                std::string(tr("Post-norm")),
                {},
                std::string(tr("The stream itself is brought to its norm after each part, as in Vaswani et al. 2017.")),
                {}}};
    int place = static_cast<int>(depth.norm_place);
    if (const ControlScope scope{context, "norm place"}; scope && segmented("norm place", places, place)) {
        depth.norm_place = static_cast<NormPlace>(place);
        change_depth(context, depth);
    }
    if (depth.norm_place == NormPlace::none) return;
    const ControlScope scope{context, "norm"};
    if (!scope) return;
    gap(4);
    std::vector<Segment> kinds;
    int chosen = 0;
    for (const Norm& norm : norms()) {
        if (norm.id == depth.norm) chosen = static_cast<int>(kinds.size());
        kinds.push_back(
            {norm.id, std::string(tr(norm.name)), std::string(tr(norm.name)), std::string(norm.formula), {}});
    }
    if (segmented("norm", kinds, chosen)) {
        depth.norm = norms()[static_cast<std::size_t>(chosen)].id;
        change_depth(context, depth);
    }
}

void feed_forward_segments(ViewContext& context) {
    const ControlScope scope{context, "feed-forward"};
    if (!scope) return;
    Depth depth = *context.next.model.depth;
    std::vector<Segment> kinds;
    int chosen = 0;
    for (const FeedForward& row : feed_forwards()) {
        if (row.id == depth.feed_forward) chosen = static_cast<int>(kinds.size());
        const bool is_none = row.activate == nullptr;
        kinds.push_back({row.id,
                         std::string(tr(is_none ? "No FFN" : row.name)),
                         std::string(tr(is_none ? "No feed-forward" : "Feed-forward")),
                         std::string(row.formula),
                         {}});
    }
    if (!segmented("feed-forward", kinds, chosen)) return;
    depth.feed_forward = feed_forwards()[static_cast<std::size_t>(chosen)].id;
    change_depth(context, depth);
}

}  // namespace

void draw_depth_section(ViewContext& context) {
    section("Layers", summary(*context.next.model.depth));
    draw_sliders(context, std::span(slider_rows).first(2));
    residual_switch(context);
    gap(4);
    norm_segments(context);
    gap(6);
    feed_forward_segments(context);
    gap(4);
    draw_sliders(context, std::span(slider_rows).last(1));
    if (has_layers(context.next.model) && !has_same_settings_in_every_layer(context.next.model)) {
        note(tr("Layers differ in score, scale, mask or normaliser."));
        if (small_button("Same in every layer",
                         "Every layer takes the score, scale, mask and normaliser of the shown one; weights stay"))
            same_settings_in_every_layer(context.next.model);
    }
    end_section();
}

}  // namespace heed::app
