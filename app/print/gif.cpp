#include "app/print/gif.h"

#include "app/print/quantize.h"
#include "core/language.h"

#include <gif_lib.h>

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

constexpr int largest_gif_side = 65535;
constexpr int most_colors = 255;  // the one left over is transparent

int append_bytes(GifFileType* gif, const GifByteType* data, int size) {
    static_cast<std::string*>(gif->UserData)
        ->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    return size;
}

Error gif_error(int code) {
    const char* reason = GifErrorString(code);
    return Error{fill("The animation could not be made: {0}.", {reason == nullptr ? "unknown" : reason})};
}

std::uint32_t over_white(const std::uint8_t* rgba) {
    if (rgba[3] == 255)
        return static_cast<std::uint32_t>(rgba[0]) << 16U | static_cast<std::uint32_t>(rgba[1]) << 8U | rgba[2];
    const auto blended = [&](int i) {
        const std::uint32_t alpha = rgba[3];
        return (rgba[i] * alpha + 255U * (255U - alpha) + 127U) / 255U;
    };
    return blended(0) << 16U | blended(1) << 8U | blended(2);
}

struct FreeMap {
    void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};
using OwnedMap = std::unique_ptr<ColorMapObject, FreeMap>;

// One entry more than the colours is left for transparency.
OwnedMap color_map_of(const std::vector<Color>& palette) {
    const int size = 1 << std::max(1, GifBitSize(static_cast<int>(palette.size()) + 1));
    OwnedMap map(GifMakeMapObject(size, nullptr));
    for (std::size_t i = 0; i < palette.size(); ++i) map->Colors[i] = {palette[i].r, palette[i].g, palette[i].b};
    return map;
}

struct Area {
    int left = 0, top = 0, right = 0, bottom = 0;  // right and bottom are outside
};

// The smallest area that holds every change; a single pixel where there is none, because a frame cannot be empty.
Area changed_area(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& now, int width,
                  int height) {
    if (before.empty()) return {0, 0, width, height};
    Area area{width, height, 0, 0};
    for (int y = 0; y < height; ++y) {
        const auto row = static_cast<std::ptrdiff_t>(y) * width;
        const auto first = std::mismatch(now.begin() + row, now.begin() + row + width, before.begin() + row).first;
        const int left = static_cast<int>(first - (now.begin() + row));
        if (left == width) continue;
        int right = width;
        while (now[static_cast<std::size_t>(row + right - 1)] == before[static_cast<std::size_t>(row + right - 1)])
            --right;
        area = {std::min(area.left, left), std::min(area.top, y), std::max(area.right, right), y + 1};
    }
    return area.right == 0 ? Area{0, 0, 1, 1} : area;
}

bool put_loop_forever(GifFileType* gif) {
    const GifByteType forever[] = {1, 0, 0};
    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif, 3, forever) == GIF_OK && EGifPutExtensionTrailer(gif) == GIF_OK;
}

bool put_frame_control(GifFileType* gif, int delay, int transparent) {
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = delay;
    control.TransparentColor = transparent;
    GifByteType packed[4];
    EGifGCBToExtension(&control, packed);
    return EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof packed, packed) == GIF_OK;
}

}  // namespace

GifWriter::GifWriter(int width, int height, int delay_ms)
    : width_(width), height_(height), delay_(std::clamp((delay_ms + 5) / 10, 2, 65535)) {}

GifWriter::~GifWriter() {
    if (gif_ != nullptr) EGifCloseFile(gif_, nullptr);
}

Status GifWriter::add_frame(const Pixels& frame) {
    if (width_ < 1 || height_ < 1 || width_ > largest_gif_side || height_ > largest_gif_side)
        return Error{fill("An animation of {0} × {1} pixels cannot be made: a side has 1 to 65535.",
                          {std::to_string(width_), std::to_string(height_)})};
    if (frame.width != width_ || frame.height != height_)
        return Error{fill("Frame {0} of the animation is {1} × {2} pixels and not {3} × {4}.",
                          {std::to_string(frames_ + 1), std::to_string(frame.width), std::to_string(frame.height),
                           std::to_string(width_), std::to_string(height_)})};
    std::vector<std::uint32_t> pixels;
    pixels.reserve(frame.rgba.size() / 4);
    for (std::size_t i = 0; i < frame.rgba.size(); i += 4) pixels.push_back(over_white(&frame.rgba[i]));
    if (Status written = write_frame(pixels); !written) return written;
    before_ = std::move(pixels);
    ++frames_;
    return ok();
}

Status GifWriter::write_frame(const std::vector<std::uint32_t>& pixels) {
    const Area area = changed_area(before_, pixels, width_, height_);
    std::vector<std::uint32_t> changed;
    std::vector<std::uint8_t> is_changed;  // a byte each: bits take longer to write one by one
    const auto cells =
        static_cast<std::size_t>(area.right - area.left) * static_cast<std::size_t>(area.bottom - area.top);
    changed.reserve(cells);
    is_changed.reserve(cells);
    for (int y = area.top; y < area.bottom; ++y)
        for (int x = area.left; x < area.right; ++x) {
            const std::size_t at =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
            is_changed.push_back(before_.empty() || before_[at] != pixels[at] ? 1 : 0);
            if (is_changed.back() != 0) changed.push_back(pixels[at]);
        }
    const IndexedPixels indexed = quantize(changed, most_colors);
    const auto transparent = static_cast<GifPixelType>(indexed.palette.size());
    const OwnedMap map = color_map_of(indexed.palette);

    if (gif_ == nullptr) {
        int code = 0;
        gif_ = EGifOpen(&bytes_, append_bytes, &code);
        if (gif_ == nullptr) return gif_error(code);
        EGifSetGifVersion(gif_, true);
        if (EGifPutScreenDesc(gif_, width_, height_, 8, 0, map.get()) == GIF_ERROR || !put_loop_forever(gif_))
            return gif_error(gif_->Error);
    }
    const int columns = area.right - area.left;
    if (!put_frame_control(gif_, delay_, before_.empty() ? NO_TRANSPARENT_COLOR : transparent) ||
        EGifPutImageDesc(gif_, area.left, area.top, columns, area.bottom - area.top, false,
                         before_.empty() ? nullptr : map.get()) == GIF_ERROR)
        return gif_error(gif_->Error);
    std::vector<GifPixelType> line(static_cast<std::size_t>(columns));
    auto next_index = indexed.indices.begin();
    auto next_changed = is_changed.begin();
    for (int y = area.top; y < area.bottom; ++y) {
        for (GifPixelType& pixel : line) pixel = *next_changed++ != 0 ? *next_index++ : transparent;
        if (EGifPutLine(gif_, line.data(), columns) == GIF_ERROR) return gif_error(gif_->Error);
    }
    return ok();
}

Result<std::string> GifWriter::finish() {
    if (gif_ == nullptr) return Error{"The animation has no frames."};
    int code = 0;
    GifFileType* gif = gif_;
    gif_ = nullptr;
    if (EGifCloseFile(gif, &code) == GIF_ERROR) return gif_error(code);
    return std::move(bytes_);
}

}  // namespace heed::app
