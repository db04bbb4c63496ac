// q, k and v as they enter the score: embedding, position, projection.
#pragma once

#include "core/attention/trace.h"
#include "core/scene.h"

namespace heed {

// The part of a matrix that the sizes use.
inline auto used(const SharedMatrix& matrix, Shape shape) { return matrix->topLeftCorner(shape.rows, shape.cols); }

// Whether the keys' embeddings are those of the queries, positions included.
bool keys_share_embeddings(const Model& model);

// What the embeddings are multiplied by before a position is added: √d_model or 1.
float embedding_factor(const Model& model);

// Fills q, k, v (and x_in, y_in where the source is projected) in double precision, rounded once.
void compute_operands(const Model& model, AttentionTrace& trace);

// The same in three steps, for a path that has a faster product.
void compute_embeddings(const Model& model, AttentionTrace& trace);  // x_in, y_in
void resize_operands(const Model& model, AttentionTrace& trace);
void place_operands(const Model& model, AttentionTrace& trace);  // positions on q and k, once these are filled

}  // namespace heed
