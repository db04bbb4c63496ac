#include "core/files/scene_file.h"

#include "core/edit/sizes.h"

#include "core/files/atomic_write.h"
#include "tests/files/mutate.h"
#include "tests/files/random_scene.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

namespace heed {
namespace {

std::string error_of(std::string_view text) {
    const Result<Scene> scene = load_scene(text, "s.json");
    if (scene) return "no error";
    EXPECT_TRUE(error_in_chinese(scene.error())) << scene.error();
    return scene.error();
}

// A scene file with this inside its model.
std::string with_model(const std::string& inside) { return "{\"heed\": 1, \"model\": {" + inside + "}}"; }

TEST(SceneFile, RandomScenesReadBackEqualInEveryField) {
    test::SceneMaker maker(1);
    for (int i = 0; i < 500; ++i) {
        const Scene scene = maker.scene();
        ASSERT_TRUE(check_model(scene.model).empty()) << check_model(scene.model).front();
        const std::string text = save_scene(scene);
        const Result<Scene> loaded = load_scene(text, "s.json");
        ASSERT_TRUE(loaded) << loaded.error() << "\n" << text;
        ASSERT_EQ(*loaded, scene) << text;
        ASSERT_EQ(save_scene(*loaded), text);
    }
}

TEST(SceneFile, WhatTheSeedDrawsIsNotSaved) {
    Scene scene = default_scene();
    EXPECT_EQ(save_scene(scene).find("\"q\""), std::string::npos);
    EXPECT_LT(save_scene(scene).size(), 4200U);
    scene.model.q[1] = scene.model.q[1].with([](Matrix& q) { q(0, 0) = 7; });
    const std::string text = save_scene(scene);
    EXPECT_NE(text.find("null"), std::string::npos) << text;  // the head that was not edited
    EXPECT_NE(text.find("\"numbers\": [[7.0]]"), std::string::npos) << text;
    EXPECT_EQ(text.find("\"k\""), std::string::npos);
}

TEST(SceneFile, DoesNotGrowWhenASizeHasMovedAndComeBack) {
    Scene scene = default_scene();
    const Scene before = scene;
    const std::size_t length = save_scene(scene).size();
    for (const Size size : {Size::d_k, Size::d_model, Size::d_v}) {
        const int start = size_of(scene.model, size);
        for (const int value : {start + 3, 64, 37, start}) set_size(scene.model, size, value);
    }
    EXPECT_LT(save_scene(scene).size(), length + 1500);
    // The parts in use are what they were, and a file of them reads back with every number.
    set_size(scene.model, Size::d_k, 256);
    const std::string text = save_scene(scene);
    EXPECT_LT(text.size(), length + 1500);
    const Result<Scene> loaded = load_scene(text, "s.json");
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_EQ(*loaded, scene);
}

TEST(SceneFile, AnEditedCellCostsItsCornerAndNotTheWholeMatrix) {
    Scene scene = default_scene();
    scene.model.q[1] = scene.model.q[1].with([](Matrix& q) { q(0, 1) = std::numeric_limits<float>::quiet_NaN(); });
    scene.model.painted_mask[0] = scene.model.painted_mask[0].with([](MaskMatrix& mask) { mask(1, 0) = 0; });
    const std::size_t small = save_scene(scene).size();
    set_size(scene.model, Size::d_k, 1024);
    const std::string text = save_scene(scene);
    EXPECT_LT(text.size(), small + 1000);
    const Result<Scene> loaded = load_scene(text, "s.json");
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_EQ(save_scene(*loaded), text);
    EXPECT_TRUE(std::isnan((*loaded->model.q[1])(0, 1)));
    EXPECT_EQ((*loaded->model.q[1])(5, 1023), (*scene.model.q[1])(5, 1023));
    EXPECT_EQ((*loaded->model.painted_mask[0])(1, 0), 0);
    EXPECT_EQ((*loaded->model.painted_mask[0])(5, 5), 1);
}

TEST(SceneFile, WhatIsLeftOutHasItsDefault) {
    const Result<Scene> scene = load_scene("{\"heed\": 1}", "s.json");
    ASSERT_TRUE(scene) << scene.error();
    Scene expected;
    fit_matrices(expected.model);
    EXPECT_EQ(*scene, expected);
}

TEST(SceneFile, SizesFollowTokensAndHeadsWhereTheyAreLeftOut) {
    const Result<Scene> scene = load_scene(
        with_model(
            R"("query_tokens": ["猫", "喜欢", "鱼"], "key_tokens": ["a", "b"], "self_attention": false, "n_heads": 2)"),
        "s.json");
    ASSERT_TRUE(scene) << scene.error();
    EXPECT_EQ(scene->model.n_queries, 3);
    EXPECT_EQ(scene->model.n_keys, 2);
    EXPECT_EQ(scene->model.n_kv_heads, 2);
}

TEST(SceneFile, UnknownFieldsAreNamedWithTheNearest) {
    EXPECT_EQ(error_of(with_model("\"temprature\": 1")),
              "s.json: model.temprature: there is no such field (did you mean temperature?)");
    EXPECT_EQ(error_of(R"({"heed": 1, "colour": 3})"), "s.json: colour: there is no such field");
    EXPECT_EQ(error_of(with_model(R"("mask": {"casual": true})")),
              "s.json: model.mask.casual: there is no such field (did you mean causal?)");
}

TEST(SceneFile, ImpossibleValuesAreNamedWithTheirPath) {
    EXPECT_EQ(error_of(with_model("\"temperature\": -1")), "s.json: model.temperature: -1 is not 0 or more");
    EXPECT_EQ(error_of(with_model("\"temperature\": \"hot\"")), "s.json: model.temperature: \"hot\" is not a number");
    EXPECT_EQ(error_of(with_model("\"d_k\": 2.5")), "s.json: model.d_k: 2.5 is not a whole number");
    EXPECT_EQ(error_of(with_model("\"d_k\": 0")), "s.json: model.d_k: 0 is not between 1 and 16384");
    EXPECT_EQ(error_of(with_model("\"d_k\": 99999999999")), "s.json: model.d_k: 99999999999 is out of all bounds");
    EXPECT_EQ(error_of(with_model("\"d_k\": -99999999999")), "s.json: model.d_k: -99999999999 is out of all bounds");
    EXPECT_EQ(error_of(with_model("\"seed\": -1")),
              "s.json: model.seed: -1 is not a whole number from 0 to 18446744073709551615");
    EXPECT_EQ(error_of(with_model("\"source\": \"thin air\"")),
              "s.json: model.source: \"thin air\" is none of direct, projected");
    EXPECT_EQ(error_of(with_model("\"mask\": {\"causal\": 1}")), "s.json: model.mask.causal: 1 is not true or false");
    EXPECT_EQ(error_of(with_model("\"mask\": 3")), "s.json: model.mask: 3 is not a group of fields in braces");
    EXPECT_EQ(error_of(with_model("\"query_tokens\": [\"a\", 2]")), "s.json: model.query_tokens[1]: 2 is not text");
    EXPECT_EQ(error_of(with_model("\"query_tokens\": \"a b\"")), "s.json: model.query_tokens: \"a b\" is not a list");
    EXPECT_EQ(error_of(with_model("\"heads\": [{}, {\"gain\": true}]")),
              "s.json: model.heads[1].gain: true is not a number");
    EXPECT_EQ(error_of(with_model("\"soft_cap\": \"off\"")), "s.json: model.soft_cap: \"off\" is not a number or null");
    EXPECT_TRUE(error_of(with_model("\"score\": \"line\\nbreak\""))
                    .starts_with("s.json: model.score: \"line\xEF\xBF\xBD"
                                 "break\" is none of"))
        << error_of(with_model("\"score\": \"line\\nbreak\""));
    EXPECT_EQ(error_of(R"({"heed": 1, "display": {"head": -1}})"), "s.json: display.head: -1 is not between 0 and 255");
    EXPECT_TRUE(error_of(R"({"heed": 1, "display": {"sequential_map": "x"}})")
                    .starts_with("s.json: display.sequential_map: \"x\" is none of"));
}

TEST(SceneFile, MatricesThatDoNotFitAreNamed) {
    const std::string small = "\"n_queries\": 2, \"d_k\": 2, \"n_heads\": 1, ";
    EXPECT_EQ(error_of(with_model(small + "\"q\": [[[1, 2], [3]]]")),
              "s.json: model.q[0][1]: the row has 1 numbers, but the first has 2");
    EXPECT_EQ(error_of(with_model(small + "\"q\": [[[1, 2]]]")),
              "s.json: model.q[0]: 1 × 2 is smaller than the 2 × 2 that the sizes ask for");
    EXPECT_EQ(error_of(with_model(small + "\"q\": [[[1, 2], [3, \"x\"]]]")),
              "s.json: model.q[0][1][1]: \"x\" is not a number, \"nan\", \"inf\" or \"-inf\"");
    EXPECT_EQ(error_of(with_model(small + "\"x\": 3")), "s.json: model.x: 3 is not a matrix (a list of rows, or null)");
    EXPECT_EQ(error_of(with_model(small + "\"x\": []")),
              "s.json: model.x: a list is not a matrix (a list of rows, or null)");
    EXPECT_EQ(error_of(with_model(small + "\"x\": [[]]")), "s.json: model.x[0]: a list is not a row of numbers");
    EXPECT_EQ(error_of(with_model(small + "\"painted_mask\": [[[1, 2], [1, 1]]]")),
              "s.json: model.painted_mask[0][0][1]: 2 is not 1 (visible) or 0 (hidden)");
    EXPECT_EQ(error_of(with_model(small + "\"q\": [{\"rows\": 2}]")),
              "s.json: model.q[0]: a matrix from the seed has rows and cols");
    EXPECT_EQ(error_of(with_model(small + "\"q\": [{\"rows\": 2, \"cols\": 2, \"numbers\": [[1, 2, 3]]}]")),
              "s.json: model.q[0].numbers: 1 × 3 is larger than the 2 × 2 of the matrix");
    EXPECT_EQ(error_of(with_model(small + "\"painted_mask\": [{\"rows\": 2, \"cols\": 2, \"numbers\": [[5]]}]")),
              "s.json: model.painted_mask[0].numbers[0][0]: 5 is not 1 (visible) or 0 (hidden)");
    EXPECT_EQ(error_of(with_model(small + "\"q\": [{\"rows\": 65536, \"cols\": 65536}]")),
              "s.json: model.q[0]: matrices from the seed would hold 4294967296 numbers, more than the 268435456 Heed "
              "can hold");
    EXPECT_EQ(error_of(with_model(small + "\"q\": [{\"rows\": 70000, \"cols\": 1}]")),
              "s.json: model.q[0].rows: 70000 is not between 1 and 65536");
}

TEST(SceneFile, SizesThatNeedTooMuchMemoryAreRefusedBeforeAllocating) {
    EXPECT_NE(error_of(with_model("\"n_queries\": 65536")).find("weights are more than the"), std::string::npos);
    EXPECT_NE(error_of(with_model("\"d_model\": 16384, \"d_k\": 16384, \"d_v\": 16384, \"n_heads\": 256"))
                  .find("more than the 268435456 Heed can hold"),
              std::string::npos);
    // Not even from the product of two ints that does not fit one.
    EXPECT_NE(
        error_of(with_model("\"d_v\": 2000000000, \"n_heads\": 2000000000, \"w_o\": [{\"rows\": 2, \"cols\": 2}]")),
        "no error");
}

TEST(SceneFile, VersionIsAskedFor) {
    EXPECT_EQ(error_of("{}"), "s.json: this is not a scene (there is no \"heed\": 1 in it)");
    EXPECT_EQ(error_of("[1]"), "s.json: this is not a scene (there is no \"heed\": 1 in it)");
    EXPECT_EQ(error_of("{\"heed\": 2}"),
              "s.json: the scene is of version 2, made by a newer program; this one reads version 1");
    EXPECT_EQ(error_of("{\"heed\": \"one\"}"), "s.json: heed: \"one\" is not a version of scene files");
}

TEST(SceneFile, BrokenSyntaxIsNamedWithItsPlace) {
    EXPECT_EQ(error_of(""), "s.json: the file is empty");
    EXPECT_EQ(error_of("{\n  \"heed\": 1,\n  \"title\" 3}"),
              "s.json: line 3, column 11: this is not JSON (unexpected number literal; expected ':')");
    EXPECT_EQ(error_of("{\"heed\": 1, \"heed\": 1}"), "s.json: \"heed\" is given twice");
    EXPECT_EQ(error_of(std::string(100000, '[')), "s.json: the brackets are nested deeper than in any scene");
    EXPECT_NE(error_of("{\"heed\": 1, \"title\": \"\xFF\"}").find("line 1, column 23"), std::string::npos);
    EXPECT_TRUE(load_scene("\xEF\xBB\xBF{\"heed\": 1}", "s.json"));
}

TEST(SceneFile, FileOnDiskReadsBack) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("heed-scene-" + std::to_string(::getpid()) + ".json");
    const Scene scene = test::SceneMaker(5).scene();
    ASSERT_TRUE(write_file(path, save_scene(scene)));
    const Result<Scene> loaded = read_scene(path);
    std::filesystem::remove(path);
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_EQ(*loaded, scene);
    EXPECT_EQ(read_scene(path).error(), path.string() + ": there is no such file");
}

TEST(SceneFile, WhatIsSavedCanBeOpenedAndTheRestIsRefusedBeforeTheOldFileIsTouched) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path / "scene.json";
    const Scene scene = test::SceneMaker(6).scene();
    const std::uintmax_t length = save_scene(scene).size();
    ASSERT_TRUE(write_scene(path, scene, length));
    EXPECT_TRUE(read_scene(path, length));
    for (const std::uintmax_t shorter : {length - 1, length / 4, std::uintmax_t{0}}) {
        const Status status = write_scene(path, scene, shorter);
        ASSERT_FALSE(status);
        EXPECT_TRUE(test::is_one_sentence(status.error(), path.string())) << status.error();
        const Result<Scene> old = read_scene(path);
        ASSERT_TRUE(old) << old.error();
        EXPECT_EQ(*old, scene);
    }
}

TEST(SceneFile, AMatrixOfALayerIsNamedAsThatLayers) {
    const std::string said = error_of(with_model(
        R"("source": "projected", "output_projection": true, "depth": {"layers": 2}, "layers": [{"layer": 1, "w_q": [[[1]]]}])"));
    EXPECT_NE(said.find("model.layers, layer 1: w_q[0]: 1 × 1 is smaller"), std::string::npos) << said;
}

}  // namespace
}  // namespace heed
