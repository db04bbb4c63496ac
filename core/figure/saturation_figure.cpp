// Saturation: why scores are divided by √d_k, from random draws and from the scene's own numbers.
#include "core/analysis/backward.h"
#include "core/analysis/saturation.h"
#include "core/display/saturation_display.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/page.h"
#include "core/figure/rich_text.h"
#include "core/figure/saturation_panels.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace heed {

namespace {

constexpr float padding = 20;
constexpr float note_line = 1.3F;  // of the text, from one line of a sentence to the next
constexpr float handle_size = 22;  // of the target: larger than the dot

}  // namespace

SaturationSetting saturation_setting(const Model& model) {
    SaturationSetting setting;
    setting.d_k = std::clamp(static_cast<double>(model.d_k), 1.0, static_cast<double>(largest_drawn_d_k));
    setting.temperature = std::clamp(static_cast<double>(model.temperature), lowest_temperature, highest_temperature);
    setting.is_scaled = is_scaled_by_root(model);
    setting.scale = static_cast<double>(score_scale(model));
    setting.is_dot = score_function(model.score).is_dot;
    return setting;
}

bool SaturationSetting::has_scale(bool by_root) const {
    return std::abs(scale * (by_root ? std::sqrt(d_k) : 1.0) - 1) < 1e-4;
}

MatrixView view_by_content(Matrix matrix) {
    std::uint64_t version = mix_bits(static_cast<std::uint64_t>(matrix.cols()) ^ (std::uint64_t{1} << 40U));
    for (const float value : matrix.reshaped()) version = mix_bits(version ^ std::bit_cast<std::uint32_t>(value));
    return view_of(std::move(matrix), version);
}

std::string thousands(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

void PanelPen::words(std::string words, Point at, Color color, AlignX align, Font font, float smaller, bool plain,
                     AlignY align_y) const {
    figure.marks.emplace_back(TextMark{std::move(words), at, {text - smaller, font, color}, align, align_y, 0, plain});
}

void PanelPen::handle(TargetId id, Point at, Color color, std::string tooltip, TargetId along) const {
    if (!std::isfinite(at.x) || !std::isfinite(at.y)) return;
    figure.marks.emplace_back(
        CircleMark{.center = at, .radius = 6, .fill = color, .stroke = colors.panel, .stroke_width = 2});
    figure.targets.push_back({.id = std::move(id),
                              .kind = TargetKind::handle,
                              .area = {at.x - handle_size / 2, at.y - handle_size / 2, handle_size, handle_size},
                              .tooltip = std::move(tooltip),
                              .frame = std::move(along)});
}

float PanelPen::legend(float right, float y, const std::vector<LegendEntry>& entries,
                       const std::vector<std::string_view>& plots) const {
    return add_legend(figure, context.measure, context.display,
                      {.right = right,
                       .y = y,
                       .text_size = text - 2,
                       .entries = entries,
                       .plots = plots,
                       .tooltip = context.on_paper ? std::string() : word("Switch this off or on"),
                       .on_paper = context.on_paper});
}

void PanelPen::track(const std::string& id, Rect area, Axis axis, double value, const std::string& label,
                     bool powers_of_two) const {
    const Frame frame{id, area, axis, {0, 1}};
    const float y = area.center().y;
    if (context.on_paper) {
        const std::string number = powers_of_two ? decimal(value, 0) : compact(value);
        return words(label + " = " + number, {area.x, y}, colors.dim);
    }
    figure.marks.emplace_back(LineMark{{{area.x, y}, {area.right(), y}}, colors.track, 3});
    for (const Tick& tick : ticks(axis, area.w, 56, powers_of_two)) {
        const float x = frame.place(tick.value, 0).x;
        figure.marks.emplace_back(LineMark{{{x, y + 5}, {x, y + 9}}, colors.track});
        if (!tick.text.empty())
            words(tick.text, {x, y + 10}, colors.dim, AlignX::center, Font::mono, 3, false, AlignY::top);
    }
    words(label, {area.x - 12, y}, colors.dim, AlignX::right);
    figure.frames.push_back(frame);
    handle(id, frame.place(value, 0.5), colors.accent, {}, id);
}

Rect PanelPen::intro(Rect room, const std::string& sentence) const {
    const float first = room.y + text / 2;
    const float after = lines(sentence, {room.x, first}, room.w, colors.dim);
    const float further = std::max(0.0F, after - text * note_line - first);
    return {room.x, room.y + further, room.w, room.h - further};
}

float PanelPen::lines(const std::string& sentence, Point at, float width, Color color) const {
    for (const std::string& line : wrapped(context.measure, sentence, text - 2, Font::words, width)) {
        words(line, at, color);
        at.y += text * note_line;
    }
    return at.y;
}

std::string PanelPen::temperature_beyond() const {
    const auto asked = static_cast<double>(context.model.temperature);
    const double drawn = saturation_setting(context.model).temperature;
    // Compared as the model holds it: 0.01 is another number in single precision.
    if (context.model.temperature == static_cast<float>(drawn)) return {};
    return fill(context.word("T = {0} stands for T = {1}: none further is drawn."),
                {compact(drawn), asked == 0 ? "0" : compact(asked)});
}

Rect PanelPen::footnotes(Rect room, const std::vector<std::string>& sentences) const {
    std::vector<std::string> lines;
    for (const std::string& sentence : sentences)
        std::ranges::move(wrapped(context.measure, sentence, text - 2, Font::words, room.w), std::back_inserter(lines));
    const float height = static_cast<float>(lines.size()) * text * note_line;
    float y = room.bottom() - height + text * note_line / 2;
    for (const std::string& line : lines) {
        words(line, {room.x, y}, colors.dim);
        y += text * note_line;
    }
    return {room.x, room.y, room.w, room.h - height};
}

void PanelPen::sentence(Rect room, const std::string& sentence, Color color) const {
    add_sentence(figure, context, room, sentence, color);
}

Rect PanelPen::frame_page() const { return add_page(figure, context, padding); }

Rect PanelPen::frame_page_apart() const {
    return add_page(figure, context, padding, {word("No setting of the scene takes part in this picture.")});
}

Figure saturation_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const PanelPen pen{figure, context};
    const bool is_of_scene = context.display.saturation->panel != SaturationPanel::numerics;
    const Rect room = is_of_scene ? pen.frame_page() : pen.frame_page_apart();
    switch (context.display.saturation->panel) {
        case SaturationPanel::scores:
            if (context.display.saturation->scores == ScoresPart::terms)
                add_terms_panel(pen, room);
            else
                add_scores_panel(pen, room);
            break;
        case SaturationPanel::twins:
            add_twins_panel(pen, room);
            break;
        case SaturationPanel::curves:
            add_curves_panel(pen, room);
            break;
        case SaturationPanel::phase:
            add_phase_panel(pen, room);
            break;
        case SaturationPanel::temperature:
            add_temperature_panel(pen, room);
            break;
        case SaturationPanel::numerics:
            add_numerics_panel(pen, room);
            break;
    }
    return figure;
}

}  // namespace heed
