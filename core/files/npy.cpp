#include "core/files/npy.h"

#include "core/files/npy_header.h"
#include "core/files/read_file.h"
#include "core/files/shown.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

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
void convert(const char* data, bool swap, char kind, std::span<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = number(load<Unsigned>(data + i * sizeof(Unsigned), swap), kind);
}

void convert(const char* data, const NpyHeader& header, std::span<float> values) {
    const bool swap = (header.byte_order == '<') != (std::endian::native == std::endian::little);
    switch (header.item_bytes) {
        case 1:
            return convert<std::uint8_t>(data, swap, header.kind, values);
        case 2:
            return convert<std::uint16_t>(data, swap, header.kind, values);
        case 4:
            return convert<std::uint32_t>(data, swap, header.kind, values);
        default:
            return convert<std::uint64_t>(data, swap, header.kind, values);
    }
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

namespace {

Status check_data_bytes(const NpyHeader& header, std::uintmax_t data_bytes, std::string_view name) {
    const auto wanted = static_cast<std::uintmax_t>(header.n_values) * static_cast<std::uintmax_t>(header.item_bytes);
    if (data_bytes == wanted) return ok();
    return Error{std::string(name) + ": the header says " + shape_text(header.shape) + " " +
                 type_name(header.kind, header.item_bytes) + " (" + std::to_string(wanted) +
                 " bytes), but the file holds " + std::to_string(data_bytes) + " bytes of data"};
}

NpyArray array_for(const NpyHeader& header) {
    return {.shape = header.shape,
            .values = std::vector<float>(static_cast<std::size_t>(header.n_values)),
            .kind = header.kind,
            .item_bytes = header.item_bytes};
}

void order(const NpyHeader& header, NpyArray& array) {
    if (header.fortran_order && header.shape.size() > 1) array.values = to_c_order(array.values, header.shape);
}

// The header, with the file's size held against it. `start` is what was read of the file.
Result<NpyHeader> header_of(InputFile& file, std::string& start) {
    if (Status status = check_size(file, max_file_bytes); !status) return Error{status.error()};
    start.resize(static_cast<std::size_t>(std::min<std::uintmax_t>(file.size(), max_npy_header_bytes)));
    const Result<std::size_t> filled = file.read(start);
    if (!filled) return Error{filled.error()};
    start.resize(*filled);
    Result<NpyHeader> header = parse_npy_header(start, file.name());
    if (!header) return header;
    const std::uintmax_t data_bytes = file.size() - std::min<std::uintmax_t>(file.size(), header->data_start);
    if (Status status = check_data_bytes(*header, data_bytes, file.name()); !status) return Error{status.error()};
    return header;
}

}  // namespace

Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name) {
    Result<NpyHeader> header = parse_npy_header(bytes, name);
    if (!header) return Error{header.error()};
    const std::string_view data = bytes.substr(header->data_start);
    if (Status status = check_data_bytes(*header, data.size(), name); !status) return Error{status.error()};
    NpyArray array = array_for(*header);
    convert(data.data(), *header, array.values);
    order(*header, array);
    return array;
}

Result<NpyHeader> read_npy_header(const std::filesystem::path& path) {
    Result<InputFile> file = InputFile::open(path);
    if (!file) return Error{file.error()};
    std::string start;
    return header_of(*file, start);
}

Result<NpyArray> read_npy(const std::filesystem::path& path) {
    return read_npy(path, [](const NpyHeader&) { return ok(); });
}

Result<NpyArray> read_npy(const std::filesystem::path& path, const std::function<Status(const NpyHeader&)>& check) {
    Result<InputFile> file = InputFile::open(path);
    if (!file) return Error{file.error()};
    std::string start;
    const Result<NpyHeader> header = header_of(*file, start);
    if (!header) return Error{header.error()};
    if (Status status = check(*header); !status) return Error{status.error()};

    // A piece at a time: the file and its numbers are never both in memory.
    NpyArray array = array_for(*header);
    const auto item_bytes = static_cast<std::size_t>(header->item_bytes);
    std::string piece = start.substr(std::min(start.size(), header->data_start));
    std::size_t done = 0;
    for (;;) {
        const std::size_t items = std::min(piece.size() / item_bytes, array.values.size() - done);
        convert(piece.data(), *header, std::span(array.values).subspan(done, items));
        done += items;
        if (done == array.values.size()) break;
        piece.erase(0, items * item_bytes);
        const std::size_t kept = piece.size();
        piece.resize(kept + (std::size_t{1} << 20));
        const Result<std::size_t> got = file->read(std::span(piece).subspan(kept));
        if (!got) return Error{got.error()};
        if (*got == 0) return Error{file->name() + ": the file was shortened while it was read"};
        piece.resize(kept + *got);
    }
    order(*header, array);
    return array;
}

std::string npy_start(std::span<const Index> shape) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (std::size_t d = 0; d < shape.size(); ++d) header += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
    header += shape.size() == 1 ? ",), }" : "), }";
    // Magic, version and length take 10 bytes; the data starts at a multiple of 64, after a newline.
    const std::size_t start = (10 + header.size() + 1 + 63) / 64 * 64;
    header.resize(start - 10 - 1, ' ');
    header += '\n';

    std::string bytes = "\x93NUMPY";
    bytes += {'\x01', '\x00'};
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    return bytes + header;
}

std::string_view npy_numbers(std::span<const float> values, std::string& room) {
    if constexpr (std::endian::native == std::endian::little)
        return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
    room.resize(values.size_bytes());
    char* at = room.data();
    for (const float value : values) {
        const auto bits = load<std::uint32_t>(reinterpret_cast<const char*>(&value), true);
        std::memcpy(at, &bits, 4);
        at += 4;
    }
    return room;
}

std::string npy_bytes(std::span<const Index> shape, std::span<const float> values) {
    assert(std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()) ==
           static_cast<Index>(values.size()));
    std::string room;
    return npy_start(shape).append(npy_numbers(values, room));
}

std::string npy_bytes(const Matrix& matrix) {
    const Index shape[] = {matrix.rows(), matrix.cols()};
    return npy_bytes(shape, {matrix.data(), static_cast<std::size_t>(matrix.size())});
}

}  // namespace heed
