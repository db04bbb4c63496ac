#include "core/scene.h"

#include "core/model/mask_settings.h"

namespace heed {

Scene default_scene() {
    Scene scene;
    scene.title = "The cat sat on the mat";
    scene.title_zh = "猫坐在垫子上";
    scene.model.query_tokens = split_tokens("The cat sat on the mat");
    scene.model.embeddings = Embeddings::by_word;
    scene.model.mask->causal = true;
    scene.display.pin = {4, 0};
    fit_matrices(scene.model);
    return scene;
}

}  // namespace heed
