#include "core/files/csv_cells.h"

#include "core/files/number_text.h"
#include "core/files/shown.h"

#include <algorithm>

namespace heed {
namespace {

constexpr std::string_view no_break_space = "\xC2\xA0";  // spreadsheets put it between thousands and before units

std::string_view first_line_of(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \r\n");  // a tab may follow an empty cell
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (!quoted && (text[i] == '\n' || text[i] == '\r')) return text.substr(0, i);
    }
    return text;
}

bool has_outside_quotes(std::string_view line, char wanted) {
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == wanted && !quoted) return true;
    }
    return false;
}

bool is_numbers_between_spaces(std::string_view line) {
    std::size_t count = 0;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        if (end > 0 && !parse_float(line.substr(0, end))) return false;
        if (end > 0) ++count;
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return count >= 2;
}

}  // namespace

char find_delimiter(std::string_view text) {
    const std::string_view line = first_line_of(text);
    for (const char delimiter : {'\t', ';', ','})
        if (has_outside_quotes(line, delimiter)) return delimiter;
    return is_numbers_between_spaces(line) ? ' ' : ',';
}

CsvCells::CsvCells(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {
    for (skip_spaces(); at_line_end(); skip_spaces()) take_line_end();
}

std::optional<std::string> CsvCells::next_row(std::vector<CsvCell>& row, std::size_t max_columns) {
    row.clear();
    const std::string_view blank = delimiter_ == '\t' ? " \r\n" : " \t\r\n";
    if (text_.find_first_not_of(blank, at_) == std::string_view::npos) return std::nullopt;
    for (;;) {
        if (row.size() == max_columns)
            return "line " + std::to_string(line_) + " has more than " + std::to_string(max_columns) + " values";
        CsvCell& cell = row.emplace_back();
        cell.column = row.size();
        if (auto wrong = next_cell(cell)) return wrong;
        if (delimiter_ == ' ') skip_spaces();  // a run of spaces is one delimiter, and none at the end of a line
        if (at_ == text_.size() || at_line_end()) {
            take_line_end();
            return std::nullopt;
        }
        if (delimiter_ != ' ') ++at_;
    }
}

// Stops at the delimiter, the end of the line or the end of the text.
std::optional<std::string> CsvCells::next_cell(CsvCell& cell) {
    skip_spaces();
    cell.line = line_;
    cell.quoted = at_ < text_.size() && text_[at_] == '"';
    if (cell.quoted) return quoted_cell(cell);

    const std::size_t start = at_;
    while (at_ < text_.size() && !at_line_end() && text_[at_] != delimiter_) ++at_;
    std::string_view inside = text_.substr(start, at_ - start);
    for (;;) {
        if (inside.ends_with(' ') || inside.ends_with('\t'))
            inside.remove_suffix(1);
        else if (inside.ends_with(no_break_space))
            inside.remove_suffix(no_break_space.size());
        else
            break;
    }
    cell.text = inside;
    return std::nullopt;
}

std::optional<std::string> CsvCells::quoted_cell(CsvCell& cell) {
    const auto place = [&] {
        return "line " + std::to_string(cell.line) + ", column " + std::to_string(cell.column) + ": ";
    };
    for (++at_;; ++at_) {
        if (at_ == text_.size()) return place() + "the quotation mark is never closed";
        if (text_[at_] == '"') {
            if (text_.substr(at_ + 1, 1) != "\"") break;
            ++at_;
        }
        if (text_[at_] == '\n') ++line_;
        cell.text += text_[at_];
    }
    ++at_;
    skip_spaces();
    if (at_ == text_.size() || at_line_end() || text_[at_] == delimiter_ || delimiter_ == ' ') return std::nullopt;
    return place() + "\"" + shown(text_.substr(at_), 12) + "\" follows the closing quotation mark";
}

void CsvCells::skip_spaces() {
    while (at_ < text_.size()) {
        const bool blank = text_[at_] == ' ' || (text_[at_] == '\t' && delimiter_ != '\t');
        if (blank)
            ++at_;
        else if (text_.substr(at_, 2) == no_break_space)
            at_ += 2;
        else
            return;
    }
}

bool CsvCells::at_line_end() const { return at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r'); }

void CsvCells::take_line_end() {
    if (at_ == text_.size()) return;
    if (text_[at_] == '\r' && text_.substr(at_ + 1, 1) == "\n") ++at_;
    ++at_;
    ++line_;
}

}  // namespace heed
