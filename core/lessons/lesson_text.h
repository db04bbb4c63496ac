// The Markdown of lessons: walking through it past formulas and code, filling in numbers, finding links.
#pragma once

#include "core/lessons/expression.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Text with its {expressions} evaluated and its link destinations in angle brackets, [words](<set: model.d_k=256>), as Markdown
// asks for those with spaces. Inside $…$ and $$…$$ braces are TeX, and an expression is {=…}. What cannot be computed is "—".
// `faults`: a sentence for each that failed, with the line of the text, from 0, that it stands on.
struct TextFault {
    int line = 0;
    std::string sentence;
};
std::string filled_text(std::string_view text, const Moment& moment, const Allowed& allowed, Language language,
                        std::vector<TextFault>* faults = nullptr);

// The destinations of a text's links, as written, each with its line from 0.
struct TextLink {
    std::string destination;
    int line = 0;
};
std::vector<TextLink> links_in(std::string_view text);

// The destination of words that keep their plain colour: [value](plain). It is no action.
inline constexpr std::string_view plain_link = "plain";

// Words that stand for themselves in Markdown.
std::string escaped_markdown(std::string_view text);

// A value as texts show it. format: "" digits that matter, "2" as many decimals, "%" a percentage, "%1" one with a decimal, "bytes".
Result<std::string> value_text(const LessonValue& value, std::string_view format);

}  // namespace heed
