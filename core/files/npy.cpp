#include "core/files/npy.h"

#include "core/files/npy_header.h"
#include "core/files/read_file.h"
#include "core/files/shown.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace heed {
namespace {

// Eight bytes for each number, and the longest header.
constexpr std::uintmax_t max_file_bytes = static_cast<std::uintmax_t>(max_npy_values) * 8 + 65536;

template <class Unsigned>
Unsigned load(const char* at, bool swap) {
    Unsigned bits;
    std::memcpy(&bits, at, sizeof bits);
    if (!swap) return bits;
    Unsigned turned = 0;
    for (std::size_t i = 0; i < sizeof bits; ++i)
        turned = static_cast<Unsigned>(turned | ((bits >> (8 * i)) & 0xFFu) << (8 * (sizeof bits - 1 - i)));
    return turned;
}

float narrow(double value) {
    // Half a step above the largest float rounds to infinity; the cast alone would be undefined there.
    constexpr double beyond = 0x1.ffffffp127;
    if (std::abs(value) >= beyond)
        return std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0f : 1.0f);
    return static_cast<float>(value);
}

template <class Unsigned>
float number(Unsigned bits, char kind) {
    if (kind == 'b') return bits != 0 ? 1.0f : 0.0f;
    if (kind == 'i') return static_cast<float>(static_cast<std::make_signed_t<Unsigned>>(bits));
    if (kind == 'u') return static_cast<float>(bits);
    if constexpr (sizeof bits == 2) return half_to_float(bits);
    if constexpr (sizeof bits == 4) return std::bit_cast<float>(bits);
    if constexpr (sizeof bits == 8) return narrow(std::bit_cast<double>(bits));
    return 0;  // there is no float of one byte: the header does not let it through
}

// In the order of the file.
template <class Unsigned>
void convert(const char* data, bool swap, char kind, std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = number(load<Unsigned>(data + i * sizeof(Unsigned), swap), kind);
}

// Fortran order, first index fastest, to C order, last index fastest.
std::vector<float> to_c_order(const std::vector<float>& fortran, const std::vector<Index>& shape) {
    std::vector<float> values(fortran.size());
    std::vector<Index> at(shape.size(), 0);
    for (const float value : fortran) {
        Index offset = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + at[d];
        values[static_cast<std::size_t>(offset)] = value;
        for (std::size_t d = 0; d < shape.size() && ++at[d] == shape[d]; ++d) at[d] = 0;
    }
    return values;
}

std::string type_name(char kind, int item_bytes) {
    if (kind == 'b') return "bool";
    const char* base = kind == 'f' ? "float" : kind == 'i' ? "int" : "uint";
    return base + std::to_string(8 * item_bytes);
}

}  // namespace

float half_to_float(std::uint16_t half) {
    const float sign = (half & 0x8000u) != 0 ? -1.0f : 1.0f;
    const int exponent = (half >> 10) & 0x1F;
    const int fraction = half & 0x3FF;
    if (exponent == 0x1F)
        return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

std::string shape_text(std::span<const Index> shape) {
    if (shape.empty()) return "a single number";
    std::string text;
    for (const Index length : shape) text += (text.empty() ? "" : " × ") + std::to_string(length);
    return text;
}

Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name) {
    Result<NpyHeader> header = parse_npy_header(bytes, name);
    if (!header) return Error{header.error()};

    const std::string_view data = bytes.substr(header->data_start);
    const auto n_values = static_cast<std::size_t>(header->n_values);
    const std::size_t wanted = n_values * static_cast<std::size_t>(header->item_bytes);
    if (data.size() != wanted)
        return Error{std::string(name) + ": the header says " + shape_text(header->shape) + " " +
                     type_name(header->kind, header->item_bytes) + " (" + std::to_string(wanted) +
                     " bytes), but the file holds " + std::to_string(data.size()) + " bytes of data"};

    NpyArray array;
    array.kind = header->kind;
    array.item_bytes = header->item_bytes;
    array.values.resize(n_values);
    const bool swap = (header->byte_order == '<') != (std::endian::native == std::endian::little);
    switch (header->item_bytes) {
        case 1:
            convert<std::uint8_t>(data.data(), swap, array.kind, array.values);
            break;
        case 2:
            convert<std::uint16_t>(data.data(), swap, array.kind, array.values);
            break;
        case 4:
            convert<std::uint32_t>(data.data(), swap, array.kind, array.values);
            break;
        default:
            convert<std::uint64_t>(data.data(), swap, array.kind, array.values);
            break;
    }
    if (header->fortran_order && header->shape.size() > 1) array.values = to_c_order(array.values, header->shape);
    array.shape = std::move(header->shape);
    return array;
}

Result<NpyArray> read_npy(const std::filesystem::path& path) {
    Result<std::string> bytes = read_file(path, max_file_bytes);
    if (!bytes) return Error{bytes.error()};
    return parse_npy(*bytes, shown_path(path));
}

std::string npy_bytes(std::span<const Index> shape, std::span<const float> values) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    std::size_t product = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        header += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
        product *= static_cast<std::size_t>(shape[d]);
    }
    assert(product == values.size());
    header += shape.size() == 1 ? ",), }" : "), }";
    // Magic, version and length take 10 bytes; the data starts at a multiple of 64, after a newline.
    const std::size_t start = (10 + header.size() + 1 + 63) / 64 * 64;
    header.resize(start - 10 - 1, ' ');
    header += '\n';

    std::string bytes = "\x93NUMPY";
    bytes += {'\x01', '\x00'};
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    bytes.resize(start + product * 4);
    char* at = bytes.data() + start;
    if constexpr (std::endian::native == std::endian::little) {
        if (product > 0) std::memcpy(at, values.data(), product * 4);
    } else {
        for (const float value : values) {
            const auto bits = load<std::uint32_t>(reinterpret_cast<const char*>(&value), true);
            std::memcpy(at, &bits, 4);
            at += 4;
        }
    }
    return bytes;
}

std::string npy_bytes(const Matrix& matrix) {
    const Index shape[] = {matrix.rows(), matrix.cols()};
    return npy_bytes(shape, {matrix.data(), static_cast<std::size_t>(matrix.size())});
}

}  // namespace heed
