#include "app/import_matrix.h"

#include "core/edit/matrices.h"
#include "core/edit/sizes.h"
#include "core/files/csv.h"
#include "core/files/npy_header.h"
#include "core/files/shown.h"
#include "core/model/mask_settings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed::app {

namespace {

// The array as count matrices of rows × cols.
struct Layers {
    int count = 1;
    int rows = 1;
    int cols = 1;
    bool has_heads = false;  // the file says how many heads there are
    const float* values = nullptr;

    Eigen::Map<const Matrix> layer(int index) const {
        return {values + static_cast<std::ptrdiff_t>(index) * rows * cols, rows, cols};
    }
};

// Sizes beyond what Heed holds are named here, before anything is allocated for them.
Status check_shape(std::span<const Index> shape, std::string_view name) {
    const auto refused = [&](std::string_view why) {
        return Error{std::string(name) + ": " + shape_text(shape) + " " + std::string(why)};
    };
    if (shape.empty() || shape.size() > 3) return refused("is not a matrix, nor a matrix for each head");
    for (const Index size : shape)
        if (size < 1) return refused("holds no numbers");
    if (shape.back() > max_tokens || (shape.size() > 1 && shape[shape.size() - 2] > max_tokens) ||
        (shape.size() == 3 && shape[0] > max_heads))
        return refused("is larger than any matrix of a model");
    return ok();
}

Layers layers_of(const NpyArray& array) {
    const std::size_t dimensions = array.shape.size();
    Layers layers;
    layers.cols = static_cast<int>(array.shape.back());
    if (dimensions > 1) layers.rows = static_cast<int>(array.shape[dimensions - 2]);
    if (dimensions == 3) layers.count = static_cast<int>(array.shape[0]);
    layers.has_heads = dimensions == 3;
    layers.values = array.values.data();
    return layers;
}

// A number that would spread through every picture as NaN; −∞ in a bias means hidden.
std::string find_bad_number(const Layers& layers, const OperandRow& row) {
    if (row.is_mask()) return {};  // anything but 0 is visible
    for (int h = 0; h < layers.count; ++h)
        for (int i = 0; i < layers.rows; ++i)
            for (int j = 0; j < layers.cols; ++j) {
                const float value = layers.layer(h)(i, j);
                if (is_allowed(row.operand, value)) continue;
                const std::string number = std::isnan(value) ? "not a number" : "infinite";
                return "the value in row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + " is " +
                       number + ", so it cannot be shown as " + std::string(row.symbol);
            }
    return {};
}

void set_side(Model& model, Side side, int length) {
    switch (side) {
        case Side::queries:
            model.n_queries = length;
            break;
        case Side::keys:  // as many keys as queries stay self-attention; another number makes it cross-attention
            model.n_keys = length;
            if (length != model.n_queries && model.self_attention) {
                model.self_attention = false;
                model.mask->causal = false;  // between two sentences "later" has no meaning
            }
            break;
        case Side::d_model:
            model.d_model = length;
            break;
        case Side::d_k:
            model.d_k = length;
            break;
        case Side::d_v:
            model.d_v = length;
            break;
        case Side::d_additive:
            model.d_additive = length;
            break;
        case Side::one:
            break;
    }
}

void set_heads(Model& model, Owner owner, int count) {
    if (owner == Owner::kv_head) {
        model.n_kv_heads = count;
        if (model.n_heads % count != 0) model.n_heads = count;
    } else {
        model.n_heads = count;
        model.n_kv_heads = std::gcd(model.n_kv_heads, count);
    }
}

// One bias or mask serves all heads; as many as heads are one each.
void put_shared(Model& model, const OperandRow& row, const Layers& layers) {
    with_member(model, row, [&](auto& member) {
        if constexpr (requires { member.size(); }) {
            using Entry = typename std::decay_t<decltype(member)>::value_type;
            member.clear();
            for (int h = 0; h < layers.count; ++h) {
                if constexpr (std::is_same_v<Entry, SharedMask>)
                    member.emplace_back(MaskMatrix((layers.layer(h).array() != 0.0F).template cast<std::uint8_t>()));
                else
                    member.emplace_back(Matrix(layers.layer(h)));
            }
        }
    });
}

void put_operand(Model& model, Operand operand, int head, const Layers& layers) {
    for (int h = 0; h < layers.count; ++h) {
        SharedMatrix& matrix =
            operand_matrix(model, operand, layers.has_heads ? h : operand_index(model, operand, head));
        matrix =
            matrix.with([&](Matrix& numbers) { numbers.topLeftCorner(layers.rows, layers.cols) = layers.layer(h); });
    }
}

// The model's settings with the array in it; its matrices are still those from before.
Result<Model> settings_after(const Model& model, const OperandRow& row, const Layers& layers, const std::string& shape,
                             std::string_view name) {
    const auto refused = [&](const std::string& why) { return Error{std::string(name) + ": " + shape + " " + why}; };
    if (layers.has_heads && row.owner == Owner::model)
        return refused("has a matrix for each head, but there is only one " + std::string(row.symbol));
    if (row.rows == Side::one && layers.rows != 1)
        return refused("has " + std::to_string(layers.rows) + " rows, but " + std::string(row.symbol) +
                       " has only one");
    if (const std::string bad = find_bad_number(layers, row); !bad.empty())
        return Error{std::string(name) + ": " + bad};
    Model changed = model;
    set_side(changed, row.rows, layers.rows);
    set_side(changed, row.cols, layers.cols);
    if (layers.has_heads) set_heads(changed, row.owner, layers.count);
    follow_heads(changed);
    switch_on(changed, row.operand);
    if (row.owner == Owner::model_or_head)
        with_member(changed, row, [&](auto& member) {
            if constexpr (requires { member.resize(1); }) member.resize(static_cast<std::size_t>(layers.count));
        });
    if (const auto sentences = check_settings(changed); !sentences.empty())
        return refused("as " + std::string(row.symbol) +
                       " would need more weights or larger matrices than Heed can hold (" + sentences.front() + ")");
    return changed;
}

}  // namespace

std::span<const ImportTarget> import_targets() {
    static const std::vector<ImportTarget> targets = [] {
        std::vector<ImportTarget> list;
        for (const OperandRow& row : operands())
            list.push_back({row.operand, row.symbol, row.is_word(),
                            std::string(side_symbol(row.rows)) + " × " + std::string(side_symbol(row.cols))});
        return list;
    }();
    return targets;
}

Result<std::string> import_size_after(const Model& model, const ImportTarget& target, const NpyArray& array,
                                      std::string_view name) {
    if (Status status = check_shape(array.shape, name); !status) return Error{status.error()};
    const Result<Model> after =
        settings_after(model, operand_row(target.operand), layers_of(array), shape_text(array.shape), name);
    if (!after) return Error{after.error()};
    return import_size(*after, target);
}

std::string_view import_note(const Model& model, const ImportTarget& target, const NpyArray& array) {
    if (!model.self_attention || !check_shape(array.shape, {})) return {};
    const Result<Model> after = settings_after(model, operand_row(target.operand), layers_of(array), {}, {});
    if (!after || after->self_attention) return {};
    return model.mask->causal ? "This makes it cross-attention and switches the causal mask off."
                              : "This makes it cross-attention.";
}

Status import_array(Model& model, const ImportTarget& target, int head, const NpyArray& array, std::string_view name) {
    if (Status status = check_shape(array.shape, name); !status) return status;
    const OperandRow& row = operand_row(target.operand);
    const Layers layers = layers_of(array);
    Result<Model> after = settings_after(model, row, layers, shape_text(array.shape), name);
    if (!after) return Error{after.error()};
    Model& changed = *after;
    const bool is_shared = row.owner == Owner::model_or_head;
    if (is_shared) put_shared(changed, row, layers);
    fit_matrices(changed);
    if (!is_shared) put_operand(changed, row.operand, head, layers);
    if (const auto sentences = check_model(changed); !sentences.empty())
        return Error{std::string(name) + ": " + sentences.front()};
    model = std::move(changed);
    return ok();
}

std::string import_size(const Model& model, const ImportTarget& target) {
    const Shape shape = operand_shape(model, target.operand);
    const int count = operand_count(model, target.operand);
    std::string text = std::to_string(shape.rows) + " × " + std::to_string(shape.cols);
    return count > 1 ? std::to_string(count) + " × " + text : text;
}

bool is_array_file(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return extension == ".npy" || extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

Result<NpyArray> read_array(const std::filesystem::path& file, const ReadProgress& progress) {
    if (file.extension() == ".npy" || file.extension() == ".NPY")
        return read_npy(file, [&](const NpyHeader& header) { return check_shape(header.shape, shown_path(file)); });
    Result<CsvTable> table = read_csv(file, progress);
    if (!table) return Error{table.error()};
    const Matrix& values = table->values;
    return NpyArray{.shape = {values.rows(), values.cols()},
                    .values = std::vector<float>(values.data(), values.data() + values.size()),
                    .kind = 'f',
                    .item_bytes = 4};
}

}  // namespace heed::app
