#include "app/widgets/number_field.h"

#include "core/files/number_text.h"
#include "core/language.h"

#include <cmath>
#include <cstdio>

namespace heed::app {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

std::optional<double> read_number(std::string_view text) {
    std::string plain(trimmed(text));
    for (char& c : plain)
        if (c == ',') c = '.';
    const std::size_t slash = plain.find('/');
    if (slash != std::string::npos) {
        const std::optional<double> above = read_number(std::string_view(plain).substr(0, slash));
        const std::optional<double> below = read_number(std::string_view(plain).substr(slash + 1));
        if (!above || !below || *below == 0) return std::nullopt;
        return *above / *below;
    }
    const std::optional<float> value = parse_float(plain);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    return static_cast<double>(*value);
}

bool is_too_large(std::string_view text) {
    const std::optional<float> value = parse_float(trimmed(text));
    return value && std::isinf(*value) && text.find_first_of("0123456789") != std::string_view::npos;
}

std::string field_text(double value, bool integer) {
    if (integer) return decimal(value, 0);
    const double size = std::abs(value);
    if (size != 0 && (size >= 1e5 || size < 1e-3)) return compact(value);
    return decimal(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 || size == 0 ? 2 : size >= 0.1 ? 3 : 4);
}

std::optional<std::string> number_field(const NumberField& field, const ImRect& box) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*s", static_cast<int>(field.shown.size()), field.shown.data());
    const std::string label = "###" + std::string(field.name);
    const ImGuiID id = ImGui::GetID(label.c_str());
    const bool was_active = ImGui::GetActiveID() == id;

    const ScopedFont mono(Font::mono, small_size);
    const float padding = ImMax(0.0F, (box.GetHeight() - ImGui::GetFontSize()) * 0.5F);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), padding});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, px(field_radius));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0F);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ink(colors().field));
    // At rest the text stands at the right edge, which InputText cannot do.
    Color text_color = colors().text;
    if (!was_active) text_color.a = 0;
    ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(text_color.r, text_color.g, text_color.b, text_color.a));

    const ImVec2 cursor = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos(box.Min);
    if (field.take_focus) ImGui::SetKeyboardFocusHere();
    ImGui::InputTextEx(label.c_str(), nullptr, text, sizeof text, box.GetSize(), ImGuiInputTextFlags_AutoSelectAll);
    const bool is_active = ImGui::IsItemActive();
    const bool ended = ImGui::IsItemDeactivatedAfterEdit();
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(3);

    std::string problem;
    if ((is_active || ended) && field.problem && std::string_view(text) != field.shown) problem = field.problem(text);
    if (!was_active || !is_active)
        text_right(box, 8, ended ? std::string_view(text) : field.shown, field.dim ? colors().faint : colors().text,
                   Font::mono, small_size);
    const Color frame = !problem.empty() && is_active ? colors().warning
                        : is_active                   ? colors().accent
                        : hovered                     ? colors().track
                                                      : colors().hairline;
    outlined_box(box, frame, field_radius, is_active ? 1.5F : 1.0F);
    if (is_active && !problem.empty()) {
        const ScopedFont words(Font::words, small_size);
        const float width = text_width(Font::words, small_size, problem) + px(24);
        ImGui::SetNextWindowPos(
            {ImMax(0.0F, ImMin(box.Min.x, ImGui::GetIO().DisplaySize.x - width)), box.Max.y + px(6)});
        ImGui::SetTooltip("%s", problem.c_str());
    }
    put_cursor_back(cursor);
    if (!ended || !problem.empty() || std::string_view(text) == field.shown) return std::nullopt;
    return std::string(text);
}

}  // namespace heed::app
