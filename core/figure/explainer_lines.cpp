#include "core/figure/explainer_lines.h"

#include "core/figure/rich_text.h"

#include <algorithm>

namespace heed {

namespace {

constexpr float pitch = 1.45F;  // from line to line, in font sizes: exponents need the room

// Where a line may end: after a space, and after a Chinese character unless a closing sign follows.
std::vector<std::string_view> pieces(std::string_view rich) {
    std::vector<std::string_view> result;
    std::size_t start = 0;
    bool is_in_script = false;
    for (std::size_t at = 0; at < rich.size();) {
        const auto byte = static_cast<unsigned char>(rich[at]);
        const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        if (byte == '{') is_in_script = true;
        if (byte == '}') is_in_script = false;
        at = std::min(at + length, rich.size());
        const std::string_view rest = rich.substr(at);
        const bool closes = std::ranges::any_of(std::vector<std::string_view>{"，", "。", "：", "；", "）", "”", " "},
                                                [&](std::string_view sign) { return rest.starts_with(sign); });
        const bool is_chinese = byte >= 0xE3 && byte < 0xF0;
        if (is_in_script || (byte != ' ' && (!is_chinese || closes))) continue;
        result.push_back(rich.substr(start, at - start));
        start = at;
    }
    if (start < rich.size()) result.push_back(rich.substr(start));
    return result;
}

struct SetLine {
    int step = 0;
    std::string name;
    std::vector<std::string> text;
};

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
    for (const std::string_view piece : pieces(rich)) {
        std::string longer = line + std::string(piece);
        std::string seen = longer;
        while (seen.ends_with(' ')) seen.pop_back();
        if (!line.empty() && rich_width(measure, seen, size, font) > width) {
            finish();
            longer = piece;
        }
        line = std::move(longer);
    }
    finish();
    return lines;
}

void add_explained_lines(Figure& figure, const FigureContext& context, const std::vector<ExplainedLine>& lines,
                         int step, Rect area) {
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    float size = text - 1;
    float name_w = 0;
    std::vector<SetLine> set;
    const auto line_count = [&] {
        std::size_t count = 0;
        for (const SetLine& line : set) count += line.text.size();
        return static_cast<float>(count);
    };
    for (; size >= text - 4; --size) {
        set.clear();
        name_w = 0;
        for (const ExplainedLine& line : lines)
            if (!line.name.empty())
                name_w = std::max(name_w, context.measure.width(line.name, size, Font::words) + size * 0.8F);
        for (const ExplainedLine& line : lines)
            set.push_back({line.step, line.name,
                           line.name.empty() ? wrapped(context.measure, line.text, size, Font::words, area.w)
                                             : wrapped(context.measure, line.text, size, Font::mono, area.w - name_w)});
        if (line_count() * size * pitch <= area.h) break;
    }
    size = std::max(size, text - 4);
    while (set.size() > 1 && line_count() * size * pitch > area.h) set.erase(set.begin());

    float y = area.y + size;
    for (const SetLine& line : set) {
        if (line.step > step) break;
        if (!line.name.empty())
            figure.marks.emplace_back(TextMark{line.name, {area.x, y}, {size, Font::words, colors.dim}});
        for (const std::string& part : line.text) {
            const bool is_sentence = line.name.empty();
            figure.marks.emplace_back(TextMark{part,
                                               {area.x + (is_sentence ? 0 : name_w), y},
                                               {size, is_sentence ? Font::words : Font::mono, colors.text}});
            y += size * pitch;
        }
    }
}

}  // namespace heed
