// Where one weight came from: every number between a query, a key and the share of the output the key carries.
#pragma once

#include "core/attention/trace.h"
#include "core/cell.h"
#include "core/language.h"
#include "core/model.h"

#include <string>
#include <vector>

namespace heed {

struct CellExplanation {
    int key = 0;

    // The score as a sum, unfolded as its row says: the running sum ends at the score.
    std::vector<float> left, right, terms, running_sum;
    std::string left_name, right_name, terms_name;  // rich text

    float score = 0;
    float scale = 1;
    bool scale_is_root_d_k = false;
    float temperature = 1;
    float scaled = 0;         // after scale and temperature
    float capped = 0;         // after the soft cap, or equal to scaled
    float bias = 0;           // the user's
    float position_bias = 0;  // of ALiBi
    float logit = 0;          // capped and biases; enters the normaliser where no limit T → 0 is taken
    bool wins = true;         // as T → 0: among the largest scaled scores of the row,
    int winners = 0;          // of which there are so many
    bool is_visible = true;
    std::vector<std::string_view> hidden_by;  // English names of the masks that hide it

    std::vector<float> row_logits, row_weights;  // of the query, over all keys; L1 and L2 as T → 0 get the scores alone
    std::vector<std::uint8_t> row_visible;
    bool row_is_hidden = false;  // every key is: the weights are what the user chose for such rows
    float weight = 0;
    float share = 0;  // |weight| over the sum of |weights| of the row
    bool head_is_on = true;
    double output_share = 0;                    // see output_shares(); NaN with a value that is
    bool output_is_zero = false;                // no value but 0, or they cancel
    std::vector<float> value, carried, output;  // v_j, weight · v_j and Σ_j weight · v_j, length d_v
};

CellExplanation explain_cell(const Model& model, const AttentionTrace& trace, int head, Cell cell);

// One line of the explanation: "scale: 9.446 ÷ √16 ÷ 0.50 = 4.723". A line without a name is a sentence.
struct ExplainedLine {
    int step = 2;      // of the explainer: 1 query and key, 2 score, 3 scale and mask, 4 weight, 5 output
    std::string name;  // in the language asked for
    std::string text;  // rich text
};

// From the score to the share of the output, in the numbers of this cell.
std::vector<ExplainedLine> explained_lines(const Model& model, const CellExplanation& cell, Language language);

}  // namespace heed
