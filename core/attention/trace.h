// Every stage of every head, for one model. Computed, never edited.
#pragma once

#include "core/matrix.h"
#include "core/model.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace heed {

// One matrix per head, in one block of memory: count × (rows × cols).
class Stack {
public:
    using View = Eigen::Map<Matrix>;
    using ConstView = Eigen::Map<const Matrix>;

    // Keeps its memory when it shrinks: recomputing after a slider move allocates nothing.
    void resize(Index count, Index rows, Index cols) {
        count_ = count;
        rows_ = rows;
        cols_ = cols;
        const auto size = static_cast<std::size_t>(count * rows * cols);
        if (numbers_.size() < size) numbers_.resize(size);
    }
    Index count() const { return count_; }
    Index rows() const { return rows_; }
    Index cols() const { return cols_; }
    bool empty() const { return count_ * rows_ * cols_ == 0; }
    View operator[](Index i) { return {numbers_.data() + i * rows_ * cols_, rows_, cols_}; }
    ConstView operator[](Index i) const { return {numbers_.data() + i * rows_ * cols_, rows_, cols_}; }
    float* data() { return numbers_.data(); }
    const float* data() const { return numbers_.data(); }

private:
    std::vector<float> numbers_;
    Index count_ = 0;
    Index rows_ = 0;
    Index cols_ = 0;
};

// What was measured of one row of weights, or averaged over a head's rows that see at least one key; what is of shares, over
// those of them that have any weight.
// A share is |w| / Σ|w|: the weight itself where a row sums to one, and defined for the signed weights of L1 and L2 too.
struct WeightStatistics {
    float sum = 0;             // of the row; 1 proves the invariant
    float entropy = 0;         // of the shares, bits
    float peak = 0;            // largest weight
    float effective_keys = 0;  // 2^entropy
    float mean_distance = 0;   // Σ share·|query position − key position|
    float first_token = 0;     // share on key 0
    float diagonal = 0;        // share on the key at the query's own position
    float previous_token = 0;  // share on the key one before it
};

struct Around;  // core/transformer/around.h

// What a trace was computed from: a next computation into the same memory keeps the parts that still hold.
struct TraceOrigin {
    Model model;
    bool has_masks = false;
    bool has_operands = false;
    bool has_scores = false;           // and all that follows, by the tuned path; the plain one always computes its own
    bool operands_are_modest = false;  // q and k are finite, and so is every product of them
};

struct AttentionTrace {
    // As they enter the score: after projection and position.
    Stack q;  // heads × (n × d_k)
    Stack k;  // kv heads × (m × d_k)
    Stack v;  // kv heads × (m × d_v)
    // As q and k before a position turned them; empty where none does, or where they are typed.
    Stack q_unrotated, k_unrotated;
    Stack scores;  // heads × (n × m): the raw score function, also at hidden cells
    Stack logits;  // heads × (n × m): after scale, temperature, soft cap, bias and position; empty where that is
                   // only scores · score_factor
    std::vector<MaskMatrix> visible;          // one for all heads, or one per head
    std::vector<std::int32_t> first_visible;  // per mask and query the bounds [first, end) of the visible keys; equal
    std::vector<std::int32_t> end_visible;    // where a query sees none
    bool visible_is_contiguous = true;        // nothing is hidden between the bounds
    Stack weights;                            // heads × (n × m); exactly 0 at hidden cells
    Stack head_output;                        // heads × (n × d_v), before gains
    Matrix joined;                            // n × (heads · d_v), after gains and switches
    Matrix output;                            // n × d_model with W_O, otherwise equal to joined

    float score_factor = 1;  // scale / temperature (scale alone at temperature 0)
    Matrix x_in, y_in;       // embeddings with positions added, where the source is projected; y_in is empty
                             // where the keys' embeddings are the queries'

    std::vector<WeightStatistics> rows;   // heads · n, head by head
    std::vector<WeightStatistics> heads;  // means over the rows that see a key; NaN where no row does
    int fully_masked_rows = 0;            // summed over heads
    int hidden_cells = 0;                 // of the first head's mask
    float worst_row_sum_error = 0;  // max |sum − 1| over rows that see a key (of |w| for L1, of w² for L2; a row
                                    // of zeros is none of these); NaN where a sum is NaN
    double milliseconds = 0;        // time of the computation

    std::uint64_t version = 0;  // differs between any two computations: what textures are cached by

    TraceOrigin origin;

    // The layers around the one that was traced, and that layer as a model by itself; null where it is alone.
    std::shared_ptr<const Around> around;

    std::size_t mask_of(Index head) const { return visible.size() == 1 ? 0 : static_cast<std::size_t>(head); }
    const MaskMatrix& visible_of(Index head) const { return visible[mask_of(head)]; }
    Index first_visible_of(Index head, Index query) const { return first_visible[bound_of(head, query)]; }
    Index end_visible_of(Index head, Index query) const { return end_visible[bound_of(head, query)]; }
    bool sees_a_key(Index head, Index query) const {
        return first_visible_of(head, query) < end_visible_of(head, query);
    }
    const WeightStatistics& row(Index head, Index query) const {
        return rows[static_cast<std::size_t>(head * weights.rows() + query)];
    }
    WeightStatistics& row(Index head, Index query) {
        return rows[static_cast<std::size_t>(head * weights.rows() + query)];
    }

private:
    std::size_t bound_of(Index head, Index query) const {
        return mask_of(head) * static_cast<std::size_t>(visible.front().rows()) + static_cast<std::size_t>(query);
    }
};

}  // namespace heed
