#include "core/typeset/markdown.h"

#include "core/typeset/characters.h"

#include <md4c.h>

#include <algorithm>
#include <utility>

namespace heed {

namespace {

// What is put aside is stood for by a private character, the n-th of plane 15. Such characters in the text itself are dropped.
constexpr char32_t first_aside = 0xF0000;
constexpr std::size_t most_aside = 0x8000;
constexpr char32_t nothing = 0xFFF00;  // a letter to md4c, and not drawn

std::string utf8(char32_t c) {
    return {static_cast<char>(0xF0U | (c >> 18U)), static_cast<char>(0x80U | ((c >> 12U) & 0x3FU)),
            static_cast<char>(0x80U | ((c >> 6U) & 0x3FU)), static_cast<char>(0x80U | (c & 0x3FU))};
}

struct Aside {
    enum class Kind { formula, display_formula, destination };
    Kind kind;
    std::string written;  // with its dollar signs
    std::string inside;
};

class PutAside {
public:
    explicit PutAside(std::string_view text) : text_(text) {
        while (at_ < text_.size()) step();
    }
    std::string text() const { return out_; }
    const std::vector<Aside>& asides() const { return asides_; }

private:
    void step() {
        const char c = text_[at_];
        if (c == '\\' && at_ + 1 < text_.size()) {
            out_ += text_.substr(at_, 2);
            at_ += 2;
            return;
        }
        const bool is_put =
            asides_.size() < most_aside && ((c == '$' && put_formula_aside()) || (c == ']' && put_destination_aside()));
        if (!is_put) copy_character();
    }

    void add(Aside::Kind kind, std::string_view written, std::string_view inside) {
        out_ += utf8(first_aside + static_cast<char32_t>(asides_.size()));
        asides_.push_back({kind, std::string(written), std::string(inside)});
    }

    // As Pandoc reads them: no space inside next to a single dollar sign, no digit after it, no blank line within.
    bool put_formula_aside() {
        const bool is_display = text_.substr(at_).starts_with("$$");
        const std::size_t start = at_ + (is_display ? 2 : 1);
        if (start >= text_.size() || (!is_display && is_space(static_cast<unsigned char>(text_[start])))) return false;
        for (std::size_t end = start; end < text_.size(); ++end) {
            if (text_[end] == '\\') {
                ++end;
                continue;
            }
            if (text_[end] == '\n' && text_.find_first_not_of(" \t\r>", end + 1) < text_.size() &&
                text_[text_.find_first_not_of(" \t\r>", end + 1)] == '\n')
                return false;
            if (text_[end] != '$') continue;
            if (is_display ? !text_.substr(end).starts_with("$$") : end == start) {
                if (is_display) continue;
                return false;
            }
            if (!is_display && (is_space(static_cast<unsigned char>(text_[end - 1])) ||
                                (end + 1 < text_.size() && text_[end + 1] >= '0' && text_[end + 1] <= '9')))
                continue;
            const std::size_t after = end + (is_display ? 2 : 1);
            add(is_display ? Aside::Kind::display_formula : Aside::Kind::formula, text_.substr(at_, after - at_),
                text_.substr(start, end - start));
            at_ = after;
            return true;
        }
        return false;
    }

    bool put_destination_aside() {
        if (!text_.substr(at_).starts_with("](") || at_ + 2 >= text_.size() || text_[at_ + 2] == '<') return false;
        int depth = 1;
        for (std::size_t end = at_ + 2; end < text_.size() && text_[end] != '\n'; ++end) {
            if (text_[end] == '(') ++depth;
            if (text_[end] != ')' || --depth > 0) continue;
            const std::string_view destination = text_.substr(at_ + 2, end - at_ - 2);
            if (destination.empty()) return false;
            out_ += "](";
            add(Aside::Kind::destination, destination, destination);
            out_ += ')';
            at_ = end + 1;
            return true;
        }
        return false;
    }

    // Chinese punctuation beside an asterisk would keep it from opening or closing: a letter goes between.
    void copy_character() {
        const std::size_t start = at_;
        const char32_t c = next_character(text_, at_);
        if (c >= 0xF0000 || c == 0) return;
        if (c == 0xFFFD) {
            out_ += "\xEF\xBF\xBD";
            return;
        }
        const bool is_mark = c > 0x7F && !is_letter_or_digit(c) && (!may_start_line(c) || !may_end_line(c));
        if (is_mark && out_.ends_with('*')) out_ += utf8(nothing);
        out_ += text_.substr(start, at_ - start);
        if (is_mark && at_ < text_.size() && text_[at_] == '*') out_ += utf8(nothing);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
    std::vector<Aside> asides_;
};

class Reader {
public:
    explicit Reader(const std::vector<Aside>& asides) : asides_(asides) {}

    void enter(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                ++quotes_;
                break;
            case MD_BLOCK_UL:
                lists_.push_back({-1, static_cast<MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0});
                break;
            case MD_BLOCK_OL:
                lists_.push_back(
                    {static_cast<int>(std::min(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start, 1'000'000U)),
                     static_cast<MD_BLOCK_OL_DETAIL*>(detail)->is_tight != 0});
                break;
            case MD_BLOCK_LI:
                finish();
                marker_ = lists_.back().number < 0 ? "•" : std::to_string(lists_.back().number++) + ".";
                break;
            case MD_BLOCK_HR:
                start(MarkdownBlock::Kind::rule);
                finish();
                break;
            case MD_BLOCK_H:
                start(MarkdownBlock::Kind::heading);
                open_.level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
                break;
            case MD_BLOCK_CODE:
                start(MarkdownBlock::Kind::code);
                break;
            case MD_BLOCK_P:
                start(MarkdownBlock::Kind::paragraph);
                break;
            case MD_BLOCK_TABLE:
                start(MarkdownBlock::Kind::table);
                break;
            case MD_BLOCK_TR:
                open_.rows.emplace_back();
                break;
            case MD_BLOCK_TH:
                open_.n_head_rows = static_cast<int>(open_.rows.size());
                [[fallthrough]];
            case MD_BLOCK_TD:
                if (open_.rows.empty()) open_.rows.emplace_back();
                open_.rows.back().emplace_back();
                break;
            default:
                break;
        }
    }

    void leave(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                finish();
                --quotes_;
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
                finish();
                lists_.pop_back();
                break;
            case MD_BLOCK_LI:
                if (!marker_.empty()) start(MarkdownBlock::Kind::paragraph);  // an item without words
                finish();
                break;
            case MD_BLOCK_H:
            case MD_BLOCK_CODE:
            case MD_BLOCK_P:
            case MD_BLOCK_TABLE:
                finish();
                break;
            default:
                break;
        }
    }

    void enter_span(MD_SPANTYPE type, void* detail) {
        bold_ += type == MD_SPAN_STRONG ? 1 : 0;
        italic_ += type == MD_SPAN_EM ? 1 : 0;
        code_ += type == MD_SPAN_CODE ? 1 : 0;
        if (type != MD_SPAN_A) return;
        const MD_ATTRIBUTE& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
        const std::string destination = written(std::string_view(href.text == nullptr ? "" : href.text, href.size));
        if (destination == "plain") {
            is_plain_ = true;
        } else {
            link_ = static_cast<int>(out_.links.size());
            out_.links.push_back(destination);
        }
    }

    void leave_span(MD_SPANTYPE type) {
        bold_ -= type == MD_SPAN_STRONG ? 1 : 0;
        italic_ -= type == MD_SPAN_EM ? 1 : 0;
        code_ -= type == MD_SPAN_CODE ? 1 : 0;
        if (type != MD_SPAN_A) return;
        link_ = -1;
        is_plain_ = false;
    }

    void text(MD_TEXTTYPE type, std::string_view words) {
        if (!is_open_) start(MarkdownBlock::Kind::paragraph);  // in a list without blank lines
        if (type == MD_TEXT_NULLCHAR) return;
        if (type == MD_TEXT_BR) {
            push(MarkdownInline::Kind::line_break, "");
        } else if (type == MD_TEXT_SOFTBR) {
            push(MarkdownInline::Kind::text, " ");
        } else if (open_.kind == MarkdownBlock::Kind::code || code_ > 0) {
            push(MarkdownInline::Kind::text, written(words));
        } else {
            const std::string entity = type == MD_TEXT_ENTITY ? plain_entity(words) : "";
            split(entity.empty() ? words : std::string_view(entity));
        }
    }

    Markdown result() {
        finish();
        return std::move(out_);
    }

private:
    struct List {
        int number;  // of the next item; −1: bullets
        bool is_tight;
    };

    void start(MarkdownBlock::Kind kind) {
        finish();
        open_ = {};
        open_.kind = kind;
        open_.quotes = std::min(quotes_, deepest_markdown);
        open_.lists = std::min(static_cast<int>(lists_.size()), deepest_markdown);
        open_.is_tight =
            !lists_.empty() && lists_.back().is_tight && !out_.blocks.empty() && out_.blocks.back().lists > 0;
        open_.marker = std::exchange(marker_, "");
        is_open_ = true;
    }

    void finish() {
        if (is_open_) out_.blocks.push_back(std::move(open_));
        is_open_ = false;
    }

    static std::string plain_entity(std::string_view entity) {
        if (entity == "&amp;") return "&";
        if (entity == "&lt;") return "<";
        if (entity == "&gt;") return ">";
        if (entity == "&quot;") return "\"";
        if (entity == "&nbsp;") return "\u00A0";
        return "";
    }

    // With everything that was put aside back in its place.
    std::string written(std::string_view words) const {
        std::string out;
        for (std::size_t at = 0; at < words.size();) {
            const std::size_t start = at;
            const char32_t c = next_character(words, at);
            if (const Aside* aside = find(c))
                out += aside->written;
            else if (c != nothing)
                out += words.substr(start, at - start);
        }
        return out;
    }

    const Aside* find(char32_t c) const {
        return c >= first_aside && c < first_aside + asides_.size() ? &asides_[c - first_aside] : nullptr;
    }

    void split(std::string_view words) {
        std::string plain;
        for (std::size_t at = 0; at < words.size();) {
            const std::size_t start = at;
            const char32_t c = next_character(words, at);
            const Aside* aside = find(c);
            if (aside == nullptr) {
                if (c != nothing) plain += words.substr(start, at - start);
            } else if (aside->kind == Aside::Kind::destination) {
                plain += aside->written;
            } else {
                push(MarkdownInline::Kind::text, std::exchange(plain, ""));
                push(aside->kind == Aside::Kind::formula ? MarkdownInline::Kind::formula
                                                         : MarkdownInline::Kind::display_formula,
                     aside->inside);
            }
        }
        push(MarkdownInline::Kind::text, std::move(plain));
    }

    void push(MarkdownInline::Kind kind, std::string words) {
        if (words.empty() && kind == MarkdownInline::Kind::text) return;
        std::vector<MarkdownInline>* into = &open_.inlines;
        if (open_.kind == MarkdownBlock::Kind::table) {
            if (open_.rows.empty() || open_.rows.back().empty()) return;
            into = &open_.rows.back().back();
        }
        MarkdownInline next{kind, std::move(words), bold_ > 0, italic_ > 0, code_ > 0, is_plain_, link_};
        if (!into->empty() && kind == MarkdownInline::Kind::text) {
            MarkdownInline& last = into->back();
            if (last.kind == kind && last.bold == next.bold && last.italic == next.italic && last.code == next.code &&
                last.plain == next.plain && last.link == next.link) {
                last.text += next.text;
                return;
            }
        }
        into->push_back(std::move(next));
    }

    const std::vector<Aside>& asides_;
    Markdown out_;
    MarkdownBlock open_;
    bool is_open_ = false;
    std::string marker_;
    std::vector<List> lists_;
    int quotes_ = 0, bold_ = 0, italic_ = 0, code_ = 0, link_ = -1;
    bool is_plain_ = false;
};

}  // namespace

Markdown read_markdown(std::string_view text) {
    std::string whole(text.substr(0, longest_markdown));
    if (text.size() > longest_markdown) {
        while (!whole.empty() && (static_cast<unsigned char>(whole.back()) & 0xC0U) == 0x80U) whole.pop_back();
        if (!whole.empty() && static_cast<unsigned char>(whole.back()) >= 0xC0) whole.pop_back();
        whole += "…";
    }
    const PutAside prepared(whole);
    const std::string given = prepared.text();
    Reader reader(prepared.asides());
    MD_PARSER parser{};
    parser.flags = MD_FLAG_NOHTML | MD_FLAG_TABLES;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* to) {
        return static_cast<Reader*>(to)->enter(type, detail), 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* to) { return static_cast<Reader*>(to)->leave(type), 0; };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* to) {
        return static_cast<Reader*>(to)->enter_span(type, detail), 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* to) { return static_cast<Reader*>(to)->leave_span(type), 0; };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* words, MD_SIZE size, void* to) {
        return static_cast<Reader*>(to)->text(type, std::string_view(words, size)), 0;
    };
    md_parse(given.data(), static_cast<MD_SIZE>(given.size()), &parser, &reader);
    return reader.result();
}

}  // namespace heed
