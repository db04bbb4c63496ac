// A picture from a file, small enough to be kept in a scene.
#pragma once

#include "app/png.h"
#include "core/picture/picture.h"
#include "core/scene.h"

#include <filesystem>

namespace heed::app {

bool is_picture_file(const std::filesystem::path& path);  // by its ending

// Brought down to max_picture_side by averaging, on white where it is transparent, with a grid of about 64 patches.
Picture picture_of(const Pixels& pixels);

// A sentence where the file is no PNG, or larger than what is read.
Result<Picture> read_picture(const std::filesystem::path& path);

// A new scene of the picture, called like the file; the Picture view looks at a patch in the middle.
Result<Scene> read_picture_scene(const std::filesystem::path& path);

}  // namespace heed::app
