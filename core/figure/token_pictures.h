// Tokens that are patches of a picture, as small pictures in the place of their labels.
#pragma once

#include "core/figure/context.h"
#include "core/picture/picture.h"

#include <functional>
#include <vector>

namespace heed {

struct TokenPictures {
    int side = 1;                   // cells along a side of each
    std::vector<std::uint8_t> has;  // of each token: whether it is a patch
    std::vector<Color> colors;      // tokens · side · side, row by row
    bool has_picture(int token) const {
        return token >= 0 && static_cast<std::size_t>(token) < has.size() && has[static_cast<std::size_t>(token)] != 0;
    }
    std::size_t bytes() const { return has.size() + colors.size() * sizeof(Color); }
};
using SharedPictures = std::shared_ptr<const TokenPictures>;

// Of the queries or the keys; null where none is a patch.
SharedPictures token_pictures(const FigureContext& context, bool of_queries);

// The pictures of a row of labels, each of them a token; nothing where none of them is a patch.
struct LabelPictures {
    SharedPictures of = {};
    std::vector<int> tokens = {};            // of each label
    const FigureContext* context = nullptr;  // outlives the labels
    explicit operator bool() const { return of != nullptr; }
    bool is_picture(int index) const { return of && of->has_picture(tokens[static_cast<std::size_t>(index)]); }
};
// Labels 0 … count − 1 are the tokens from `first` on, or those that token_at() names.
LabelPictures label_pictures(const FigureContext& context, bool of_queries, int count, int first = 0);
LabelPictures label_pictures(const FigureContext& context, bool of_queries, int count,
                             const std::function<int(int)>& token_at);

// One mark for all of them, one below the other or side by side; labels that are no patches leave the paper free.
void add_label_pictures(Figure& figure, const LabelPictures& labels, Rect area, bool is_down);
// One token's picture alone; nothing where it is no patch.
void add_token_picture(Figure& figure, const FigureContext& context, bool of_queries, int token, Rect area);

}  // namespace heed
