// Scenes with every field at random, all of which pass check_model().
#pragma once

#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/color_maps.h"
#include "core/scene.h"
#include "core/scene_fields.h"

#include <bit>
#include <cmath>
#include <random>

namespace heed::test {

class SceneMaker {
public:
    explicit SceneMaker(std::uint32_t seed) : random_(seed) {}

    Scene scene() {
        Scene scene;
        scene.title = text();
        scene.title_zh = coin() ? "" : text();
        settings(scene.model);
        fit_matrices(scene.model);
        matrices(scene.model);
        display(scene.display);
        return scene;
    }

    int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
    bool coin() { return random_() % 2 == 0; }

private:
    // Any float that is not NaN or infinite, from the bits up.
    float any_finite() {
        for (;;) {
            const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
            if (std::isfinite(value)) return value;
        }
    }
    float any_cell() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        const float odd[] = {inf, -inf, std::numeric_limits<float>::quiet_NaN(), 0.0F, -0.0F, 1e-45F};
        return between(0, 5) == 0 ? odd[between(0, 5)] : any_finite();
    }
    std::string text() {
        static constexpr const char* texts[] = {"",     "The",        "猫",    "今天 天气", "a \"quoted\" \\ name",
                                                "🐟",    "two\nlines", "tab\t", "\x01",      "##id",
                                                "null", "0"};
        return texts[between(0, 11)];
    }
    std::vector<std::string> tokens() {
        std::vector<std::string> list(static_cast<std::size_t>(between(0, 7)));
        for (std::string& token : list) token = text();
        return list;
    }
    template <typename Table>
    std::string id_in(const Table& table) {
        return std::string(table[static_cast<std::size_t>(between(0, static_cast<int>(table.size()) - 1))].id);
    }
    std::string map_of(MapKind kind) {
        for (;;) {
            const ColorMap& map =
                color_maps()[static_cast<std::size_t>(between(0, static_cast<int>(color_maps().size()) - 1))];
            if (map.kind == kind) return std::string(map.id);
        }
    }

    void settings(Model& model) {
        model.seed = (std::uint64_t{random_()} << 32U) | random_();
        model.query_tokens = tokens();
        model.key_tokens = tokens();
        model.self_attention = coin();
        model.n_queries = between(1, 7);
        model.n_keys = between(1, 7);
        model.d_model = between(1, 9);
        model.d_k = between(1, 6);
        model.d_v = between(1, 6);
        model.n_kv_heads = between(1, 3);
        model.n_heads = model.n_kv_heads * between(1, 2);
        model.d_additive = between(1, 5);
        model.source = coin() ? Source::direct : Source::projected;
        model.output_projection = coin();
        model.score = id_in(score_functions());
        model.scaling = static_cast<Scaling>(between(0, 2));
        model.typed_scale = any_finite();
        model.temperature = std::abs(any_finite());
        if (coin()) model.soft_cap = std::abs(any_finite()) + 1e-30F;
        model.mask = {coin(),        between(0, 3), coin(),        between(-1, 4), between(-1, 4),
                      between(0, 3), between(0, 3), between(0, 2), coin()};
        model.query_offset = between(-5, 5);
        model.bias_on = coin();
        model.position = id_in(position_encodings());
        model.embedding_scale = coin();
        model.normalizer = id_in(normalizers());
        model.masked_row = static_cast<MaskedRow>(between(0, 2));
        model.heads.resize(static_cast<std::size_t>(model.n_heads + between(0, 2)));
        for (HeadSetting& head : model.heads) head = {coin(), any_finite()};
        if (coin()) model.bias.resize(static_cast<std::size_t>(model.n_heads));
        if (coin()) model.painted_mask.resize(static_cast<std::size_t>(model.n_heads));
    }

    // Some edited, some with more than is in use (left from larger sizes), some as the seed drew them.
    void matrices(Model& model) {
        if (coin()) {
            const Model sizes = model;
            model.n_queries += between(0, 3);
            model.d_k += between(0, 3);
            model.n_heads += model.n_kv_heads * between(0, 1);
            if (model.bias.size() == 1 && model.painted_mask.size() == 1) fit_matrices(model);
            model.n_queries = sizes.n_queries;
            model.d_k = sizes.d_k;
            model.n_heads = sizes.n_heads;
        }
        visit_fields(model, [&]<typename Field>(const char*, Field& field) {
            if constexpr (std::is_same_v<Field, SharedMatrix>) {
                edit(field);
            } else if constexpr (std::is_same_v<Field, std::vector<SharedMatrix>>) {
                for (SharedMatrix& matrix : field) edit(matrix);
            } else if constexpr (std::is_same_v<Field, std::vector<SharedMask>>) {
                for (SharedMask& mask : field)
                    if (coin()) mask = mask.with([&](MaskMatrix& copy) { copy(0, 0) = 0; });
            }
        });
    }
    void edit(SharedMatrix& matrix) {
        if (coin()) return;
        const bool all = coin();
        matrix = matrix.with([&](Matrix& copy) {
            if (!all) copy(copy.rows() - 1, copy.cols() - 1) = any_cell();
            for (Index i = 0; all && i < copy.size(); ++i) copy.data()[i] = any_cell();
        });
    }

    void display(Display& display) {
        display.view = coin() ? "pipeline" : "heads";
        display.head = between(0, 9);
        display.pinned = coin();
        display.pin = {between(0, 9), between(0, 9)};
        display.keys_down = coin();
        display.sequential_map = map_of(MapKind::sequential);
        display.diverging_map = map_of(MapKind::diverging);
        display.log_scale = coin();
        display.numbers = coin();
        display.cell_style = coin() ? CellStyle::colour : CellStyle::dots;
        if (coin()) display.pipeline.folded = {"scaled", "masked"};
        display.pipeline.explainer_step = between(1, 5);
    }

    std::mt19937 random_;
};

}  // namespace heed::test
