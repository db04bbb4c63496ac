// The number that matters, large, and what it means.
#include "core/edit/tokens.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace heed {
namespace {

struct Verdict {
    Color color;
    std::string headline;
    std::vector<std::string> sentences;
};

Verdict verdict_of(const PanelPen& pen, const ShownOrder& order, const MovedWeights& moved,
                   const RuleEffects& effects) {
    const FigureContext& context = pen.context;
    const Equivariance& measured = moved.measured;
    const bool is_still = order.permutation.is_identity();
    const bool moves_output = order.side != MovedSide::keys;
    const bool is_broken = moved.is_complete && !measured.holds();
    Verdict said;
    said.color = !moved.is_complete || is_still ? pen.colors.dim
                 : is_broken                    ? broken_color(pen.colors)
                                                : pen.colors.good;
    std::string on;
    std::string guilty;
    std::string in_input;
    for (const PlaceRule& rule : rules_in_input(context.trace.around.get()))
        in_input += (in_input.empty() ? "" : " · ") + pen.word(rule.name());
    for (const PlaceRule& rule : place_rules())
        if (rule.is_on(context.model)) on += (on.empty() ? "" : " · ") + pen.word(rule.name());
    for (const RuleEffect& effect : effects.rules)
        if (effect.is_on && !effect.alone.holds())
            guilty += (guilty.empty() ? "" : ", ") + pen.word(effect.rule.name());
    if (moved.is_too_large) {
        said.headline = pen.word("Too many weights to compute them a second time, in another order.");
    } else if (!moved.is_complete) {
        said.headline = pen.word("Computing attention for the other order…");
    } else if (!measured.is_finite) {
        said.headline = pen.word("The output holds numbers that are not finite, so there is nothing to compare.");
    } else if (is_still) {
        said.headline =
            pen.word(order.permutation.size() == 1 ? "One token has no other order."
                     : context.on_paper            ? "Nothing is moved."
                                        : "Nothing is moved yet: drag a token, or press one of the buttons.");
    } else if (is_broken) {
        said.headline = pen.word(moves_output ? "Not equivariant here: the order of the tokens matters."
                                              : "Not invariant here: the order of the keys matters.");
        if (!guilty.empty())
            said.sentences.push_back(fill(context.word("Breaks it alone: {0}."), {guilty}));
        else if (effects.is_complete)
            said.sentences.push_back(pen.word("Nothing that is on breaks it alone; together they do."));
    } else {
        said.headline =
            pen.word(!in_input.empty() ? "This layer by itself is equivariant: its output moves with what it reads."
                     : moves_output    ? "Equivariant here: the output moves with the tokens."
                                       : "Invariant under the order of the keys: every output stays as it was.");
        if (moved.weights_hold()) {
            if (!on.empty())
                said.sentences.push_back(
                    fill(context.word(guilty.empty() ? "{0}: on, but this order changes no weight."
                                                     : "{0}: on, but together they change no weight in this order."),
                         {on}));
        } else if (std::isfinite(moved.largest_of_all_heads)) {
            const std::string most = difference_text(moved.largest_of_all_heads);
            said.sentences.push_back(
                on.empty()
                    ? fill(context.word("The weights change by up to {0}, and the output all the same does not."),
                           {most})
                    : fill(context.word("{0}: on. The weights change by up to {1}, and the output all the same "
                                        "does not."),
                           {on, most}));
        }
        if (moves_output && measured.from_still > measured.tolerance())
            said.sentences.push_back(fill(
                context.word("Not invariant: place by place the output differs by up to {0}. The mean over all tokens "
                             "is invariant (difference {1})."),
                {difference_text(measured.from_still), difference_text(measured.of_means)}));
    }
    if (moved.is_complete && measured.is_finite && is_broken)
        said.sentences.push_back(
            fill(context.word("The mean over all tokens differs by {0}."), {difference_text(measured.of_means)}));
    if (moved.is_complete && !is_still && !in_input.empty())
        said.sentences.push_back(fill(
            context.word("Moved is what this layer reads, with {0} already in it: what moving the words alone would do "
                         "is not measured here."),
            {in_input}));
    if (moved.is_complete && !moved.has_maps)
        said.sentences.push_back(pen.word("The other maps are left out: each would hold more than 8 million weights."));
    if (order.side == MovedSide::queries && !is_still)
        said.sentences.push_back(pen.word(attention_kind(context.model) == AttentionKind::cached
                                              ? "Self-attention with a cache: only the tokens that ask are moved; the "
                                                "keys, their own among them, stay."
                                              : "Cross-attention: only the queries are moved, and the keys stay."));
    return said;
}

}  // namespace

float add_verdict(const PanelPen& pen, const ShownOrder& order, const MovedWeights& moved, const RuleEffects& effects,
                  Rect room, bool is_drawn) {
    const FigureContext& context = pen.context;
    const Verdict said = verdict_of(pen, order, moved, effects);
    const char* formulas[] = {"max |Attention(PX) − P·Attention(X)|", "max |Attention(PX, Y) − P·Attention(X, Y)|",
                              "max |Attention(X, PY) − Attention(X, Y)|"};
    const std::string formula = formulas[static_cast<std::size_t>(order.side)];
    const std::string number = moved.is_complete ? difference_text(moved.measured) : moved.is_too_large ? "–" : "…";
    const float large = pen.text * 1.9F;
    const float inset = 14;
    const float left_w = std::max(rich_width(context.measure, formula, pen.text - 3, Font::words),
                                  context.measure.width("0.00e-00", large, Font::mono));
    const float line = pen.text * 1.3F;
    struct Words {
        std::vector<std::string> bold, dim;
        float height = 0;
    };
    const auto words_in = [&](float width) {
        Words words;
        words.bold = wrapped(context.measure, said.headline, pen.text - 1, Font::bold, width);
        for (const std::string& sentence : said.sentences)
            for (std::string& one : wrapped(context.measure, sentence, pen.text - 2, Font::words, width))
                words.dim.push_back(std::move(one));
        words.height = line * static_cast<float>(words.bold.size() + words.dim.size());
        return words;
    };
    // Beside the number; below it where the room is narrow and that takes less of it.
    const float beside_x = room.x + inset + left_w + 24;
    Words words = words_in(std::max(60.0F, room.right() - inset - beside_x));
    float height = std::max(pen.text * 4.4F, words.height + pen.text * 1.2F);
    const float head = large * 1.2F;
    Words lower = words_in(room.w - 2 * inset);
    const float lower_height = head + lower.height + pen.text * 1.2F;
    const bool is_beside = height <= lower_height;
    if (!is_beside) {
        words = std::move(lower);
        height = lower_height;
    }
    if (!is_drawn) return height;

    pen.figure.marks.emplace_back(BoxMark{.area = {room.x, room.y, room.w, height},
                                          .fill = mix(pen.colors.panel, said.color, 0.07F),
                                          .stroke = mix(pen.colors.panel, said.color, 0.35F),
                                          .radius = 8});
    const float top = room.y + pen.text * 0.6F;
    const float middle = is_beside ? room.y + height / 2 : top + head / 2;
    const Point formula_at{room.x + inset, is_beside ? middle - pen.text * 1.15F : middle};
    const Point number_at =
        is_beside ? Point{room.x + inset, middle + pen.text * 0.75F} : Point{room.right() - inset, middle};
    pen.words(formula, formula_at, pen.colors.text, AlignX::left, Font::words, 3);
    pen.figure.marks.emplace_back(TextMark{
        number, number_at, {large, Font::mono, said.color}, is_beside ? AlignX::left : AlignX::right, AlignY::middle});
    const float words_x = is_beside ? beside_x : room.x + inset;
    float y = (is_beside ? middle - words.height / 2 : top + head) + line / 2;
    for (const std::string& one : words.bold) {
        pen.words(one, {words_x, y}, order.permutation.is_identity() ? pen.colors.text : said.color, AlignX::left,
                  Font::bold, 1);
        y += line;
    }
    for (const std::string& one : words.dim) {
        pen.words(one, {words_x, y}, pen.colors.dim);
        y += line;
    }
    return height;
}

}  // namespace heed
