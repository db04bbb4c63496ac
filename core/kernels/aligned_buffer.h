// Scratch memory for the kernels: grows when asked for more, never shrinks, never keeps its numbers.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>

#include "core/matrix.h"

namespace heed {

class AlignedBuffer {
public:
    static constexpr std::size_t kAlignment = 64;  // bytes: one cache line, one AVX-512 vector

    // At least `count` floats. The contents are undefined after growing.
    float* reserve(Index count) {
        assert(count >= 0);
        if (count > size_) {
            data_.reset();
            data_.reset(static_cast<float*>(
                ::operator new (static_cast<std::size_t>(count) * sizeof(float), std::align_val_t{kAlignment})));
            size_ = count;
        }
        return data_.get();
    }

    float* data() const { return data_.get(); }
    Index size() const { return size_; }

private:
    struct Free {
        void operator()(float* block) const { ::operator delete (block, std::align_val_t{kAlignment}); }
    };
    std::unique_ptr<float, Free> data_;
    Index size_ = 0;
};

}  // namespace heed
