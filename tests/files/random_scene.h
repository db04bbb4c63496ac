// Scenes with every saved field at random within its range, all of which pass check_model().
#pragma once

#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/picture.h"
#include "core/order/permutation.h"
#include "core/scene_fields.h"
#include "tests/any_row.h"

#include <bit>
#include <cmath>
#include <random>

namespace heed::test {

class SceneMaker {
public:
    explicit SceneMaker(std::uint32_t seed) : random_(seed) {}

    Scene scene() {
        Scene scene;
        fill(scene);
        settings(scene.model);
        fit_matrices(scene.model);
        for_each_layer(scene.model, [this](Model& layer) {
            if (layer.layers.held == 0) return;
            fill(layer.score, OneOf{score_ids});
            fill(layer.temperature, AtLeast{0.0F});
            fill(*layer.scale);
            fill(*layer.mask);
            fill(*layer.normalizer);
            layer.bias_on = coin();
            for (HeadSetting& head : layer.heads) fill(head);
        });
        for_each_layer(scene.model, [this](Model& layer) { matrices(layer); });
        hold_layer(scene.model, scene.display.layer);
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

    // A value that the field's range allows. A field with a range of a new kind does not compile until it is told here.
    void fill(bool& value, Anything) { value = coin(); }
    void fill(std::uint64_t& value, Anything) { value = (std::uint64_t{random_()} << 32U) | random_(); }
    template <IsChoice Choice>
    void fill(Choice& value, Anything) {
        value = static_cast<Choice>(between(0, static_cast<int>(std::size(ChoiceIds<Choice>::ids)) - 1));
    }
    void fill(int& value, Between<int> range) { value = between(range.low, range.high); }
    void fill(float& value, Between<float> range) { value = std::lerp(range.low, range.high, share()); }
    void fill(float& value, Above<float> range) {
        value = std::max(std::nextafter(range.low, range.high),
                         range.high < 1e30F ? std::lerp(range.low, range.high, share()) : std::abs(any_finite()));
    }
    void fill(std::optional<float>& value, Above<float> range) {
        if (coin()) return value.reset();
        fill(value.emplace(), range);
    }
    void fill(float& value, AtLeast range) { value = std::max(range.low, std::abs(any_finite())); }
    void fill(float& value, Finite) { value = any_finite(); }
    void fill(std::string& value, OneOf range) {
        struct Row {
            std::string_view id;
        };
        std::vector<Row> rows;
        for (const std::string_view id : range.ids()) rows.push_back({id});
        value = tests::row_drawn(rows, (std::uint64_t{random_()} << 32U) | random_());
    }
    void fill(std::string& value, Text) { value = text(); }
    void fill(std::string& value, TokenOrder) { value = order_text(shuffled(Permutation(between(0, 9)), random_())); }
    void fill(std::string& value, PixelText) {
        value.assign(static_cast<std::size_t>(between(0, 7)), "Az09+/"[between(0, 5)]);
    }
    void fill(std::vector<std::string>& values, Texts) { values = tokens(); }
    void fill(LayerStack&, OtherLayers) {}  // made once there is depth
    void fill(SharedMatrix&, Anything) {}   // matrices and lists of them are made once the sizes are known
    template <typename Entry>
    void fill(std::vector<Entry>& list, AtMost) {
        if constexpr (HasFields<Entry>) {
            list.resize(static_cast<std::size_t>(between(0, 2)));
            for (Entry& entry : list) fill(entry);
        }
    }
    template <HasFields Group>
    void fill(Group& group, Anything = {}) {
        visit_fields(group, [&](const char*, auto& field, const auto& range) { fill(field, range); });
    }
    float share() { return static_cast<float>(between(0, 1 << 20)) / static_cast<float>(1 << 20); }

    // Sizes small enough to draw, and lists that go with them.
    void settings(Model& model) {
        model.n_queries = between(1, 7);
        model.n_keys = between(1, 7);
        model.d_model = between(1, 9);
        model.d_k = between(1, 6);
        model.d_v = between(1, 6);
        model.n_kv_heads = between(1, 3);
        model.n_heads = model.n_kv_heads * between(1, 2);
        model.d_additive = between(1, 5);
        if (model.picture->kind == PictureKind::own) {
            model.picture->width = between(1, 5);
            model.picture->height = between(1, 4);
            model.picture->pixels.assign(static_cast<std::size_t>(4 * model.picture->width * model.picture->height),
                                         'k');
        }
        if (coin()) model.query_tokens = {"r1c1", "r2c1", "word", "r1c1"};
        model.heads.resize(static_cast<std::size_t>(model.n_heads + between(0, 2)));
        for (HeadSetting& head : model.heads) fill(head);
        if (coin()) {
            model.depth = {};
        } else {
            model.depth->layers = between(1, 4);
            model.depth->d_ff = between(1, 9);
            model.source = Source::projected;
            model.output_projection = model.self_attention = true;
            model.query_offset = 0;
        }
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
        visit_fields(model, [&]<typename Field>(const char*, Field& field, const auto&) {
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

    std::mt19937 random_;
};

}  // namespace heed::test
