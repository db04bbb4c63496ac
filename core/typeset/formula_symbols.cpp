#include "core/typeset/formula_symbols.h"

#include <algorithm>
#include <iterator>

namespace heed {

namespace {

using enum AtomClass;
using Face = FormulaNode::Face;

constexpr FormulaSymbol symbols[] = {
    {"alpha", "α"},
    {"beta", "β"},
    {"gamma", "γ"},
    {"delta", "δ"},
    {"epsilon", "ε"},
    {"varepsilon", "ε"},
    {"zeta", "ζ"},
    {"eta", "η"},
    {"theta", "θ"},
    {"vartheta", "ϑ"},
    {"iota", "ι"},
    {"kappa", "κ"},
    {"lambda", "λ"},
    {"mu", "μ"},
    {"nu", "ν"},
    {"xi", "ξ"},
    {"omicron", "ο"},
    {"pi", "π"},
    {"rho", "ρ"},
    {"sigma", "σ"},
    {"varsigma", "ς"},
    {"tau", "τ"},
    {"upsilon", "υ"},
    {"phi", "ϕ"},
    {"varphi", "φ"},
    {"chi", "χ"},
    {"psi", "ψ"},
    {"omega", "ω"},
    {"Gamma", "Γ", ordinary, Face::upright},
    {"Delta", "Δ", ordinary, Face::upright},
    {"Theta", "Θ", ordinary, Face::upright},
    {"Lambda", "Λ", ordinary, Face::upright},
    {"Xi", "Ξ", ordinary, Face::upright},
    {"Pi", "Π", ordinary, Face::upright},
    {"Sigma", "Σ", ordinary, Face::upright},
    {"Upsilon", "Υ", ordinary, Face::upright},
    {"Phi", "Φ", ordinary, Face::upright},
    {"Psi", "Ψ", ordinary, Face::upright},
    {"Omega", "Ω", ordinary, Face::upright},
    {"ell", "ℓ"},
    {"partial", "∂", ordinary, Face::upright},
    {"nabla", "∇", ordinary, Face::upright},
    {"infty", "∞", ordinary, Face::upright},
    {"top", "T", ordinary, Face::upright},
    {"emptyset", "∅", ordinary, Face::upright},
    {"forall", "∀", ordinary, Face::upright},
    {"exists", "∃", ordinary, Face::upright},
    {"degree", "°", ordinary, Face::upright},
    {"prime", "′", ordinary, Face::upright},
    {"checkmark", "✓", ordinary, Face::upright},
    {"ldots", "…", inner, Face::upright},
    {"dots", "…", inner, Face::upright},
    {"cdots", "···", inner, Face::upright},
    {"vdots", "⋮", ordinary, Face::upright},
    {"ddots", "⋱", ordinary, Face::upright},
    {"cdot", "·", binary, Face::upright},
    {"times", "×", binary, Face::upright},
    {"div", "÷", binary, Face::upright},
    {"pm", "±", binary, Face::upright},
    {"mp", "∓", binary, Face::upright},
    {"odot", "⊙", binary, Face::upright},
    {"oplus", "⊕", binary, Face::upright},
    {"otimes", "⊗", binary, Face::upright},
    {"circ", "∘", binary, Face::upright},
    {"ast", "*", binary, Face::upright},
    {"star", "⋆", binary, Face::upright},
    {"cup", "∪", binary, Face::upright},
    {"cap", "∩", binary, Face::upright},
    {"setminus", "\\", binary, Face::upright},
    {"wedge", "∧", binary, Face::upright},
    {"land", "∧", binary, Face::upright},
    {"vee", "∨", binary, Face::upright},
    {"lor", "∨", binary, Face::upright},
    {"neg", "¬", ordinary, Face::upright},
    {"le", "≤", relation, Face::upright},
    {"leq", "≤", relation, Face::upright},
    {"ge", "≥", relation, Face::upright},
    {"geq", "≥", relation, Face::upright},
    {"lt", "<", relation, Face::upright},
    {"gt", ">", relation, Face::upright},
    {"ne", "≠", relation, Face::upright},
    {"neq", "≠", relation, Face::upright},
    {"approx", "≈", relation, Face::upright},
    {"sim", "~", relation, Face::upright},
    {"equiv", "≡", relation, Face::upright},
    {"propto", "∝", relation, Face::upright},
    {"ll", "≪", relation, Face::upright},
    {"gg", "≫", relation, Face::upright},
    {"to", "→", relation, Face::upright},
    {"rightarrow", "→", relation, Face::upright},
    {"leftarrow", "←", relation, Face::upright},
    {"gets", "←", relation, Face::upright},
    {"leftrightarrow", "↔", relation, Face::upright},
    {"Rightarrow", "⇒", relation, Face::upright},
    {"implies", "⇒", relation, Face::upright},
    {"iff", "⇔", relation, Face::upright},
    {"mapsto", "↦", relation, Face::upright},
    {"in", "∈", relation, Face::upright},
    {"notin", "∉", relation, Face::upright},
    {"subset", "⊂", relation, Face::upright},
    {"subseteq", "⊆", relation, Face::upright},
    {"perp", "⊥", relation, Face::upright},
    {"parallel", "∥", relation, Face::upright},
    {"mid", "|", relation, Face::upright},
    {"colon", ":", punctuation, Face::upright},
    {"percent", "%", ordinary, Face::upright},
    {"", "+", binary, Face::upright},
    {"", "−", binary, Face::upright},
    {"", "-", binary, Face::upright},
    {"", "*", binary, Face::upright},
    {"", "=", relation, Face::upright},
    {"", "<", relation, Face::upright},
    {"", ">", relation, Face::upright},
    {"", ":", relation, Face::upright},
    {"", ",", punctuation, Face::upright},
    {"", ";", punctuation, Face::upright},
    {"", "，", punctuation, Face::words},
    {"", "(", open, Face::upright},
    {"", "[", open, Face::upright},
    {"", ")", close, Face::upright},
    {"", "]", close, Face::upright},
    {"", "!", close, Face::upright},
    {"", "?", close, Face::upright},
    {"", "/", ordinary, Face::upright},
    {"", "|", ordinary, Face::upright},
    {"", "‖", ordinary, Face::upright},
    {"", "√", ordinary, Face::upright},
    {"", "∑", op, Face::upright},
    {"", "∏", op, Face::upright},
    {"", "∫", op, Face::upright},
};

constexpr FormulaOperator operators[] = {
    {"sum", "∑", true},
    {"prod", "∏", true},
    {"int", "∫"},
    {"log", "log"},
    {"ln", "ln"},
    {"exp", "exp"},
    {"sin", "sin"},
    {"cos", "cos"},
    {"tan", "tan"},
    {"tanh", "tanh"},
    {"max", "max", true},
    {"min", "min", true},
    {"sup", "sup", true},
    {"inf", "inf", true},
    {"lim", "lim", true},
    {"arg", "arg"},
    {"argmax", "arg max", true},
    {"argmin", "arg min", true},
    {"det", "det"},
    {"dim", "dim"},
    {"tr", "tr"},
    {"diag", "diag"},
    {"softmax", "softmax"},
    {"Var", "Var"},
    {"Cov", "Cov"},
    {"deg", "deg"},
    {"gcd", "gcd"},
    {"Pr", "Pr", true},
    {"rank", "rank"},
    {"sign", "sign"},
};

struct Pair {
    std::string_view name, text;
};
constexpr Pair fences[] = {
    {"(", "("},      {")", ")"},      {"[", "["},      {"]", "]"},      {"lbrack", "["}, {"rbrack", "]"},
    {"{", "{"},      {"}", "}"},      {"lbrace", "{"}, {"rbrace", "}"}, {"|", "‖"},      {"lVert", "‖"},
    {"rVert", "‖"},  {"Vert", "‖"},   {"lvert", "|"},  {"rvert", "|"},  {"vert", "|"},   {"langle", "⟨"},
    {"rangle", "⟩"}, {"lfloor", "⌊"}, {"rfloor", "⌋"}, {"lceil", "⌈"},  {"rceil", "⌉"},  {"‖", "‖"},
    {"⟨", "⟨"},      {"⟩", "⟩"},
};

struct Space {
    std::string_view name;
    float quads;
};
constexpr Space spaces[] = {{",", 1.0F / 6},   {":", 2.0F / 9},        {">", 2.0F / 9}, {";", 5.0F / 18},
                            {"!", -1.0F / 6},  {" ", 0.28F},           {"quad", 1},     {"qquad", 2},
                            {"enspace", 0.5F}, {"thinspace", 1.0F / 6}};

constexpr Pair accents[] = {{"hat", "hat"},     {"widehat", "hat"},     {"bar", "bar"}, {"overline", "line"},
                            {"tilde", "tilde"}, {"widetilde", "tilde"}, {"vec", "vec"}, {"dot", "dot"},
                            {"ddot", "ddot"},   {"underline", "under"}};

constexpr Pair struck[] = {{"R", "ℝ"}, {"N", "ℕ"}, {"Z", "ℤ"}, {"Q", "ℚ"}, {"C", "ℂ"}, {"P", "ℙ"}, {"E", "𝔼"}};

template <typename Row, std::size_t n>
const Row* find(const Row (&rows)[n], std::string_view name) {
    const auto* found =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.name == name; });
    return found == std::end(rows) || name.empty() ? nullptr : found;
}

template <std::size_t n>
std::string_view text_in(const Pair (&rows)[n], std::string_view name) {
    const Pair* row = find(rows, name);
    return row == nullptr ? std::string_view() : row->text;
}

}  // namespace

const FormulaSymbol* find_symbol(std::string_view name) { return find(symbols, name); }

const FormulaSymbol* find_symbol_of(std::string_view text) {
    const auto* found = std::find_if(std::begin(symbols), std::end(symbols),
                                     [&](const FormulaSymbol& row) { return row.text == text; });
    return found == std::end(symbols) ? nullptr : found;
}

const FormulaOperator* find_operator(std::string_view name) { return find(operators, name); }
std::string_view fence_of(std::string_view token) { return text_in(fences, token); }
std::string_view accent_of(std::string_view name) { return text_in(accents, name); }
std::string_view double_struck(std::string_view letter) { return text_in(struck, letter); }

float space_of(std::string_view name) {
    const Space* row = find(spaces, name);
    return row == nullptr ? 0 : row->quads;
}

}  // namespace heed
