// Markdown as a figure: laws of the layout in both languages, the colours of words, links, and whatever may be typed.
#include "core/typeset/typeset.h"
#include "core/typeset/characters.h"
#include "core/typeset/pages.h"
#include "core/typeset/role_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

namespace heed {
namespace {

const std::string english = R"(# Why divide?

The score of a query and a key is $q \cdot k = \sum_{i=1}^{d_k} q_i k_i$, a *sum* of **many** products. [Set it to
256](set: model.d_k=256) and look at [the weights of the first row](<look: pipeline.weights>): `argmax` moves.

$$\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$

1. One item, with $\frac{1}{2}$ in it.
2. Another that is long enough to go on in the next line of a narrow column.
   - nested

> Quoted: values make the output.

| a | b |
| --- | --- |
| $x$ | long words in a cell |

```
code = 1
```
)";

const std::string chinese =
    "查询与键的分数是 $q \\cdot k$。它是 $d_k$ 个乘积之和，所以越来越**“分散”**；[把它设为 256](set: "
    "model.d_k=256)，再看"
    "[第一行的权重](look: pipeline.weights)（见下式）：《注意力》说，“每个词都看别的词。”好吗？当然！\n\n"
    "$$\\sqrt{x^2+1}$$\n\n- 第一项：熵$H$最大为$\\ln n$；\n- 第二项。\n";

std::vector<TextMark> texts(const Figure& figure) {
    std::vector<TextMark> all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all.push_back(*text);
    return all;
}

float left_of(const TextMark& text) {
    const float width = rough_measure().width(text.text, text.style.size, text.style.font);
    return text.align_x == AlignX::right ? text.at.x - width : text.at.x;
}
float right_of(const TextMark& text) {
    return left_of(text) + rough_measure().width(text.text, text.style.size, text.style.font);
}

TypesetText set(const std::string& markdown, float width = 300, TypesetStyle style = {}) {
    return typeset(markdown, style, width, rough_measure());
}

TEST(Typeset, EverythingLiesInsideTheWidth) {
    for (const std::string& text : {english, chinese})
        for (const float width : {120.0F, 200.0F, 300.0F, 431.0F, 700.0F}) {
            const TypesetText out = set(text, width);
            EXPECT_TRUE(out.problems.empty());
            for (const TextMark& mark : texts(out.figure)) {
                EXPECT_GE(left_of(mark), -0.01F) << mark.text << " at " << width;
                EXPECT_GE(mark.at.y, 0) << mark.text;
                EXPECT_LE(mark.at.y, out.figure.height) << mark.text;
                if (width > 250) {  // narrower, a formula may be wider than the line
                    EXPECT_LE(right_of(mark), width + 0.5F) << mark.text << " at " << width;
                }
            }
        }
}

TEST(Typeset, NoTwoTextsOverlap) {
    for (const std::string& text : {english, chinese})
        for (const float width : {200.0F, 300.0F, 700.0F}) {
            const std::vector<TextMark> all = texts(set(text, width).figure);
            for (std::size_t i = 0; i < all.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    if (std::abs(all[i].at.y - all[j].at.y) > 0.3F * std::min(all[i].style.size, all[j].style.size))
                        continue;
                    const float shared =
                        std::min(right_of(all[i]), right_of(all[j])) - std::max(left_of(all[i]), left_of(all[j]));
                    EXPECT_LE(shared, 0.05F) << all[i].text << " and " << all[j].text;
                }
        }
}

TEST(Typeset, WordsAndFormulasOfOneLineShareABaseLine) {
    const std::vector<TextMark> all = texts(set("alpha $x = \\frac{1}{2} y$ omega $\\sqrt{z}$", 600).figure);
    const auto base = [&](const char* text) {
        for (const TextMark& mark : all)
            if (mark.text == text) return mark.at.y;
        ADD_FAILURE() << text;
        return -1.0F;
    };
    for (const char* text : {"x", "=", "y", "omega", "z"}) EXPECT_FLOAT_EQ(base(text), base("alpha")) << text;
}

TEST(Typeset, TextComesInReadingOrder) {
    std::string all;
    for (const TextMark& mark : texts(set("One **two** three $x$ four [five](set: a=1) six\n\nseven", 90).figure))
        all += mark.text + " ";
    EXPECT_EQ(all, "One two three x four five six seven ");
}

TEST(Typeset, NoLineStartsWithClosingPunctuationOrEndsWithAnOpeningOne) {
    for (float width = 60; width < 400; width += 7) {
        std::vector<TextMark> all = texts(set(chinese, width).figure);
        std::erase_if(all, [](const TextMark& mark) { return mark.text == "•" || mark.style.font == Font::italic; });
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::size_t at = 0;
            const char32_t first = next_character(all[i].text, at);
            if (left_of(all[i]) < 0.01F) {
                EXPECT_TRUE(may_start_line(first)) << all[i].text << " at " << width;
            }
            if (i + 1 < all.size() && all[i + 1].at.y > all[i].at.y + 8) {
                for (const char* open : {"（", "《", "“"})
                    EXPECT_FALSE(all[i].text.ends_with(open)) << all[i].text << " at " << width;
            }
        }
    }
}

TEST(Typeset, ChineseFillsItsLines) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "字";
    const std::vector<TextMark> lines = texts(set(text, 145).figure);
    ASSERT_EQ(lines.size(), 10U);
    for (const TextMark& line : lines) EXPECT_EQ(line.text.size(), 30U);
}

TEST(Typeset, ALongWordIsDividedRatherThanCutOff) {
    const std::string word(200, 'w');
    std::string all;
    for (const TextMark& mark : texts(set(word, 150).figure)) {
        EXPECT_LE(right_of(mark), 150.01F);
        all += mark.text;
    }
    EXPECT_EQ(all, word);
}

TEST(Typeset, LinksCoverTheirWordsOnEveryLineAndKnowWhereTheyLead) {
    for (const float width : {90.0F, 160.0F, 600.0F}) {
        const TypesetText out =
            set("Go [to the first place now](set: model.d_k=256; view: heads), or [$x$ two](<look: a.b>).", width);
        EXPECT_EQ(out.links, (std::vector<std::string>{"set: model.d_k=256; view: heads", "look: a.b"}));
        const Color accent = palette(Theme::light).accent;
        int n_words = 0;
        for (const TextMark& mark : texts(out.figure)) {
            if (!(mark.style.color == accent)) continue;
            ++n_words;
            const Target* target = out.figure.target_at({(left_of(mark) + right_of(mark)) / 2, mark.at.y - 3});
            ASSERT_NE(target, nullptr) << mark.text;
            EXPECT_LE(target->area.x, left_of(mark) + 0.01F);
            EXPECT_GE(target->area.right(), right_of(mark) - 0.01F);
            EXPECT_EQ(target->id.number_of("link"), mark.text == "x" || mark.text == "two" ? 1 : 0) << mark.text;
        }
        EXPECT_GE(n_words, 3);
        ASSERT_NE(out.figure.find_target({"link", 0}), nullptr);
        ASSERT_NE(out.figure.find_target({"link", 1}), nullptr);
        for (std::size_t i = 0; i < out.figure.targets.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(out.figure.targets[i].id == out.figure.targets[j].id);
    }
}

TEST(Typeset, OnPaperLinksAreWords) {
    const TypesetText out = set("Go [there](set: a=1).", 300, {.links = false});
    EXPECT_TRUE(out.links.empty());
    EXPECT_TRUE(out.figure.targets.empty());
    EXPECT_EQ(texts(out.figure).size(), 1U);
}

TEST(Typeset, WordsThatNameARoleHaveItsColour) {
    struct Case {
        const char* text;
        std::vector<std::pair<std::string, Role>> roles;  // those that have one
    };
    using enum Role;
    const Case cases[] = {
        {"A query asks each key.", {{"query", query}, {"key", key}}},
        {"Queries, keys, values; outputs", {{"Queries", query}, {"keys", key}, {"values", value}, {"outputs", output}}},
        {"keyboard, eigenvalue, inquery, values_of, outputting", {}},
        {"the key-value pair", {{"key", key}, {"value", value}}},
        {"q and k; (Q, K, V), v", {{"q", query}, {"k", key}, {"Q", query}, {"K", key}, {"V", value}, {"v", value}}},
        {"top-k, k-means, v2, e.k. and I'v", {}},
        {"Take q.", {{"q", query}}},
        {"the sum of the absolute values, its largest value", {}},
        {"a value that is largest; mean of the values", {{"value", value}, {"values", value}}},
        {"the token [Q], and [K]; [q and k]", {{"q", query}, {"k", key}}},
        {"every output word; the output of a word", {{"output", output}}},
        {"the key idea: a key is asked. Press the Enter key.", {{"key", key}}},
        {"查询与键", {{"查询", query}, {"键", key}}},
        {"值组成输出", {{"值", value}, {"输出", output}}},
        {"键盘、关键、快捷键", {}},
        {"数值、均值、平均值、最大值、最小值、值得、阈值、绝对值、特征值、期望值、取值、价值", {}},
        {"键值对", {{"键", key}, {"值", value}}},
        {"值向量和键向量", {{"值", value}, {"键", key}}},
        {"查询q与键k", {{"查询", query}, {"q", query}, {"键", key}, {"k", key}}},
        {"值得注意的是值", {{"值", value}}},
        {"", {}},
    };
    for (const Case& one : cases) {
        std::vector<std::pair<std::string, Role>> roles;
        std::string all;
        for (const RoleSpan& span : role_spans(one.text)) {
            all += span.text;
            if (span.role != none) roles.emplace_back(span.text, span.role);
        }
        EXPECT_EQ(roles, one.roles) << one.text;
        EXPECT_EQ(all, one.text);
    }
}

TEST(Typeset, ColoursFollowTheThemeAndCanBeOptedOut) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
        const Palette& colors = palette(theme);
        for (const TextMark& mark : texts(set("the key, [value](plain), `key`", 300, {.theme = theme}).figure)) {
            if (mark.text == "key" && mark.style.font != Font::mono)
                EXPECT_EQ(mark.style.color, colors.key);
            else
                EXPECT_EQ(mark.style.color, colors.text) << mark.text;
        }
    }
}

TEST(Typeset, BoldAndItalicsBesideChinesePunctuationAreSeen) {
    for (const char* text : {"变得**“分散”**了", "是**重点**。", "（**重点**）的"}) {
        bool has_bold = false;
        for (const TextMark& mark : texts(set(text).figure)) {
            has_bold = has_bold || mark.style.font == Font::bold;
            EXPECT_EQ(mark.text.find('*'), std::string::npos) << text;
        }
        EXPECT_TRUE(has_bold) << text;
    }
    const std::vector<TextMark> stressed = texts(set("a *word* 和*重点*。").figure);
    EXPECT_TRUE(std::ranges::any_of(
        stressed, [](const TextMark& mark) { return mark.text == "word" && mark.style.font == Font::italic; }));
    EXPECT_TRUE(std::ranges::any_of(
        stressed, [](const TextMark& mark) { return mark.text == "重点" && mark.style.font == Font::bold; }));
}

TEST(Typeset, AFormulaThatCannotBeSetIsShownAsItWasWritten) {
    const TypesetText out = set("See $\\foo{x}$ here, and 5 $ more.\n\n$$\\bar$$");
    ASSERT_EQ(out.problems.size(), 2U);
    EXPECT_NE(out.problems[0].find("\\foo is not known"), std::string::npos);
    std::string all;
    for (const TextMark& mark : texts(out.figure)) all += mark.text + " ";
    EXPECT_NE(all.find("$\\foo{x}$"), std::string::npos) << all;
    EXPECT_NE(all.find("5 $ more"), std::string::npos) << all;
    EXPECT_NE(all.find("$$\\bar$$"), std::string::npos) << all;
}

TEST(Typeset, FormulasKeepTheirBackslashesUnderscoresAndBars) {
    const TypesetText out =
        set("$a_i * b_i * \\{c\\} \\| d \\|$\n\n| $\\left| x \\right|$ | b |\n| --- | --- |\n| c | d |", 500);
    EXPECT_TRUE(out.problems.empty());
}

TEST(Typeset, AWideFormulaIsSetSmaller) {
    std::string sum = "x_1";
    for (int i = 0; i < 14; ++i) sum += " + x_2";
    const TypesetText out = set("$$" + sum + "$$", 400);
    for (const TextMark& mark : texts(out.figure)) EXPECT_LE(right_of(mark), 400.5F);
}

TEST(Typeset, NothingThatIsTypedBreaksIt) {
    const std::vector<std::string> tokens = {"# ",
                                             "\n",
                                             "\n\n",
                                             "- ",
                                             "1. ",
                                             "> ",
                                             "**",
                                             "*",
                                             "`",
                                             "```\n",
                                             "$",
                                             "$$",
                                             "[a](",
                                             ")",
                                             "](",
                                             "| ",
                                             "|---|---|\n",
                                             "值",
                                             "，",
                                             "“",
                                             "word ",
                                             "\\",
                                             "\\frac{1}{2}",
                                             "_",
                                             "<b>",
                                             "&amp;",
                                             "\xff",
                                             "\xf3\xb0\x80\x80",
                                             "    ",
                                             "\t",
                                             "!",
                                             "plain",
                                             std::string(1, '\0'),
                                             "é"};
    std::mt19937 random(11);
    for (int trial = 0; trial < 6000; ++trial) {
        std::string text;
        const int n = static_cast<int>(random() % 40);
        for (int i = 0; i < n; ++i) text += tokens[random() % tokens.size()];
        const float width = static_cast<float>(random() % 400);
        const TypesetText out = typeset(text, {.size = static_cast<float>(random() % 40)}, width, rough_measure());
        ASSERT_TRUE(std::isfinite(out.figure.height) && out.figure.height >= 0) << text;
        ASSERT_TRUE(std::is_sorted(out.breaks.begin(), out.breaks.end())) << text;
        for (const Target& target : out.figure.targets)
            ASSERT_LT(*target.id.number_of("link"), static_cast<int>(out.links.size())) << text;
    }
}

TEST(Typeset, LengthAndDepthAreBounded) {
    EXPECT_GT(set(std::string(300'000, 'x')).figure.height, 0);
    EXPECT_GT(set(std::string(50'000, '>') + " x").figure.height, 0);
    std::string lists;
    for (int i = 0; i < 200; ++i) lists += std::string(static_cast<std::size_t>(2 * i), ' ') + "- x\n";
    for (const TextMark& mark : texts(set(lists).figure)) EXPECT_LE(right_of(mark), 300.01F);
}

TEST(TypesetPages, ATextIsDividedBetweenItsLinesAndLosesNone) {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "word" + std::to_string(i) + " ";
    TypesetText set_text = set(text, 200);
    std::vector<PagePart> parts;
    parts.push_back({.figure = set_text.figure, .breaks = set_text.breaks});
    const PageRoom room{.width = 240, .height = 300, .left = 20, .top = 20, .bottom = 30};
    const std::vector<Page> pages = fill_pages(std::move(parts), room);
    EXPECT_GT(pages.size(), 3U);
    std::string all;
    for (const Page& page : pages)
        for (const PlacedFigure& placed : page.figures) {
            EXPECT_LE(placed.at.y + placed.figure.height, room.height - room.bottom + 0.01F);
            for (const TextMark& mark : texts(placed.figure)) {
                all += mark.text + " ";
                EXPECT_GT(mark.at.y, 0);
                EXPECT_LT(mark.at.y, placed.figure.height);
            }
        }
    EXPECT_EQ(all, text);
}

TEST(TypesetPages, WhatBelongsTogetherStaysTogetherWhereAPageHasRoom) {
    const PageRoom room{.width = 200, .height = 1000, .left = 0, .top = 0, .bottom = 0};
    const auto block = [](float height, bool keep) {
        PagePart part;
        part.figure.width = 200;
        part.figure.height = height;
        part.keep_with_next = keep;
        return part;
    };
    const std::vector<Page> pages =
        fill_pages({block(700, false), block(100, true), block(300, false), block(2000, false)}, room);
    ASSERT_EQ(pages.size(), 3U);
    EXPECT_EQ(pages[0].figures.size(), 1U);
    EXPECT_EQ(pages[1].figures.size(), 2U);
    ASSERT_EQ(pages[2].figures.size(), 1U);  // taller than a page: smaller
    EXPECT_LE(pages[2].figures[0].figure.height * pages[2].figures[0].scale, 1000.01F);
}

TEST(TypesetPages, AThirdOfAPageIsNotLeftEmptyForWhatMayPart) {
    const PageRoom room{.width = 200, .height = 1000, .left = 0, .top = 0, .bottom = 0};
    const auto block = [](float height, bool keep, bool may_part = false, float least = 1) {
        PagePart part;
        part.figure.width = 200;
        part.figure.height = height;
        part.keep_with_next = keep;
        part.may_part = may_part;
        part.least_share = least;
        return part;
    };
    // Heading, text, picture: the text stays with its heading, the picture goes on.
    const std::vector<Page> parted =
        fill_pages({block(500, false), block(50, true), block(200, true, true), block(600, false)}, room);
    ASSERT_EQ(parted.size(), 2U);
    EXPECT_EQ(parted[0].figures.size(), 3U);
    const std::vector<Page> smaller = fill_pages({block(700, false), block(400, false, false, 0.6F)}, room);
    ASSERT_EQ(smaller.size(), 1U);
    EXPECT_NEAR(smaller[0].figures[1].scale, 0.75F, 1e-5F);
    EXPECT_NEAR(smaller[0].figures[1].at.x, 25, 1e-3F);
    EXPECT_EQ(fill_pages({block(800, false), block(400, false, false, 0.6F)}, room).size(), 2U);
}

}  // namespace
}  // namespace heed
