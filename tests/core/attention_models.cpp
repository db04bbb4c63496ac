#include "tests/core/attention_models.h"

#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/random.h"

#include <limits>

namespace heed::tests {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

void set_row(SharedMatrix& matrix, Index row, float value) {
    matrix = matrix.with([&](Matrix& m) { m.row(row).setConstant(value); });
}

}  // namespace

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
    Matrix out(rows, cols);
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j)
            out(i, j) = normal_at(seed, 99, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
    return out;
}

Model small_model(std::uint64_t seed) {
    Model model;
    model.seed = seed;
    model.self_attention = false;
    model.n_queries = 5;
    model.n_keys = 7;
    model.d_model = 8;
    model.d_k = 6;
    model.d_v = 3;
    model.n_heads = 4;
    model.n_kv_heads = 2;
    model.d_additive = 5;
    fit_matrices(model);
    return model;
}

std::vector<NamedModel> every_setting() {
    std::vector<NamedModel> out;
    const auto add = [&](std::string name, const std::function<void(Model&)>& change) {
        std::uint64_t seed = 0;  // from the name, so that a new row of a table leaves the others' numbers
        for (const char c : name) seed = seed * 1099511628211ULL + static_cast<unsigned char>(c);
        Model model = small_model(seed);
        change(model);
        fit_matrices(model);
        out.push_back({std::move(name), std::move(model)});
    };
    const auto projected = [](Model& m) {
        m.source = Source::projected;
        m.output_projection = true;
    };
    add("as it is", [](Model&) {});
    for (const ScoreFunction& row : score_functions())
        add("score " + std::string(row.id), [&](Model& m) { m.score = row.id; });
    for (const Normalizer& row : normalizers()) {
        add("normalizer " + std::string(row.id), [&](Model& m) { m.normalizer->id = row.id; });
        add("normalizer " + std::string(row.id) + " at temperature 0", [&](Model& m) {
            m.normalizer->id = row.id;
            m.temperature = 0;
        });
    }
    for (const PositionEncoding& row : position_encodings()) {
        add("position " + std::string(row.id), [&](Model& m) {
            m.position->encoding = row.id;
            m.query_offset = 3;
        });
        add("position " + std::string(row.id) + ", projected, self", [&](Model& m) {
            m.position->encoding = row.id;
            m.self_attention = true;
            projected(m);
        });
        add("position " + std::string(row.id) + ", projected, self, offset", [&](Model& m) {
            m.position->encoding = row.id;
            m.self_attention = true;
            m.query_offset = -2;
            m.position->embedding_scale = false;
            projected(m);
        });
    }
    add("scale off", [](Model& m) { m.scale->scaling = Scaling::off; });
    add("scale typed", [](Model& m) {
        m.scale->scaling = Scaling::typed;
        m.scale->typed_scale = -0.7F;
    });
    add("temperature 3", [](Model& m) { m.temperature = 3; });
    add("soft cap", [](Model& m) { m.scale->soft_cap = 0.8F; });
    add("causal", [](Model& m) { m.mask->causal = true; });
    add("causal, offset −2, uniform", [](Model& m) {
        m.mask->causal = true;
        m.query_offset = -2;
        m.normalizer->masked_row = MaskedRow::uniform;
    });
    add("causal, offset −2, nan", [](Model& m) {
        m.mask->causal = true;
        m.query_offset = -2;
        m.normalizer->masked_row = MaskedRow::nan;
    });
    add("padding", [](Model& m) { m.mask->padding = 3; });
    add("window and global", [](Model& m) {
        m.mask->window = true;
        m.mask->window_left = 1;
        m.mask->window_right = 0;
        m.mask->global_tokens = 1;
    });
    add("stride, causal, offset", [](Model& m) {
        m.mask->stride = 3;
        m.mask->causal = true;
        m.query_offset = 1;
    });
    add("block", [](Model& m) {
        m.mask->block = 2;
        m.query_offset = -1;
    });
    add("2-D window", [](Model& m) {
        m.mask->grid_window = true;
        m.mask->grid_columns = 3;
        m.query_offset = -2;
    });
    add("painted per head", [](Model& m) {
        m.mask->painted = true;
        m.painted_mask.clear();
        for (int h = 0; h < 4; ++h) {
            MaskMatrix mask = MaskMatrix::Ones(5, 7);
            mask(h, h) = 0;
            mask(0, 6 - h) = 0;
            m.painted_mask.emplace_back(mask);
        }
    });
    add("bias that hides", [](Model& m) {
        m.bias_on = true;
        Matrix bias = random_matrix(5, 7, 5);
        bias(1, 2) = bias(4, 0) = -infinity;
        m.bias = {SharedMatrix(bias)};
    });
    add("bias per head", [](Model& m) {
        m.bias_on = true;
        m.bias.clear();
        for (std::uint64_t h = 0; h < 4; ++h) m.bias.emplace_back(random_matrix(5, 7, 50 + h));
    });
    add("heads off and scaled, W_O", [](Model& m) {
        m.output_projection = true;
        m.heads[1].on = false;
        m.heads[2].gain = -1.5F;
    });
    add("heads off and scaled, side by side", [](Model& m) {
        m.heads[1].on = false;
        m.heads[2].gain = 0.25F;
    });
    add("six heads, alibi", [](Model& m) {
        m.n_heads = 6;
        m.n_kv_heads = 1;
        m.position->encoding = "alibi";
    });
    add("projected, cross", projected);
    add("projected, cross, sinusoidal, cap, causal", [&](Model& m) {
        projected(m);
        m.position->encoding = "sinusoidal";
        m.scale->soft_cap = 2.0F;
        m.mask->causal = true;
        m.query_offset = 1;
    });
    add("additive, rope, sparsemax, bias, projected self", [&](Model& m) {
        projected(m);
        m.self_attention = true;
        m.score = "additive";
        m.position->encoding = "rope";
        m.normalizer->id = "sparsemax";
        m.temperature = 0.5F;
    });
    add("cosine, typed scale, alibi, l2, window", [](Model& m) {
        m.score = "cosine";
        m.scale->scaling = Scaling::typed;
        m.scale->typed_scale = 4;
        m.position->encoding = "alibi";
        m.normalizer->id = "l2";
        m.mask->window = true;
    });
    return out;
}

std::vector<NamedModel> nasty_models() {
    std::vector<NamedModel> out;
    const auto add = [&](std::string name, const std::function<void(Model&)>& change) {
        Model model = small_model(out.size() + 100);
        change(model);
        fit_matrices(model);
        out.push_back({std::move(name), std::move(model)});
    };
    add("one token", [](Model& m) { m.n_queries = m.n_keys = m.n_heads = m.n_kv_heads = m.d_k = m.d_v = 1; });
    add("one key", [](Model& m) { m.n_keys = 1; });
    add("odd d_k, rope", [](Model& m) {
        m.d_k = 1;
        m.position->encoding = "rope";
    });
    add("equal scores", [](Model& m) {
        for (SharedMatrix& k : m.k) k = SharedMatrix(Matrix::Ones(7, 6));
    });
    add("zero rows, cosine", [](Model& m) {
        m.score = "cosine";
        set_row(m.q[0], 1, 0);
        set_row(m.k[0], 2, 0);
    });
    add("zero scores, l1", [](Model& m) {
        m.normalizer->id = "l1";
        set_row(m.q[0], 1, 0);
    });
    add("zero scores, l2", [](Model& m) {
        m.normalizer->id = "l2";
        set_row(m.q[0], 1, 0);
    });
    add("scores of 1e4 at temperature 0.01", [](Model& m) {
        m.temperature = 0.01F;
        m.scale->scaling = Scaling::off;
        for (SharedMatrix& q : m.q) q = q.with([](Matrix& a) { a *= 1000; });
        for (SharedMatrix& k : m.k) k = k.with([](Matrix& a) { a *= 10; });
    });
    add("everything hidden", [](Model& m) { m.mask->padding = 7; });
    add("everything hidden, uniform", [](Model& m) {
        m.mask->padding = 9;
        m.normalizer->masked_row = MaskedRow::uniform;
    });
    add("NaN in padding", [](Model& m) {
        m.mask->padding = 2;
        for (Index j : {5, 6}) {
            for (SharedMatrix& k : m.k) set_row(k, j, j == 5 ? nan : infinity);
            for (SharedMatrix& v : m.v) set_row(v, j, j == 5 ? -infinity : nan);
        }
    });
    add("NaN in a hidden bias", [](Model& m) {
        m.mask->causal = true;
        m.bias_on = true;
        Matrix bias = random_matrix(5, 7, 5);
        bias(0, 6) = nan;
        bias(1, 5) = infinity;
        m.bias = {SharedMatrix(bias)};
    });
    return out;
}

}  // namespace heed::tests
