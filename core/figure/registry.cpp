#include "core/figure/registry.h"

#include "core/figure/explainer_figure.h"
#include "core/figure/heads_figure.h"
#include "core/figure/page.h"
#include "core/figure/stage_panel.h"

#include <array>

namespace heed {

// Each in the file of its name.
Figure pipeline_figure(const FigureContext& context);
Figure flow_figure(const FigureContext& context);
Figure compare_figure(const FigureContext& context);
Figure contribution_figure(const FigureContext& context);
Figure saturation_figure(const FigureContext& context);
Figure gradients_figure(const FigureContext& context);
Figure projection_figure(const FigureContext& context, Stage stage);
Figure order_figure(const FigureContext& context);
Figure geometry_figure(const FigureContext& context);
Figure cost_figure(const FigureContext& context);
Figure picture_figure(const FigureContext& context);
Figure block_figure(const FigureContext& context);

namespace {

// A figure that says so where its maps have more cells than pixels.
template <Figure (*make)(const FigureContext&)>
Figure noted(const FigureContext& context) {
    Figure figure = make(context);
    add_crowding_note(figure, context);
    return figure;
}

template <Stage stage>
Figure one_stage(const FigureContext& context) {
    return stage_figure(context, stage);
}
template <Stage stage>
constexpr auto only = noted<one_stage<stage>>;

template <Stage stage>
Figure one_projection(const FigureContext& context) {
    return projection_figure(context, stage);
}
template <Stage stage>
constexpr auto projected = noted<one_projection<stage>>;

constexpr FigureKind kinds[] = {
    {"pipeline", "Pipeline", "Every stage from queries and keys to the output, as linked heatmaps.", true,
     noted<pipeline_figure>},
    {"heads", "Heads", "Every head's weights, what it does and what it brings to the output.", true,
     noted<heads_figure>},
    {"flow", "Flow", "Which token looks at which, as ribbons by weight.", true, flow_figure},
    {"compare", "Compare", "A state kept as A, the current one as B, their difference and why a weight changed.", true,
     noted<compare_figure>},
    {"contribution", "Contribution", "Weights beside what they carry: a large weight on a tiny value does nothing.",
     true, noted<contribution_figure>},
    {"saturation", "Saturation", "Why scores are divided by √d_{k}: what softmax does as vectors grow longer.", true,
     saturation_figure},
    {"gradients", "Gradients", "How gradients flow back through attention, and why saturation stops them.", true,
     noted<gradients_figure>},
    {"order", "Order", "What changes when tokens change places, and how positions get in.", true, noted<order_figure>},
    {"geometry", "Geometry", "Queries, keys and values as arrows: who wins where, and where the output can be.", true,
     noted<geometry_figure>},
    {"block", "Block", "What stands around attention: residual, norm and feed-forward, layer upon layer.", true,
     noted<block_figure>},
    {"cost", "Cost", "What attention takes in time and memory, and what cheaper attention gives up.", true,
     noted<cost_figure>},
    {"picture", "Picture", "A picture cut into patches that are tokens, and what each of them looks at.", true,
     picture_figure},
    {"explainer", "Cell explainer", "Where the pinned weight comes from, step by step in real numbers.", false,
     explainer_figure},
    {"q", "Queries Q", "The query vectors of the shown head, a row for each token that asks.", false, only<Stage::q>},
    {"k", "Keys K", "The key vectors of the shown head, one for each token that is asked.", false, only<Stage::k>},
    {"v", "Values V", "The value vectors of the shown head, a row for each key.", false, only<Stage::v>},
    {"scores", "Scores", "How well each query matches each key, before scaling.", false, only<Stage::scores>},
    {"scaled", "Scaled scores", "Scores after scale, temperature and soft cap.", false, only<Stage::scaled>},
    {"masked", "Masked scores", "Scaled scores with bias and position; hidden cells are hatched.", false,
     only<Stage::masked>},
    {"weights", "Weights", "How each query spreads its attention over the keys.", false, only<Stage::weights>},
    {"head_output", "Head output", "The weighted sum of values, a row for each query.", false,
     only<Stage::head_output>},
    {"output", "Output of all heads", "The heads joined, after W_{O} where it is on.", false, only<Stage::output>},
    {"x", "Embeddings X", "The embeddings, a row for each token that asks.", false, projected<Stage::x>},
    {"y", "Embeddings Y", "The embeddings of the keys’ side, where that is another.", false, projected<Stage::y>},
    {"x_in", "X with positions", "What is projected: the embeddings with their positions added.", false,
     projected<Stage::x_in>},
    {"y_in", "Y with positions", "The same of the keys’ side, where that is another.", false, projected<Stage::y_in>},
    {"w_q", "Projection W_{Q}", "What turns an embedding into the query of the shown head.", false,
     projected<Stage::w_q>},
    {"w_k", "Projection W_{K}", "What turns an embedding into the key of the shown head.", false,
     projected<Stage::w_k>},
    {"w_v", "Projection W_{V}", "What turns an embedding into the value of the shown head.", false,
     projected<Stage::w_v>},
    {"q_unrotated", "Q before rotation", "The projected queries, before their positions rotate them.", false,
     projected<Stage::q_unrotated>},
    {"k_unrotated", "K before rotation", "The projected keys, before their positions rotate them.", false,
     projected<Stage::k_unrotated>},
};

}  // namespace

std::span<const FigureKind> figure_kinds() { return kinds; }

const FigureKind* find_figure_kind(std::string_view id) {
    for (const FigureKind& kind : kinds)
        if (kind.id == id) return &kind;
    return nullptr;
}

}  // namespace heed
