#include "tests/app/print_demo.h"
#include "tests/app/print_support.h"

#include "core/figure/mark_look.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::app {
namespace {

using Format = PrintOptions::Format;

std::vector<std::string> svg_texts(const std::vector<XmlElement>& elements) {
    std::vector<std::string> texts;
    for (const XmlElement& element : elements)
        if (element.name == "text") texts.push_back(element.text);
    return texts;
}

bool has(const std::vector<std::string>& texts, std::string_view wanted) {
    return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

std::size_t count(const std::vector<XmlElement>& elements, std::string_view name) {
    return static_cast<std::size_t>(std::count_if(elements.begin(), elements.end(),
                                                  [&](const XmlElement& element) { return element.name == name; }));
}

TEST(PrintSvg, IsWellFormedAndItsTextIsText) {
    for (const Theme theme : {Theme::light, Theme::dark, Theme::print}) {
        const auto elements = parse_xml(printed(demo_figure(theme), Format::svg));
        ASSERT_TRUE(elements);
        const std::vector<std::string> texts = svg_texts(*elements);
        EXPECT_TRUE(has(texts, "Weights, softmax by row"));
        EXPECT_TRUE(has(texts, "注意力权重"));
        EXPECT_TRUE(has(texts, "今天"));
        EXPECT_TRUE(has(texts, "scores ÷ √dk · KT ⊙ V → output"));
        EXPECT_TRUE(has(texts, "<a & b> d_{k} 🙂"));
        EXPECT_TRUE(has(texts, "3.2"));
    }
}

TEST(PrintSvg, NoTextLeavesItsElement) {
    const std::string texts[] = {
        "</text><script>alert(1)</script>",       "\" onload=\"alert(1)", "&#x3c;b&amp;", "]]><!--", "a\nb\rc\td",
        std::string("nul\0 esc\x1b[2J \x7f", 14), "\xff\xfe \u2028"};
    for (const std::string& text : texts) {
        Figure figure;
        figure.width = figure.height = 200;
        figure.marks.emplace_back(TextMark{text, {10, 100}, {12, Font::words, {0, 0, 0, 255}}});
        const std::string svg = printed(figure, Format::svg);
        const auto elements = parse_xml(svg);
        ASSERT_TRUE(elements) << svg;
        for (const XmlElement& element : *elements) EXPECT_NE(element.name, "script") << svg;
        EXPECT_EQ(svg.find("onload=\""), std::string::npos) << svg;
        for (const char c : svg) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
    }
}

TEST(PrintSvg, SizeIsInPoints) {
    PrintOptions options;
    options.format = Format::svg;
    options.width_points = 360;
    const auto elements = parse_xml(printed(empty_figure(800, 600), options));
    ASSERT_TRUE(elements);
    EXPECT_EQ(elements->front().attribute("width"), "360pt");
    EXPECT_EQ(elements->front().attribute("height"), "270pt");
    EXPECT_EQ(elements->front().attribute("viewBox"), "0 0 800 600");
}

TEST(PrintSvg, CellsAreRectanglesWhereTheFigureSays) {
    const HeatmapMark heatmap = counting_heatmap(5, 7, {10, 20, 140, 100});
    const auto elements = parse_xml(printed(figure_of(heatmap), Format::svg));
    ASSERT_TRUE(elements);
    std::vector<XmlElement> cells;
    for (const XmlElement& element : *elements)
        if (element.name == "rect") cells.push_back(element);
    ASSERT_EQ(cells.size(), 35U);
    for (Index row = 0; row < 5; ++row)
        for (Index col = 0; col < 7; ++col) {
            const XmlElement& cell = cells[static_cast<std::size_t>(row * 7 + col)];
            const Color color = cell_color(heatmap, row, col, Theme::light);
            char expected[8];
            std::snprintf(expected, sizeof expected, "#%02x%02x%02x", unsigned{color.r}, unsigned{color.g},
                          unsigned{color.b});
            EXPECT_EQ(cell.attribute("fill"), expected);
            EXPECT_FLOAT_EQ(std::stof(cell.attribute("x")), heatmap.cell_rect(row, col).x);
            EXPECT_FLOAT_EQ(std::stof(cell.attribute("y")), heatmap.cell_rect(row, col).y);
        }
}

TEST(PrintSvg, MoreThan64CellsASideAreAnImageWithoutSmoothing) {
    const auto cells = parse_xml(printed(figure_of(counting_heatmap(64, 64, {0, 0, 100, 100})), Format::svg));
    const auto image = parse_xml(printed(figure_of(counting_heatmap(65, 64, {0, 0, 100, 100})), Format::svg));
    ASSERT_TRUE(cells && image);
    EXPECT_EQ(count(*cells, "rect"), 4096U);
    EXPECT_EQ(count(*cells, "image"), 0U);
    EXPECT_EQ(count(*image, "rect"), 0U);
    ASSERT_EQ(count(*image, "image"), 1U);
    for (const XmlElement& element : *image) {
        if (element.name != "image") continue;
        EXPECT_EQ(element.attribute("style"), "image-rendering:pixelated");
    }
}

TEST(PrintSvg, UserTextCannotBreakTheDocument) {
    for (const char* nasty : {"</text><script>", "a&b", "\"quoted\"", "line\nbreak", "bell\x07", "\xFF\xFE broken",
                              "]]>", "\u2028", "\uFFFF"}) {
        TextMark mark;
        mark.text = nasty;
        mark.plain = true;
        mark.at = {10, 20};
        const auto elements = parse_xml(printed(figure_of(mark), Format::svg));
        ASSERT_TRUE(elements) << nasty;
        EXPECT_EQ(count(*elements, "text"), 1U);
        EXPECT_EQ(count(*elements, "script"), 0U);
    }
}

TEST(PrintPdf, IsOnePageOfTheAskedSize) {
    if (!has_poppler()) GTEST_SKIP() << "poppler-utils is not installed.";
    PrintOptions options;
    options.format = Format::pdf;
    options.width_points = 420;
    const auto info = poppler("pdfinfo", "{}", printed(demo_figure(), options));
    ASSERT_TRUE(info);
    EXPECT_NE(info->find("Pages:           1\n"), std::string::npos) << *info;
    EXPECT_NE(info->find("420 x 250 pts"), std::string::npos) << *info;
}

TEST(PrintPdf, ItsTextIsText) {
    if (!has_poppler()) GTEST_SKIP() << "poppler-utils is not installed.";
    const auto text = poppler("pdftotext", "{} -", printed(demo_figure(), Format::pdf));
    ASSERT_TRUE(text);
    for (const char* words : {"Weights, softmax by row", "注意力权重", "加粗的标题", "今天", "output", "3.2", "9.446"})
        EXPECT_NE(text->find(words), std::string::npos) << words << " is not in\n" << *text;
}

TEST(PrintPdf, CellColoursAreThoseOfTheTable) {
    if (!has_poppler()) GTEST_SKIP() << "poppler-utils is not installed.";
    for (const Index rows : {Index{5}, Index{70}}) {  // as rectangles and as an image
        const HeatmapMark heatmap = counting_heatmap(rows, 7, {10, 20, 140, 100});
        // 96 dpi is a pixel for each logical one.
        const auto png = poppler("pdftoppm", "-r 384 -png {}", printed(figure_of(heatmap), Format::pdf));
        ASSERT_TRUE(png);
        const Result<Pixels> pixels = decode_png(*png);
        ASSERT_TRUE(pixels) << pixels.error();
        for (Index row = 0; row < rows; ++row)
            for (Index col = 0; col < 7; ++col) {
                const Point middle = heatmap.cell_rect(row, col).center();
                EXPECT_LE(largest_difference(pixel_at(*pixels, middle.x * 4, middle.y * 4),
                                             cell_color(heatmap, row, col, Theme::light)),
                          1)
                    << row << ", " << col;
            }
    }
}

}  // namespace
}  // namespace heed::app
