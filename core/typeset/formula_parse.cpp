#include "core/typeset/characters.h"
#include "core/typeset/formula.h"
#include "core/typeset/formula_symbols.h"

#include <optional>

namespace heed {

namespace {

using Kind = FormulaNode::Kind;
using Face = FormulaNode::Face;

constexpr int deepest = 24;
constexpr std::size_t longest = 20'000;  // bytes
constexpr int most_nodes = 4000;

bool is_latin_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

FormulaNode row_of(FormulaList children) {
    FormulaNode row;
    row.children = std::move(children);
    return row;
}

FormulaNode symbol(std::string_view text, AtomClass atom, Face face) {
    FormulaNode node;
    node.kind = Kind::symbol;
    node.text = text == "-" ? "−" : std::string(text);
    node.atom = atom;
    node.face = face;
    return node;
}

// Thrown inside the parser alone: nested functions give up together.
struct Refusal {
    std::string sentence;
};

class Parser {
public:
    explicit Parser(std::string_view tex) : tex_(tex) {}

    FormulaNode whole() {
        FormulaNode row = row_of(list());
        skip_spaces();
        if (at_ < tex_.size()) refuse("there is a " + peek() + " too many");
        if (row.children.empty()) refuse("it is empty");
        return row;
    }

private:
    [[noreturn]] static void refuse(const std::string& why) { throw Refusal{why}; }

    void skip_spaces() {
        while (at_ < tex_.size() && is_space(static_cast<unsigned char>(tex_[at_]))) ++at_;
    }

    // The next character or \command, without moving on; empty at the end.
    std::string peek() {
        const std::size_t before = at_;
        std::string token = next();
        at_ = before;
        return token;
    }

    std::string next() {
        skip_spaces();
        if (at_ >= tex_.size()) return "";
        const std::size_t start = at_;
        if (tex_[at_] != '\\') {
            next_character(tex_, at_);
            return std::string(tex_.substr(start, at_ - start));
        }
        ++at_;
        if (at_ >= tex_.size()) refuse("it ends in a \\");
        if (!is_latin_letter(tex_[at_])) {
            next_character(tex_, at_);
        } else {
            while (at_ < tex_.size() && is_latin_letter(tex_[at_])) ++at_;
        }
        return std::string(tex_.substr(start, at_ - start));
    }

    bool take(std::string_view token) {
        const std::size_t before = at_;
        if (next() == token) return true;
        at_ = before;
        return false;
    }

    static bool ends_list(const std::string& token) {
        return token.empty() || token == "}" || token == "&" || token == "\\\\" || token == "\\cr" ||
               token == "\\right" || token == "\\end";
    }

    FormulaList list(std::string_view also_ends = "") {
        if (++depth_ > deepest) refuse("it is nested too deeply");
        FormulaList nodes;
        for (std::string token = peek(); !ends_list(token) && token != also_ends; token = peek())
            nodes.push_back(with_scripts());
        --depth_;
        return nodes;
    }

    FormulaNode with_scripts() {
        FormulaNode base = peek() == "_" || peek() == "^" || peek() == "'" ? FormulaNode() : atom();
        FormulaList below;
        FormulaList above;
        bool has_below = false;
        bool has_above = false;
        for (;;) {
            if (take("\\limits")) {
                base.has_limits = true;
            } else if (take("\\nolimits")) {
                base.has_limits = false;
            } else if (take("_")) {
                if (has_below) refuse("there are two subscripts in one place");
                has_below = true;
                below.push_back(argument());
            } else if (take("^")) {
                if (has_above) refuse("there are two superscripts in one place");
                has_above = true;
                above.push_back(argument());
            } else if (take("'") || take("′")) {
                above.push_back(symbol("′", AtomClass::ordinary, Face::upright));
            } else {
                break;
            }
        }
        if (below.empty() && above.empty()) return base;
        FormulaNode node;
        node.kind = Kind::scripts;
        node.atom = base.atom;
        node.has_limits = base.kind == Kind::large_op && base.has_limits;
        node.children = {std::move(base), row_of(std::move(below)), row_of(std::move(above))};
        return node;
    }

    // A group in braces, or the next atom.
    FormulaNode argument() {
        const std::string token = peek();
        if (ends_list(token) || token == "_" || token == "^")
            refuse("something is missing after a command or a script");
        if (token.size() == 1 && token[0] >= '0' && token[0] <= '9')  // \frac12 is a half
            return symbol(next(), AtomClass::ordinary, Face::upright);
        if (++depth_ > deepest) refuse("it is nested too deeply");
        FormulaNode node = take("{") ? group() : atom();
        --depth_;
        return node;
    }

    FormulaNode group() {
        FormulaNode row = row_of(list());
        if (!take("}")) refuse("a } is missing");
        return row;
    }

    FormulaNode atom() {
        if (++n_nodes_ > most_nodes) refuse("it is too long");
        if (++depth_ > deepest) refuse("it is nested too deeply");
        const std::string token = next();
        FormulaNode node = token == "{"                                ? group()
                           : token.size() > 1 && token.front() == '\\' ? command(token.substr(1))
                                                                       : character(token);
        --depth_;
        return node;
    }

    FormulaNode character(const std::string& token) {
        if (token.size() == 1 && ((token[0] >= '0' && token[0] <= '9') || token[0] == '.')) {
            std::string digits = token;
            while (at_ < tex_.size() &&
                   ((tex_[at_] >= '0' && tex_[at_] <= '9') ||
                    (tex_[at_] == '.' && at_ + 1 < tex_.size() && tex_[at_ + 1] >= '0' && tex_[at_ + 1] <= '9')))
                digits += tex_[at_++];
            return symbol(digits, AtomClass::ordinary, Face::upright);
        }
        if (token == "$" || token == "#" || token == "%") refuse("a " + token + " stands in it");
        if (const FormulaSymbol* known = find_symbol_of(token); known != nullptr && !known->text.empty()) {
            const FormulaOperator* large = token == "∑"   ? find_operator("sum")
                                           : token == "∏" ? find_operator("prod")
                                           : token == "∫" ? find_operator("int")
                                                          : nullptr;
            if (large != nullptr) return large_op(*large);
            if (token == "√") return root(argument());
            return symbol(token, known->atom, known->face);
        }
        if (token == "~") return space(space_of(" "));
        std::size_t at = 0;
        const char32_t c = next_character(token, at);
        if (c < 0x20 || c == 0xFFFD) refuse("a character in it cannot be drawn");
        if (is_chinese(c)) return symbol(token, AtomClass::ordinary, Face::words);
        return symbol(token, AtomClass::ordinary, is_letter_or_digit(c) ? Face::math : Face::upright);
    }

    static FormulaNode large_op(const FormulaOperator& row) {
        FormulaNode node;
        node.kind = Kind::large_op;
        node.atom = AtomClass::op;
        node.text = row.text;
        node.has_limits = row.has_limits;
        return node;
    }

    static FormulaNode space(float quads) {
        FormulaNode node;
        node.kind = Kind::space;
        node.amount = quads;
        return node;
    }

    static FormulaNode root(FormulaNode radicand) {
        FormulaNode node;
        node.kind = Kind::root;
        node.children.push_back(std::move(radicand));
        return node;
    }

    FormulaNode command(const std::string& name) {
        if (name == "frac" || name == "dfrac" || name == "tfrac") return fraction(name == "dfrac");
        if (name == "sqrt") return square_root();
        if (name == "left") return fenced();
        if (name == "begin") return environment();
        if (name == "text" || name == "textrm" || name == "mbox")
            return symbol(raw_group(), AtomClass::ordinary, Face::words);
        if (name == "operatorname") {
            FormulaNode node;
            node.kind = Kind::large_op;
            node.atom = AtomClass::op;
            node.text = raw_group();
            return node;
        }
        if (name == "mathrm" || name == "mathsf") return symbol(raw_group(), AtomClass::ordinary, Face::upright);
        if (name == "mathbf" || name == "boldsymbol" || name == "bm") return in_face(argument(), Face::bold);
        if (name == "mathit" || name == "mathcal" || name == "mathnormal") return argument();
        if (name == "mathbb") return struck();
        if (name == "displaystyle" || name == "textstyle") return FormulaNode();
        if (const std::string_view accent = accent_of(name); !accent.empty()) {
            FormulaNode node;
            node.kind = Kind::accent;
            node.text = accent;
            node.children.push_back(argument());
            return node;
        }
        if (const float quads = space_of(name); quads != 0) return space(quads);
        if (const FormulaOperator* large = find_operator(name)) return large_op(*large);
        if (const auto fence = sized_fence(name)) return *fence;
        if (const std::string_view fence = fence_of(name); !fence.empty()) return bare_fence(name, fence);
        if (name == "_" || name == "%" || name == "&" || name == "#" || name == "$")
            return symbol(name, AtomClass::ordinary, Face::upright);
        if (const FormulaSymbol* known = find_symbol(name)) return symbol(known->text, known->atom, known->face);
        refuse("\\" + name + " is not known");
    }

    FormulaNode fraction(bool is_display) {
        FormulaNode node;
        node.kind = Kind::fraction;
        node.atom = AtomClass::inner;
        node.is_display = is_display;
        node.children.push_back(argument());
        node.children.push_back(argument());
        return node;
    }

    FormulaNode square_root() {
        FormulaNode degree;
        if (take("[")) {
            degree = row_of(list("]"));
            if (!take("]")) refuse("a ] is missing");
        }
        FormulaNode node = root(argument());
        if (!degree.children.empty()) node.children.push_back(std::move(degree));
        return node;
    }

    std::string fence() {
        std::string token = next();
        if (token == ".") return "";
        if (token.size() > 1 && token.front() == '\\')
            token.erase(0, 1);
        else if (token == "|")
            return "|";
        else if (token == "<")
            return "⟨";
        else if (token == ">")
            return "⟩";
        const std::string_view text = fence_of(token);
        if (text.empty()) refuse("there is no bracket after \\left, \\right or \\big");
        return std::string(text);
    }

    FormulaNode fenced() {
        FormulaNode node;
        node.kind = Kind::fenced;
        node.atom = AtomClass::inner;
        node.open = fence();
        node.children.push_back(row_of(list()));
        if (!take("\\right")) refuse("a \\right is missing");
        node.close = fence();
        return node;
    }

    // \big( and its larger kin; an l or r at the end says on which side it stands.
    std::optional<FormulaNode> sized_fence(std::string name) {
        AtomClass atom = AtomClass::ordinary;
        if (name.size() > 3 && name.back() == 'l') atom = AtomClass::open;
        if (name.size() > 3 && name.back() == 'r') atom = AtomClass::close;
        if (atom != AtomClass::ordinary) name.pop_back();
        const float height = name == "big"    ? 1.2F
                             : name == "Big"  ? 1.8F
                             : name == "bigg" ? 2.4F
                             : name == "Bigg" ? 3
                                              : 0;
        if (height == 0) return std::nullopt;
        FormulaNode node;
        node.kind = Kind::fence;
        node.text = fence();
        node.amount = height;
        node.atom = atom;
        return node;
    }

    static FormulaNode bare_fence(const std::string& name, std::string_view text) {
        const bool opens = name.starts_with('l') || name == "{";
        const bool closes = name.starts_with('r') || name == "}";
        FormulaNode node = symbol(text,
                                  opens    ? AtomClass::open
                                  : closes ? AtomClass::close
                                           : AtomClass::ordinary,
                                  Face::upright);
        return node;
    }

    static FormulaNode in_face(FormulaNode node, Face face) {
        if (node.kind == Kind::symbol && node.face == Face::math) node.face = face;
        for (FormulaNode& child : node.children) child = in_face(std::move(child), face);
        return node;
    }

    FormulaNode struck() {
        const std::string letters = raw_group();
        const std::string_view known = double_struck(letters);
        return known.empty() ? symbol(letters, AtomClass::ordinary, Face::bold)
                             : symbol(known, AtomClass::ordinary, Face::upright);
    }

    // What stands in braces, as it is; \_ and the like lose their backslash.
    std::string raw_group() {
        if (!take("{")) refuse("a { is missing after a command for text");
        std::string text;
        int open = 1;
        for (; at_ < tex_.size(); ++at_) {
            const char c = tex_[at_];
            if (c == '\\' && at_ + 1 < tex_.size()) {
                const char escaped = tex_[++at_];
                if (is_latin_letter(escaped)) refuse("a command stands inside text");
                text += escaped == ',' ? ' ' : escaped;
                continue;
            }
            if (c == '{') ++open;
            if (c == '}' && --open == 0) {
                ++at_;
                return text;
            }
            if (c != '{' && c != '}') text += c == '\n' || c == '\t' ? ' ' : c;
        }
        refuse("a } is missing");
    }

    FormulaNode environment() {
        struct Environment {
            std::string_view name, open, close;
            FormulaNode::Columns columns = FormulaNode::Columns::centered;
        };
        using enum FormulaNode::Columns;
        static constexpr Environment known[] = {
            {"matrix", "", ""},         {"bmatrix", "[", "]"},   {"pmatrix", "(", ")"},    {"vmatrix", "|", "|"},
            {"Vmatrix", "‖", "‖"},      {"array", "", ""},       {"cases", "{", "", left}, {"aligned", "", "", aligned},
            {"align", "", "", aligned}, {"smallmatrix", "", ""},
        };
        const std::string name = raw_group();
        for (const Environment& row : known) {
            if (row.name != name) continue;
            if (name == "array") raw_group();  // its columns are all centred
            FormulaNode fenced;
            fenced.kind = Kind::fenced;
            fenced.atom = AtomClass::inner;
            fenced.open = row.open;
            fenced.close = row.close;
            fenced.children.push_back(matrix());
            fenced.children.back().columns = row.columns;
            if (!take("\\end") || raw_group() != name)
                refuse(std::string("\\begin{").append(name).append("} has no \\end{").append(name).append("}"));
            return fenced;
        }
        refuse("\\begin{" + name + "} is not known");
    }

    FormulaNode matrix() {
        constexpr int most_columns = 64;
        std::vector<FormulaList> rows(1);
        for (;;) {
            rows.back().push_back(row_of(list()));
            if (take("&")) {
                if (static_cast<int>(rows.back().size()) >= most_columns) refuse("a matrix in it is too wide");
                continue;
            }
            if (!take("\\\\") && !take("\\cr")) break;
            if (peek() == "\\end") break;
            rows.emplace_back();
        }
        FormulaNode node;
        node.kind = Kind::matrix;
        for (const FormulaList& row : rows) node.n_columns = std::max(node.n_columns, static_cast<int>(row.size()));
        for (FormulaList& row : rows) {
            row.resize(static_cast<std::size_t>(node.n_columns));
            for (FormulaNode& cell : row) node.children.push_back(std::move(cell));
        }
        if ((n_nodes_ += static_cast<int>(node.children.size())) > most_nodes) refuse("it is too long");
        return node;
    }

    std::string_view tex_;
    std::size_t at_ = 0;
    int depth_ = 0;
    int n_nodes_ = 0;
};

}  // namespace

Result<FormulaNode> parse_formula(std::string_view tex) {
    const auto shown = [&] {
        std::size_t end = std::min<std::size_t>(tex.size(), 60);
        while (end < tex.size() && end > 0 && (static_cast<unsigned char>(tex[end]) & 0xC0U) == 0x80U) --end;
        return std::string(tex.substr(0, end)) + (end < tex.size() ? "…" : "");
    };
    if (tex.size() > longest) return Error{"The formula " + shown() + " is too long"};
    try {
        return Parser(tex).whole();
    } catch (const Refusal& refusal) {
        return Error{"The formula " + shown() + " cannot be set: " + refusal.sentence};
    }
}

std::string formula_structure(const FormulaNode& node) {
    const auto all = [&](const FormulaList& list) {
        std::string text;
        for (const FormulaNode& child : list) text += (text.empty() ? "" : " ") + formula_structure(child);
        return text;
    };
    switch (node.kind) {
        case Kind::symbol:
        case Kind::large_op:
        case Kind::fence:
            return node.text;
        case Kind::row:
            return node.children.size() == 1 ? formula_structure(node.children[0]) : "{" + all(node.children) + "}";
        case Kind::fraction:
            return "frac(" + all(node.children) + ")";
        case Kind::root:
            return "root(" + all(node.children) + ")";
        case Kind::fenced:
            return "fenced(" + node.open + " " + all(node.children) + " " + node.close + ")";
        case Kind::matrix:
            return "matrix" + std::to_string(node.n_columns) + "(" + all(node.children) + ")";
        case Kind::accent:
            return node.text + "(" + all(node.children) + ")";
        case Kind::space:
            return "space";
        case Kind::scripts:
            return "scripts(" + all(node.children) + ")";
    }
    return "";
}

}  // namespace heed
