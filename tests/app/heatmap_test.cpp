// The heatmap on the GPU against the colours of the core.
#include "app/gl/heatmap.h"
#include "app/gl/heatmap_texels.h"
#include "app/platform/offscreen.h"
#include "core/figure/mark_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed::app {
namespace {

constexpr float margin = 20;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

class HeatmapTest : public testing::Test {
public:
    ~HeatmapTest() override { EXPECT_EQ(host->take_gl_error(), ""); }

protected:
    std::unique_ptr<OffscreenHost> host = [] {
        auto opened = open_offscreen({600, 500});
        if (!opened) throw std::runtime_error(opened.error());
        return std::move(*opened);
    }();

    Pixels draw(const HeatmapMark& mark, Theme theme = Theme::light) {
        host->begin_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({600, 500});
        ImGui::Begin("Map", nullptr, ImGuiWindowFlags_NoDecoration);
        HeatmapRenderer::current().draw(ImGui::GetWindowDrawList(), mark, {{margin, margin}, 1}, theme, true);
        ImGui::End();
        host->end_frame();
        return host->pixels();
    }
};

Color pixel(const Pixels& pixels, float x, float y) {
    const std::uint8_t* p = pixels.at(static_cast<int>(x + margin), static_cast<int>(y + margin));
    return {p[0], p[1], p[2], p[3]};
}

int difference(Color a, Color b) { return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)}); }

// Not square and not symmetric, so that a swap shows.
Matrix ramp(Index rows, Index cols, float low, float high) {
    Matrix values(rows, cols);
    for (Index i = 0; i < values.size(); ++i)
        values.data()[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(values.size() - 1);
    return values;
}

Matrix one_row(std::initializer_list<float> numbers) {
    Matrix values(1, static_cast<Index>(numbers.size()));
    std::copy(numbers.begin(), numbers.end(), values.data());
    return values;
}

// `slack`: a table's step, where the processor's logarithm and the shader's may round to different entries.
void expect_colors(const HeatmapMark& mark, const Pixels& pixels, Theme theme, int slack) {
    for (Index row = 0; row < mark.values.rows; ++row)
        for (Index col = 0; col < mark.values.cols; ++col) {
            const Point center = mark.cell_rect(row, col).center();
            const Color seen = pixel(pixels, center.x, center.y);
            const Color wanted = cell_color(mark, row, col, theme);
            ASSERT_LE(difference(seen, wanted), slack) << "row " << row << ", column " << col;
        }
}

TEST_F(HeatmapTest, ShowsTheColoursOfTheCoreForEveryMapAndTheme) {
    for (const Theme theme : {Theme::light, Theme::dark})
        for (const ColorMap& map : color_maps()) {
            HeatmapMark mark;
            mark.area = {0, 0, 310, 217};
            mark.values = view_of(ramp(13, 23, -2.5F, 2.5F));
            mark.scale = {map.id, -2, 2, false};
            SCOPED_TRACE(map.id);
            expect_colors(mark, draw(mark, theme), theme, 1);
        }
}

TEST_F(HeatmapTest, ScalesCapsAndTurnsAsTheCoreDoes) {
    HeatmapMark mark;
    mark.area = {0, 0, 300, 200};
    mark.values = view_of(ramp(7, 11, -9, 9));
    mark.scale = {"blue-orange", -3, 3, false};
    mark.factor = 0.25F;
    expect_colors(mark, draw(mark), Theme::light, 1);
    mark.transposed = true;
    expect_colors(mark, draw(mark), Theme::light, 1);
    mark.soft_cap = 2;
    expect_colors(mark, draw(mark), Theme::light, 5);
}

TEST_F(HeatmapTest, AgreesOnALogScale) {
    HeatmapMark mark;
    mark.area = {0, 0, 300, 200};
    mark.values = view_of(ramp(7, 11, -0.1F, 1.2F));
    mark.scale = {"viridis", 1e-3F, 1, true};
    expect_colors(mark, draw(mark), Theme::light, 5);
}

TEST_F(HeatmapTest, AScaleWithoutExtentIsNoTrouble) {
    HeatmapMark mark;
    mark.area = {0, 0, 300, 200};
    mark.values = view_of(one_row({-1, 0, 1}));
    mark.scale = {"viridis", 0, 0, false};
    expect_colors(mark, draw(mark), Theme::light, 1);
    mark.scale = {"viridis", 0, 1, true};
    expect_colors(mark, draw(mark), Theme::light, 1);
}

TEST_F(HeatmapTest, HidesMarksAndClampsWhatIsNoNumber) {
    Matrix values = ramp(2, 3, 0, 1);
    values(0, 1) = nan;
    values(0, 2) = inf;
    values(1, 0) = -inf;
    const auto mask = std::make_shared<MaskMatrix>(2, 3);
    mask->setOnes();
    (*mask)(1, 1) = 0;
    HeatmapMark mark;
    mark.area = {0, 0, 300, 200};
    mark.values = view_of(values);
    mark.visible = {mask->data(), 2, 3, mask, 1};
    mark.hatch_hidden = false;
    const Pixels pixels = draw(mark);
    const Palette& colors = palette(Theme::light);
    EXPECT_EQ(pixel(pixels, 150, 50), colors.warning) << "the middle of the cross over NaN";
    EXPECT_EQ(pixel(pixels, 110, 10), colors.panel) << "beside the cross";
    EXPECT_LE(difference(pixel(pixels, 250, 50), color_at(mark.scale, 1, Theme::light)), 1);
    EXPECT_LE(difference(pixel(pixels, 50, 150), color_at(mark.scale, 0, Theme::light)), 1);
    EXPECT_EQ(pixel(pixels, 150, 150), hidden_ground(colors));

    mark.hatch_hidden = true;
    const Pixels hatched = draw(mark);
    int inked = 0;
    for (int x = 105; x < 195; ++x)
        if (difference(pixel(hatched, static_cast<float>(x), 150), hidden_ground(colors)) > 20) ++inked;
    EXPECT_GE(inked, 15) << "a line every " << hatch_spacing << " pixels";
    EXPECT_LE(inked, 60);
}

TEST_F(HeatmapTest, UsesTheHueOfTheWinner) {
    HeatmapMark mark;
    mark.area = {0, 0, 300, 200};
    mark.values = view_of(ramp(2, 3, 0, 1));
    auto hues = std::make_shared<std::vector<Color>>();
    for (int i = 0; i < 6; ++i) hues->push_back(head_color(palette(Theme::light), i));
    mark.cell_colors = hues;
    expect_colors(mark, draw(mark), Theme::light, 1);
}

TEST_F(HeatmapTest, DrawsDotsByArea) {
    HeatmapMark mark;
    mark.area = {0, 0, 400, 100};
    mark.style = HeatmapStyle::dots;
    mark.values = view_of(one_row({0, 0.25F, 0.5F, 1}));
    const Pixels pixels = draw(mark);
    const Color paper = palette(Theme::light).panel;
    for (Index col = 0; col < 4; ++col) {
        float area = 0;
        for (int y = 0; y < 100; ++y)
            for (int x = 0; x < 100; ++x)
                if (difference(
                        pixel(pixels, static_cast<float>(x) + 100 * static_cast<float>(col), static_cast<float>(y)),
                        paper) > 60)
                    ++area;
        const float radius = cell_dot(mark, 0, col, Theme::light).radius;
        EXPECT_NEAR(area, 3.14159F * radius * radius, 3 * radius + 1);
    }
}

TEST_F(HeatmapTest, AThinDiagonalSurvivesWhenCellsAreSmallerThanPixels) {
    Matrix values(2048, 2048);
    values.setZero();
    values.diagonal().setOnes();
    HeatmapMark mark;
    mark.area = {0, 0, 301, 301};
    mark.values = view_of(values);
    const Pixels pixels = draw(mark);
    const Color ink = color_at(mark.scale, 1, Theme::light);
    for (int y = 0; y < 301; ++y) {
        int dark = 0;
        for (int x = 0; x < 301; ++x)
            dark += difference(pixel(pixels, static_cast<float>(x), static_cast<float>(y)), ink) <= 1 ? 1 : 0;
        ASSERT_GE(dark, 1) << "row of pixels " << y;
        ASSERT_LE(dark, 3);
    }
}

TEST_F(HeatmapTest, IsUploadedOncePerVersion) {
    HeatmapMark mark;
    mark.area = {0, 0, 300, 200};
    mark.values = view_of(ramp(20, 30, 0, 1));
    draw(mark);
    const int before = HeatmapRenderer::current().n_uploads();
    draw(mark);
    mark.lit_row = 3;
    mark.scale.high = 0.5F;
    draw(mark, Theme::dark);
    EXPECT_EQ(HeatmapRenderer::current().n_uploads(), before);
    ++mark.values.version;
    draw(mark);
    EXPECT_EQ(HeatmapRenderer::current().n_uploads(), before + 1);
}

TEST_F(HeatmapTest, ForgetsWhatIsNoLongerDrawn) {
    HeatmapMark mark;
    mark.area = {0, 0, 300, 200};
    for (int i = 0; i < 100; ++i) {
        mark.values = view_of(ramp(20 + i % 7, 30, 0, 1));
        draw(mark);
    }
    EXPECT_LE(HeatmapRenderer::current().n_textures(), 70);
}

TEST(HeatmapTexels, ABlockIsHiddenOnlyWhereAllOfItIs) {
    const auto mask = std::make_shared<MaskMatrix>(4, 4);
    mask->setZero();
    (*mask)(0, 1) = 1;
    HeatmapMark mark;
    mark.values = view_of(ramp(4, 4, 0, 15));
    mark.visible = {mask->data(), 4, 4, mask, 1};
    std::vector<float> texels;
    EXPECT_TRUE(fill_texels(mark, {2, 2}, texels));
    EXPECT_EQ(texels, (std::vector<float>{1, hidden_texel, hidden_texel, hidden_texel}));
}

TEST(HeatmapTexels, OnADivergingScaleTheFarthestFromTheMiddleStands) {
    HeatmapMark mark;
    mark.values = view_of(one_row({1, -3, 2, nan}));
    mark.scale = {"blue-orange", -4, 4, false};
    std::vector<float> texels;
    EXPECT_TRUE(fill_texels(mark, {1, 2}, texels));
    EXPECT_EQ(texels, (std::vector<float>{-3, nan_texel}));
}

}  // namespace
}  // namespace heed::app
