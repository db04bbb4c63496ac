#include "app/png.h"

#include <png.h>

#include <cassert>
#include <cmath>
#include <csetjmp>
#include <cstddef>

namespace heed::app {
namespace {

void append_bytes(png_structp png, png_bytep data, std::size_t size) {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

// Flat areas repeat as they stand, so filtering only disturbs them; higher levels cost several times as long and save
// some tenth.
constexpr int compression_level = 3;

}  // namespace

std::string encode_png(int width, int height, std::span<const std::uint8_t> rgba, double dpi, bool has_alpha) {
    const auto columns = static_cast<std::size_t>(width);
    const auto rows = static_cast<std::size_t>(height);
    assert(width > 0 && height > 0 && rgba.size() == columns * rows * 4);

    std::string bytes;
    bytes.reserve(columns * rows / 4 + 1024);
    std::vector<png_byte> rgb(has_alpha ? 0 : columns * 3);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) {  // only a size that the assert above refuses comes here
        png_destroy_write_struct(&png, &info);
        return {};
    }
    png_set_write_fn(png, &bytes, append_bytes, nullptr);
    png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
                 has_alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, compression_level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    if (dpi > 0) {
        const auto per_metre = static_cast<png_uint_32>(std::lround(dpi / 0.0254));
        png_set_pHYs(png, info, per_metre, per_metre, PNG_RESOLUTION_METER);
    }
    png_write_info(png, info);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint8_t* from = rgba.data() + row * columns * 4;
        if (has_alpha) {
            png_write_row(png, from);
            continue;
        }
        for (std::size_t column = 0; column < columns; ++column)
            for (std::size_t channel = 0; channel < 3; ++channel)
                rgb[column * 3 + channel] = from[column * 4 + channel];
        png_write_row(png, rgb.data());
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return bytes;
}

Result<Pixels> decode_png(std::string_view bytes, std::uint64_t max_pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    Pixels pixels;
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0) {
        if (std::uint64_t{image.width} * image.height > max_pixels) {
            Error error{"a picture of " + std::to_string(image.width) + " × " + std::to_string(image.height) +
                        " pixels is larger than what is read"};
            png_image_free(&image);
            return error;
        }
        image.format = PNG_FORMAT_RGBA;
        pixels.width = static_cast<int>(image.width);
        pixels.height = static_cast<int>(image.height);
        pixels.rgba.resize(PNG_IMAGE_SIZE(image));
        if (png_image_finish_read(&image, nullptr, pixels.rgba.data(), 0, nullptr) != 0) return pixels;
    }
    const bool is_damaged = bytes.starts_with("\x89PNG\r\n\x1a\n");
    Error error{std::string(is_damaged ? "This PNG picture is damaged: " : "This is no PNG picture: ") + image.message +
                "."};
    png_image_free(&image);
    return error;
}

}  // namespace heed::app
