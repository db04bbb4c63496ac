#include "core/figure/explainer_lines.h"

#include "core/figure/rich_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace heed {

namespace {

// From line to line, in font sizes: exponents like more room than they need.
constexpr float usual_pitch = 1.45F;
constexpr float tight_pitch = 1.28F;

bool is_beside_sign(std::string_view before, std::string_view after) {
    return std::ranges::any_of(std::array<std::string_view, 3>{"=", "÷", "×"}, [&](std::string_view sign) {
        return before.ends_with(sign) || after.starts_with(sign);
    });
}

// Where a line may end: after a space, unless a sign holds both sides `together` or would be the last, and after a Chinese character unless a
// closing sign follows.
std::vector<std::string_view> pieces(std::string_view rich, bool together) {
    std::vector<std::string_view> result;
    std::size_t start = 0;
    bool is_in_script = false;
    for (std::size_t at = 0; at < rich.size();) {
        const auto byte = static_cast<unsigned char>(rich[at]);
        const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        if (byte == '{') is_in_script = true;
        if (byte == '}') is_in_script = false;
        const std::string_view before = rich.substr(0, at);
        at = std::min(at + length, rich.size());
        const std::string_view rest = rich.substr(at);
        const bool closes = std::ranges::any_of(std::vector<std::string_view>{"，", "。", "：", "；", "）", "”", " "},
                                                [&](std::string_view sign) { return rest.starts_with(sign); });
        const bool is_chinese = byte >= 0xE3 && byte < 0xF0;
        if (is_in_script || (byte != ' ' && (!is_chinese || closes))) continue;
        if (byte == ' ' && is_beside_sign(before, together ? rest : std::string_view())) continue;
        if (byte == ' ' && (rest.starts_with("%") || before.ends_with("<"))) continue;  // "< 0.1 %" is one number
        result.push_back(rich.substr(start, at - start));
        start = at;
    }
    if (start < rich.size()) result.push_back(rich.substr(start));
    return result;
}

float seen_width(const TextMeasure& measure, std::string_view rich, float size, Font font) {
    while (rich.ends_with(' ')) rich.remove_suffix(1);
    return rich_width(measure, std::string(rich), size, font);
}

bool keeps_together(const TextMeasure& measure, std::string_view rich, float size, Font font, float width) {
    return std::ranges::all_of(pieces(rich, true),
                               [&](std::string_view piece) { return seen_width(measure, piece, size, font) <= width; });
}

struct SetLine {
    int step = 0;
    std::string name;
    std::vector<std::string> text;
    bool is_under_name = false;  // where it has the width of the column

    bool is_sentence() const { return name.empty(); }
    std::size_t height() const { return text.size() + (is_under_name ? 1 : 0); }
};

// All lines in one size.
struct SetText {
    float size = 0;
    float name_w = 0;
    bool is_whole = true;  // no line had to end beside a sign
    std::vector<SetLine> lines;

    bool has_line_under_name() const { return std::ranges::any_of(lines, &SetLine::is_under_name); }
    float height(float pitch) const {
        std::size_t count = 0;
        for (const SetLine& line : lines) count += line.height();
        return static_cast<float>(count) * size * pitch;
    }
};

SetText set_lines(const TextMeasure& measure, const std::vector<ExplainedLine>& lines, float size, float width) {
    SetText set{.size = size, .name_w = 0, .is_whole = true, .lines = {}};
    for (const ExplainedLine& line : lines)
        if (!line.name.empty())
            set.name_w = std::max(set.name_w, measure.width(line.name, size, Font::words) + size * 0.8F);
    for (const ExplainedLine& line : lines) {
        if (line.name.empty()) {
            set.lines.push_back({line.step, line.name, wrapped(measure, line.text, size, Font::words, width)});
            continue;
        }
        const bool fits_beside = keeps_together(measure, line.text, size, Font::mono, width - set.name_w);
        const bool fits_under = !fits_beside && keeps_together(measure, line.text, size, Font::mono, width);
        set.is_whole = set.is_whole && (fits_beside || fits_under);
        set.lines.push_back({line.step, line.name,
                             wrapped(measure, line.text, size, Font::mono, fits_under ? width : width - set.name_w),
                             fits_under});
    }
    return set;
}

// In the largest type in which no line ends beside a sign and all fit; else in which they fit at least.
SetText fitting_text(const TextMeasure& measure, const std::vector<ExplainedLine>& lines, float text, Rect area) {
    // Names and their lines side by side look best, and may cost a pixel.
    for (const float size : {text - 1, text - 2}) {
        SetText set = set_lines(measure, lines, size, area.w);
        if (set.is_whole && !set.has_line_under_name() && set.height(usual_pitch) <= area.h) return set;
    }
    std::optional<SetText> fitting;
    for (float size = text - 1; size >= text - 4; --size) {
        SetText set = set_lines(measure, lines, size, area.w);
        if (set.height(usual_pitch) > area.h) continue;
        if (set.is_whole) return set;
        if (!fitting) fitting = std::move(set);
    }
    return fitting ? std::move(*fitting) : set_lines(measure, lines, text - 4, area.w);
}

// What an earlier line says as well goes first: a sentence about a step that is done.
void drop_first(std::vector<SetLine>& lines) {
    const int last = lines.back().step;
    const auto said =
        std::ranges::find_if(lines, [&](const SetLine& line) { return line.is_sentence() && line.step < last; });
    lines.erase(said == lines.end() ? lines.begin() : said);
}

}  // namespace

std::vector<std::string> wrapped(const TextMeasure& measure, std::string_view rich, float size, Font font,
                                 float width) {
    std::vector<std::string> lines;
    std::string line;
    const auto finish = [&] {
        while (line.ends_with(' ')) line.pop_back();
        if (!line.empty()) lines.push_back(std::move(line));
        line.clear();
    };
    const auto add = [&](std::string_view piece) {
        std::string longer = line + std::string(piece);
        if (!line.empty() && seen_width(measure, longer, size, font) > width) {
            finish();
            longer = piece;
        }
        line = std::move(longer);
    };
    for (const std::string_view piece : pieces(rich, true)) {
        if (seen_width(measure, piece, size, font) <= width)
            add(piece);
        else
            std::ranges::for_each(pieces(piece, false), add);
    }
    finish();
    return lines;
}

void add_explained_lines(Figure& figure, const FigureContext& context, const std::vector<ExplainedLine>& lines,
                         int step, Rect area) {
    const Palette& colors = context.colors();
    SetText set = fitting_text(context.measure, lines, context.options.text_size, area);
    const float pitch = set.height(usual_pitch) <= area.h ? usual_pitch : tight_pitch;
    std::erase_if(set.lines, [&](const SetLine& line) { return line.step > step; });
    while (set.lines.size() > 1 && set.height(pitch) > area.h) drop_first(set.lines);

    float y = area.y + set.size;
    for (const SetLine& line : set.lines) {
        if (!line.is_sentence())
            figure.marks.emplace_back(TextMark{line.name, {area.x, y}, {set.size, Font::words, colors.dim}});
        if (line.is_under_name) y += set.size * pitch;
        const float x = area.x + (line.is_sentence() || line.is_under_name ? 0 : set.name_w);
        for (const std::string& part : line.text) {
            figure.marks.emplace_back(
                TextMark{part, {x, y}, {set.size, line.is_sentence() ? Font::words : Font::mono, colors.text}});
            y += set.size * pitch;
        }
    }
}

}  // namespace heed
