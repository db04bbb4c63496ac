// What is true of a score function, a normaliser or a position is said by its row. Code that asks for the row's id instead
// would take a new row for one of the old ones.
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "tests/any_row.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heed {
namespace {

struct Line {
    std::string file;  // from the project's folder
    std::string text;
};

std::vector<Line> lines_of_the_program() {
    const std::filesystem::path root = HEED_SOURCE_DIR;
    std::vector<Line> lines;
    for (const char* folder : {"core", "app"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
            std::ifstream file(entry.path());
            for (std::string text; std::getline(file, text);)
                lines.push_back({std::filesystem::relative(entry.path(), root).string(), text});
        }
    EXPECT_GT(lines.size(), 10000U);
    return lines;
}

// Words that only look like ids: TeX's names of signs, and what lessons call their quantities and places.
bool is_another_word(const Line& line) {
    return line.file.starts_with("core/typeset/") ||
           (line.file.starts_with("core/lessons/") && (line.text.find(".name = \"") != std::string::npos ||
                                                       line.text.find("key == \"argmax\"") != std::string::npos));
}

// The lines outside the table's file that hold the id as a string. A default is one constant: in the group that every layer
// has one of, or in the model, once for the shown layer and once for the others.
template <typename Table>
void expect_ids_only_in(const char* table_file, const Table& table, std::string_view field, std::string_view usual) {
    std::map<std::string, int> defaults;
    for (const Line& line : lines_of_the_program())
        for (const auto& row : table) {
            if (line.file == table_file) continue;
            if (is_another_word(line)) continue;
            if (line.file == "core/transformer/families.cpp") continue;  // a family names the rows it is made of
            if (line.text.find("\"" + std::string(row.id) + "\"") == std::string::npos) continue;
            // Lessons have words of their own, some of which are ids: names of quantities, and pin Q,argmax.
            if (line.file.starts_with("core/lessons/") &&
                (line.text.find(".name = ") != std::string::npos || row.id == "argmax"))
                continue;
            // An ordinary word such as "none" is an id only where the field is spoken of.
            if (row.id == usual && line.text.find(field) == std::string::npos) continue;
            const int places = line.file == "core/model.h" ? 2 : line.file.starts_with("core/model/") ? 1 : 0;
            if (row.id == usual && places > 0 && ++defaults[line.file] <= places) continue;
            ADD_FAILURE() << line.file << " asks for " << row.id << " by its id; its row in " << table_file
                          << " should say what is wanted:\n"
                          << line.text;
        }
}

TEST(TableRows, NoCodeAsksForAScoreFunctionByItsId) {
    expect_ids_only_in("core/attention/score_functions.cpp", score_functions(), "score", "scaled-dot");
}

TEST(TableRows, NoCodeAsksForANormaliserByItsId) {
    expect_ids_only_in("core/attention/normalizers.cpp", normalizers(), "normalizer", "softmax");
}

TEST(TableRows, NoCodeAsksForAPositionByItsId) {
    expect_ids_only_in("core/attention/positions.cpp", position_encodings(), "position", "none");
}

TEST(TableRows, EveryRowSaysWhatItIsInPythonAndLatex) {
    for (const ScoreFunction& row : score_functions()) {
        EXPECT_NE(row.python.find("scores = "), std::string_view::npos) << row.id;
        EXPECT_NE(row.latex.find("q_i"), std::string_view::npos) << row.id;
        EXPECT_FALSE(row.short_name.empty() || row.formula.empty() || row.raw_formula.empty()) << row.id;
    }
    for (const Normalizer& row : normalizers()) {
        EXPECT_NE(row.python.find("weights = "), std::string_view::npos) << row.id;
        EXPECT_NE(row.latex.find("s_{ij"), std::string_view::npos) << row.id;
        EXPECT_FALSE(row.short_name.empty() || row.formula.empty()) << row.id;
    }
    for (const PositionEncoding& row : position_encodings()) {
        EXPECT_FALSE(row.short_name.empty()) << row.id;
        EXPECT_EQ(row.turn != nullptr, row.python.find("def turn(x, position)") != std::string_view::npos) << row.id;
        EXPECT_EQ(row.bias != nullptr, row.python.find("def position_bias(i, j)") != std::string_view::npos) << row.id;
        EXPECT_EQ(row.bias != nullptr, !row.latex.empty()) << row.id;
    }
}

struct Named {
    std::string_view id;
};

TEST(TableRows, AnotherRowTakesItsShareOfTheDrawsAndLeavesTheOthers) {
    constexpr std::array<Named, 4> before{{{"a"}, {"b"}, {"c"}, {"d"}}};
    constexpr std::array<Named, 5> after{{{"a"}, {"b"}, {"new"}, {"c"}, {"d"}}};
    std::map<std::string, int> drawn;
    for (std::uint64_t draw = 0; draw < 10000; ++draw) {
        const std::string row = tests::row_drawn(after, draw * 0x9E3779B97F4A7C15ULL);
        ++drawn[row];
        if (row != "new") {
            EXPECT_EQ(row, tests::row_drawn(before, draw * 0x9E3779B97F4A7C15ULL));
        }
    }
    for (const Named& row : after) EXPECT_NEAR(drawn[std::string(row.id)], 2000, 200) << row.id;
}

}  // namespace
}  // namespace heed
