// One slider move: everything the pictures need again after the temperature, a mask or a number changed, against the
// goals. Two threads, best of several; a first computation has touched the memory.
#include "core/attention/pipeline.h"
#include "core/kernels/thread_pool.h"
#include "core/model/mask_settings.h"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace {

using namespace heed;

struct Size {
    int heads;
    int n;
    double goal;  // milliseconds
    double aim;
};

Model model_of(const Size& size) {
    Model model;
    model.n_queries = size.n;
    model.n_heads = model.n_kv_heads = size.heads;
    model.d_k = model.d_v = 64;
    model.d_model = 8;
    fit_matrices(model);
    return model;
}

void set_key(Model& model, std::size_t head, int round) {
    model.k[head] = model.k[head].with([&](Matrix& k) { k(1, 1) = static_cast<float>(round); });
}

// The best time of a computation after each of `rounds` changes, every one of which changes something: what still holds
// is not computed again.
double best(Model& model, AttentionTrace& trace, int rounds, const std::function<void(Model&, int)>& change) {
    double fastest = 1e9;
    for (int round = 0; round < rounds; ++round) {
        change(model, round);
        run_attention(model, trace);
        fastest = std::min(fastest, trace.milliseconds);
    }
    return fastest;
}

}  // namespace

int main() {
    shared_pool().set_thread_count(2);
    bool met = true;
    std::printf("heads x tokens     a key  every head's  temperature   causal  window    goal   aim (ms)\n");
    for (const Size& size : {Size{8, 512, 6, 3.3}, Size{8, 1024, 20, 12.5}, Size{1, 2048, 11, 6.3}}) {
        Model model = model_of(size);
        AttentionTrace trace;
        run_attention(model, trace);
        const double key = best(model, trace, 12, [](Model& m, int round) { set_key(m, 0, round + 3); });
        const double keys = best(model, trace, 12, [](Model& m, int round) {
            for (std::size_t head = 0; head < m.k.size(); ++head) set_key(m, head, round + 20);
        });
        const double temperature = best(
            model, trace, 12, [](Model& m, int round) { m.temperature = 1.1F + 0.1F * static_cast<float>(round); });
        const double causal = best(model, trace, 12, [](Model& m, int round) { m.mask->causal = round % 2 == 0; });
        const double window = best(model, trace, 12, [](Model& m, int round) {
            m.mask->window = true;
            m.mask->window_left = 100 + round;
        });
        std::printf("%5d x %-8d %8.2f %13.2f %12.2f %8.2f %7.2f %7.1f %6.1f\n", size.heads, size.n, key, keys,
                    temperature, causal, window, size.goal, size.aim);
        met = met && std::max({key, keys, temperature, causal, window}) <= size.goal;
    }
    std::printf(met ? "every goal is met\n" : "a goal is missed\n");
    return met ? 0 : 1;
}
