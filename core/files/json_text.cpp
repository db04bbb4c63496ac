#include "core/files/json_text.h"

#include "core/files/shown.h"

#include <algorithm>
#include <unordered_set>

namespace heed {
namespace {

constexpr std::size_t max_depth = 16;         // a scene needs six
constexpr std::size_t max_object_size = 256;  // finding a key in an ordered object takes time in proportion

std::string place(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, std::min(at, text.size()));
    const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return "line " + std::to_string(line) + ", column " +
           std::to_string(std::max<std::size_t>(1, at - std::min(at, start)));
}

// Follows the parser without building anything; each function returns whether to go on.
class Inspector : public nlohmann::json_sax<Json> {
public:
    explicit Inspector(std::string_view text) : text_(text) {}

    std::string wrong;  // empty where the text may be built

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(std::int64_t) override { return value(); }
    bool number_unsigned(std::uint64_t) override { return value(); }
    bool number_float(float, const std::string&) override { return value(); }
    bool string(std::string&) override { return value(); }
    bool binary(binary_t&) override { return value(); }

    bool start_object(std::size_t) override { return open(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(std::string& name) override {
        if (keys_.back().size() == max_object_size) return refuse("an object has more than 256 entries");
        if (!keys_.back().insert(name).second) return refuse("\"" + shown(name) + "\" is given twice");
        return true;
    }

    bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception& error) override {
        // "[json.exception…] parse error at line 1, column 2: syntax error while parsing value - unexpected …; expected …"
        std::string_view message = error.what();
        if (const std::size_t dash = message.find(" - "); dash != std::string_view::npos)
            message.remove_prefix(dash + 3);
        if (const std::size_t bracket = message.find("] ");
            bracket != std::string_view::npos && message.starts_with('['))
            message.remove_prefix(bracket + 2);
        message = message.substr(0, message.find("; last read"));
        return refuse(place(text_, at) + ": this is not JSON (" + shown(message, 120) + ")");
    }

private:
    // What is built takes many times the bytes of the text, a bracket most of all.
    bool value() { return ++n_values_ <= max_json_values || refuse("there are more values than in any scene"); }
    bool open() {
        keys_.emplace_back();
        if (++n_brackets_ > max_json_brackets) return refuse("there are more lists than in any scene");
        return keys_.size() <= max_depth || refuse("the brackets are nested deeper than in any scene");
    }
    bool close() {
        keys_.pop_back();
        return true;
    }
    bool refuse(std::string why) {
        wrong = std::move(why);
        return false;
    }

    std::string_view text_;
    std::size_t n_values_ = 0, n_brackets_ = 0;
    std::vector<std::unordered_set<std::string>> keys_;  // of the objects that are open; empty sets for arrays
};

// Appends value on one line, or gives up once it would take more than limit characters.
bool append_line(const Json& value, std::size_t limit, std::string& out) {
    const std::size_t start = out.size();
    const auto fits = [&] { return out.size() - start <= limit; };
    if (value.is_object()) {
        out += '{';
        for (auto it = value.begin(); it != value.end(); ++it) {
            if (it != value.begin()) out += ", ";
            out += Json(it.key()).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
            if (!fits() || !append_line(it.value(), limit, out)) return false;
        }
        out += '}';
    } else if (value.is_array()) {
        out += '[';
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (i > 0) out += ", ";
            if (!fits() || !append_line(value[i], limit, out)) return false;
        }
        out += ']';
    } else {
        out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return fits();
}

void append(const Json& value, std::size_t indent, std::string& out) {
    constexpr std::size_t short_line = 90, any_length = static_cast<std::size_t>(-1);
    const bool is_row = value.is_array() &&
                        std::none_of(value.begin(), value.end(), [](const Json& part) { return part.is_structured(); });
    const std::size_t start = out.size();
    if (indent > 0 || value.is_primitive()) {
        if (append_line(value, is_row || value.is_primitive() ? any_length : short_line, out)) return;
        out.resize(start);
    }
    const std::string margin(indent + 2, ' ');
    out += value.is_object() ? "{" : "[";
    for (auto it = value.begin(); it != value.end(); ++it) {
        out += (it == value.begin() ? "\n" : ",\n") + margin;
        if (value.is_object()) out += Json(it.key()).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
        append(it.value(), indent + 2, out);
    }
    out += "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view name) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return Error{std::string(name) + ": the file is empty"};
    // The parser would take it for the end and not look at the rest.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return Error{std::string(name) + ": " + place(text, nul + 1) + ": this is not JSON (there is a zero byte)"};
    Inspector inspector(text);
    const bool good = Json::sax_parse(text.begin(), text.end(), &inspector);
    if (!good) return Error{std::string(name) + ": " + inspector.wrong};
    return Json::parse(text.begin(), text.end(), nullptr, false);
}

std::string format_json(const Json& value) {
    std::string text;
    append(value, 0, text);
    return text + "\n";
}

}  // namespace heed
