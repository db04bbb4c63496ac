// heed snapshot: the whole window as a PNG file.
#pragma once

#include "app/shell/snapshot.h"

#include <filesystem>

namespace heed::app {

// Whether there are so many pixels as can be drawn and held; the sentence names --size and --scale.
Status check_size(const SnapshotOptions& options);

// On failure no file is left behind.
Status run_snapshot(const Scene& scene, const SnapshotOptions& options, const std::filesystem::path& out);

}  // namespace heed::app
