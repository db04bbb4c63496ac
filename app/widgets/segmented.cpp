#include "app/widgets/choices.h"

#include "app/session.h"
#include "app/widgets/slider.h"

#include <algorithm>
#include <vector>

namespace heed::app {

namespace {

constexpr float segment_padding = 7;
constexpr float label_size = 13;

// Which segments stand in which row: as few rows as the words need, filled as evenly as their order allows.
std::vector<std::size_t> row_ends(const std::vector<float>& widths, float room) {
    const auto rows_for = [&](float limit) {
        std::vector<std::size_t> ends;
        float used = 0;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (i > 0 && used + widths[i] > limit) {
                ends.push_back(i);
                used = 0;
            }
            used += widths[i];
        }
        ends.push_back(widths.size());
        return ends;
    };
    const std::vector<std::size_t> widest = rows_for(room);
    std::vector<std::size_t> best = widest;
    for (float limit = room; limit > room * 0.3F; limit -= room * 0.02F) {
        std::vector<std::size_t> narrower = rows_for(limit);
        if (narrower.size() > widest.size()) break;
        best = std::move(narrower);
    }
    return best;
}

void draw_segment(const Segment& segment, const Item& item, bool chosen, float radius, ImDrawFlags corners) {
    const Palette& c = colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (chosen)
        list->AddRectFilled(item.box.Min, item.box.Max, ink(c.field_selected), px(radius), corners);
    else if (item.hovered || item.held)
        list->AddRectFilled(item.box.Min, item.box.Max, ink(mix(c.field, c.text, item.held ? 0.06F : 0.0F)), px(radius),
                            corners);
    text_center(item.box, segment.label,
                chosen         ? c.accent
                : item.hovered ? c.text
                               : c.dim,
                chosen ? Font::bold : Font::words, label_size);
}

}  // namespace

bool segmented(std::string_view name, std::span<const Segment> segments, int& chosen) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const float height = px(small_height);
    std::vector<float> widths;
    for (const Segment& segment : segments)  // bold, so that choosing moves nothing
        widths.push_back(rich_text_width(Font::bold, label_size, segment.label) + 2 * px(segment_padding));
    const std::vector<std::size_t> ends = row_ends(widths, room);
    const ImRect frame(at, {at.x + room, at.y + height * static_cast<float>(ends.size())});
    ImGui::Dummy(frame.GetSize());
    ImDrawList* list = ImGui::GetWindowDrawList();
    bool changed = false;
    std::size_t begin = 0;
    std::vector<ImVec2> lines;  // between segments: top ends
    for (std::size_t row = 0; row < ends.size(); ++row) {
        float total = 0;
        for (std::size_t i = begin; i < ends[row]; ++i) total += widths[i];
        const float extra = (room - total) / static_cast<float>(ends[row] - begin);
        float x = at.x;
        const float y = at.y + static_cast<float>(row) * height;
        for (std::size_t i = begin; i < ends[row]; ++i) {
            const bool is_last = i + 1 == ends[row];
            const float right = is_last ? frame.Max.x : std::round(x + widths[i] + extra);
            const Segment& segment = segments[i];
            ImGui::BeginDisabled(!segment.why_not.empty());
            const Item item =
                button_item_at(std::string(name) + "/" + std::string(segment.name), {{x, y}, {right, y + height}}, 0,
                               static_cast<int>(i) == chosen ? CheckMark::on : CheckMark::off);
            if (!segment.title.empty() || !segment.help.empty() || !segment.why_not.empty())
                explain(segment.title, segment.help, segment.why_not);
            ImDrawFlags corners = 0;
            if (row == 0 && i == begin) corners |= ImDrawFlags_RoundCornersTopLeft;
            if (row == 0 && is_last) corners |= ImDrawFlags_RoundCornersTopRight;
            if (row + 1 == ends.size() && i == begin) corners |= ImDrawFlags_RoundCornersBottomLeft;
            if (row + 1 == ends.size() && is_last) corners |= ImDrawFlags_RoundCornersBottomRight;
            draw_segment(segment, item, static_cast<int>(i) == chosen, field_radius,
                         corners == 0 ? ImDrawFlags_RoundCornersNone : corners);
            focus_ring(item, field_radius);
            ImGui::EndDisabled();
            if (item.pressed && static_cast<int>(i) != chosen) {
                chosen = static_cast<int>(i);
                changed = true;
            }
            if (!is_last) lines.push_back({right, y});
            x = right;
        }
        begin = ends[row];
    }
    const ImU32 line = ink(colors().hairline);
    for (const ImVec2 top : lines)
        list->AddRectFilled({top.x - px(0.5F), top.y}, {top.x + px(0.5F), top.y + height}, line);
    for (std::size_t row = 1; row < ends.size(); ++row) {
        const float y = at.y + static_cast<float>(row) * height;
        list->AddRectFilled({frame.Min.x, y - px(0.5F)}, {frame.Max.x, y + px(0.5F)}, line);
    }
    outlined_box(frame, colors().hairline, field_radius);
    return changed;
}

bool segmented_row(std::string_view name, std::string_view label, std::span<const Segment> segments, int& chosen) {
    const RowColumns columns = row_columns();
    text_left(columns.label, 0, tr(label), colors().text);
    ImGui::SetCursorScreenPos({columns.back.Max.x, columns.all.Min.y + px(1)});
    const bool changed = segmented(name, segments, chosen);
    put_cursor_back({columns.all.Min.x, ImGui::GetCursorScreenPos().y + px(1)});  // it may be the last row of a page
    return changed;
}

}  // namespace heed::app
