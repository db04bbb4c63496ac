// A row of weights as someone claims it, held against the true one: does it sum up, and which cell is furthest off?
//
// Claims are kept as they were typed, because their digits say how exactly they are meant: 0.92 is right for 0.9184, 0.920 is not.
#pragma once

#include "core/attention/trace.h"
#include "core/language.h"
#include "core/result.h"
#include "core/scene.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

inline constexpr std::size_t most_row_cells = 16;  // of one row that is typed

// "0.5", "50%", "1/2", "2.06e-9", with a comma for the point or a real minus sign.
struct TypedNumber {
    double value = 0;
    int decimals = 0;      // after the point
    double half_unit = 0;  // half of its last digit: 0.005 of "0.87"; 0 of a fraction
};
std::optional<TypedNumber> typed_number(std::string text);

// "[0.87, 0.09, 0.04]" in its parts; one part where the text is a single number.
std::vector<std::string> typed_row(std::string_view text);

// What a query really gives to the keys that it sees.
struct TrueRow {
    int query = 0;
    std::vector<int> keys;
    std::vector<double> weights;
    friend bool operator==(const TrueRow&, const TrueRow&) = default;
};
Result<TrueRow> true_row(const Model& model, const AttentionTrace& trace, int head, double query);

struct RowCell {
    int key = 0;
    std::string typed = {};
    bool is_number = false;  // what was typed
    double claimed = 0;
    double truth = 0;
    int decimals = 4;  // to show them with
    bool right = false;
    double difference() const { return claimed - truth; }
};

struct RowVerdict {
    std::vector<RowCell> cells;
    bool is_whole = false;  // every cell holds a number
    double claimed_sum = 0, true_sum = 0;
    int decimals = 2;  // to show the sums with
    bool sums_up = false;
    int n_wrong = 0;
    int furthest = -1;  // of the wrong cells, an index of `cells`; −1: all are right
    bool right() const { return is_whole && n_wrong == 0; }
};
// `typed` holds a text for each key of the model. A cell is right where it differs by no more than half of its last digit; a number
// with fewer than two decimals is held to two.
RowVerdict judge_row(const std::vector<std::string>& typed, const TrueRow& truth);

// Texts for all keys, from those of a lesson's file, which stand for the keys that the row has.
std::vector<std::string> texts_by_key(const std::vector<std::string>& claimed, const TrueRow& truth, int n_keys);

// What is wrong first, in words: the sum, then the cell that is furthest off. Plain text.
std::string row_sentence(const RowVerdict& verdict, const Model& model, Language language);

// A weight in a table: decimals as asked, and the digits that matter where those would show nothing of it.
std::string row_number(double value, int decimals);

// The field of a cell of the row that scores are typed into: "model.q[0][3]" and 1 → "model.q[0][3][1]".
std::string logit_field(std::string_view row, int key);

}  // namespace heed
