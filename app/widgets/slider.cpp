#include "app/widgets/slider.h"

#include "app/gl/imgui_compat.h"
#include "app/session.h"
#include "app/widgets/number_field.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace heed::app {

namespace {

constexpr float zero_share = 0.06F;  // of the track, where its left end is exactly 0
constexpr float off_share = 0.06F;   // of the track, where its right end is no value
constexpr float knob_radius = 6;     // logical pixels
constexpr float magnet = 0.015F;     // of the track: a drag near the usual value takes it
constexpr float end_reach = 2;       // logical pixels: a mouse this near an end is at it
constexpr float fine_speed = 0.1F;   // of the knob, with Shift

int keyboard_frame = -2;                         // when a slider last took the arrow keys
const ImGuiContext* keyboard_context = nullptr;  // and where: frames are counted in each
std::string moved_slider;

double low_typed(const Slider& s) { return s.typed_low.value_or(s.zero_word.empty() ? s.low : 0.0); }
double high_typed(const Slider& s) { return s.typed_high.value_or(s.high); }

// Three digits that matter, so that the field shows what is computed with.
double rounded(const Slider& s, double value) {
    if (s.integer) return std::round(value);
    if (value == 0) return 0;
    const double span = s.log ? std::abs(value) : s.high - s.low;
    const double step = std::pow(10.0, std::floor(std::log10(span)) - 2);
    return std::round(value / step) * step;
}

double stepped(const Slider& s, double value, int steps) {
    if (!s.zero_word.empty() && value == 0) return steps > 0 ? s.low : 0;
    double next = 0;
    if (s.integer) {
        next = value + steps;
    } else if (s.log) {
        next = rounded(s, value * std::pow(10.0, steps / 20.0));
    } else {
        next = rounded(s, value + steps * (s.high - s.low) / 100);
    }
    if (!s.zero_word.empty() && next < s.low) return 0;
    return std::clamp(next, std::min(s.low, value), std::max(s.high, value));
}

// As short as it can be written: 0.01, −1000000.
std::string written(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", std::abs(value));
    return (value < 0 ? "−" : "") + std::string(text);
}

// Why the last value of the field is less than the track's.
std::string reason_for_less(const Slider& s) {
    return high_typed(s) < s.high && !s.why_less.empty() ? std::string(tr(s.why_less)) : "";
}

std::string range_text(const Slider& s) {
    const std::string low = written(s.low);
    const std::string high = written(std::min(s.high, high_typed(s)));
    std::string text = s.zero_word.empty() ? fill(tr("from {0} to {1}"), {low, high})
                                           : fill(tr("from {0} to {1}; left end 0: {2}"), {low, high, tr(s.zero_word)});
    const bool has_lower = s.zero_word.empty() && low_typed(s) < s.low;
    if (has_lower && high_typed(s) > s.high)
        text += fill(tr("; typed from {0} to {1}"), {written(low_typed(s)), written(high_typed(s))});
    else if (has_lower)
        text += fill(tr("; typed from {0} on"), {written(low_typed(s))});
    else if (high_typed(s) > s.high)
        text += fill(tr("; typed up to {0}"), {written(high_typed(s))});
    return text + reason_for_less(s);
}

bool means_off(const Slider& s, std::string_view text) {
    return text == s.off_word || text == tr(s.off_word) || (s.off_word == "∞" && text == "inf");
}

std::string problem_with(const Slider& s, bool can_be_off, std::string_view text) {
    if (can_be_off && means_off(s, text)) return {};
    if (!s.zero_word.empty() && (text == s.zero_word || text == tr(s.zero_word))) return {};
    const std::optional<double> value = read_number(text);
    const std::string low = written(low_typed(s));
    const std::string high = written(high_typed(s));
    if (!value || (s.integer && *value != std::round(*value)))
        return fill(
            s.integer ? tr("“{0}” is not a whole number from {1} to {2}") : tr("“{0}” is not a number from {1} to {2}"),
            {text, low, high});
    if (*value < low_typed(s) || *value > high_typed(s))
        return fill(tr("{0} is not from {1} to {2}"), {text, low, high}) + reason_for_less(s);
    return {};
}

// The mouse's place on the track: the knob is taken where it was touched, elsewhere it comes to the mouse. Shift slows it
// down from where it is. With the mouse at an end of the track the knob is there too, wherever it was touched.
float dragged_place(const Item& track, float left, float width, float knob_place) {
    ImGuiStorage* storage = ImGui::GetStateStorage();
    const ImGuiID mouse_id = ImHashStr("mouse", 0, track.id);
    const ImGuiID place_id = ImHashStr("place", 0, track.id);
    const ImGuiID fine_id = ImHashStr("fine", 0, track.id);
    const float mouse = ImGui::GetIO().MousePos.x;
    const bool is_fine = ImGui::GetIO().KeyShift;
    const auto anchor = [&](float place) {
        storage->SetFloat(mouse_id, mouse);
        storage->SetFloat(place_id, place);
        storage->SetBool(fine_id, is_fine);
    };
    const auto place = [&] {
        const float speed = storage->GetBool(fine_id) ? fine_speed : 1.0F;
        return std::clamp(storage->GetFloat(place_id) + speed * (mouse - storage->GetFloat(mouse_id)) / width, 0.0F,
                          1.0F);
    };
    if (ImGui::GetCurrentContext()->ActiveIdIsJustActivated) {
        const bool is_knob = knob_place >= 0 && std::abs(mouse - (left + knob_place * width)) <= px(knob_radius + 2);
        anchor(is_knob ? knob_place : std::clamp((mouse - left) / width, 0.0F, 1.0F));
    }
    if (storage->GetBool(fine_id) != is_fine) anchor(place());
    if (is_fine) return place();
    const bool has_moved = mouse != storage->GetFloat(mouse_id);
    if (has_moved && mouse <= left + px(end_reach)) return 0;
    if (has_moved && mouse >= left + width - px(end_reach)) return 1;
    return place();
}

int key_steps(const Item& track, bool& to_low, bool& to_high) {
    int steps = 0;
    const int size = ImGui::GetIO().KeyShift ? 10 : 1;
    keyboard_frame = ImGui::GetFrameCount();
    keyboard_context = ImGui::GetCurrentContext();
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_Home, ImGuiKey_End})
        ImGui::SetKeyOwner(key, track.id);
    const auto hit = [&](ImGuiKey key) { return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, track.id); };
    if (hit(ImGuiKey_LeftArrow)) steps -= size;
    if (hit(ImGuiKey_RightArrow)) steps += size;
    to_low = hit(ImGuiKey_Home);
    to_high = hit(ImGuiKey_End);
    if (track.hovered) {
        ImGui::SetKeyOwner(ImGuiKey_MouseWheelY, track.id);
        const float wheel = ImGui::GetIO().MouseWheel;
        if (wheel != 0) steps += (wheel > 0 ? 1 : -1) * size;
    }
    return steps;
}

std::optional<double> dragged_value(const Slider& s, float place) {
    if (s.off_at_right && place > 1 - off_share * 0.5F) return std::nullopt;
    const ImGuiIO& io = ImGui::GetIO();
    return value_at_place(s, place, io.KeyAlt || io.KeyShift ? Snap::none : Snap::usual);
}

void draw_track(const Slider& s, const Item& track, float left, float width, float place) {
    const float y = track.box.GetCenter().y;
    const Palette& c = colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float half = px(2);
    list->AddRectFilled({left, y - half}, {left + width, y + half}, ink(c.track), half);
    if (!s.zero_word.empty()) {  // a gap before the true zero
        const float gap = left + width * zero_share;
        list->AddRectFilled({gap - px(1), y - half}, {gap + px(1), y + half}, ink(c.panel));
    }
    if (s.off_at_right) {
        const float gap = left + width * (1 - off_share);
        list->AddRectFilled({gap - px(1), y - half}, {gap + px(1), y + half}, ink(c.panel));
    }
    if (place < 0) return;
    const float x = left + place * width;
    list->AddRectFilled({left, y - half}, {x, y + half}, ink(track.disabled ? c.faint : c.accent), half);
    const float radius = px(knob_radius) + (track.held ? px(1) : 0);
    if (track.hovered || track.held) list->AddCircleFilled({x, y}, radius + px(4), ink(with_alpha(c.accent, 0.15F)));
    list->AddCircleFilled({x, y}, radius, ink(c.panel));
    list->AddCircle({x, y}, radius - px(0.75F), ink(track.disabled ? c.faint : c.accent), 0, px(2));
}

// ↺, as a circle that is open at the top left and ends there in an arrowhead.
void draw_arrow_back(ImVec2 center, ImU32 ink) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float radius = px(4.5F);
    constexpr float start = -2.2F;  // radians, clockwise from the right
    list->PathArcTo(center, radius, start, start + 5.0F, 20);
    stroke_path(list, ink, px(1.4F));
    const ImVec2 tip{center.x + radius * std::cos(start), center.y + radius * std::sin(start)};
    list->AddTriangleFilled({tip.x - px(3.2F), tip.y - px(2.4F)}, {tip.x + px(1.6F), tip.y - px(2.6F)},
                            {tip.x - px(1.0F), tip.y + px(2.6F)}, ink);
}

// The whole row. An empty value is "off".
bool slider_row(const Slider& s, std::optional<double>& value, bool can_be_off, double first) {
    const std::optional<double> before = value;
    const std::string name(s.name);
    const RowColumns columns = row_columns(s.own_label_width ? slider_label_width(s.label) : 0);
    ImGui::Dummy(columns.all.GetSize());
    ImGui::BeginDisabled(!s.why_not.empty());
    const bool is_usual = value && s.usual
                              ? std::abs(*value - *s.usual) <= 1e-6 * std::abs(*s.usual)
                              : value.has_value() == (can_be_off ? s.usual.has_value() : !s.usual.has_value());
    const bool dim = !s.why_not.empty() || (!value && !s.usual);
    const auto explain_row = [&] {
        if (!wants_explanation()) return;
        explain(tr(s.label), s.why_not.empty() ? tr(s.help) : s.why_not,
                s.why_not.empty() ? range_text(s) : std::string());
    };
    ImGui::ItemAdd(columns.label, 0);
    explain_row();
    if (row_label(columns, name, s.label, !is_usual && s.why_not.empty(), dim)) value = s.usual;

    const float left = columns.track.Min.x + px(knob_radius);
    const float width = columns.track.GetWidth() - 2 * px(knob_radius);
    const auto place_of = [&] {
        if (value) return place_on_track(s, *value);
        return s.off_at_right ? 1.0F : -1.0F;
    };
    const Item track = button_item_at(s.name, columns.track, ImGuiButtonFlags_PressedOnClick);
    explain_row();
    const bool types = track.pressed && ImGui::GetIO().KeyCtrl;
    if (types) ImGui::ClearActiveID();
    if (track.held && !types && ImGui::GetCurrentContext()->ActiveIdSource == ImGuiInputSource_Mouse)
        value = dragged_value(s, dragged_place(track, left, width, place_of()));
    if (track.focused && !track.held) {
        bool to_low = false;
        bool to_high = false;
        const int steps = key_steps(track, to_low, to_high);
        if (to_low) value = s.zero_word.empty() ? s.low : 0.0;
        if (to_high) value = s.off_at_right ? std::nullopt : std::optional(s.high);
        if (steps != 0) {
            if (value && s.off_at_right && steps > 0 && *value >= s.high)
                value = std::nullopt;
            else if (value)
                value = stepped(s, *value, steps);
            else if (!s.off_at_right || steps < 0)
                value = first;
        }
    }
    if (track.shown) draw_track(s, track, left, width, place_of());
    focus_ring(track, field_radius);

    const bool is_zero_end = value && !s.zero_word.empty() && *value == 0;
    const std::string shown = !value        ? std::string(tr(s.off_word))
                              : is_zero_end ? std::string(tr(s.zero_word))
                                            : field_text(*value, s.integer);
    const std::string field_name = name + " number";
    NumberField field{field_name, shown, !value && !s.usual, {}, types};
    field.problem = [&](std::string_view text) { return problem_with(s, can_be_off, text); };
    if (const std::optional<std::string> typed = number_field(field, columns.field)) {
        if (const std::optional<double> number = read_number(*typed))
            value = *number;
        else if (can_be_off && means_off(s, *typed))
            value = std::nullopt;
        else
            value = 0.0;  // the zero word
    }
    explain_row();
    ImGui::EndDisabled();
    if (value == before) return false;
    moved_slider = name;
    return true;
}

}  // namespace

float place_on_track(const Slider& s, double value) {
    const float start = s.zero_word.empty() ? 0.0F : zero_share;
    if (!s.zero_word.empty() && value == 0) return 0;
    const double share = s.log ? std::log(std::max(value, s.low * 0.5) / s.low) / std::log(s.high / s.low)
                               : (value - s.low) / std::max(s.high - s.low, 1e-30);
    const float end = s.off_at_right ? 1 - off_share : 1.0F;
    return std::clamp(start + (end - start) * static_cast<float>(share), start, end);
}

double value_at_place(const Slider& s, float place, Snap snap) {
    const float start = s.zero_word.empty() ? 0.0F : zero_share;
    if (!s.zero_word.empty() && place < start * 0.75F) return 0;
    if (snap == Snap::usual && s.usual && !s.integer && std::abs(place - place_on_track(s, *s.usual)) < magnet)
        return *s.usual;
    const float end = s.off_at_right ? 1 - off_share : 1.0F;
    const double share = std::clamp((place - start) / (end - start), 0.0F, 1.0F);
    double value = s.log ? s.low * std::pow(s.high / s.low, share) : s.low + share * (s.high - s.low);
    if (snap == Snap::usual && s.powers_of_two) value = std::exp2(std::round(std::log2(std::max(1.0, value))));
    return std::clamp(rounded(s, value), s.low, s.high);
}

float slider_label_width(std::string_view label) {
    const std::string_view words = tr(label);
    return ImGui::CalcTextSize(words.data(), words.data() + words.size()).x + px(6);
}

RowColumns row_columns(float label_width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(ImGui::GetContentRegionAvail().x, px(150));
    const float right = at.x + width;
    const float bottom = at.y + px(row_height);
    // In a narrow panel all three give way.
    const float label = label_width > 0 ? label_width : std::min(px(94), width * 0.37F);
    const float field = std::min(px(58), width * 0.26F);
    RowColumns c;
    c.all = {at, {right, bottom}};
    c.label = {at, {at.x + label, bottom}};
    c.back = {{at.x + label, at.y}, {at.x + label + px(14), bottom}};
    c.field = {{right - field, at.y + px(1)}, {right, bottom - px(1)}};
    c.track = {{c.back.Max.x, at.y}, {c.field.Min.x - px(8), bottom}};
    return c;
}

bool row_label(const RowColumns& columns, std::string_view name, std::string_view label, bool differs, bool dim) {
    ImGui::PushClipRect(columns.label.Min, columns.label.Max, true);
    text_left(columns.label, 0, tr(label), dim ? colors().dim : colors().text);
    ImGui::PopClipRect();
    if (!differs) return false;
    const Item back = button_item_at(std::string(name) + " reset", columns.back);
    explain({}, tr("Not the usual value. Click to bring that back."));
    draw_arrow_back(back.box.GetCenter(), ink(back.hovered ? colors().accent : colors().dim));
    focus_ring(back, field_radius);
    return back.pressed;
}

std::string take_moved_slider() { return std::exchange(moved_slider, {}); }

bool has_slider_the_keyboard() {
    const int age = ImGui::GetFrameCount() - keyboard_frame;
    return keyboard_context == ImGui::GetCurrentContext() && (age == 0 || age == 1);
}

bool slider(const Slider& s, double& value) {
    std::optional<double> changed = value;
    const bool differs = slider_row(s, changed, false, s.low);
    value = changed.value_or(value);
    return differs;
}

bool slider(const Slider& s, float& value) {
    double exact = static_cast<double>(value);
    if (!slider(s, exact)) return false;
    value = static_cast<float>(exact);
    return true;
}

bool slider(const Slider& s, int& value) {
    double exact = value;
    if (!slider(s, exact)) return false;
    value = static_cast<int>(std::lround(exact));
    return true;
}

bool slider_or_off(const Slider& s, std::optional<float>& value, float first) {
    std::optional<double> exact;
    if (value) exact = static_cast<double>(*value);
    if (!slider_row(s, exact, true, static_cast<double>(first))) return false;
    value = exact ? std::optional<float>(static_cast<float>(*exact)) : std::nullopt;
    return true;
}

}  // namespace heed::app
