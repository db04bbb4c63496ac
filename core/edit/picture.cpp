#include "core/edit/picture.h"

#include "core/drawn_matrices.h"
#include "core/edit/sizes.h"
#include "core/edit/words.h"
#include "core/layers.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed {
namespace {

bool is_same_grid(const Picture& a, const Picture& b) {
    return has_picture(a) == has_picture(b) && a.columns == b.columns && a.rows == b.rows;
}

// Words stay, in front; the patches of before make room for those of now.
std::vector<std::string> renamed(const Picture& before, const Picture& after, const std::vector<std::string>& tokens,
                                 int used) {
    std::vector<std::string> names;
    bool had_patches = false;
    for (std::size_t i = 0; i < tokens.size() && i < static_cast<std::size_t>(used); ++i) {
        const bool is_patch = patch_of(before, tokens[i]).has_value();
        had_patches = had_patches || is_patch;
        if (!is_patch) names.push_back(tokens[i]);
    }
    if (!had_patches) return tokens;  // a sentence on this side: the picture is on the other one
    for (std::string& name : patch_labels(after)) names.push_back(std::move(name));
    return names;
}

int fitting(const Model& model, Size size, std::size_t count) {
    return std::clamp(static_cast<int>(count), 1, largest_size(model, size));
}

}  // namespace

void follow_picture(const Model& before, Model& after) {
    if (has_picture(*after.picture) && !is_same_grid(*before.picture, *after.picture)) {
        if (!has_picture(*before.picture)) {
            after.query_tokens = patch_labels(*after.picture);
            after.self_attention = true;
            after.source = Source::projected;
            after.embeddings = Embeddings::by_word;
            after.query_offset = 0;
        } else {
            after.query_tokens = renamed(*before.picture, *after.picture, before.query_tokens, before.n_queries);
            after.key_tokens = renamed(*before.picture, *after.picture, before.key_tokens, before.n_keys);
        }
        if (after.query_tokens != before.query_tokens)
            after.n_queries = fitting(after, Size::n_queries, after.query_tokens.size());
        if (after.key_tokens != before.key_tokens) after.n_keys = fitting(after, Size::n_keys, after.key_tokens.size());
        for_each_layer(after, [](Model& layer) { layer.mask->grid_columns = layer.picture->columns; });
    }
    follow_words(before, after);
    // What W_Q and W_K are drawn as follows the picture, too.
    forget_drawn_matrices(before, after);
}

namespace {

template <typename Change>
void edit_picture(Model& model, Change&& change) {
    const Model before = model;
    change(*model.picture);
    if (model.picture == before.picture) return;
    follow_picture(before, model);
    fit_matrices(model);
}

}  // namespace

void fit_grid(Picture& picture, int wanted) {
    const double width = std::max(1, picture_width(picture));
    const double height = std::max(1, picture_height(picture));
    const auto along = [&](double share) {
        return std::clamp(static_cast<int>(std::lround(std::sqrt(wanted * share))), 1, max_patches);
    };
    picture.columns = along(width / height);
    picture.rows = along(height / width);
}

void show_picture(Model& model, Picture picture) {
    picture.place_share = model.picture->place_share;
    edit_picture(model, [&](Picture& shown) { shown = std::move(picture); });
}

bool open_picture(Model& model, Picture picture) {
    bool did_hide = false;
    for_each_layer(model, [&](Model& layer) {
        MaskSettings& mask = *layer.mask;
        did_hide = did_hide || mask.causal || mask.padding > 0 || mask.window || mask.stride > 0 || mask.block > 0 ||
                   mask.painted;
        mask.causal = mask.window = mask.painted = false;
        mask.padding = mask.stride = mask.block = 0;
    });
    show_picture(model, std::move(picture));
    return did_hide;
}

void set_patch_grid(Model& model, int columns, int rows) {
    edit_picture(model, [&](Picture& picture) {
        picture.columns = std::clamp(columns, 1, max_patches);
        picture.rows = std::clamp(rows, 1, max_patches);
    });
}

void set_place_share(Model& model, float share) {
    edit_picture(model, [&](Picture& picture) { picture.place_share = std::clamp(share, 0.0F, 1.0F); });
}

void remove_picture(Model& model) {
    edit_picture(model, [](Picture& picture) {
        picture.kind = PictureKind::none;
        picture.width = picture.height = 0;
        picture.pixels.clear();
    });
}

Model picture_model(Picture picture) {
    Model model;
    model.picture->place_share = picture.place_share;
    fit_matrices(model);
    show_picture(model, std::move(picture));
    return model;
}

Picture shuffled_patches(const Picture& picture, const std::vector<int>& order) {
    // At a size that the grid divides, so that no pixel lies in two patches.
    const auto size = [](int patches, int pixels) {
        return patches * std::clamp((pixels + patches / 2) / patches, 1, max_picture_side / patches);
    };
    const int width = size(picture.columns, picture_width(picture));
    const int height = size(picture.rows, picture_height(picture));
    const int patch_width = width / picture.columns;
    const int patch_height = height / picture.rows;
    std::vector<Rgb> pixels;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const int place = y / patch_height * picture.columns + x / patch_width;
            const int from = order[static_cast<std::size_t>(place)];
            const int column = from % picture.columns, row = from / picture.columns;
            const double left = column * patch_width + x % patch_width;
            const double top = row * patch_height + y % patch_height;
            const Rgbf mean = mean_color(picture, left / width, top / height, (left + 1) / width, (top + 1) / height);
            const auto byte = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
            pixels.push_back({byte(mean.r), byte(mean.g), byte(mean.b)});
        }
    Picture shuffled = own_picture(width, height, pixels);
    shuffled.columns = picture.columns;
    shuffled.rows = picture.rows;
    shuffled.place_share = picture.place_share;
    return shuffled;
}

}  // namespace heed
