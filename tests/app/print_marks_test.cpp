#include "tests/app/print_demo.h"
#include "tests/app/print_support.h"

#include "core/figure/mark_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

namespace heed::app {
namespace {

using Format = PrintOptions::Format;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

std::vector<Mark> one_of_each() {
    const Color ink = hex(0x2f6fde);
    std::vector<Mark> marks;
    marks.emplace_back(TextMark{"d_{k} 注", {20, 40}, {14, Font::words, ink}});
    marks.emplace_back(counting_heatmap(3, 4, {10, 10, 80, 60}));
    marks.emplace_back(counting_heatmap(80, 90, {10, 10, 80, 60}));
    marks.emplace_back(LineMark{{{10, 10}, {90, 50}}, ink, 2, false});
    marks.emplace_back(LineMark{{{10, 10}, {90, 10}}, ink, 1, true});
    marks.emplace_back(AreaMark{{{10, 10}, {90, 50}, {30, 70}}, ink});
    marks.emplace_back(BandMark{{{10, 10}, {50, 20}, {90, 10}}, {{10, 30}, {50, 40}, {90, 30}}, ink});
    marks.emplace_back(BoxMark{{10, 10, 50, 30}, ink});
    marks.emplace_back(BoxMark{{10, 10, 50, 30}, {0, 0, 0, 0}, ink, 2, 6});
    marks.emplace_back(BoxMark{{10, 10, 50, 30}, {0, 0, 0, 0}, {0, 0, 0, 0}, 1, 0, true});
    marks.emplace_back(CircleMark{{40, 40}, 10, ink, {0, 0, 0, 0}});
    marks.emplace_back(CircleMark{{40, 40}, 10, {0, 0, 0, 0}, ink, 2});
    marks.emplace_back(RibbonMark{{10, 10}, {10, 20}, {90, 50}, {90, 70}, ink, false});
    marks.emplace_back(RibbonMark{{10, 60}, {20, 60}, {90, 60}, {80, 60}, ink, true});
    marks.emplace_back(ColorBarMark{{10, 10, 10, 80}, {"viridis", 0, 1}, false});
    marks.emplace_back(ColorBarMark{{10, 10, 80, 10}, {"viridis", 0, 1}, true});
    return marks;
}

TEST(PrintMarks, EveryKindLeavesATraceInEveryFormat) {
    for (const Format format : all_formats) {
        const std::string blank = printed(empty_figure(200, 150), format);
        std::size_t number = 0;
        for (const Mark& mark : one_of_each()) {
            Figure figure = empty_figure(200, 150);
            figure.marks.push_back(mark);
            EXPECT_NE(printed(figure, format), blank) << "mark " << number << ", format " << static_cast<int>(format);
            ++number;
        }
    }
}

TEST(PrintMarks, TheSameFigureGivesTheSameBytes) {
    for (const Format format : all_formats)
        EXPECT_EQ(printed(demo_figure(), format), printed(demo_figure(), format)) << static_cast<int>(format);
}

TEST(PrintMarks, AnotherThreadPrintsTheSameBytes) {
    for (const Format format : all_formats) {
        const std::string here = printed(demo_figure(), format);
        std::string there;
        std::thread([&] { there = printed(demo_figure(), format); }).join();
        EXPECT_EQ(here, there);
    }
}

TEST(PrintMarks, ClipsHoldUntilTheirPop) {
    Figure figure = empty_figure(100, 100);
    figure.marks.emplace_back(ClipMark{{20, 20, 30, 30}, true});
    figure.marks.emplace_back(BoxMark{{0, 0, 100, 60}, hex(0x000000)});
    figure.marks.emplace_back(ClipMark{{}, false});
    figure.marks.emplace_back(BoxMark{{0, 80, 100, 10}, hex(0x000000)});
    const Pixels pixels = pixels_of(figure, 1);
    EXPECT_EQ(pixel_at(pixels, 10, 30), hex(0xffffff));
    EXPECT_EQ(pixel_at(pixels, 30, 30), hex(0x000000));
    EXPECT_EQ(pixel_at(pixels, 30, 55), hex(0xffffff));
    EXPECT_EQ(pixel_at(pixels, 10, 85), hex(0x000000));
}

TEST(PrintMarks, UnbalancedClipsDoNotHarm) {
    Figure figure = empty_figure(100, 100);
    figure.marks.emplace_back(ClipMark{{}, false});
    figure.marks.emplace_back(ClipMark{{0, 0, 50, 50}, true});
    figure.marks.emplace_back(BoxMark{{0, 0, 100, 100}, hex(0x000000)});
    for (const Format format : all_formats) EXPECT_FALSE(printed(figure, format).empty());
    EXPECT_TRUE(parse_xml(printed(figure, Format::svg)));
}

TEST(PrintMarks, ARibbonPassesTheMiddleOfItsEnds) {
    const Figure figure = figure_of(RibbonMark{{10, 20}, {10, 40}, {110, 80}, {110, 100}, hex(0x000000), false});
    const Pixels pixels = pixels_of(figure, 1);
    EXPECT_EQ(pixel_at(pixels, 60, 60), hex(0x000000));
    EXPECT_EQ(pixel_at(pixels, 60, 75), hex(0xffffff));
    EXPECT_EQ(pixel_at(pixels, 14, 30), hex(0x000000));
}

TEST(PrintMarks, NastyMarksAreSurvived) {
    Figure figure = empty_figure(200, 150);
    figure.marks.emplace_back(HeatmapMark{});
    HeatmapMark no_rows = counting_heatmap(0, 5, {0, 0, 50, 50});
    figure.marks.emplace_back(no_rows);
    HeatmapMark no_area = counting_heatmap(3, 5, {0, 0, 0, 0});
    no_area.decimals = 2;
    no_area.cell_colors = std::make_shared<const std::vector<Color>>();
    figure.marks.emplace_back(no_area);
    HeatmapMark no_hues = counting_heatmap(80, 90, {0, 0, 50, 50});
    no_hues.cell_colors = no_area.cell_colors;
    figure.marks.emplace_back(no_hues);
    HeatmapMark all_nan = counting_heatmap(3, 5, {0, 0, 50, 50});
    all_nan.values = view_of(Matrix::Constant(3, 5, nan));
    all_nan.decimals = 2;
    all_nan.lit_row = 99;
    all_nan.pinned_row = 99;
    all_nan.pinned_col = 99;
    figure.marks.emplace_back(all_nan);
    HeatmapMark infinite = counting_heatmap(3, 5, {0, 0, 300, 150});
    infinite.values = view_of(Matrix::Constant(3, 5, -inf));
    infinite.decimals = 2;
    infinite.scale = {"blue-orange", 0, 0};
    figure.marks.emplace_back(infinite);
    HeatmapMark dots = infinite;
    dots.style = HeatmapStyle::dots;
    figure.marks.emplace_back(dots);
    figure.marks.emplace_back(LineMark{});
    figure.marks.emplace_back(
        LineMark{{{nan, 0}, {10, inf}, {20, 20}, {30, 30}, {nan, nan}, {40, 40}}, hex(0), 1, true});
    figure.marks.emplace_back(AreaMark{});
    figure.marks.emplace_back(BandMark{{{0, 0}}, {}, hex(0)});
    figure.marks.emplace_back(BandMark{{{0, 0}, {nan, 1}, {2, 2}, {3, 3}}, {{0, 9}, {1, 9}, {2, 9}, {3, nan}}, hex(0)});
    figure.marks.emplace_back(BoxMark{{5, 5, 0, 0}, hex(0), hex(0), 1, 20, true});
    figure.marks.emplace_back(BoxMark{{5, 5, -10, -10}, hex(0), hex(0), 1, 20, true});
    figure.marks.emplace_back(CircleMark{{nan, 0}, 0, hex(0)});
    figure.marks.emplace_back(ColorBarMark{});
    figure.marks.emplace_back(ClipMark{{5, 5, 0, 0}, true});
    figure.marks.emplace_back(TextMark{});
    figure.marks.emplace_back(TextMark{"x", {nan, nan}, {}});
    figure.marks.emplace_back(TextMark{"x", {1, 1}, {0, Font::words, {}}});
    figure.marks.emplace_back(TextMark{std::string("a\0b\n\t\x01\xC3", 7), {1, 1}, {}});
    std::string many_emoji;
    for (int i = 0; i < 5000; ++i) many_emoji += "🙂";
    figure.marks.emplace_back(TextMark{many_emoji, {1, 30}, {14, Font::bold, {}}});
    for (const Format format : all_formats) EXPECT_FALSE(printed(figure, format).empty());
    EXPECT_TRUE(parse_xml(printed(figure, Format::svg)));
}

TEST(PrintMarks, AFigureWithoutSizeIsASentence) {
    for (const Format format : all_formats) {
        PrintOptions options;
        options.format = format;
        for (const Figure& figure : {empty_figure(0, 0), empty_figure(100, 0), empty_figure(-1, 5),
                                     empty_figure(nan, 5), empty_figure(5, inf)}) {
            const Result<std::string> bytes = print_figure(figure, options);
            ASSERT_FALSE(bytes);
            EXPECT_NE(bytes.error().find("cannot be made"), std::string::npos) << bytes.error();
        }
    }
}

TEST(PrintMarks, TooManyPixelsAreASentence) {
    PrintOptions options;
    options.pixels_per_unit = 100;
    const Result<std::string> bytes = print_figure(empty_figure(1000, 600), options);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error(), "A picture of 100000 × 60000 pixels is too large: at most 16384 pixels a side.");
    for (const double scale : {0.0, -1.0, 1e-9, 1e300, std::nan("")}) {
        options.pixels_per_unit = scale;
        EXPECT_FALSE(print_figure(empty_figure(1000, 600), options)) << scale;
    }
}

TEST(PrintMarks, TooLargeAPageIsASentence) {
    PrintOptions options;
    options.width_points = 100000;
    for (const Format format : {Format::svg, Format::pdf}) {
        options.format = format;
        const Result<std::string> bytes = print_figure(empty_figure(1000, 600), options);
        ASSERT_FALSE(bytes);
        EXPECT_NE(bytes.error().find("100000 × 60000 points is too large"), std::string::npos) << bytes.error();
    }
}

TEST(PrintText, WidthsAddUpAndGrowWithTheSize) {
    const TextMeasure& measure = print_measure();
    const float width = measure.width("attention", 10, Font::words);
    EXPECT_GT(width, 30);
    EXPECT_NEAR(measure.width("attention", 20, Font::words), 2 * width, 0.1F);
    EXPECT_GT(measure.width("attention", 10, Font::bold), width);
    EXPECT_NEAR(measure.width("0000", 10, Font::mono), 4 * measure.width("1", 10, Font::mono), 0.1F);
    EXPECT_NEAR(measure.width("->", 10, Font::mono), 2 * measure.width("1", 10, Font::mono), 0.1F);
    EXPECT_NEAR(measure.width("注意力", 10, Font::words), 30, 3);
    EXPECT_EQ(measure.width("", 10, Font::words), 0);
}

// Where the ink of a text begins and ends.
Rect ink_of(const TextMark& mark) {
    const Pixels pixels = pixels_of(figure_of(mark), 4);
    int left = pixels.width, right = -1, top = pixels.height, bottom = -1;
    for (int y = 0; y < pixels.height; ++y)
        for (int x = 0; x < pixels.width; ++x)
            if (pixel_at(pixels, x, y).r < 128) {
                left = std::min(left, x);
                right = std::max(right, x + 1);
                top = std::min(top, y);
                bottom = std::max(bottom, y + 1);
            }
    return {static_cast<float>(left) / 4, static_cast<float>(top) / 4, static_cast<float>(right - left) / 4,
            static_cast<float>(bottom - top) / 4};
}

TEST(PrintText, SitsWhereItsAlignmentSays) {
    TextMark mark{"H5H", {100, 75}, {20, Font::words, hex(0x000000)}};
    EXPECT_NEAR(ink_of(mark).bottom(), 75, 0.5F);
    EXPECT_NEAR(ink_of(mark).x, 100, 2.5F);
    mark.align_x = AlignX::center;
    mark.align_y = AlignY::middle;
    EXPECT_NEAR(ink_of(mark).center().x, 100, 0.5F);
    EXPECT_NEAR(ink_of(mark).center().y, 75, 0.5F);
    mark.align_x = AlignX::right;
    mark.align_y = AlignY::top;
    EXPECT_NEAR(ink_of(mark).right(), 100, 2.5F);
    EXPECT_GT(ink_of(mark).y, 75);
    mark.align_y = AlignY::bottom;
    EXPECT_LT(ink_of(mark).bottom(), 75);
    EXPECT_GT(ink_of(mark).bottom(), 68);
}

TEST(PrintText, TurnsCounterClockwiseAroundItsPlace) {
    const TextMark mark{"HHHHHH", {100, 75}, {14, Font::words, hex(0x000000)}, AlignX::left, AlignY::baseline, 90};
    const Rect ink = ink_of(mark);
    EXPECT_NEAR(ink.bottom(), 75, 2);  // begins at the place and rises
    EXPECT_GT(ink.h, ink.w * 3);
    EXPECT_NEAR(ink.right(), 100, 1);  // its base line is on the right
}

TEST(PrintText, CleansWhatCannotBeDrawn) {
    EXPECT_EQ(clean_text("plain 中文 🙂"), "plain 中文 🙂");
    EXPECT_EQ(clean_text("a\nb\tc"), "a↵b⇥c");
    EXPECT_EQ(clean_text("\x01\xFF"), "\uFFFD\uFFFD");
    EXPECT_EQ(clean_text(std::string_view("a\0b", 3)), "a\uFFFDb");
}

}  // namespace
}  // namespace heed::app
