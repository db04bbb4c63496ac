// The page of the layers: three grids with one scale of places, what they say in numbers, and influence against distance.
#include "core/attention/masks.h"
#include "core/edit/tokens.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/growing_room.h"
#include "core/figure/reach_pages.h"
#include "core/figure/rich_text.h"
#include "core/model/mask_settings.h"

#include <algorithm>

namespace heed {

namespace {

// What is seen, and how it was come by.
struct About {
    std::string what, how;
};

About about(const PanelPen& pen, const ReachScene& scene) {
    const FigureContext& context = pen.context;
    About out;
    out.what =
        fill(context.word("What the output of {0} hears of every input: ‖∂output/∂input‖, each row by its strongest."),
             {quoted_token(context.model, scene.output)});
    out.how =
        fill(context.word("Measured by going back through layers drawn from seed {0}; hatched where nothing leads."),
             {std::to_string(context.display.reach->seed)});
    if (!context.on_paper)
        out.how += (context.language == Language::chinese ? "" : " ") +
                   pen.word("Click the top row for another output, any row below for another input.");
    return out;
}

// What is other than one would think.
std::vector<std::string> conditions(const PanelPen& pen, const ReachScene& scene) {
    const FigureContext& context = pen.context;
    std::vector<std::string> all;
    if (scene.n_tokens < scene.all_tokens)
        all.push_back(fill(context.word("Only the first {0} of {1} tokens are measured."),
                           {std::to_string(scene.n_tokens), std::to_string(scene.all_tokens)}));
    if (!context.model.self_attention)
        all.push_back(
            pen.word(attention_kind(context.model) == AttentionKind::cached
                         ? "This scene has a cache, which has no layers to go through: the tokens that ask are taken, "
                           "each looking at all of them, without the cached ones and without a mask."
                         : "This scene is cross-attention: its queries’ tokens are taken, each looking at all of them, "
                           "without its mask."));
    if (std::ranges::any_of(context.model.heads, [](const HeadSetting& head) { return !head.on || head.gain != 1; }))
        all.push_back(pen.word("All heads are on here, with a gain of 1."));
    if (context.model.query_offset != 0 && context.model.self_attention)
        all.push_back(pen.word("The query offset is left out: the first token stands at place 0."));
    MaskSettings others = *scene.attention.mask;
    others.causal = false;
    const bool has_more = scene.attention.bias_on || others.painted ||
                          std::ranges::any_of(masks(), [&](const Mask& mask) { return mask.is_on(others); });
    if (scene.attention.mask->causal && has_more)
        all.push_back(
            pen.word("The causal mask holds for attention and convolution, the rest of the mask for attention "
                     "only; recurrence is causal by itself."));
    else if (scene.attention.mask->causal)
        all.push_back(pen.word("The causal mask holds for attention and convolution; recurrence is causal by itself."));
    else if (has_more)
        all.push_back(pen.word("The mask holds for attention only; recurrence hears only what came before."));
    else
        all.push_back(pen.word("Recurrence hears only what came before."));
    const ReachColumn& first = scene.columns.front();
    const bool has_probes =
        std::ranges::any_of(scene.columns, [](const ReachColumn& column) { return column.plan.probes > 0; });
    const int fewest =
        std::ranges::min(scene.columns, {}, [](const ReachColumn& c) { return c.plan.draws; }).plan.draws;
    const std::string width = std::to_string(first.config.d_model);
    if (fewest == context.display.reach->draws)
        all.push_back(fewest == 1 ? fill(context.word("Width {0}, one draw."), {width})
                                  : fill(context.word("Width {0}, root mean square over {1} draws."),
                                         {width, std::to_string(fewest)}));
    else
        all.push_back(fill(
            context.word("Width {0}; of {1} draws asked for, attention got {2}, convolution {3} and recurrence {4}: "
                         "more would be much work."),
            {width, std::to_string(context.display.reach->draws), std::to_string(first.plan.draws),
             std::to_string(scene.columns[1].plan.draws), std::to_string(scene.columns[2].plan.draws)}));
    all.push_back(pen.word("σ: root mean square distance from the output token, each token by its influence squared."));
    if (has_probes)
        all.push_back(
            pen.word("Where that is much work, influence is an estimate from random combinations of the output."));
    return all;
}

}  // namespace

void add_reach_layers(const PanelPen& pen, Rect room) {
    const ReachScene scene = reach_scene(pen.context);
    if (const auto wrong = check_config(scene.columns.front().config); !wrong.empty())
        return pen.sentence(room, pen.word("These settings make no stack of layers."), pen.colors.dim);
    const About told = about(pen, scene);
    const std::string space = pen.context.language == Language::chinese ? "" : " ";
    // In a small window the grids come before how they were measured, which then is below them.
    const std::string whole = told.what + space + told.how;
    const bool is_brief = wrapped(pen.context.measure, whole, pen.text - 2, Font::words, room.w).size() > 3;
    room = pen.intro(room, is_brief ? told.what : whole);
    // Curve and table stand side by side, in a narrow window one above the other.
    const bool is_narrow = room.w < pen.text * 42 && !pen.context.on_paper;
    const float curve_h = is_narrow ? pen.text * 13 : 0;
    const float gap = is_narrow ? 12 : 22;
    const float names = pen.text * 3.4F;  // of the layers, beside the first grid
    const float bar_w = pen.context.options.color_bars ? reach_bar_width(pen) : 0;  // one for all, beside the last
    const float w = std::max(20.0F, (room.w - names - 2 * gap - bar_w) / 3);
    const float words_h = reach_words_height(pen, w);
    std::string notes = is_brief ? told.how : std::string();
    for (const std::string& note : conditions(pen, scene)) notes += (notes.empty() ? "" : space) + note;
    const auto note_lines = wrapped(pen.context.measure, notes, pen.text - 2, Font::words, room.w).size();
    const float notes_h = pen.text * 1.4F * static_cast<float>(note_lines);
    room = room_of_at_least(pen.figure, pen.context, room,
                            is_narrow ? words_h + curve_h + reach_table_height(pen) + notes_h + pen.text * 15
                                      : words_h + notes_h + pen.text * 25);
    room = pen.footnotes(room, {notes});
    room = {room.x, room.y + pen.text * 1.9F, room.w, room.h - pen.text * 2.5F};
    const float low_h =
        is_narrow ? curve_h + reach_table_height(pen) : std::clamp(room.h * 0.4F, 0.0F, reach_table_height(pen));
    const bool has_low = low_h >= pen.text * 9 || !pen.context.on_paper;
    const float top_h = std::max(pen.text * 5, room.h - words_h - (has_low ? low_h + 14 : 0));
    for (std::size_t i = 0; i < scene.columns.size(); ++i) {
        const ReachColumn& column = scene.columns[i];
        const float x = room.x + names + static_cast<float>(i) * (w + gap);
        const float left = i == 0 ? names : 0;
        add_reach_grid(pen, scene, column, {x - left, room.y, w + left, top_h}, i == 0);
        if (i + 1 == scene.columns.size() && bar_w > 0) add_reach_bar(pen, column);
        add_reach_words(pen, scene, column, {x, room.y + top_h, w, words_h});
    }
    if (!has_low) return;
    const float y = room.bottom() - low_h;
    if (is_narrow) {
        add_reach_curve(pen, scene, {room.x, y, room.w, curve_h - 10});
        return add_reach_table(pen, scene, {room.x, y + curve_h, room.w, low_h - curve_h});
    }
    const float table_w =
        std::clamp(room.w * 0.32F, pen.text * (room.w < pen.text * 42 ? 15.0F : 20.0F), pen.text * 24);
    add_reach_curve(pen, scene, {room.x, y, room.w - table_w - gap * 1.5F, low_h});
    add_reach_table(pen, scene, {room.right() - table_w, y, table_w, low_h});
}

}  // namespace heed
