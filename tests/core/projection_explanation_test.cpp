// Numbers of Q, K and V, worked out again in double from the matrices of the scene.
#include "core/analysis/projection_explanation.h"
#include "core/attention/score_functions.h"
#include "core/model/position_settings.h"
#include "tests/core/projection_scenes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

// The embedding of a token as it is projected, by the formulas and not by the code.
std::vector<double> embedding(const Model& model, bool is_query, int row) {
    const Matrix& from = is_query || model.self_attention ? *model.x : *model.y;
    const PositionEncoding& position = position_encoding(model.position->encoding);
    const double factor = position.add != nullptr && model.position->embedding_scale ? std::sqrt(model.d_model) : 1;
    Matrix added = Matrix::Zero(1, model.d_model);
    if (position.add != nullptr) position.add(added, row + (is_query ? model.query_offset : 0), model.seed);
    std::vector<double> out;
    for (int t = 0; t < model.d_model; ++t)
        out.push_back(static_cast<double>(from(row, t)) * factor + static_cast<double>(added(0, t)));
    return out;
}

double product(const std::vector<double>& x, const Matrix& w, int col) {
    double sum = 0;
    for (std::size_t t = 0; t < x.size(); ++t) sum += x[t] * static_cast<double>(w(static_cast<Index>(t), col));
    return sum;
}

const Matrix& weights(const Model& model, Stage stage, int head) {
    if (stage == Stage::q) return *model.w_q[static_cast<std::size_t>(head)];
    const int group = head / (model.n_heads / model.n_kv_heads);
    return stage == Stage::k ? *model.w_k[static_cast<std::size_t>(group)]
                             : *model.w_v[static_cast<std::size_t>(group)];
}

template <typename Check>
void for_each_entry(const Model& model, Check check) {
    for (const Stage stage : {Stage::q, Stage::k, Stage::v})
        for (int head = 0; head < model.n_heads; ++head)
            for (int row = 0; row < (stage == Stage::q ? model.n_queries : effective_n_keys(model)); ++row)
                for (int col = 0; col < (stage == Stage::v ? model.d_v : model.d_k); ++col)
                    check(head, StageCell{stage, row, col});
}

TEST(ProjectionExplanation, TheRunningSumEndsInTheProductForEveryHeadAndSource) {
    for (const auto& [of_name, of_scene] : projected_scenes()) {
        const auto& name = of_name;  // clang before 16 lets no lambda see a binding
        const auto& scene = of_scene;
        const Model& model = scene.model;
        const AttentionTrace trace = run_attention(model);
        for_each_entry(model, [&](int head, const StageCell& entry) {
            const ProjectionExplanation of = explain_projection(model, trace, head, entry);
            const std::vector<double> x = embedding(model, entry.stage == Stage::q, entry.row);
            const double expected = product(x, weights(model, entry.stage, head), entry.col);
            ASSERT_EQ(of.terms.size(), static_cast<std::size_t>(model.d_model)) << name;
            for (std::size_t t = 0; t < x.size(); ++t) {
                EXPECT_NEAR(of.input[t], x[t], 1e-5) << name;
                EXPECT_FLOAT_EQ(of.terms[t], of.input[t] * of.column[t]) << name;
            }
            EXPECT_NEAR(of.sum, expected, 1e-5) << name;
            EXPECT_NEAR(of.running_sum.back(), of.value, 1e-5F) << name;
            EXPECT_NEAR(of.value, expected, 1e-5) << name << ", head " << head;
        });
    }
}

TEST(ProjectionExplanation, ARotationIsACosineAndASineOfItsPairAndEndsInWhatTheScoreUses) {
    int turned = 0;
    for (const auto& [of_name, of_scene] : projected_scenes()) {
        const auto& name = of_name;  // clang before 16 lets no lambda see a binding
        const auto& scene = of_scene;
        const Model& model = scene.model;
        const AttentionTrace trace = run_attention(model);
        for_each_entry(model, [&](int head, const StageCell& entry) {
            const ProjectionExplanation of = explain_projection(model, trace, head, entry);
            ASSERT_EQ(of.turn.has_value(), model.position->encoding == "rope" && entry.stage != Stage::v) << name;
            const float used = stage_value(model, trace, entry.stage, head, entry.row, entry.col);
            EXPECT_EQ(of.vector[static_cast<std::size_t>(entry.col)], used) << name;
            if (!of.turn) {
                EXPECT_EQ(of.value, used) << name;
                return;
            }
            ++turned;
            const bool is_query = entry.stage == Stage::q;
            const int position = entry.row + (is_query ? model.query_offset : 0);
            const int pair = entry.col / 2;
            const double angle = position * std::pow(10000.0, -2.0 * pair / model.d_k);
            const std::vector<double> x = embedding(model, is_query, entry.row);
            const double even = product(x, weights(model, entry.stage, head), 2 * pair);
            const double odd = product(x, weights(model, entry.stage, head), 2 * pair + 1);
            const double expected = entry.col % 2 == 0 ? even * std::cos(angle) - odd * std::sin(angle)
                                                       : even * std::sin(angle) + odd * std::cos(angle);
            EXPECT_EQ(of.turn->position, position);
            EXPECT_NEAR(of.turn->value, expected, 1e-5) << name;
            double sum = 0;
            for (const TurnExplanation::Term& term : of.turn->terms)
                sum += term.factor * static_cast<double>(term.value);
            EXPECT_NEAR(sum, used, 1e-5) << name;
        });
    }
    EXPECT_GT(turned, 100);
}

TEST(ProjectionExplanation, EveryScoreIsMadeFromTheExplainedNumbers) {
    for (const ScoreFunction& score : score_functions()) {
        Scene scene = projected_scenes().front().scene;
        scene.model.score = score.id;
        fit_matrices(scene.model);
        const AttentionTrace trace = run_attention(scene.model);
        for (const Stage stage : {Stage::q, Stage::k, Stage::v}) {
            const ProjectionExplanation of = explain_projection(scene.model, trace, 1, {stage, 2, 1});
            EXPECT_NEAR(of.running_sum.back(), stage_value(scene.model, trace, stage, 1, 2, 1), 1e-5F) << score.id;
        }
    }
}

TEST(ProjectionExplanation, AnEmbeddingWithItsPositionIsTheSumThatIsTold) {
    for (const auto& [name, scene] : projected_scenes()) {
        const AttentionTrace trace = run_attention(scene.model);
        for (const Stage stage : {Stage::x_in, Stage::y_in}) {
            if (!has_stage(scene.model, stage)) continue;
            for (int row = 0; row < 5; ++row) {
                const PlacedComponent of = explain_placed(scene.model, trace, {stage, row, 3});
                const std::vector<double> x = embedding(scene.model, stage == Stage::x_in, row);
                EXPECT_NEAR(of.value, x[3], 1e-5) << name;
                EXPECT_NEAR(of.embedding * of.factor + of.position, of.value, 1e-5F) << name;
            }
        }
    }
}

std::string all_lines(const Model& model, const ProjectionExplanation& of) {
    std::string text;
    for (const ExplainedLine& line : explained_lines(model, of, Language::english))
        text += std::to_string(line.step) + " " + line.name + ": " + line.text + "\n";
    return text;
}

TEST(ProjectionExplanation, TheLinesSayTheFormulaAsItThenIs) {
    for (const auto& [name, scene] : projected_scenes()) {
        const Model& model = scene.model;
        const AttentionTrace trace = run_attention(model);
        const std::string text = all_lines(model, explain_projection(model, trace, 1, {Stage::k, 1, 2}));
        const bool adds = position_encoding(model.position->encoding).add != nullptr;
        EXPECT_EQ(text.find("√6·x + p") != std::string::npos, adds && model.position->embedding_scale) << name << "\n"
                                                                                                       << text;
        EXPECT_EQ(text.find(": x + p") != std::string::npos, adds && !model.position->embedding_scale) << name << "\n"
                                                                                                       << text;
        EXPECT_EQ(text.find("4 k′_{3}") != std::string::npos, model.position->encoding == "rope") << name << "\n"
                                                                                                  << text;
        EXPECT_NE(text.find("3 k_{3}: Σ x·w = "), std::string::npos) << name << "\n" << text;
        EXPECT_NE(text.find("column 3 of W_{K}"), std::string::npos) << name << "\n" << text;
        EXPECT_EQ(text.find("32 bits"), std::string::npos) << name << ": nothing is lost to rounding here\n" << text;
    }
}

TEST(ProjectionExplanation, WhatRoundingLosesIsSaid) {
    Scene scene = projected_scenes().front().scene;
    Model& model = scene.model;
    // 10⁷ + 0.06 − 10⁷: not as near as three decimals in 32 bits, whatever the order.
    model.x = model.x.with([](Matrix& x) { x.row(0).head(6) << 1e7F, 0.06F, -1e7F, 0, 0, 0; });
    model.w_q[0] = model.w_q[0].with([](Matrix& w) { w.setOnes(); });
    AttentionTrace trace = run_attention(model, Path::plain);
    trace.q[0](0, 0) = 0.0F;  // as a float sum has it
    const std::string text = all_lines(model, explain_projection(model, trace, 0, {Stage::q, 0, 0}));
    EXPECT_NE(text.find("without rounding to 32 bits the sum is 0.060000"), std::string::npos) << text;
}

TEST(Stages, OfAProjectionHaveTheirShapesAndOthersHaveNone) {
    for (const auto& [name, scene] : projected_scenes()) {
        const AttentionTrace trace = run_attention(scene.model);
        for (int i = 0; i < n_stages; ++i) {
            const auto stage = static_cast<Stage>(i);
            const Matrix matrix = stage_matrix(scene.model, trace, stage, 1);
            EXPECT_EQ(matrix.size() > 0, has_stage(scene.model, stage)) << name << " " << i;
            EXPECT_EQ((Shape{matrix.rows(), matrix.cols()}), stage_shape(scene.model, stage)) << name << " " << i;
        }
    }
    const Model direct = default_scene().model;
    for (int i = static_cast<int>(Stage::x); i < n_stages; ++i)
        EXPECT_EQ(stage_matrix(direct, run_attention(direct), static_cast<Stage>(i), 0).size(), 0) << i;
}

TEST(Stages, WhatIsNotRotatedIsWhatTheProjectionMade) {
    for (const auto& [name, scene] : projected_scenes()) {
        if (scene.model.position->encoding != "rope") continue;
        Model plain = scene.model;
        plain.position->encoding = "none";
        const AttentionTrace turned = run_attention(scene.model);
        const AttentionTrace straight = run_attention(plain);
        for (int head = 0; head < plain.n_heads; ++head) {
            EXPECT_TRUE(same(turned.q_unrotated[head], straight.q[head])) << name;
            EXPECT_TRUE(same(turned.k_unrotated[kv_head_of(plain, head)], straight.k[kv_head_of(plain, head)])) << name;
        }
        // And goes with the position, in the same memory.
        AttentionTrace reused = turned;
        run_attention(plain, reused);
        EXPECT_TRUE(reused.q_unrotated.empty()) << name;
    }
}

}  // namespace
}  // namespace heed
