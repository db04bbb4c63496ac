// A layer taken out of a transformer into the workbench, and what was changed there running on through the layers above.
#include "attention_near.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "transformer_cases.h"

#include "core/attention/pipeline.h"
#include "core/transformer/gradients.h"

#include <gtest/gtest.h>

namespace heed::tests {
namespace {

// A layer, before and after `change`.
template <typename Change>
LayerEdit edit_of(const Transformer& transformer, const TransformerTrace& trace, int layer, Change&& change,
                  bool cross = false, Source source = Source::direct) {
    const Model model = layer_model(transformer, trace, layer, cross, source);
    LayerEdit edit{layer, cross, model, model};
    change(edit.after);
    return edit;
}

void set_cell(SharedMatrix& matrix, Index row, Index col, float number) {
    matrix = matrix.with([&](Matrix& m) { m(row, col) = number; });
}

std::vector<NamedConfig> attending() {
    std::vector<NamedConfig> out;
    for (const NamedConfig& named : every_kind())
        if (mixer(named.config.mixer).attends) out.push_back(named);
    return out;
}

TEST(LayerModel, RunAloneWritesWhatTheLayerWrote) {
    for (const Index n : {5, 70})  // the plain and the tuned path
        for (const auto& [name, config] : attending()) {
            const Transformer transformer = make_transformer(config, 3);
            const TransformerTrace trace = run_transformer(transformer, some_input(config, n));
            for (int layer = 0; layer < config.n_layers; ++layer)
                for (std::size_t at = 0; at < parts_of(config).size(); ++at) {
                    const Part& part = *parts_of(config)[at];
                    if (!part.attends) continue;
                    const auto l = static_cast<std::size_t>(layer);
                    for (const Source source : {Source::direct, Source::projected}) {
                        if (source == Source::projected && config.qkv_bias) continue;
                        const Model model = layer_model(transformer, trace, layer, part.to_memory, source);
                        ASSERT_TRUE(check_model(model).empty()) << name << ": " << check_model(model).front();
                        EXPECT_EQ(model.source, source);
                        const AttentionTrace alone = run_attention(model, Path::plain);
                        Matrix written = alone.output;
                        const Matrix& b_o = transformer.weights->layers[l].parts[at].attention.b_o;
                        if (b_o.size() > 0) written.rowwise() += b_o.row(0);
                        const PartTrace& inside = trace.layers[l].parts[at];
                        EXPECT_TRUE(near(written, inside.write, 2e-5)) << name;
                        for (int head = 0; head < model.n_heads; ++head)
                            EXPECT_TRUE(near(alone.weights[head], inside.attention.weights[head], 1e-5)) << name;
                    }
                }
        }
}

TEST(LayerEdit, ThatChangesNothingChangesNothing) {
    for (const auto& [name, config] : attending()) {
        const Transformer transformer = make_transformer(config, 3);
        const TransformerInput input = some_input(config, 5);
        const TransformerTrace trace = run_transformer(transformer, input);
        for (const bool cross : {false, true}) {
            if (cross && !config.cross_attention) continue;
            const std::vector<LayerEdit> edits{edit_of(
                transformer, trace, 1, [](Model&) {}, cross)};
            ASSERT_TRUE(check_input(transformer, input, edits).empty())
                << name << ": " << check_input(transformer, input, edits).front();
            EXPECT_TRUE(near(run_transformer(transformer, input, edits).output, trace.output, 2e-5)) << name;
        }
    }
}

TEST(LayerEdit, RunsOnThroughTheLayersAboveAndLeavesThoseBelow) {
    const TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 3);
    const TransformerInput input = some_input(config, 6);
    const TransformerTrace trace = run_transformer(transformer, input);
    const std::vector<LayerEdit> edits{edit_of(transformer, trace, 1, [](Model& m) { m.mask->causal = true; })};
    const TransformerTrace edited = run_transformer(transformer, input, edits);
    EXPECT_TRUE(same(edited.stream(1), trace.stream(1)));
    EXPECT_FALSE(same(edited.stream(2), trace.stream(2)));
    EXPECT_FALSE(same(edited.output, trace.output));
    // By hand: the changed layer's write, then the rest of it and the layer above, fed with what it gives.
    TransformerConfig rest = config;
    rest.n_layers = 1;
    auto top = std::make_shared<TransformerWeights>(*transformer.weights);
    top->layers = {top->layers[2]};
    EXPECT_TRUE(near(run_transformer({rest, top, 3}, {.embeddings = edited.stream(2)}).output, edited.output, 1e-5));
    Matrix write = run_attention(edits[0].after, Path::plain).output;
    write.rowwise() += transformer.weights->layers[1].parts[0].attention.b_o.row(0);
    EXPECT_TRUE(near(edited.stream(1, 1), trace.stream(1) + write, 1e-5));
}

TEST(LayerEdit, OfCrossAttentionLeavesTheSelfAttentionOfItsLayerAndTheOtherWayRound) {
    TransformerConfig config = small_config();
    config.cross_attention = true;
    const Transformer transformer = make_transformer(config, 3);
    const TransformerInput input = some_input(config, 6);
    const TransformerTrace trace = run_transformer(transformer, input);
    const auto cooler = [](Model& m) { m.temperature = 0.2F; };
    const std::vector<LayerEdit> of_cross{edit_of(transformer, trace, 1, cooler, true)};
    const TransformerTrace crossed = run_transformer(transformer, input, of_cross);
    EXPECT_TRUE(same(crossed.stream(1, 1), trace.stream(1, 1)));
    EXPECT_FALSE(same(crossed.stream(1, 2), trace.stream(1, 2)));
    const std::vector<LayerEdit> of_self{edit_of(transformer, trace, 1, cooler)};
    const TransformerTrace selfish = run_transformer(transformer, input, of_self);
    EXPECT_FALSE(same(selfish.stream(1, 1), trace.stream(1, 1)));
    EXPECT_EQ(selfish.layers[1].parts[1].model.temperature, 1);
}

TEST(LayerEdit, OfEverySettingIsThatSettingOfTheTransformer) {
    struct Change {
        const char* name;
        void (*change)(Model&);
    };
    const Change changes[] = {{"temperature", [](Model& m) { m.temperature = 0.3F; }},
                              {"mask", [](Model& m) { m.mask->causal = true; }},
                              {"window", [](Model& m) { m.mask->window = true; }},
                              {"score", [](Model& m) { m.score = "cosine"; }},
                              {"normaliser", [](Model& m) { m.normalizer->id = "sparsemax"; }},
                              {"soft cap", [](Model& m) { m.scale->soft_cap = 0.5F; }},
                              {"rotary", [](Model& m) { m.position->encoding = "rope"; }},
                              {"scale", [](Model& m) { m.scale->scaling = Scaling::off; }},
                              {"gains", [](Model& m) {
                                   m.heads[1] = {false, 1.0F}, m.heads[2].gain = 2;
                               }}};
    for (const auto& [name, change] : changes) {
        TransformerConfig config = small_config();
        config.n_layers = 1;
        const Transformer transformer = make_transformer(config, 3);
        const TransformerInput input = some_input(config, 6);
        const TransformerTrace trace = run_transformer(transformer, input);
        const std::vector<LayerEdit> edits{edit_of(transformer, trace, 0, change)};
        Transformer changed = transformer;
        changed.config.attention.heads.resize(4);
        change(changed.config.attention);
        const Matrix edited = run_transformer(transformer, input, edits).output;
        EXPECT_TRUE(near(edited, run_transformer(changed, input).output, 2e-5)) << name;
        EXPECT_FALSE(near(edited, trace.output, 1e-3)) << name;
    }
}

TEST(LayerEdit, KeepsItsCellsAndLetsTheOthersFollowTheInput) {
    const TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 3);
    const TransformerTrace trace = run_transformer(transformer, some_input(config, 6));
    const std::vector<LayerEdit> edits{edit_of(transformer, trace, 1, [](Model& m) {
        set_cell(m.q[2], 4, 1, 7.0F);
        set_cell(m.w_o[0], 0, 0, -3.0F);
        m.temperature = 0.5F;
    })};
    for (const Index n : {6, 9, 3}) {  // other words, more of them, fewer than the cell's row
        const TransformerInput other = some_input(config, n, 12);
        ASSERT_TRUE(check_input(transformer, other, edits).empty());
        const TransformerTrace edited = run_transformer(transformer, other, edits);
        const Model fresh = layer_model(transformer, edited, 1);
        const Model& ran = edited.layers[1].parts[0].model;
        EXPECT_EQ(ran.n_queries, n);
        EXPECT_EQ(ran.temperature, 0.5F);
        EXPECT_EQ((*ran.w_o[0])(0, 0), -3.0F);
        EXPECT_TRUE(same(*ran.q[1], *fresh.q[1]));
        Matrix q = *fresh.q[2];
        if (n > 4) q(4, 1) = 7.0F;
        EXPECT_TRUE(same(*ran.q[2], q)) << n;
    }
}

TEST(LayerEdit, HeadSwitchedOffIsTheTransformerWithoutItsRowsOfWO) {
    const TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 3);
    const TransformerInput input = some_input(config, 6);
    const TransformerTrace trace = run_transformer(transformer, input);
    const std::vector<LayerEdit> edits{edit_of(transformer, trace, 1, [](Model& m) { m.heads[2].on = false; })};
    auto cut = std::make_shared<TransformerWeights>(*transformer.weights);
    cut->layers[1].parts[0].attention.w_o.middleRows(2 * config.attention.d_v, config.attention.d_v).setZero();
    EXPECT_TRUE(
        near(run_transformer(transformer, input, edits).output, run_transformer({config, cut, 3}, input).output, 2e-5));
}

TEST(LayerEdit, GradientsGoThroughTheEditedLayerAndNotIntoItsCells) {
    for (const Source source : {Source::direct, Source::projected})
        for (const bool cross : {false, true}) {
            TransformerConfig config = small_config();
            config.qkv_bias = source == Source::direct;
            config.cross_attention = true;
            const Transformer transformer = make_transformer(config, 3);
            const TransformerInput input = some_input(config, 5);
            const TransformerTrace trace = run_transformer(transformer, input);
            const std::vector<LayerEdit> edits{edit_of(
                transformer, trace, 1,
                [](Model& m) {
                    m.temperature = 0.7F;
                    m.heads[1].gain = 2;
                    set_cell(m.source == Source::direct ? m.q[0] : m.x, 2, 1, 1.5F);
                    set_cell(m.source == Source::direct ? m.v[1] : m.w_v[1], 1, 1, -1.0F);
                    set_cell(m.w_o[3], 1, 1, 2.0F);
                },
                cross, source)};
            const TransformerTrace edited = run_transformer(transformer, input, edits);
            const OutputGradient loss{.output = drawn(5, config.d_model, 8)};
            TransformerGradients gradients = transformer_gradients(transformer, input, edits, edited, loss);
            EXPECT_EQ(gradients.weights.layers[1].parts[cross ? 1 : 0].attention.w_o(3 * 5 + 1, 1), 0);

            const auto loss_at = [&](const Transformer& t, const TransformerInput& in) {
                return run_transformer(t, in, edits)
                    .output.cast<double>()
                    .cwiseProduct(loss.output.cast<double>())
                    .sum();
            };
            const auto expect = [&](const Matrix& gradient, const Matrix& direction, auto&& at,
                                    const std::string& what) {
                constexpr float step = 4e-3F;
                const double measured = (at(step) - at(-step)) / (2 * static_cast<double>(step));
                const double claimed = gradient.cast<double>().cwiseProduct(direction.cast<double>()).sum();
                EXPECT_NEAR(measured, claimed, 3e-3 + 5e-3 * static_cast<double>(gradient.norm())) << what;
            };
            const auto unit = [](Index rows, Index cols) {
                const Matrix all = drawn(rows, cols, 21);
                return Matrix(all / all.norm());
            };
            for (Matrix TransformerInput::*member : {&TransformerInput::embeddings, &TransformerInput::memory}) {
                const Matrix& gradient = member == &TransformerInput::memory ? gradients.memory : gradients.embeddings;
                const Matrix direction = unit(gradient.rows(), gradient.cols());
                expect(
                    gradient, direction,
                    [&](float step) {
                        TransformerInput moved = input;
                        moved.*member += step * direction;
                        return loss_at(transformer, moved);
                    },
                    "input");
            }
            TransformerWeights weights = *transformer.weights;
            const std::vector<Parameter> places = parameters(config, weights);
            const std::vector<Parameter> slopes = parameters(config, gradients.weights);
            for (std::size_t i = 0; i < places.size(); ++i) {
                if (places[i].name.find("layers.1.") != 0) continue;
                const Matrix here = *places[i].matrix;
                const Matrix direction = unit(here.rows(), here.cols());
                expect(
                    *slopes[i].matrix, direction,
                    [&](float step) {
                        *places[i].matrix = here + step * direction;
                        const double value = loss_at({config, std::make_shared<TransformerWeights>(weights), 3}, input);
                        *places[i].matrix = here;
                        return value;
                    },
                    places[i].name);
            }
        }
}

TEST(LayerEdit, ThatDoesNotFitTheTransformerIsASentence) {
    const TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 3);
    const TransformerInput input = some_input(config, 6);
    const TransformerTrace trace = run_transformer(transformer, input);
    const auto refused = [&](auto change, const char* word) {
        const std::vector<LayerEdit> edits{edit_of(transformer, trace, 1, change)};
        const auto sentences = check_input(transformer, input, edits);
        ASSERT_FALSE(sentences.empty()) << word;
        EXPECT_NE(sentences.front().find(word), std::string::npos) << sentences.front();
    };
    refused([](Model& m) { m.n_queries = 7; }, "n_queries");
    refused([](Model& m) { m.d_model = 10; }, "d_model");
    refused([](Model& m) { m.output_projection = false; }, "output_projection");
    refused([](Model& m) { m.temperature = -1; }, "temperature");
    refused([](Model& m) { m.d_k = 9; }, "model.q");  // without the matrices for it
    refused([](Model& m) { m.n_heads = 8; }, "model.q");
    refused(
        [](Model& m) {
            m.bias_on = true;
            m.bias.resize(3);
        },
        "model.bias");
    std::vector<LayerEdit> edits{edit_of(transformer, trace, 1, [](Model&) {})};
    edits[0].layer = 3;
    EXPECT_FALSE(check_input(transformer, input, edits).empty());
    edits[0] = {1, true, {}, {}};
    EXPECT_FALSE(check_input(transformer, input, edits).empty());
}

// Sizes that the user changed in the workbench are the user's: other heads, wider keys.
TEST(LayerEdit, OfTheHeadsSizesRunsWithTheUsersMatrices) {
    const TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 3);
    const TransformerInput input = some_input(config, 6);
    const TransformerTrace trace = run_transformer(transformer, input);
    const std::vector<LayerEdit> edits{edit_of(transformer, trace, 1, [](Model& m) {
        m.d_k = 7;
        m.n_heads = 6;
        fit_matrices(m);
    })};
    ASSERT_TRUE(check_input(transformer, input, edits).empty()) << check_input(transformer, input, edits).front();
    const TransformerTrace edited = run_transformer(transformer, input, edits);
    const Model& ran = edited.layers[1].parts[0].model;
    ASSERT_TRUE(check_model(ran).empty()) << check_model(ran).front();
    EXPECT_TRUE(same(edited.layers[1].parts[0].attention.output, run_attention(edits[0].after).output));
    const TransformerGradients gradients =
        transformer_gradients(transformer, input, edits, edited, {.output = drawn(6, config.d_model, 8)});
    EXPECT_TRUE(gradients.embeddings.allFinite());
    EXPECT_EQ(gradients.weights.layers[1].parts[0].attention.w_q.norm(), 0);
}

}  // namespace
}  // namespace heed::tests
