#include "core/figure/explainer_parts.h"

#include "core/display/cells_display.h"
#include "core/display/pipeline_display.h"
#include "core/figure/explainer_figure.h"
#include "core/figure/page.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

ExplainerParts::ExplainerParts(const FigureContext& context, std::vector<std::string_view> step_names,
                               std::uint64_t strips)
    : context_(context),
      colors_(context.colors()),
      text_(context.options.text_size),
      head_(shown_head(context)),
      step_(std::clamp(context.display.pipeline->explainer_step, 1, static_cast<int>(step_names.size()))),
      figure_(empty_figure(context)),
      step_names_(std::move(step_names)),
      strips_(strips) {}

Figure ExplainerParts::draw(const std::vector<Part>& parts, std::vector<Piece> heading, std::string_view back) {
    const Rect page = add_page(figure_, context_, padding);
    const float top = page.y;
    const float bottom = page.bottom();
    const float body = top + text_ + 14;
    // A low and wide place has all parts side by side, a high one two and two; none is drawn larger than reads well.
    const float tallest = text_ * 17;
    const float gap = text_ * 2;
    if (bottom - body < text_ * 26 || parts.size() < 4) {
        const float height = std::min(bottom - body, tallest);
        const Rect row = row_of_parts(parts, height);
        draw_heading({row.x, top, row.w, text_}, std::move(heading), back);
        draw_parts(parts, row, body);
    } else {
        const float height = std::min((bottom - body - gap) / 2, tallest);
        std::vector<Part> upper(parts.begin(), parts.begin() + 2);
        std::vector<Part> lower(parts.begin() + 2, parts.end());
        for (std::size_t i = 0; i < 2; ++i) {  // the columns line up
            upper[i].least = lower[i].least = std::max(upper[i].least, lower[i].least);
            upper[i].natural = lower[i].natural = std::max(upper[i].natural, lower[i].natural);
        }
        const Rect row = row_of_parts(upper, height);
        draw_heading({row.x, top, row.w, text_}, std::move(heading), back);
        draw_parts(upper, row, body);
        draw_parts(lower, row, body + height + gap);
    }
    return std::move(figure_);
}

// Where a row of parts lies: kept together, at the left of the window and in the middle of a page.
Rect ExplainerParts::row_of_parts(const std::vector<Part>& parts, float height) const {
    float natural = part_gap * static_cast<float>(parts.size() - 1);
    for (const Part& part : parts) natural += part.natural;
    const float width = std::min(natural, context_.width - 2 * padding);
    return {is_on_paper() ? (context_.width - width) / 2 : padding, 0, width, height};
}

void ExplainerParts::draw_parts(const std::vector<Part>& parts, Rect row, float y) {
    float least = 0;
    float natural = 0;
    for (const Part& part : parts) {
        least += part.least;
        natural += part.natural;
    }
    const float room = row.w - part_gap * static_cast<float>(parts.size() - 1);
    const float stretch = std::clamp((room - least) / (natural - least), 0.0F, 1.0F);
    const float squeeze = std::min(1.0F, room / least);
    float x = row.x;
    for (const Part& part : parts) {
        const float width = (part.least + (part.natural - part.least) * stretch) * squeeze;
        part.draw({x, y, width, row.h});
        x += width + part_gap;
    }
}

void ExplainerParts::words(std::string text, Point at, float size, Color color, AlignX align, AlignY align_y, Font font,
                           bool plain) {
    figure_.marks.emplace_back(TextMark{std::move(text), at, {size, font, color}, align, align_y, 0, plain});
}

void ExplainerParts::draw_heading(Rect row, std::vector<Piece> pieces, std::string_view back) {
    const float y = row.y + text_ * 0.8F;
    const float middle = y - text_ * 0.35F;
    // On paper there is nothing to press.
    float right = is_on_paper() ? row.right() : draw_stepper(row.right(), middle) - text_;
    if (!back.empty() && !is_on_paper()) {
        const std::string sign(context_.word(back));
        const float width = context_.measure.width(sign, text_ - 2, Font::words) + text_;
        button("explain weight", sign, text_ - 2, {right - width, middle - text_ * 0.8F, width, text_ * 1.6F}, true);
        right -= width + text_;
    }
    constexpr float space = 6;
    const auto tokens =
        static_cast<float>(std::max<std::ptrdiff_t>(1, std::ranges::count(pieces, true, &Piece::is_token)));
    const auto room_for_tokens = [&] {
        float room = right - row.x - space * static_cast<float>(pieces.size());
        for (const Piece& piece : pieces)
            room -= context_.measure.width(piece.is_token ? "“”" : piece.text, text_, piece.font);
        return room;
    };
    float room = room_for_tokens();
    for (std::size_t i = pieces.size(); i-- > 0 && room < tokens * text_ * 3;)
        if (pieces[i].is_optional) {
            pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
            room = room_for_tokens();
        }
    float x = row.x;
    for (Piece& piece : pieces) {
        if (piece.is_token)
            piece.text =
                "“" + shorten(context_.measure, piece.text, text_, piece.font, std::max(text_, room / tokens)) + "”";
        const float width = context_.measure.width(piece.text, text_, piece.font);
        words(std::move(piece.text), {x, y}, text_, piece.color, AlignX::left, AlignY::baseline, piece.font, true);
        x += width + space;
    }
}

std::string ExplainerParts::step_words(int step) const {
    // Beside a lesson in a small window the tokens need the room.
    if (context_.width < text_ * 34) return std::to_string(step) + " / " + std::to_string(step_names_.size());
    return fill(context_.word("step {0} of {1}: {2}"),
                {std::to_string(step), std::to_string(step_names_.size()),
                 context_.word(step_names_[static_cast<std::size_t>(step - 1)])});
}

// The buttons stay where they are from step to step. Returns their left end.
float ExplainerParts::draw_stepper(float right, float middle) {
    const auto steps = static_cast<int>(step_names_.size());
    float widest = 0;
    for (int step = 1; step <= steps; ++step)
        widest = std::max(widest, context_.measure.width(step_words(step), text_ - 2, Font::words));
    const float side = text_ * 1.6F;
    button("step forward", "›", text_ + 2, {right - side, middle - side / 2, side, side}, step_ < steps);
    words(step_words(step_), {right - side - 8 - widest / 2, middle}, text_ - 2, colors_.dim, AlignX::center,
          AlignY::middle);
    const float left = right - 2 * side - widest - 16;
    button("step back", "‹", text_ + 2, {left, middle - side / 2, side, side}, step_ > 1);
    return left;
}

void ExplainerParts::button(const char* id, std::string sign, float size, Rect area, bool is_enabled) {
    figure_.marks.emplace_back(BoxMark{.area = area, .fill = colors_.field, .stroke = colors_.hairline, .radius = 6});
    words(std::move(sign), area.center(), size, is_enabled ? colors_.text : colors_.track, AlignX::center,
          AlignY::middle, size > text_ ? Font::bold : Font::words);
    figure_.targets.push_back({.id = id, .kind = TargetKind::button, .area = area, .tooltip = {}});
}

// As many digits as these numbers ask for, whatever the colours of the strip reach to.
NumberLook ExplainerParts::strip_numbers(const std::vector<float>& numbers, float cell_w, float cell_h) const {
    float low = 0;
    float high = 0;
    for (const float number : numbers) {
        if (!std::isfinite(number)) continue;
        low = std::min(low, number);
        high = std::max(high, number);
    }
    const float reach = std::max(-low, high);
    const ColorScale own{color_map(context_.display.cells->diverging_map).id, -reach, reach, false};
    // Where there is no room for more, one decimal has to do, and two for numbers that one would call 0; 0 itself is short.
    const int usual = fewest_decimals_for(own);
    const int fewest = reach == 0 ? 0 : reach < 0.1F ? 2 : std::min(1, usual);
    const int one = std::max(usual, std::min(1, decimals_for(own)));  // smaller type before whole numbers
    for (const int least : {one, usual, fewest})
        for (const float size : {text_ - 4, text_ - 5})
            for (int decimals = decimals_for(own); decimals >= least; --decimals) {
                const auto width = [&](float number) {
                    return context_.measure.width(decimal(static_cast<double>(number), decimals), size, Font::mono);
                };
                if (std::max(width(low), width(high)) + 2 <= cell_w && cell_h >= size * 1.2F) return {size, decimals};
            }
    return {text_ - 4, -1};
}

// A strip of numbers; `kind` tells strips of the same explanation apart.
void ExplainerParts::strip(const std::vector<float>& numbers, std::uint64_t kind, Rect area, float magnitude,
                           bool is_vertical) {
    Matrix matrix(1, static_cast<Index>(numbers.size()));
    std::ranges::copy(numbers, matrix.data());
    HeatmapMark heatmap;
    heatmap.id = "strip " + std::to_string(kind);
    heatmap.values =
        view_of(std::move(matrix), bits_at(context_.trace.version, strips_, kind, static_cast<std::uint64_t>(head_)));
    heatmap.transposed = is_vertical;
    heatmap.area = area;
    heatmap.scale = {color_map(context_.display.cells->diverging_map).id, -magnitude, magnitude, false};
    const float cell_w = is_vertical ? area.w : area.w / static_cast<float>(numbers.size());
    const float cell_h = is_vertical ? area.h / static_cast<float>(numbers.size()) : area.h;
    // Side by side they stand four pixels apart, or they read as one number.
    const float room = is_vertical ? cell_w : cell_w - 2;
    const NumberLook look = context_.options.numbers ? strip_numbers(numbers, room, cell_h) : NumberLook{};
    heatmap.number_size = look.size;
    heatmap.decimals = look.decimals;
    heatmap.grid = std::min(cell_w, cell_h) >= 10;
    const bool has_numbers = heatmap.decimals >= 0;
    figure_.marks.emplace_back(std::move(heatmap));
    // Without numbers a strip of zeros would be nothing at all.
    if (!has_numbers) figure_.marks.emplace_back(BoxMark{.area = area, .stroke = colors_.hairline});
}

// Components that can be followed to where they come from.
void ExplainerParts::add_components(std::string_view vector, std::size_t count, Rect area, bool is_vertical) {
    const auto n = static_cast<Index>(count);
    figure_.targets.push_back({.id = {std::string(component_target), vector},
                               .kind = TargetKind::cells,
                               .area = area,
                               .rows = is_vertical ? n : 1,
                               .cols = is_vertical ? 1 : n,
                               .tooltip = {}});
}

float ExplainerParts::magnitude(std::initializer_list<const std::vector<float>*> lists) {
    float largest = 1e-6F;
    for (const auto* list : lists)
        for (const float number : *list)
            if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
    return largest;
}

void ExplainerParts::draw_sum(Rect area, const SumStrips& sum, bool has_terms, bool has_sum) {
    const float name_w = text_ * 3.6F;
    // Room for the total at the end of the running sum; in a narrow place it stands below the names instead.
    const float roomy_end_w = text_ * 4.2F;
    const float end_w = area.w - name_w - roomy_end_w < text_ * 5 ? 0 : roomy_end_w;
    const auto count = static_cast<float>(sum.terms.size());
    const float strip_w = std::min(area.w - name_w - std::max(end_w, 5.0F), count * text_ * 2.9F);
    const float strip_h = std::clamp(area.h * 0.14F, 12.0F, text_ * 2);
    const float strip_gap = std::clamp(area.h * 0.035F, 3.0F, 8.0F);
    const Rect first{area.x + name_w, area.y, strip_w, strip_h};
    const auto at_row = [&](int row) {
        return Rect{first.x, first.y + static_cast<float>(row) * (strip_h + strip_gap), strip_w, strip_h};
    };
    const auto name = [&](const std::string& text, Rect beside, Color color) {
        words(text, {beside.x - 10, beside.center().y}, text_ - 1, color, AlignX::right, AlignY::middle, Font::bold);
    };
    const float side = magnitude({&sum.left, &sum.right});
    strip(sum.left, 1, at_row(0), side, false);
    name(sum.left_name, at_row(0), sum.left_color);
    if (!sum.left_vector.empty()) add_components(sum.left_vector, sum.left.size(), at_row(0), false);
    strip(sum.right, 2, at_row(1), side, false);
    name(sum.right_name, at_row(1), sum.right_color);
    if (!sum.right_vector.empty()) add_components(sum.right_vector, sum.right.size(), at_row(1), false);
    if (!has_terms) return;
    strip(sum.terms, 3, at_row(2), magnitude({&sum.terms}), false);
    name(sum.terms_name, at_row(2), colors_.text);
    if (!has_sum) return;
    const float curve_top = at_row(3).y + 4;
    draw_running_sum({first.x, curve_top, strip_w, std::max(20.0F, area.bottom() - curve_top - 6)}, end_w, sum);
}

void ExplainerParts::draw_running_sum(Rect area, float end_w, const SumStrips& sum) {
    const std::vector<float>& sums = sum.running_sum;
    float low = 0;
    float high = 0;
    for (const float partial : sums) {
        if (!std::isfinite(partial)) continue;
        low = std::min(low, partial);
        high = std::max(high, partial);
    }
    if (high - low < 1e-6F) high = low + 1;
    const auto y_of = [&](float value) { return area.bottom() - (value - low) / (high - low) * area.h; };
    const float zero = y_of(0);
    figure_.marks.emplace_back(LineMark{{{area.x, zero}, {area.right(), zero}}, colors_.hairline});
    const Point name{area.x - 10, std::max(zero, area.y + text_ * 0.8F)};
    words(std::string(context_.word("sum")), name, text_ - 2, colors_.dim, AlignX::right, AlignY::middle);
    LineMark curve{{{area.x, zero}}, sum.sum_color, 2};
    for (std::size_t t = 0; t < sums.size(); ++t)
        curve.points.push_back({area.x + area.w * (static_cast<float>(t) + 1) / static_cast<float>(sums.size()),
                                std::isfinite(sums[t]) ? y_of(sums[t]) : zero});
    const Point end = curve.points.back();
    figure_.marks.emplace_back(std::move(curve));
    figure_.marks.emplace_back(CircleMark{end, 4, sum.sum_color});
    if (end_w == 0) {
        const float beside = name.y - text_ * 1.3F < area.y ? text_ * 1.3F : -text_ * 1.3F;
        words(compact(static_cast<double>(sum.total)), {name.x, name.y + beside}, text_ - 2, sum.sum_color,
              AlignX::right, AlignY::middle, Font::mono);
        return;
    }
    std::string total = decimal(static_cast<double>(sum.total), 3);
    if (context_.measure.width(total, text_ - 1, Font::mono) > end_w - 8)
        total = compact(static_cast<double>(sum.total));
    words(std::move(total), {end.x + 8, end.y}, text_ - 1, sum.sum_color, AlignX::left, AlignY::middle, Font::mono);
}

}  // namespace heed
