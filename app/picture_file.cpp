#include "app/picture_file.h"

#include "core/edit/picture.h"
#include "core/files/read_file.h"
#include "core/files/shown.h"
#include "core/model/picture.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace heed::app {
namespace {

constexpr std::uintmax_t max_bytes = std::uintmax_t{64} << 20U;
constexpr int usual_patches = 64;

struct Span {
    int from, to;
};
// Which pixels become the one at `at`: at least one.
Span span_of(int at, int shown, int pixels) {
    const auto place = [&](int index) { return static_cast<int>(std::int64_t{index} * pixels / shown); };
    return {place(at), std::max(place(at) + 1, place(at + 1))};
}

Rgb mean_on_white(const Pixels& pixels, Span across, Span down) {
    double sum[3] = {0, 0, 0};
    for (int y = down.from; y < down.to; ++y)
        for (int x = across.from; x < across.to; ++x) {
            const std::uint8_t* pixel = pixels.at(x, y);
            const double alpha = pixel[3] / 255.0;
            for (int c = 0; c < 3; ++c) sum[c] += alpha * pixel[c] + (1 - alpha) * 255;
        }
    const double count = static_cast<double>(across.to - across.from) * (down.to - down.from);
    Rgb mean{};
    for (std::size_t c = 0; c < 3; ++c) mean[c] = static_cast<std::uint8_t>(std::lround(sum[c] / count));
    return mean;
}

}  // namespace

bool is_picture_file(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return ending == ".png";
}

Picture picture_of(const Pixels& pixels) {
    const double factor = std::min(1.0, static_cast<double>(max_picture_side) / std::max(pixels.width, pixels.height));
    const auto shown = [&](int size) {
        return std::clamp(static_cast<int>(std::lround(size * factor)), 1, max_picture_side);
    };
    const int width = shown(pixels.width);
    const int height = shown(pixels.height);
    std::vector<Rgb> reduced;
    reduced.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            reduced.push_back(
                mean_on_white(pixels, span_of(x, width, pixels.width), span_of(y, height, pixels.height)));
    Picture picture = own_picture(width, height, reduced);
    fit_grid(picture, usual_patches);
    return picture;
}

Result<Picture> read_picture(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_file(path, max_bytes);
    if (!bytes) return Error{bytes.error()};
    try {
        const Result<Pixels> pixels = decode_png(*bytes, max_picture_pixels);
        if (!pixels) return Error{shown_path(path) + ": " + pixels.error()};
        return picture_of(*pixels);
    } catch (const std::bad_alloc&) {
        return Error{shown_path(path) + ": there is not enough memory for this picture"};
    }
}

Result<Scene> read_picture_scene(const std::filesystem::path& path) {
    Result<Picture> picture = read_picture(path);
    if (!picture) return Error{picture.error()};
    Scene scene;
    scene.title = shown(path.stem().string());
    scene.model = picture_model(std::move(*picture));
    scene.display.view = "picture";
    const int middle = scene.model.picture->rows / 2 * scene.model.picture->columns + scene.model.picture->columns / 2;
    scene.display.pin = {middle, middle};
    return scene;
}

}  // namespace heed::app
