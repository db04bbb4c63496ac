#include "core/figure/picture_overlay.h"

#include "core/display/cells_display.h"
#include "core/figure/kept.h"
#include "core/model/picture.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr int most_cells = 256;      // along a side of the picture
constexpr float least_light = 0.1F;  // what remains of a patch without attention, so that the picture is still guessed
constexpr float map_cover = 0.82F;   // of the map's colour over the grey picture

struct RasterKey {
    Picture picture;
    PatchCells cells;
    friend bool operator==(const RasterKey&, const RasterKey&) = default;
};

std::vector<Color> raster(const Picture& picture, PatchCells cells) {
    const int width = picture.columns * cells.across;
    const int height = picture.rows * cells.down;
    std::vector<Color> colors;
    colors.reserve(static_cast<std::size_t>(width * height));
    const auto byte = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const Rgbf mean = mean_color(picture, static_cast<double>(x) / width, static_cast<double>(y) / height,
                                         static_cast<double>(x + 1) / width, static_cast<double>(y + 1) / height);
            colors.push_back({byte(mean.r), byte(mean.g), byte(mean.b), 255});
        }
    return colors;
}

std::shared_ptr<const std::vector<Color>> raster_of(const FigureContext& context, PatchCells cells) {
    const RasterKey key{*context.model.picture, cells};
    return kept(context, "picture raster", key, [&] { return raster(key.picture, cells); });
}

// make(patch, pixel) → Color, value_of(patch), is_visible(patch).
template <typename Make, typename Value, typename Visible>
PictureCells fill_cells(const Picture& picture, PatchCells cells, const std::vector<Color>& pixels, Make&& make,
                        Value&& value_of, Visible&& is_visible) {
    const Index width = Index{picture.columns} * cells.across;
    const Index height = Index{picture.rows} * cells.down;
    Matrix values(height, width);
    auto visible = std::make_shared<MaskMatrix>(height, width);
    auto colors = std::make_shared<std::vector<Color>>();
    colors->reserve(pixels.size());
    for (Index y = 0; y < height; ++y)
        for (Index x = 0; x < width; ++x) {
            const auto patch = static_cast<std::size_t>(y / cells.down * picture.columns + x / cells.across);
            colors->push_back(make(patch, pixels[static_cast<std::size_t>(y * width + x)]));
            values(y, x) = value_of(patch);
            (*visible)(y, x) = is_visible(patch) ? 1 : 0;
        }
    PictureCells made;
    made.values = view_of(std::move(values));
    made.visible = {visible->data(), height, width, visible, made.values.version};
    made.colors = std::move(colors);
    return made;
}

}  // namespace

PatchCells cells_for(const FigureContext& context, Rect area) {
    const Picture& picture = *context.model.picture;
    const auto along = [&](float length, int patches, int pixels) {
        const int shown = static_cast<int>(length / static_cast<float>(patches));
        const int there = (pixels + patches - 1) / patches;
        return std::clamp(std::min(shown, there), 1, std::max(1, most_cells / patches));
    };
    return {along(area.w, picture.columns, picture_width(picture)),
            along(area.h, picture.rows, picture_height(picture))};
}

OverlayLook overlay_look(const FigureContext& context) {
    return {context.display.picture->overlay, context.display.cells->sequential_map, context.theme};
}

Color overlay_color(const OverlayLook& look, Color pixel, float place) {
    if (look.overlay == PictureOverlay::light)
        return mix(palette(look.theme).panel, pixel, least_light + (1 - least_light) * place);
    const auto grey = static_cast<std::uint8_t>(std::lround(luminance(pixel) * 255));
    return mix({grey, grey, grey, 255}, color_at({look.map, 0, 1}, place, look.theme), map_cover);
}

float largest_weight(const PatchAttention& attention) {
    float largest = 0;
    for (std::size_t patch = 0; patch < attention.weights.size(); ++patch)
        if (attention.visible[patch] != 0 && std::abs(attention.weights[patch]) > largest)
            largest = std::abs(attention.weights[patch]);
    return largest > 0 && std::isfinite(largest) ? largest : 1;
}

ColorScale overlay_scale(const FigureContext& context, float largest) {
    ColorScale scale;
    scale.map = color_map(context.display.cells->sequential_map).id;
    scale.high = largest;
    scale.log = context.display.cells->log_scale;
    scale.low = scale.log ? largest * 1e-3F : 0;
    return scale;
}

PictureCells plain_cells(const FigureContext& context, const PatchTokens& tokens, PatchCells cells) {
    const auto pixels = raster_of(context, cells);
    const Color paper = context.colors().panel;
    const auto is_token = [&](std::size_t patch) { return tokens.query_of[patch] >= 0 || tokens.key_of[patch] >= 0; };
    return fill_cells(
        *context.model.picture, cells, *pixels,
        [&](std::size_t patch, Color pixel) { return is_token(patch) ? pixel : mix(paper, pixel, 0.4F); },
        [](std::size_t) { return 0.0F; }, [](std::size_t) { return true; });
}

PictureCells overlaid_cells(const FigureContext& context, const PatchAttention& attention, const PatchTokens& tokens,
                            const ColorScale& scale, PatchCells cells) {
    const auto pixels = raster_of(context, cells);
    const OverlayLook look = overlay_look(context);
    const Color warning = context.colors().warning;
    const Color paper = context.colors().panel;
    std::vector<float> places(attention.weights.size());
    for (std::size_t patch = 0; patch < places.size(); ++patch)
        places[patch] = place_on_scale(scale, std::abs(attention.weights[patch]));
    return fill_cells(
        *context.model.picture, cells, *pixels,
        [&](std::size_t patch, Color pixel) {
            if (std::isnan(attention.weights[patch])) return warning;
            return tokens.key_of[patch] < 0 ? paper : overlay_color(look, pixel, places[patch]);
        },
        [&](std::size_t patch) { return std::isnan(attention.weights[patch]) ? 0 : attention.weights[patch]; },
        [&](std::size_t patch) { return tokens.key_of[patch] < 0 || attention.visible[patch] != 0; });
}

}  // namespace heed
