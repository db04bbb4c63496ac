// Tables of numbers as text: files with commas, semicolons or tabs, and what a spreadsheet puts on the clipboard.
//
// Read: quotes (doubled inside, line breaks allowed), any line ending, a UTF-8 byte order mark, spaces around cells,
// a first row of names, inf and nan, blank lines at either end. Where the delimiter is not a comma, 3,14 is read as
// 3.14 if the table as a whole leaves no doubt. One line of numbers between spaces is a row as well.
#pragma once

#include "core/matrix.h"
#include "core/result.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct CsvTable {
    std::vector<std::string> names;  // of the columns; empty if the first row already holds numbers
    Matrix values;                   // at least 1 × 1
    char delimiter = ',';            // as found: ',' ';' '\t' or ' '
};

inline constexpr Index max_csv_values = Index{1} << 26;
inline constexpr Index max_csv_columns = Index{1} << 20;

// Told now and then what share is done; false: stop. Null where nobody asks.
using ReadProgress = std::function<bool(double)>;

// A number beyond the range of float32 becomes ±inf or 0, as when it is computed.
// The first row is names where it holds no bare number and something that is not one.
// At most three times the file's size is held in memory.
Result<CsvTable> read_csv(const std::filesystem::path& path, const ReadProgress& progress = {});

// The same from memory; name stands for the file in sentences ("clipboard").
Result<CsvTable> parse_csv(std::string_view text, std::string_view name, const ReadProgress& progress = {});

// One line a row; each number with the fewest digits that read back as the same float. Names may be empty;
// otherwise there is one for each column, in quotes where they need it.
std::string to_csv(const Matrix& values, std::span<const std::string> names = {});

// The same with tabs, for pasting into a spreadsheet.
std::string to_tsv(const Matrix& values, std::span<const std::string> names = {});

}  // namespace heed
