// Formulas: what is read, where its parts lie, and that nothing that is typed breaks it.
#include "core/typeset/formula.h"
#include "core/typeset/glyph_metrics.h"
#include "core/typeset/typed_symbols.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace heed {
namespace {

const std::string attention = R"(\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V)";

const std::vector<std::string>& formulas() {
    static const std::vector<std::string> all = {
        attention,
        R"(q \cdot k = \sum_{i=1}^{d_k} q_i k_i)",
        R"(q·k ≤ ‖q‖ ‖k‖)",
        R"(\alpha_{ij} = \frac{\exp(s_{ij})}{\sum_{l} \exp(s_{il})})",
        R"(\prod_{i=1}^n \left[1 + \frac{x^2}{i^2}\right] \approx \int_0^1 f(t)\,dt)",
        R"(\begin{bmatrix} 1 & -2 \\ \frac12 & x_{i_j}^{2^n} \end{bmatrix} \begin{pmatrix} x \\ y \end{pmatrix})",
        R"(\begin{cases} 1 & \text{if } i \ge j \\ -\infty & \text{否则} \end{cases})",
        R"(\hat{y} + \bar{x} - \tilde{z} \odot \vec{v} \oplus \dot{u}')",
        R"(\sqrt[3]{\frac{a}{b}} \pm \left| x \right| \times \lVert W_Q x \rVert_2^2)",
        R"(\max_{i} \lim_{T \to 0} \mathbb{R}^{n \times d} \in \partial L / \partial \theta)",
        R"(\left\{ x \mid x > 0 \right\} \left\langle q, k \right\rangle \lfloor n \rfloor \bigl( \Big] )",
        R"(\overline{a + b} = \underline{c} \quad \begin{aligned} a &= b \\ &= c \end{aligned})",
    };
    return all;
}

FormulaBox set(const std::string& tex, bool is_display = true, float size = 20) {
    const Result<FormulaNode> node = parse_formula(tex);
    EXPECT_TRUE(node) << tex << ": " << (node ? "" : node.error());
    return node ? lay_out_formula(*node, {size, Theme::light, {}, true, is_display}, rough_measure()) : FormulaBox();
}

const TextMark* find_text(const FormulaBox& box, std::string_view text) {
    for (const Mark& mark : box.marks)
        if (const auto* found = std::get_if<TextMark>(&mark); found != nullptr && found->text == text) return found;
    return nullptr;
}

std::vector<LineMark> lines_of(const FormulaBox& box) {
    std::vector<LineMark> lines;
    for (const Mark& mark : box.marks)
        if (const auto* line = std::get_if<LineMark>(&mark)) lines.push_back(*line);
    return lines;
}

TEST(TypesetFormula, KnownFormulasHaveTheirStructure) {
    const auto structure = [](const char* tex) {
        const Result<FormulaNode> node = parse_formula(tex);
        return node ? formula_structure(*node) : node.error();
    };
    EXPECT_EQ(structure(attention.c_str()), "{softmax fenced(( frac({Q scripts(K {} T)} root(scripts(d k {}))) )) V}");
    EXPECT_EQ(structure(R"(\sum_{i=1}^{n} x_i^2)"), "{scripts(∑ {i = 1} n) scripts(x i 2)}");
    EXPECT_EQ(structure(R"(\frac12)"), "frac(1 2)");
    EXPECT_EQ(structure(R"(\sqrt[3]{x})"), "root(x 3)");
    EXPECT_EQ(structure(R"(\begin{pmatrix} a & b \\ c \end{pmatrix})"), "fenced(( matrix2(a b c {}) ))");
    EXPECT_EQ(structure(R"(x'' - 12.5)"), "{scripts(x {} {′ ′}) − 12.5}");
    EXPECT_EQ(structure(R"(\hat{y}_{i,j})"), "scripts(hat(y) {i , j} {})");
}

TEST(TypesetFormula, NoTwoPartsOverlap) {
    for (const std::string& tex : formulas())
        for (const bool is_display : {true, false}) {
            const FormulaBox box = set(tex, is_display);
            ASSERT_EQ(box.marks.size(), box.extents.size()) << tex;
            for (std::size_t i = 0; i < box.extents.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    // Signs are made of several marks that touch; letters touch nothing.
                    if (!std::holds_alternative<TextMark>(box.marks[i]) &&
                        !std::holds_alternative<TextMark>(box.marks[j]))
                        continue;
                    const Rect& a = box.extents[i];
                    const Rect& b = box.extents[j];
                    const float x = std::min(a.right(), b.right()) - std::max(a.x, b.x);
                    const float y = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
                    // The corner of a root's or slanted line's frame is empty.
                    const bool is_sign = !std::holds_alternative<TextMark>(box.marks[i]) ||
                                         !std::holds_alternative<TextMark>(box.marks[j]);
                    if (is_sign && std::min(x, y) < 0.3F * 20) continue;
                    const auto* line =
                        std::get_if<LineMark>(&box.marks[std::holds_alternative<TextMark>(box.marks[i]) ? j : i]);
                    if (line != nullptr && line->points.size() == 3) continue;  // a root around its radicand
                    EXPECT_FALSE(x > 0.05F && y > 0.05F)
                        << tex << ": " << i << " and " << j << " share " << x << " × " << y;
                }
        }
}

TEST(TypesetFormula, EverythingLiesInItsBox) {
    for (const std::string& tex : formulas())
        for (const bool is_display : {true, false}) {
            const FormulaBox box = set(tex, is_display);
            for (const Rect& extent : box.extents) {
                EXPECT_GE(extent.x, -0.05F * 20) << tex;
                EXPECT_LE(extent.right(), box.width + 0.08F * 20) << tex;
                EXPECT_GE(extent.y, -box.ascent - 0.08F * 20) << tex;
                EXPECT_LE(extent.bottom(), box.descent + 0.08F * 20) << tex;
            }
        }
}

TEST(TypesetFormula, AFractionsBarLiesOnTheAxisBetweenItsHalves) {
    const FormulaBox box = set(R"(x + \frac{a}{b})");
    const std::vector<LineMark> lines = lines_of(box);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_FLOAT_EQ(lines[0].points[0].y, -math_axis * 20);
    EXPECT_FLOAT_EQ(lines[0].points[0].y, lines[0].points[1].y);
    EXPECT_FLOAT_EQ(find_text(box, "x")->at.y, 0);
    EXPECT_LT(find_text(box, "a")->at.y, lines[0].points[0].y);
    EXPECT_GT(find_text(box, "b")->at.y - x_height * 20, lines[0].points[0].y);
    const auto center = [&](const char* text) {
        return find_text(box, text)->at.x +
               rough_measure().width(text, find_text(box, text)->style.size, Font::italic) / 2;
    };
    EXPECT_NEAR(center("a"), (lines[0].points[0].x + lines[0].points[1].x) / 2, 0.01);
    EXPECT_NEAR(center("b"), center("a"), 0.01);
}

TEST(TypesetFormula, ScriptsAreSmallerAndNestedOnesSmallerStill) {
    const FormulaBox box = set("x_{i_j}^{2^n}");
    const float base = find_text(box, "x")->style.size;
    const float first = find_text(box, "i")->style.size;
    const float second = find_text(box, "j")->style.size;
    EXPECT_LT(first, 0.8F * base);
    EXPECT_LT(second, 0.9F * first);
    EXPECT_GT(find_text(box, "i")->at.y, 0);
    EXPECT_GT(find_text(box, "j")->at.y, find_text(box, "i")->at.y);
    EXPECT_LT(find_text(box, "2")->at.y, 0);
    EXPECT_LT(find_text(box, "n")->at.y, find_text(box, "2")->at.y);
}

TEST(TypesetFormula, LimitsOfASumStandAboveAndBelowOnlyOnALineOfItsOwn) {
    const auto places = [](bool is_display) {
        const FormulaBox box = set(R"(\sum_{i}^{n} x)", is_display);
        return std::pair{*find_text(box, "i"), *find_text(box, "n")};
    };
    const auto [below, above] = places(true);
    EXPECT_LT(std::abs(below.at.x - above.at.x), 5);
    EXPECT_GT(below.at.y - above.at.y, 1.8F * 20);
    const FormulaBox in_line = set(R"(\sum_{i}^{n} x)", false);
    EXPECT_LT(in_line.ascent + in_line.descent, 1.8F * 20);
    EXPECT_GT(places(false).first.at.x, 10);
}

TEST(TypesetFormula, BracketsGrowWithWhatTheyHold) {
    const FormulaBox small = set(R"(\left( x \right))");
    const FormulaBox large = set(R"(\left( \frac{\frac{a}{b}}{\frac{c}{d}} \right))");
    EXPECT_NE(find_text(small, "("), nullptr);
    EXPECT_EQ(find_text(large, "("), nullptr);  // drawn
    EXPECT_GT(large.extents.front().h, 2 * 20);
    EXPECT_LT(std::abs((large.extents.front().y + large.extents.front().h / 2) + math_axis * 20), 0.5F);
}

TEST(TypesetFormula, ARootCoversItsRadicand) {
    for (const char* tex : {R"(\sqrt{x})", R"(\sqrt{\frac{a}{b}})", R"(\sqrt{x^{2^n} + y_{i_j}})"}) {
        const FormulaBox box = set(tex);
        const LineMark* bar = nullptr;
        for (const Mark& mark : box.marks)
            if (const auto* line = std::get_if<LineMark>(&mark); line != nullptr && line->points.size() == 3)
                bar = line;
        ASSERT_NE(bar, nullptr) << tex;
        for (std::size_t i = 0; i < box.marks.size(); ++i) {
            if (!std::holds_alternative<TextMark>(box.marks[i])) continue;
            EXPECT_GT(box.extents[i].y, bar->points[1].y) << tex;
            EXPECT_GE(box.extents[i].x, bar->points[1].x) << tex;
            EXPECT_LE(box.extents[i].right(), bar->points[2].x) << tex;
        }
    }
}

TEST(TypesetFormula, ASignForTwoSidesHasRoomOnBothOnlyWithTwoSides) {
    EXPECT_GT(set("a - b").width, set("a b").width + set("-").width + 2);
    EXPECT_FLOAT_EQ(set("-b").width, set("-").width + set("b").width);
    EXPECT_FLOAT_EQ(set("(-b").width, set("(").width + set("-").width + set("b").width);
}

TEST(TypesetFormula, LettersOfTheRolesAreColouredOutsideSubscripts) {
    const Palette& colors = palette(Theme::light);
    const FormulaBox box = set(R"(Q K^\top v d_k W_Q e^{q})");
    std::vector<Color> k;
    for (const Mark& mark : box.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) {
            if (text->text == "K") {
                EXPECT_EQ(text->style.color, colors.key);
            }
            if (text->text == "v") {
                EXPECT_EQ(text->style.color, colors.value);
            }
            if (text->text == "q") {
                EXPECT_EQ(text->style.color, colors.query);
            }
            if (text->text == "k") {
                EXPECT_EQ(text->style.color, Color());
            }
            if (text->text == "Q") k.push_back(text->style.color);
        }
    EXPECT_EQ(k, (std::vector<Color>{colors.query, Color()}));
}

TEST(TypesetFormula, WhatIsNotKnownIsRefusedInOneSentence) {
    for (const char* tex :
         {R"(\foo)", "{", "}", "x^", "x_1_2", R"(\frac{1})", R"(\left( x)", R"(\begin{what} x \end{what})",
          R"(\begin{matrix} x)", R"(\sqrt[3)", "", " ", "\\", R"(\text{x)", "a & b", "$", "\x01", "\xff"}) {
        const Result<FormulaNode> node = parse_formula(tex);
        ASSERT_FALSE(node) << tex;
        EXPECT_EQ(node.error().find('\n'), std::string::npos) << tex;
    }
}

TEST(TypesetFormula, DepthIsBounded) {
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += "\\sqrt{";
    EXPECT_FALSE(parse_formula(deep));
    EXPECT_FALSE(parse_formula(std::string(5000, '{') + "x" + std::string(5000, '}')));
    EXPECT_FALSE(parse_formula(std::string(30000, 'x')));
    std::string scripts = "x";
    for (int i = 0; i < 3000; ++i) scripts += "^{x";
    EXPECT_FALSE(parse_formula(scripts));
}

TEST(TypesetFormula, NothingThatIsTypedBreaksIt) {
    const std::vector<std::string> tokens = {"\\frac",
                                             "\\sqrt",
                                             "{",
                                             "}",
                                             "[",
                                             "]",
                                             "_",
                                             "^",
                                             "'",
                                             "\\left",
                                             "\\right",
                                             "(",
                                             ")",
                                             "|",
                                             "\\begin{bmatrix}",
                                             "\\end{bmatrix}",
                                             "\\begin{cases}",
                                             "\\end{cases}",
                                             "&",
                                             "\\\\",
                                             "\\sum",
                                             "\\int",
                                             "x",
                                             "Q",
                                             "12",
                                             "·",
                                             "值",
                                             "\\text{a b}",
                                             "\\hat",
                                             "\\!",
                                             "\\limits",
                                             "\\bigl",
                                             "\\",
                                             "\xff",
                                             "\\mathbf",
                                             " "};
    std::mt19937 random(7);
    int n_set = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        std::string tex;
        const int n = static_cast<int>(random() % 14);
        for (int i = 0; i < n; ++i) tex += tokens[random() % tokens.size()] + (random() % 2 == 0 ? " " : "");
        if (const Result<FormulaNode> node = parse_formula(tex)) {
            const FormulaBox box = lay_out_formula(*node, {14, Theme::dark, {}, true, trial % 2 == 0}, rough_measure());
            EXPECT_TRUE(std::isfinite(box.width) && box.width >= 0 && std::isfinite(box.ascent)) << tex;
            ++n_set;
        }
    }
    EXPECT_GT(n_set, 500);
}

TEST(TypesetFormula, SymbolsTypedInRunningTextAreFormulas) {
    struct Case {
        const char* text;
        std::vector<std::string> tex;
    };
    const Case cases[] = {
        {"the d_k of it", {"", "d_{k}", ""}},
        {"除以 √d_k，", {"", "\\sqrt{d_{k}}", ""}},
        {"W_Q and q_i.", {"W_{Q}", "", "q_{i}", ""}},
        {"d_model is", {"d_{\\mathrm{model}}", ""}},
        {"Q = XW_Q、", {"", "XW_{Q}", ""}},
        {"∂L/∂out_i and α_ij", {"", "\\partial \\mathrm{out}_{i}", "", "α_{ij}"}},
        {"head_i", {"\\mathrm{head}_{i}"}},
        {"set model.d_k to", {""}},
        {"n_queries_here, snake_case", {""}},
        {"_x and x_", {""}},
        {"", {}},
    };
    for (const Case& one : cases) {
        std::vector<std::string> tex;
        std::string all;
        for (const TypedSpan& span : typed_symbols(one.text)) {
            tex.push_back(span.tex);
            all += span.text;
        }
        EXPECT_EQ(tex, one.tex) << one.text;
        EXPECT_EQ(all, one.text);
    }
}

}  // namespace
}  // namespace heed
