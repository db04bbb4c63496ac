#include "core/cost/patterns.h"

#include "core/cost/row_softmax.h"
#include "core/kernels/chunked.h"
#include "core/kernels/gemm.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

Index distance(Index a, Index b) { return a < b ? b - a : a - b; }

// A remainder that is never negative.
Index remainder(Index value, Index by) { return ((value % by) + by) % by; }

struct Ranges {
    std::vector<std::int32_t>& first;
    std::vector<std::int32_t>& end;

    void resize(Index n) {
        first.resize(static_cast<std::size_t>(n));
        end.resize(static_cast<std::size_t>(n));
    }
    // Keys [from, to) of m, wherever these lie.
    void set(Index i, Index from, Index to, Index m) {
        first[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(std::clamp<Index>(from, 0, m));
        end[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(std::clamp<Index>(to, 0, m));
    }
};

ChunkedCall chunked_call(const CostCall& call) {
    ChunkedCall chunked;
    chunked.attention.shape = call.shape;
    chunked.attention.q = call.q;
    chunked.attention.k = call.k;
    chunked.attention.v = call.v;
    chunked.attention.output = call.output;
    chunked.attention.score_factor = call.factor;
    chunked.attention.cancel = call.cancel;
    chunked.chunk = call.parameters.chunk;
    return chunked;
}

HeadMatrices<float> running_of(const CostCall& call, CostScratch& scratch) {
    return {scratch.running.reserve(call.shape.heads * call.shape.n * 2), call.shape.n * 2, 2};
}

// Some rows of one head and some keys, as a call of their own; `count` such parts `step` rows apart are its heads.
struct Part {
    Index head = 0;
    Index first_query = 0, n = 0;
    Index first_key = 0, m = 0;
    Index count = 1, step = 0;
};

// Query i of each part sees its keys [first(i), end(i)).
template <typename First, typename End>
void part_pass(const CostCall& call, CostScratch& scratch, ChunkedCall chunked, const Part& part, First first,
               End end) {
    const Index kv_head = call.shape.kv_head_of(part.head);
    AttentionCall& attention = chunked.attention;
    const auto from = [&](const auto& matrices, Index head, Index row) {
        auto moved = matrices;
        moved.data = matrices.row(head, row);
        moved.head_stride = part.step * matrices.row_stride;
        return moved;
    };
    attention.shape = {part.count, part.count, part.n, part.m, call.shape.d_k, call.shape.d_v};
    attention.q = from(call.q, part.head, part.first_query);
    attention.k = from(call.k, kv_head, part.first_key);
    attention.v = from(call.v, kv_head, part.first_key);
    attention.output = from(call.output, part.head, part.first_query);
    if (chunked.running) chunked.running = from(chunked.running, part.head, part.first_query);
    Ranges ranges{scratch.first, scratch.end};
    ranges.resize(part.n);
    for (Index i = 0; i < part.n; ++i) ranges.set(i, first(i), end(i), part.m);
    attention.first_visible = scratch.first.data();
    attention.end_visible = scratch.end.data();
    chunked_forward(chunked, scratch.workspace);
}

// The window of every query, a segment of queries after the other, so that the keys of each stay in cache. Segments that see
// as many keys to both sides are alike and go together.
void window_pass(const CostCall& call, CostScratch& scratch, Index reach, const ChunkedCall& chunked) {
    const Index n = call.shape.n, m = call.shape.m;
    const Index rows = window_segment(n, reach);
    const auto position = [&](Index query) { return query + call.query_offset; };
    const auto is_inner = [&](Index query) {
        return position(query) - reach >= 0 && position(query) + rows + reach <= m && query + rows <= n;
    };
    for (Index head = 0; head < call.shape.heads; ++head)
        for (Index query = 0; query < n;) {
            Part part{.head = head, .first_query = query, .n = std::min(rows, n - query), .step = rows};
            part.first_key = std::clamp<Index>(position(query) - reach, 0, m);
            part.m = std::clamp<Index>(position(query) + part.n + reach, part.first_key, m) - part.first_key;
            if (is_inner(query))
                while (is_inner(query + part.count * rows)) ++part.count;
            const Index shift = position(query) - part.first_key;  // of the first query among the part's keys
            part_pass(
                call, scratch, chunked, part, [&](Index i) { return i + shift - reach; },
                [&](Index i) { return i + shift + reach + 1; });
            query += part.count * part.n;
        }
}

// The tokens of one head that lie a stride apart, as if each remainder were a head of its own.
struct Classes {
    Index first_query;  // of the first class
    Index first_key;
    Index count;     // classes in a row with the same sizes
    Index n, m;      // tokens in each
    Index position;  // of the class's first query among the class's keys
    bool continues(const Classes& next) const {
        return next.n == n && next.m == m && next.position == position && next.first_query == first_query + count;
    }
};

std::vector<Classes> classes_of(const CostCall& call, Index stride) {
    std::vector<Classes> all;
    const auto members = [stride](Index size, Index first) {
        return first < size ? (size - first - 1) / stride + 1 : 0;
    };
    for (Index r = 0; r < stride; ++r) {
        const Index query = remainder(r - call.query_offset, stride);
        const Classes next{query,
                           r,
                           1,
                           members(call.shape.n, query),
                           members(call.shape.m, r),
                           (query + call.query_offset - r) / stride};
        if (next.n == 0) continue;
        if (!all.empty() && all.back().continues(next))
            ++all.back().count;
        else
            all.push_back(next);
    }
    return all;
}

template <typename T>
HeadMatrices<T> every(const HeadMatrices<T>& matrices, Index head, Index first, Index stride) {
    return {matrices.row(head, first), matrices.row_stride, matrices.row_stride * stride};
}

}  // namespace

Index stride_of(const CostParameters& parameters, Index n) {
    if (parameters.stride > 0) return parameters.stride;
    return std::max<Index>(1, std::lround(std::sqrt(static_cast<double>(n))));
}

bool window_sees(const CostParameters& parameters, Index, Index position, Index key) {
    return distance(position, key) <= parameters.window;
}

// Child et al. 2019: every stride-th key, and those nearer than that.
bool strided_sees(const CostParameters& parameters, Index m, Index position, Index key) {
    const Index stride = stride_of(parameters, m);
    return distance(position, key) <= stride || distance(position, key) % stride == 0;
}

// Beltagy et al. 2020: a window, and a few tokens that see all and are seen by all.
bool global_sees(const CostParameters& parameters, Index m, Index position, Index key) {
    return window_sees(parameters, m, position, key) || key < parameters.globals ||
           (position >= 0 && position < parameters.globals);
}

double window_pairs(Index n, Index reach) {
    const Index w = std::min(reach, n - 1);
    return static_cast<double>(n) * static_cast<double>(2 * w + 1) -
           static_cast<double>(w) * static_cast<double>(w + 1);
}

double strided_pairs(Index n, Index stride) {
    const auto whole = static_cast<double>(n / stride);
    const auto longer = static_cast<double>(n % stride);  // classes with one token more
    const double in_classes =
        longer * (whole + 1) * (whole + 1) + (static_cast<double>(stride) - longer) * whole * whole;
    const double in_both = static_cast<double>(n) + 2 * static_cast<double>(std::max<Index>(0, n - stride));
    return window_pairs(n, stride) + in_classes - in_both;
}

double global_pairs(Index n, Index reach, Index globals) {
    const Index g = std::min(globals, n);
    double seen = 0;  // pairs outside the window whose key is a global one
    for (Index j = 0; j < g; ++j)
        seen += static_cast<double>(std::max<Index>(0, j - reach) + std::max<Index>(0, n - 1 - j - reach));
    const double between = g == 0 ? 0 : static_cast<double>(g) * static_cast<double>(g) - window_pairs(g, reach);
    return window_pairs(n, reach) + 2 * seen - between;
}

Index window_segment(Index n, Index reach) {
    constexpr Index fewest = 384;
    return std::min(n, std::max(fewest, (2 * reach + 95) / 96 * 96));
}

void window_forward(const CostCall& call, CostScratch& scratch) {
    window_pass(call, scratch, call.parameters.window, chunked_call(call));
}

void global_forward(const CostCall& call, CostScratch& scratch) {
    const Index n = call.shape.n, m = call.shape.m;
    const Index globals = std::min<Index>(call.parameters.globals, m);
    const Index reach = call.parameters.window;
    ChunkedCall chunked = chunked_call(call);
    chunked.running = running_of(call, scratch);
    chunked.is_last = false;
    window_pass(call, scratch, reach, chunked);
    chunked.resumes = true;
    // Global queries see what lies behind their window, all queries the global keys before theirs, and a query far before all
    // keys the global ones behind it.
    const Index first_global = std::clamp<Index>(-call.query_offset, 0, n);
    const Index end_global = std::clamp<Index>(globals - call.query_offset, first_global, n);
    const bool has_keys_behind = call.query_offset < 0;
    for (Index head = 0; head < call.shape.heads; ++head) {
        chunked.is_last = false;
        const auto position = [&](Index query) { return query + call.query_offset; };
        const Part behind{.head = head, .first_query = first_global, .n = end_global - first_global, .m = m};
        if (behind.n > 0)
            part_pass(
                call, scratch, chunked, behind, [&](Index i) { return position(first_global + i) + reach + 1; },
                [&](Index) { return m; });
        const Part all{.head = head, .n = n, .m = globals};
        chunked.is_last = !has_keys_behind;
        part_pass(
            call, scratch, chunked, all, [](Index) { return 0; }, [&](Index i) { return position(i) - reach; });
        if (!has_keys_behind) continue;
        chunked.is_last = true;
        part_pass(
            call, scratch, chunked, all, [&](Index i) { return position(i) < 0 ? position(i) + reach + 1 : globals; },
            [&](Index) { return globals; });
    }
}

void strided_forward(const CostCall& call, CostScratch& scratch) {
    const Index stride = stride_of(call.parameters, call.shape.m);
    ChunkedCall near = chunked_call(call);
    near.running = running_of(call, scratch);
    near.is_last = false;
    window_pass(call, scratch, stride, near);
    const std::vector<Classes> all = classes_of(call, stride);
    for (Index head = 0; head < call.shape.heads; ++head) {
        const Index kv_head = call.shape.kv_head_of(head);
        for (const Classes& classes : all) {
            ChunkedCall far = near;
            far.attention.shape = {classes.count, classes.count, classes.n, classes.m, call.shape.d_k, call.shape.d_v};
            far.attention.q = every(call.q, head, classes.first_query, stride);
            far.attention.k = every(call.k, kv_head, classes.first_key, stride);
            far.attention.v = every(call.v, kv_head, classes.first_key, stride);
            far.attention.output = every(call.output, head, classes.first_query, stride);
            far.running = every(near.running, head, classes.first_query, stride);
            far.resumes = true;
            Ranges ranges{scratch.first, scratch.end};
            ranges.resize(classes.n);
            far.attention.first_visible = scratch.first.data();
            far.attention.end_visible = scratch.end.data();
            // The window had the keys at most one stride away; what is left lies on both sides of those.
            for (Index i = 0; i < classes.n; ++i) ranges.set(i, 0, classes.position + i - 1, classes.m);
            chunked_forward(far, scratch.workspace);
            for (Index i = 0; i < classes.n; ++i) ranges.set(i, classes.position + i + 2, classes.m, classes.m);
            far.is_last = true;
            chunked_forward(far, scratch.workspace);
        }
    }
}

void pattern_weights(const CostHead& head, CostScratch& scratch, Sees sees, MatrixRef out) {
    const Index m = out.cols();
    multiply_by_transposed(head.q, head.k, out, scratch.workspace);
    for (Index i = 0; i < out.rows(); ++i)
        softmax_where(out.row(i).data(), m, head.factor, [&](Index j) {
            return (head.visible == nullptr || (*head.visible)(i, j) != 0) &&
                   (sees == nullptr || sees(head.parameters, m, i + head.query_offset, j));
        });
}

}  // namespace heed
