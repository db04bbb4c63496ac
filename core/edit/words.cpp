#include "core/edit/words.h"

#include "core/drawn_matrices.h"
#include "core/model/position_settings.h"
#include "core/operands.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>

namespace heed {
namespace {

std::string word_at(const Model& model, Operand operand, Index row) {
    return operand == Operand::x ? query_word(model, row) : key_word(model, row);
}

std::vector<std::string> words_of(const Model& model, Operand operand, Index rows) {
    std::vector<std::string> words;
    words.reserve(static_cast<std::size_t>(rows));
    for (Index row = 0; row < rows; ++row) words.push_back(word_at(model, operand, row));
    return words;
}

// Each number that the seed drew before becomes what it draws now; the others stay.
void draw_again(const Model& before, const Model& after, Operand operand, Matrix& matrix) {
    for (Index i = 0; i < matrix.rows(); ++i) {
        const DrawnRow old(before, operand, 0, i);
        const DrawnRow now(after, operand, 0, i);
        for (Index j = 0; j < matrix.cols(); ++j)
            if (matrix(i, j) == old(j)) matrix(i, j) = now(j);
    }
}

// For each stored row the row it comes from, or −1: tokens in use by their words, and what no token uses stays.
std::vector<int> sources(const Model& before, const Model& after, Operand operand, Index stored, Index rows) {
    const Index used_before = std::min(operand_shape(before, operand).rows, stored);
    const Index used_after = operand_shape(after, operand).rows;
    std::vector<int> from = places_before(words_of(before, operand, used_before), words_of(after, operand, used_after));
    for (Index row = used_after; row < rows; ++row) {
        const bool stays =
            row >= used_before && row < stored && word_at(before, operand, row) == word_at(after, operand, row);
        from.push_back(stays ? static_cast<int>(row) : -1);
    }
    return from;
}

void move_to_words(const Model& before, const Model& after, Operand operand, SharedMatrix& matrix) {
    const Index rows = std::max(matrix.rows(), operand_shape(after, operand).rows);
    const std::vector<int> from = sources(before, after, operand, matrix.rows(), rows);
    Matrix moved(rows, matrix.cols());
    for (Index i = 0; i < rows; ++i) {
        if (const int source = from[static_cast<std::size_t>(i)]; source >= 0) {
            moved.row(i) = matrix->row(source);
            continue;
        }
        const DrawnRow drawn(after, operand, 0, i);
        for (Index j = 0; j < moved.cols(); ++j) moved(i, j) = drawn(j);
    }
    matrix = SharedMatrix(std::move(moved));
}

void follow(const Model& before, Model& after, Operand operand) {
    SharedMatrix& matrix = operand_matrix(after, operand, 0);
    if (matrix.empty() || matrix != operand_matrix(before, operand, 0)) return;
    const auto deviation = operand_row(operand).deviation;
    if (before.embeddings != after.embeddings || before.picture != after.picture ||
        deviation(before) != deviation(after))
        matrix = matrix.with([&](Matrix& numbers) {
            // The words are still those of before: moving comes next.
            Model drawn = after;
            drawn.query_tokens = before.query_tokens;
            drawn.key_tokens = before.key_tokens;
            draw_again(before, drawn, operand, numbers);
        });
    const bool is_renamed =
        operand == Operand::x ? before.query_tokens != after.query_tokens : before.key_tokens != after.key_tokens;
    if (after.embeddings == Embeddings::by_word && is_renamed) move_to_words(before, after, operand, matrix);
}

}  // namespace

std::vector<int> places_before(const std::vector<std::string>& before, const std::vector<std::string>& after) {
    std::vector<int> places(after.size(), -1);
    std::size_t first = 0;
    const std::size_t shorter = std::min(before.size(), after.size());
    while (first < shorter && before[first] == after[first]) ++first;
    std::size_t last = 0;
    while (last < shorter - first && before[before.size() - 1 - last] == after[after.size() - 1 - last]) ++last;
    for (std::size_t i = 0; i < first; ++i) places[i] = static_cast<int>(i);
    for (std::size_t i = 0; i < last; ++i) places[after.size() - 1 - i] = static_cast<int>(before.size() - 1 - i);
    std::unordered_map<std::string, std::deque<int>> between;
    for (std::size_t i = first; i < before.size() - last; ++i) between[before[i]].push_back(static_cast<int>(i));
    for (std::size_t i = first; i < after.size() - last; ++i)
        if (const auto found = between.find(after[i]); found != between.end() && !found->second.empty()) {
            places[i] = found->second.front();
            found->second.pop_front();
        }
    return places;
}

std::vector<int> order_of(const std::vector<std::string>& before, const std::vector<std::string>& after) {
    if (before.size() != after.size() || before == after) return {};
    std::vector<int> places = places_before(before, after);
    if (std::find(places.begin(), places.end(), -1) != places.end()) places.clear();
    return places;
}

void follow_words(const Model& before, Model& after) {
    follow(before, after, Operand::x);
    follow(before, after, Operand::y);
}

void set_position(Model& model, std::string_view id) {
    const Model before = model;
    model.position->encoding = std::string(id);
    follow_words(before, model);
}

void set_embeddings(Model& model, Embeddings embeddings) {
    const Model before = model;
    model.embeddings = embeddings;
    follow_words(before, model);
    if (!has_picture(*model.picture)) return;
    forget_drawn_matrices(before, model);  // what W_Q and W_K compare follows, too
    fit_matrices(model);
}

}  // namespace heed
