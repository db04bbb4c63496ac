// How long a figure takes on paper: the ten-token pipeline at 1600 pixels, in every format and as a frame of a GIF, with
// a number in each cell that has room for one and without.
#include "app/print/gif.h"
#include "app/print/print_figure.h"
#include "core/attention/pipeline.h"
#include "core/figure/registry.h"

#include <benchmark/benchmark.h>

namespace heed::app {
namespace {

enum class Cells { plain, numbered };

Figure ten_token_pipeline(float temperature, Cells cells) {
    Scene scene = default_scene();
    scene.model.n_queries = 10;
    scene.model.temperature = temperature;
    fit_matrices(scene.model);
    static AttentionTrace trace;
    trace = run_attention(scene.model);
    return find_figure_kind("pipeline")
        ->make({.model = scene.model,
                .trace = trace,
                .display = scene.display,
                .title = scene.title,
                .measure = print_measure(),
                .width = 1066,
                .height = 667,
                .options = {.numbers = cells == Cells::numbered},
                .on_paper = true});
}

void print_format(benchmark::State& state, PrintOptions::Format format, Cells cells) {
    const Figure figure = ten_token_pipeline(1, cells);
    const PrintOptions options{.format = format, .pixels_per_unit = 1600.0 / 1066.0};
    std::size_t size = 0;
    for (auto _ : state) size = print_figure(figure, options)->size();  // NOLINT(clang-analyzer-deadcode.DeadStores)
    state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK_CAPTURE(print_format, png, PrintOptions::Format::png, Cells::plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(print_format, svg, PrintOptions::Format::svg, Cells::plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(print_format, pdf, PrintOptions::Format::pdf, Cells::plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(print_format, png_numbered, PrintOptions::Format::png, Cells::numbered)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(print_format, svg_numbered, PrintOptions::Format::svg, Cells::numbered)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(print_format, pdf_numbered, PrintOptions::Format::pdf, Cells::numbered)
    ->Unit(benchmark::kMillisecond);

void gif_frame(benchmark::State& state, Cells cells) {
    const PrintOptions options{.pixels_per_unit = 1600.0 / 1066.0};
    const Pixels frames[] = {*print_pixels(ten_token_pipeline(1, cells), options),
                             *print_pixels(ten_token_pipeline(2, cells), options)};
    GifWriter gif(frames[0].width, frames[0].height, 80);
    std::size_t next = 0;
    for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores)
        if (!gif.add_frame(frames[next++ % 2])) state.SkipWithError("no frame");
}
BENCHMARK_CAPTURE(gif_frame, plain, Cells::plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gif_frame, numbered, Cells::numbered)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heed::app

BENCHMARK_MAIN();
