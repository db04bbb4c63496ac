#include "core/files/csv.h"

#include "core/files/number_text.h"
#include "core/files/shown.h"
#include "tests/files/mutate.h"

#include "core/files/atomic_write.h"
#include "tests/peak_memory.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace heed {
namespace {

using Names = std::vector<std::string>;
constexpr float inf = std::numeric_limits<float>::infinity();

// The table, which must be there.
CsvTable table_of(std::string_view text) {
    Result<CsvTable> table = parse_csv(text, "t.csv");
    EXPECT_TRUE(table) << table.error();
    return table ? *table : CsvTable{};
}

std::string error_of(std::string_view text) {
    const Result<CsvTable> table = parse_csv(text, "t.csv");
    if (table) return "no error";
    EXPECT_TRUE(error_in_chinese(table.error())) << table.error();
    return table.error();
}

Matrix two_by_two(float a, float b, float c, float d) {
    Matrix matrix(2, 2);
    matrix << a, b, c, d;
    return matrix;
}

TEST(Csv, CommaSemicolonTabAndSpacesAreFound) {
    const Matrix expected = two_by_two(1, 2.5F, -3, 4e2F);
    for (const auto& [text, delimiter] : {std::pair("1,2.5\n-3,4e2\n", ','), std::pair("1;2.5\n-3;4e2", ';'),
                                          std::pair("1\t2.5\n-3\t4e2\n", '\t'), std::pair("1  2.5\n -3 4e2 \n", ' ')}) {
        const CsvTable table = table_of(text);
        EXPECT_TRUE(same(table.values, expected)) << text;
        EXPECT_EQ(table.delimiter, delimiter) << text;
        EXPECT_TRUE(table.names.empty());
    }
}

TEST(Csv, AnyLineEndingAndBlankLinesAtEitherEnd) {
    const Matrix expected = two_by_two(1, 2, 3, 4);
    for (const char* text : {"1,2\r\n3,4\r\n", "1,2\r3,4\r", "1,2\n3,4", "\n \r\n1,2\n3,4\n\n \n\r\n",
                             "\xEF\xBB\xBF"
                             "1,2\n3,4\n",
                             " 1 , 2\n 3 , 4 \n", "\"1\",\"2\"\n\"3\",4\n", "+1,2.\n3,.4e1\n",
                             "1,\xC2\xA0"
                             "2\n3,4\xC2\xA0\n"})
        EXPECT_TRUE(same(table_of(text).values, expected)) << text;
}

TEST(Csv, OneNumberIsATable) {
    EXPECT_EQ(table_of("7").values(0, 0), 7);
    EXPECT_EQ(table_of("1\n2\n3").values.rows(), 3);
    EXPECT_EQ(table_of("1,2,3").values.cols(), 3);
}

TEST(Csv, InfinitiesNanAndTheMinusSignOfPrintAreNumbers) {
    const Matrix values = table_of(
                              "inf,-inf\nNaN,\xE2\x88\x92"
                              "2\n")
                              .values;
    EXPECT_EQ(values(0, 0), inf);
    EXPECT_EQ(values(0, 1), -inf);
    EXPECT_TRUE(std::isnan(values(1, 0)));
    EXPECT_EQ(values(1, 1), -2);
}

TEST(Csv, FirstRowWithoutNumbersIsNames) {
    const CsvTable table = table_of("The,\"cat, \"\"sat\"\"\",\"on\nthe\",垫子\n1,2,3,4\n");
    EXPECT_EQ(table.names, (Names{"The", "cat, \"sat\"", "on\nthe", "垫子"}));
    EXPECT_EQ(table.values.rows(), 1);
    EXPECT_EQ(table_of("a,\"2024\"\n1,2\n").names, (Names{"a", "2024"}));
    EXPECT_EQ(table_of(",b\n1,2\n").names, (Names{"", "b"}));
    EXPECT_EQ(table_of("\tb\n1\t2\n").names, (Names{"", "b"}));
    EXPECT_TRUE(table_of("\"1\",\"2\"\n3,4\n").names.empty());
}

TEST(Csv, RowWithATypingErrorIsNotTakenForNames) {
    EXPECT_EQ(error_of("1,2,x3\n4,5,6\n"), "t.csv: line 1, column 3: \"x3\" is not a number");
}

TEST(Csv, LineNumbersCountLineBreaksInsideQuotes) {
    EXPECT_EQ(error_of("\"a\nb\",c\n1,2\n3,dog\n"), "t.csv: line 4, column 2: \"dog\" is not a number");
}

TEST(Csv, RaggedRowsAreNamedWithBothCounts) {
    EXPECT_EQ(error_of("1,2,3\n4,5\n"), "t.csv: line 2 has 2 values, but line 1 has 3");
    EXPECT_EQ(error_of("a,b\n1,2\n1,2,3\n"), "t.csv: line 3 has 3 values, but line 1 has 2");
    EXPECT_EQ(error_of("1,2,3\n4\n"), "t.csv: line 2 has 1 value, but line 1 has 3");
    EXPECT_EQ(error_of("1,2\n\n3,4\n"), "t.csv: line 2 has 0 values, but line 1 has 2");
    EXPECT_EQ(error_of("1\n\n3\n"), "t.csv: line 2 has 0 values, but line 1 has 1");
}

TEST(Csv, EachOtherMistakeHasItsSentence) {
    EXPECT_EQ(error_of(""), "t.csv: there is nothing in it");
    EXPECT_EQ(error_of(" \n\r\n"), "t.csv: there is nothing in it");
    EXPECT_EQ(error_of("a,b\n"), "t.csv: there are no numbers below the row of names");
    EXPECT_EQ(error_of("1,,3\n"), "t.csv: line 1, column 2: the cell is empty");
    EXPECT_EQ(error_of("1,2\n3,\"4\n"), "t.csv: line 2, column 2: the quotation mark is never closed");
    EXPECT_EQ(error_of("1,2\n\"3\"x,4\n"),
              "t.csv: line 2, column 1: \"x,4\xEF\xBF\xBD\" follows the closing quotation mark");
    EXPECT_EQ(error_of("\xFF\xFE"
                       "1\0,\0"),
              "t.csv: the text is UTF-16; save it as UTF-8");
    EXPECT_EQ(error_of(std::string_view("1,2\0", 4)), "t.csv: this is not text (byte 4 is zero)");
    EXPECT_EQ(error_of("1,1e\n"), "t.csv: line 1, column 2: \"1e\" is not a number");
    EXPECT_EQ(error_of("1,0x10\n"), "t.csv: line 1, column 2: \"0x10\" is not a number");
    EXPECT_EQ(error_of("1,2\n3,--4\n"), "t.csv: line 2, column 2: \"--4\" is not a number");
}

TEST(Csv, DecimalCommaIsReadOnlyWhereNothingElseIsMeant) {
    EXPECT_TRUE(same(table_of("1,5;2\n-0,25;3,0e1\n").values, two_by_two(1.5F, 2, -0.25F, 30)));
    EXPECT_TRUE(same(table_of("1,5\t1,234\n2\t3\n").values, two_by_two(1.5F, 1.234F, 2, 3)));
    EXPECT_EQ(error_of("1,234\t2\n"),
              "t.csv: line 1, column 1: \"1,234\" may be a decimal comma or a thousands separator; write it without "
              "the comma");
    EXPECT_EQ(error_of("1,5;2.5\n"),
              "t.csv: line 1, column 1: \"1,5\" has a decimal comma, but \"2.5\" on line 1 a decimal point");
    EXPECT_EQ(error_of("1,234,567;2\n"), "t.csv: line 1, column 1: \"1,234,567\" is not a number");
}

TEST(Csv, EveryFloatReadsBackAsItself) {
    std::mt19937 random(7);
    Matrix values(100, 50);
    for (Index i = 0; i < values.size(); ++i)
        values.data()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    values(0, 0) = std::numeric_limits<float>::denorm_min();
    values(0, 1) = std::numeric_limits<float>::max();
    values(0, 2) = -inf;
    values(0, 3) = -0.0F;
    EXPECT_TRUE(same(table_of(to_csv(values)).values, values));
    const CsvTable tabs = table_of(to_tsv(values));
    EXPECT_TRUE(same(tabs.values, values));
    EXPECT_EQ(tabs.delimiter, '\t');
    EXPECT_TRUE(std::signbit(tabs.values(0, 3)));
}

TEST(Csv, NamesReadBackWhateverTheyHold) {
    const Names names{"The", "cat, or \"dog\"", "on\r\nthe", " mat ", "2024", "猫;鱼\t", ""};
    const Matrix values = Matrix::Constant(2, 7, 0.5F);
    for (const std::string& text : {to_csv(values, names), to_tsv(values, names)}) {
        const CsvTable table = table_of(text);
        EXPECT_EQ(table.names, names) << text;
        EXPECT_TRUE(same(table.values, values));
    }
}

TEST(Csv, WrittenTextIsPlain) {
    EXPECT_EQ(to_csv(two_by_two(0.1F, 1, -2, 1e10F), Names{"a", "b"}), "a,b\n0.1,1\n-2,1e+10\n");
    EXPECT_EQ(to_tsv(two_by_two(0.1F, 1, -2, 1e-10F)), "0.1\t1\n-2\t1e-10\n");
}

TEST(Csv, NumbersBeyondFloatBecomeInfinityOrZero) {
    EXPECT_EQ(parse_float("1e39"), inf);
    EXPECT_EQ(parse_float("-1e999999999999999999999"), -inf);
    EXPECT_EQ(parse_float("1e-60"), 0.0F);
    EXPECT_EQ(parse_float("0." + std::string(400, '0') + "1"), 0.0F);
    EXPECT_EQ(parse_float(std::string(400, '9')), inf);
    EXPECT_EQ(parse_float(std::string(400, '0') + "1"), 1.0F);
    EXPECT_EQ(parse_float("0e999999"), 0.0F);
    for (const char* text : {"", "-", "+", "e5", ".", "1 2", "nan(7)", "+-1", "-−1", "1f", "0x1p3"})
        EXPECT_FALSE(parse_float(text)) << text;
}

TEST(Csv, ForeignTextIsShownOnOneLine) {
    EXPECT_EQ(shown("a\nb\x7F"
                    "c\xC3("),
              "a\xEF\xBF\xBD"
              "b\xEF\xBF\xBD"
              "c\xEF\xBF\xBD(");
    EXPECT_EQ(shown("今天天气真好", 4), "今天天气…");
    EXPECT_TRUE(is_utf8("猫 喜欢 🐟"));
    for (const char* text : {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE4\xBB", "\x80", "\xE0\x80\x80"})
        EXPECT_FALSE(is_utf8(text));
}

TEST(Csv, ThousandsOfBrokenTablesGiveAConsistentMatrixOrASentence) {
    const std::vector<std::string> whole{"1,2,3\n4,5,6\n",
                                         "The,cat,\"sat, \"\"on\"\"\"\n0.1,0.2,0.3\n1e-5,inf,nan\n",
                                         "1,5;2,5\r\n3,25;4\r\n",
                                         "1\t2\n3\t4\n5\t6\n",
                                         " 1 2 3\n 4 5 6\n",
                                         "\xEF\xBB\xBF\"猫\",\"喜欢\"\n1,2\n",
                                         to_csv(Matrix::Constant(20, 8, 0.123456F))};
    test::Mutator mutator(20260102);
    int refused = 0;
    constexpr int n_files = 20000;
    for (int i = 0; i < n_files; ++i) {
        const std::string text = mutator.damage(whole[mutator.below(whole.size())], whole[mutator.below(whole.size())]);
        const Result<CsvTable> table = parse_csv(text, "broken.csv");
        if (table) {
            ASSERT_GE(table->values.size(), 1);
            ASSERT_LE(table->values.size(), static_cast<Index>(text.size()));
            ASSERT_TRUE(table->names.empty() || static_cast<Index>(table->names.size()) == table->values.cols());
        } else {
            ASSERT_TRUE(test::is_one_sentence(table.error(), "broken.csv")) << table.error();
            ++refused;
        }
    }
    EXPECT_GT(refused, n_files / 4);
    EXPECT_LT(refused, n_files);
}

TEST(Csv, NoNameIsAFormulaForASpreadsheet) {
    const Names names{"=HYPERLINK(\"http://x\")", "+1+1", "-2+3", "@SUM(1)", "\t=1", "-1.5", "cat-sat"};
    for (const char delimiter : {',', '\t'}) {
        const Matrix numbers = Matrix::Zero(1, static_cast<Index>(names.size()));
        const std::string text = delimiter == ',' ? to_csv(numbers, names) : to_tsv(numbers, names);
        const CsvTable table = table_of(text);
        ASSERT_EQ(table.names.size(), names.size()) << text;
        for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(table.names[i], "'" + names[i]) << text;
        EXPECT_EQ(table.names[5], "-1.5") << "a number is no formula";
        EXPECT_EQ(table.names[6], "cat-sat");
    }
}

TEST(Csv, ALargeFileIsReadInThreeTimesItsSizeAndCanBeStopped) {
    const TemporaryFolder folder;
    std::string text;
    for (int row = 0; row < 8000; ++row)
        for (int column = 0; column < 500; ++column)
            text += (column == 0 ? "" : ",") + std::to_string((row * 7 + column) % 100) + (column == 499 ? "\n" : "");
    const std::filesystem::path file = folder.path / "large.csv";
    ASSERT_TRUE(write_file(file, text));
    [[maybe_unused]] const std::size_t size = text.size();  // under a sanitizer its memory is not looked at
    text = {};
    double last = 0;
    {
        const PeakMemory peak;
        const Result<CsvTable> table = read_csv(file, [&last](double share) {
            EXPECT_GE(share, last);
            last = share;
            return true;
        });
        ASSERT_TRUE(table) << table.error();
        EXPECT_EQ(table->values.rows(), 8000);
        EXPECT_EQ(table->values(7999, 499), static_cast<float>((7999 * 7 + 499) % 100));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        EXPECT_LT(peak.bytes(), 3 * size);
#endif
    }
    EXPECT_GT(last, 0.8);
    const Result<CsvTable> stopped = read_csv(file, [](double share) { return share < 0.3; });
    ASSERT_FALSE(stopped);
    EXPECT_NE(stopped.error().find("stopped"), std::string::npos) << stopped.error();
}

}  // namespace
}  // namespace heed
