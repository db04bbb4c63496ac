#include "core/figure/figure.h"

#include "core/version.h"

#include "core/figure/plot.h"

#include <cmath>

namespace heed {

namespace {

void shift(Point& point, float x, float y) {
    point.x += x;
    point.y += y;
}

void shift(Rect& rect, float x, float y) {
    rect.x += x;
    rect.y += y;
}

struct Shift {
    float x, y;
    void operator()(TextMark& mark) const { shift(mark.at, x, y); }
    void operator()(HeatmapMark& mark) const { shift(mark.area, x, y); }
    void operator()(LineMark& mark) const { points(mark.points); }
    void operator()(AreaMark& mark) const { points(mark.outline); }
    void operator()(BandMark& mark) const {
        points(mark.upper);
        points(mark.lower);
    }
    void operator()(BoxMark& mark) const { shift(mark.area, x, y); }
    void operator()(CircleMark& mark) const { shift(mark.center, x, y); }
    void operator()(RibbonMark& mark) const {
        for (Point* point : {&mark.from_top, &mark.from_bottom, &mark.to_top, &mark.to_bottom}) shift(*point, x, y);
    }
    void operator()(ColorBarMark& mark) const { shift(mark.area, x, y); }
    void operator()(ClipMark& mark) const { shift(mark.area, x, y); }
    void operator()(PlotRef& plot) const {
        PlotMark moved = *plot;
        shift(moved.area, x, y);
        plot = std::make_shared<const PlotMark>(std::move(moved));
    }
    void points(std::vector<Point>& list) const {
        for (Point& point : list) shift(point, x, y);
    }
};

double share_of(const Axis& axis, double value) {
    if (axis.log) return std::log(value / axis.low) / std::log(axis.high / axis.low);
    return (value - axis.low) / (axis.high - axis.low);
}

double value_at(const Axis& axis, double share) {
    if (axis.log) return axis.low * std::pow(axis.high / axis.low, share);
    return axis.low + (axis.high - axis.low) * share;
}

template <typename List>
auto* find_by_id(const List& list, const TargetId& id) {
    for (const auto& entry : list)
        if (entry.id == id) return &entry;
    return static_cast<decltype(list.data())>(nullptr);
}

}  // namespace

MatrixView view_of(Matrix matrix) { return view_of(std::move(matrix), next_version()); }

MatrixView view_of(Matrix matrix, std::uint64_t version) {
    const auto owner = std::make_shared<const Matrix>(std::move(matrix));
    return {owner->data(), owner->rows(), owner->cols(), owner, version};
}

float HeatmapMark::shown_value(Index row, Index col) const {
    const float scaled = values.at(row, col) * factor;
    return soft_cap > 0 ? soft_cap * std::tanh(scaled / soft_cap) : scaled;
}

Rect HeatmapMark::cell_rect(Index row, Index col) const {
    const float w = area.w / static_cast<float>(shown_cols());
    const float h = area.h / static_cast<float>(shown_rows());
    const auto down = static_cast<float>(transposed ? col : row);
    const auto across = static_cast<float>(transposed ? row : col);
    return {area.x + across * w, area.y + down * h, w, h};
}

Point Frame::place(double at_x, double at_y) const {
    return {area.x + area.w * static_cast<float>(share_of(x, at_x)),
            area.bottom() - area.h * static_cast<float>(share_of(y, at_y))};
}

double Frame::data_x(float place_x) const { return value_at(x, static_cast<double>((place_x - area.x) / area.w)); }

double Frame::data_y(float place_y) const {
    return value_at(y, static_cast<double>((area.bottom() - place_y) / area.h));
}

std::string TargetId::text() const {
    std::string text = name;
    if (!part.empty()) text += " " + part;
    if (number >= 0) text += " " + std::to_string(number);
    return text;
}

std::optional<int> TargetId::number_of(std::string_view of) const {
    return name == of && number >= 0 ? std::optional(number) : std::nullopt;
}

const Target* Figure::find_target(const TargetId& id) const { return find_by_id(targets, id); }

const Frame* Figure::find_frame(const TargetId& id) const { return find_by_id(frames, id); }

const HeatmapMark* Figure::find_heatmap(std::string_view id) const {
    for (const Mark& mark : marks)
        if (const auto* heatmap = std::get_if<HeatmapMark>(&mark); heatmap != nullptr && heatmap->id == id)
            return heatmap;
    return nullptr;
}

const PlotMark* Figure::find_plot(std::string_view id) const {
    for (const Mark& mark : marks)
        if (const auto* plot = std::get_if<PlotRef>(&mark); plot != nullptr && (*plot)->id == id) return plot->get();
    return nullptr;
}

const Target* Figure::target_at(Point point) const {
    for (auto target = targets.rbegin(); target != targets.rend(); ++target)
        if (target->area.contains(point)) return &*target;
    return nullptr;
}

void Figure::place(Figure part, float x, float y) {
    for (Mark& mark : part.marks) {
        std::visit(Shift{x, y}, mark);
        marks.push_back(std::move(mark));
    }
    for (Target& target : part.targets) {
        shift(target.area, x, y);
        targets.push_back(std::move(target));
    }
    for (Frame& frame : part.frames) {
        shift(frame.area, x, y);
        frames.push_back(std::move(frame));
    }
}

const TextMeasure& rough_measure() {
    class Rough : public TextMeasure {
        float width(std::string_view text, float size, Font font) const override {
            float ems = 0;
            for (const char c : text) {
                const auto byte = static_cast<unsigned char>(c);
                if ((byte & 0xC0U) == 0x80U) continue;
                ems += byte >= 0xE3 ? 1.0F : font == Font::mono ? 0.6F : 0.56F;
            }
            return ems * size;
        }
    };
    static const Rough rough;
    return rough;
}

}  // namespace heed
