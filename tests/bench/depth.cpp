// A deep scene beside the window: 12 layers of 12 heads, d = 384, 128 tokens, while the temperature slider is dragged.
//
// The mouse moves on the real slider of an offscreen window that draws sixty times a second, as a display would make it.
// Printed: from the mouse's move to the frame with the new trace; how long the frames meanwhile took, glFinish included, and how
// long the window's thread itself was at work; and how many pictures a second are seen while the mouse moves in every frame.
#include "core/model/depth.h"
#include "app/document.h"
#include "app/platform/offscreen.h"
#include "app/platform/test_hooks.h"
#include "app/shell/shell.h"
#include "core/layers.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace heed::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::nanoseconds between_frames{1'000'000'000 / 60};

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

double thread_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// The box of the item with this name, as an ItemListener learns it.
class FindItem final : public ItemListener {
public:
    explicit FindItem(std::string_view name) : name_(name) {}
    std::optional<ImRect> box() const { return found_; }

private:
    void item_added(ImGuiID id, const ImRect& box, const ImGuiWindow*, ImGuiItemFlags) override { boxes_[id] = box; }
    void item_named(ImGuiID id, const char* label, ImGuiItemStatusFlags) override {
        const std::string_view text(label);
        const bool is_it = text == name_ || text.ends_with("###" + name_);
        if (const auto box = boxes_.find(id); is_it && box != boxes_.end()) found_ = box->second;
    }
    void item_is_grid(ImGuiID, Index, Index, bool) override {}

    std::string name_;
    std::map<ImGuiID, ImRect> boxes_;
    std::optional<ImRect> found_;
};

Scene deep_scene(const char* view, int layers) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model.source = Source::projected;
    model.n_queries = 128;
    model.d_model = 384;
    model.n_heads = model.n_kv_heads = 12;
    model.d_k = model.d_v = 32;
    model.depth->residual = true;
    model.depth->norm_place = NormPlace::before;
    model.depth->feed_forward = "gelu";
    model.depth->d_ff = 4 * model.d_model;
    allow_depth(model);
    set_layers(model, layers);
    scene.display.view = view;
    return scene;
}

struct Window {
    Window(OffscreenHost& offscreen, Scene scene)
        : host(offscreen),
          document(std::move(scene)),
          shell(document, session, {.wake = [] {}, .native_dialogs = false}) {
        session.animate = false;
    }

    struct Time {
        double wall = 0;
        double own = 0;  // of the window's thread alone: what others on the machine do hardly changes it
    };
    // What the frame took; the rest until the display's next refresh is slept.
    Time frame() {
        if (next_frame < Clock::now() - between_frames) next_frame = Clock::now();
        std::this_thread::sleep_until(next_frame);
        next_frame += between_frames;
        const auto start = Clock::now();
        const double own_start = thread_milliseconds();
        host.set_theme(session.settings.theme);
        host.set_zoom(shell.zoom());
        if (!host.begin_frame()) return {};
        shell.frame(ImGui::GetIO().DisplaySize);
        host.end_frame();
        glFinish();
        return {milliseconds(Clock::now() - start), thread_milliseconds() - own_start};
    }
    void settle() {
        for (int round = 0; round < 3; ++round) {
            document.settle();
            shell.finish_jobs();
            for (int i = 0; i < 4; ++i) frame();
        }
    }

    OffscreenHost& host;
    Session session;
    Document document;
    Shell shell;
    Clock::time_point next_frame = Clock::now();
};

struct Spread {
    double median = 0, most = 0, longest = 0;  // most: 95 % are shorter
    int late = 0;                              // over a sixtieth of a second
};

Spread spread_of(std::vector<double> times) {
    std::ranges::sort(times);
    const auto at = [&](double share) {
        return times[static_cast<std::size_t>(share * static_cast<double>(times.size()))];
    };
    return {at(0.5), at(0.95), times.back(),
            static_cast<int>(std::ranges::count_if(times, [](double ms) { return ms > 1000.0 / 60; }))};
}

// Where it stands in the panel of controls, once the wheel has brought it into sight.
std::optional<ImRect> scroll_to(Window& window, std::string_view name) {
    ImGui::GetIO().AddMousePosEvent(20, 500);
    for (int turn = 0; turn < 40; ++turn) {
        FindItem item(name);
        listen_to_items(ImGui::GetCurrentContext(), &item);
        window.frame();
        listen_to_items(ImGui::GetCurrentContext(), nullptr);
        if (item.box() && item.box()->Max.y < ImGui::GetIO().DisplaySize.y - 60) return item.box();
        ImGui::GetIO().AddMouseWheelEvent(0, -1);
        for (int i = 0; i < 3; ++i) window.frame();
    }
    return std::nullopt;
}

bool drag_temperature(OffscreenHost& host, const char* view, int layers, int moves) {
    Window window(host, deep_scene(view, layers));
    if (window.document.next().model.depth->layers != layers) {
        std::fprintf(stderr, "no room for %d layers\n", layers);
        return false;
    }
    window.settle();
    const std::optional<ImRect> slider = scroll_to(window, "temperature");
    if (!slider) {
        std::fprintf(stderr, "the temperature slider is out of sight\n");
        return false;
    }
    ImGuiIO& io = ImGui::GetIO();
    const ImVec2 mouse = slider->GetCenter();
    io.AddMousePosEvent(mouse.x, mouse.y);
    window.frame();
    io.AddMouseButtonEvent(0, true);
    window.frame();
    window.settle();

    std::vector<double> answers;
    std::vector<double> frames, own;
    int late_with_new = 0;  // frames over a sixtieth of a second that drew a trace for the first time
    const auto draw = [&] {
        const std::uint64_t shown = window.document.trace().version;
        const Window::Time time = window.frame();
        frames.push_back(time.wall);
        own.push_back(time.own);
        if (time.wall > 1000.0 / 60 && window.document.trace().version != shown) ++late_with_new;
    };
    double compute = 0;
    for (int move = 0; move < moves; ++move) {
        std::this_thread::sleep_for(between_frames * (move % 8) / 8);  // at no particular moment between two frames
        // To and fro, and to no place twice: a trace that is still in memory would answer at once.
        const float place = (move % 2 == 0 ? 1.0F : -1.0F) * (6 + 0.37F * static_cast<float>(move));
        io.AddMousePosEvent(mouse.x + place, mouse.y);
        const float before = window.document.scene().model.temperature;
        const auto start = Clock::now();
        do {
            draw();
            if (milliseconds(Clock::now() - start) > 5000) {
                std::fprintf(stderr, "the slider changed nothing\n");
                return false;
            }
        } while (window.document.is_computing() || window.document.scene().model.temperature == before);
        answers.push_back(milliseconds(Clock::now() - start));
        compute += window.document.trace().milliseconds;
        for (int i = 0; i < 3; ++i) draw();  // what a view computes beside it
    }
    // The mouse moves in every frame: how many pictures of it are seen.
    constexpr int restless = 90;
    int pictures = 0;
    std::uint64_t seen = window.document.trace().version;
    const auto drag_start = Clock::now();
    for (int i = 0; i < restless; ++i) {
        io.AddMousePosEvent(mouse.x - 20 + 0.41F * static_cast<float>(i), mouse.y);
        draw();
        if (std::exchange(seen, window.document.trace().version) != window.document.trace().version) ++pictures;
    }
    const double pictures_a_second = 1000 * pictures / milliseconds(Clock::now() - drag_start);
    io.AddMouseButtonEvent(0, false);
    window.frame();
    const Spread answer = spread_of(answers);
    const Spread frame = spread_of(frames);
    const Spread mine = spread_of(own);
    std::printf("%-9s %7.1f %7.1f %8.1f %7zu %7.1f %7.1f %7.1f %7d %7d %9.1f %7.1f %7.1f %9.1f\n", view, answer.median,
                answer.longest, compute / moves, frames.size(), frame.median, frame.most, frame.longest, frame.late,
                late_with_new, mine.median, mine.most, mine.longest, pictures_a_second);
    return true;
}

}  // namespace
}  // namespace heed::app

// bench_depth [view [layers [moves]]]
int main(int argc, char** argv) {
    using namespace heed::app;
    auto host = open_offscreen({});
    if (!host) {
        std::fprintf(stderr, "%s\n", host.error().c_str());
        return 1;
    }
    const std::string_view only = argc > 1 ? argv[1] : "";
    const int layers = argc > 2 ? std::atoi(argv[2]) : 12;
    const int moves = argc > 3 ? std::atoi(argv[3]) : 32;
    std::printf("%d layers, 12 heads, d = 384, 128 tokens, temperature dragged %d times; milliseconds\n", layers,
                moves);
    std::printf("%-9s %7s %7s %8s %7s %7s %7s %7s %7s %7s %9s %7s %7s %9s\n", "view", "answer", "longest", "compute",
                "frames", "median", "95 %", "longest", "> 16.7", "if new", "own time", "95 %", "longest", "a second");
    bool went_well = true;
    for (const char* view : {"pipeline", "heads", "block", "reach"})
        if (only.empty() || only == view) went_well = drag_temperature(**host, view, layers, moves) && went_well;
    return went_well ? 0 : 1;
}
