// q, k and v as they enter the score: embedding, position, projection.
#pragma once

#include "core/attention/trace.h"
#include "core/kernels/attention_kernel.h"
#include "core/operands.h"

namespace heed {

// The part of a matrix that the sizes use; nothing of one that takes no part and was never filled.
inline auto used(const SharedMatrix& matrix, Shape shape) {
    const bool is_there = matrix->size() > 0;
    return matrix->topLeftCorner(is_there ? shape.rows : 0, is_there ? shape.cols : 0);
}

// Whether the keys' embeddings are those of the queries, positions included.
bool keys_share_embeddings(const Model& model);

// What the embeddings are multiplied by before a position is added: √d_model or 1.
float embedding_factor(const Model& model);

// Which of them to compute; what is not asked for is left as it is.
struct OperandParts {
    bool queries_and_keys = true;
    bool values = true;
};

// Fills q, k, v (and x_in, y_in where the source is projected). Without a workspace in double, rounded once; with one
// by its product.
void compute_operands(const Model& model, AttentionTrace& trace, OperandParts parts = {},
                      Workspace* workspace = nullptr);

}  // namespace heed
