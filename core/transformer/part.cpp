#include "core/transformer/part.h"

#include "core/attention/find_row.h"
#include "core/kernels/gemm.h"
#include "core/transformer/attention_part.h"
#include "core/transformer/convolution.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/recurrence.h"

namespace heed {

namespace {

const Part table[] = {self_attention_part(), convolution_part(), recurrence_part(), gru_part()};

}  // namespace

std::span<const Part> mixers() { return table; }

const Part& mixer(std::string_view id) { return find_row(mixers(), id); }

std::vector<const Part*> parts_of(const TransformerConfig& config) {
    std::vector<const Part*> parts{&mixer(config.mixer)};
    if (config.cross_attention) parts.push_back(&cross_attention_part());
    if (feed_forward_row(config.feed_forward).activate != nullptr) parts.push_back(&feed_forward_part());
    return parts;
}

void linear(const Matrix& x, const Matrix& w, const Matrix& b, Matrix& out, const PackedWeights* packed,
            Workspace& workspace) {
    out.resize(x.rows(), w.cols());
    const bool biased = b.size() > 0;
    if (biased) out.rowwise() = b.row(0);
    if (const PackedMatrix* ready = packed ? packed->find(w) : nullptr)
        multiply(x, *ready, out, workspace, biased);
    else
        multiply(x, w, out, workspace, {1.0F, biased});
}

void PartCall::linear(const Matrix& x, const Matrix& w, const Matrix& b, Matrix& out) const {
    heed::linear(x, w, b, out, packed, workspace);
}

void linear_backward(const Matrix& x, const Matrix& w, const Matrix& d_out, Matrix& d_x, Matrix* d_w, Matrix* d_b,
                     Workspace& workspace) {
    multiply_by_transposed(d_out, w, d_x, workspace, {1.0F, true});
    if (d_w && d_w->size() > 0) multiply_transposed(x, d_out, *d_w, workspace, {1.0F, true});
    if (d_b && d_b->size() > 0) *d_b += d_out.colwise().sum();
}

}  // namespace heed
