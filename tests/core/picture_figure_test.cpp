// The Picture view as a value: grid and overlay agree, words are true, and tokens that are patches are pictures on the axes.
#include "core/attention/pipeline.h"
#include "core/display/picture_display.h"
#include "core/edit/picture.h"
#include "core/edit/sizes.h"
#include "core/edit/tokens.h"
#include "core/figure/picture_overlay.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/picture/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

Scene example_scene(int columns = 8, int rows = 6) {
    Scene scene;
    Picture picture;
    picture.kind = PictureKind::example;
    picture.columns = columns;
    picture.rows = rows;
    scene.model = picture_model(std::move(picture));
    scene.display.view = "picture";
    return scene;
}

struct Drawn {
    Scene scene;
    AttentionTrace trace;
    Figure figure;
};

Drawn draw(Scene scene, float width = 1085, float height = 480, const char* kind = "picture", bool on_paper = false,
           Language language = Language::english) {
    Drawn drawn{std::move(scene), {}, {}};
    drawn.trace = run_attention(drawn.scene.model);
    const FigureContext context{.model = drawn.scene.model,
                                .trace = drawn.trace,
                                .display = drawn.scene.display,
                                .language = language,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height,
                                .on_paper = on_paper};
    drawn.figure = find_figure_kind(kind)->make(context);
    return drawn;
}

std::string all_words(const Figure& figure) {
    std::string words;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) words += text->text + " ";
    return words;
}

// Patches that shine through fade in their own colours: a ramp of another hue would be of no map on the page.
TEST(PictureFigure, TheBarFadesInThePicturesOwnColour) {
    const Drawn drawn = draw(example_scene());
    const HeatmapMark* bar = drawn.figure.find_heatmap("overlay bar");
    ASSERT_NE(bar, nullptr);
    const Rgbf mean = mean_color(*drawn.scene.model.picture, 0, 0, 1, 1);
    const Color last = bar->cell_colors->back();
    EXPECT_NEAR(last.r, mean.r, 1);
    EXPECT_NEAR(last.g, mean.g, 1);
    EXPECT_NEAR(last.b, mean.b, 1);
}

TEST(PictureFigure, PicturesKeepASizeToLookAtInALowWindow) {
    for (const auto& [width, height] : {std::pair{380.0F, 300.0F}, std::pair{700.0F, 250.0F}}) {
        const Drawn drawn = draw(example_scene(), width, height);
        const HeatmapMark* overlay = drawn.figure.find_heatmap("overlay");
        ASSERT_NE(overlay, nullptr);
        EXPECT_GE(overlay->area.w, 120) << width;
        EXPECT_LE(overlay->area.bottom(), drawn.figure.height);
    }
}

TEST(PictureFigure, PatchGridAndOverlayAgreeToThePixel) {
    for (const auto& [columns, rows] : {std::pair{8, 6}, std::pair{5, 7}, std::pair{24, 24}, std::pair{1, 1}}) {
        const Drawn drawn = draw(example_scene(columns, rows));
        const HeatmapMark* overlay = drawn.figure.find_heatmap("overlay");
        const Target* cells = drawn.figure.find_target("overlay");
        ASSERT_TRUE(overlay != nullptr && cells != nullptr);
        EXPECT_EQ(overlay->area, cells->area);
        ASSERT_EQ(overlay->values.rows % rows, 0);
        ASSERT_EQ(overlay->values.cols % columns, 0);
        const Index down = overlay->values.rows / rows;
        const Index across = overlay->values.cols / columns;
        // Every cell of the map has the weight of the patch that the mouse would find there.
        for (Index y = 0; y < overlay->values.rows; ++y)
            for (Index x = 0; x < overlay->values.cols; ++x) {
                const Point at = overlay->cell_rect(y, x).center();
                const auto row = static_cast<Index>((at.y - cells->area.y) / cells->area.h * static_cast<float>(rows));
                const auto column =
                    static_cast<Index>((at.x - cells->area.x) / cells->area.w * static_cast<float>(columns));
                ASSERT_EQ(row, y / down);
                ASSERT_EQ(column, x / across);
                ASSERT_EQ(overlay->values.at(y, x), drawn.trace.weights[0](0, row * columns + column));
            }
        const HeatmapMark* picture = drawn.figure.find_heatmap("patches");
        ASSERT_TRUE(picture != nullptr);
        EXPECT_EQ(picture->area.w, overlay->area.w);
        EXPECT_EQ(picture->area.h, overlay->area.h);
        EXPECT_EQ(picture->area.y, overlay->area.y);
    }
}

TEST(PictureFigure, EverythingStaysInsideAndApartInEveryRoom) {
    for (const auto& [width, height] :
         {std::pair{700.0F, 310.0F}, std::pair{1085.0F, 480.0F}, std::pair{1560.0F, 760.0F}, std::pair{400.0F, 500.0F}})
        for (const int heads : {1, 4, 12, 64}) {
            Scene scene = example_scene();
            set_heads(scene.model, heads, heads);
            const Drawn drawn = draw(scene, width, height);
            std::vector<Rect> maps;
            for (const Mark& mark : drawn.figure.marks)
                if (const auto* map = std::get_if<HeatmapMark>(&mark)) {
                    EXPECT_GE(map->area.x, 0);
                    EXPECT_LE(map->area.right(), width + 1) << heads;
                    EXPECT_LE(map->area.bottom(), drawn.figure.height + 1) << width << " " << heads;
                    for (const Rect& other : maps)
                        EXPECT_TRUE(map->area.right() <= other.x + 1 || other.right() <= map->area.x + 1 ||
                                    map->area.bottom() <= other.y + 1 || other.bottom() <= map->area.y + 1);
                    maps.push_back(map->area);
                }
            for (int head = 0; heads > 1 && head < heads; ++head)
                EXPECT_NE(drawn.figure.find_target({"head", head}), nullptr) << head;
        }
}

TEST(PictureFigure, SaysSoWithoutAPictureAndOffersTheExample) {
    Drawn drawn = draw(default_scene());
    EXPECT_NE(drawn.figure.find_target("example"), nullptr);
    EXPECT_NE(all_words(drawn.figure).find("This scene has no picture"), std::string::npos);
    drawn = draw(default_scene(), 800, 400, "picture", true);
    EXPECT_EQ(drawn.figure.find_target("example"), nullptr) << "paper cannot be pressed";
}

TEST(PictureFigure, WordsFollowWhatTheTokensAre) {
    Scene scene = example_scene();
    EXPECT_NE(all_words(draw(scene).figure).find("what the patch in row 1, column 1 looks at"), std::string::npos);
    EXPECT_NE(all_words(draw(scene, 1085, 480, "picture", false, Language::chinese).figure).find("第 1 行第 1 列"),
              std::string::npos);
    set_query_tokens(scene.model, "[CLS] r1c1 r1c2");
    std::string words = all_words(draw(scene).figure);
    EXPECT_NE(words.find("“[CLS]” is no patch"), std::string::npos);
    EXPECT_NE(words.find("2 of 48 patches are tokens"), std::string::npos);
    EXPECT_NE(words.find("% of its attention is on tokens that are no patches"), std::string::npos);
    set_query_tokens(scene.model, "no patch here");
    words = all_words(draw(scene).figure);
    EXPECT_NE(words.find("None of the keys is a patch"), std::string::npos);
}

TEST(PictureFigure, HiddenPatchesAreHatchedAndNotCounted) {
    Scene scene = example_scene();
    scene.model.mask->grid_window = true;
    scene.display.pin = {9, 9};
    const Drawn drawn = draw(scene);
    const HeatmapMark* overlay = drawn.figure.find_heatmap("overlay");
    ASSERT_TRUE(overlay != nullptr);
    const Index down = overlay->values.rows / 6;
    const Index across = overlay->values.cols / 8;
    int seen = 0;
    for (int row = 0; row < 6; ++row)
        for (int column = 0; column < 8; ++column) seen += overlay->visible.at(row * down, column * across) ? 1 : 0;
    EXPECT_EQ(seen, 9);
}

TEST(PictureFigure, TheColoursOfAFullWeightArePixelsOfThePicture) {
    const OverlayLook look{PictureOverlay::light, "ink", Theme::light};
    EXPECT_EQ(overlay_color(look, hex(0x123456), 1), hex(0x123456));
    EXPECT_NE(overlay_color(look, hex(0x123456), 0), hex(0x123456));
}

TEST(PictureFigure, PatchesArePicturesOnTheAxesOfMapsAndWordsStayWords) {
    Scene scene = example_scene();
    set_query_tokens(scene.model, "[CLS] " + join_tokens(patch_labels(*scene.model.picture)));
    const Drawn drawn = draw(scene, 900, 700, "weights");
    const std::string words = all_words(drawn.figure);
    EXPECT_EQ(words.find("r3c4"), std::string::npos);
    EXPECT_NE(words.find("[CLS]"), std::string::npos);
    int strips = 0;
    for (const Mark& mark : drawn.figure.marks)
        if (const auto* map = std::get_if<HeatmapMark>(&mark))
            if (map->cell_colors != nullptr && map->id.empty()) {
                ++strips;
                EXPECT_EQ(map->cell_colors->front().a, 0) << "the first token is a word";
                EXPECT_EQ(map->cell_colors->back().a, 255);
            }
    EXPECT_EQ(strips, 2);
}

TEST(PictureFigure, RowsThatSeeNothingAndNaNAreToldAsSuch) {
    Scene scene = example_scene();
    scene.model.mask->padding = 48;
    EXPECT_NE(all_words(draw(scene).figure).find("looks at no patch"), std::string::npos);
    scene.model.mask->padding = 0;
    scene.model.x = scene.model.x.with([](Matrix& x) { x(0, 0) = std::nanf(""); });
    const std::string words = all_words(draw(scene).figure);
    EXPECT_EQ(words.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace heed
