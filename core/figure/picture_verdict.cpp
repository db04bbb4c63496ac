// How far away lies what a patch looks at, in a number and in words.
#include "core/counting.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/mark_look.h"
#include "core/figure/picture_parts.h"
#include "core/figure/rich_text.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

std::string patch_words(const PanelPen& pen, Patch patch) {
    return fill(pen.context.word("row {0}, column {1}"), {shown_number(patch.row), shown_number(patch.column)});
}

std::shared_ptr<const std::vector<std::optional<double>>> mean_distances(const PanelPen& pen,
                                                                         const PictureQuery& asks) {
    return kept(pen.context, "patch distances", pen.context.trace.version, [&] {
        std::vector<std::optional<double>> mean;
        for (int head = 0; head < pen.context.model.n_heads; ++head)
            mean.push_back(mean_patch_distance(pen.context.trace, asks.tokens, head));
        return mean;
    });
}

// Why there is no distance, or what it is of.
std::string verdict_words(const PanelPen& pen, const PictureQuery& asks, const std::optional<double>& distance) {
    const std::string head = shown_number(asks.head);
    if (asks.tokens.n_keys == 0)
        return std::string(
            pen.context.word("None of the keys is a patch of the picture: nothing can be laid over it."));
    if (!asks.patch())
        return fill(
            pen.context.word("{0} is no patch, so that nothing it looks at is near or far. Its attention with head "
                             "{1} lies over the picture."),
            {query_words(pen, asks), head});
    if (!distance)
        return fill(pen.context.word("The patch in {0} looks at no patch with head {1}."),
                    {query_words(pen, asks), head});
    const std::string space = pen.context.language == Language::chinese ? "" : " ";
    std::string words =
        fill(pen.context.word("patches away, on average: what the patch in {0} looks at with head {1}."),
             {query_words(pen, asks), head});
    if (const auto even = even_patch_distance(pen.context.trace, asks.tokens, asks.head, asks.query))
        words += space +
                 fill(pen.context.word("Looking evenly at every patch it sees would give {0}."), {decimal(*even, 2)});
    const auto mean = (*mean_distances(pen, asks))[static_cast<std::size_t>(asks.head)];
    if (mean && !std::isnan(*mean))
        words +=
            space + fill(pen.context.word("Over all patches that ask, the head’s mean is {0}."), {decimal(*mean, 2)});
    return words;
}

}  // namespace

std::string query_words(const PanelPen& pen, const PictureQuery& asks) {
    if (asks.patch()) return patch_words(pen, *asks.patch());
    return "“" + shorten(pen.context.measure, query_label(pen.context.model, asks.query), pen.text, Font::bold, 140) +
           "”";
}

std::string distance_number(const std::optional<double>& distance) {
    if (!distance) return "–";
    return std::isnan(*distance) ? "NaN" : decimal(*distance, 2);
}

Rect add_picture_verdict(const PanelPen& pen, const PictureQuery& asks, Rect page) {
    const auto distance = patch_distance(pen.context.trace, asks.tokens, asks.head, asks.query);
    const float large = pen.text * 1.9F;
    const std::string number = distance_number(distance);
    const float wide = std::max(pen.context.measure.width(number, large, Font::mono),
                                pen.context.measure.width("00.00", large, Font::mono)) +
                       pen.text;
    const auto lines = wrapped(pen.context.measure, verdict_words(pen, asks, distance), pen.text - 1, Font::words,
                               std::max(80.0F, page.w - wide - 2 * pen.text));
    const float line = (pen.text - 1) * 1.4F;
    const float high = std::max(large * 1.2F, line * static_cast<float>(lines.size())) + pen.text;
    pen.figure.marks.emplace_back(BoxMark{.area = {page.x, page.y, page.w, high},
                                          .fill = mix(pen.colors.panel, pen.colors.accent, 0.07F),
                                          .stroke = mix(pen.colors.panel, pen.colors.accent, 0.35F),
                                          .radius = 8});
    pen.figure.marks.emplace_back(TextMark{number,
                                           {page.x + pen.text, page.y + high / 2},
                                           {large, Font::mono, pen.colors.accent},
                                           AlignX::left,
                                           AlignY::middle});
    float y = page.y + high / 2 - line * static_cast<float>(lines.size() - 1) / 2;
    for (const std::string& words : lines) {
        pen.words(words, {page.x + pen.text + wide, y}, pen.colors.dim, AlignX::left, Font::words, 1, true);
        y += line;
    }
    const float used = high + pen.text * 1.2F;
    return {page.x, page.y + used, page.w, std::max(1.0F, page.h - used)};
}

}  // namespace heed
