// The order of tokens as files: matrices, a sweep, and a scene that remembers it.
#include "app/commands/scene_argument.h"
#include "app/take_away/export_matrix.h"
#include "app/take_away/export_text.h"
#include "app/take_away/sweep.h"
#include "core/attention/pipeline.h"
#include "core/display/order_display.h"
#include "core/files/csv.h"
#include "core/files/npy.h"
#include "core/files/read_file.h"
#include "core/files/scene_file.h"
#include "core/layers.h"
#include "core/model/position_settings.h"
#include "core/order/shown_order.h"
#include "core/transformer/around.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <set>

namespace heed::app {
namespace {

Scene moved_scene() {
    Scene scene;
    scene.model.source = Source::projected;
    scene.model.position->encoding = "sinusoidal";
    scene.model.heads.resize(static_cast<std::size_t>(scene.model.n_heads));
    fit_matrices(scene.model);
    scene.display.view = "order";
    scene.display.order->permutation = "2 0 1 5 4 3";
    return scene;
}

Scene deep_scene() {
    Scene scene = *scene_argument("block", {});
    hold_layer(scene.model, 2);
    return scene;
}

TEST(OrderTakeAway, PermutationIsAMatrixWithAOneInEachRow) {
    const TemporaryFolder folder;
    const Scene scene = moved_scene();
    const std::string npy = (folder.path / "p.npy").string(), csv = (folder.path / "p.csv").string();
    ASSERT_TRUE(export_matrix(scene, "permutation", std::nullopt, npy));
    ASSERT_TRUE(export_matrix(scene, "permutation", std::nullopt, csv));
    const Result<NpyArray> array = read_npy(npy);
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(array->shape, (std::vector<Index>{6, 6}));
    EXPECT_EQ(array->values[2], 1.0F) << "the first row takes token 2";
    EXPECT_EQ(*read_file(csv, 1 << 20),
              "0,0,1,0,0,0\n1,0,0,0,0,0\n0,1,0,0,0,0\n0,0,0,0,0,1\n0,0,0,0,1,0\n0,0,0,1,0,0\n");
}

TEST(OrderTakeAway, EncodingIsWhatTheEmbeddingsHaveOnTop) {
    const TemporaryFolder folder;
    Scene scene = moved_scene();
    const auto exported = [&](const char* what) {
        const std::string path = (folder.path / (std::string(what) + ".npy")).string();
        const Status status = export_matrix(scene, what, std::nullopt, path);
        EXPECT_TRUE(status);
        return *read_npy(path);
    };
    const NpyArray embeddings = exported("embeddings"), encoding = exported("encoding"), x = exported("x");
    ASSERT_EQ(embeddings.shape, (std::vector<Index>{6, 32}));
    ASSERT_EQ(encoding.shape, embeddings.shape);
    for (std::size_t i = 0; i < x.values.size(); ++i)
        EXPECT_NEAR(embeddings.values[i], x.values[i] * std::sqrt(32.0F) + encoding.values[i], 1e-4F);
    scene.model.position->encoding = "alibi";
    EXPECT_EQ(exported("encoding").shape, (std::vector<Index>{4, 6, 6})) << "a bias for each head";
}

TEST(OrderTakeAway, AnEncodingThatNobodyNamedIsNotWritten) {
    const TemporaryFolder folder;
    Scene scene = moved_scene();
    scene.model.position->encoding = "none";
    const std::string path = (folder.path / "encoding.npy").string();
    const Status status = export_matrix(scene, "encoding", std::nullopt, path);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().find("this scene has no positions"), std::string::npos) << status.error();
    scene.display.order->encoding = "learned";
    EXPECT_TRUE(export_matrix(scene, "encoding", std::nullopt, path)) << "now it has a name";
}

// What a layer reads is the stream, brought to its norm; the embeddings are what the stream begins with.
TEST(OrderTakeAway, EmbeddingsOfADeepSceneAreThoseOfItsTokens) {
    const TemporaryFolder folder;
    Scene scene = deep_scene();
    const std::string path = (folder.path / "e.npy").string();
    ASSERT_TRUE(export_matrix(scene, "embeddings", std::nullopt, path));
    const NpyArray embeddings = *read_npy(path);
    const AttentionTrace trace = run_layers(scene.model);
    const auto numbers = [](const Matrix& matrix) {
        return std::vector<float>(matrix.data(), matrix.data() + matrix.size());
    };
    EXPECT_EQ(embeddings.values, numbers(trace.around->trace.input));
    EXPECT_NE(embeddings.values, numbers(trace.x_in));
}

TEST(OrderTakeAway, AScriptOfADeepSceneSaysWhichPartOfItItComputes) {
    Scene scene = deep_scene();
    const std::string deep = find_text_export("numpy")->text(scene);
    EXPECT_NE(deep.find("# This is the attention of layer 3 of 4 only; not computed here: the other layers, the "
                        "residual, the norm, the feed-forward."),
              std::string::npos)
        << deep.substr(0, 400);
    EXPECT_NE(deep.find("# what the layer reads\n"), std::string::npos);
    EXPECT_EQ(deep.find("# embeddings\n"), std::string::npos);
    const std::string alone = find_text_export("numpy")->text(moved_scene());
    EXPECT_EQ(alone.find("This is the attention of layer"), std::string::npos);
    EXPECT_NE(alone.find("# embeddings\n"), std::string::npos);
}

TEST(OrderTakeAway, EmbeddingsOfADirectSceneAreASentence) {
    const TemporaryFolder folder;
    Scene scene = moved_scene();
    scene.model.source = Source::direct;
    const Status status = export_matrix(scene, "embeddings", std::nullopt, (folder.path / "e.csv").string());
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error(), "the tokens have no embeddings: this scene gives Q, K and V directly");
    EXPECT_FALSE(std::filesystem::exists(folder.path / "e.csv"));
}

TEST(OrderTakeAway, ASweepWalksTheWayFrameByFrame) {
    const TemporaryFolder folder;
    const Scene scene = moved_scene();
    SweepRequest request;
    request.render.view = "order";
    request.render.scale = 1;
    request.render.width = 800;
    request.print_value = false;
    request.frames = 6;
    ASSERT_TRUE(read_vary("display.order.share=0:1", request));
    ASSERT_TRUE(run_sweep(scene, request, (folder.path / "frames").string()));
    std::set<std::string> pictures;
    for (int frame = 1; frame <= 6; ++frame)
        pictures.insert(*read_file(folder.path / "frames" / ("frame-000" + std::to_string(frame) + ".png"), 1 << 24));
    EXPECT_EQ(inversions(shown_order(scene.model, *scene.display.order).permutation), 5);
    EXPECT_EQ(pictures.size(), 6U) << "five swaps of neighbours: each frame is another order";
}

TEST(OrderTakeAway, TheOrderIsSavedAndSetByItsName) {
    Scene scene = moved_scene();
    const Result<Scene> again = load_scene(save_scene(scene), "scene");
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(*again->display.order, *scene.display.order);
    ASSERT_TRUE(set_field(scene, "display.order.permutation", "1 0"));
    EXPECT_EQ(shown_order(scene.model, *scene.display.order).permutation.order(), (std::vector<int>{1, 0, 2, 3, 4, 5}));
    const Status refused = set_field(scene, "display.order.permutation", "1 1");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().find("token 1 stands in the order twice"), std::string::npos) << refused.error();
}

}  // namespace
}  // namespace heed::app
