// An animated GIF, made one frame at a time; only the frame before is kept.
//
//     GifWriter gif(1600, 900, 80);
//     for (…) if (Status added = gif.add_frame(pixels); !added) return Error{added.error()};
//     Result<std::string> bytes = gif.finish();
#pragma once

#include "app/png.h"
#include "core/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct GifFileType;

namespace heed::app {

class GifWriter {
public:
    // Repeats for ever; each frame stands for delay_ms, rounded to hundredths of a second.
    GifWriter(int width, int height, int delay_ms);
    ~GifWriter();
    GifWriter(const GifWriter&) = delete;
    GifWriter& operator=(const GifWriter&) = delete;

    // What is transparent lies on white. Each frame has its own palette and holds only what changed, so that what stands
    // still keeps its exact colours from frame to frame.
    Status add_frame(const Pixels& frame);

    // The bytes of the file; the writer takes no more frames.
    Result<std::string> finish();

private:
    Status write_frame(const std::vector<std::uint32_t>& pixels);

    int width_;
    int height_;
    int delay_;  // hundredths of a second
    int frames_ = 0;
    std::string bytes_;
    GifFileType* gif_ = nullptr;
    std::vector<std::uint32_t> before_;  // 0x00RRGGBB, height × width; empty before the first frame
};

}  // namespace heed::app
