#include "core/attention/pipeline.h"
#include "core/files/scene_file.h"
#include "core/lessons/expression.h"
#include "core/lessons/lesson_text.h"
#include "core/told_error.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

struct Looked {
    Scene scene = default_scene();
    AttentionTrace trace = run_attention(scene.model);
    Moment moment{.scene = scene, .trace = trace};
};

Result<LessonValue> value_of(std::string_view text, const Allowed& allowed = {}, Cell cell = {}) {
    Looked looked;
    looked.moment.cell = cell;
    looked.moment.answer = LessonValue(0.25);
    const Result<Expression> expression = parse_expression(text, allowed);
    if (!expression) return Error{expression.error()};
    return evaluate(*expression, looked.moment);
}

double number(std::string_view text) {
    const Result<LessonValue> value = value_of(text);
    EXPECT_TRUE(value) << text << ": " << value.error();
    return value && std::holds_alternative<double>(*value) ? std::get<double>(*value) : std::nan("");
}
bool truth(std::string_view text) {
    const Result<LessonValue> value = value_of(text);
    EXPECT_TRUE(value) << text << ": " << value.error();
    return value && std::holds_alternative<bool>(*value) && std::get<bool>(*value);
}

TEST(LessonExpression, ArithmeticBindsAsInASchoolbook) {
    EXPECT_DOUBLE_EQ(number("1 + 2 * 3"), 7);
    EXPECT_DOUBLE_EQ(number("(1 + 2) * 3"), 9);
    EXPECT_DOUBLE_EQ(number("2 - 3 - 4"), -5);
    EXPECT_DOUBLE_EQ(number("16 / 4 / 2"), 2);
    EXPECT_DOUBLE_EQ(number("-2 ^ 2"), -4);
    EXPECT_DOUBLE_EQ(number("2 ^ 3 ^ 2"), 512);
    EXPECT_DOUBLE_EQ(number("2 ^ -1"), 0.5);
    EXPECT_DOUBLE_EQ(number("−3 · 2 × 2"), -12);
    EXPECT_DOUBLE_EQ(number(".5 + 1e-1"), 0.6);
    EXPECT_DOUBLE_EQ(number("abs(-2) + min(3, 1, 2) + max(4, 5) + sqrt(9) + exp(0) + ln(1) + round(2.4)"), 14);
}

TEST(LessonExpression, ConditionsAreJoinedAndTurned) {
    EXPECT_TRUE(truth("1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3 and 1 == 1 and 1 != 2"));
    EXPECT_TRUE(truth("1 ≤ 1 and 2 ≥ 1 and 1 ≠ 2"));
    EXPECT_TRUE(truth("not (1 > 2) and (false or true)"));
    EXPECT_TRUE(truth("true or 1 / 0 > 1")) << "what decides comes first";
    EXPECT_FALSE(truth("false and 1 / 0 > 1"));
    EXPECT_TRUE(truth("not not true"));
}

TEST(LessonExpression, FieldsAreThoseOfTheScene) {
    EXPECT_DOUBLE_EQ(number("model.d_k"), 16);
    EXPECT_TRUE(truth("model.mask.causal and model.score == \"scaled-dot\" and model.scaling == \"automatic\""));
    EXPECT_TRUE(truth("model.heads[1].on and title == \"The cat sat on the mat\""));
    EXPECT_NEAR(number("model.q[0][2][3]"), static_cast<double>((*default_scene().model.q[0])(2, 3)), 1e-7);
    Scene scene = default_scene();
    ASSERT_TRUE(set_field(scene, "model.temperature", "0.1"));
    const AttentionTrace trace = run_attention(scene.model);
    const Result<Expression> same = parse_condition("model.temperature == 0.1");
    ASSERT_TRUE(same);
    EXPECT_TRUE(*evaluate_condition(*same, {.scene = scene, .trace = trace}))
        << "as it is shown, not as float stores it";
}

TEST(LessonExpression, NamesOfAMomentAreKnownOnlyWhereTheyMeanSomething) {
    EXPECT_FALSE(value_of("q == 3"));
    const Result<LessonValue> clicked = value_of("q == 3 and k == 1", {.cell = true}, {3, 1});
    ASSERT_TRUE(clicked);
    EXPECT_TRUE(std::get<bool>(*clicked));
    EXPECT_FALSE(value_of("answer + 1"));
    EXPECT_DOUBLE_EQ(std::get<double>(*value_of("answer + 1", {.answer = ValueKind::number})), 1.25);
    EXPECT_FALSE(value_of("answer", {.answer = ValueKind::text})) << "it is of another kind";
}

// Each in one line, in both languages, naming what is wrong.
TEST(LessonExpression, WhatIsWrongIsOneSentence) {
    const std::pair<std::string, std::string> wrong[] = {
        {"", "empty"},
        {"1 +", "missing at the end"},
        {"1 2", "not expected"},
        {"(1", "not closed"},
        {"weight(0", "not closed"},
        {"1 = 1", "=="},
        {"1 < 2 < 3", "and"},
        {"1 and true", "wants a condition"},
        {"true + 1", "wants a number"},
        {"not 1", "wants a condition"},
        {"\"a\" < \"b\"", "wants a number"},
        {"model.score == 1", "compares a word with a number"},
        {"\"open", "does not end"},
        {"wieght(0, 1)", "weight"},
        {"model.temprature", "model.temperature"},
        {"model.mask", "group"},
        {"model.query_tokens", "list"},
        {"weight(0)", "weight(q, k[, head])"},
        {"weight(0, 1, 2, 3)", "weight(q, k[, head])"},
        {"weight(\"a\", 1)", "argument 1"},
        {"weight(99, 1)", "not between 0 and 5"},
        {"weight(-1, 1)", "not between 0 and 5"},
        {"weight(0.5, 1)", "whole"},
        {"weight(0, 1, 4)", "not between 0 and 3"},
        {"1 / 0", "division by 0"},
        {"sqrt(-1)", "below 0"},
        {"ln(0)", "above 0"},
        {"(-1) ^ 0.5", "no number"},
        {"model.soft_cap", "off"},
        {"model.heads[99].on", "not between"},
        {"softmax_of(3, 1, 2)", "of 2 numbers"},
        {"operations(\"denes\", 10)", "dense"},
        {"1 ? 2", "?"},
        {"#", "#"},
        {"\x01", "means nothing"},
    };
    for (const auto& [text, named] : wrong) {
        const Result<LessonValue> value = value_of(text);
        ASSERT_FALSE(value) << text;
        EXPECT_NE(value.error().find(named), std::string::npos) << text << ": " << value.error();
        EXPECT_EQ(value.error().find('\n'), std::string::npos);
        EXPECT_TRUE(error_in_chinese(value.error())) << value.error();
    }
}

TEST(LessonExpression, NothingLongOrDeepIsRead) {
    EXPECT_FALSE(value_of(std::string(most_expression_bytes + 1, '1')));
    EXPECT_FALSE(value_of(std::string(400, '(') + "1" + std::string(400, ')')));
    EXPECT_FALSE(value_of("1" + [] {
        std::string powers;
        for (int i = 0; i < 400; ++i) powers += "^1";
        return powers;
    }()));
    EXPECT_DOUBLE_EQ(number(std::string(900, '-') + "1"), 1);
    std::string sum = "0";
    while (sum.size() < 200) sum += "+1";
    EXPECT_DOUBLE_EQ(number(sum), 100);
    while (sum.size() < 1990) sum += "+1";
    EXPECT_FALSE(value_of(sum)) << "a sum of a thousand terms is a tree a thousand deep";
    EXPECT_TRUE(truth(std::string([] {
                          std::string nots;
                          for (int i = 0; i < 400; ++i) nots += "not ";
                          return nots;
                      }()) +
                      "true"));
}

std::string filled(std::string_view text, std::vector<TextFault>* faults = nullptr) {
    const Looked looked;
    return filled_text(text, looked.moment, {}, Language::english, faults);
}

TEST(LessonText, NumbersStandWhereBracesWere) {
    EXPECT_EQ(filled("d is {model.d_k}, T is {model.temperature:2}, {1 / 8:%} or {0.0314:%1}."),
              "d is 16, T is 1.00, 12 % or 3.1 %.");
    EXPECT_EQ(filled("{2.3571} {0.031415} {1234567.5} {-1 / 3}"), "2.36 0.031 1.2e6 −0.33");
    EXPECT_EQ(filled("{weights_bytes(1000):bytes}"), "4 MB");
    EXPECT_EQ(filled("{query_label(1)} {1 < 2}"), "cat yes");
    EXPECT_EQ(filled("{0.99751:%} {1:%} {0.9999999:%}"), "99.8 % 100 % 99.99999 %") << "not all is not all";
    const Looked looked;
    EXPECT_EQ(filled_text("{1 < 2}", looked.moment, {}, Language::chinese), "是");
}

TEST(LessonText, FormulasAndCodeKeepTheirBraces) {
    EXPECT_EQ(filled("$\\sum_{i=1}^{d_k} q_i$ and `{x}` and \\{x\\}"), "$\\sum_{i=1}^{d_k} q_i$ and `{x}` and \\{x\\}");
    EXPECT_EQ(filled("$d_k = {=model.d_k}$, $${=1/3}$$"), "$d_k = 16$, $$0.33$$");
    EXPECT_EQ(filled("${=10 ^ 9}$"), "$1.0\\cdot 10^{9}$");
    EXPECT_EQ(filled("{=model.d_k}"), "16");
}

TEST(LessonText, LinksBecomeMarkdown) {
    EXPECT_EQ(filled("[Set {model.d_k}](set: model.d_k=256) (no link) [plain] ]("),
              "[Set 16](<set: model.d_k=256>) (no link) [plain] ](");
    const std::vector<TextLink> links = links_in(
        "a [b](set: model.d_k=2;\n view: heads)\n[c](<look: pipeline.weights>) $[d](e)$ `[f](g)` "
        "[h](set: model.query_tokens=[\"a)\", \"b\"])");
    ASSERT_EQ(links.size(), 3U);
    EXPECT_EQ(links[0].destination, "set: model.d_k=2;  view: heads");
    EXPECT_EQ(links[1].destination, "look: pipeline.weights");
    EXPECT_EQ(links[1].line, 2);
    EXPECT_EQ(links[2].destination, "set: model.query_tokens=[\"a)\", \"b\"]");
}

TEST(LessonText, WordsOfTheSceneAreShownLetterByLetter) {
    Looked looked;
    looked.scene.model.query_tokens[1] = "*[a](b)*";
    EXPECT_EQ(filled_text("{query_label(1)}", looked.moment, {}, Language::english), "\\*\\[a\\]\\(b\\)\\*");
}

TEST(LessonText, WhatCannotBeComputedIsADashAndAFault) {
    std::vector<TextFault> faults;
    EXPECT_EQ(filled("a\n{nothing}\n{1:x} {open\n\n$open [a](b", &faults), "a\n—\n— {open\n\n$open [a](b");
    ASSERT_EQ(faults.size(), 5U);
    EXPECT_EQ(faults[0].line, 1);
    EXPECT_EQ(faults[1].line, 2);
    EXPECT_EQ(faults[3].line, 4);
    faults.clear();
    filled("${=query_label(1)}$", &faults);
    EXPECT_EQ(faults.size(), 1U);
}

}  // namespace
}  // namespace heed
