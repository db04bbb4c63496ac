#include "core/figure/mark_look.h"
#include "tests/app/print_demo.h"
#include "tests/app/print_support.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace heed::app {
namespace {

using Format = PrintOptions::Format;
using Background = PrintOptions::Background;

// The colours at the middle of every cell, as the scale has them.
void expect_cell_colors(const HeatmapMark& heatmap, const Pixels& pixels, double scale, Theme theme) {
    for (Index row = 0; row < heatmap.values.rows; ++row)
        for (Index col = 0; col < heatmap.values.cols; ++col) {
            const Point middle = heatmap.cell_rect(row, col).center();
            const Color found = pixel_at(pixels, middle.x * scale, middle.y * scale);
            const Color expected = cell_color(heatmap, row, col, theme);
            EXPECT_LE(largest_difference(found, expected), 1) << "cell " << row << ", " << col << " at scale " << scale;
        }
}

TEST(PrintPng, HasTheAskedSizeAndResolutionInItsHeader) {
    const Figure figure = empty_figure(533.3333F, 300);
    PrintOptions options;
    options.pixels_per_unit = 3;
    options.dpi = 300;
    const std::string bytes = printed(figure, options);
    const auto number = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(bytes.at(at + i));
        return value;
    };
    EXPECT_EQ(number(16), 1600U);
    EXPECT_EQ(number(20), 900U);
    const std::size_t resolution = bytes.find("pHYs");
    ASSERT_NE(resolution, std::string::npos);
    EXPECT_EQ(number(resolution + 4), 11811U);
}

TEST(PrintPng, CellColoursAreThoseOfTheTable) {
    for (const Theme theme : {Theme::light, Theme::dark})
        for (const ColorMap& map : color_maps())
            for (const bool transposed : {false, true}) {
                HeatmapMark heatmap = counting_heatmap(5, 7, {13.3F, 21.7F, 150.2F, 90.9F});
                heatmap.scale.map = map.id;
                heatmap.transposed = transposed;
                Figure figure = figure_of(heatmap);
                figure.theme = theme;
                for (const double scale : {1.0, 1.37, 2.0})
                    expect_cell_colors(heatmap, pixels_of(figure, scale), scale, theme);
            }
}

TEST(PrintPng, ALogScaleIsTheSameAsColorAt) {
    HeatmapMark heatmap = counting_heatmap(3, 5, {0, 0, 200, 150});
    heatmap.scale = {"viridis", 0.1F, 3, true};
    expect_cell_colors(heatmap, pixels_of(figure_of(heatmap), 1), 1, Theme::light);
}

TEST(PrintPng, ScaledAndCappedValuesAreColouredAsShown) {
    HeatmapMark heatmap = counting_heatmap(4, 6, {0, 0, 200, 150});
    heatmap.scale = {"blue-orange", -3, 3};
    heatmap.factor = -2;
    heatmap.soft_cap = 2;
    expect_cell_colors(heatmap, pixels_of(figure_of(heatmap), 1), 1, Theme::light);
}

TEST(PrintPng, ManyCellsAsAnImageHaveTheColoursOfTheTable) {
    HeatmapMark heatmap = counting_heatmap(100, 150, {0, 0, 200, 150});
    for (const bool transposed : {false, true}) {
        heatmap.transposed = transposed;
        expect_cell_colors(heatmap, pixels_of(figure_of(heatmap), 4), 4, Theme::light);
    }
}

TEST(PrintPng, WinnerHuesReplaceTheScale) {
    HeatmapMark heatmap = counting_heatmap(2, 3, {0, 0, 200, 150});
    auto hues = std::make_shared<std::vector<Color>>();
    for (int i = 0; i < 6; ++i) hues->push_back(head_color(palette(Theme::light), i));
    heatmap.cell_colors = hues;
    expect_cell_colors(heatmap, pixels_of(figure_of(heatmap), 2), 2, Theme::light);
}

TEST(PrintPng, NoSeamShowsBetweenEqualCells) {
    HeatmapMark heatmap = counting_heatmap(7, 9, {0.4F, 0.3F, 190.1F, 140.2F});
    heatmap.values = view_of(Matrix::Constant(7, 9, 3));
    const Pixels pixels = pixels_of(figure_of(heatmap), 1.31);
    const Color color = cell_color(heatmap, 0, 0, Theme::light);
    for (int y = 4; y < 180; ++y)
        for (int x = 4; x < 245; ++x) ASSERT_EQ(pixel_at(pixels, x, y), color) << x << ", " << y;
}

TEST(PrintPng, HiddenCellsAreHatchedOnNeutralGround) {
    HeatmapMark heatmap = counting_heatmap(5, 7, {0, 0, 210, 150});
    heatmap.visible = causal_view(5, 7);
    const Pixels pixels = pixels_of(figure_of(heatmap, 210, 150), 2);
    const Palette& colors = palette(Theme::light);
    const Rect hidden = heatmap.cell_rect(0, 5);
    std::set<std::tuple<int, int, int>> seen;
    for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 40; ++x) {
            const Color c = pixel_at(pixels, (hidden.x + 5.0) * 2 + x, (hidden.y + 5.0) * 2 + y);
            seen.insert({c.r, c.g, c.b});
            EXPECT_LE(largest_difference(c, hidden_ground(colors)),
                      largest_difference(hatch_color(colors), hidden_ground(colors)));
        }
    const Color ground = hidden_ground(colors);
    EXPECT_TRUE(seen.contains({ground.r, ground.g, ground.b}));
    EXPECT_GT(seen.size(), 2U);
    const Color visible = pixel_at(pixels, 30, 30);
    EXPECT_LE(largest_difference(visible, cell_color(heatmap, 0, 0, Theme::light)), 1);
}

TEST(PrintPng, AHiddenHalfOfALargeMatrixIsHatchedToo) {
    HeatmapMark heatmap = counting_heatmap(400, 400, {0, 0, 200, 150});
    heatmap.visible = causal_view(400, 400);
    const Pixels pixels = pixels_of(figure_of(heatmap), 2);
    std::set<int> seen;
    for (int x = 330; x < 370; ++x) seen.insert(pixel_at(pixels, x, 20).r);
    EXPECT_GT(seen.size(), 2U);
}

TEST(PrintPng, AThinDiagonalSurvivesCellsSmallerThanAPixel) {
    HeatmapMark heatmap = counting_heatmap(1, 1, {0, 0, 100, 100});
    heatmap.values = view_of(Matrix::Identity(1500, 1500));
    heatmap.scale = {"ink", 0, 1};
    const Pixels pixels = pixels_of(figure_of(heatmap, 100, 100), 1);
    const Color dark = color_at(heatmap.scale, 1, Theme::light);
    const Color light = color_at(heatmap.scale, 0, Theme::light);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(pixel_at(pixels, i, i), dark) << i;
        EXPECT_EQ(pixel_at(pixels, i, (i + 50) % 100), light) << i;
    }
}

TEST(PrintPng, ATransparentBackgroundHasNoAlpha) {
    Figure figure = figure_of(BoxMark{{50, 50, 40, 40}, hex(0x2f6fde)});
    const Pixels pixels = pixels_of(figure, 1, Background::transparent);
    EXPECT_EQ(pixel_at(pixels, 10, 10).a, 0);
    EXPECT_EQ(pixel_at(pixels, 70, 70), hex(0x2f6fde));
}

TEST(PrintPng, BackgroundIsThePanelOrWhite) {
    const Figure dark = empty_figure(20, 20, Theme::dark);
    EXPECT_EQ(pixel_at(pixels_of(dark, 1), 19, 19), palette(Theme::dark).panel);
    EXPECT_EQ(pixel_at(pixels_of(dark, 1, Background::white), 19, 19), hex(0xffffff));
    // 10.4 · 1 rounds down and 10.6 up: no sliver without paper.
    for (const float size : {10.4F, 10.6F}) {
        const Pixels pixels = pixels_of(empty_figure(size, size), 1);
        EXPECT_EQ(pixel_at(pixels, pixels.width - 1, pixels.height - 1), hex(0xffffff));
    }
}

TEST(PrintPng, NanIsACrossInTheColourOfWarnings) {
    HeatmapMark heatmap = counting_heatmap(2, 2, {0, 0, 200, 150});
    Matrix values = counting_matrix(2, 2);
    values(0, 1) = std::numeric_limits<float>::quiet_NaN();
    heatmap.values = view_of(values);
    const Color middle = pixel_at(pixels_of(figure_of(heatmap), 2), 300, 75);
    EXPECT_LE(largest_difference(middle, palette(Theme::light).warning), 40);
}

TEST(PrintPng, NumbersContrastWithTheirCells) {
    HeatmapMark heatmap = counting_heatmap(5, 7, {0, 0, 350, 150});
    heatmap.decimals = 1;
    const Pixels pixels = pixels_of(figure_of(heatmap, 350, 150), 4);
    for (const Index row : {0, 4}) {
        const Rect cell = heatmap.cell_rect(row, 3);
        float darkest = 1;
        float lightest = 0;
        for (int y = static_cast<int>(cell.y * 4); y < static_cast<int>(cell.bottom() * 4); ++y)
            for (int x = static_cast<int>(cell.x * 4); x < static_cast<int>(cell.right() * 4); ++x) {
                darkest = std::min(darkest, luminance(pixel_at(pixels, x, y)));
                lightest = std::max(lightest, luminance(pixel_at(pixels, x, y)));
            }
        EXPECT_GT(lightest - darkest, 0.5F) << "row " << row;
    }
}

TEST(PrintPng, NumbersThatDoNotFitAreLeftOut) {
    HeatmapMark heatmap = counting_heatmap(5, 7, {0, 0, 100, 150});
    const Pixels without = pixels_of(figure_of(heatmap), 2);
    heatmap.decimals = 3;
    EXPECT_EQ(pixels_of(figure_of(heatmap), 2).rgba, without.rgba);
}

TEST(PrintPng, ThePinAndTheCrosshairFrameTheirCells) {
    HeatmapMark heatmap = counting_heatmap(5, 7, {0, 0, 210, 150});
    const Pixels plain = pixels_of(figure_of(heatmap, 210, 150), 1);
    heatmap.pinned_row = 3;
    heatmap.pinned_col = 2;
    const Pixels pinned = pixels_of(figure_of(heatmap, 210, 150), 1);
    EXPECT_EQ(pixel_at(pinned, 75, 90), palette(Theme::light).accent);  // cell (3, 2) begins at (60, 90)
    EXPECT_EQ(pixel_at(pinned, 75, 105), pixel_at(plain, 75, 105));
    heatmap.pinned_row = -1;
    heatmap.lit_row = 1;
    const Pixels lit = pixels_of(figure_of(heatmap, 210, 150), 1);
    EXPECT_NE(pixel_at(lit, 195, 30), pixel_at(plain, 195, 30));
    EXPECT_EQ(pixel_at(lit, 195, 45), pixel_at(plain, 195, 45));
    EXPECT_EQ(pixel_at(lit, 195, 100), pixel_at(plain, 195, 100));
}

TEST(PrintPng, AColourBarRunsFromTheBottomToTheTop) {
    const ColorBarMark bar{{10, 10, 20, 256}, {"magma", 0, 1}, false};
    const Pixels pixels = pixels_of(figure_of(bar, 100, 300), 1);
    const ColorTable& table = color_table("magma", Theme::light);
    for (int i = 0; i < 256; ++i)
        EXPECT_LE(largest_difference(pixel_at(pixels, 20, 265 - i), table[static_cast<std::size_t>(i)]), 2) << i;
}

TEST(PrintPng, AHairlineIsOnePixelAndNotBlurred) {
    const Figure figure = figure_of(LineMark{{{10, 20}, {90, 20}}, hex(0x000000), 1, false}, 100, 40);
    const Pixels pixels = pixels_of(figure, 1);
    int black = 0;
    for (int y = 0; y < 40; ++y) {
        const int r = pixel_at(pixels, 50, y).r;
        EXPECT_TRUE(r == 0 || r == 255) << r;
        black += r == 0;
    }
    EXPECT_EQ(black, 1);
}

}  // namespace
}  // namespace heed::app
