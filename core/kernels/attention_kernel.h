// softmax(Q·Kᵀ · factor)·V for all heads at once, weights and output both kept: the hot path of the program.
//
// A block of query rows at a time, so that its scores stay in cache from the first product to the last; hidden
// blocks of a mask are skipped; the instruction set is chosen at run time. Everything that is not "a factor, a
// mask, a softmax" (other score functions, soft caps, biases, other normalisers) belongs to the pipeline, which
// can hand its own scores to the second half (ScoreUse::given).
//
// The result does not depend on the number of threads.
#pragma once

#include "core/kernels/aligned_buffer.h"
#include "core/kernels/thread_pool.h"
#include "core/matrix.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace heed {

struct AttentionShape {
    Index heads = 1;
    Index kv_heads = 1;  // divides heads; head h reads keys and values of h / (heads / kv_heads)
    Index n = 0;         // queries
    Index m = 0;         // keys
    Index d_k = 0;
    Index d_v = 0;

    Index kv_head_of(Index head) const { return head / (heads / kv_heads); }
};

// One matrix per head, rows contiguous. Separate matrices and the columns of one wide matrix
// (head_stride = d, row_stride = heads · d) are both just strides.
template <typename T>
struct HeadMatrices {
    T* data = nullptr;
    Index head_stride = 0;
    Index row_stride = 0;

    T* row(Index head, Index i) const { return data + head * head_stride + i * row_stride; }
    explicit operator bool() const { return data != nullptr; }
};

enum class ScoreUse {
    discard,  // computed where visible, kept nowhere
    keep,     // q·k written to `scores`, hidden cells too
    given,    // read from `scores`: neither q nor k is looked at
};

struct AttentionCall {
    AttentionShape shape;
    HeadMatrices<const float> q;  // heads    × n × d_k
    HeadMatrices<const float> k;  // kv_heads × m × d_k
    HeadMatrices<const float> v;  // kv_heads × m × d_v

    // Scale over temperature; finite, may be negative. Multiplies after the row's maximum is subtracted, so that
    // large scores keep their digits.
    float score_factor = 1.0F;

    // What a query row sees, the same for every head: keys [first_visible[i], end_visible[i]), of those the ones
    // whose byte in `visible` (n × m) is not 0. A null pointer hides nothing. A range may be empty.
    const std::int32_t* first_visible = nullptr;
    const std::int32_t* end_visible = nullptr;
    const std::uint8_t* visible = nullptr;
    Index visible_row_stride = 0;

    ScoreUse score_use = ScoreUse::discard;
    HeadMatrices<float> scores;   // heads × n × m, before the factor; untouched if discarded
    HeadMatrices<float> weights;  // heads × n × m; hidden cells and rows that see nothing are exactly 0
    HeadMatrices<float> output;   // heads × n × d_v; null if only the weights are wanted

    // Called, where it is not null, with each block of rows [begin, end) of a head whose weights are done and still in
    // cache: the place to measure them. On the thread that computed them; the output may not be written yet.
    void (*weights_done)(void* context, Index head, Index begin, Index end) = nullptr;
    void* weights_done_context = nullptr;

    // Where it becomes true the forward pass ends at the next block of rows, and what it leaves is unusable.
    const std::atomic<bool>* cancel = nullptr;
};

// Scratch memory of the kernels, one for each computation that may run at the same time. Sizes settle with the
// first call: a second one of the same shape and thread count allocates nothing.
class Workspace {
public:
    explicit Workspace(ThreadPool& pool = shared_pool()) : pool_(&pool) {}

    struct Slot {
        AlignedBuffer keys;         // Kᵀ in column panels
        AlignedBuffer values;       // V in column panels
        AlignedBuffer tile;         // scores of one block of query rows
        AlignedBuffer sums;         // output of the block while it is being added up, and 1 / row sum
        AlignedBuffer rows;         // queries and output gradients of the block in panels
        Index packed_kv_head = -1;  // whose keys and values these are; -1: nobody's
        bool values_finite = true;
    };

    ThreadPool& pool() const { return *pool_; }
    Slot& slot(int i) { return slots_[static_cast<std::size_t>(i)]; }
    void set_slot_count(int count) {
        if (slots_.size() < static_cast<std::size_t>(count)) slots_.resize(static_cast<std::size_t>(count));
    }

    AlignedBuffer& gradient_sums() { return gradient_sums_; }

    // Floats that it holds.
    Index size() const {
        Index sum = gradient_sums_.size();
        for (const Slot& slot : slots_)
            sum += slot.keys.size() + slot.values.size() + slot.tile.size() + slot.sums.size() + slot.rows.size();
        return sum;
    }

private:
    ThreadPool* pool_;
    AlignedBuffer gradient_sums_;  // d_k and d_v of each share of the query rows
    std::vector<Slot> slots_;
};

void attention_forward(const AttentionCall& call, Workspace& workspace);

// Derivatives of a number by everything it was computed from, given its derivatives by output and weights.
struct GradientCall {
    HeadMatrices<const float> d_output;   // heads × n × d_v
    HeadMatrices<const float> d_weights;  // heads × n × m; null if the number does not look at the weights
    HeadMatrices<float> d_scores;         // heads × n × m, by the scores before the factor; null if not wanted
    HeadMatrices<float> d_q;              // heads    × n × d_k; null if not wanted, as those below
    HeadMatrices<float> d_k;              // kv_heads × m × d_k, summed over the heads that share the keys
    HeadMatrices<float> d_v;              // kv_heads × m × d_v
};

// `call` is the one that computed the weights, which are read again; scores and output are not looked at. With
// ScoreUse::given, q and k may be null if d_q and d_k are.
void attention_backward(const AttentionCall& call, const GradientCall& gradients, Workspace& workspace);

// The same by the shortest loops there are, one thread: the reference for tests, and the only path where the
// vector library is missing.
void attention_forward_plain(const AttentionCall& call);
void attention_backward_plain(const AttentionCall& call, const GradientCall& gradients);

}  // namespace heed
