#include "app/take_away/render.h"

#include "app/platform/font_files.h"
#include "core/attention/pipeline.h"
#include "core/counting.h"
#include "core/figure/layer_kinds.h"
#include "core/figure/registry.h"
#include "core/files/atomic_write.h"
#include "core/model/depth.h"
#include "core/transformer/around.h"

#include <cmath>

namespace heed::app {

namespace {

constexpr int default_logical_width = 1000;
constexpr int least_side = 64;  // pixels

// With several layers, also which one is shown, where the view shows one.
std::string picture_title(const Scene& scene, const RenderRequest& request) {
    std::string title = scene_title(scene, request.language);
    if (scene.model.depth->layers == 1 || !shows_one_layer(request.view)) return title;
    const std::string layer = fill(tr(request.language, "layer {0} of {1}"),
                                   {shown_number(scene.model.layers.held), std::to_string(scene.model.depth->layers)});
    return title.empty() ? layer : title + " · " + layer;
}

Status check_side(const char* option, int pixels) {
    if (pixels >= least_side && pixels <= largest_side) return ok();
    return Error{std::string(option) + " " + std::to_string(pixels) + ": a picture has between " +
                 std::to_string(least_side) + " and " + std::to_string(largest_side) + " pixels on a side"};
}

}  // namespace

Result<PrintOptions::Format> format_of(const std::string& path) {
    if (path.ends_with(".png")) return PrintOptions::Format::png;
    if (path.ends_with(".svg")) return PrintOptions::Format::svg;
    if (path.ends_with(".pdf")) return PrintOptions::Format::pdf;
    return Error{"--out " + path + ": the name must end in .png, .svg or .pdf"};
}

Result<Rendering> make_rendering(const Scene& given, const AttentionTrace& trace, const RenderRequest& request,
                                 PrintOptions::Format format) {
    const FigureKind* kind = find_figure_kind(request.view);
    if (kind == nullptr) {
        std::string known;
        for (const FigureKind& row : figure_kinds()) known += (known.empty() ? "" : ", ") + std::string(row.id);
        return Error{"--view " + request.view + ": there is no such view; there are " + known};
    }
    if (const Status fonts = check_fonts(); !fonts) return Error{fonts.error()};
    Scene scene = given;
    if (request.head) {
        if (*request.head < 0 || *request.head >= scene.model.n_heads)
            return Error{"--head " + std::to_string(*request.head) + ": the heads are 0 to " +
                         std::to_string(scene.model.n_heads - 1)};
        scene.display.head = *request.head;
    }
    if (!(request.scale >= 0.25 && request.scale <= 16))
        return Error{"--scale: a number between 0.25 and 16 is wanted"};
    if (request.dpi && !(*request.dpi >= 10 && *request.dpi <= 4800))
        return Error{"--dpi: a number between 10 and 4800 is wanted"};
    const int width = request.width.value_or(static_cast<int>(std::lround(default_logical_width * request.scale)));
    const int height = request.height.value_or(static_cast<int>(std::lround(width * 0.625)));
    if (Status side = check_side("--width", width); !side) return Error{side.error()};
    if (Status side = check_side("--height", height); !side) return Error{side.error()};

    FigureContext context{.model = looked_at(scene.model, trace),
                          .trace = trace,
                          .display = scene.display,
                          .title = picture_title(scene, request),
                          .language = request.language,
                          .theme = request.theme,
                          .measure = print_measure(),
                          .width = static_cast<float>(width / request.scale),
                          .height = static_cast<float>(height / request.scale),
                          .baseline = request.kept,
                          .show_difference = request.kept != nullptr,
                          .options = request.options,
                          .results = request.results.get(),
                          .measured = request.measured,
                          .on_paper = true};
    Rendering rendering{.figure = kind->make(context), .print = {}};
    const double dpi = request.dpi.value_or(96 * request.scale);
    rendering.print = {.format = format,
                       .background = request.background,
                       .pixels_per_unit = request.scale,
                       .dpi = dpi,
                       .width_points = width / dpi * 72};
    return rendering;
}

Status run_render(const Scene& scene, const AttentionTrace& trace, const RenderRequest& request,
                  const std::string& out) {
    const Result<PrintOptions::Format> format = format_of(out);
    if (!format) return Error{format.error()};
    const Result<Rendering> rendering = make_rendering(scene, trace, request, *format);
    if (!rendering) return Error{rendering.error()};
    const Result<std::string> bytes = print_figure(rendering->figure, rendering->print);
    if (!bytes) return Error{bytes.error()};
    return write_file(out, *bytes);
}

Status run_render(const Scene& scene, const RenderRequest& request, const std::string& out) {
    if (const Result<PrintOptions::Format> format = format_of(out); !format) return Error{format.error()};
    return run_render(scene, run_layers(scene.model), request, out);
}

}  // namespace heed::app
