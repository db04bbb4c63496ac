// A scene file that holds a picture: what comes back, and what is refused in one sentence.
#include "core/edit/picture.h"
#include "core/files/scene_file.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/picture/picture.h"
#include "tests/files/mutate.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

Scene own_scene() {
    std::vector<Rgb> pixels;
    for (int i = 0; i < 12 * 8; ++i)
        pixels.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(2 * i), 9});
    Picture picture = own_picture(12, 8, pixels);
    picture.columns = 3;
    picture.rows = 2;
    Scene scene;
    scene.model = picture_model(std::move(picture));
    return scene;
}

TEST(PictureInAScene, SurvivesTheFileAndLeavesOutWhatItDraws) {
    const Scene scene = own_scene();
    const std::string text = save_scene(scene);
    EXPECT_EQ(text.find("\"x\""), std::string::npos) << "embeddings are drawn from the pixels";
    EXPECT_EQ(text.find("\"w_q\""), std::string::npos);
    const Result<Scene> back = load_scene(text, "file");
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(*back, scene);
}

TEST(PictureInAScene, WrongLengthsAndCharactersAreOneSentence) {
    const auto refused = [](const std::string& picture) {
        const Result<Scene> scene = load_scene(R"({"heed": 1, "model": {"picture": )" + picture + "}}", "file");
        return scene ? std::string("taken") : scene.error();
    };
    EXPECT_EQ(refused(R"({"kind": "own", "width": 2, "height": 1, "pixels": "AAAA"})"),
              "file: model.picture.pixels: 4 characters are not the four each of 2 × 1 pixels");
    EXPECT_EQ(refused(R"({"kind": "own", "width": 1, "height": 1, "pixels": "AA=A"})"),
              "file: model.picture.pixels: character 3 is not one of base64");
    EXPECT_EQ(refused(R"({"kind": "own"})"), "file: model.picture.width: a picture of 0 × 0 has no pixels");
    EXPECT_EQ(refused(R"({"kind": "own", "width": 193, "height": 1, "pixels": ""})"),
              "file: model.picture.width: 193 is not between 0 and 192");
    EXPECT_EQ(refused(R"({"kind": "example", "columns": 25})"),
              "file: model.picture.columns: 25 is not between 1 and 24");
    EXPECT_EQ(refused(R"({"kind": "example", "rows": 0})"), "file: model.picture.rows: 0 is not between 1 and 24");
    EXPECT_NE(refused(R"({"kind": "own", "width": 1, "height": 1, "pixels": ")" + std::string(200000, 'A') + "\"}")
                  .find("200000 characters are more than the 147456"),
              std::string::npos);
}

TEST(PictureInAScene, DamagedFilesAreReadOrRefusedAndNothingElse) {
    test::Mutator mutator(7);
    const std::string text = save_scene(own_scene());
    const std::string other = save_scene(default_scene());
    for (int i = 0; i < 300; ++i) {
        const Result<Scene> scene = load_scene(mutator.damage(text, other), "file");
        if (scene) {
            EXPECT_TRUE(check_model(scene->model).empty());
        } else {
            EXPECT_FALSE(scene.error().empty());
        }
    }
}

TEST(PictureInAScene, FieldsSetFromTheCommandLineTakeTheTokensAlong) {
    Scene scene = default_scene();
    ASSERT_TRUE(set_field(scene, "model.picture.kind", "example"));
    EXPECT_EQ(scene.model.n_queries, 48);
    EXPECT_EQ(query_label(scene.model, 47), "r6c8");
    ASSERT_TRUE(set_field(scene, "model.picture.columns", "4"));
    EXPECT_EQ(scene.model.n_queries, 24);
    EXPECT_EQ(scene.model.mask->grid_columns, 4);
    Model expected = scene.model;
    set_place_share(expected, 0.8F);
    ASSERT_TRUE(set_field(scene, "model.picture.place_share", "0.8"));
    EXPECT_EQ(scene.model, expected) << "as the slider does it";
    const Status refused = set_field(scene, "model.picture.kind", "own");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), "model.picture.width: a picture of 0 × 0 has no pixels");
}

}  // namespace
}  // namespace heed
