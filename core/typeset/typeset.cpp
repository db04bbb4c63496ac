#include "core/typeset/typeset.h"

#include "core/typeset/formula.h"
#include "core/typeset/line_breaking.h"
#include "core/typeset/markdown.h"
#include "core/typeset/role_words.h"
#include "core/typeset/typed_symbols.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace heed {

namespace {

// In sizes of the text.
constexpr float list_indent = 1.6F;
constexpr float marker_gap = 0.4F;  // between a list's marker and its item
constexpr float quote_indent = 1.0F;
constexpr float code_size = 0.92F;
constexpr float cell_gap = 1.2F;         // between the columns of a table
constexpr float display_gap = 0.35F;     // above and below a formula on a line of its own, beyond the line spacing
constexpr float line_clearance = 0.2F;   // between the ink of two lines, at least
constexpr float smallest_shrink = 0.6F;  // a formula wider than the line is set smaller, down to this

float heading_scale(int level) { return level <= 1 ? 1.3F : level == 2 ? 1.15F : 1.0F; }

class Typesetter {
public:
    Typesetter(const Markdown& text, const TypesetStyle& style, float width, const TextMeasure& measure)
        : text_(text), style_(style), width_(width), measure_(measure), colors_(palette(style.theme)) {
        out_.links = style.links ? text.links : std::vector<std::string>();
        parts_.resize(out_.links.size());
        out_.figure.width = width;
        out_.figure.theme = style.theme;
    }

    TypesetText run() {
        for (std::size_t i = 0; i < text_.blocks.size(); ++i) {
            const MarkdownBlock& block = text_.blocks[i];
            if (i > 0) y_ += style_.size * (block.is_tight ? 0.15F : style_.paragraph_gap);
            if (i > 0 && block.kind == MarkdownBlock::Kind::heading) y_ += style_.size * 0.4F;
            if (i > 0) out_.breaks.push_back(y_);
            place_block(block);
        }
        out_.figure.height = std::ceil(y_);
        out_.breaks.push_back(out_.figure.height);
        return std::move(out_);
    }

    // Nothing where it cannot be set; the reason is then among the problems.
    std::optional<FormulaBox> formula(const std::string& tex, float size, bool is_display, Color color,
                                      float most_width) {
        const bool in_text = color == colors_.text;  // a link has one colour
        const Result<FormulaNode> node = parse_formula(tex);
        if (!node) {
            out_.problems.push_back(node.error());
            return std::nullopt;
        }
        FormulaLook look{size, style_.theme, color, style_.colored_roles && in_text, is_display};
        FormulaBox box = lay_out_formula(*node, look, measure_);
        if (box.width > most_width && box.width > 0) {
            look.size = size * std::max(smallest_shrink, most_width / box.width * 0.995F);
            box = lay_out_formula(*node, look, measure_);
        }
        return box;
    }

private:
    // Words that stand for a formula, wherever they may be broken.
    PieceMaker::Look look_of_source(float size) const {
        PieceMaker::Look look;
        look.style = {size * code_size, Font::mono, colors_.warning};
        return look;
    }

    void place_block(const MarkdownBlock& block) {
        const float left = style_.size * (quote_indent * static_cast<float>(block.quotes) +
                                          list_indent * static_cast<float>(block.lists));
        const float top = y_;
        // A long number pushes its item to the right.
        const float marker = block.marker.empty()
                                 ? 0
                                 : measure_.width(block.marker, style_.size, Font::words) + marker_gap * style_.size;
        const float parent = left - list_indent * style_.size;
        // A narrow column with deep lists still has room for a few characters.
        left_ = std::max(std::min(left, std::max(0.0F, width_ - 6 * style_.size)),
                         block.marker.empty() ? 0 : std::min(parent, width_ / 2) + marker);
        switch (block.kind) {
            case MarkdownBlock::Kind::rule:
                y_ += style_.size * 0.5F;
                out_.figure.marks.emplace_back(LineMark{{{left_, y_}, {width_, y_}}, colors_.hairline});
                y_ += style_.size * 0.5F;
                break;
            case MarkdownBlock::Kind::code:
                place_code(block);
                break;
            case MarkdownBlock::Kind::table:
                place_table(block);
                break;
            default:
                place_paragraph(block);
        }
        for (int i = 0; i < block.quotes; ++i) {
            const float x = style_.size * quote_indent * (static_cast<float>(i) + 0.3F);
            if (x < left_) out_.figure.marks.emplace_back(LineMark{{{x, top}, {x, y_}}, colors_.track, 2});
        }
    }

    void place_paragraph(const MarkdownBlock& block) {
        const bool is_heading = block.kind == MarkdownBlock::Kind::heading;
        const float size = style_.size * (is_heading ? heading_scale(block.level) : 1);
        const float room = width_ - left_;
        PieceMaker maker(measure_, room);
        const float top = y_;
        bool is_first = true;
        const auto flush = [&] {
            const std::vector<Piece> pieces = maker.take();
            if (!pieces.empty()) place_lines(pieces, size, room, is_first ? block.marker : "");
            if (!pieces.empty()) is_first = false;
        };
        for (const MarkdownInline& part : block.inlines) {
            if (part.kind == MarkdownInline::Kind::display_formula) {
                flush();
                if (const auto box = formula(part.text, size, true, colors_.text, room))
                    place_display(*box, room);
                else
                    maker.add_text("$$" + part.text + "$$", look_of_source(size));
                continue;
            }
            add(maker, part, size, is_heading, room);
        }
        flush();
        if (is_first && !block.marker.empty()) place_marker(block.marker, size, top + base_in_line(size));
        if (is_first && y_ == top) y_ += style_.line_spacing * size;
    }

    void add(PieceMaker& maker, const MarkdownInline& part, float size, bool is_heading, float room) {
        PieceMaker::Look look;
        const bool is_link = part.link >= 0 && style_.links;
        look.link = is_link ? part.link : -1;
        look.is_code = part.code;
        look.style.size = part.code ? size * code_size : size;
        look.style.font = part.code                 ? Font::mono
                          : part.bold || is_heading ? Font::bold
                          : part.italic             ? Font::italic
                                                    : Font::words;
        look.style.color = is_link ? colors_.accent : colors_.text;
        if (part.kind == MarkdownInline::Kind::line_break) {
            maker.break_line();
        } else if (part.kind == MarkdownInline::Kind::formula) {
            look.style.size = size;
            if (auto box = formula(part.text, size, false, look.style.color, room))
                maker.add_formula(std::move(*box), look);
            else
                maker.add_text("$" + part.text + "$", look_of_source(size));
        } else if (part.code) {
            maker.add_text(part.text, look);
        } else {
            for (const TypedSpan& span : typed_symbols(part.text)) {
                if (span.tex.empty())
                    add_words(maker, span.text, look, is_link || part.plain);
                else if (auto box = formula(span.tex, size, false, look.style.color, room))
                    maker.add_formula(std::move(*box), look);
            }
        }
    }

    void add_words(PieceMaker& maker, std::string_view text, const PieceMaker::Look& look, bool is_plain) {
        if (is_plain || !style_.colored_roles) return maker.add_text(text, look);
        for (const RoleSpan& span : role_spans(text)) {
            PieceMaker::Look in_role = look;
            if (span.role != Role::none) {
                in_role.style.color = role_color(colors_, span.role, look.style.color);
                if (look.style.font == Font::words) in_role.style.font = Font::bold;
            }
            maker.add_text(span.text, in_role);
        }
    }

    // Where the base line of a line without formulas lies below its top.
    float base_in_line(float size) const { return (style_.line_spacing * size + 0.6F * size) / 2; }

    void place_lines(const std::vector<Piece>& pieces, float size, float room, const std::string& marker) {
        bool is_first = true;
        for (const SetLine& line : break_lines(pieces, room)) {
            const float height = style_.line_spacing * size;
            const float above = std::max(base_in_line(size), line.ascent + line_clearance * size / 2);
            const float below = std::max(height - base_in_line(size), line.descent + line_clearance * size / 2);
            const float base = y_ + above;
            if (is_first && !marker.empty()) place_marker(marker, size, base);
            if (!is_first) out_.breaks.push_back(y_);
            place_line(pieces, line, left_, base);
            y_ += above + below;
            is_first = false;
        }
    }

    void place_marker(const std::string& marker, float size, float base) {
        TextMark mark{marker, {left_ - marker_gap * size, base}, {size, Font::words, colors_.dim}, AlignX::right};
        mark.plain = true;
        out_.figure.marks.emplace_back(std::move(mark));
    }

    void place_line(const std::vector<Piece>& pieces, const SetLine& line, float x, float base) {
        for (std::size_t i = line.first; i < line.end;) {
            const Piece& piece = pieces[i];
            if (i > line.first) x += piece.space_before;
            if (piece.formula != nullptr) {
                put(*piece.formula, x, base);
                cover_link(piece, x, base, piece.width);
                x += piece.width;
                ++i;
                continue;
            }
            // Neighbours of one look are one text.
            std::string words = piece.text;
            float width = piece.width;
            std::size_t end = i + 1;
            for (; end < line.end; ++end) {
                const Piece& next = pieces[end];
                const bool is_joined = next.space_before == 0 || next.is_word_space;
                if (next.formula != nullptr || !(next.style == piece.style) || next.link != piece.link ||
                    next.is_code != piece.is_code || !is_joined)
                    break;
                if (next.is_word_space) words += ' ';
                words += next.text;
                width += next.space_before + next.width;
            }
            if (piece.is_code) put_code_ground(x, base, width, piece.style.size);
            TextMark mark{words, {x, base}, piece.style};
            mark.plain = true;
            out_.figure.marks.emplace_back(std::move(mark));
            cover_link(piece, x, base, width);
            x += width;
            i = end;
        }
    }

    void put_code_ground(float x, float base, float width, float size) {
        BoxMark ground;
        ground.area = {x - 0.12F * size, base - 0.95F * size, width + 0.24F * size, 1.25F * size};
        ground.fill = colors_.field;
        ground.radius = 3;
        out_.figure.marks.insert(out_.figure.marks.end(), ground);
    }

    // A line under it, and a target over it that joins the one beside it.
    void cover_link(const Piece& piece, float x, float base, float width) {
        if (piece.link < 0) return;
        const float size = piece.style.size;
        const float under = base + 0.17F * size;
        out_.figure.marks.emplace_back(
            LineMark{{{x, under}, {x + width, under}}, colors_.accent, std::max(1.0F, size / 15)});
        const Rect area{x, base - piece.ascent, width, piece.ascent + piece.descent};
        auto& parts = parts_[static_cast<std::size_t>(piece.link)];
        if (parts.n > 0 && parts.base == base) {
            Target& last = out_.figure.targets[parts.last];
            LineMark gap{{{last.area.right(), under}, {x, under}}, colors_.accent, std::max(1.0F, size / 15)};
            if (x > last.area.right()) out_.figure.marks.emplace_back(std::move(gap));
            const float top = std::min(last.area.y, area.y);
            last.area = {last.area.x, top, area.right() - last.area.x,
                         std::max(last.area.bottom(), area.bottom()) - top};
            return;
        }
        Target target;
        target.id = TargetId("link", piece.link);
        if (parts.n > 0) target.id.part = "part " + std::to_string(parts.n + 1);
        target.area = area;
        parts = {parts.n + 1, out_.figure.targets.size(), base};
        out_.figure.targets.push_back(std::move(target));
    }

    void put(const FormulaBox& box, float x, float base) {
        Figure part;
        part.marks = box.marks;
        out_.figure.place(std::move(part), x, base);
    }

    void place_display(const FormulaBox& box, float room) {
        if (y_ > 0) out_.breaks.push_back(y_);
        const float gap = display_gap * style_.size;
        const float above = std::max(box.ascent, text_ascent(style_.size)) + gap;
        const float below = std::max(box.descent, text_descent(style_.size)) + gap;
        put(box, left_ + std::max(0.0F, (room - box.width) / 2), y_ + above);
        y_ += above + below;
    }

    void place_code(const MarkdownBlock& block) {
        const float size = style_.size * code_size;
        const float inset = 0.6F * style_.size;
        const std::string code = block.inlines.empty() ? "" : block.inlines.front().text;
        const std::size_t ground = out_.figure.marks.size();
        out_.figure.marks.emplace_back(BoxMark{});
        const float top = y_;
        y_ += inset;
        const float room = width_ - left_ - 2 * inset;
        for (std::size_t start = 0; start < code.size();) {
            std::size_t end = code.find('\n', start);
            end = end == std::string::npos ? code.size() : end;
            place_code_line(code.substr(start, end - start), size, left_ + inset, room);
            start = end + 1;
        }
        y_ += inset;
        BoxMark box;
        box.area = {left_, top, width_ - left_, y_ - top};
        box.fill = colors_.field;
        box.radius = 4;
        out_.figure.marks[ground] = box;
    }

    // Spaces stay; what is wider than the room goes on below.
    void place_code_line(std::string_view line, float size, float x, float room) {
        do {
            std::size_t end = line.size();
            while (end > 1 && measure_.width(line.substr(0, end), size, Font::mono) > room) {
                // At least half too wide: no need to try every character.
                end = measure_.width(line.substr(0, end), size, Font::mono) > 2 * room ? end / 2 : end - 1;
                while (end > 1 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
            }
            TextMark mark{std::string(line.substr(0, end)), {x, y_ + 1.05F * size}, {size, Font::mono, colors_.text}};
            mark.plain = true;
            if (!mark.text.empty()) out_.figure.marks.emplace_back(std::move(mark));
            y_ += 1.45F * size;
            line.remove_prefix(end);
        } while (!line.empty());
    }

    struct Cell {
        std::vector<Piece> pieces;
        float width = 0;  // in one line
    };

    void place_table(const MarkdownBlock& block) {
        std::size_t n_columns = 0;
        for (const auto& row : block.rows) n_columns = std::max(n_columns, row.size());
        n_columns = std::min<std::size_t>(n_columns, 24);
        if (n_columns == 0) return;
        const float gap = cell_gap * style_.size;
        const float room = width_ - left_;
        const float share =
            std::max(style_.size, (room - gap * static_cast<float>(n_columns - 1)) / static_cast<float>(n_columns));
        std::vector<std::vector<Cell>> cells(block.rows.size(), std::vector<Cell>(n_columns));
        std::vector<float> widths(n_columns, style_.size);
        for (std::size_t r = 0; r < block.rows.size(); ++r)
            for (std::size_t c = 0; c < std::min(n_columns, block.rows[r].size()); ++c) {
                PieceMaker maker(measure_, share);
                for (const MarkdownInline& part : block.rows[r][c])
                    add(maker, part, style_.size, r < static_cast<std::size_t>(block.n_head_rows), share);
                cells[r][c].pieces = maker.take();
                for (const SetLine& line : break_lines(cells[r][c].pieces, 1e9F))
                    cells[r][c].width = std::max(cells[r][c].width, line.width);
                widths[c] = std::max(widths[c], cells[r][c].width);
            }
        fit(widths, room - gap * static_cast<float>(n_columns - 1), share);
        for (std::size_t r = 0; r < cells.size(); ++r) {
            if (r > 0) out_.breaks.push_back(y_);
            place_row(cells[r], widths, gap);
            if (r + 1 == static_cast<std::size_t>(block.n_head_rows))
                out_.figure.marks.emplace_back(LineMark{{{left_, y_}, {width_, y_}}, colors_.hairline});
        }
    }

    // Columns wider than their share give way, in proportion, until all fit.
    static void fit(std::vector<float>& widths, float room, float share) {
        float total = 0;
        float wide = 0;
        for (const float width : widths) {
            total += width;
            wide += std::max(0.0F, width - share);
        }
        if (total <= room || wide <= 0) return;
        const float keep = std::max(0.0F, 1 - (total - room) / wide);
        for (float& width : widths) width = width > share ? share + (width - share) * keep : width;
    }

    void place_row(const std::vector<Cell>& cells, const std::vector<float>& widths, float gap) {
        const float top = y_;
        float bottom = y_ + style_.line_spacing * style_.size;
        const float left = left_;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            y_ = top;
            if (!cells[c].pieces.empty()) {
                const std::size_t n_breaks = out_.breaks.size();
                place_lines(cells[c].pieces, style_.size, widths[c], "");
                out_.breaks.resize(n_breaks);  // a row stays on one page
            }
            bottom = std::max(bottom, y_);
            left_ += widths[c] + gap;
        }
        left_ = left;
        y_ = bottom;
    }

    struct LinkParts {
        int n = 0;
        std::size_t last = 0;  // target
        float base = 0;
    };

    const Markdown& text_;
    TypesetStyle style_;
    float width_;
    const TextMeasure& measure_;
    const Palette& colors_;
    TypesetText out_;
    std::vector<LinkParts> parts_;
    float y_ = 0;
    float left_ = 0;
};

TypesetStyle safe(TypesetStyle style) {
    const auto within = [](float value, float low, float high) {
        return std::isfinite(value) ? std::clamp(value, low, high) : low;
    };
    style.size = within(style.size, 4, 400);
    style.line_spacing = within(style.line_spacing, 1, 4);
    style.paragraph_gap = within(style.paragraph_gap, 0, 4);
    return style;
}

}  // namespace

TypesetText typeset(std::string_view markdown, const TypesetStyle& style, float width, const TextMeasure& measure) {
    const TypesetStyle sound = safe(style);
    const Markdown text = read_markdown(markdown);
    return Typesetter(text, sound, std::isfinite(width) ? std::max(width, 2 * sound.size) : 2 * sound.size, measure)
        .run();
}

TypesetText typeset_formula(std::string_view tex, const TypesetStyle& style, bool is_display,
                            const TextMeasure& measure) {
    const TypesetStyle sound = safe(style);
    const Markdown none;
    Typesetter setter(none, sound, 1, measure);
    const auto set = setter.formula(std::string(tex), sound.size, is_display, palette(sound.theme).text, 1e9F);
    if (!set) return typeset("`" + std::string(tex) + "`", sound, 60 * sound.size, measure);
    const FormulaBox& box = *set;
    TypesetText out = setter.run();
    out.figure.marks.clear();
    Figure part;
    part.marks = box.marks;
    out.figure.place(std::move(part), 0, box.ascent);
    out.figure.width = std::max(1.0F, box.width);
    out.figure.height = std::max(1.0F, box.ascent + box.descent);
    out.breaks = {out.figure.height};
    return out;
}

}  // namespace heed
