// Random attention problems with strides and guard values around every buffer, and what the answer should be in
// double precision.
#pragma once

#include <gtest/gtest.h>

#include "core/kernels/attention_kernel.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <vector>

#ifdef HEED_HAVE_HIGHWAY
#include <hwy/targets.h>
#endif

namespace heed::kernel_test {

// At the start of a cache line, as matrices must be to be multiplied where they lie.
template <typename Number>
struct LineAllocator {
    using value_type = Number;
    static constexpr std::align_val_t kLine{64};
    Number* allocate(std::size_t count) { return static_cast<Number*>(::operator new(count * sizeof(Number), kLine)); }
    void deallocate(Number* block, std::size_t) { ::operator delete(block, kLine); }
    bool operator==(const LineAllocator&) const = default;
};
using Floats = std::vector<float, LineAllocator<float>>;

// Matrices of several heads, `gap` floats after each row, guard values wherever no number belongs.
struct HeadBuffer {
    static constexpr float kGuard = -123456.75F;
    Index heads = 0, rows = 0, columns = 0, gap = 0;
    Floats floats;

    HeadBuffer() = default;
    HeadBuffer(Index h, Index r, Index c, Index row_gap) : heads(h), rows(r), columns(c), gap(row_gap) {
        floats.assign(static_cast<std::size_t>(margin() * 2 + heads * head_stride()), kGuard);
    }
    static Index margin() { return 64; }
    Index row_stride() const { return columns + gap; }
    Index head_stride() const { return rows * row_stride() + gap; }
    HeadMatrices<float> view() { return {floats.data() + margin(), head_stride(), row_stride()}; }
    HeadMatrices<const float> const_view() const { return {floats.data() + margin(), head_stride(), row_stride()}; }
    float& at(Index h, Index i, Index j) { return view().row(h, i)[j]; }
    float at(Index h, Index i, Index j) const { return const_view().row(h, i)[j]; }

    void fill_normal(std::mt19937& random, float scale = 1.0F) {
        std::normal_distribution<float> normal(0.0F, scale);
        for (Index h = 0; h < heads; ++h)
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < columns; ++j) at(h, i, j) = normal(random);
    }

    // Every float that is not part of a matrix still holds the guard value.
    bool guards_intact() const {
        std::vector<char> inside(floats.size(), 0);
        for (Index h = 0; h < heads; ++h)
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < columns; ++j)
                    inside[static_cast<std::size_t>(margin() + h * head_stride() + i * row_stride() + j)] = 1;
        for (std::size_t x = 0; x < floats.size(); ++x)
            if (inside[x] == 0 && floats[x] != kGuard) return false;
        return true;
    }
};

enum class Hides { nothing, causal, window, ragged, painted, causal_and_painted };

struct Case {
    AttentionShape shape;
    float factor = 0.125F;
    Hides hides = Hides::nothing;
    float scale = 1.0F;  // standard deviation of q and k
    unsigned seed = 1;
    Index gap = 3;  // 0: rows touch
};

struct Problem {
    AttentionShape shape;
    HeadBuffer q, k, v, scores, weights, output;
    std::vector<std::int32_t> first, end;
    std::vector<std::uint8_t> visible;
    AttentionCall call;

    explicit Problem(const Case& c) : shape(c.shape) {
        std::mt19937 random(c.seed);
        q = HeadBuffer(shape.heads, shape.n, shape.d_k, c.gap);
        k = HeadBuffer(shape.kv_heads, shape.m, shape.d_k, c.gap);
        v = HeadBuffer(shape.kv_heads, shape.m, shape.d_v, c.gap);
        scores = HeadBuffer(shape.heads, shape.n, shape.m, c.gap);
        weights = HeadBuffer(shape.heads, shape.n, shape.m, c.gap);
        output = HeadBuffer(shape.heads, shape.n, shape.d_v, c.gap);
        q.fill_normal(random, c.scale);
        k.fill_normal(random, c.scale);
        v.fill_normal(random);
        set_mask(c.hides, random);
        call.shape = shape;
        call.score_factor = c.factor;
        bind();
    }
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;

    void bind() {
        call.q = q.const_view();
        call.k = k.const_view();
        call.v = v.const_view();
        call.weights = weights.view();
        call.output = output.view();
        call.first_visible = first.empty() ? nullptr : first.data();
        call.end_visible = end.empty() ? nullptr : end.data();
        call.visible = visible.empty() ? nullptr : visible.data();
        call.visible_row_stride = shape.m;
    }

    void set_mask(Hides hides, std::mt19937& random) {
        const auto m = static_cast<std::int32_t>(shape.m);
        for (std::int32_t i = 0; i < shape.n; ++i) {
            switch (hides) {
                case Hides::causal:
                case Hides::causal_and_painted:
                    end.push_back(std::min(i + 1, m));
                    break;
                case Hides::window:
                    first.push_back(std::max(0, i - 5));
                    end.push_back(std::min(i + 3, m));
                    break;
                case Hides::ragged: {
                    const auto a = static_cast<std::int32_t>(random() % static_cast<unsigned>(m + 1));
                    const auto b = static_cast<std::int32_t>(random() % static_cast<unsigned>(m + 1));
                    first.push_back(a);
                    end.push_back(b);  // empty for half of the rows
                    break;
                }
                default:
                    break;
            }
        }
        if (hides == Hides::painted || hides == Hides::causal_and_painted)
            for (Index x = 0; x < shape.n * shape.m; ++x)
                visible.push_back(x / shape.m % 7 == 3 ? 0 : static_cast<std::uint8_t>(random() % 3));
    }

    bool sees(Index i, Index j) const {
        const auto row = static_cast<std::size_t>(i);
        if (!first.empty() && j < first[row]) return false;
        if (!end.empty() && j >= end[row]) return false;
        return visible.empty() || visible[static_cast<std::size_t>(i * shape.m + j)] != 0;
    }
};

// Doubles, heads × rows × columns without gaps.
struct Doubles {
    Index rows = 0, columns = 0;
    std::vector<double> numbers;
    Doubles() = default;
    Doubles(Index h, Index r, Index c) : rows(r), columns(c), numbers(static_cast<std::size_t>(h * r * c), 0.0) {}
    double& at(Index h, Index i, Index j) { return numbers[static_cast<std::size_t>((h * rows + i) * columns + j)]; }
    double at(Index h, Index i, Index j) const {
        return numbers[static_cast<std::size_t>((h * rows + i) * columns + j)];
    }
};

struct Exact {
    Doubles scores, weights, output;

    explicit Exact(const Problem& p)
        : scores(p.shape.heads, p.shape.n, p.shape.m),
          weights(p.shape.heads, p.shape.n, p.shape.m),
          output(p.shape.heads, p.shape.n, p.shape.d_v) {
        const AttentionShape& s = p.shape;
        for (Index h = 0; h < s.heads; ++h) {
            const Index kv = s.kv_head_of(h);
            for (Index i = 0; i < s.n; ++i) {
                double largest = -std::numeric_limits<double>::infinity();
                for (Index j = 0; j < s.m; ++j) {
                    double& score = scores.at(h, i, j);
                    for (Index c = 0; c < s.d_k; ++c)
                        score += static_cast<double>(p.q.at(h, i, c)) * static_cast<double>(p.k.at(kv, j, c));
                    if (p.sees(i, j)) largest = std::max(largest, score * static_cast<double>(p.call.score_factor));
                }
                double sum = 0.0;
                for (Index j = 0; j < s.m; ++j) {
                    if (!p.sees(i, j)) continue;
                    weights.at(h, i, j) =
                        std::exp(scores.at(h, i, j) * static_cast<double>(p.call.score_factor) - largest);
                    sum += weights.at(h, i, j);
                }
                for (Index j = 0; j < s.m; ++j) {
                    if (!p.sees(i, j)) continue;
                    weights.at(h, i, j) /= sum;
                    for (Index c = 0; c < s.d_v; ++c)
                        output.at(h, i, c) += weights.at(h, i, j) * static_cast<double>(p.v.at(kv, j, c));
                }
            }
        }
    }
};

// Derivatives of Σ d_output ∘ output + Σ d_weights ∘ weights.
struct ExactGradients {
    Doubles d_scores, d_q, d_k, d_v;

    ExactGradients(const Problem& p, const Exact& exact, const HeadBuffer& d_output, const HeadBuffer* d_weights)
        : d_scores(p.shape.heads, p.shape.n, p.shape.m),
          d_q(p.shape.heads, p.shape.n, p.shape.d_k),
          d_k(p.shape.kv_heads, p.shape.m, p.shape.d_k),
          d_v(p.shape.kv_heads, p.shape.m, p.shape.d_v) {
        const AttentionShape& s = p.shape;
        std::vector<double> d_row(static_cast<std::size_t>(s.m));
        for (Index h = 0; h < s.heads; ++h) {
            const Index kv = s.kv_head_of(h);
            for (Index i = 0; i < s.n; ++i) {
                double mean = 0.0;
                for (Index j = 0; j < s.m; ++j) {
                    double sum = d_weights != nullptr ? static_cast<double>(d_weights->at(h, i, j)) : 0.0;
                    for (Index c = 0; c < s.d_v; ++c) {
                        const auto g = static_cast<double>(d_output.at(h, i, c));
                        sum += g * static_cast<double>(p.v.at(kv, j, c));
                        d_v.at(kv, j, c) += exact.weights.at(h, i, j) * g;
                    }
                    d_row[static_cast<std::size_t>(j)] = sum;
                    mean += exact.weights.at(h, i, j) * sum;
                }
                for (Index j = 0; j < s.m; ++j) {
                    const double g = static_cast<double>(p.call.score_factor) * exact.weights.at(h, i, j) *
                                     (d_row[static_cast<std::size_t>(j)] - mean);
                    d_scores.at(h, i, j) = g;
                    for (Index c = 0; c < s.d_k; ++c) {
                        d_q.at(h, i, c) += g * static_cast<double>(p.k.at(kv, j, c));
                        d_k.at(kv, j, c) += g * static_cast<double>(p.q.at(h, i, c));
                    }
                }
            }
        }
    }
};

// The largest difference; NaN if any number is NaN.
inline double worst_error(const HeadBuffer& got, const Doubles& exact) {
    double worst = 0.0;
    for (Index h = 0; h < got.heads; ++h)
        for (Index i = 0; i < got.rows; ++i)
            for (Index j = 0; j < got.columns; ++j) {
                const double error = std::fabs(static_cast<double>(got.at(h, i, j)) - exact.at(h, i, j));
                if (!(error <= worst)) worst = error;
                if (std::isnan(worst)) return worst;
            }
    return worst;
}

// Runs `body` with the best instruction set and with every other that this processor has.
template <typename Body>
void for_every_target(Body&& body) {
#ifdef HEED_HAVE_HIGHWAY
    for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        SCOPED_TRACE(hwy::TargetName(target));
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        body();
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
#endif
    body();
}

inline std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](Index heads, Index kv_heads, Index n, Index m, Index d_k, Index d_v, Hides hides, Index gap) {
        Case c;
        c.shape = {heads, kv_heads, n, m, d_k, d_v};
        c.factor = 1.0F / std::sqrt(static_cast<float>(d_k));
        c.hides = hides;
        c.gap = gap;
        c.seed = static_cast<unsigned>(all.size() + 1);
        all.push_back(c);
    };
    const Hides every[] = {Hides::nothing, Hides::causal,  Hides::window,
                           Hides::ragged,  Hides::painted, Hides::causal_and_painted};
    for (Hides hides : every) {
        add(1, 1, 1, 1, 1, 1, hides, 0);
        add(1, 1, 16, 16, 64, 64, hides, 0);
        add(2, 1, 10, 10, 8, 8, hides, 3);
        add(1, 1, 5, 6, 3, 7, hides, 1);
        add(1, 1, 33, 7, 5, 31, hides, 2);
        add(3, 3, 24, 33, 17, 16, hides, 0);
        add(4, 2, 47, 65, 64, 33, hides, 5);
        add(3, 1, 49, 48, 20, 48, hides, 0);
        add(2, 2, 97, 129, 12, 24, hides, 1);
        add(1, 1, 30, 270, 16, 16, hides, 0);
        add(1, 1, 5, 1100, 9, 5, hides, 0);
        add(2, 1, 103, 140, 32, 64, hides, 0);
    }
    return all;
}

inline std::string name_of(const Case& c) {
    const AttentionShape& s = c.shape;
    return "heads " + std::to_string(s.heads) + "/" + std::to_string(s.kv_heads) + " n " + std::to_string(s.n) + " m " +
           std::to_string(s.m) + " d_k " + std::to_string(s.d_k) + " d_v " + std::to_string(s.d_v) + " mask " +
           std::to_string(static_cast<int>(c.hides));
}

}  // namespace heed::kernel_test
