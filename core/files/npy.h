// NumPy's .npy files: one array, its shape and its element type.
//
// Read: format versions 1.0 to 3.0, C and Fortran order, float16/32/64, bool and integers of 1 to 8 bytes, either
// byte order, 0 to 4 dimensions. Written: version 1.0, float32, little-endian, C order.
// Not a general reader: structured, complex, text and object arrays are refused by name.
#pragma once

#include "core/matrix.h"
#include "core/result.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct NpyArray {
    std::vector<Index> shape;   // empty for a single number
    std::vector<float> values;  // C order; as many as the product of shape
    char kind = 'f';            // in the file: 'f' float, 'b' bool, 'i' signed, 'u' unsigned
    int item_bytes = 4;         // in the file
};

// The most numbers one array may hold: 1 GiB as float.
inline constexpr Index max_npy_values = Index{1} << 28;

// Heed computes in float32, so every type is rounded to it as NumPy's astype(float32) does: float64 and large integers
// lose digits, and a float64 beyond ±3.4e38 becomes ±inf. A bool is 0 or 1.
Result<NpyArray> read_npy(const std::filesystem::path& path);

// Asks `check` about the header before the numbers are read: a sentence of its own refuses them.
struct NpyHeader;
Result<NpyArray> read_npy(const std::filesystem::path& path, const std::function<Status(const NpyHeader&)>& check);

// The same from memory; name stands for the file in sentences.
Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name);

// The bytes of a file; shape's product must be values.size().
std::string npy_bytes(std::span<const Index> shape, std::span<const float> values);
std::string npy_bytes(const Matrix& matrix);

// The same in parts, for arrays too large to be held twice: what stands before the numbers, and numbers as they follow it. The
// view is of the values themselves or of `room`.
std::string npy_start(std::span<const Index> shape);
std::string_view npy_numbers(std::span<const float> values, std::string& room);

// "4096 × 4096", "12", or "a single number" for no dimensions.
std::string shape_text(std::span<const Index> shape);

// The float with the same value as an IEEE binary16; exact, with subnormals, infinities and NaN.
float half_to_float(std::uint16_t half);

}  // namespace heed
