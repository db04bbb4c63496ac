// The ids that fields naming a table's row may hold.
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/color_maps.h"
#include "core/figure/registry.h"
#include "core/scene_fields.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/norms.h"

namespace heed {
namespace {

template <typename Table, typename Wanted>
std::vector<std::string_view> ids_of(const Table& table, Wanted wanted) {
    std::vector<std::string_view> ids;
    for (const auto& row : table)
        if (wanted(row)) ids.emplace_back(row.id);
    return ids;
}

constexpr auto all = [](const auto&) { return true; };

std::vector<std::string_view> map_ids(MapKind kind) {
    return ids_of(color_maps(), [kind](const ColorMap& map) { return map.kind == kind; });
}

}  // namespace

std::vector<std::string_view> score_ids() { return ids_of(score_functions(), all); }
std::vector<std::string_view> position_ids() { return ids_of(position_encodings(), all); }
std::vector<std::string_view> normalizer_ids() { return ids_of(normalizers(), all); }

std::vector<std::string_view> norm_ids() { return ids_of(norms(), all); }
std::vector<std::string_view> feed_forward_ids() { return ids_of(feed_forwards(), all); }

std::vector<std::string_view> view_ids() {
    return ids_of(figure_kinds(), [](const FigureKind& kind) { return kind.is_view; });
}
std::vector<std::string_view> sequential_map_ids() { return map_ids(MapKind::sequential); }
std::vector<std::string_view> diverging_map_ids() { return map_ids(MapKind::diverging); }

std::vector<std::string_view> looked_at_encodings() {
    std::vector<std::string_view> ids =
        ids_of(position_encodings(), [](const PositionEncoding& row) { return row.uses_places(); });
    ids.insert(ids.begin(), scene_encoding);
    return ids;
}

}  // namespace heed
