// How long an embedding is beside its position, and how far a word and its place can then be told apart.
//
// Words are drawn: numbers of one deviation, independent. Their products with each other and with the positions are taken once,
// and every deviation and factor follows from them.
#pragma once

#include "core/attention/positions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

// Cosines of x + PE, means over the words and places that were drawn.
struct ToldApart {
    double words = 0;   // different words in one place: 1 means that only the place is seen
    double places = 0;  // one word in two places: 1 means that only the word is seen
};

class DrawnWords {
public:
    // Of encodings that are added. `apart`: places between the two of one word.
    DrawnWords(const PositionEncoding& encoding, int width, int apart, std::uint64_t seed);

    double word_norm(double deviation) const { return deviation * mean_norm_; }  // mean over the words
    // Of the places used: those of the words, and those that far on.
    double shortest_position() const { return shortest_; }
    double longest_position() const { return longest_; }
    double position_norm() const { return mean_position_; }  // mean over them
    int places_used() const { return places_used_; }
    // Of factor · x + PE.
    ToldApart told_apart(double deviation, double factor) const;
    std::size_t bytes() const;

    static constexpr int n_words = 32;
    static constexpr int n_places = 8;

private:
    double mean_norm_ = 0;
    double shortest_ = 0, longest_ = 0, mean_position_ = 0;
    int places_used_ = 0;
    std::vector<double> words_;         // n_words × n_words: x_a·x_b at deviation 1
    std::vector<double> here_, there_;  // n_words × n_places: x_a·PE(p) and x_a·PE(p + apart)
    std::vector<double> here_here_, there_there_, here_there_;  // n_places: products of the positions
};

}  // namespace heed
