// What the Geometry view said and was not so, each driven to where it was.
#include "core/attention/pipeline.h"
#include "core/embedded.h"
#include "core/figure/registry.h"
#include "core/files/scene_file.h"
#include "core/geometry/plane.h"
#include "core/geometry/territories.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace heed {
namespace {

// Four tokens in the plane.
Scene four(const std::string& keys, const std::string& more = "") {
    const std::string file =
        R"({"heed": 1, "title": "four", "model": {"query_tokens": ["a", "b", "c", "d"], "d_k": 2, "d_v": 2,
        "source": "direct", "n_heads": 1, "q": [[[1, 0.2], [0, 2], [-1, 0.5], [0.3, 0.3]]], "k": [[)" +
        keys + R"(]], "v": [[[1, 0], [0, 1], [3, 1], [-1, -2]]])" + more + R"(}, "display": {"view": "geometry"}})";
    Result<Scene> scene = load_scene(file, "four");
    EXPECT_TRUE(scene) << scene.error();
    return scene ? *scene : default_scene();
}

struct Drawn {
    Figure figure;
    const TextMark* find(std::string_view words) const {
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark))
                if (one->text.find(words) != std::string::npos) return one;
        return nullptr;
    }
    const TextMark* whole(std::string_view words) const {
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark))
                if (one->text == words) return one;
        return nullptr;
    }
};

Drawn draw(const Scene& scene) {
    const AttentionTrace trace = run_attention(scene.model);
    return {find_figure_kind("geometry")
                ->make({.model = scene.model,
                        .trace = trace,
                        .display = scene.display,
                        .title = {},
                        .measure = rough_measure(),
                        .width = 1460,
                        .height = 850,
                        .on_paper = true})};
}

TEST(GeometryWords, WhoNeverWinsDoesSoByDotProduct) {
    const std::string keys = "[1, 0.3], [0.2, 1], [-1, -1], [0.05, 0.1]";
    for (const char* score : {"scaled_dot", "dot", "cosine", "additive"}) {
        Scene scene = four(keys);
        scene.model.score = score;
        if (!check_model(scene.model).empty()) continue;
        const bool is_dot = scene.model.score != "cosine" && scene.model.score != "additive";
        const Drawn drawn = draw(scene);
        EXPECT_EQ(drawn.find("“d” can never win by dot product") != nullptr, is_dot) << score;
        EXPECT_EQ(drawn.find("never win") != nullptr, is_dot) << score;
    }
}

TEST(GeometryWords, AnArrowWithoutLengthHasNoAngle) {
    Scene scene = four("[0, 0], [0.2, 1], [-1, -1], [0.05, 0.1]");
    scene.display.pin = {0, 0};
    EXPECT_NE(draw(scene).whole("–"), nullptr);
    scene.display.pin = {0, 1};
    EXPECT_EQ(draw(scene).whole("–"), nullptr);
}

// In this scene two keys look the same from the plane, and the sums of their scores round differently.
TEST(GeometryWords, TwoKeysThatTieTieEverywhere) {
    Result<Scene> loaded = load_scene(embedded_file("assets/scenes/equal-values.json"), "equal-values");
    ASSERT_TRUE(loaded) << loaded.error();
    const AttentionTrace trace = run_attention(loaded->model);
    const QueryRow row = query_row(loaded->model, trace, 0, 0);
    const Plane plane = principal_plane({trace.q[0], trace.k[0]});
    constexpr Index cells = 120;
    const Territories map = territories(row, plane, {3, 3}, cells, cells);
    // A place that is unlike both its neighbours across and unlike both down is a speck.
    int specks = 0;
    for (Index i = 1; i + 1 < cells; ++i)
        for (Index j = 1; j + 1 < cells; ++j) {
            const auto here = map.winner[map.at(i, j)];
            const auto is_other = [&](Index down, Index across) { return map.winner[map.at(down, across)] != here; };
            specks += is_other(i - 1, j) && is_other(i + 1, j) && is_other(i, j - 1) && is_other(i, j + 1) ? 1 : 0;
        }
    EXPECT_LT(specks, 5);
}

TEST(GeometryWords, ThePinnedKeyHasANameThoughOthersEndBesideIt) {
    Scene scene = four("[1, 0.3], [0.2, 1], [-1, -1], [0.05, 0.1]");
    scene.model.n_queries = scene.model.n_keys = 60;
    scene.model.query_tokens.clear();
    fit_matrices(scene.model);
    Matrix keys(60, 2);
    for (Index j = 0; j < 60; ++j) {
        const float turn = static_cast<float>(j) * 0.7F;
        keys.row(j) << 1 + 0.06F * static_cast<float>(j % 8) * std::cos(turn),
            1 + 0.06F * static_cast<float>(j % 8) * std::sin(turn);
    }
    scene.model.k[0] = std::move(keys);
    scene.display.pin = {1, 32};
    const Drawn drawn = draw(scene);
    const TextMark* name = drawn.whole("33");
    ASSERT_NE(name, nullptr);
    EXPECT_EQ(name->style.font, Font::bold);
}

// With sanitizers a size that is no number would end it.
TEST(GeometryWords, APageTooSmallForAPlaneHasOneAllTheSame) {
    for (const float width : {1.0F, 60.0F})
        for (const float height : {1.0F, 400.0F}) {
            const Scene scene = four("[1, 0.3], [0.2, 1], [-1, -1], [0.05, 0.1]");
            const AttentionTrace trace = run_attention(scene.model);
            const Figure figure = find_figure_kind("geometry")
                                      ->make({.model = scene.model,
                                              .trace = trace,
                                              .display = scene.display,
                                              .title = {},
                                              .measure = rough_measure(),
                                              .width = width,
                                              .height = height});
            for (const Mark& mark : figure.marks)
                if (const auto* map = std::get_if<HeatmapMark>(&mark)) {
                    EXPECT_GE(map->values.rows, 4) << width << " × " << height;
                }
        }
}

}  // namespace
}  // namespace heed
