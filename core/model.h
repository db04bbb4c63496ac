// The attention layer that is computed, as a value: sizes, settings and matrices; nothing that can be computed from them
// and nothing about how they are shown.
//
// Settings stand in groups by subject, each in a header of core/model/ that only the files need which read that group. Here
// is what nearly everyone reads: sizes, tokens and matrices.
#pragma once

#include "core/bounds.h"
#include "core/group.h"
#include "core/matrix.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class Source { direct, projected };      // Q, K, V as typed, or X·W_Q, Y·W_K, Y·W_V
enum class Embeddings { by_place, by_word };  // what the seed draws the row of a token for

struct MaskSettings;
struct ScaleSettings;
struct PositionSettings;
struct NormalizerSettings;
struct Picture;
struct Depth;

struct HeadSetting {
    bool on = true;
    float gain = 1.0F;  // multiplies the head's output before the heads are joined
    friend bool operator==(const HeadSetting&, const HeadSetting&) = default;
};

// What each layer of a model with depth has of its own; tokens, sizes, embeddings and positions are the same for all.
struct LayerOwn {
    std::string score = "scaled-dot";
    Group<ScaleSettings> scale;
    float temperature = 1.0F;
    Group<MaskSettings> mask;
    bool bias_on = false;
    Group<NormalizerSettings> normalizer;
    std::vector<HeadSetting> heads;
    std::vector<SharedMatrix> w_q, w_k, w_v, w_o;
    SharedMatrix additive_w_q, additive_w_k, additive_v;
    std::vector<SharedMatrix> bias;
    std::vector<SharedMask> painted_mask;
    friend bool operator==(const LayerOwn&, const LayerOwn&) = default;
};

// The layers that are not looked at. The one that is has its own part in the model itself; core/layers.h changes places.
struct LayerStack {
    int held = 0;                  // the layer whose own part stands in the model
    std::vector<LayerOwn> others;  // by layer, the held one's being empty; none without depth, and never fewer again
    friend bool operator==(const LayerStack&, const LayerStack&) = default;
};

// Matrices are stored at least as large as the sizes ask, and never shrink: the top left part is used, so going to a
// smaller size and back brings the same numbers back. fit_matrices() grows them from the seed.
struct Model {
    std::uint64_t seed = 1;

    std::vector<std::string> query_tokens;  // labels; may be fewer or more than n_queries, see query_label()
    std::vector<std::string> key_tokens;    // used where self_attention is off
    bool self_attention = true;             // keys are the queries' tokens: n_keys is n_queries and Y is X

    int n_queries = 6;
    int n_keys = 6;  // effective_n_keys() for the number in use
    int d_model = 32;
    int d_k = 16;
    int d_v = 8;
    int n_heads = 4;
    int n_kv_heads = 4;   // divides n_heads; 1 is multi-query, fewer than n_heads is grouped
    int d_additive = 16;  // rows of the additive score's hidden layer

    Source source = Source::direct;
    Embeddings embeddings = Embeddings::by_place;  // by_place: files from before words had vectors of their own
    bool output_projection = false;                // join the heads with W_O; off: the heads' outputs side by side

    std::string score = "scaled-dot";  // a row of score_functions()
    Group<ScaleSettings> scale;
    float temperature = 1.0F;  // divides the scores; 0 is the argmax limit

    Group<MaskSettings> mask;
    int query_offset = 0;  // absolute position of the first query, may be negative
    bool bias_on = false;  // whether bias takes part

    Group<PositionSettings> position;
    Group<NormalizerSettings> normalizer;

    Group<Picture> picture;  // whose patches are tokens: those that are called by patch_label()

    std::vector<HeadSetting> heads;  // at least n_heads

    std::vector<SharedMatrix> q;           // n_heads × (n_queries × d_k)
    std::vector<SharedMatrix> k;           // n_kv_heads × (n_keys × d_k)
    std::vector<SharedMatrix> v;           // n_kv_heads × (n_keys × d_v)
    SharedMatrix x;                        // n_queries × d_model
    SharedMatrix y;                        // n_keys × d_model; used where self_attention is off
    std::vector<SharedMatrix> w_q;         // n_heads × (d_model × d_k)
    std::vector<SharedMatrix> w_k;         // n_kv_heads × (d_model × d_k)
    std::vector<SharedMatrix> w_v;         // n_kv_heads × (d_model × d_v)
    std::vector<SharedMatrix> w_o;         // n_heads × (d_v × d_model): W_O cut into the rows of each head
    SharedMatrix additive_w_q;             // d_additive × d_k
    SharedMatrix additive_w_k;             // d_additive × d_k
    SharedMatrix additive_v;               // 1 × d_additive
    std::vector<SharedMatrix> bias;        // one for all heads or one per head: n_queries × n_keys; −inf hides
    std::vector<SharedMask> painted_mask;  // one for all heads or one per head: n_queries × n_keys; 1 = visible

    Group<Depth> depth;  // what stands around the attention, and how often
    LayerStack layers;   // the other layers' own parts

    friend bool operator==(const Model&, const Model&) = default;
};

int effective_n_keys(const Model& model);
int heads_per_kv_head(const Model& model);
int kv_head_of(const Model& model, int head);

// The token's text, or its number counted from 1 where there is none.
std::string query_label(const Model& model, int query);
std::string key_label(const Model& model, int key);

// What the seed draws the row of an embedding for, where that is its word: the label of the query (x) or of the key (y).
std::string query_word(const Model& model, Index row);
std::string key_word(const Model& model, Index row);

// "今天天气" splits into characters, "the cat" at spaces; a run of Latin letters inside Chinese text stays together.
std::vector<std::string> split_tokens(std::string_view text);
std::string join_tokens(const std::vector<std::string>& tokens);

// Grows every matrix to the sizes, drawing what is new from the seed. Call after changing a size.
void fit_matrices(Model& model);

// How many numbers all matrices of `stored` would hold once they were fitted to `sizes`. A matrix never shrinks, so one
// that was long and becomes wide is both; and one that no head uses any more is kept and grows with the others.
std::int64_t numbers_when_fitted(const Model& sizes, const Model& stored);

// Forgets every edit of the matrices and draws them again.
void restart_seed(Model& model);

// Sentences for the user, each naming the field and the value; empty where the model can be computed.
std::vector<std::string> check_model(const Model& model);

// The part of check_model() that does not look at the matrices: what must hold before fit_matrices() allocates them.
std::vector<std::string> check_settings(const Model& model);

}  // namespace heed
