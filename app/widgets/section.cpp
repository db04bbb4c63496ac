#include "app/widgets/section.h"

#include "app/session.h"
#include "core/figure/rich_text.h"

#include <algorithm>

namespace heed::app {

namespace {

// Headings are set in small capitals, as far as the language has them.
std::string capitals(std::string_view words) {
    std::string upper(words);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

}  // namespace

void section(std::string_view english, std::string_view summary, bool first) {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    // Where those before it are folded away, it is the first one too.
    if (!first && ImGui::GetCursorScreenPos().y > window->DC.CursorStartPos.y + 1) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        // From edge to edge, through the padding.
        window->DrawList->PushClipRect(window->InnerRect.Min, window->InnerRect.Max);
        window->DrawList->AddRectFilled({window->InnerRect.Min.x, at.y}, {window->InnerRect.Max.x, at.y + px(1)},
                                        ink(colors().hairline));
        window->DrawList->PopClipRect();
        ImGui::Dummy({0, px(9)});
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect line(at, {at.x + ImGui::GetContentRegionAvail().x, at.y + px(18)});
    ImGui::Dummy(line.GetSize());
    const std::string heading = capitals(tr(english));
    text_left(line, 0, heading, colors().dim, Font::words, small_size);
    const float room = line.GetWidth() - text_width(Font::words, small_size, heading) - px(12);
    if (rich_text_width(Font::words, small_size, summary) <= room)
        text_right(line, 0, summary, colors().dim, Font::words, small_size);
    ImGui::Dummy({0, px(4)});
}

void end_section() { ImGui::Dummy({0, px(11)}); }

void note(std::string_view words) {
    const ScopedFont small(Font::words, small_size);
    ImGui::PushStyleColor(ImGuiCol_Text, ink(colors().dim));
    ImGui::PushTextWrapPos(0.0F);
    ImGui::TextUnformatted(words.data(), words.data() + words.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void color_bar(float width, const ColorScale& scale) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect bar(at, {at.x + width, at.y + px(10)});
    ImGui::Dummy({width, px(26)});
    const ColorTable& table = color_table(scale.map, current_theme());
    ImDrawList* list = ImGui::GetWindowDrawList();
    constexpr int steps = 32;
    const auto color = [&](int i) {
        return ink(table[static_cast<std::size_t>(std::min(i * color_table_size / steps, color_table_size - 1))]);
    };
    for (int i = 0; i < steps; ++i) {
        const float left = bar.Min.x + width * static_cast<float>(i) / steps;
        const float right = bar.Min.x + width * static_cast<float>(i + 1) / steps;
        list->AddRectFilledMultiColor({left, bar.Min.y}, {right, bar.Max.y}, color(i), color(i + 1), color(i + 1),
                                      color(i));
    }
    outlined_box(bar, colors().hairline, 0);
    const ImRect ends({bar.Min.x, bar.Max.y}, {bar.Max.x, bar.Max.y + px(16)});
    text_left(ends, 0, compact(static_cast<double>(scale.low)), colors().dim, Font::words, cell_size);
    text_right(ends, 0, compact(static_cast<double>(scale.high)), colors().dim, Font::words, cell_size);
}

}  // namespace heed::app
