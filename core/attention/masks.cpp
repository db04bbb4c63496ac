#include "core/attention/masks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace heed {

namespace {

constexpr Mask table[] = {
    {"causal", "Causal", "j ≤ i", MaskKind::hides, [](const MaskSettings& s) { return s.causal; },
     [](const MaskSettings&, int query, int key, int) { return key <= query; }},
    {"padding", "Padding", "j < m − p", MaskKind::hides, [](const MaskSettings& s) { return s.padding > 0; },
     [](const MaskSettings& s, int, int key, int n_keys) { return key < n_keys - s.padding; }},
    {"window", "Window", "i − L ≤ j ≤ i + R", MaskKind::opens, [](const MaskSettings& s) { return s.window; },
     [](const MaskSettings& s, int query, int key, int) {
         return (s.window_left < 0 || key >= query - s.window_left) &&
                (s.window_right < 0 || key <= query + s.window_right);
     }},
    {"strided", "Strided", "|i − j| mod s = 0", MaskKind::opens, [](const MaskSettings& s) { return s.stride > 0; },
     [](const MaskSettings& s, int query, int key, int) { return std::abs(query - key) % s.stride == 0; }},
    {"block", "Blocks", "⌊i/b⌋ = ⌊j/b⌋", MaskKind::opens, [](const MaskSettings& s) { return s.block > 0; },
     [](const MaskSettings& s, int query, int key, int) {
         const int query_block = query >= 0 ? query / s.block : -1;  // keys start at 0: any block before it will do
         return query_block == key / s.block;
     }},
    {"global", "Global tokens", "i < g or j < g", MaskKind::opens,
     [](const MaskSettings& s) { return s.global_tokens > 0; },
     [](const MaskSettings& s, int query, int key, int) {
         return (query >= 0 && query < s.global_tokens) || key < s.global_tokens;
     }},
};

template <typename List>
const auto& of_head(const List& one_or_many, int head) {
    return *one_or_many[one_or_many.size() == 1 ? 0 : static_cast<std::size_t>(head)];
}

// Whether one of the masks of this kind is on.
bool any_on(const MaskSettings& settings, MaskKind kind) {
    return std::any_of(std::begin(table), std::end(table),
                       [&](const Mask& mask) { return mask.kind == kind && mask.is_on(settings); });
}

}  // namespace

std::span<const Mask> masks() { return table; }

void visible_cells(const Model& model, int head, MaskMatrix& out) {
    const int n_queries = model.n_queries;
    const int n_keys = effective_n_keys(model);
    const MaskSettings& settings = model.mask;
    out.resize(n_queries, n_keys);
    out.setConstant(any_on(settings, MaskKind::opens) ? 0 : 1);

    // First what opens, then what hides.
    for (const MaskKind kind : {MaskKind::opens, MaskKind::hides})
        for (const Mask& mask : table) {
            if (mask.kind != kind || !mask.is_on(settings)) continue;
            for (int i = 0; i < n_queries; ++i)
                for (int j = 0; j < n_keys; ++j) {
                    const auto seen =
                        static_cast<std::uint8_t>(mask.visible(settings, i + model.query_offset, j, n_keys) ? 1 : 0);
                    std::uint8_t& cell = out(i, j);
                    cell = kind == MaskKind::opens ? cell | seen : cell & seen;
                }
        }
    if (settings.painted) {
        const MaskMatrix& painted = of_head(model.painted_mask, head);
        for (Index i = 0; i < n_queries; ++i)
            for (Index j = 0; j < n_keys; ++j)
                if (!painted(i, j)) out(i, j) = 0;
    }
    if (model.bias_on) {
        const Matrix& bias = of_head(model.bias, head);
        for (Index i = 0; i < n_queries; ++i)
            for (Index j = 0; j < n_keys; ++j)
                if (bias(i, j) == -std::numeric_limits<float>::infinity()) out(i, j) = 0;
    }
}

MaskMatrix visible_cells(const Model& model, int head) {
    MaskMatrix out;
    visible_cells(model, head, out);
    return out;
}

bool mask_is_shared(const Model& model) {
    return !(model.mask.painted && model.painted_mask.size() > 1) && !(model.bias_on && model.bias.size() > 1);
}

bool visible_ranges(const MaskMatrix& visible, std::span<std::int32_t> first, std::span<std::int32_t> end) {
    for (Index i = 0; i < visible.rows(); ++i) {
        const auto row = visible.row(i);
        const std::uint8_t* const begin = row.data();
        const std::uint8_t* const stop = begin + row.cols();
        const std::uint8_t* const from = std::find(begin, stop, std::uint8_t{1});
        const std::uint8_t* const to = std::find(from, stop, std::uint8_t{0});
        if (std::find(to, stop, std::uint8_t{1}) != stop) return false;
        const auto at = static_cast<std::size_t>(i);
        first[at] = from == stop ? 0 : static_cast<std::int32_t>(from - begin);
        end[at] = from == stop ? 0 : static_cast<std::int32_t>(to - begin);
    }
    return true;
}

}  // namespace heed
