// An array from a file put into a matrix of the model; the sizes follow the array.
#pragma once

#include "core/files/npy.h"
#include "core/model.h"
#include "core/result.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace heed::app {

// Where an array can go.
struct ImportTarget {
    std::string_view name;   // as in formulas, with _{…} for a subscript: the same in every language
    std::string_view shape;  // what its rows and columns are: "n × d_{k}"
    bool is_mask = false;    // the painted mask; otherwise the operand
    Operand operand = Operand::q;
};
std::span<const ImportTarget> import_targets();

// One or two dimensions fill the matrix of `head`; a third, in front, is the heads and sets their number. Sizes, source
// and self-attention change as the array asks; what other matrices lack is drawn from the seed. On failure the model is
// as it was, and the sentence starts with `name`.
Status import_array(Model& model, const ImportTarget& target, int head, const NpyArray& array, std::string_view name);

// The model's size there now: "6 × 16", or "4 × 6 × 16" where every head has its own.
std::string import_size(const Model& model, const ImportTarget& target);

// A .npy, .csv, .tsv or .txt file.
bool is_array_file(const std::filesystem::path& file);
Result<NpyArray> read_array(const std::filesystem::path& file);

}  // namespace heed::app
