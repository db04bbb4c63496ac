#include "core/typeset/formula.h"
#include "core/typeset/formula_shapes.h"
#include "core/typeset/glyph_metrics.h"
#include "core/typeset/role_words.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

using Kind = FormulaNode::Kind;
using Face = FormulaNode::Face;

// TeX's styles, and whether the place is below something, where superscripts rise less.
struct Style {
    enum Level { display, text, script, small_script };
    Level level = text;
    bool is_cramped = false;
    bool is_below = false;  // in a subscript: letters there are indices and keep the colour of the text

    Style smaller() const { return {level < script ? script : small_script, is_cramped, is_below}; }
    Style cramped() const { return {level, true, is_below}; }
    Style below() const { return {level, true, true}; }
    bool is_script() const { return level >= script; }
};

constexpr float level_scale[] = {1, 1, 0.72F, 0.58F};

// In sizes; TeX's values, less what the sides of Inter's signs already have.
constexpr float thin = 0.15F;
constexpr float medium = 0.17F;
constexpr float thick = 0.21F;

// The TeXbook, p. 170: 1 thin, 2 medium, 3 thick; negative: not in scripts. Rows: left, columns: right.
constexpr int spacing[8][8] = {
    {0, 1, -2, -3, 0, 0, 0, -1},      // ordinary
    {1, 1, 0, -3, 0, 0, 0, -1},       // op
    {-2, -2, 0, 0, -2, 0, 0, -2},     // binary
    {-3, -3, 0, 0, -3, 0, 0, -3},     // relation
    {0, 0, 0, 0, 0, 0, 0, 0},         // open
    {0, 1, -2, -3, 0, 0, 0, -1},      // close
    {-1, -1, 0, -1, -1, -1, -1, -1},  // punctuation
    {-1, 1, -2, -3, -1, 0, -1, -1},   // inner
};

class Layout {
public:
    Layout(const FormulaLook& look, const TextMeasure& measure)
        : look_(look), measure_(measure), colors_(palette(look.theme)) {}

    FormulaBox lay_out(const FormulaNode& node, Style style) const {
        switch (node.kind) {
            case Kind::symbol:
                return symbol(node, style);
            case Kind::row:
                return row(node.children, style);
            case Kind::fraction:
                return fraction(node, style);
            case Kind::root:
                return root(node, style);
            case Kind::large_op:
                return large_op(node, style);
            case Kind::fenced:
                return fenced(node, style);
            case Kind::fence: {
                const float half = node.amount * size(style) / 2;
                const float axis = math_axis * size(style);
                return make_fence(node.text, half + axis, half - axis, size(style), look_.color);
            }
            case Kind::matrix:
                return matrix(node, style);
            case Kind::accent:
                return accent(node, style);
            case Kind::space: {
                FormulaBox box;
                box.width = node.amount * size(style);
                return box;
            }
            case Kind::scripts:
                return node.has_limits && style.level == Style::display ? limits(node, style) : scripts(node, style);
        }
        return {};
    }

private:
    float size(Style style) const { return look_.size * level_scale[style.level]; }

    FormulaBox words(const std::string& text, Font font, float em, Color color, float rise = 0) const {
        FormulaBox box;
        const GlyphExtent extent = glyph_extent(text);
        box.width = measure_.width(text, em, font);
        box.ascent = extent.ascent * em;
        box.descent = extent.descent * em;
        TextMark mark{text, {0, -rise}, {em, font, color}};
        mark.plain = true;
        put_mark(box, std::move(mark), {0, -box.ascent, box.width, box.ascent + box.descent});
        return box;
    }

    FormulaBox symbol(const FormulaNode& node, Style style) const {
        const float em = size(style);
        Color color = look_.color;
        const bool is_letter = node.face == Face::math || node.face == Face::bold;
        if (look_.colored_roles && is_letter && !style.is_below)
            color = role_color(colors_, role_of_letter(node.text), color);
        if (is_drawn_sign(node.text)) return make_drawn_sign(node.text, em, color);
        const Font font = node.face == Face::math ? Font::italic : node.face == Face::bold ? Font::bold : Font::words;
        FormulaBox box = words(node.text, font, em, color, axis_shift(node.text) * em);
        if (font == Font::italic) box.width += italic_correction(node.text) * em;
        return box;
    }

    // What a slanted letter reaches beyond its width at the top.
    static float italic_correction(std::string_view letter) {
        if (letter == "f") return 0.07F;
        constexpr std::string_view leaning = "TVWYFPKNMHUXEJCIdkl";
        return letter.size() == 1 && leaning.find(letter[0]) != std::string_view::npos ? 0.025F : 0.0F;
    }

    static float space_between(AtomClass left, AtomClass right, Style style, float em) {
        const int kind = spacing[static_cast<int>(left)][static_cast<int>(right)];
        if (kind == 0 || (kind < 0 && style.is_script())) return 0;
        constexpr float amounts[] = {0, thin, medium, thick};
        return amounts[std::abs(kind)] * em;
    }

    // A sign for two sides without one of them is an ordinary sign: −x, (+1), and a relation counts as none.
    static std::vector<AtomClass> classes(const FormulaList& nodes) {
        std::vector<AtomClass> out;
        for (const FormulaNode& node : nodes) out.push_back(node.atom);
        const auto takes_no_left = [](AtomClass atom) {
            return atom == AtomClass::binary || atom == AtomClass::op || atom == AtomClass::relation ||
                   atom == AtomClass::open || atom == AtomClass::punctuation;
        };
        std::size_t before = nodes.size();  // the last that is no space
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].kind == Kind::space) continue;
            const bool has_left = before < nodes.size();
            if (out[i] == AtomClass::binary && (!has_left || takes_no_left(out[before]))) out[i] = AtomClass::ordinary;
            const bool ends =
                out[i] == AtomClass::relation || out[i] == AtomClass::close || out[i] == AtomClass::punctuation;
            if (has_left && ends && out[before] == AtomClass::binary) out[before] = AtomClass::ordinary;
            before = i;
        }
        if (before < nodes.size() && out[before] == AtomClass::binary) out[before] = AtomClass::ordinary;
        return out;
    }

    FormulaBox row(const FormulaList& nodes, Style style) const {
        FormulaBox box;
        const std::vector<AtomClass> atoms = classes(nodes);
        std::size_t before = nodes.size();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const FormulaBox part = lay_out(nodes[i], style);
            if (nodes[i].kind != Kind::space) {
                if (before < nodes.size()) box.width += space_between(atoms[before], atoms[i], style, size(style));
                before = i;
            }
            put(box, part, box.width, 0);
            box.width = std::max(0.0F, box.width + part.width);
            box.ascent = std::max(box.ascent, part.ascent);
            box.descent = std::max(box.descent, part.descent);
        }
        return box;
    }

    FormulaBox fraction(const FormulaNode& node, Style style) const {
        if (node.is_display) style.level = Style::display;
        const bool is_large = style.level == Style::display;
        const Style inside = is_large ? Style{Style::text, style.is_cramped, style.is_below} : style.smaller();
        const FormulaBox above = lay_out(node.children[0], inside);
        const FormulaBox below = lay_out(node.children[1], inside.cramped());
        const float em = size(style);
        const float rule = rule_thickness(em);
        const float axis = math_axis * em;
        const float clearance = (is_large ? 0.16F : 0.1F) * em;
        const float up = std::max((is_large ? 0.66F : 0.42F) * em, axis + rule / 2 + clearance + above.descent);
        const float down = std::max((is_large ? 0.66F : 0.34F) * em, below.ascent + clearance + rule / 2 - axis);
        const float side = 0.08F * em;
        const float bar = std::max(above.width, below.width) + 0.12F * em;
        FormulaBox box;
        box.width = bar + 2 * side;
        put(box, above, (box.width - above.width) / 2, -up);
        put_mark(box, LineMark{{{side, -axis}, {side + bar, -axis}}, look_.color, rule},
                 {side, -axis - rule / 2, bar, rule});
        put(box, below, (box.width - below.width) / 2, down);
        box.ascent = up + above.ascent;
        box.descent = down + below.descent;
        return box;
    }

    FormulaBox root(const FormulaNode& node, Style style) const {
        const float em = size(style);
        const FormulaBox inside = lay_out(node.children[0], style.cramped());
        // As tall as a capital at least, so that √d and √n look alike.
        const float ascent = std::max(inside.ascent, capital_height * em);
        const RootSign sign =
            make_root(inside.width, ascent, inside.descent, em, style.level == Style::display, look_.color);
        FormulaBox box;
        float x = 0;
        if (node.children.size() > 1) {
            const FormulaBox degree = lay_out(node.children[1], {Style::small_script, true, style.is_below});
            const float raise = 0.55F * (sign.box.ascent + sign.box.descent) - sign.box.descent;
            x = std::max(0.0F, degree.width - 0.32F * sign.box.width);
            put(box, degree, x + 0.3F * sign.box.width - degree.width, -raise - degree.descent);
            box.ascent = raise + degree.descent + degree.ascent;
        }
        put(box, sign.box, x, 0);
        put(box, inside, x + sign.box.width + 0.02F * em, 0);
        box.width = x + sign.box.width + inside.width + 0.1F * em;
        box.ascent = std::max(box.ascent, sign.box.ascent + rule_thickness(em));
        box.descent = std::max(inside.descent, sign.box.descent);
        return box;
    }

    FormulaBox large_op(const FormulaNode& node, Style style) const {
        const float em = size(style);
        if (is_large_sign(node.text)) return make_large_sign(node.text, em, style.level == Style::display, look_.color);
        return words(node.text, Font::words, em, look_.color);
    }

    // Above and below, as in ∑ on a line of its own.
    FormulaBox limits(const FormulaNode& node, Style style) const {
        const float em = size(style);
        const FormulaBox base = lay_out(node.children[0], style);
        const FormulaBox below = lay_out(node.children[1], style.smaller().below());
        const FormulaBox above = lay_out(node.children[2], style.smaller());
        const float gap = 0.14F * em;
        FormulaBox box;
        box.width = std::max({base.width, below.width, above.width});
        put(box, base, (box.width - base.width) / 2, 0);
        box.ascent = base.ascent;
        box.descent = base.descent;
        if (!above.marks.empty()) {
            const float up = base.ascent + std::max(gap + above.descent, 0.2F * em);
            put(box, above, (box.width - above.width) / 2, -up);
            box.ascent = up + above.ascent;
        }
        if (!below.marks.empty()) {
            const float down = base.descent + gap + std::max(below.ascent, 0.42F * em);
            put(box, below, (box.width - below.width) / 2, down);
            box.descent = down + below.descent;
        }
        return box;
    }

    static bool is_primes(const FormulaNode& above) {
        return !above.children.empty() &&
               std::all_of(above.children.begin(), above.children.end(),
                           [](const FormulaNode& node) { return node.kind == Kind::symbol && node.text == "′"; });
    }

    FormulaBox scripts(const FormulaNode& node, Style style) const {
        const float em = size(style);
        const FormulaNode& nucleus = node.children[0];
        const FormulaBox base = lay_out(nucleus, style);
        const bool has_primes = is_primes(node.children[2]);
        const FormulaBox below = lay_out(node.children[1], style.smaller().below());
        const FormulaBox above = lay_out(node.children[2], has_primes ? style : style.smaller());
        const bool is_letter =
            nucleus.kind == Kind::symbol ||
            (nucleus.kind == Kind::row && nucleus.children.size() == 1 && nucleus.children[0].kind == Kind::symbol);
        const float small = size(style.smaller());
        // The TeXbook, appendix G, rule 18.
        float up = is_letter ? 0 : base.ascent - 0.386F * small;
        float down = is_letter ? 0 : base.descent + 0.05F * small;
        up = std::max({up, (style.is_cramped ? 0.36F : 0.42F) * em, above.descent + x_height * em / 4});
        const bool has_both = !above.marks.empty() && !below.marks.empty();
        down = std::max({down, (has_both ? 0.25F : 0.17F) * em, below.ascent - 0.8F * x_height * em});
        if (has_primes) up = std::max(0.0F, base.ascent - (is_letter ? capital_height : 0.6F) * em);
        if (has_both && !has_primes) {
            const float gap = (up - above.descent) - (below.ascent - down);
            const float wanted = 3 * rule_thickness(em);
            if (gap < wanted) down += wanted - gap;
        }
        FormulaBox box;
        put(box, base, 0, 0);
        const bool is_integral = nucleus.kind == Kind::large_op && nucleus.text == "∫";
        const float tight = is_integral ? 0.28F * em : 0;
        const float lean = is_letter && nucleus.face == Face::math ? 0.03F * em : 0;
        if (!above.marks.empty()) put(box, above, base.width + lean, -up);
        if (!below.marks.empty()) put(box, below, base.width - tight, down);
        const float wide =
            std::max(above.marks.empty() ? 0 : above.width + lean, below.marks.empty() ? 0 : below.width - tight);
        box.width = base.width + wide + 0.04F * em;
        box.ascent = std::max(base.ascent, above.marks.empty() ? 0 : up + above.ascent);
        box.descent = std::max(base.descent, below.marks.empty() ? 0 : down + below.descent);
        return box;
    }

    FormulaBox fenced(const FormulaNode& node, Style style) const {
        const float em = size(style);
        const FormulaBox inside = lay_out(node.children[0], style);
        const float axis = math_axis * em;
        // At least as tall as a bracket in the text, else nine tenths of what is inside, around the axis.
        const float half = std::max({0.4545F * em, 0.94F * std::max(inside.ascent - axis, inside.descent + axis),
                                     std::max(inside.ascent - axis, inside.descent + axis) - 0.12F * em});
        const bool is_small = half <= 0.52F * em;
        const auto fence = [&](const std::string& text) {
            if (is_small && (text == "(" || text == ")" || text == "[" || text == "]" || text == "{" || text == "}"))
                return words(text, Font::words, em, look_.color);
            return make_fence(text, half + axis, half - axis, em, look_.color);
        };
        const FormulaBox open = fence(node.open);
        const FormulaBox close = fence(node.close);
        FormulaBox box;
        put(box, open, 0, 0);
        put(box, inside, open.width, 0);
        put(box, close, open.width + inside.width, 0);
        box.width = open.width + inside.width + close.width;
        box.ascent = std::max({inside.ascent, open.ascent, close.ascent});
        box.descent = std::max({inside.descent, open.descent, close.descent});
        return box;
    }

    FormulaBox matrix(const FormulaNode& node, Style style) const {
        using Columns = FormulaNode::Columns;
        const float em = size(style);
        if (style.level == Style::display && node.columns != Columns::aligned) style.level = Style::text;
        const auto n_columns = static_cast<std::size_t>(std::max(1, node.n_columns));
        const std::size_t n_rows = node.children.size() / n_columns;
        std::vector<FormulaBox> cells;
        std::vector<float> widths(n_columns, 0);
        std::vector<float> ascents(n_rows, 0.7F * em);
        std::vector<float> descents(n_rows, 0.2F * em);
        for (std::size_t i = 0; i < n_rows * n_columns; ++i) {
            cells.push_back(lay_out(node.children[i], style));
            widths[i % n_columns] = std::max(widths[i % n_columns], cells[i].width);
            ascents[i / n_columns] = std::max(ascents[i / n_columns], cells[i].ascent);
            descents[i / n_columns] = std::max(descents[i / n_columns], cells[i].descent);
        }
        const float line_gap = 0.34F * em;
        float height = line_gap * static_cast<float>(n_rows > 0 ? n_rows - 1 : 0);
        for (std::size_t r = 0; r < n_rows; ++r) height += ascents[r] + descents[r];
        FormulaBox box;
        box.ascent = height / 2 + math_axis * em;
        box.descent = height - box.ascent;
        const float side = node.columns == Columns::aligned ? 0 : 0.12F * em;
        float y = -box.ascent;
        for (std::size_t r = 0; r < n_rows; ++r) {
            y += ascents[r];
            float x = side;
            for (std::size_t c = 0; c < n_columns; ++c) {
                const FormulaBox& cell = cells[r * n_columns + c];
                const float spare = widths[c] - cell.width;
                const bool is_right = node.columns == Columns::aligned && c % 2 == 0;
                put(box, cell, x + (is_right ? spare : node.columns == Columns::centered ? spare / 2 : 0), y);
                const bool joins = node.columns == Columns::aligned && c % 2 == 0;
                x += widths[c] + (c + 1 < n_columns ? (joins ? thick * em : 0.9F * em) : 0);
            }
            box.width = std::max(box.width, x + side);
            y += descents[r] + line_gap;
        }
        return box;
    }

    FormulaBox accent(const FormulaNode& node, Style style) const {
        const float em = size(style);
        const FormulaBox inside = lay_out(node.children[0], style.cramped());
        const FormulaBox mark = make_accent(node.text, inside.width, em, look_.color);
        FormulaBox box = inside;
        const FormulaNode* base = node.children.data();
        while (base->kind == Kind::row && base->children.size() == 1) base = base->children.data();
        const bool leans =
            base->kind == Kind::symbol && base->face == Face::math && node.text != "line" && node.text != "under";
        const float x = inside.width / 2 + (leans ? italic_slope * (inside.ascent - 0.2F * em) : 0);
        const float gap = 0.08F * em;
        if (node.text == "under") {
            put(box, mark, x, inside.descent + gap + mark.ascent);
            box.descent = inside.descent + gap + mark.ascent;
        } else {
            const float up = std::max(inside.ascent, x_height * em) + gap;
            put(box, mark, x, -up);
            box.ascent = up + mark.ascent;
        }
        return box;
    }

    const FormulaLook& look_;
    const TextMeasure& measure_;
    const Palette& colors_;
};

}  // namespace

FormulaBox lay_out_formula(const FormulaNode& node, const FormulaLook& look, const TextMeasure& measure) {
    Style style;
    style.level = look.is_display ? Style::display : Style::text;
    return Layout(look, measure).lay_out(node, style);
}

}  // namespace heed
