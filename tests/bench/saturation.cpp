// Drawing q·k, the curves and the phase map: what a slider move and a rest may cost.
#include "core/analysis/saturation.h"

#include <benchmark/benchmark.h>

namespace {

void draws_and_histogram(benchmark::State& state) {
    std::uint64_t seed = 1;
    for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores)
        benchmark::DoNotOptimize(heed::sample_scores(seed++, static_cast<int>(state.range(0)), 200000));
}
BENCHMARK(draws_and_histogram)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();

void phase_map(benchmark::State& state) {
    for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores)
        benchmark::DoNotOptimize(heed::draw_phase_map(1, 8, false, static_cast<int>(state.range(0))));
}
BENCHMARK(phase_map)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

void curves(benchmark::State& state) {
    for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
        benchmark::DoNotOptimize(heed::curve_over_d_k(1, 8, 1, static_cast<int>(state.range(0)), 65));
        benchmark::DoNotOptimize(heed::curve_over_temperature(1, 8, 64, static_cast<int>(state.range(0)), 65));
    }
}
BENCHMARK(curves)->Arg(200)->Arg(4000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
