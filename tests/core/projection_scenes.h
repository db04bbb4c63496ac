// Scenes in which Q, K and V are projected, in every way that can be: shared and other keys, grouped heads, each position.
#pragma once

#include "core/attention/positions.h"
#include "core/model/position_settings.h"
#include "core/scene.h"

#include <string>
#include <vector>

namespace heed {

struct ProjectedScene {
    std::string name;
    Scene scene;
};

inline std::vector<ProjectedScene> projected_scenes() {
    std::vector<ProjectedScene> scenes;
    const auto add = [&](const std::string& name, auto change) {
        Scene scene = default_scene();
        Model& model = scene.model;
        model.source = Source::projected;
        model.n_queries = model.n_keys = 5;
        model.query_tokens = {"The", "cat", "sat", "on", "it"};
        model.d_model = 6;
        model.d_k = 4;
        model.d_v = 3;
        model.n_heads = model.n_kv_heads = 2;
        change(model);
        fit_matrices(model);
        scenes.push_back({name, std::move(scene)});
    };
    for (const PositionEncoding& position : position_encodings()) {
        const auto with_position = [&](Model& model) { model.position->encoding = position.id; };
        const std::string name(position.id);
        add(name, with_position);
        add(name + ", others are asked", [&](Model& model) {
            with_position(model);
            model.self_attention = false;
            model.n_keys = 7;
            model.key_tokens = {"那", "只", "猫", "坐", "在", "垫", "上"};
        });
        add(name + ", grouped", [&](Model& model) {
            with_position(model);
            model.n_heads = 6;
            model.n_kv_heads = 2;
        });
        add(name + ", offset", [&](Model& model) {
            with_position(model);
            model.query_offset = 3;
        });
        add(name + ", embeddings as they are", [&](Model& model) {
            with_position(model);
            model.position->embedding_scale = false;
        });
    }
    return scenes;
}

}  // namespace heed
