#include "app/commands/snapshot.h"

#include "core/files/atomic_write.h"

namespace heed::app {

Status run_snapshot(const Scene& scene, const SnapshotOptions& options, const std::filesystem::path& out) {
    const Result<Pixels> pixels = draw_window(scene, options);
    if (!pixels) return Error{pixels.error()};
    return write_file(out, encode_png(pixels->width, pixels->height, pixels->rgba, 0, false));
}

}  // namespace heed::app
