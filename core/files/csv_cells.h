// Delimited text cut into rows of cells: the grammar of CSV, nothing about numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct CsvCell {
    std::string text;  // without quotes and without the spaces around it
    bool quoted = false;
    std::size_t line = 0;    // where it starts, from 1
    std::size_t column = 0;  // from 1
};

// The delimiter of the first line that is not blank: a tab, else a semicolon, else a comma; a space where there is
// none of these and the line is several numbers between spaces.
char find_delimiter(std::string_view text);

class CsvCells {
public:
    CsvCells(std::string_view text, char delimiter);

    // Fills row with the next line's cells; leaves it empty at the end. Blank lines before the first cell and after
    // the last are skipped, one between them is a row of one empty cell. The returned text says what is wrong.
    std::optional<std::string> next_row(std::vector<CsvCell>& row, std::size_t max_columns);
    std::size_t at() const { return at_; }  // bytes read so far

private:
    std::optional<std::string> next_cell(CsvCell& cell);
    std::optional<std::string> quoted_cell(CsvCell& cell);
    void skip_spaces();
    bool at_line_end() const;
    void take_line_end();

    std::string_view text_;
    char delimiter_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace heed
