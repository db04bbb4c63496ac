// An array from a file put into a matrix of the model; the sizes follow the array.
#pragma once

#include "core/files/csv.h"
#include "core/files/npy.h"
#include "core/operands.h"
#include "core/result.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace heed::app {

// Where an array can go: any operand of the model.
struct ImportTarget {
    Operand operand = Operand::q;
    std::string_view name;  // as in formulas, with _{…} for a subscript: the same in every language unless it is a word
    bool is_word = false;  // through tr()
    std::string shape;     // what its rows and columns are: "n × d_{k}"
};
std::span<const ImportTarget> import_targets();

// One or two dimensions fill the matrix of `head`; a third, in front, is the heads and sets their number. Sizes, source
// and self-attention change as the array asks; what other matrices lack is drawn from the seed. On failure the model is
// as it was, and the sentence starts with `name`.
Status import_array(Model& model, const ImportTarget& target, int head, const NpyArray& array, std::string_view name);

// Whether it would be taken there, without making any of its matrices: what the model's size there would be.
Result<std::string> import_size_after(const Model& model, const ImportTarget& target, const NpyArray& array,
                                      std::string_view name);

// What else becomes of the model, as a sentence (English, through tr()): empty where nothing does.
std::string_view import_note(const Model& model, const ImportTarget& target, const NpyArray& array);

// The model's size there now: "6 × 16", or "4 × 6 × 16" where every head has its own.
std::string import_size(const Model& model, const ImportTarget& target);

// A .npy, .csv, .tsv or .txt file.
bool is_array_file(const std::filesystem::path& file);
// An array that no model could hold is refused by its header, before its numbers are read.
Result<NpyArray> read_array(const std::filesystem::path& file, const ReadProgress& progress = {});

}  // namespace heed::app
