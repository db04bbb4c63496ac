#include "core/figure/rich_text.h"

#include "core/model/depth.h"

#include <cctype>

namespace heed {

namespace {

constexpr float script_scale = 0.72F;
constexpr float subscript_rise = -0.18F;
constexpr float superscript_rise = 0.36F;

}  // namespace

std::vector<TextRun> text_runs(std::string_view rich) {
    std::vector<TextRun> runs;
    std::string plain;
    const auto finish = [&] {
        if (!plain.empty()) runs.push_back({std::move(plain)});
        plain.clear();
    };
    while (!rich.empty()) {
        const bool is_script = rich.size() > 2 && (rich[0] == '_' || rich[0] == '^') && rich[1] == '{';
        const std::size_t end = is_script ? rich.find('}') : std::string_view::npos;
        if (end == std::string_view::npos) {
            plain += rich[0];
            rich.remove_prefix(1);
            continue;
        }
        finish();
        runs.push_back(
            {std::string(rich.substr(2, end - 2)), script_scale, rich[0] == '_' ? subscript_rise : superscript_rise});
        rich.remove_prefix(end + 1);
    }
    finish();
    return runs;
}

float rich_width(const TextMeasure& measure, std::string_view rich, float size, Font font) {
    float width = 0;
    for (const TextRun& run : text_runs(rich)) width += measure.width(run.text, size * run.scale, font);
    return width;
}

std::string plain_text(std::string_view rich) {
    std::string plain;
    for (const TextRun& run : text_runs(rich)) plain += run.text;
    return plain;
}

std::string typed_text(std::string_view rich) {
    std::string typed;
    for (const TextRun& run : text_runs(rich)) {
        if (run.rise == 0)
            typed += run.text;
        else
            typed += (run.rise < 0 ? "_" : "^") +
                     (run.text.find_first_of(" +-−/·") == std::string::npos ? run.text : "(" + run.text + ")");
    }
    return typed;
}

std::string rich_from_typed(std::string_view typed) {
    const auto is_alone = [&](std::size_t i) {
        const auto is_word = [&](std::size_t at) {
            return at < typed.size() && std::isalnum(static_cast<unsigned char>(typed[at])) != 0;
        };
        return i > 0 && is_word(i - 1) && is_word(i + 1) && !is_word(i + 2);
    };
    std::string rich;
    for (std::size_t i = 0; i < typed.size(); ++i) {
        if (typed[i] == '_' && is_alone(i))
            rich += "_{" + std::string(1, typed[++i]) + "}";
        else
            rich += typed[i];
    }
    return rich;
}

std::string shorten(const TextMeasure& measure, std::string_view text, float size, Font font, float width) {
    if (measure.width(text, size, font) <= width) return std::string(text);
    std::size_t end = text.size();
    while (end > 0) {
        do --end;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U);
        std::string cut = std::string(text.substr(0, end)) + "…";
        if (end == 0 || measure.width(cut, size, font) <= width) return cut;
    }
    return "…";
}

}  // namespace heed
