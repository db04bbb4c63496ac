// The export dialog, used as a user would.
#include "app/commands/scene_argument.h"
#include "app/jobs/refinement.h"
#include "app/png.h"
#include "app/take_away/render.h"
#include "core/attention/pipeline.h"
#include "core/files/read_file.h"
#include "core/model/picture.h"
#include "tests/app/window_under_test.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace heed::app {
namespace {

class ExportDialogTest : public testing::Test {
protected:
    ExportDialogTest() {
        ::setenv("HOME", folder.c_str(), 1);  // where the file dialog starts
        window.ui.key(ImGuiMod_Ctrl | ImGuiKey_E);
        window.ui.frames(4);
    }

    TemporaryFolder own;
    std::filesystem::path folder = own.path;
    WindowUnderTest window{*scene_argument("four-heads", {}), {.width = 1440, .height = 900}};
};

TEST_F(ExportDialogTest, OpensByKeyAndDrawsAPreviewInBothLanguages) {
    EXPECT_TRUE(window.ui.exists("Save picture…"));
    for (const Language language : {Language::english, Language::chinese}) {
        window.session.settings.language = language;
        for (const char* page : {"Export page/Sweep", "Export page/Matrix", "Export page/Code", "Export page/Figure"}) {
            ASSERT_TRUE(window.ui.click(page));
            window.ui.frames(3);
            EXPECT_EQ(window.ui.complaints(), "") << page;
        }
    }
    EXPECT_EQ(missing_translations(), std::vector<std::string>{});
}

TEST_F(ExportDialogTest, ChoicesReachTheSettings) {
    ASSERT_TRUE(window.ui.click("Format/PDF"));
    window.ui.frames(2);
    EXPECT_EQ(window.session.settings.exporting.format, PrintOptions::Format::pdf);
    ASSERT_TRUE(window.ui.click("Background/Transparent"));
    window.ui.frames(2);
    EXPECT_EQ(window.session.settings.exporting.background, PrintOptions::Background::transparent);
    ASSERT_TRUE(window.ui.type_into("export width number", "800"));
    window.ui.frames(2);
    EXPECT_EQ(window.session.settings.exporting.width, 800);
    ASSERT_TRUE(window.ui.click("Settings below"));
    window.ui.frames(2);
    EXPECT_TRUE(window.session.settings.exporting.options.caption);
}

TEST_F(ExportDialogTest, SavesThePictureWithTheAskedSize) {
    window.session.settings.exporting.width = 640;
    window.session.settings.exporting.height = 400;
    window.session.settings.exporting.scale = 0.8F;
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Save picture…"));
    window.ui.frames(4);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(4);
    window.settle();
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    ASSERT_EQ(files.size(), 1U) << window.session.message;
    const Result<Pixels> picture = decode_png(*read_file(files[0], 1 << 24));
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->width, 640);
    EXPECT_EQ(picture->height, 400);
}

TEST_F(ExportDialogTest, EscapeClosesIt) {
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(2);
    EXPECT_FALSE(window.ui.exists("Save picture…"));
}

TEST_F(ExportDialogTest, ItsButtonsAreInSightInASmallWindow) {
    window.ui.offscreen().resize(1024, 700);
    window.ui.frames(6);
    for (const char* page : {"Export page/Sweep", "Export page/Matrix", "Export page/Code", "Export page/Figure"}) {
        ASSERT_TRUE(window.ui.click(page));
        window.ui.frames(3);
        int in_sight = 0;
        for (const Driver::Item& item : window.ui.items())
            if (item.name.starts_with("Save ") && item.name.ends_with("…") && item.box.GetHeight() > 20 &&
                item.box.Max.y <= 700)
                ++in_sight;
        EXPECT_EQ(in_sight, 1) << page;
    }
}

TEST_F(ExportDialogTest, APictureIsNeverSavedHalfComputed) {
    // As in a window, where a large gradient comes later than the first frame that shows it.
    const auto results = std::make_shared<Results>();
    const Refinement beside(*results, [] {});
    Scene scene = default_scene();
    scene.model.n_queries = 160;
    scene.model.n_heads = scene.model.n_kv_heads = 4;
    fit_matrices(scene.model);
    RenderRequest request;
    request.view = "gradients";
    request.width = 900;
    request.height = 600;
    request.results = results;
    const AttentionTrace trace = run_attention(scene.model);
    const auto texts = [](const Rendering& rendering) {
        std::string all;
        for (const Mark& mark : rendering.figure.marks)
            if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + "\n";
        return all;
    };
    const Result<Rendering> rendering = make_rendering(scene, trace, request, PrintOptions::Format::png);
    ASSERT_TRUE(rendering);
    EXPECT_EQ(texts(*rendering).find("Carrying"), std::string::npos) << texts(*rendering);
    EXPECT_NE(texts(*rendering).find("∂L"), std::string::npos);
}

}  // namespace
}  // namespace heed::app
