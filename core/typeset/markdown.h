// Markdown as blocks of words, read by md4c. Formulas between dollar signs and the destinations of links, which in lessons have
// spaces in them, are put aside before md4c looks at the text, and come back as they were written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct MarkdownInline {
    enum class Kind { text, formula, display_formula, line_break };
    Kind kind = Kind::text;
    std::string text;  // or the formula without its dollar signs
    bool bold = false;
    bool italic = false;
    bool code = false;
    bool plain = false;  // keeps the colour of the text: [value](plain)
    int link = -1;       // in Markdown::links
};

struct MarkdownBlock {
    enum class Kind { paragraph, heading, code, rule, table };
    Kind kind = Kind::paragraph;
    int level = 0;                        // heading: 1 to 6
    int quotes = 0;                       // how many block quotes it lies in
    int lists = 0;                        // how many lists
    std::string marker;                   // of the first block of a list's item: "•", "2."
    bool is_tight = false;                // no gap to the block before: items of a list without blank lines
    std::vector<MarkdownInline> inlines;  // code: one, with its line ends
    std::vector<std::vector<std::vector<MarkdownInline>>> rows;  // table: rows of cells
    int n_head_rows = 0;
};

struct Markdown {
    std::vector<MarkdownBlock> blocks;
    std::vector<std::string> links;
};

inline constexpr std::size_t longest_markdown = 60'000;  // bytes; what is longer ends in "…"
inline constexpr int deepest_markdown = 6;  // quotes or lists inside one another; deeper ones are not indented further

Markdown read_markdown(std::string_view text);

}  // namespace heed
