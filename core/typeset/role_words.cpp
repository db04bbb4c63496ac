#include "core/typeset/role_words.h"

#include "core/typeset/characters.h"

#include <algorithm>
#include <span>
#include <string>

namespace heed {

namespace {

struct RoleWord {
    std::string_view word;
    Role role;
};

// English, in small letters: whole words alone, the first letter of a sentence may be a capital.
constexpr RoleWord english[] = {
    {"query", Role::query}, {"queries", Role::query}, {"key", Role::key},       {"keys", Role::key},
    {"value", Role::value}, {"values", Role::value},  {"output", Role::output}, {"outputs", Role::output},
};

// With such a neighbour the word means something else: a number's value, a word of the other sentence, a key of the keyboard.
constexpr std::string_view before_a_plain_value[] = {
    "absolute", "actual",   "approximate", "average",  "boolean",   "current", "default", "exact",    "expected",
    "extreme",  "greatest", "highest",     "initial",  "largest",   "lowest",  "maximum", "mean",     "measured",
    "median",   "minimum",  "missing",     "negative", "numerical", "p",       "pixel",   "positive", "possible",
    "printed",  "smallest", "start",       "starting", "true",      "typed",   "typical", "usual",
};
constexpr std::string_view after_a_plain_output[] = {"word", "words", "sentence", "sentences", "file", "files", "text"};
constexpr std::string_view after_a_plain_key[] = {"idea",     "ideas",     "point",      "points",
                                                  "question", "questions", "difference", "step"};
constexpr std::string_view before_a_plain_key[] = {"arrow", "enter", "escape", "return", "shift", "tab"};

constexpr RoleWord letters[] = {{"Q", Role::query}, {"q", Role::query}, {"K", Role::key},
                                {"k", Role::key},   {"V", Role::value}, {"v", Role::value}};

constexpr RoleWord chinese[] = {{"查询", Role::query}, {"键", Role::key}, {"值", Role::value}, {"输出", Role::output}};

// Chinese has no spaces: a word is found as the longest entry that starts here, and these mean something else. Two
// characters that come before 值 in a word of their own are enough; longer ones end in such a word (平均值, 数学期望值).
constexpr std::string_view other_words[] = {
    "键盘",   "键入",   "键位",   "关键",   "按键",   "快捷键", "空格键", "回车键", "方向键", "退格键", "功能键",
    "组合键", "右键",   "左键",   "中键",   "箭头键", "热键",   "翻页键", "上键",   "下键",   "值得",   "值班",
    "值域",   "值日",   "值钱",   "值此",   "数值",   "均值",   "最大值", "最小值", "极大值", "极小值", "极值",
    "最值",   "阈值",   "期望值", "绝对值", "特征值", "奇异值", "本征值", "取值",   "赋值",   "幅值",   "峰值",
    "谷值",   "权值",   "权重值", "初值",   "初始值", "真值",   "比值",   "差值",   "定值",   "函数值", "预测值",
    "默认值", "缺失值", "价值",   "估值",   "原值",   "众值",   "中值",   "中位值", "分值",   "分数值", "得分值",
    "面值",   "总值",   "产值",   "净值",   "像素值", "坐标值", "具体值", "理论值", "实际值", "测量值", "近似值",
    "精确值", "误差值", "概率值", "熵值",   "温度值", "某个值", "何值",   "输出词", "之值",   "同值",   "等值",
    "求值",   "新值",   "旧值",   "正值",   "负值",   "零值",   "空值",   "整数值", "实数值", "标量值", "插值",
    "临界值", "参数值", "参考值", "目标值", "损失值", "梯度值", "这个值", "那个值", "一个值", "两个值", "几个值",
    "单个值", "输出值", "返回值", "边界值", "限值",   "上限值", "下限值", "轴值",   "数的值", "大的值", "小的值",
};

bool starts_with_word(std::string_view text, std::size_t at, std::string_view word) {
    return text.substr(at).starts_with(word);
}

Role role_of_word(std::string_view word) {
    for (const RoleWord& row : letters)
        if (row.word == word) return row.role;
    std::string small(word);
    if (!small.empty() && small[0] >= 'A' && small[0] <= 'Z') small[0] = static_cast<char>(small[0] - 'A' + 'a');
    for (const RoleWord& row : english)
        if (row.word == small) return row.role;
    return Role::none;
}

bool is_word_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (byte >= 0xC3 && byte <= 0xD1) || (byte & 0xC0U) == 0x80U;
}

// A single letter is the symbol only where it stands free: not in top-k, k-means, v2, f(k)′ or I'd.
bool stands_free(std::string_view text, std::size_t start, std::size_t end) {
    const auto is_glue = [](char c) { return c == '-' || c == '\'' || c == '.' || c == '/' || c == '@' || c == '^'; };
    if (start > 0 && is_glue(text[start - 1])) return false;
    if (end >= text.size()) return true;
    if (text[end] == '.') return end + 1 >= text.size() || !is_word_byte(text[end + 1]);
    return !is_glue(text[end]) && !text.substr(end).starts_with("’");
}

std::string small_word(std::string_view text) {
    std::string word(text);
    for (char& c : word)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return word;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The English words right before and right after, one blank or line end away; empty where there is none.
std::string word_before(std::string_view text, std::size_t start) {
    if (start < 2 || (text[start - 1] != ' ' && text[start - 1] != '\n')) return {};
    std::size_t from = start - 1;
    while (from > 0 && is_letter(text[from - 1])) --from;
    return small_word(text.substr(from, start - 1 - from));
}

std::string word_after(std::string_view text, std::size_t end) {
    if (end + 1 >= text.size() || (text[end] != ' ' && text[end] != '\n')) return {};
    std::size_t to = end + 1;
    while (to < text.size() && is_letter(text[to])) ++to;
    return small_word(text.substr(end + 1, to - end - 1));
}

bool means_something_else(std::string_view text, std::size_t start, std::size_t end, Role role) {
    const auto lists = [](std::span<const std::string_view> words, const std::string& word) {
        return !word.empty() && std::ranges::find(words, word) != words.end();
    };
    switch (role) {
        case Role::value:
            return lists(before_a_plain_value, word_before(text, start));
        case Role::output:
            return lists(after_a_plain_output, word_after(text, end));
        case Role::key:
            return lists(after_a_plain_key, word_after(text, end)) ||
                   lists(before_a_plain_key, word_before(text, start));
        default:
            return false;
    }
}

// A token such as [Q] or [K] is a word of a sentence.
bool stands_in_brackets(std::string_view text, std::size_t start, std::size_t end) {
    return start > 0 && end < text.size() && text[start - 1] == '[' && text[end] == ']';
}

}  // namespace

std::vector<RoleSpan> role_spans(std::string_view text) {
    std::vector<RoleSpan> spans;
    std::size_t plain_from = 0;
    const auto add = [&](std::size_t start, std::size_t end, Role role) {
        if (role == Role::none) return;
        if (start > plain_from) spans.push_back({text.substr(plain_from, start - plain_from)});
        spans.push_back({text.substr(start, end - start), role});
        plain_from = end;
    };
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
            std::size_t end = at;
            while (end < text.size() && (is_word_byte(text[end]) && static_cast<unsigned char>(text[end]) < 0x80))
                ++end;
            const bool goes_on = end < text.size() && static_cast<unsigned char>(text[end]) >= 0xC3 &&
                                 static_cast<unsigned char>(text[end]) <= 0xD1;
            const bool went_on = at > 0 && static_cast<unsigned char>(text[at - 1]) >= 0x80 && [&] {
                std::size_t back = at - 1;
                while (back > 0 && (static_cast<unsigned char>(text[back]) & 0xC0U) == 0x80U) --back;
                return is_letter_or_digit(next_character(text, back));
            }();
            const std::string_view word = text.substr(at, end - at);
            const Role role = role_of_word(word);
            const bool is_free = word.size() > 1 ? !means_something_else(text, at, end, role)
                                                 : stands_free(text, at, end) && !stands_in_brackets(text, at, end);
            if (!goes_on && !went_on && is_free) add(at, end, role);
            at = end;
            continue;
        }
        if (static_cast<unsigned char>(c) < 0xE0) {
            ++at;
            continue;
        }
        std::size_t longest = 0;
        Role role = Role::none;
        const auto consider = [&](std::string_view word, Role of) {
            if (word.size() <= longest || !starts_with_word(text, at, word)) return;
            longest = word.size();
            role = of;
        };
        for (const std::string_view word : other_words) consider(word, Role::none);
        for (const RoleWord& row : chinese) consider(row.word, row.role);
        if (longest > 0) {
            add(at, at + longest, role);
            at += longest;
        } else {
            next_character(text, at);
        }
    }
    if (plain_from < text.size()) spans.push_back({text.substr(plain_from)});
    return spans;
}

Role role_of_letter(std::string_view letter) {
    const auto* found =
        std::find_if(std::begin(letters), std::end(letters), [&](const RoleWord& row) { return row.word == letter; });
    return found == std::end(letters) ? Role::none : found->role;
}

Color role_color(const Palette& palette, Role role, Color otherwise) {
    switch (role) {
        case Role::query:
            return palette.query;
        case Role::key:
            return palette.key;
        case Role::value:
            return palette.value;
        case Role::output:
            return palette.output;
        default:
            return otherwise;
    }
}

}  // namespace heed
