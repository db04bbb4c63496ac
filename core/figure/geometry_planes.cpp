#include "core/figure/geometry_planes.h"

#include "core/display/geometry_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/rich_text.h"
#include "core/percent.h"
#include "core/random.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heed {

namespace {

constexpr float handle_size = 20;
constexpr float note_line = 1.35F;

struct PlaneKey {
    std::uint64_t numbers = 0;
    HeldPlane held;
    friend bool operator==(const PlaneKey&, const PlaneKey&) = default;
};

bool is_held(const HeldPlane& held, int head, Index d) {
    return d > 2 && held.head == head && static_cast<Index>(held.components.size()) == d;
}

Plane plane_of(const FigureContext& context, const char* lane, HeldPlane held,
               const std::vector<ConstMatrixRef>& parts) {
    held.reach = 0;
    const Index d = parts.front().cols();
    if (!is_held(held, shown_head(context), d)) held = {};
    std::uint64_t numbers = 0;
    for (const ConstMatrixRef& part : parts) numbers = mix_bits(numbers ^ content_of(part));
    return *kept(context, lane, PlaneKey{numbers, held}, [&] {
        if (held.components.empty()) return principal_plane(parts);
        Eigen::VectorXd across(d), up(d);
        for (Index t = 0; t < d; ++t) {
            across(t) = static_cast<double>(held.components[static_cast<std::size_t>(t)].across);
            up(t) = static_cast<double>(held.components[static_cast<std::size_t>(t)].up);
        }
        return plane_along(std::move(across), std::move(up), parts);
    });
}

// Digits below the line.
std::string small_number(int number) {
    std::string digits;
    for (const char digit : std::to_string(number)) {
        digits += "\xE2\x82";  // ₀ is U+2080
        digits += static_cast<char>(0x80 + (digit - '0'));
    }
    return digits;
}

template <typename Label>
std::string told(int token, int count, const Label& label) {
    std::string words = label(token);
    for (int other = 0; other < count; ++other)
        if (other != token && label(other) == words) return words + small_number(token + 1);
    return words;
}

// 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 …: the next at or above.
double round_up(double value) {
    if (!(value > 0) || !std::isfinite(value)) return 1;
    const double unit = std::pow(10.0, std::floor(std::log10(value)));
    for (const double step : {1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (step * unit >= value * (1 - 1e-9)) return step * unit;
    return 10 * unit;
}

}  // namespace

std::uint64_t content_of(ConstMatrixRef numbers) {
    std::uint64_t hash =
        mix_bits(static_cast<std::uint64_t>(numbers.rows()) << 32U ^ static_cast<std::uint64_t>(numbers.cols()));
    for (Index i = 0; i < numbers.rows(); ++i)
        for (Index j = 0; j < numbers.cols(); ++j)
            hash = (hash ^ std::bit_cast<std::uint32_t>(numbers(i, j))) * 0x9fb21c651e98df25ULL + (hash >> 29U);
    return mix_bits(hash);
}

Plane key_plane(const FigureContext& context) {
    const int head = shown_head(context);
    const auto q = context.trace.q[head];
    const auto k = context.trace.k[kv_head_of(context.model, head)];
    return plane_of(context, "key plane", context.display.geometry->keys, {q, k});
}

Plane value_plane(const FigureContext& context) {
    const auto v = context.trace.v[kv_head_of(context.model, shown_head(context))];
    return plane_of(context, "value plane", context.display.geometry->values, {v});
}

bool holds_key_plane(const FigureContext& context) {
    return is_held(context.display.geometry->keys, shown_head(context), context.model.d_k);
}

bool holds_value_plane(const FigureContext& context) {
    return is_held(context.display.geometry->values, shown_head(context), context.model.d_v);
}

DrawnPlane drawn_plane(Plane plane, std::string_view id, Rect area, const std::vector<PlanePoint>& points, float held) {
    DrawnPlane drawn;
    drawn.is_line = plane.d() == 1;
    drawn.plane = std::move(plane);
    drawn.area = area;
    const auto nearer = static_cast<double>(std::min(area.w, area.h));
    const double wide = static_cast<double>(area.w) / nearer;
    const double high = static_cast<double>(area.h) / nearer;
    double furthest = 0;
    for (const PlanePoint& point : points) {
        const double reached = std::max(std::abs(point.x) / wide, std::abs(point.y) / high);
        if (std::isfinite(reached)) furthest = std::max(furthest, reached);
    }
    const double reach =
        held > 0 && std::isfinite(held) ? static_cast<double>(held) : round_up(furthest / comfortable_reach);
    drawn.outlook = {reach * wide, reach * high};
    drawn.frame = {
        TargetId(id), area, {-drawn.outlook.width, drawn.outlook.width}, {-drawn.outlook.height, drawn.outlook.height}};
    return drawn;
}

PlanePen::PlanePen(Figure& figure, const FigureContext& context, const DrawnPlane& drawn)
    : figure_(figure), context_(context), drawn_(drawn) {
    figure.frames.push_back(drawn.frame);
    figure.marks.emplace_back(ClipMark{drawn.area, true});
}

PlanePen::~PlanePen() {
    figure_.marks.emplace_back(ClipMark{drawn_.area, false});
    figure_.marks.emplace_back(BoxMark{.area = drawn_.area, .stroke = context_.colors().hairline});
}

void PlanePen::axes() {
    const bool is_principal = drawn_.plane.d() > 2;
    const std::string across(context_.word(is_principal ? "1st direction" : "component 1"));
    const std::string up(context_.word(is_principal ? "2nd direction" : "component 2"));
    const Palette& colors = context_.colors();
    const Rect& area = drawn_.area;
    const Point middle = drawn_.origin();
    const Color line = with_alpha(colors.text, 0.16F);
    const float size = std::max(8.0F, context_.options.text_size - 4);
    figure_.marks.emplace_back(LineMark{{{area.x, middle.y}, {area.right(), middle.y}}, line});
    if (!drawn_.is_line) figure_.marks.emplace_back(LineMark{{{middle.x, area.y}, {middle.x, area.bottom()}}, line});
    const auto put = [&](const std::string& text, Point at, AlignX align_x, AlignY align_y) {
        const float w = rich_width(context_.measure, text, size, Font::words);
        const float left = align_x == AlignX::left ? at.x : align_x == AlignX::right ? at.x - w : at.x - w / 2;
        const float top = align_y == AlignY::top ? at.y : align_y == AlignY::bottom ? at.y - size : at.y - size / 2;
        const Rect box{left - 2, top - 2, w + 4, size + 4};
        if (!is_free(box)) return;
        reserve(box);
        figure_.marks.emplace_back(TextMark{text, at, {size, Font::words, colors.dim}, align_x, align_y});
    };
    put(across, {area.right() - 5, middle.y + 4}, AlignX::right, AlignY::top);
    if (!drawn_.is_line) put(up, {middle.x + 5, area.y + 5}, AlignX::left, AlignY::top);
    if (!context_.options.tick_labels) return;
    for (const Tick& tick : ticks(drawn_.frame.x, area.w, 90)) {
        const float x = drawn_.frame.place(tick.value, 0).x;
        if (tick.text.empty() || tick.value == 0 || x < area.x + 14 || x > area.right() - 30) continue;
        figure_.marks.emplace_back(LineMark{{{x, middle.y - 3}, {x, middle.y + 3}}, line});
        put(tick.text, {x, middle.y + 5}, AlignX::center, AlignY::top);
    }
}

void PlanePen::arrow(Point to, Color color, float width, bool dashed) {
    arrow(drawn_.origin(), to, color, width, dashed);
}

void PlanePen::arrow(Point from, Point to, Color color, float width, bool dashed) {
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const float length = std::hypot(dx, dy);
    if (!std::isfinite(length)) return;
    if (length <= 0.5F) return dot(to, width + 1, color, color);
    const float head = std::min(length, 4 + 2.6F * width);
    const Point along{dx / length, dy / length};
    const Point neck{to.x - along.x * head, to.y - along.y * head};
    const float half = head * 0.42F;
    if (length > head) figure_.marks.emplace_back(LineMark{{from, neck}, color, width, dashed});
    figure_.marks.emplace_back(AreaMark{
        {to, {neck.x - along.y * half, neck.y + along.x * half}, {neck.x + along.y * half, neck.y - along.x * half}},
        color});
}

void PlanePen::dot(Point at, float radius, Color fill, Color stroke, float stroke_width) {
    if (!std::isfinite(at.x) || !std::isfinite(at.y)) return;
    figure_.marks.emplace_back(
        CircleMark{.center = at, .radius = radius, .fill = fill, .stroke = stroke, .stroke_width = stroke_width});
}

void PlanePen::handle(TargetId id, Point at, std::string tooltip) {
    if (!std::isfinite(at.x) || !std::isfinite(at.y)) return;
    // What lies outside can be taken at the edge.
    const Rect& area = drawn_.area;
    const Point inside{std::clamp(at.x, area.x, area.right()), std::clamp(at.y, area.y, area.bottom())};
    figure_.targets.push_back(
        {.id = std::move(id),
         .kind = TargetKind::handle,
         .area = {inside.x - handle_size / 2, inside.y - handle_size / 2, handle_size, handle_size},
         .tooltip = std::move(tooltip),
         .frame = drawn_.frame.id});
}

bool PlanePen::is_free(const Rect& box, Over over) const {
    const Rect& area = drawn_.area;
    if (box.x < area.x + 1 || box.y < area.y + 1 || box.right() > area.right() - 1 || box.bottom() > area.bottom() - 1)
        return false;
    const auto covers = [&](const Rect& other) {
        return box.x < other.right() && other.x < box.right() && box.y < other.bottom() && other.y < box.bottom();
    };
    return std::ranges::none_of(taken_, covers) && (over == Over::ends || std::ranges::none_of(ends_, covers));
}

bool PlanePen::name(const std::string& words, Point at, Point outward, Color color, Font font, bool plain) {
    return put_name(words, at, outward, color, font, plain, Over::nothing);
}

bool PlanePen::name_surely(const std::string& words, Point at, Point outward, Color color, Font font) {
    return name(words, at, outward, color, font) || put_name(words, at, outward, color, font, true, Over::ends);
}

bool PlanePen::put_name(const std::string& words, Point at, Point outward, Color color, Font font, bool plain,
                        Over over) {
    if (words.empty() || !std::isfinite(at.x) || !std::isfinite(at.y)) return false;
    const float size = std::max(9.0F, context_.options.text_size - 2);
    const std::string text = plain ? shorten(context_.measure, words, size, font, drawn_.area.w * 0.4F) : words;
    const float w = plain ? context_.measure.width(text, size, font) : rich_width(context_.measure, text, size, font);
    const float length = std::hypot(outward.x, outward.y);
    const float angle = length > 0 ? std::atan2(outward.y, outward.x) : -0.8F;
    constexpr float gap = 8;
    const float wide = w / 2 + gap;
    const float high = size / 2 + gap;
    for (const float turn : {0.0F, 0.6F, -0.6F, 1.2F, -1.2F, 2.0F, -2.0F, 3.1F}) {
        // As far out as the box needs to stand clear of the point.
        const float x = std::cos(angle + turn);
        const float y = std::sin(angle + turn);
        const float out = std::min(wide / std::max(std::abs(x), 1e-6F), high / std::max(std::abs(y), 1e-6F));
        const Point middle{at.x + x * out, at.y + y * out};
        const Rect box{middle.x - w / 2 - 2, middle.y - size / 2 - 2, w + 4, size + 4};
        if (!is_free(box, over)) continue;
        reserve(box);
        figure_.marks.emplace_back(
            BoxMark{.area = {box.x, box.y + 1, box.w, box.h - 2},
                    .fill = with_alpha(context_.colors().panel, context_.theme == Theme::dark ? 0.45F : 0.6F),
                    .radius = 3});
        figure_.marks.emplace_back(
            TextMark{text, middle, {size, font, color}, AlignX::center, AlignY::middle, 0, plain});
        return true;
    }
    return false;
}

float notes_height(const FigureContext& context, int lines) {
    return static_cast<float>(lines) * (context.options.text_size - 2) * note_line;
}

int add_notes(Figure& figure, const FigureContext& context, Rect room, const std::vector<Note>& notes) {
    const float size = context.options.text_size - 2;
    const int most = static_cast<int>(room.h / (size * note_line) + 0.01F);
    const auto lines_of = [&](const std::string& words) {
        return wrapped(context.measure, words, size, Font::words, room.w);
    };
    int kept_free = 0;  // for what can be said in brief
    for (const Note& note : notes)
        if (!note.brief.empty()) kept_free += static_cast<int>(lines_of(note.brief).size());
    int used = 0;
    for (const Note& note : notes) {
        auto lines = lines_of(note.words);
        const auto fits = [&] { return used + static_cast<int>(lines.size()) + kept_free <= most; };
        if (!note.brief.empty()) {
            const auto brief = lines_of(note.brief);
            kept_free -= static_cast<int>(brief.size());
            if (!fits()) lines = brief;
            if (used + static_cast<int>(lines.size()) > most) continue;
        } else if (!fits()) {
            continue;
        }
        for (const std::string& line : lines) {
            const float y = room.y + (static_cast<float>(used++) + 0.5F) * size * note_line;
            figure.marks.emplace_back(TextMark{
                line, {room.x, y}, {size, Font::words, note.color}, AlignX::left, AlignY::middle, 0, note.plain});
        }
    }
    return used;
}

void add_panel_title(Figure& figure, const FigureContext& context, Rect room, std::string_view title,
                     const std::string& note, Color color) {
    const float text = context.options.text_size;
    const float y = room.y + text * 0.6F;
    const float width = rich_width(context.measure, title, text, Font::bold);
    figure.marks.emplace_back(
        TextMark{std::string(title), {room.x, y}, {text, Font::bold, color}, AlignX::left, AlignY::middle});
    const float left = room.w - width - 10;
    if (note.empty() || rich_width(context.measure, note, text - 2, Font::words) > left) return;
    figure.marks.emplace_back(TextMark{
        note, {room.x + width + 10, y}, {text - 2, Font::words, context.colors().dim}, AlignX::left, AlignY::middle});
}

void add_fit_button(Figure& figure, const FigureContext& context, Rect room, const char* id) {
    const float size = context.options.text_size - 2;
    const std::string words(context.word("Fit the plane"));
    const float w = context.measure.width(words, size, Font::words) + 16;
    const Rect area{room.right() - w, room.y - 2, w, size + 8};
    figure.marks.emplace_back(BoxMark{.area = area, .fill = context.colors().field, .radius = 6});
    figure.marks.emplace_back(
        TextMark{words, area.center(), {size, Font::words, context.colors().text}, AlignX::center, AlignY::middle});
    figure.targets.push_back(
        {.id = id,
         .area = area,
         .tooltip = std::string(context.word("Turn the plane to the principal directions again"))});
}

std::string percent(double share) { return percent_digits(share) + " %"; }

std::string told_query(const Model& model, int query) {
    return told(query, model.n_queries, [&](int token) { return query_label(model, token); });
}

std::string told_key(const Model& model, int key) {
    return told(key, effective_n_keys(model), [&](int token) { return key_label(model, token); });
}

GeometryRow geometry_row(const FigureContext& context) {
    const Cell cell = pinned_cell(context);
    GeometryRow out;
    out.head = shown_head(context);
    out.key = cell.key;
    out.row = query_row(context.model, context.trace, out.head, cell.query);
    const auto weights = context.trace.weights[out.head].row(cell.query);
    out.weights.assign(weights.data(), weights.data() + weights.size());
    out.sees_a_key = context.trace.sees_a_key(out.head, cell.query);
    for (int j = 0; j < static_cast<int>(out.weights.size()); ++j) out.by_weight.push_back(j);
    std::ranges::stable_sort(out.by_weight, [&](int a, int b) {
        const auto i = static_cast<std::size_t>(a);
        const auto j = static_cast<std::size_t>(b);
        if (out.row.visible[i] != out.row.visible[j]) return out.row.visible[i] > out.row.visible[j];
        return !std::isnan(out.weights[i]) && (std::isnan(out.weights[j]) || out.weights[i] > out.weights[j]);
    });
    return out;
}

}  // namespace heed
