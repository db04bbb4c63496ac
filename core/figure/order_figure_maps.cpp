// A(X), P·A(X)·Pᵀ, A(PX) and their difference side by side: one size, one crosshair.
#include "core/display/cells_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/color_bar.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace heed {
namespace {

constexpr float most_label = 64;
constexpr float largest_cell = 52;  // in a window of the usual size
constexpr float between = 26;       // maps, with the sign between them

struct MapSpec {
    std::string id;
    std::string title, note;
    MatrixView values;
    MaskView visible;
    ColorScale scale;
    bool is_moved = true;   // its rows and columns are places of the new order
    const char* sign = "";  // between it and the map before
    bool has_range = true;
    std::string brief = {};  // where the note has no room
};

class OrderMaps {
public:
    OrderMaps(const PanelPen& pen, const ShownOrder& order, const std::shared_ptr<const MovedWeights>& moved, Rect room)
        : pen_(pen),
          context_(pen.context),
          order_(order),
          moved_(moved),
          room_(room),
          back_(inverse(order.permutation)) {
        lay_out();
    }

    float height() const { return std::min(room_.h, first_.bottom() + foot_ - room_.y); }

    void draw() const {
        const float title_room = step_ - label_w_ - 6;
        const float wide = std::max(first_.w, std::min(title_room, pen_.text * 15));
        const float step = std::min(step_, label_w_ + wide + between);
        int at = 0;
        for (const MapSpec& map : maps()) {
            Rect area = first_;
            area.x += std::round(step * static_cast<float>(at++));
            add(map, area, title_room);
        }
    }

private:
    // As large as the room allows, square unless that would make them thinner than they are seen.
    void lay_out() {
        const Model& model = context_.model;
        const bool is_turned = context_.display.cells->keys_down;
        const auto down = static_cast<float>(is_turned ? effective_n_keys(model) : model.n_queries);
        const auto across = static_cast<float>(is_turned ? model.n_queries : effective_n_keys(model));
        const bool has_labels = context_.options.tick_labels;
        if (has_labels) label_w_ = row_labels_width(widest_label(context_.measure, labels(true, true), most_label));
        label_h_ = std::min(most_label, room_.h * 0.25F);
        const float head = pen_.text * 2.7F;
        step_ = (room_.w + between) / 4;
        // Of few tokens no larger than is comfortable, unless the page is.
        const float largest = std::max(largest_cell, context_.height * 0.44F / down);
        float cell_w = 1, cell_h = 1;
        for (int pass = 0; pass < 3; ++pass) {
            cell_w = std::min((step_ - between - label_w_) / across, largest);
            cell_h = std::min(std::max(2.0F, room_.h - head - foot_) / down, largest);
            if (std::min(cell_w, cell_h) > 3) cell_w = cell_h = std::min(cell_w, cell_h);
            if (has_labels) foot_ = column_labels_height(context_.measure, labels(false, true), cell_w, label_h_);
        }
        first_ = {std::round(room_.x + label_w_), std::round(room_.y + head), cell_w * across, cell_h * down};
    }

    // Labels of one side: of the moved order, or as the scene has them.
    LabelSpec labels(bool is_down, bool is_moved) const {
        const Model& model = context_.model;
        const bool is_query = is_down != context_.display.cells->keys_down;
        LabelSpec spec;
        spec.style = {pen_.text - 2, Font::words, is_query ? pen_.colors.query : pen_.colors.key};
        spec.count = is_query ? model.n_queries : effective_n_keys(model);
        spec.label_at = [this, &model, is_query, is_moved](int place) {
            if (is_query) return query_label(model, is_moved ? order_.query_at(place) : place);
            return key_label(model, is_moved ? order_.key_at(place) : place);
        };
        spec.pictures = label_pictures(context_, is_query, spec.count, [&](int place) {
            return !is_moved ? place : is_query ? order_.query_at(place) : order_.key_at(place);
        });
        return spec;
    }

    std::vector<MapSpec> maps() const {
        const bool has_queries = order_.moves_queries(), has_keys = order_.moves_keys();
        const MatrixView still = stack_view(context_, context_.trace.weights, shown_head(context_));
        const ColorScale weights{
            color_map(context_.display.cells->sequential_map).id, 0,
            std::max(largest_magnitude(context_, still, mask_view(context_, shown_head(context_))), 1e-6F)};
        std::vector<MapSpec> list;
        list.push_back({"still", order_.side == MovedSide::both ? "A(X)" : "A(X, Y)", pen_.word("the order as it was"),
                        still, mask_view(context_, shown_head(context_)), weights, false});
        if (!moved_->has_maps) return list;
        const auto view = [&](const Matrix& matrix, std::uint64_t which) {
            const std::uint64_t version =
                version_of(context_.trace.version, static_cast<std::uint64_t>(shown_head(context_)) * 4 + which);
            return MatrixView{matrix.data(), matrix.rows(), matrix.cols(), moved_, version};
        };
        const auto mask = [&](const MaskMatrix& matrix, std::uint64_t which) {
            const std::uint64_t version =
                version_of(context_.trace.version, static_cast<std::uint64_t>(shown_head(context_)) * 4 + which);
            return MaskView{matrix.data(), matrix.rows(), matrix.cols(), moved_, version};
        };
        list.push_back({"expected",
                        has_queries && has_keys ? "P·A(X)·P^{T}"
                        : has_queries           ? "P·A(X, Y)"
                                                : "A(X, Y)·P^{T}",
                        pen_.word(has_queries && has_keys ? "its rows and columns moved"
                                  : has_queries           ? "its rows moved"
                                                          : "its columns moved"),
                        view(moved_->expected, 1), mask(moved_->expected_visible, 1), weights, true, "→"});
        list.back().brief = pen_.word("moved along");
        const bool is_number = std::isfinite(moved_->largest_difference);
        const bool is_same = moved_->largest_difference <= Equivariance::weight_tolerance;
        list.push_back({"actual",
                        has_queries && has_keys ? "A(PX)"
                        : has_queries           ? "A(PX, Y)"
                                                : "A(X, PY)",
                        pen_.word("computed in the new order"), view(moved_->actual, 2),
                        mask(moved_->actual_visible, 2), weights, true,
                        is_same     ? "="
                        : is_number ? "≠"
                                    : ""});
        list.back().brief = pen_.word("computed anew");
        const float far = is_same || !is_number ? 1.0F : static_cast<float>(moved_->largest_difference);
        list.push_back({"difference",
                        pen_.word("Difference"),
                        is_number ? fill(context_.word("at most {0}"), {difference_text(moved_->largest_difference)})
                                  : std::string(context_.word("not numbers")),
                        view(moved_->difference, 3),
                        {},
                        {color_map(context_.display.cells->diverging_map).id, -far, far},
                        true,
                        "",
                        !is_same && is_number});
        return list;
    }

    // Differs for every order: textures are cached by it.
    std::uint64_t version_of(std::uint64_t version, std::uint64_t which) const {
        std::uint64_t bits = mix_bits(version ^ mix_bits(which));
        for (const int token : order_.permutation.order()) bits = mix_bits(bits ^ static_cast<std::uint64_t>(token));
        return mix_bits(bits ^ static_cast<std::uint64_t>(order_.side));
    }

    void add(const MapSpec& spec, Rect area, float title_room) const {
        StagePanel panel;
        panel.id = spec.id;
        HeatmapMark& map = panel.heatmap;
        map.id = spec.id;
        map.area = area;
        map.values = spec.values;
        map.visible = spec.visible;
        map.scale = spec.scale;
        map.transposed = context_.display.cells->keys_down;
        map.style = context_.display.cells->cell_style == CellStyle::dots ? HeatmapStyle::dots : HeatmapStyle::colour;
        const float cell_w = area.w / static_cast<float>(map.shown_cols());
        const float cell_h = area.h / static_cast<float>(map.shown_rows());
        map.grid = std::min(cell_w, cell_h) >= 8;
        const NumberLook look = fitting_numbers(context_, panel, cell_w, cell_h);
        map.decimals = look.decimals;
        map.number_size = look.size;
        light(map, spec.is_moved, std::min(cell_w, cell_h));
        add_titles(spec, area, title_room);
        pen_.figure.marks.emplace_back(
            BoxMark{.area = {area.x - 1, area.y - 1, area.w + 2, area.h + 2}, .stroke = pen_.colors.hairline});
        pen_.figure.targets.push_back({.id = spec.id,
                                       .kind = TargetKind::cells,
                                       .area = area,
                                       .rows = map.shown_rows(),
                                       .cols = map.shown_cols(),
                                       .transposed = map.transposed,
                                       .tooltip = {}});
        LabelSpec down = labels(true, spec.is_moved), across = labels(false, spec.is_moved);
        down.lit = map.transposed ? map.lit_col : map.lit_row;
        across.lit = map.transposed ? map.lit_row : map.lit_col;
        pen_.figure.marks.emplace_back(std::move(map));
        if (!context_.options.tick_labels) return;
        add_row_labels(pen_.figure, context_.measure, down, area, most_label);
        add_column_labels(pen_.figure, context_.measure, across, area, label_h_, false);
    }

    void add_titles(const MapSpec& spec, Rect area, float room) const {
        const float y = area.y - pen_.text * 2.1F;
        const float title_w = rich_width(context_.measure, spec.title, pen_.text - 1, Font::bold);
        // Above a narrow map at the edge it begins further to the left, over the labels.
        const float x = std::min(area.x, room_.right() - title_w);
        pen_.words(spec.title, {x, y}, pen_.colors.text, AlignX::left, Font::bold, 1);
        if (*spec.sign != '\0')
            pen_.words(spec.sign, {area.x - label_w_ - between / 2, area.y + area.h / 2}, pen_.colors.dim,
                       AlignX::center, Font::words, -2);
        const std::string range = spec.has_range ? range_words(spec.scale) : std::string();
        if (!range.empty() && title_w + 10 + context_.measure.width(range, pen_.text - 3, Font::mono) <= room)
            pen_.words(range, {area.x + title_w + 10, y}, pen_.colors.faint, AlignX::left, Font::mono, 3);
        for (const std::string& note : {spec.note, spec.brief})
            if (context_.measure.width(note, pen_.text - 2, Font::words) <= room) {
                pen_.words(note, {area.x, area.y - pen_.text * 0.8F}, pen_.colors.dim);
                break;
            }
    }

    // One pair of tokens, wherever it stands.
    void light(HeatmapMark& map, bool is_moved, float cell) const {
        constexpr float smallest_framed = 5;
        if (cell < smallest_framed) return;
        const auto place = [&](Cell token) {
            if (!is_moved) return token;
            if (order_.moves_queries() && token.query >= 0) token.query = back_[token.query];
            if (order_.moves_keys() && token.key >= 0) token.key = back_[token.key];
            return token;
        };
        if (context_.display.pinned && context_.options.pins) {
            const Cell pin = place(pinned_cell(context_));
            map.pinned_row = pin.query;
            map.pinned_col = pin.key;
        }
        if (!context_.hovered) return;
        const Cell lit = place(*context_.hovered);
        map.lit_row = lit.query;
        map.lit_col = lit.key;
    }

    const PanelPen& pen_;
    const FigureContext& context_;
    const ShownOrder& order_;
    const std::shared_ptr<const MovedWeights>& moved_;
    Rect room_;
    Permutation back_;
    Rect first_;      // the cells of the first map
    float step_ = 0;  // the room of one
    float label_w_ = 0, label_h_ = 0, foot_ = 0;
};

}  // namespace

float add_order_maps(const PanelPen& pen, const ShownOrder& order, const std::shared_ptr<const MovedWeights>& moved,
                     Rect room) {
    const OrderMaps maps(pen, order, moved, room);
    maps.draw();
    return maps.height();
}

float order_maps_height(const PanelPen& pen, const ShownOrder& order, const std::shared_ptr<const MovedWeights>& moved,
                        Rect room) {
    return OrderMaps(pen, order, moved, room).height();
}

}  // namespace heed
