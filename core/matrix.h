// The one matrix type, and a shared immutable block of it.
//
// Everything in Heed is row-major float: a row is one token, and a row is contiguous in memory,
// in textures and in NPY files alike.
#pragma once

#include <Eigen/Core>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

namespace heed {

using Index = Eigen::Index;

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Views with an outer stride, so that a block of a larger matrix can be passed without a copy.
using MatrixRef = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
using ConstMatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

// 1 = visible, 0 = hidden. Bytes, because std::vector<bool> cannot be uploaded or sliced.
using MaskMatrix = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Shape {
    Index rows = 0;
    Index cols = 0;
    friend bool operator==(const Shape&, const Shape&) = default;
};

// Equal shape and equal numbers; NaN equals NaN, so that a state holding NaN equals its own copy.
// Eigen's operator== is undefined for different shapes in release builds.
template <typename A, typename B>
bool same(const A& a, const B& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j)
            if (!(a(i, j) == b(i, j)) && !(std::isnan(a(i, j)) && std::isnan(b(i, j)))) return false;
    return true;
}

// An immutable matrix shared by every copy of the state that holds it: copying is a pointer, and
// comparing two copies of the same block does not look at its numbers.
template <typename M>
class Shared {
public:
    Shared() : block_(empty_block()) {}
    Shared(M matrix) : block_(std::make_shared<const M>(std::move(matrix))) {}  // NOLINT: implicit on purpose

    const M& operator*() const { return *block_; }
    const M* operator->() const { return block_.get(); }
    Index rows() const { return block_->rows(); }
    Index cols() const { return block_->cols(); }
    bool empty() const { return block_->size() == 0; }

    // A changed copy; the blocks held elsewhere keep their numbers.
    template <typename Change>
    [[nodiscard]] Shared with(Change&& change) const {
        M copy = *block_;
        std::forward<Change>(change)(copy);
        return Shared(std::move(copy));
    }

    friend bool operator==(const Shared& a, const Shared& b) {
        return a.block_ == b.block_ || same(*a.block_, *b.block_);
    }

private:
    static std::shared_ptr<const M> empty_block() {
        static const auto block = std::make_shared<const M>();
        return block;
    }
    std::shared_ptr<const M> block_;
};

using SharedMatrix = Shared<Matrix>;
using SharedMask = Shared<MaskMatrix>;

}  // namespace heed
