// From fields that were read to a scene that can be computed.
#pragma once

#include "core/files/scene_file_reader.h"
#include "core/result.h"
#include "core/scene.h"

namespace heed {

// Whether a matrix with numbers of its own may be smaller than the sizes ask, and is then completed from the seed.
enum class Growth { refused, allowed };

// Checks the settings, draws and fits the matrices, and checks the whole; the sentence starts with the field's path.
Status finish_scene(Scene& scene, const SceneReader& reader, Growth growth);

}  // namespace heed
