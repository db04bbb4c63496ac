// A picture's patches as tokens: embeddings, masks in two dimensions, distances, and what stays true when tokens change.
#include "core/edit/picture.h"
#include "core/attention/masks.h"
#include "core/attention/pipeline.h"
#include "core/drawn_matrices.h"
#include "core/edit/reorder.h"
#include "core/edit/sizes.h"
#include "core/edit/tokens.h"
#include "core/edit/words.h"
#include "core/layers.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/order/permutation.h"
#include "core/picture/patch_tokens.h"
#include "core/picture/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace heed {
namespace {

Picture example_picture() {
    Picture picture;
    picture.kind = PictureKind::example;
    return picture;
}

Model example_model() { return picture_model(example_picture()); }

// Of flat patches: each of one colour, none like another.
Picture striped(int columns, int rows) {
    std::vector<Rgb> pixels;
    for (int y = 0; y < rows * 4; ++y)
        for (int x = 0; x < columns * 4; ++x) {
            const int patch = y / 4 * columns + x / 4;
            pixels.push_back({static_cast<std::uint8_t>(patch * 37), static_cast<std::uint8_t>(255 - patch * 11),
                              static_cast<std::uint8_t>(patch * patch * 5)});
        }
    Picture picture = own_picture(columns * 4, rows * 4, pixels);
    picture.columns = columns;
    picture.rows = rows;
    return picture;
}

std::vector<int> shuffled_order(int n) {
    const Permutation p = shuffled(Permutation(n), 5);
    std::vector<int> order;
    for (int i = 0; i < n; ++i) order.push_back(p[i]);
    return order;
}

// Largest |A(shuffled) − P·A·Pᵀ| over all heads.
float gap_of_shuffle(float place_share) {
    Picture picture = striped(4, 3);
    picture.place_share = place_share;
    const std::vector<int> order = shuffled_order(12);
    const Model model = picture_model(picture);
    Model moved = model;
    show_picture(moved, shuffled_patches(picture, order));
    const AttentionTrace before = run_attention(model, Path::plain);
    const AttentionTrace after = run_attention(moved, Path::plain);
    float gap = 0;
    for (int head = 0; head < model.n_heads; ++head)
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 12; ++j)
                gap = std::max(gap, std::abs(after.weights[head](i, j) -
                                             before.weights[head](order[static_cast<std::size_t>(i)],
                                                                  order[static_cast<std::size_t>(j)])));
    return gap;
}

TEST(Picture, ShufflingPatchesWithoutPlacesIsEquivariant) { EXPECT_LT(gap_of_shuffle(0), 1e-6F); }

TEST(Picture, ShufflingPatchesWithPlacesIsNot) { EXPECT_GT(gap_of_shuffle(0.5F), 1e-2F); }

TEST(Picture, TokensInAnotherOrderTakeTheirPatchesAlong) {
    const Model model = example_model();
    const std::vector<int> order = shuffled_order(48);
    const Model moved = reordered(model, order);
    const AttentionTrace before = run_attention(model, Path::plain);
    const AttentionTrace after = run_attention(moved, Path::plain);
    const PatchTokens tokens = patch_tokens(moved);
    for (int i = 0; i < 48; ++i) {
        EXPECT_EQ(tokens.query_of[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])], i);
        for (int j = 0; j < 48; ++j)
            EXPECT_NEAR(after.weights[0](i, j),
                        before.weights[0](order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]),
                        1e-6F);
    }
    EXPECT_TRUE(is_drawn_row(moved, Operand::x, 0, 7)) << "a moved row is still that of its patch";
}

TEST(Picture, AlikeColoursAndNearPatchesLookAtEachOther) {
    const Model model = example_model();
    const AttentionTrace trace = run_attention(model);
    const auto token = [&](int row, int column) { return (row - 1) * 8 + column - 1; };
    // Sky, sea: by colour sky looks at far sky, not at the sea; by place at what is near.
    EXPECT_GT(trace.weights[1](token(1, 1), token(1, 6)), 3 * trace.weights[1](token(1, 1), token(5, 1)));
    EXPECT_GT(trace.weights[2](token(1, 1), token(2, 1)), 3 * trace.weights[2](token(1, 1), token(1, 6)));
    // The last one looks at other colours.
    EXPECT_GT(trace.weights[3](token(1, 1), token(5, 1)), 3 * trace.weights[3](token(1, 1), token(1, 6)));
}

TEST(Picture, BalanceMovesAttentionFromColourToPlace) {
    Model model = example_model();
    const PatchTokens tokens = patch_tokens(model);
    set_place_share(model, 0.1F);
    const double by_color = *mean_patch_distance(run_attention(model), tokens, 0);
    set_place_share(model, 0.9F);
    const double by_place = *mean_patch_distance(run_attention(model), tokens, 0);
    EXPECT_LT(by_place, 0.8 * by_color);
}

TEST(Picture, EmbeddingsHaveMeanSquareOneWhateverTheBalance) {
    Model model = example_model();
    for (const float share : {0.0F, 0.3F, 1.0F}) {
        set_place_share(model, share);
        for (Index row = 0; row < 48; ++row) EXPECT_NEAR(model.x->row(row).squaredNorm() / 32, 1.0F, 1e-5F);
    }
}

TEST(Picture, ProductsOfEmbeddingsAreSumsOfCosines) {
    const Picture picture = example_picture();
    const PatchLook a = patch_look(picture, {1, 2});
    const PatchLook b = patch_look(picture, {4, 6});
    double product = 0, expected = 0;
    for (long column = 0; column < 32; ++column)
        product +=
            static_cast<double>(patch_number(a, 0.25F, column)) * static_cast<double>(patch_number(b, 0.25F, column));
    constexpr double pi = 3.14159265358979323846;
    for (int f = 1; f <= 2; ++f)
        for (std::size_t c = 0; c < 4; ++c) expected += 4 * 0.75 * std::cos(pi * f * (a.color[c] - b.color[c]));
    for (int f = 1; f <= 4; ++f)
        for (std::size_t c = 0; c < 2; ++c) expected += 4 * 0.25 * std::cos(pi * f * (a.place[c] - b.place[c]));
    EXPECT_NEAR(product, expected, 1e-5);
}

TEST(Picture, PatchMeansWeighPixelsByHowMuchOfThemLiesInside) {
    // Three pixels in two patches: the middle one belongs to both by half.
    Picture picture = own_picture(3, 1, {{0, 0, 0}, {90, 90, 90}, {240, 240, 240}});
    picture.columns = 2;
    picture.rows = 1;
    EXPECT_NEAR(patch_look(picture, {0, 0}).color[0] * 255, 30, 1e-9);
    EXPECT_NEAR(patch_look(picture, {0, 1}).color[0] * 255, 190, 1e-9);
}

TEST(Picture, PixelsSurviveTheirText) {
    std::vector<Rgb> pixels;
    for (int i = 0; i < 35; ++i)
        pixels.push_back(
            {static_cast<std::uint8_t>(i * 7), static_cast<std::uint8_t>(255 - i), static_cast<std::uint8_t>(i * i)});
    const Picture picture = own_picture(7, 5, pixels);
    EXPECT_EQ(wrong_picture(picture), "");
    EXPECT_EQ(wrong(picture.pixels, PixelText{}), "");
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 7; ++x)
            EXPECT_EQ(picture_pixel(picture, x, y), pixels[static_cast<std::size_t>(y * 7 + x)]);
}

TEST(Picture, OnlyExactNamesArePatches) {
    const Picture picture = example_picture();
    EXPECT_EQ(patch_of(picture, "r6c8"), (Patch{5, 7}));
    for (const char* word :
         {"r7c1", "r1c9", "r0c1", "r01c1", "r1c1 ", "R1c1", "r1", "c1r1", "", "r1c99999999999", "r-1c1"})
        EXPECT_FALSE(patch_of(picture, word)) << word;
    EXPECT_FALSE(patch_of(Picture(), "r1c1")) << "there is no picture";
}

TEST(Picture, WindowInTwoDimensionsIsWhatBruteForceSays) {
    Model model = example_model();
    model.mask->grid_window = true;
    for (const int radius : {0, 1, 2, 7})
        for (const int offset : {0, 3, -5}) {
            model.mask->grid_radius = radius;
            model.query_offset = offset;
            const MaskMatrix visible = visible_cells(model, 0);
            for (int i = 0; i < 48; ++i)
                for (int j = 0; j < 48; ++j) {
                    const int at = i + offset + 80;  // ten rows of eight before the first
                    const bool near = std::abs(at / 8 - (j + 80) / 8) <= radius && std::abs(at % 8 - j % 8) <= radius;
                    ASSERT_EQ(visible(i, j) != 0, near) << radius << " " << offset << " " << i << " " << j;
                }
        }
}

TEST(Picture, RadiusOneSeesNinePatchesInsideAndFourInACorner) {
    Model model = example_model();
    model.mask->grid_window = true;
    const MaskMatrix visible = visible_cells(model, 0);
    EXPECT_EQ(visible.row(9).cast<int>().sum(), 9);
    EXPECT_EQ(visible.row(0).cast<int>().sum(), 4);
    EXPECT_EQ(visible.row(8).cast<int>().sum(), 6) << "the row before does not go on at the other edge";
}

// Masks for words in a row would leave a patch little of the picture; the window in two dimensions is a picture's own.
TEST(Picture, OneThatIsOpenedIsSeenWholeInEveryLayer) {
    Model model;
    model.n_queries = 6;
    allow_depth(model);
    set_layers(model, 3);
    for_each_layer(model, [](Model& layer) {
        layer.mask->causal = layer.mask->window = layer.mask->grid_window = true;
        layer.mask->stride = 2;
    });
    fit_matrices(model);
    EXPECT_TRUE(open_picture(model, example_picture()));
    EXPECT_TRUE(check_model(model).empty());
    for_each_layer(model, [](const Model& layer) {
        MaskSettings expected;
        expected.grid_window = true;
        expected.grid_columns = layer.picture->columns;
        EXPECT_EQ(*layer.mask, expected) << layer.layers.held;
    });
    EXPECT_FALSE(open_picture(model, striped(4, 3))) << "there was nothing to switch off";
    for_each_layer(model, [](const Model& layer) { EXPECT_EQ(layer.mask->grid_columns, 4) << layer.layers.held; });
}

TEST(Picture, DistanceOfAWindowOfOneIsWhatItsNeighboursSay) {
    Model model = example_model();
    model.mask->grid_window = true;
    const AttentionTrace trace = run_attention(model);
    const PatchTokens tokens = patch_tokens(model);
    EXPECT_NEAR(*even_patch_distance(trace, tokens, 0, 9), (4 + 4 * std::sqrt(2.0)) / 9, 1e-12);
    EXPECT_NEAR(*even_patch_distance(trace, tokens, 0, 0), (2 + std::sqrt(2.0)) / 4, 1e-12);
    model.mask->grid_radius = 0;
    EXPECT_EQ(*patch_distance(run_attention(model), tokens, 0, 9), 0);
}

TEST(Picture, DistanceIsTheSumOverPatchesByTheirWeights) {
    const Model model = example_model();
    const AttentionTrace trace = run_attention(model, Path::plain);
    double far = 0;
    for (int j = 0; j < 48; ++j)
        far += static_cast<double>(trace.weights[2](20, j)) * std::hypot(20 / 8 - j / 8, 20 % 8 - j % 8);
    EXPECT_NEAR(*patch_distance(trace, patch_tokens(model), 2, 20), far, 1e-6);
}

TEST(Picture, AnotherGridNamesTheTokensAnewAndKeepsWords) {
    Model model = example_model();
    set_query_tokens(model, "[CLS] " + join_tokens(patch_labels(*model.picture)));
    ASSERT_EQ(model.n_queries, 49);
    set_patch_grid(model, 3, 2);
    EXPECT_EQ(model.n_queries, 7);
    EXPECT_EQ(query_label(model, 0), "[CLS]");
    EXPECT_EQ(query_label(model, 6), "r2c3");
    EXPECT_EQ(model.mask->grid_columns, 3);
    EXPECT_TRUE(check_model(model).empty());
    for (Index row = 0; row < 7; ++row) EXPECT_TRUE(is_drawn_row(model, Operand::x, 0, row)) << row;
    set_patch_grid(model, 24, 24);
    EXPECT_EQ(model.n_queries, 577);
    EXPECT_TRUE(check_model(model).empty());
    set_patch_grid(model, 1, 1);
    EXPECT_EQ(model.n_queries, 2);
}

TEST(Picture, RemovedItLeavesWordsAndWhatTheSeedDrawsForThem) {
    Model model = example_model();
    remove_picture(model);
    EXPECT_FALSE(has_picture(*model.picture));
    EXPECT_EQ(query_label(model, 0), "r1c1");
    for (const Operand operand : {Operand::x, Operand::w_q, Operand::w_k})
        EXPECT_EQ(own_corner(model, operand, 0, *operand_matrix(model, operand, 0)), (Shape{0, 0}));
    EXPECT_TRUE(check_model(model).empty());
}

TEST(Picture, AnEditedNumberStaysWhenTheBalanceMoves) {
    Model model = example_model();
    model.x = model.x.with([](Matrix& x) { x(3, 5) = 42; });
    set_place_share(model, 0.9F);
    EXPECT_EQ((*model.x)(3, 5), 42);
    EXPECT_TRUE(is_drawn_row(model, Operand::x, 0, 4));
}

TEST(Picture, WordsForEmbeddingsByPlaceAreDrawnForPlacesAgain) {
    Model model = example_model();
    set_embeddings(model, Embeddings::by_place);
    Model plain = model;
    plain.picture = {};
    for (const Operand operand : {Operand::x, Operand::w_q, Operand::w_k})
        EXPECT_EQ(own_corner(plain, operand, 0, *operand_matrix(model, operand, 0)), (Shape{0, 0}));
    set_embeddings(model, Embeddings::by_word);
    EXPECT_EQ(model, example_model());
}

TEST(Picture, TextMayAskAPicture) {
    Model model = example_model();
    set_self_attention(model, false);
    set_query_tokens(model, "a boat");
    const PatchTokens tokens = patch_tokens(model);
    EXPECT_EQ(tokens.n_queries, 0);
    EXPECT_EQ(tokens.n_keys, 48);
    const AttentionTrace trace = run_attention(model);
    EXPECT_FALSE(patch_distance(trace, tokens, 0, 0));
    const PatchAttention attention = patch_attention(model, trace, tokens, 0, 1);
    float sum = 0;
    for (const float weight : attention.weights) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-5F);
    EXPECT_EQ(attention.elsewhere, 0);
}

TEST(Picture, AttentionOnOtherTokensIsCountedApart) {
    Model model = example_model();
    set_query_tokens(model, "[CLS] " + join_tokens(patch_labels(*model.picture)));
    const AttentionTrace trace = run_attention(model);
    const PatchTokens tokens = patch_tokens(model);
    const PatchAttention attention = patch_attention(model, trace, tokens, 0, 5);
    EXPECT_NEAR(attention.elsewhere, trace.weights[0](5, 0), 1e-6);
    EXPECT_FALSE(patch_distance(trace, tokens, 0, 0)) << "[CLS] is nowhere";
}

TEST(Picture, GridsFitTheShapeOfThePicture) {
    const auto grid = [](int width, int height) {
        Picture picture;
        picture.kind = PictureKind::own;
        picture.width = width;
        picture.height = height;
        fit_grid(picture, 64);
        return std::pair{picture.columns, picture.rows};
    };
    EXPECT_EQ(grid(100, 100), (std::pair{8, 8}));
    EXPECT_EQ(grid(192, 108), (std::pair{11, 6}));
    EXPECT_EQ(grid(192, 1), (std::pair{24, 1}));
}

}  // namespace
}  // namespace heed
