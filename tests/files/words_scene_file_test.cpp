// Embeddings of words in files: drawn again from the seed, and files from before words had vectors open as they were.
#include "core/analysis/head_statistics.h"
#include "core/attention/pipeline.h"
#include "core/embedded.h"
#include "core/files/scene_file.h"
#include "core/model/position_settings.h"
#include "core/operands.h"
#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace heed {
namespace {

Scene read(const std::string& model) {
    Result<Scene> scene = load_scene(R"({"heed": 1, "model": )" + model + "}", "test");
    EXPECT_TRUE(scene) << scene.error();
    return scene ? *scene : default_scene();
}

Model example(const std::string& name) {
    const Result<Scene> scene = load_scene(embedded_file("assets/scenes/" + name + ".json"), name);
    EXPECT_TRUE(scene) << scene.error();
    return scene ? scene->model : default_scene().model;
}

// What the program drew before there was model.embeddings: the number of the row, and 1 as deviation, whatever the position.
TEST(WordsSceneFile, AFileFromBeforeDrawsItsEmbeddingsByPlace) {
    for (const char* position : {"none", "sinusoidal", "learned", "rope"}) {
        const Model model =
            read(R"({"seed": 9, "query_tokens": ["a", "b", "a"], "source": "projected", "position": ")" +
                 std::string(position) + R"(", "self_attention": false, "key_tokens": ["a", "c"]})")
                .model;
        EXPECT_EQ(model.embeddings, Embeddings::by_place);
        for (Index i = 0; i < 3; ++i)
            for (Index j = 0; j < model.d_model; ++j)
                ASSERT_EQ((*model.x)(i, j),
                          normal_at(9, 3ULL << 32U, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
        ASSERT_EQ((*model.y)(1, 5), normal_at(9, 4ULL << 32U, 1, 5));
    }
    EXPECT_FLOAT_EQ((*read(R"({"seed": 9, "source": "projected"})").model.x)(0, 0), normal_at(9, 3ULL << 32U, 0, 0));
}

TEST(WordsSceneFile, ASceneOfWordsHoldsNoNumbersTheSeedCanDraw) {
    Scene scene = default_scene();
    scene.model.source = Source::projected;
    EXPECT_EQ(scene.model.embeddings, Embeddings::by_word) << "new scenes give words their own vectors";
    const std::string text = save_scene(scene);
    EXPECT_EQ(text.find("\"x\""), std::string::npos);
    EXPECT_NE(text.find("\"embeddings\": \"by-word\""), std::string::npos);
    EXPECT_EQ(*load_scene(text, "test"), scene);
    ASSERT_TRUE(set_field(scene, "model.position", "sinusoidal"));
    EXPECT_EQ(save_scene(scene).find("\"x\""), std::string::npos) << "the spread follows the position";
    EXPECT_EQ(*load_scene(save_scene(scene), "test"), scene);
}

TEST(WordsSceneFile, SettingTheTokensMovesTheVectors) {
    Scene scene = read(R"({"embeddings": "by-word", "query_tokens": ["猫", "喜欢", "鱼"], "source": "projected"})");
    const Model before = scene.model;
    ASSERT_TRUE(set_field(scene, "model.query_tokens", "鱼 喜欢 猫 吗"));
    EXPECT_EQ(scene.model.n_queries, 4);
    EXPECT_TRUE(same(scene.model.x->row(0), before.x->row(2)));
    EXPECT_TRUE(same(scene.model.x->row(2), before.x->row(0)));
    EXPECT_EQ(*load_scene(save_scene(scene), "test"), scene);
    ASSERT_TRUE(set_field(scene, "model.x[1][0]", "8"));
    ASSERT_TRUE(set_field(scene, "model.query_tokens", "喜欢 鱼"));
    EXPECT_EQ((*scene.model.x)(0, 0), 8.0F) << "an edit goes with its word";
    EXPECT_EQ(*load_scene(save_scene(scene), "test"), scene);
}

TEST(WordsSceneFile, ExamplesKeepTheirNumbersAndNewWordsInThemTheirVectors) {
    for (const std::string_view path : embedded_files("assets/scenes/")) {
        const Result<Scene> scene = load_scene(embedded_file(path), path);
        ASSERT_TRUE(scene) << scene.error();
        EXPECT_EQ(scene->model.embeddings, Embeddings::by_word) << path;
    }
}

TEST(WordsSceneFile, TheTurnedFishHasTheWeightsOfTheFishInAnotherOrder) {
    const Model fish = example("fish"), turned = example("fish-turned");
    const AttentionTrace a = run_attention(fish), b = run_attention(turned);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(query_label(fish, i), query_label(turned, 2 - i));
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(a.weights[0](i, j), b.weights[0](2 - i, 2 - j), 1e-6F);
        for (int j = 0; j < 2; ++j) EXPECT_NEAR(a.output(i, j), b.output(2 - i, j), 1e-6F);
    }
    Scene typed{"", "", fish, {}};
    ASSERT_TRUE(set_field(typed, "model.query_tokens", "鱼 喜欢 猫"));
    EXPECT_EQ(typed.model.x, turned.x) << "typing makes one of the other";
}

double cosine(const Matrix& rows, Index i, Index j) {
    return static_cast<double>(rows.row(i).dot(rows.row(j)) / (rows.row(i).norm() * rows.row(j).norm()));
}

// The titles: the word is heard above its place, or drowns in it.
TEST(WordsSceneFile, TheEmbeddingScaleTwinsSayWhatTheyShow) {
    Model scaled = example("embedding-scale"), unscaled = example("embedding-unscaled");
    const AttentionTrace with = run_attention(scaled), without = run_attention(unscaled);
    const auto norm = [](const Model& model, float factor) {
        return factor * model.x->topLeftCorner(model.n_queries, model.d_model).rowwise().norm().mean();
    };
    const float place = std::sqrt(static_cast<float>(scaled.d_model) / 2);
    EXPECT_GT(norm(scaled, std::sqrt(static_cast<float>(scaled.d_model))), 1.2F * place);
    EXPECT_LT(norm(unscaled, 1), 0.25F * place);
    // “the” stands at 1, 4 and 7; “cat” beside the first. A row is nearer to its word, or to its neighbour's place.
    EXPECT_GT(cosine(with.x_in, 0, 6), cosine(with.x_in, 6, 5) + 0.2);
    EXPECT_LT(cosine(without.x_in, 0, 6), cosine(without.x_in, 6, 5));
    EXPECT_GT(cosine(without.x_in, 6, 5), 0.8) << "two words in neighbouring places are almost one";
    scaled.position->embedding_scale = false;
    EXPECT_EQ(scaled, unscaled);
}

}  // namespace
}  // namespace heed
