#include "core/files/csv.h"

#include "core/files/csv_cells.h"
#include "core/files/number_text.h"
#include "core/files/read_file.h"
#include "core/files/shown.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace heed {
namespace {

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t report_every = std::size_t{1} << 20;  // bytes

// Decimal commas are believed only when the whole table is read: "1,234" alone may be one and a quarter or a thousand.
class CellNumbers {
public:
    explicit CellNumbers(bool comma_may_be_decimal) : comma_may_be_decimal_(comma_may_be_decimal) {}

    std::optional<float> read(const CsvCell& cell) {
        if (const std::optional<float> plain = parse_float(cell.text)) {
            if (!first_point_ && cell.text.find('.') != std::string::npos) first_point_ = cell;
            return plain;
        }
        const std::optional<float> value = with_decimal_comma(cell.text);
        if (!value) return std::nullopt;
        if (!first_comma_) first_comma_ = cell;
        certain_ = certain_ || !could_be_thousands(cell.text);
        return value;
    }

    bool is_number(const std::string& text) const { return parse_float(text) || with_decimal_comma(text); }

    // What is in doubt, after the last cell; starts with the place.
    std::optional<std::string> doubt() const {
        if (!first_comma_) return std::nullopt;
        const std::string start = place(*first_comma_) + ": \"" + shown(first_comma_->text) + "\" ";
        if (first_point_)
            return start + "has a decimal comma, but \"" + shown(first_point_->text) + "\" on line " +
                   std::to_string(first_point_->line) + " a decimal point";
        if (!certain_) return start + "may be a decimal comma or a thousands separator; write it without the comma";
        return std::nullopt;
    }

    static std::string place(const CsvCell& cell) {
        return "line " + std::to_string(cell.line) + ", column " + std::to_string(cell.column);
    }

private:
    std::optional<float> with_decimal_comma(std::string text) const {
        if (!comma_may_be_decimal_ || std::count(text.begin(), text.end(), ',') != 1) return std::nullopt;
        if (text.find('.') != std::string::npos) return std::nullopt;
        text[text.find(',')] = '.';
        return parse_float(text);
    }

    // One to three digits, not starting with 0, a comma, and exactly three digits.
    static bool could_be_thousands(std::string_view text) {
        while (!text.empty() && (text.front() < '0' || text.front() > '9') && text.front() != ',')
            text.remove_prefix(1);
        const std::size_t comma = text.find(',');
        return comma >= 1 && comma <= 3 && text.front() != '0' && text.size() == comma + 4 &&
               text.find_first_of("eE") == std::string_view::npos;
    }

    bool comma_may_be_decimal_;
    bool certain_ = false;  // some comma can only be a decimal comma
    std::optional<CsvCell> first_comma_, first_point_;
};

// A row of names holds no bare number. A quoted number may be a name ("2024") if another cell is plainly one.
bool is_name_row(const std::vector<CsvCell>& row, const CellNumbers& numbers) {
    bool any_name = false;
    for (const CsvCell& cell : row) {
        const bool number = numbers.is_number(cell.text);
        if (number && !cell.quoted) return false;
        any_name = any_name || (!number && !cell.text.empty());
    }
    return any_name;
}

// Grows by rows, without ever holding the numbers twice.
class RowsOfNumbers {
public:
    // A row of n cells has at least 2n − 1 bytes and a line's end.
    void start(std::size_t n_columns, std::string_view text) {
        const auto ends = static_cast<std::size_t>(
            std::max(std::count(text.begin(), text.end(), '\n'), std::count(text.begin(), text.end(), '\r')));
        const std::size_t most = std::min(ends, text.size() / (2 * n_columns)) + 1;
        values_.resize(static_cast<Index>(std::min(most, max_values / n_columns)), static_cast<Index>(n_columns));
    }
    // The next row, or nothing where there are too many.
    float* add() {
        const auto columns = static_cast<std::size_t>(values_.cols());
        if ((static_cast<std::size_t>(n_rows_) + 1) * columns > max_values) return nullptr;
        if (n_rows_ == values_.rows()) values_.conservativeResize(n_rows_ + n_rows_ / 2 + 1, values_.cols());
        return values_.row(n_rows_++).data();
    }
    bool empty() const { return n_rows_ == 0; }
    Matrix take() {
        values_.conservativeResize(n_rows_, values_.cols());
        return std::move(values_);
    }

private:
    static constexpr auto max_values = static_cast<std::size_t>(max_csv_values);
    Matrix values_;
    Index n_rows_ = 0;
};

// A spreadsheet takes what starts with one of these for a formula, quoted or not; with an apostrophe it is text.
std::string without_formula(const std::string& name) {
    const bool is_formula = name.find_first_of("=+-@\t\r") == 0 && !parse_float(name);
    return is_formula ? "'" + name : name;
}

std::string written_name(const std::string& text, char delimiter) {
    std::string name = without_formula(text);
    const bool plain = name.find_first_of("\"\r\n") == std::string::npos && name.find(delimiter) == std::string::npos &&
                       name.find_first_of(",;\t") == std::string::npos && !name.starts_with(' ') &&
                       !name.ends_with(' ') && !name.empty() && !parse_float(name);
    if (plain) return name;
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string to_text(const Matrix& values, std::span<const std::string> names, char delimiter) {
    assert(names.empty() || static_cast<Index>(names.size()) == values.cols());
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += delimiter;
        text += written_name(names[i], delimiter);
    }
    if (!names.empty()) text += '\n';
    for (Index row = 0; row < values.rows(); ++row) {
        for (Index column = 0; column < values.cols(); ++column) {
            if (column > 0) text += delimiter;
            text += float_text(values(row, column));
        }
        text += '\n';
    }
    return text;
}

}  // namespace

Result<CsvTable> parse_csv(std::string_view text, std::string_view name, const ReadProgress& progress) {
    const auto refuse = [&](const std::string& why) { return Error{std::string(name) + ": " + why}; };

    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return refuse("the text is UTF-16; save it as UTF-8");
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
        return refuse("this is not text (byte " + std::to_string(zero + 1) + " is zero)");

    CsvTable table;
    table.delimiter = find_delimiter(text);
    CsvCells cells(text, table.delimiter);
    CellNumbers numbers(table.delimiter != ',');

    std::vector<CsvCell> row;
    RowsOfNumbers values;
    std::size_t n_columns = 0, first_line = 0, next_report = report_every;
    for (;;) {
        if (progress && cells.at() >= next_report) {
            next_report = cells.at() + report_every;
            if (!progress(static_cast<double>(cells.at()) / static_cast<double>(text.size())))
                return refuse("reading was stopped");
        }
        if (const auto wrong = cells.next_row(row, static_cast<std::size_t>(max_csv_columns))) return refuse(*wrong);
        if (row.empty()) break;
        if (n_columns == 0) {
            n_columns = row.size();
            first_line = row.front().line;
            values.start(n_columns, text);
            if (is_name_row(row, numbers)) {
                for (CsvCell& cell : row) table.names.push_back(std::move(cell.text));
                continue;
            }
        }
        const bool blank = row.size() == 1 && row.front().text.empty() && !row.front().quoted;
        if (const std::size_t count = blank ? 0 : row.size(); count != n_columns)
            return refuse("line " + std::to_string(row.front().line) + " has " + std::to_string(count) +
                          (count == 1 ? " value" : " values") + ", but line " + std::to_string(first_line) + " has " +
                          std::to_string(n_columns));
        float* numbers_of_row = values.add();
        if (numbers_of_row == nullptr)
            return refuse("the table has more than the " + std::to_string(max_csv_values) + " numbers that are read");
        for (const CsvCell& cell : row) {
            const std::optional<float> value = numbers.read(cell);
            if (!value)
                return refuse(
                    CellNumbers::place(cell) + ": " +
                    (cell.text.empty() ? "the cell is empty" : "\"" + shown(cell.text) + "\" is not a number"));
            *numbers_of_row++ = *value;
        }
    }
    if (n_columns == 0) return refuse("there is nothing in it");
    if (values.empty()) return refuse("there are no numbers below the row of names");
    if (const auto doubt = numbers.doubt()) return refuse(*doubt);

    table.values = values.take();
    return table;
}

Result<CsvTable> read_csv(const std::filesystem::path& path, const ReadProgress& progress) {
    Result<std::string> text = read_file(path, max_file_bytes);
    if (!text) return Error{text.error()};
    return parse_csv(*text, shown_path(path), progress);
}

std::string to_csv(const Matrix& values, std::span<const std::string> names) { return to_text(values, names, ','); }

std::string to_tsv(const Matrix& values, std::span<const std::string> names) { return to_text(values, names, '\t'); }

}  // namespace heed
