#include "tests/laws/arbitrary_model.h"

#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "tests/any_row.h"

#include <cmath>
#include <cstdlib>

namespace heed::tests {

namespace {

// The same cases every time, unless the environment asks for others. Read by RapidCheck at its first check.
const bool seeded = setenv("RC_PARAMS", "seed=2017 max_success=200", 0) == 0;

int between(int low, int high) { return *rc::gen::inRange(low, high + 1); }

template <typename Table>
std::string any_row(const Table& table) {
    return row_drawn(table, *rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>())));
}

MaskSettings arbitrary_masks(int n_keys) {
    MaskSettings mask;
    mask.causal = *rc::gen::arbitrary<bool>();
    if (between(0, 3) == 0) mask.padding = between(0, n_keys);
    mask.window = between(0, 3) == 0;
    mask.window_left = between(-1, 3);
    mask.window_right = between(-1, 3);
    if (between(0, 3) == 0) mask.stride = between(1, 3);
    if (between(0, 3) == 0) mask.block = between(1, 3);
    if (between(0, 3) == 0) mask.global_tokens = between(1, 2);
    mask.grid_window = between(0, 3) == 0;
    mask.grid_radius = between(0, 2);
    mask.grid_columns = between(1, 4);
    return mask;
}

}  // namespace

Model arbitrary_model_without_positions() {
    RC_ASSERT(seeded || std::getenv("RC_PARAMS") != nullptr);
    Model model;
    model.seed = *rc::gen::arbitrary<std::uint64_t>();
    model.self_attention = *rc::gen::arbitrary<bool>();
    model.n_queries = between(1, 6);
    model.n_keys = between(1, 7);
    model.d_model = between(2, 5);  // in one dimension all projections are parallel but for their rounding to float
    model.d_k = between(1, 6);
    model.d_v = between(1, 4);
    model.d_additive = between(1, 3);
    model.n_kv_heads = between(1, 2);
    model.n_heads = model.n_kv_heads * between(1, 2);
    model.source = *rc::gen::element(Source::direct, Source::projected);
    model.output_projection = *rc::gen::arbitrary<bool>();
    model.score = any_row(score_functions());
    model.temperature = *rc::gen::element(1.0F, 0.5F, 2.0F);
    fit_matrices(model);
    return model;
}

Model arbitrary_model() {
    Model model = arbitrary_model_without_positions();
    model.position->encoding = any_row(position_encodings());
    model.query_offset = between(0, 2) == 0 ? between(-3, 3) : 0;
    model.position->embedding_scale = *rc::gen::arbitrary<bool>();
    *model.mask = arbitrary_masks(effective_n_keys(model));
    if (between(0, 2) == 0) model.scale->soft_cap = 2.0F;
    return model;
}

void scale_scores(Model& model, double size) {
    const AttentionTrace trace = run_attention(model, Path::plain);
    double largest = 1e-6;
    for (Index h = 0; h < trace.scores.count(); ++h)
        largest = std::max(largest, static_cast<double>(trace.scores[h].cwiseAbs().maxCoeff()));
    const auto factor = static_cast<float>(std::sqrt(size / largest));
    for (auto* list : {&model.q, &model.k, &model.w_q, &model.w_k})
        for (SharedMatrix& block : *list) block = block.with([&](Matrix& m) { m *= factor; });
}

}  // namespace heed::tests
