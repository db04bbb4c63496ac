#include "core/files/scene_file_reader.h"

#include "core/layers.h"

#include <cmath>
#include <limits>

namespace heed {

std::string SceneReader::text_of(const Json& json) {
    if (json.is_object()) return "a group of fields";
    if (json.is_array()) return "a list";
    return shown(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Error SceneReader::refuse(const Json& json, const std::string& path, const char* wanted) {
    return Error{(path.empty() ? "the scene" : path) + ": " + text_of(json) + " is not " + wanted};
}

Status SceneReader::read(const Json& json, bool& value, const std::string& path) {
    if (!json.is_boolean()) return refuse(json, path, "true or false");
    value = json.get<bool>();
    return ok();
}

Status SceneReader::read(const Json& json, int& value, const std::string& path) {
    // A float such as 4.0 counts as whole; from 2^24 on floats are no longer exact.
    std::int64_t whole = 0;
    bool too_large = false;
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<int>::max())
        too_large = true;
    else if (json.is_number_integer())
        whole = json.get<std::int64_t>();
    else if (json.is_number() && std::abs(json.get<float>()) >= 0x1p24F)
        too_large = true;
    else if (json.is_number() && std::nearbyint(json.get<float>()) == json.get<float>())
        whole = static_cast<std::int64_t>(json.get<float>());
    else
        return refuse(json, path, "a whole number");
    if (too_large || whole < std::numeric_limits<int>::min())
        return Error{path + ": " + text_of(json) + " is out of all bounds"};
    value = static_cast<int>(whole);
    return ok();
}

Status SceneReader::read(const Json& json, std::uint64_t& value, const std::string& path) {
    if (!json.is_number_unsigned()) return refuse(json, path, "a whole number from 0 to 18446744073709551615");
    value = json.get<std::uint64_t>();
    return ok();
}

Status SceneReader::read(const Json& json, float& value, const std::string& path) {
    if (!json.is_number()) return refuse(json, path, "a number");
    value = json.get<float>();
    return ok();
}

Status SceneReader::read(const Json& json, std::optional<float>& value, const std::string& path) {
    if (!json.is_null() && !json.is_number()) return refuse(json, path, "a number or null");
    value = json.is_null() ? std::nullopt : std::optional(json.get<float>());
    return ok();
}

Status SceneReader::read(const Json& json, std::string& value, const std::string& path) {
    if (!json.is_string()) return refuse(json, path, "text");
    value = json.get<std::string>();
    return ok();
}

Status SceneReader::read_cell(const Json& json, float& value, const std::string& path) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    if (json.is_number())
        value = json.get<float>();
    else if (json == "nan")
        value = std::numeric_limits<float>::quiet_NaN();
    else if (json == "inf")
        value = inf;
    else if (json == "-inf")
        value = -inf;
    else
        return refuse(json, path, "a number, \"nan\", \"inf\" or \"-inf\"");
    return ok();
}

Result<Shape> SceneReader::read_size(const Json& json, const std::string& path) {
    int rows = 0, cols = 0;
    for (auto it = json.begin(); it != json.end(); ++it) {
        if (it.key() == "numbers") continue;
        if (it.key() != "rows" && it.key() != "cols")
            return Error{path + "." + shown(it.key()) +
                         ": there is no such field (a matrix from the seed has rows, cols and its own numbers)"};
        int& size = it.key() == "rows" ? rows : cols;
        const std::string size_path = path + "." + it.key();
        if (Status status = read(it.value(), size, size_path); !status) return Error{status.error()};
        if (size < 1 || size > max_tokens)
            return Error{size_path + ": " + std::to_string(size) + " is not between 1 and " +
                         std::to_string(max_tokens)};
    }
    if (rows == 0 || cols == 0) return Error{path + ": a matrix from the seed has rows and cols"};
    numbers_drawn_ += std::int64_t{rows} * cols;
    if (numbers_drawn_ > max_numbers)
        return Error{path + ": matrices from the seed would hold " + std::to_string(numbers_drawn_) +
                     " numbers, more than the " + std::to_string(max_numbers) + " Heed can hold"};
    return Shape{rows, cols};
}

Result<Shape> SceneReader::shape_of_rows(const Json& json, const std::string& path) {
    if (!json.is_array() || json.empty()) return refuse(json, path, "a matrix (a list of rows, or null)");
    for (std::size_t i = 0; i < json.size(); ++i) {
        const std::string row = path + "[" + std::to_string(i) + "]";
        if (!json[i].is_array() || json[i].empty()) return refuse(json[i], row, "a row of numbers");
        if (json[i].size() != json[0].size())
            return Error{row + ": the row has " + std::to_string(json[i].size()) + " numbers, but the first has " +
                         std::to_string(json[0].size())};
    }
    return Shape{static_cast<Index>(json.size()), static_cast<Index>(json[0].size())};
}

namespace {

// The numbers that a matrix from the seed has of its own must lie within it.
Status check_corner(Shape corner, Shape whole, const std::string& path) {
    if (corner.rows <= whole.rows && corner.cols <= whole.cols) return ok();
    return Error{path + ": " + std::to_string(corner.rows) + " × " + std::to_string(corner.cols) +
                 " is larger than the " + std::to_string(whole.rows) + " × " + std::to_string(whole.cols) +
                 " of the matrix"};
}

std::string cell_path(const std::string& path, Index row, Index col) {
    return path + "[" + std::to_string(row) + "][" + std::to_string(col) + "]";
}

const Json& cell_of(const Json& rows, Index row, Index col) {
    return rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)];
}

}  // namespace

Result<Matrix> SceneReader::read_rows(const Json& json, const std::string& path) {
    const Result<Shape> shape = shape_of_rows(json, path);
    if (!shape) return Error{shape.error()};
    Matrix matrix(shape->rows, shape->cols);
    for (Index i = 0; i < shape->rows; ++i)
        for (Index j = 0; j < shape->cols; ++j) {
            const Json& cell = cell_of(json, i, j);
            if (cell.is_number())
                matrix(i, j) = cell.get<float>();
            else if (Status status = read_cell(cell, matrix(i, j), cell_path(path, i, j)); !status)
                return Error{status.error()};
        }
    return matrix;
}

Result<MaskMatrix> SceneReader::read_mask_rows(const Json& json, const std::string& path) {
    const Result<Shape> shape = shape_of_rows(json, path);
    if (!shape) return Error{shape.error()};
    MaskMatrix mask(shape->rows, shape->cols);
    for (Index i = 0; i < shape->rows; ++i)
        for (Index j = 0; j < shape->cols; ++j) {
            const Json& cell = cell_of(json, i, j);
            if (cell != 0 && cell != 1) return refuse(cell, cell_path(path, i, j), "1 (visible) or 0 (hidden)");
            mask(i, j) = cell == 1 ? 1 : 0;
        }
    return mask;
}

Status SceneReader::read(const Json& json, SharedMatrix& value, const std::string& path) {
    if (json.is_null()) {
        value = SharedMatrix();  // fit_matrices() draws it
        return ok();
    }
    if (json.is_object()) {
        const Result<Shape> shape = read_size(json, path);
        if (!shape) return Error{shape.error()};
        Matrix corner(0, 0);
        if (const auto numbers = json.find("numbers"); numbers != json.end()) {
            Result<Matrix> read = read_rows(*numbers, path + ".numbers");
            if (!read) return Error{read.error()};
            corner = std::move(*read);
            if (Status fits = check_corner({corner.rows(), corner.cols()}, *shape, path + ".numbers"); !fits)
                return fits;
        }
        const std::size_t dot = path.rfind('.') + 1;
        const OperandRow* row = find_operand(std::string_view(path).substr(dot, path.find('[', dot) - dot));
        sized_.push_back({&value, row->operand, index_, layer_, *shape, std::move(corner)});
        return ok();
    }
    Result<Matrix> matrix = read_rows(json, path);
    if (!matrix) return Error{matrix.error()};
    value = SharedMatrix(std::move(*matrix));
    return ok();
}

Status SceneReader::read(const Json& json, SharedMask& value, const std::string& path) {
    if (json.is_null()) {
        value = SharedMask();
        return ok();
    }
    if (json.is_object()) {
        const Result<Shape> shape = read_size(json, path);
        if (!shape) return Error{shape.error()};
        MaskMatrix mask = MaskMatrix::Ones(shape->rows, shape->cols);
        if (const auto numbers = json.find("numbers"); numbers != json.end()) {
            const Result<MaskMatrix> corner = read_mask_rows(*numbers, path + ".numbers");
            if (!corner) return Error{corner.error()};
            if (Status fits = check_corner({corner->rows(), corner->cols()}, *shape, path + ".numbers"); !fits)
                return fits;
            mask.topLeftCorner(corner->rows(), corner->cols()) = *corner;
        }
        value = SharedMask(std::move(mask));
        return ok();
    }
    Result<MaskMatrix> mask = read_mask_rows(json, path);
    if (!mask) return Error{mask.error()};
    value = SharedMask(std::move(*mask));
    return ok();
}

Status SceneReader::read(const Json& json, LayerStack& stack, const std::string& path) {
    if (!json.is_array()) return refuse(json, path, "a list");
    if (json.size() >= max_layers) return Error{path + ": " + too_many(json.size(), max_layers - 1)};
    stack = {};
    const LayerOwn fresh = fresh_layer(*model_);
    int highest = 0;
    std::vector<int> layers;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const std::string at = path + "[" + std::to_string(i) + "]";
        int layer = 0;
        if (!json[i].is_object() || !json[i].contains("layer"))
            return refuse(json[i], at, "a group of fields in braces, one of them the number of its layer");
        if (Status status = read(json[i]["layer"], layer, at + ".layer"); !status) return status;
        if (const std::string why = wrong(layer, Between{1, max_layers - 1}); !why.empty())
            return Error{at + ".layer: " + why};
        if (std::find(layers.begin(), layers.end(), layer) != layers.end())
            return Error{at + ".layer: " + std::to_string(layer) + " was there before"};
        layers.push_back(layer);
        highest = std::max(highest, layer);
    }
    if (layers.empty()) return ok();
    stack.others.assign(static_cast<std::size_t>(highest) + 1, fresh);
    stack.others.front() = {};
    for (std::size_t i = 0; i < json.size(); ++i) {
        Json own = json[i];
        own.erase("layer");
        layer_ = layers[i];
        if (Status status =
                read(own, stack.others[static_cast<std::size_t>(layer_)], path + "[" + std::to_string(i) + "]");
            !status)
            return status;
    }
    layer_ = 0;
    return ok();
}

void SceneReader::draw_sized_matrices(const Model& model) const {
    Model of = model;
    for (const Sized& one : sized_) {
        of.layers.held = one.layer;  // whose draws they are
        Matrix matrix = drawn_matrix(of, one.operand, one.index, one.shape);
        matrix.topLeftCorner(one.corner.rows(), one.corner.cols()) = one.corner;
        *one.matrix = SharedMatrix(std::move(matrix));
    }
}

}  // namespace heed
