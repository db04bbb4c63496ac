// Claimed rows of weights: read with the digits they were given, and held against the true ones.
#include "core/lessons/claimed_row.h"
#include "core/lessons/actions.h"
#include "core/lessons/expression.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(TypedNumber, KeepsHowExactlyItWasMeant) {
    struct Case {
        const char* text;
        double value, half_unit;
    };
    for (const Case& one : {Case{"0.87", 0.87, 0.005}, Case{"0,87", 0.87, 0.005}, Case{"87%", 0.87, 0.005},
                            Case{"87.0 %", 0.87, 0.0005}, Case{"2.06e-9", 2.06e-9, 0.5e-11}, Case{"−3", -3, 0.5},
                            Case{"1/4", 0.25, 0}, Case{"5％", 0.05, 0.005}, Case{"1e2", 100, 50}}) {
        const std::optional<TypedNumber> number = typed_number(one.text);
        ASSERT_TRUE(number) << one.text;
        EXPECT_NEAR(number->value, one.value, 1e-15) << one.text;
        EXPECT_NEAR(number->half_unit, one.half_unit, 1e-6 * one.half_unit + 1e-18) << one.text;
    }
    for (const char* text : {"", "much", "1/0", "nan", "inf", "0.5.5", "--1", "1e999", "%"})
        EXPECT_FALSE(typed_number(text)) << text;
}

TEST(TypedRow, IsTakenApartHoweverItWasWritten) {
    const std::vector<std::string> row = {"0.87", "0.09", "0.04"};
    for (const char* text : {"[0.87, 0.09, 0.04]", "0.87 0.09 0.04", "0.87,0.09,0.04", "0.87、0.09、0.04",
                             "(0.87; 0.09; 0.04)", "0.87\t0.09\t0.04"})
        EXPECT_EQ(typed_row(text), row) << text;
    EXPECT_EQ(typed_row("0,87"), std::vector<std::string>{"0,87"}) << "a decimal comma";
    EXPECT_TRUE(typed_row(" ").empty());
}

// The wrong numbers of the texts, and the right ones.
TrueRow row_of(std::string_view scene, int query) {
    const Scene opened = *example_scene(scene);
    return *true_row(opened.model, *trace_of(opened.model, nullptr), 0, query);
}

std::string said(const std::vector<std::string>& typed, std::string_view scene, int query,
                 Language language = Language::english) {
    return row_sentence(judge_row(typed, row_of(scene, query)), example_scene(scene)->model, language);
}

TEST(ClaimedRow, SaysWhatIsWrongFirst) {
    EXPECT_EQ(said({"0.87", "0.09", "0.04"}, "claims", 3),
              "“first” is furthest off: 0.87 is claimed, 0.9966 is true. Wrong to the digits given: 3 of 3.");
    EXPECT_EQ(said({"0.95", "0.05", ""}, "claims", 0),
              "“first” is furthest off: 0.95 is claimed, 0.9975 is true. Wrong to the digits given: 2 of 2.");
    EXPECT_EQ(said({"0.92", "0.08", "0.00"}, "claims", 2),
              "“third” is furthest off: 0.00 is claimed, 0.0062 is true. Wrong to the digits given: 1 of 3.");
    EXPECT_EQ(said({"0.92", "0.08", "0.01"}, "claims", 2), "All 3 are right to the digits given.");
    EXPECT_EQ(said({"0.9999", "0.0001", "0.0000"}, "claims", 1),
              "“first” is furthest off: 0.9999 is claimed, 1.00000 is true. Wrong to the digits given: 2 of 3.");
    EXPECT_EQ(said({"1", "2.1e-9", "4e-18"}, "claims", 1), "All 3 are right to the digits given.");
    EXPECT_EQ(said({"1", "2.2e-9", "4e-18"}, "claims", 1),
              "“second” is furthest off: 2.2e-9 is claimed, 2.1e−9 is true. Wrong to the digits given: 1 of 3.");
    EXPECT_EQ(
        said({"0.03", "0.05", "0.07", "0.09", "0.00", "0.03", "0.12", "0.14", "0.16", "0.18"}, "weather", 9),
        "What is claimed sums to 0.87; the true row sums to 1.00. “，” is furthest off: 0.00 is claimed, 0.0667 is "
        "true. Wrong to the digits given: 10 of 10.");
    EXPECT_EQ(said({"0.92", "0.08", "0.01"}, "claims", 2, Language::chinese), "按所给的位数，3 个全都正确。");
    EXPECT_EQ(said({"0.92", "", "0.01"}, "claims", 2), "") << "a cell is empty";
}

TEST(ClaimedRow, ANumberWithoutDecimalsIsHeldToTwo) {
    const TrueRow row = row_of("claims", 2);  // 0.9184, 0.0754, 0.0062
    EXPECT_FALSE(judge_row({"1", "0", "0"}, row).right());
    EXPECT_EQ(judge_row({"1", "0", "0"}, row).n_wrong, 3);
    EXPECT_TRUE(judge_row({"0.918", "0.075", "0.006"}, row).right());
    EXPECT_FALSE(judge_row({"0.919", "0.075", "0.006"}, row).right());
}

TEST(ClaimedRow, HasTheKeysThatTheQuerySeesAndNoOther) {
    const TrueRow row = row_of("claims", 0);
    EXPECT_EQ(row.keys, (std::vector<int>{0, 1}));
    EXPECT_NEAR(row.weights[0] + row.weights[1], 1, 1e-6);
    const Scene scene = *example_scene("claims");
    for (const double query : {-1.0, 4.0, 0.5})
        EXPECT_FALSE(true_row(scene.model, *trace_of(scene.model, nullptr), 0, query)) << query;
    EXPECT_EQ(texts_by_key({"a", "b"}, TrueRow{0, {0, 2}, {0.5, 0.5}}, 3), (std::vector<std::string>{"a", "", "b"}));
}

TEST(ClaimedRow, NumbersOfTheTableNeverLookLikeWhatTheyAreNot) {
    EXPECT_EQ(row_number(0.99997, 4), "0.99997");
    EXPECT_EQ(row_number(1, 4), "1.0000");
    EXPECT_EQ(row_number(2.06e-9, 4), "2.1e−9");
    EXPECT_EQ(row_number(-0.0438, 4), "−0.0438");
    EXPECT_EQ(row_number(0, 4), "0");
}

}  // namespace
}  // namespace heed
