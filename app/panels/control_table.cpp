#include "app/panels/control_table.h"

#include "app/session.h"
#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/edit/tokens.h"
#include "core/edit/words.h"
#include "core/figure/stage_panel.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/picture.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/picture/picture.h"

#include <cassert>

namespace heed::app {

namespace {

bool always(const Model&) { return true; }
// With a cache the words make the sizes.
bool has_own_n(const Model& model) { return attention_kind(model) != AttentionKind::cached; }
bool has_own_m(const Model& model) { return has_own_n(model) && !model.self_attention; }
bool has_key_tokens(const Model& model) { return !model.self_attention; }
bool has_d_model(const Model& model) { return model.source == Source::projected || model.output_projection; }
bool is_projected(const Model& model) { return model.source == Source::projected; }
bool has_hidden_layer(const Model& model) { return score_function(model.score).uses_hidden_layer; }
bool has_embedding_scale(const Model& model) {
    return position_encoding(model.position->encoding).add != nullptr && is_projected(model);
}

template <int(MaskSettings::*number)>
bool has_number(const Model& model) {
    return (*model.mask).*number > 0;
}
bool has_window(const Model& model) { return model.mask->window; }
bool has_grid(const Model& model) { return model.mask->grid_window; }
// A picture says how many tokens stand in a row; a file may still say otherwise.
bool has_own_columns(const Model& model) {
    return has_grid(model) && !(has_picture(*model.picture) && model.mask->grid_columns == model.picture->columns);
}
bool has_layers(const Model& model) { return model.depth->layers > 1; }
bool has_norm(const Model& model) { return model.depth->norm_place != NormPlace::none; }
bool has_units(const Model& model) { return model.depth->feed_forward != "none"; }

std::string score_formula(const Model& model) { return std::string(tr(told_score(model).formula)); }
std::string position_formula(const Model& model) {
    return std::string(tr(position_encoding(model.position->encoding).formula));
}
std::string normalizer_formula(const Model& model) { return std::string(tr(normalizer(model.normalizer->id).formula)); }

std::string mask_formula(std::string_view id) {
    for (const Mask& row : masks())
        if (row.id == id) return std::string(tr(row.formula));
    return {};
}
constexpr auto causal = [](const Model&) { return mask_formula("causal"); };
constexpr auto padding = [](const Model&) { return mask_formula("padding"); };
constexpr auto window = [](const Model&) { return mask_formula("window"); };
constexpr auto global = [](const Model&) { return mask_formula("global"); };
constexpr auto strided = [](const Model&) { return mask_formula("strided"); };
constexpr auto grid = [](const Model&) { return mask_formula("grid-window"); };
constexpr auto block = [](const Model&) { return mask_formula("block"); };

constexpr Control table[] = {
    {"attention", "model.self_attention", "Tokens", "Kind of attention",
     "Whose tokens are asked: the queries' own, those kept in a cache before them too, or another text's.", always},
    {"query tokens", "model.query_tokens", "Tokens", "Tokens",
     "A space or a new line splits; Chinese without spaces splits by character.", always},
    {"key tokens", "model.key_tokens", "Tokens", "Tokens of the keys",
     "A space or a new line splits; Chinese without spaces splits by character.", has_key_tokens, nullptr, "attention"},

    {"n", "model.n_queries", "Sizes", "Tokens n",
     "Rows of Q: how many tokens ask. With self-attention they are asked, too.", has_own_n, nullptr, "attention"},
    {"m", "model.n_keys", "Sizes", "Keys m", "Rows of K and V: how many tokens are asked.", has_own_m, nullptr,
     "attention"},
    {"d_model", "model.d_model", "Sizes", "Width d_{model}", "Length of an embedding: columns of X and of the output.",
     has_d_model, nullptr, "source"},
    {"d_k", "model.d_k", "Sizes", "Key size d_{k}",
     "Length of a query and of a key. A score adds up this many products.", always},
    {"d_v", "model.d_v", "Sizes", "Value size d_{v}", "Length of a value, and so of a head's output.", always},
    {"heads", "model.n_heads", "Sizes", "Heads h",
     "Attention runs this many times side by side, each head with its own Q, and joins the results.", always},
    {"kv heads", "model.n_kv_heads", "Sizes", "K, V heads",
     "Heads that have keys and values of their own. 1 is multi-query, fewer than the heads is grouped-query "
     "attention.",
     always},

    {"source", "model.source", "Source", "Source",
     "Whether every number of Q, K and V is set as it is, or they are embeddings times weights.", always},
    {"word vectors", "model.embeddings", "Source", "A vector for each word",
     "The seed draws embeddings for words: equal words have equal vectors, and typing another order "
     "moves them. Off, it draws them for places, whatever word stands there.",
     is_projected, nullptr, "source"},
    {"seed", "model.seed", "Source", "Seed",
     "Which random numbers the matrices start with: the same seed draws the same ones.", always},
    {"output projection", "model.output_projection", "Source", "Output projection W_{O}",
     "Joins the heads' outputs with a matrix; off, they stand side by side.", always},

    {"layers", "model.depth.layers", "Layers", "Layers",
     "Attention layers above one another; each has weights of its own from the seed.", always},
    {"layer", "display.layer", "Layers", "Shown layer",
     "The layer that every view looks at. What is changed is changed there, and runs on through those above.",
     has_layers, nullptr, "layers"},
    {"residual", "model.depth.residual", "Layers", "Residual",
     "A part adds what it computed to the stream; off, it replaces the stream by it.", always},
    {"norm place", "model.depth.norm_place", "Layers", "Place of the norm",
     "Whether the stream is brought to its norm, and before or after each part.", always},
    {"norm", "model.depth.norm", "Layers", "Norm", "How a token's numbers are brought to one length.", has_norm,
     nullptr, "norm place"},
    {"feed-forward", "model.depth.feed_forward", "Layers", "Feed-forward",
     "What each token goes through by itself after the attention.", always},
    {"d_ff", "model.depth.d_ff", "Layers", "Units d_{ff}",
     "Units of the feed-forward: each token is widened to so many numbers and back.", has_units, nullptr,
     "feed-forward"},

    {"score", "model.score", "Score", "Score", "How a query and a key become one number.", always, score_formula},
    {"d_additive", "model.d_additive", "Score", "Hidden size", "Rows of W_q and W_k in the additive score.",
     has_hidden_layer, nullptr, "score"},
    {"scale", "model.scaling", "Score", "Scale", "The factor that every score is multiplied by.", always},
    {"factor", "model.typed_scale", "Score", "Factor", "Multiplies every score.",
     [](const Model& model) { return model.scale->scaling == Scaling::typed; }, nullptr, "scale"},
    {"temperature", "model.temperature", "Score", "Temperature",
     "Divides the scores, before soft cap and bias. Low sharpens the weights towards the largest score, high evens "
     "them out.",
     always, [](const Model&) { return std::string("s / T"); }},
    {"soft cap", "model.soft_cap", "Score", "Soft cap", "Bends scores smoothly so that none passes ±c: c·tanh(s/c).",
     always, [](const Model&) { return std::string("c·tanh(s/c)"); }},
    {"bias", "model.bias_on", "Score", "Bias matrix", "Adds a matrix of your own to the scores; −∞ in it hides a cell.",
     always},

    {"mask/causal", "model.mask.causal", "Mask", "Causal", "A query sees no key that comes after it.", always, causal},
    {"mask/padding", "model.mask.padding", "Mask", "Padding", "The last keys are filling and hidden from all.", always,
     padding},
    {"mask/window", "model.mask.window", "Mask", "Window", "A query sees the keys near its own place.", always, window},
    {"mask/global", "model.mask.global_tokens", "Mask", "Global", "The first tokens see all and are seen by all.",
     always, global},
    {"mask/strided", "model.mask.stride", "Mask", "Strided", "A query sees every s-th key, counted from itself.",
     always, strided},
    {"mask/blocks", "model.mask.block", "Mask", "Blocks", "A query sees the keys of its own block.", always, block},
    {"mask/2-D window", "model.mask.grid_window", "Mask", "2-D window",
     "Tokens stand in rows, as the patches of a picture do; a query sees those around its own place.", always, grid},
    {"mask/paint", "model.mask.painted", "Mask", "Paint",
     "Cells hidden by hand, with the brush on the weights or in the matrix editor.", always},
    {"padding p", "model.mask.padding", "Mask", "Padding p", "How many of the last keys are hidden.",
     has_number<&MaskSettings::padding>, padding, "mask/padding"},
    {"window left", "model.mask.window_left", "Mask", "Window left", "How many keys before its own place a query sees.",
     has_window, window, "mask/window"},
    {"window right", "model.mask.window_right", "Mask", "Window right",
     "How many keys after its own place a query sees.", has_window, window, "mask/window"},
    {"global tokens", "model.mask.global_tokens", "Mask", "Global tokens",
     "How many of the first tokens see all and are seen by all.", has_number<&MaskSettings::global_tokens>, global,
     "mask/global"},
    {"stride", "model.mask.stride", "Mask", "Stride s", "The distance between the keys a query sees.",
     has_number<&MaskSettings::stride>, strided, "mask/strided"},
    {"block", "model.mask.block", "Mask", "Block size", "How many tokens share a block.",
     has_number<&MaskSettings::block>, block, "mask/blocks"},
    {"grid radius", "model.mask.grid_radius", "Mask", "Radius r", "How many rows and columns away a query sees.",
     has_grid, grid, "mask/2-D window"},
    {"grid columns", "model.mask.grid_columns", "Mask", "Columns c", "How many tokens stand in a row.", has_own_columns,
     grid, "mask/2-D window"},
    {"query offset", "model.query_offset", "Mask", "Query offset",
     "How many tokens come before the first query: above 0 where earlier keys were kept in a cache.", always},

    {"position", "model.position", "Position", "Position", "How a token's place in the text gets into the scores.",
     always, position_formula},
    {"embedding scale", "model.embedding_scale", "Position", "Embeddings × √d_{model}",
     "Multiplies the embeddings before positions are added, so that these do not drown them.", has_embedding_scale,
     nullptr, "position"},

    {"normalizer", "model.normalizer", "Normaliser", "Normaliser", "How the scores of a query become its weights.",
     always, normalizer_formula},

    {"masked row", "model.masked_row", "Fully masked row", "Fully masked row",
     "What a query that sees no key gets for weights.", always},
};

}  // namespace

std::span<const Control> controls() { return table; }

const Control* find_control(std::string_view name) {
    for (const Control& row : table)
        if (row.name == name) return &row;
    return nullptr;
}

const Control& control(std::string_view name) {
    const Control* row = find_control(name);
    assert(row != nullptr);
    return *row;
}

bool holds_field(std::string_view group, std::string_view field) {
    return field == group ||
           (field.size() > group.size() && field.starts_with(group) && field[group.size()] == '.' && !group.empty());
}

const Control* control_of_field(std::string_view field, const Model& model) {
    const Control* any = nullptr;
    const Control* there = nullptr;
    for (const Control& row : table) {
        if (!holds_field(field, row.field)) continue;
        if (any == nullptr) any = &row;
        // A chip and, once it is on, the slider for its number: the later one is the nearer.
        if (row.is_there(model) && (there == nullptr || row.field == field)) there = &row;
    }
    return there != nullptr ? there : any;
}

}  // namespace heed::app
