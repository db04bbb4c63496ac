// What the Cost view shows: what attention costs, and what cheaper attention gives up. What was measured belongs to the machine
// and is not saved.
#pragma once

#include "core/cost/methods.h"
#include "core/fields.h"

#include <string>

namespace heed {

enum class CostPanel { measured, error, chunks, time, sequential };
template <>
struct ChoiceIds<CostPanel> {
    static constexpr const char* ids[] = {"measured", "error", "chunks", "time", "sequential"};
};

enum class CostQuantity { time, memory };
template <>
struct ChoiceIds<CostQuantity> {
    static constexpr const char* ids[] = {"time", "memory"};
};

enum class CostDataChoice { scene, independent, sharp, local };
template <>
struct ChoiceIds<CostDataChoice> {
    static constexpr const char* ids[] = {"scene", "independent", "sharp", "local"};
};

struct CostDisplay {
    CostPanel panel = CostPanel::measured;
    CostQuantity quantity = CostQuantity::time;
    int n = 4096;  // tokens whose needs are told
    int heads = 8;
    int layers = 1;
    int width = 64;                 // d of each head
    std::string method = "window";  // whose error is shown; a row of cost_methods()
    CostDataChoice data = CostDataChoice::independent;
    int data_n = 256;  // tokens of the data that are drawn
    int window = 32;
    int stride = 0;  // 0: √n
    int globals = 4;
    int top = 64;
    int features = 256;
    int chunk = 2;  // keys taken in one step of chunked attention
    int step = 1;   // chunks that were taken; clamped to what there are
    friend bool operator==(const CostDisplay&, const CostDisplay&) = default;
};

// What the methods take of it.
inline CostParameters parameters_of(const CostDisplay& cost) {
    CostParameters parameters;
    parameters.window = cost.window;
    parameters.stride = cost.stride;
    parameters.globals = cost.globals;
    parameters.top = cost.top;
    parameters.features = cost.features;
    return parameters;
}

template <MaybeConst<CostDisplay> Self, typename Visit>
void visit_fields(Self& cost, Visit&& visit) {
    visit("panel", cost.panel, Anything{});
    visit("quantity", cost.quantity, Anything{});
    visit("n", cost.n, Between{16, 1 << 20});
    visit("heads", cost.heads, Between{1, max_heads});
    visit("layers", cost.layers, Between{1, 1024});
    visit("width", cost.width, Between{1, 1024});
    visit("method", cost.method, OneOf{cost_method_ids});
    visit("data", cost.data, Anything{});
    visit("data_n", cost.data_n, Between{16, 2048});
    visit("window", cost.window, Between{0, max_tokens});
    visit("stride", cost.stride, Between{0, max_tokens});
    visit("globals", cost.globals, Between{0, max_tokens});
    visit("top", cost.top, Between{1, max_tokens});
    visit("features", cost.features, Between{1, 4096});
    visit("chunk", cost.chunk, Between{1, 4096});
    visit("step", cost.step, Between{0, max_tokens});
}

}  // namespace heed
