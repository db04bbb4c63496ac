// The header of a .npy file: a Python dictionary of three entries, read by a strict parser.
#pragma once

#include "core/matrix.h"
#include "core/result.h"

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace heed {

struct NpyHeader {
    char byte_order = '<';  // '<' or '>'; '=' and '|' are already resolved to this machine's
    char kind = 'f';        // 'f', 'b', 'i' or 'u'
    int item_bytes = 4;
    bool fortran_order = false;
    std::vector<Index> shape;
    Index n_values = 1;          // product of shape, at most max_npy_values
    std::size_t data_start = 0;  // offset of the first element in the file
};

// More than any header that is read: magic, version, length and the dictionary.
inline constexpr std::size_t max_npy_header_bytes = 65536 + 12;

// Checks everything but the amount of data. The sentence starts with name.
Result<NpyHeader> parse_npy_header(std::string_view bytes, std::string_view name);

// Of a file, whose size is held against what the header says. Its numbers are not read.
Result<NpyHeader> read_npy_header(const std::filesystem::path& path);

}  // namespace heed
