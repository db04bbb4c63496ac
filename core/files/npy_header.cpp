#include "core/files/npy_header.h"

#include "core/files/npy.h"
#include "core/files/shown.h"

#include <bit>
#include <optional>
#include <string>

namespace heed {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header_bytes = 65535;  // what version 1.0 can express; ours needs about 120
constexpr std::size_t max_dimensions = 4;

// A dictionary literal with exactly the keys 'descr', 'fortran_order' and 'shape', in any order.
class DictionaryParser {
public:
    explicit DictionaryParser(std::string_view text) : text_(text) {}

    // Fills header; otherwise the returned text says what is wrong, without the file's name.
    std::optional<std::string> parse(NpyHeader& header) {
        bool has_descr = false, has_order = false, has_shape = false;
        if (!take('{')) return expected("'{'");
        while (!take('}')) {
            const std::optional<std::string_view> key = quoted();
            if (!key) return expected("a quoted key");
            if (!take(':')) return expected("':'");
            bool* seen = *key == "descr"           ? &has_descr
                         : *key == "fortran_order" ? &has_order
                         : *key == "shape"         ? &has_shape
                                                   : nullptr;
            if (!seen) return "the header has an unknown entry '" + shown(*key) + "'";
            if (*seen) return "the header has two entries '" + shown(*key) + "'";
            *seen = true;
            std::optional<std::string> wrong = *key == "descr"           ? descr(header)
                                               : *key == "fortran_order" ? fortran_order(header)
                                                                         : shape(header);
            if (wrong) return wrong;
            if (take(',')) continue;
            if (!take('}')) return expected("',' or '}'");
            break;
        }
        skip_spaces();
        if (at_ != text_.size()) return "the header goes on after its closing brace";
        if (!has_descr) return "the header has no 'descr' (element type)";
        if (!has_order) return "the header has no 'fortran_order'";
        if (!has_shape) return "the header has no 'shape'";
        return std::nullopt;
    }

private:
    std::optional<std::string> descr(NpyHeader& header) {
        skip_spaces();
        if (at_ < text_.size() && text_[at_] == '[') return "a structured array is not supported, only plain numbers";
        const std::optional<std::string_view> type = quoted();
        if (!type) return expected("the element type in quotes");
        const std::string_view known[] = {"f2", "f4", "f8", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};
        const char order = type->empty() ? ' ' : type->front();
        bool supported = false;
        if (order == '<' || order == '>' || order == '|' || order == '=')
            for (const std::string_view name : known) supported = supported || type->substr(1) == name;
        if (!supported)
            return "the element type '" + shown(*type) +
                   "' is not supported; use float16, float32, float64, bool or an integer";
        const char native = std::endian::native == std::endian::little ? '<' : '>';
        header.byte_order = order == '|' || order == '=' ? native : order;
        header.kind = (*type)[1];
        header.item_bytes = (*type)[2] - '0';
        return std::nullopt;
    }

    std::optional<std::string> fortran_order(NpyHeader& header) {
        skip_spaces();
        header.fortran_order = text_.substr(at_, 4) == "True";
        if (!header.fortran_order && text_.substr(at_, 5) != "False")
            return expected("True or False for 'fortran_order'");
        at_ += header.fortran_order ? 4 : 5;
        return std::nullopt;
    }

    std::optional<std::string> shape(NpyHeader& header) {
        if (!take('(')) return expected("'(' for 'shape'");
        while (!take(')')) {
            skip_spaces();
            const std::size_t start = at_;
            Index length = 0;
            bool too_long = false;
            for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
                length = length * 10 + (text_[at_] - '0');
                too_long = too_long || length > max_npy_values;
                if (too_long) length = 0;
            }
            if (at_ == start) return expected("a length in 'shape'");
            if (too_long)
                return "'shape' has the length " + shown(text_.substr(start, at_ - start)) + ", more than the " +
                       std::to_string(max_npy_values) + " numbers that are read";
            if (header.shape.size() == max_dimensions)
                return "'shape' has more than " + std::to_string(max_dimensions) + " dimensions";
            header.shape.push_back(length);
            take('L');  // Python 2 wrote long integers so
            if (take(',')) continue;
            if (!take(')')) return expected("',' or ')' in 'shape'");
            if (header.shape.size() == 1) return "'shape' is (" + std::to_string(length) + "), which is not a tuple";
            break;
        }
        // Each length is at most 2^28, so a product of two factors below that bound cannot overflow.
        for (const Index length : header.shape) {
            header.n_values *= length;
            if (header.n_values > max_npy_values)
                return "'shape' is " + shape_text(header.shape) + ", more than the " + std::to_string(max_npy_values) +
                       " numbers that are read";
        }
        return std::nullopt;
    }

    void skip_spaces() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    }

    bool take(char wanted) {
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    // A string without escapes: no key or plain element type needs one.
    std::optional<std::string_view> quoted() {
        skip_spaces();
        if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return inside;
    }

    std::string expected(std::string_view what) const {
        std::string sentence =
            "the header should have " + std::string(what) + " at character " + std::to_string(at_ + 1);
        if (at_ == text_.size()) return sentence + ", but ends there";
        return sentence + ", but has \"" + shown(text_.substr(at_), 12) + "\"";
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view bytes, std::string_view name) {
    const auto refuse = [&](const std::string& why) { return Error{std::string(name) + ": " + why}; };
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };

    if (bytes.empty()) return refuse("the file is empty");
    if (!bytes.starts_with(magic)) {
        if (magic.starts_with(bytes)) return refuse("the file ends after " + std::to_string(bytes.size()) + " bytes");
        return refuse("this is not an NPY file (it does not start with \\x93NUMPY)");
    }
    if (bytes.size() < 8) return refuse("the file ends after " + std::to_string(bytes.size()) + " bytes");

    const std::size_t major = byte(6), minor = byte(7);
    if (major < 1 || major > 3 || minor != 0)
        return refuse("the format version " + std::to_string(major) + "." + std::to_string(minor) +
                      " is not 1.0, 2.0 or 3.0");
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    if (bytes.size() < 8 + length_bytes)
        return refuse("the file ends after " + std::to_string(bytes.size()) + " bytes");
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(8 + i) << (8 * i);

    const std::size_t start = 8 + length_bytes;
    if (length > max_header_bytes)
        return refuse("the header has " + std::to_string(length) + " bytes, more than the " +
                      std::to_string(max_header_bytes) + " that are read");
    if (length > bytes.size() - start)
        return refuse("the header should have " + std::to_string(length) + " bytes, but the file ends after " +
                      std::to_string(bytes.size() - start));

    NpyHeader header;
    header.data_start = start + length;
    if (const auto wrong = DictionaryParser(bytes.substr(start, length)).parse(header)) return refuse(*wrong);
    return header;
}

}  // namespace heed
