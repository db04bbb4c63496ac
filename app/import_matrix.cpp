#include "app/import_matrix.h"

#include "core/edit/sizes.h"
#include "core/files/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace heed::app {

namespace {

constexpr std::array targets{
    ImportTarget{"Q", "n × d_{k}", false, Operand::q},
    ImportTarget{"K", "m × d_{k}", false, Operand::k},
    ImportTarget{"V", "m × d_{v}", false, Operand::v},
    ImportTarget{"X", "n × d_{model}", false, Operand::x},
    ImportTarget{"Y", "m × d_{model}", false, Operand::y},
    ImportTarget{"W_{Q}", "d_{model} × d_{k}", false, Operand::w_q},
    ImportTarget{"W_{K}", "d_{model} × d_{k}", false, Operand::w_k},
    ImportTarget{"W_{V}", "d_{model} × d_{v}", false, Operand::w_v},
    ImportTarget{"W_{O}", "d_{v} × d_{model}", false, Operand::w_o},
    ImportTarget{"bias", "n × m", false, Operand::bias},
    ImportTarget{"mask", "n × m", true, Operand::bias},
};

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

std::string shape_of(const NpyArray& array) { return shape_text(array.shape); }

// Sizes beyond what Heed holds are named here, before anything is allocated for them.
Result<Layers> layers_of(const NpyArray& array, std::string_view name) {
    const auto refused = [&](std::string_view why) {
        return Error{std::string(name) + ": " + shape_of(array) + " " + std::string(why)};
    };
    if (array.shape.empty() || array.shape.size() > 3) return refused("is not a matrix, nor a matrix for each head");
    for (const Index size : array.shape)
        if (size < 1) return refused("holds no numbers");
    const std::size_t dimensions = array.shape.size();
    if (array.shape.back() > max_tokens || (dimensions > 1 && array.shape[dimensions - 2] > max_tokens) ||
        (dimensions == 3 && array.shape[0] > max_heads))
        return refused("is larger than any matrix of a model");
    Layers layers;
    layers.cols = static_cast<int>(array.shape.back());
    if (dimensions > 1) layers.rows = static_cast<int>(array.shape[dimensions - 2]);
    if (dimensions == 3) layers.count = static_cast<int>(array.shape[0]);
    layers.has_heads = dimensions == 3;
    layers.values = array.values.data();
    return layers;
}

// A number that would spread through every picture as NaN; −∞ in a bias means hidden.
std::string find_bad_number(const Layers& layers, const ImportTarget& target) {
    if (target.is_mask) return {};
    for (int h = 0; h < layers.count; ++h)
        for (int i = 0; i < layers.rows; ++i)
            for (int j = 0; j < layers.cols; ++j) {
                const float value = layers.layer(h)(i, j);
                const bool hides = target.operand == Operand::bias && std::isinf(value) && value < 0;
                if (std::isfinite(value) || hides) continue;
                const std::string number = std::isnan(value) ? "not a number" : "infinite";
                return "the value in row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + " is " +
                       number + ", so it cannot be shown as " + std::string(target.name);
            }
    return {};
}

void set_queries(Model& model, int n) { model.n_queries = n; }

// As many keys as queries stay self-attention; another number makes it cross-attention.
void set_keys(Model& model, int m) {
    model.n_keys = m;
    if (m != model.n_queries) model.self_attention = false;
}

void set_sizes(Model& model, const ImportTarget& target, int rows, int cols) {
    if (target.is_mask || target.operand == Operand::bias) {
        set_queries(model, rows);
        set_keys(model, cols);
        return;
    }
    switch (target.operand) {
        case Operand::q:
            set_queries(model, rows);
            model.d_k = cols;
            break;
        case Operand::k:
            set_keys(model, rows);
            model.d_k = cols;
            break;
        case Operand::v:
            set_keys(model, rows);
            model.d_v = cols;
            break;
        case Operand::x:
            set_queries(model, rows);
            model.d_model = cols;
            break;
        case Operand::y:
            model.self_attention = false;
            model.n_keys = rows;
            model.d_model = cols;
            break;
        case Operand::w_q:
        case Operand::w_k:
            model.d_model = rows;
            model.d_k = cols;
            break;
        case Operand::w_v:
            model.d_model = rows;
            model.d_v = cols;
            break;
        case Operand::w_o:
            model.d_v = rows;
            model.d_model = cols;
            break;
        default:
            break;
    }
}

bool is_one_per_kv_head(Operand operand) {
    return operand == Operand::k || operand == Operand::v || operand == Operand::w_k || operand == Operand::w_v;
}

void set_heads(Model& model, const ImportTarget& target, int count) {
    if (!target.is_mask && is_one_per_kv_head(target.operand)) {
        model.n_kv_heads = count;
        if (model.n_heads % count != 0) model.n_heads = count;
    } else {
        model.n_heads = count;
        model.n_kv_heads = std::gcd(model.n_kv_heads, count);
    }
}

void set_source(Model& model, const ImportTarget& target) {
    if (target.is_mask) {
        model.mask.painted = true;
        return;
    }
    switch (target.operand) {
        case Operand::q:
        case Operand::k:
        case Operand::v:
            model.source = Source::direct;
            break;
        case Operand::bias:
            model.bias_on = true;
            break;
        case Operand::w_o:
            model.output_projection = true;
            break;
        default:
            model.source = Source::projected;
            break;
    }
}

bool is_single(const ImportTarget& target) {
    return !target.is_mask && (target.operand == Operand::x || target.operand == Operand::y);
}

void put_mask(Model& model, const Layers& layers) {
    model.painted_mask.resize(static_cast<std::size_t>(layers.count));
    for (int h = 0; h < layers.count; ++h) {
        MaskMatrix mask = (layers.layer(h).array() != 0.0F).cast<std::uint8_t>();
        model.painted_mask[static_cast<std::size_t>(h)] = SharedMask(std::move(mask));
    }
}

// One bias serves all heads; as many as heads are one each.
void put_bias(Model& model, const Layers& layers) {
    model.bias.resize(static_cast<std::size_t>(layers.count));
    for (int h = 0; h < layers.count; ++h)
        model.bias[static_cast<std::size_t>(h)] = SharedMatrix(Matrix(layers.layer(h)));
}

void put_operand(Model& model, Operand operand, int head, const Layers& layers) {
    for (int h = 0; h < layers.count; ++h) {
        const int index = layers.has_heads ? h : std::clamp(head, 0, operand_count(model, operand) - 1);
        SharedMatrix& matrix = operand_matrix(model, operand, index);
        matrix =
            matrix.with([&](Matrix& numbers) { numbers.topLeftCorner(layers.rows, layers.cols) = layers.layer(h); });
    }
}

}  // namespace

std::span<const ImportTarget> import_targets() { return targets; }

Status import_array(Model& model, const ImportTarget& target, int head, const NpyArray& array, std::string_view name) {
    const Result<Layers> read = layers_of(array, name);
    if (!read) return Error{read.error()};
    const Layers& layers = *read;
    if (layers.has_heads && is_single(target))
        return Error{std::string(name) + ": " + shape_of(array) +
                     " has a matrix for each head, but there is only one " + std::string(target.name)};
    if (const std::string bad = find_bad_number(layers, target); !bad.empty())
        return Error{std::string(name) + ": " + bad};

    Model changed = model;
    set_sizes(changed, target, layers.rows, layers.cols);
    if (layers.has_heads) set_heads(changed, target, layers.count);
    follow_heads(changed);
    set_source(changed, target);
    if (target.is_mask)
        put_mask(changed, layers);
    else if (target.operand == Operand::bias)
        put_bias(changed, layers);
    // Settings first: fit_matrices() allocates what they ask for.
    if (const auto sentences = check_settings(changed); !sentences.empty())
        return Error{std::string(name) + ": " + shape_of(array) + " as " + std::string(target.name) +
                     " would need more weights or larger matrices than Heed can hold (" + sentences.front() + ")"};
    fit_matrices(changed);
    if (!target.is_mask && target.operand != Operand::bias) {
        const int index = is_one_per_kv_head(target.operand) ? kv_head_of(changed, head) : head;
        put_operand(changed, target.operand, index, layers);
    }
    if (const auto sentences = check_model(changed); !sentences.empty())
        return Error{std::string(name) + ": " + sentences.front()};
    model = std::move(changed);
    return ok();
}

std::string import_size(const Model& model, const ImportTarget& target) {
    const Shape shape = operand_shape(model, target.operand);
    const int count =
        target.is_mask ? static_cast<int>(model.painted_mask.size()) : operand_count(model, target.operand);
    std::string text = std::to_string(shape.rows) + " × " + std::to_string(shape.cols);
    return count > 1 ? std::to_string(count) + " × " + text : text;
}

bool is_array_file(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return extension == ".npy" || extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

Result<NpyArray> read_array(const std::filesystem::path& file) {
    if (file.extension() == ".npy" || file.extension() == ".NPY") return read_npy(file);
    Result<CsvTable> table = read_csv(file);
    if (!table) return Error{table.error()};
    const Matrix& values = table->values;
    return NpyArray{.shape = {values.rows(), values.cols()},
                    .values = std::vector<float>(values.data(), values.data() + values.size()),
                    .kind = 'f',
                    .item_bytes = 4};
}

}  // namespace heed::app
