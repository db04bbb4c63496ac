// Every control of Picture by name, what a click on a patch does, and pictures from files, sound and hostile.
#include "app/commands/scene_argument.h"
#include "app/picture_file.h"
#include "core/display/picture_display.h"
#include "core/edit/picture.h"
#include "core/files/atomic_write.h"
#include "core/files/scene_file.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/picture/picture.h"
#include "tests/app/window_under_test.h"
#include "tests/files/mutate.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

Scene patches() { return *scene_argument("patches", {}); }

const PictureDisplay& display_of(WindowUnderTest& window) { return *window.document.scene().display.picture; }

std::string png_of(int width, int height) {
    std::vector<std::uint8_t> rgba;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (const int value : {x * 5, y * 3, 128, 255}) rgba.push_back(static_cast<std::uint8_t>(value));
    return encode_png(width, height, rgba, 0, true);
}

TEST(PictureView, AClickOnAPatchPinsItsQueryAndAClickOnAHeadShowsIt) {
    WindowUnderTest window(patches());
    window.show("picture");
    ASSERT_TRUE(window.ui.click_cell("picture/patches", 2, 3));
    window.ui.frames(3);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{19, 19}));
    ASSERT_TRUE(window.ui.click_cell("picture/head 2", 5, 7));
    window.ui.frames(3);
    EXPECT_EQ(window.document.scene().display.head, 2);
    EXPECT_EQ(window.document.scene().display.pin.query, 47);
    ASSERT_TRUE(window.ui.click_cell("picture/overlay", 0, 1));
    window.ui.frames(3);
    EXPECT_EQ(window.document.scene().display.pin.query, 1);
    ASSERT_TRUE(window.ui.hover_cell("picture/overlay", 0, 5));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{1, 5}));
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(PictureView, GridAndBalanceAreChangedByTheirSlidersAndTakenBack) {
    WindowUnderTest window(patches());
    window.show("picture");
    ASSERT_TRUE(window.ui.type_into("patches across number", "4"));
    window.ui.frames(3);
    EXPECT_EQ(window.model().picture->columns, 4);
    EXPECT_EQ(window.model().n_queries, 24);
    ASSERT_TRUE(window.ui.type_into("patches down number", "2"));
    window.ui.frames(3);
    EXPECT_EQ(window.model().n_queries, 8);
    ASSERT_TRUE(window.ui.type_into("place share number", "0.9"));
    window.ui.frames(3);
    EXPECT_FLOAT_EQ(window.model().picture->place_share, 0.9F);
    window.undo();
    window.undo();
    window.undo();
    EXPECT_EQ(window.model(), patches().model);
}

TEST(PictureView, OverlayScaleAndGridAreChosenByName) {
    WindowUnderTest window(patches());
    window.show("picture");
    ASSERT_TRUE(window.ui.click("Overlay"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Overlay/Colour map"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).overlay, PictureOverlay::map);
    ASSERT_TRUE(window.ui.click("One scale"));
    window.ui.frames(2);
    EXPECT_TRUE(display_of(window).common_scale);
    ASSERT_TRUE(window.ui.click("Grid"));
    window.ui.frames(2);
    EXPECT_FALSE(display_of(window).grid);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(PictureView, PicturesComeGoAndAreShuffledByTheirButtons) {
    WindowUnderTest window;
    window.show("picture");
    ASSERT_TRUE(window.ui.click("picture/example"));
    window.ui.frames(3);
    EXPECT_EQ(window.model().picture->kind, PictureKind::example);
    EXPECT_EQ(window.model().n_queries, 48);
    ASSERT_TRUE(window.ui.click("Shuffle patches"));
    window.ui.frames(3);
    EXPECT_EQ(window.model().picture->kind, PictureKind::own);
    ASSERT_TRUE(window.ui.click("Example"));
    window.ui.frames(3);
    EXPECT_EQ(window.model().picture->kind, PictureKind::example);
    ASSERT_TRUE(window.ui.click("Remove picture"));
    window.ui.frames(3);
    EXPECT_FALSE(has_picture(*window.model().picture));
    for (int i = 0; i < 4; ++i) window.undo();
    EXPECT_EQ(window.model(), default_scene().model);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(PictureView, InACausalSceneTheExampleIsSeenWholeAndSaysSoInOneStep) {
    for (const char* button : {"Example", "picture/example"}) {
        Scene scene = default_scene();
        scene.model.mask->causal = true;
        WindowUnderTest window(scene);
        window.show("picture");
        ASSERT_TRUE(window.ui.click(button));
        window.ui.frames(3);
        window.document.settle();
        EXPECT_FALSE(window.model().mask->causal);
        EXPECT_EQ(window.document.trace().hidden_cells, 0);
        EXPECT_NE(window.session.message.find("mask"), std::string::npos);
        window.undo();
        EXPECT_EQ(window.model(), scene.model) << "one step";
        EXPECT_EQ(window.session.message, "") << "and what was said is no longer so";
    }
}

TEST(PictureView, APictureIsAskedForByItsButton) {
    WindowUnderTest window(patches());
    window.show("picture");
    ASSERT_TRUE(window.ui.click("Open picture…"));
    window.ui.frames(4);
    EXPECT_TRUE(window.ui.exists("Cancel")) << "a dialog asks for the file";
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(PictureView, TheHeadIsChosenByItsNumber) {
    WindowUnderTest window(patches());
    window.show("picture");
    ASSERT_TRUE(window.ui.click("Shown head"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Shown head/2"));
    window.ui.frames(3);
    EXPECT_EQ(window.document.scene().display.head, 2);
}

TEST(PictureView, TheWindowInTwoDimensionsHasAChipAndARadius) {
    WindowUnderTest window(patches());
    window.show("picture");
    ASSERT_TRUE(window.ui.click("mask/2-D window"));
    window.ui.frames(3);
    EXPECT_TRUE(window.model().mask->grid_window);
    ASSERT_TRUE(window.ui.type_into("grid radius number", "2"));
    window.ui.frames(3);
    EXPECT_EQ(window.model().mask->grid_radius, 2);
    EXPECT_FALSE(window.ui.exists("grid columns number")) << "the picture says how many";
}

TEST(PictureFile, AnyPngBecomesASceneThatSavesAndOpens) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file(folder.path / "sunset.png", png_of(700, 350)));
    Document document(default_scene());
    ASSERT_TRUE(document.open(folder.path / "sunset.png"));
    document.settle();
    EXPECT_EQ(document.scene().title, "sunset");
    EXPECT_EQ(document.path(), std::nullopt) << "or Save would write over the picture";
    const Picture& picture = *document.scene().model.picture;
    EXPECT_EQ(picture.width, 192);
    EXPECT_EQ(picture.height, 96);
    EXPECT_EQ(picture.columns * picture.rows, document.scene().model.n_queries);
    document.save(folder.path / "sunset.json");
    ASSERT_TRUE(document.finish_saving());
    const Result<Scene> back = read_scene(folder.path / "sunset.json");
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->model, document.scene().model);
    const Result<Scene> argument = scene_argument((folder.path / "sunset.png").string(), {{"model.picture.columns=4"}});
    ASSERT_TRUE(argument) << argument.error();
    EXPECT_EQ(argument->model.picture->columns, 4);
}

TEST(PictureFile, OnePixelAndStripesAreTaken) {
    for (const auto& [width, height] : {std::pair{1, 1}, std::pair{3000, 1}, std::pair{1, 3000}, std::pair{193, 191}}) {
        const Result<Pixels> pixels = decode_png(png_of(width, height));
        ASSERT_TRUE(pixels);
        const Picture picture = picture_of(*pixels);
        EXPECT_EQ(wrong_picture(picture), "");
        EXPECT_LE(std::max(picture.width, picture.height), max_picture_side);
        EXPECT_TRUE(check_model(picture_model(picture)).empty());
    }
}

TEST(PictureFile, TransparentIsWhite) {
    const std::vector<std::uint8_t> rgba{200, 0, 0, 0};
    EXPECT_EQ(picture_pixel(picture_of({1, 1, rgba}), 0, 0), (Rgb{255, 255, 255}));
}

TEST(PictureFile, AHeaderThatPromisesMoreThanIsReadIsRefusedBeforeMemoryIsTaken) {
    std::string bytes = png_of(4, 4);
    // IHDR: 60000 × 60000, with the check sum of that.
    const unsigned char header[] = {0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60, 8, 6, 0, 0, 0};
    for (std::size_t i = 0; i < sizeof header; ++i) bytes[16 + i] = static_cast<char>(header[i]);
    std::uint32_t crc = 0xFFFFFFFFU;
    for (std::size_t i = 12; i < 29; ++i) {
        crc ^= static_cast<unsigned char>(bytes[i]);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    crc = ~crc;
    for (std::size_t i = 0; i < 4; ++i) bytes[29 + i] = static_cast<char>((crc >> (24 - 8 * i)) & 0xFFU);
    const Result<Pixels> pixels = decode_png(bytes, max_picture_pixels);
    ASSERT_FALSE(pixels);
    EXPECT_EQ(pixels.error(), "a picture of 60000 × 60000 pixels is larger than what is read");
}

TEST(PictureFile, DamagedFilesAreReadOrRefusedInASentence) {
    test::Mutator mutator(11);
    const std::string bytes = png_of(33, 21);
    const std::string other = png_of(5, 90);
    int read = 0;
    for (int i = 0; i < 600; ++i) {
        const Result<Pixels> pixels = decode_png(mutator.damage(bytes, other), max_picture_pixels);
        if (pixels) {
            ++read;
            EXPECT_EQ(wrong_picture(picture_of(*pixels)), "");
        } else {
            EXPECT_FALSE(pixels.error().empty());
        }
    }
    EXPECT_LT(read, 600);
}

TEST(PictureFile, WhatIsNoPictureIsSaidInTheWindow) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file(folder.path / "words.png", "these are words"));
    WindowUnderTest window;
    window.shell.drop({folder.path / "words.png"});
    window.ui.frames(3);
    EXPECT_NE(window.session.message.find("no PNG picture"), std::string::npos);
    EXPECT_EQ(window.model(), default_scene().model);
}

}  // namespace
}  // namespace heed::app
