#include "app/commands/snapshot.h"

#include "app/platform/font_files.h"
#include "app/print/print_figure.h"
#include "core/files/atomic_write.h"
#include "core/files/number_text.h"

namespace heed::app {

Status check_size(const SnapshotOptions& options) {
    constexpr int least_side = 64;         // logical pixels
    constexpr int largest_area = 1 << 26;  // 256 MB of pixels, and several copies of them
    const auto side_is_good = [&](int side) {
        return side >= least_side && static_cast<double>(side) * static_cast<double>(options.scale) <= largest_side;
    };
    const double pixels = static_cast<double>(options.width) * options.height * static_cast<double>(options.scale) *
                          static_cast<double>(options.scale);
    if (side_is_good(options.width) && side_is_good(options.height) && pixels <= largest_area) return ok();
    return Error{"--size " + std::to_string(options.width) + "x" + std::to_string(options.height) + " with --scale " +
                 float_text(options.scale) + ": a side has at least " + std::to_string(least_side) +
                 " logical pixels, and the picture at most " + std::to_string(largest_side) + " pixels on a side and " +
                 std::to_string(largest_area) + " in all"};
}

Status run_snapshot(const Scene& scene, const SnapshotOptions& options, const std::filesystem::path& out) {
    if (Status fonts = check_fonts(); !fonts) return fonts;
    const Result<Pixels> pixels = draw_window(scene, options);
    if (!pixels) return Error{pixels.error()};
    return write_file(out, encode_png(pixels->width, pixels->height, pixels->rgba, 0, false));
}

}  // namespace heed::app
