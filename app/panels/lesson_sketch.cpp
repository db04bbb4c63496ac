// The pad that a curve is drawn on with the mouse, and the true one laid over it.
#include "app/gl/imgui_compat.h"
#include "app/panels/lesson_parts.h"
#include "core/figure/rich_text.h"
#include "core/lessons/axis_name.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr float pad_height = 168;
constexpr int drawn_points = 81;  // a stroke is kept at these places along x

struct Pad {
    ImRect box;
    double low, high;
    ImVec2 place(const SketchPoint& point) const {
        const double share = std::clamp((point.y - low) / (high - low), 0.0, 1.0);
        return {box.Min.x + static_cast<float>(point.x) * box.GetWidth(),
                box.Max.y - static_cast<float>(share) * box.GetHeight()};
    }
    SketchPoint point(ImVec2 at) const {
        const double x = std::clamp((at.x - box.Min.x) / box.GetWidth(), 0.0F, 1.0F);
        const double y = std::clamp((box.Max.y - at.y) / box.GetHeight(), 0.0F, 1.0F);
        return {x, low + y * (high - low)};
    }
};

// The stroke from one place to the next replaces what was drawn between them: a curve has one height everywhere.
void draw_stroke(std::vector<SketchPoint>& sketch, SketchPoint from, SketchPoint to) {
    const auto index = [](double x) { return static_cast<int>(std::lround(x * (drawn_points - 1))); };
    int first = index(from.x);
    int last = index(to.x);
    if (first > last) {
        std::swap(first, last);
        std::swap(from, to);
    }
    for (int i = first; i <= last; ++i) {
        const double x = static_cast<double>(i) / (drawn_points - 1);
        const double span = to.x - from.x;
        const double share = span > 0 ? std::clamp((x - from.x) / span, 0.0, 1.0) : 1.0;
        const SketchPoint point{x, from.y + share * (to.y - from.y)};
        const auto at = std::ranges::lower_bound(sketch, x - 1e-9, {}, &SketchPoint::x);
        if (at != sketch.end() && std::abs(at->x - x) < 1e-9)
            *at = point;
        else
            sketch.insert(at, point);
    }
}

void draw_curve(const Pad& pad, const std::vector<SketchPoint>& curve, Color color, float width) {
    std::vector<ImVec2> places;
    for (const SketchPoint& point : curve)
        if (std::isfinite(point.y)) places.push_back(pad.place(point));
    if (places.size() > 1)
        stroke_polyline(ImGui::GetWindowDrawList(), places.data(), static_cast<int>(places.size()), u32(color),
                        px(width));
}

}  // namespace

void draw_sketch_pad(LessonContext& context) {
    const LessonPlayer& player = context.run.player();
    const Question& question = *player.current().question;
    const bool is_revealed = player.state().revealed;
    std::vector<SketchPoint>& sketch = context.run.draft().sketch;
    const Palette& c = colors();
    const std::string low = axis_end(question.low);
    const std::string high = axis_end(question.high);
    const float numbers =
        std::max(text_width(Font::words, cell_size, low), text_width(Font::words, cell_size, high)) + px(6);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const Pad pad{{{at.x + numbers, at.y + px(4)}, {at.x + room, at.y + px(pad_height)}}, question.low, question.high};
    ImGui::BeginDisabled(is_revealed);
    const Item item = button_item_at("sketch", pad.box, ImGuiButtonFlags_PressedOnClick);
    ImGui::EndDisabled();
    ImDrawList* list = ImGui::GetWindowDrawList();
    filled_box(pad.box, c.panel, 4);
    for (int i = 1; i < 4; ++i) {
        const float y = pad.box.Min.y + pad.box.GetHeight() * static_cast<float>(i) / 4;
        list->AddRectFilled({pad.box.Min.x, y}, {pad.box.Max.x, y + 1}, u32(with_alpha(c.hairline, 0.7F)));
    }
    outlined_box(pad.box, item.hovered && !is_revealed ? c.accent : c.hairline, 4);
    if (item.held && !is_revealed) {
        const ImGuiIO& io = ImGui::GetIO();
        const bool is_first = ImGui::GetCurrentContext()->ActiveIdIsJustActivated;
        const SketchPoint now = pad.point(io.MousePos);
        draw_stroke(sketch,
                    is_first ? now : pad.point({io.MousePos.x - io.MouseDelta.x, io.MousePos.y - io.MouseDelta.y}),
                    now);
    }
    if (ImGui::IsItemDeactivated() && sketch.size() > 1) context.run.answer(context.document, context.session);
    if (sketch.empty() && !is_revealed)
        text_center(pad.box, tr("Draw the curve here"), c.faint, Font::words, small_size);
    const bool is_answer = sketch_missing(sketch) <= most_sketch_missing;
    draw_curve(pad, is_answer ? to_the_edges(sketch) : sketch, is_revealed ? c.dim : c.accent, 2);
    if (is_revealed) draw_curve(pad, context.run.true_curve(), c.output, 2.5F);
    if (is_revealed && context.run.is_drawing_curve())
        text_center(pad.box, tr("computing…"), c.accent, Font::words, small_size);
    draw_text(list, Font::words, cell_size, {pad.box.Min.x - px(5), pad.box.Max.y}, u32(c.dim), low, AlignX::right,
              AlignY::bottom);
    draw_text(list, Font::words, cell_size, {pad.box.Min.x - px(5), pad.box.Min.y}, u32(c.dim), high, AlignX::right,
              AlignY::top);
    const ImRect below({pad.box.Min.x, pad.box.Max.y + px(2)}, {pad.box.Max.x, pad.box.Max.y + px(18)});
    text_left(below, 0, axis_end(question.over.from), c.dim, Font::words, cell_size);
    text_center(below, axis_title(question.over, context.session.settings.language), c.dim, Font::words, cell_size);
    text_right(below, 0, axis_end(question.over.to), c.dim, Font::words, cell_size);
    put_cursor_back({at.x, below.Max.y});
    ImGui::Dummy({0, 0});
}

}  // namespace heed::app
