#include "core/attention/masks.h"

#include "core/model/mask_settings.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace heed {

namespace {

// A row of the table from its two predicates; the loop over keys is made here, where the second one is known.
template <MaskKind kind, typename IsOn, typename Set, typename Numbers, typename Python, typename Visible>
constexpr Mask mask(std::string_view id, std::string_view name, std::string_view formula, IsOn is_on, Set set,
                    Numbers numbers, Python python, Visible visible) {
    return {id,
            name,
            formula,
            kind,
            is_on,
            set,
            numbers,
            python,
            visible,
            [](const MaskSettings& settings, int query, std::span<std::uint8_t> cells) {
                const int n_keys = static_cast<int>(cells.size());
                for (int j = 0; j < n_keys; ++j) {
                    const std::uint8_t seen = Visible{}(settings, query, j, n_keys) ? 1 : 0;
                    std::uint8_t& cell = cells[static_cast<std::size_t>(j)];
                    cell = kind == MaskKind::opens ? cell | seen : cell & seen;
                }
            }};
}

// A number of 0 is off.
void set_number(int& number, bool on, int first) { number = !on ? 0 : number > 0 ? number : first; }

std::string text(int number) { return std::to_string(number); }
std::string reach(int side) { return side < 0 ? "∞" : text(side); }

// Of a position in rows of c: towards −∞ before the first token, so that the rows go on evenly.
int grid_row(int position, int c) { return position >= 0 ? position / c : -((-position - 1) / c) - 1; }
int grid_column(int position, int c) { return position - grid_row(position, c) * c; }

constexpr Mask of_pictures(Mask row) {
    row.is_of_pictures = true;
    return row;
}

constexpr Mask table[] = {
    mask<MaskKind::hides>(
        "causal", "Causal", "j ≤ i", [](const MaskSettings& s) { return s.causal; },
        [](MaskSettings& s, bool on, int) { s.causal = on; }, [](const MaskSettings&) { return std::string(); },
        [](const MaskSettings&) { return std::string("j <= i"); },
        [](const MaskSettings&, int query, int key, int) { return key <= query; }),
    mask<MaskKind::hides>(
        "padding", "Padding", "j ≤ m − p", [](const MaskSettings& s) { return s.padding > 0; },
        [](MaskSettings& s, bool on, int) { set_number(s.padding, on, 1); },
        [](const MaskSettings& s) { return "p = " + text(s.padding); },
        [](const MaskSettings& s) { return "j < m - " + text(s.padding); },
        [](const MaskSettings& s, int, int key, int n_keys) { return key < n_keys - s.padding; }),
    mask<MaskKind::opens>(
        "window", "Window", "i − L ≤ j ≤ i + R", [](const MaskSettings& s) { return s.window; },
        [](MaskSettings& s, bool on, int) { s.window = on; },
        [](const MaskSettings& s) { return "L = " + reach(s.window_left) + ", R = " + reach(s.window_right); },
        [](const MaskSettings& s) {
            const std::string left = s.window_left < 0 ? "-inf" : "i - " + text(s.window_left);
            const std::string right = s.window_right < 0 ? "inf" : "i + " + text(s.window_right);
            return "(j >= " + left + ") & (j <= " + right + ")";
        },
        [](const MaskSettings& s, int query, int key, int) {
            return (s.window_left < 0 || key >= query - s.window_left) &&
                   (s.window_right < 0 || key <= query + s.window_right);
        }),
    mask<MaskKind::opens>(
        "strided", "Strided", "|i − j| mod s = 0", [](const MaskSettings& s) { return s.stride > 0; },
        [](MaskSettings& s, bool on, int) { set_number(s.stride, on, 2); },
        [](const MaskSettings& s) { return "s = " + text(s.stride); },
        [](const MaskSettings& s) { return "(i - j) % " + text(s.stride) + " == 0"; },
        [](const MaskSettings& s, int query, int key, int) { return std::abs(query - key) % s.stride == 0; }),
    mask<MaskKind::opens>(
        "block", "Blocks", "⌈i/b⌉ = ⌈j/b⌉", [](const MaskSettings& s) { return s.block > 0; },
        [](MaskSettings& s, bool on, int n_keys) { set_number(s.block, on, std::max(2, n_keys / 2)); },
        [](const MaskSettings& s) { return "b = " + text(s.block); },
        [](const MaskSettings& s) { return "i // " + text(s.block) + " == j // " + text(s.block); },
        [](const MaskSettings& s, int query, int key, int) {
            const int query_block = query >= 0 ? query / s.block : -1;  // keys start at 0: any block before will do
            return query_block == key / s.block;
        }),
    mask<MaskKind::opens>(
        "global", "Global tokens", "i ≤ g or j ≤ g", [](const MaskSettings& s) { return s.global_tokens > 0; },
        [](MaskSettings& s, bool on, int) { set_number(s.global_tokens, on, 1); },
        [](const MaskSettings& s) { return "g = " + text(s.global_tokens); },
        [](const MaskSettings& s) {
            return "((i >= 0) & (i < " + text(s.global_tokens) + ")) | (j < " + text(s.global_tokens) + ")";
        },
        [](const MaskSettings& s, int query, int key, int) {
            return (query >= 0 && query < s.global_tokens) || key < s.global_tokens;
        }),
    of_pictures(mask<MaskKind::opens>(
        "grid-window", "2-D window", "|Δrow| ≤ r, |Δcolumn| ≤ r", [](const MaskSettings& s) { return s.grid_window; },
        [](MaskSettings& s, bool on, int) { s.grid_window = on; },
        [](const MaskSettings& s) { return "r = " + text(s.grid_radius) + ", c = " + text(s.grid_columns); },
        [](const MaskSettings& s) {
            const std::string c = text(s.grid_columns);
            const std::string r = text(s.grid_radius);
            return "(abs(i // " + c + " - j // " + c + ") <= " + r + ") & (abs(i % " + c + " - j % " + c + ") <= " + r +
                   ")";
        },
        [](const MaskSettings& s, int query, int key, int) {
            const int c = s.grid_columns;
            return std::abs(grid_row(query, c) - key / c) <= s.grid_radius &&
                   std::abs(grid_column(query, c) - key % c) <= s.grid_radius;
        })),
};

template <typename List>
const auto& of_head(const List& one_or_many, int head) {
    return *one_or_many[one_or_many.size() == 1 ? 0 : static_cast<std::size_t>(head)];
}

// Whether one of the masks of this kind is on.
bool any_on(const MaskSettings& settings, MaskKind kind) {
    return std::any_of(std::begin(table), std::end(table),
                       [&](const Mask& row) { return row.kind == kind && row.is_on(settings); });
}

}  // namespace

std::span<const Mask> masks() { return table; }

void visible_row(const Model& model, int head, int query, std::uint8_t* out) {
    const int n_keys = effective_n_keys(model);
    const MaskSettings& settings = *model.mask;
    std::memset(out, any_on(settings, MaskKind::opens) ? 0 : 1, static_cast<std::size_t>(n_keys));

    // First what opens, then what hides.
    for (const MaskKind kind : {MaskKind::opens, MaskKind::hides})
        for (const Mask& row : table)
            if (row.kind == kind && row.is_on(settings))
                row.join_row(settings, query + model.query_offset, {out, static_cast<std::size_t>(n_keys)});
    if (settings.painted) {
        const std::uint8_t* const painted = of_head(model.painted_mask, head).row(query).data();
        for (int j = 0; j < n_keys; ++j)
            if (!painted[j]) out[j] = 0;
    }
    if (model.bias_on) {
        const float* const bias = of_head(model.bias, head).row(query).data();
        for (int j = 0; j < n_keys; ++j)
            if (bias[j] == -std::numeric_limits<float>::infinity()) out[j] = 0;
    }
}

void visible_cells(const Model& model, int head, MaskMatrix& out) {
    out.resize(model.n_queries, effective_n_keys(model));
    for (int i = 0; i < model.n_queries; ++i) visible_row(model, head, i, out.row(i).data());
}

MaskMatrix visible_cells(const Model& model, int head) {
    MaskMatrix out;
    visible_cells(model, head, out);
    return out;
}

bool mask_is_shared(const Model& model) {
    return !(model.mask->painted && model.painted_mask.size() > 1) && !(model.bias_on && model.bias.size() > 1);
}

RowBounds row_bounds(std::span<const std::uint8_t> visible) {
    const auto* const first = static_cast<const std::uint8_t*>(std::memchr(visible.data(), 1, visible.size()));
    if (first == nullptr) return {};
    std::size_t end = visible.size();
    while (visible[end - 1] == 0) --end;
    RowBounds bounds;
    bounds.first = static_cast<std::int32_t>(first - visible.data());
    bounds.end = static_cast<std::int32_t>(end);
    // Eight cells at a time: each byte is 0 or 1.
    auto at = static_cast<std::size_t>(bounds.first);
    for (; at + 8 <= end; at += 8) {
        std::uint64_t cells = 0;
        std::memcpy(&cells, visible.data() + at, 8);
        bounds.count += std::popcount(cells);
    }
    for (; at < end; ++at) bounds.count += visible[at];
    return bounds;
}

}  // namespace heed
