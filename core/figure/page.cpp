#include "core/figure/page.h"

#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/counting.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/model/picture.h"
#include "core/model/position_settings.h"
#include "core/picture/picture.h"
#include "core/transformer/around.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace heed {

namespace {

constexpr float title_lines = 2;       // of the body's text: the title and the gap below it
constexpr float smaller_title = 3;     // pixels that a title gives up before it ends in "…"
constexpr float caption_line = 1.15F;  // of the body's text, for its smaller lines

bool meet(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// Where a text stands; of one that is turned, where it could.
Rect box_of(const FigureContext& context, const TextMark& text) {
    const float size = text.style.size;
    const float width = text.plain ? context.measure.width(text.text, size, text.style.font)
                                   : rich_width(context.measure, text.text, size, text.style.font);
    if (text.angle != 0) return {text.at.x - width, text.at.y - width, 2 * width, 2 * width};
    const float height = size * 1.3F;
    const float left = text.align_x == AlignX::left ? 0 : text.align_x == AlignX::center ? width / 2 : width;
    const float top = text.align_y == AlignY::top        ? 0
                      : text.align_y == AlignY::middle   ? height / 2
                      : text.align_y == AlignY::baseline ? size
                                                         : height;
    return {text.at.x - left, text.at.y - top, width, height};
}

}  // namespace

Figure empty_figure(const FigureContext& context) {
    return {.width = context.width,
            .height = context.height,
            .theme = context.theme,
            .marks = {},
            .targets = {},
            .frames = {}};
}

Rect add_page(Figure& figure, const FigureContext& context, float margin) {
    if (context.show_difference) return add_page(figure, context, margin, captions_of_states(context));
    return add_page(figure, context, margin, {settings_caption(context)});
}

Rect add_page(Figure& figure, const FigureContext& context, float margin, const std::vector<std::string>& caption) {
    const float text = context.options.text_size;
    const float width = std::max(1.0F, context.width - 2 * margin);
    float top = margin;
    float bottom = context.height - margin;
    if (context.options.title && !context.title.empty()) {
        TextStyle style{text + 1, Font::bold, context.colors().text};
        const float needed = context.measure.width(context.title, style.size, style.font);
        style.size =
            std::max(style.size - smaller_title, std::min(style.size, std::floor(style.size * width / needed)));
        figure.marks.emplace_back(TextMark{shorten(context.measure, context.title, style.size, style.font, width),
                                           {margin, top + text},
                                           style,
                                           AlignX::left,
                                           AlignY::baseline,
                                           0,
                                           true});
        top += text * title_lines;
    }
    if (context.options.caption) {
        const TextStyle style{text - 3, Font::words, context.colors().dim};
        std::vector<std::string> lines;
        for (const std::string& sentence : caption)
            std::ranges::move(wrapped(context.measure, sentence, style.size, style.font, width),
                              std::back_inserter(lines));
        bottom = context.height - std::min(margin, 8.0F);
        for (auto line = lines.rbegin(); line != lines.rend(); ++line, bottom -= text * caption_line)
            figure.marks.emplace_back(TextMark{*line, {margin, bottom}, style, AlignX::left, AlignY::bottom});
        bottom -= text * 0.5F;
    }
    return {margin, top, width, std::max(1.0F, bottom - top)};
}

void add_sentence(Figure& figure, const FigureContext& context, Rect room, const std::string& sentence, Color color) {
    const float size = context.options.text_size;
    const auto lines = wrapped(context.measure, sentence, size, Font::words, room.w);
    float y = room.center().y - size * 1.4F * static_cast<float>(lines.size() - 1) / 2;
    for (const std::string& line : lines) {
        figure.marks.emplace_back(
            TextMark{line, {room.center().x, y}, {size, Font::words, color}, AlignX::center, AlignY::middle});
        y += size * 1.4F;
    }
}

void add_crowding_note(Figure& figure, const FigureContext& context) {
    const auto is_crowded = [](const Mark& mark) {
        const auto* map = std::get_if<HeatmapMark>(&mark);
        return map != nullptr && (map->area.w < static_cast<float>(map->shown_cols()) ||
                                  map->area.h < static_cast<float>(map->shown_rows()));
    };
    if (std::ranges::none_of(figure.marks, is_crowded)) return;
    constexpr float margin = 16;
    constexpr float from_edge = 3;
    const TextStyle style{context.options.text_size - 4, Font::words, context.colors().dim};
    const std::string words(context.word("A pixel that holds several cells shows the strongest of them."));
    const float width = context.measure.width(words, style.size, style.font);
    // In the margin's first corner that is free: at the foot as footnotes are, or above.
    for (const AlignY y : {AlignY::bottom, AlignY::top})
        for (const AlignX x : {AlignX::right, AlignX::left}) {
            const TextMark note{words,
                                {x == AlignX::right ? context.width - margin : margin,
                                 y == AlignY::bottom ? context.height - from_edge : from_edge},
                                style,
                                x,
                                y};
            const Rect box = box_of(context, note);
            const bool is_free =
                width <= context.width - 2 * margin && std::ranges::none_of(figure.marks, [&](const Mark& mark) {
                    if (const auto* map = std::get_if<HeatmapMark>(&mark)) return meet(box, map->area);
                    const auto* text = std::get_if<TextMark>(&mark);
                    return text != nullptr && meet(box, box_of(context, *text));
                });
            if (!is_free) continue;
            figure.marks.emplace_back(note);
            return;
        }
}

std::vector<std::string> captions_of_states(const FigureContext& context) {
    if (context.baseline == nullptr) return {settings_caption(context)};
    const Baseline& kept = *context.baseline;
    return {"A: " + settings_caption(with_layer(context, kept.model, kept.trace, context.display)),
            "B: " + settings_caption(context)};
}

namespace {

// As the control names them.
std::string_view told_policy(const Model& model) {
    switch (model.normalizer->masked_row) {
        case MaskedRow::uniform:
            return "Uniform";
        case MaskedRow::nan:
            return "NaN";
        default:
            return "Zeros";
    }
}

}  // namespace

std::string settings_caption(const FigureContext& context) {
    const Model& model = context.model;
    std::string caption;
    if (const Around* around = context.trace.around.get(); around != nullptr && around->trace.layers.size() > 1)
        caption = fill(context.word("layer {0} of {1}"),
                       {shown_number(around->layer), std::to_string(around->trace.layers.size())}) +
                  " · ";
    caption += "d_{k} " + std::to_string(model.d_k) + " · T " + compact(model.temperature) + " · " +
               std::string(context.word(told_score(model).name)) + " " + scaling_note(model);
    std::string hidden;
    for (const Mask& mask : masks())
        if (mask.is_on(*model.mask)) hidden += (hidden.empty() ? "" : " + ") + std::string(context.word(mask.name));
    caption +=
        " · " + fill(context.word("mask {0}"), {hidden.empty() ? context.word("none") : std::string_view(hidden)});
    const PositionEncoding& position = position_encoding(model.position->encoding);
    if (model.query_offset != 0 && (!hidden.empty() || position.uses_places()))
        caption += " · " + fill(context.word("query offset {0}"), {std::to_string(model.query_offset)});
    if (context.trace.fully_masked_rows > 0)
        caption += " · " + fill(context.word("fully masked rows: {0}"), {context.word(told_policy(model))});
    if (has_picture(*model.picture))
        caption += " · " + fill(context.word("{0} × {1} patches, place {2}"),
                                {std::to_string(model.picture->columns), std::to_string(model.picture->rows),
                                 compact(static_cast<double>(model.picture->place_share))});
    if (position.uses_places()) caption += " · " + std::string(context.word(position.name));
    if (position.add != nullptr && model.source == Source::projected && !model.position->embedding_scale)
        caption += context.word(", no √d");
    caption += " · " + std::string(context.word(normalizer(model.normalizer->id).name));
    caption += " · " + fill(context.word("seed {0}"), {std::to_string(model.seed)});
    return caption;
}

}  // namespace heed
