// Block: what stands around attention, and what each part writes into the stream.
#include "core/figure/block_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/mark_look.h"
#include "core/figure/page.h"
#include "core/figure/rich_text.h"
#include "core/layers.h"
#include "core/model/depth.h"

#include <algorithm>
#include <cmath>

namespace heed {

std::shared_ptr<const Around> stream_of(const FigureContext& context) {
    if (context.trace.around != nullptr) return context.trace.around;
    if (!why_no_depth(context.model).empty()) return nullptr;
    return kept(context, "block alone", context.trace.version,
                [&] { return around_alone(context.model, context.trace); });
}

bool is_alone(const Around& around) {
    const TransformerConfig& config = around.transformer.config;
    return config.n_layers == 1 && !config.residual && config.norm_place == NormPlace::none &&
           config.feed_forward == "none";
}

std::vector<std::string> block_formulas(const TransformerConfig& config) {
    const std::string norm = config.norm == "rms-norm" ? "RMSNorm" : "LN";
    std::vector<std::string> lines;
    for (const Part* part : parts_of(config)) {
        const std::string name = part->attends ? "Attention" : "FFN";
        std::string line = name + "(" + (config.norm_place == NormPlace::before ? norm + "(x)" : "x") + ")";
        if (config.residual) line = "x + " + line;
        if (config.norm_place == NormPlace::after) line = norm + "(" + line + ")";
        lines.push_back("x ← " + line);
    }
    return lines;
}

int followed_token(const FigureContext& context) {
    return std::min(context.display.block->followed, context.model.n_queries - 1);
}

std::string as_percent(double share) {
    if (!std::isfinite(share)) return "–";
    const double hundredfold = share * 100;
    if (hundredfold == 0) return "0 %";
    if (hundredfold != 0 && std::abs(hundredfold) < 0.1) return compact(hundredfold) + " %";
    return decimal(hundredfold, 1) + " %";
}

Rect add_headline(const PanelPen& pen, const Headline& headline, Rect room) {
    const FigureContext& context = pen.context;
    const float large = pen.text * 1.9F;
    const float inset = 14;
    const float number_w = context.measure.width(headline.number, large, Font::mono);
    const float left_w = std::max(rich_width(context.measure, headline.what, pen.text - 3, Font::words), number_w);
    // Beside the number, or below it where that leaves a column of single words.
    const bool is_beside = room.w - 2 * inset - left_w - 24 >= pen.text * 20;
    const float words_x = room.x + inset + (is_beside ? left_w + 24 : 0);
    const float words_w = std::max(60.0F, room.right() - inset - words_x);
    const auto what = wrapped(context.measure, headline.what, pen.text - 3, Font::words,
                              is_beside ? left_w + 1 : std::max(40.0F, words_w - number_w - 12));
    const auto bold = wrapped(context.measure, headline.bold, pen.text - 1, Font::bold, words_w);
    auto dim = wrapped(context.measure, headline.sentence, pen.text - 2, Font::words, words_w);
    const float line = pen.text * 1.3F;
    // On a small paper, and in a window that is both narrow and low, the picture comes before the reasons.
    const bool is_long = line * static_cast<float>(bold.size() + dim.size()) > room.h * (is_beside ? 0.25F : 0.15F);
    if (is_long && (context.on_paper || (!is_beside && room.h < pen.text * 42))) dim.clear();
    const float words_h = line * static_cast<float>(bold.size() + dim.size());
    const float what_line = pen.text * 1.15F;
    const float number_h = is_beside ? 0 : std::max(large * 1.3F, what_line * static_cast<float>(what.size())) + 4;
    const float height = std::max(pen.text * 4.2F, number_h + words_h + pen.text * 1.1F);
    pen.figure.marks.emplace_back(BoxMark{.area = {room.x, room.y, room.w, height},
                                          .fill = mix(pen.colors.panel, headline.color, 0.07F),
                                          .stroke = mix(pen.colors.panel, headline.color, 0.35F),
                                          .radius = 8});
    const float middle = room.y + height / 2;
    const float number_y = is_beside ? middle - pen.text * 0.5F : room.y + pen.text * 0.55F + number_h / 2;
    float what_y =
        is_beside ? middle + pen.text * 1.15F : number_y - what_line * static_cast<float>(what.size() - 1) / 2;
    for (const std::string& words : what) {
        pen.words(words, {room.x + inset + (is_beside ? 0 : number_w + 12), what_y}, pen.colors.dim, AlignX::left,
                  Font::words, 3);
        what_y += what_line;
    }
    pen.figure.marks.emplace_back(TextMark{headline.number,
                                           {room.x + inset, number_y},
                                           {large, Font::mono, headline.color},
                                           AlignX::left,
                                           AlignY::middle});
    float y = (is_beside ? middle - words_h / 2 : room.y + pen.text * 0.55F + number_h) + line / 2;
    for (const std::string& words : bold) {
        pen.words(words, {words_x, y}, pen.colors.text, AlignX::left, Font::bold, 1);
        y += line;
    }
    for (const std::string& words : dim) {
        pen.words(words, {words_x, y}, pen.colors.dim);
        y += line;
    }
    const float below = height + 12;
    return {room.x, room.y + below, room.w, std::max(20.0F, room.h - below)};
}

namespace {

// What there is instead of a stream, and what to press for one.
void add_no_stream(const PanelPen& pen, Rect room) {
    const Model& model = pen.context.model;
    const std::string_view why =
        model.source != Source::projected
            ? "Attention alone, on Q, K and V that are typed in: there are no embeddings that could flow past it."
        : !model.self_attention
            ? "Attention from one sentence to another: a stream of tokens passes a layer only where they attend to "
              "themselves."
        : !model.output_projection
            ? "Attention alone, its heads side by side: there is no W_{O} that would write what they found into a "
              "stream."
            : "Attention of tokens whose places begin elsewhere: a stream begins at the first place.";
    std::string words = pen.word(why);
    if (!pen.context.on_paper)
        words += " " + pen.word(
                           "Switch on a residual, a norm, a feed-forward or more layers above, and it becomes a "
                           "block: Q, K and V are then projected from embeddings.");
    pen.sentence(room, words, pen.colors.dim);
    if (pen.context.on_paper) return;
    const std::string press = pen.word("Make it a block");
    const float wide = pen.context.measure.width(press, pen.text, Font::bold) + pen.text * 2;
    const Rect box{room.center().x - wide / 2, room.center().y + pen.text * 3.4F, wide, pen.text * 2.1F};
    pen.figure.marks.emplace_back(BoxMark{.area = box, .fill = pen.colors.accent, .radius = 6});
    pen.words(press, box.center(), ink_on(pen.colors.accent), AlignX::center, Font::bold, 0);
    pen.figure.targets.push_back({.id = "make block", .kind = TargetKind::button, .area = box, .tooltip = {}});
}

}  // namespace

Figure block_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const PanelPen pen{figure, context};
    const Rect room = pen.frame_page();
    const std::shared_ptr<const Around> around = stream_of(context);
    const BlockPanel panel = context.display.block->panel;
    if (panel == BlockPanel::depth)
        add_block_depth(pen, around.get(), room);
    else if (around == nullptr)
        add_no_stream(pen, room);
    else if (panel == BlockPanel::stream)
        add_block_stream(pen, *around, room);
    else
        add_block_position(pen, around, room);
    return figure;
}

}  // namespace heed
