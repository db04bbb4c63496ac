// Where one number of Q, K or V came from: an embedding times a column of W, component by component.
#pragma once

#include "core/analysis/cell_explanation.h"
#include "core/attention/pipeline.h"

#include <optional>
#include <string>
#include <vector>

namespace heed {

// What a position made of a number of q or k: a sum over the components it was turned with.
struct TurnExplanation {
    struct Term {
        int component = 0;
        double factor = 0;  // a cosine, or a sine with its sign
        float value = 0;    // before the turn
    };
    int position = 0;
    std::vector<Term> terms;  // those with a factor other than 0
    float value = 0;          // after the turn
};

struct ProjectionExplanation {
    StageCell entry;  // of Stage::q, k or v
    Stage source = Stage::x;
    Stage weights = Stage::w_q;
    // input ⊙ column = terms; the running sum ends at the value, but for what rounding to 32 bits leaves.
    std::vector<float> input, column, terms, running_sum;
    double sum = 0;             // of the products, not rounded
    float value = 0;            // as the pipeline computed it, before a position turned it
    std::vector<float> vector;  // the whole of q, k or v of the token, as it goes on
    std::optional<TurnExplanation> turn;

    bool has_position = false;  // is added to the embedding
    float factor = 1;           // on the embedding, before that
};

// The source must be projected; entry.stage one of q, k and v.
ProjectionExplanation explain_projection(const Model& model, const AttentionTrace& trace, int head,
                                         const StageCell& entry);

// What of an embedding with its position is which: x·factor + p = value.
struct PlacedComponent {
    float embedding = 0, factor = 1, position = 0, value = 0;
};
// Of Stage::x_in or y_in.
PlacedComponent explain_placed(const Model& model, const AttentionTrace& trace, const StageCell& entry);

// The steps of its explanation: the embedding and the column, their products, the sum; and the turn, where there is one.
int projection_steps(const Model& model, Stage result);

std::vector<ExplainedLine> explained_lines(const Model& model, const ProjectionExplanation& of, Language language);

}  // namespace heed
