#include "core/cost/features.h"

#include "core/kernels/elementwise.h"
#include "core/kernels/gemm.h"
#include "core/random.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

using Strided = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using ConstStrided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

ConstStrided head_of(const HeadMatrices<const float>& matrices, Index head, Index rows, Index cols) {
    return {matrices.row(head, 0), rows, cols, Eigen::OuterStride<>(matrices.row_stride)};
}
Strided head_of(const HeadMatrices<float>& matrices, Index head, Index rows, Index cols) {
    return {matrices.row(head, 0), rows, cols, Eigen::OuterStride<>(matrices.row_stride)};
}
Strided room(AlignedBuffer& buffer, Index rows, Index cols) {
    return {buffer.reserve(rows * cols), rows, cols, Eigen::OuterStride<>(cols)};
}

constexpr Index rows_together = 512;

template <typename Work>
void each_rows(ThreadPool& pool, Index n, Work work) {
    pool.parallel_for((n + rows_together - 1) / rows_together,
                      [&](Index task, int) { work(task * rows_together, std::min(n, (task + 1) * rows_together)); });
}

bool is_cancelled(const CostCall& call) {
    return call.cancel != nullptr && call.cancel->load(std::memory_order_relaxed);
}

// φ(q)·Σ φ(k)·vᵀ over φ(q)·Σ φ(k), from features that are there.
void add_up(const CostCall& call, CostScratch& scratch, Index head, const ConstMatrixRef& q, const ConstMatrixRef& k) {
    const Index width = q.cols();
    const Index d_v = call.shape.d_v;
    const auto v = head_of(call.v, call.shape.kv_head_of(head), call.shape.m, d_v);
    Strided sums = room(scratch.sums, width + 1, std::max(d_v, width));
    Strided products(sums.data(), width, d_v, Eigen::OuterStride<>(d_v));
    Eigen::Map<Eigen::RowVectorXf> total(sums.data() + width * d_v, width);
    multiply_transposed(k, v, products, scratch.workspace);
    total.setZero();
    for (Index j = 0; j < k.rows(); ++j) total += k.row(j);
    Strided output = head_of(call.output, head, call.shape.n, d_v);
    multiply(q, products, output, scratch.workspace);
    each_rows(scratch.workspace.pool(), call.shape.n, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const float denominator = q.row(i).dot(total);
            output.row(i) *= denominator > 0 ? 1 / denominator : 0.0F;
        }
    });
}

void elu_features(const ConstMatrixRef& from, ThreadPool& pool, MatrixRef to) {
    each_rows(pool, from.rows(), [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) elu_plus_one(from.row(i).data(), from.cols(), to.row(i).data());
    });
}

const Matrix::Scalar* directions(CostScratch& scratch, const CostParameters& parameters, Index width) {
    const auto d = static_cast<int>(width);
    if (scratch.projection.data() == nullptr || scratch.projection_features != parameters.features ||
        scratch.projection_width != d || scratch.projection_seed != parameters.seed) {
        const Matrix drawn = random_directions(parameters.features, d, parameters.seed);
        std::copy_n(drawn.data(), drawn.size(), scratch.projection.reserve(drawn.size()));
        scratch.projection_features = parameters.features;
        scratch.projection_width = d;
        scratch.projection_seed = parameters.seed;
    }
    return scratch.projection.data();
}

// exp(w·x·s) of each query, over its largest: what is common to a query's features falls out of its average.
void random_query_features(const ConstMatrixRef& q, float factor, const ConstMatrixRef& w, Workspace& workspace,
                           MatrixRef to) {
    multiply_by_transposed(q, w, to, workspace, {.factor = std::copysign(std::sqrt(std::abs(factor)), factor)});
    each_rows(workspace.pool(), to.rows(), [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            float* row = to.row(i).data();
            exp_below(row, to.cols(), *std::max_element(row, row + to.cols()), row);
        }
    });
}

// exp(w·x·s − s²|x|²/2) of each key, over the largest of all.
void random_key_features(const ConstMatrixRef& k, float factor, const ConstMatrixRef& w, Workspace& workspace,
                         MatrixRef to) {
    multiply_by_transposed(k, w, to, workspace, {.factor = std::sqrt(std::abs(factor))});
    float most = -std::numeric_limits<float>::infinity();
    for (Index j = 0; j < to.rows(); ++j) {
        to.row(j).array() -= k.row(j).squaredNorm() * std::abs(factor) / 2;
        most = std::max(most, to.row(j).maxCoeff());
    }
    each_rows(workspace.pool(), to.rows(), [&](Index begin, Index end) {
        for (Index j = begin; j < end; ++j) exp_below(to.row(j).data(), to.cols(), most, to.row(j).data());
    });
}

// φ(q)·φ(k) over its sum in each row, where the mask lets it be seen.
void feature_weights(const CostHead& head, const ConstMatrixRef& q, const ConstMatrixRef& k, Workspace& workspace,
                     MatrixRef out) {
    multiply_by_transposed(q, k, out, workspace);
    for (Index i = 0; i < out.rows(); ++i) {
        double sum = 0;
        for (Index j = 0; j < out.cols(); ++j) {
            if (head.visible != nullptr && (*head.visible)(i, j) == 0) out(i, j) = 0;
            sum += static_cast<double>(out(i, j));
        }
        out.row(i) *= sum > 0 ? static_cast<float>(1 / sum) : 0.0F;
    }
}

}  // namespace

Matrix random_directions(int features, int width, std::uint64_t seed) {
    Matrix all(features, width);
    for (int first = 0; first < features; first += width) {
        const auto block = static_cast<std::uint64_t>(first / width);
        Eigen::MatrixXf normal(width, width);
        Eigen::VectorXf length(width);
        for (int row = 0; row < width; ++row) {
            double squares = 0;
            for (int col = 0; col < width; ++col) {
                normal(row, col) =
                    normal_at(seed, 2 * block, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col));
                const auto other = static_cast<double>(
                    normal_at(seed, 2 * block + 1, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)));
                squares += other * other;
            }
            length(row) = static_cast<float>(std::sqrt(squares));
        }
        const Eigen::MatrixXf rotation = Eigen::HouseholderQR<Eigen::MatrixXf>(normal).householderQ();
        for (int row = 0; row < std::min(width, features - first); ++row)
            all.row(first + row) = rotation.row(row) * length(row);
    }
    return all;
}

void elu_forward(const CostCall& call, CostScratch& scratch) {
    const AttentionShape& shape = call.shape;
    ThreadPool& pool = scratch.workspace.pool();
    for (Index head = 0; head < shape.heads && !is_cancelled(call); ++head) {
        Strided q = room(scratch.features_q, shape.n, shape.d_k);
        Strided k = room(scratch.features_k, shape.m, shape.d_k);
        elu_features(head_of(call.q, head, shape.n, shape.d_k), pool, q);
        elu_features(head_of(call.k, shape.kv_head_of(head), shape.m, shape.d_k), pool, k);
        add_up(call, scratch, head, q, k);
    }
}

void elu_weights(const CostHead& head, CostScratch& scratch, MatrixRef out) {
    Strided q = room(scratch.features_q, head.q.rows(), head.q.cols());
    Strided k = room(scratch.features_k, head.k.rows(), head.k.cols());
    elu_features(head.q, scratch.workspace.pool(), q);
    elu_features(head.k, scratch.workspace.pool(), k);
    feature_weights(head, q, k, scratch.workspace, out);
}

void random_forward(const CostCall& call, CostScratch& scratch) {
    const AttentionShape& shape = call.shape;
    const Index features = call.parameters.features;
    const Eigen::Map<const Matrix> w(directions(scratch, call.parameters, shape.d_k), features, shape.d_k);
    for (Index head = 0; head < shape.heads && !is_cancelled(call); ++head) {
        Strided q = room(scratch.features_q, shape.n, features);
        Strided k = room(scratch.features_k, shape.m, features);
        random_query_features(head_of(call.q, head, shape.n, shape.d_k), call.factor, w, scratch.workspace, q);
        if (is_cancelled(call)) return;
        random_key_features(head_of(call.k, shape.kv_head_of(head), shape.m, shape.d_k), call.factor, w,
                            scratch.workspace, k);
        if (is_cancelled(call)) return;
        add_up(call, scratch, head, q, k);
    }
}

void random_weights(const CostHead& head, CostScratch& scratch, MatrixRef out) {
    const Index features = head.parameters.features;
    const Eigen::Map<const Matrix> w(directions(scratch, head.parameters, head.q.cols()), features, head.q.cols());
    Strided q = room(scratch.features_q, head.q.rows(), features);
    Strided k = room(scratch.features_k, head.k.rows(), features);
    random_query_features(head.q, head.factor, w, scratch.workspace, q);
    random_key_features(head.k, head.factor, w, scratch.workspace, k);
    feature_weights(head, q, k, scratch.workspace, out);
}

}  // namespace heed
