// From a slider's event to the finished frame, split into computing and drawing, and how often a frame took too long.
//
// Drawn offscreen; the clock stops after glFinish. Also the Heads view with 64 heads of 128 tokens under a moving mouse.
// With numbers of tokens as arguments those alone are measured.
#include "app/document.h"
#include "app/platform/offscreen.h"
#include "app/shell/shell.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace heed::app {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Window {
    Window(OffscreenHost& offscreen, Scene scene)
        : host(offscreen), document(std::move(scene)), shell(document, session, {.native_dialogs = false}) {
        session.animate = false;
    }

    void frame() {
        host.set_theme(session.settings.theme);
        host.set_zoom(shell.zoom());
        if (!host.begin_frame()) return;
        shell.frame(ImGui::GetIO().DisplaySize);
        host.end_frame();
        glFinish();
    }

    OffscreenHost& host;
    Session session;
    Document document;
    Shell shell;
};

Scene scene_of(int n, int heads, const char* view) {
    Scene scene = default_scene();
    scene.model.n_queries = n;
    scene.model.n_heads = scene.model.n_kv_heads = heads;
    scene.model.d_k = scene.model.d_v = 64;
    scene.display.view = view;
    fit_matrices(scene.model);
    return scene;
}

void slider_moves(OffscreenHost& host, int n) {
    Window window(host, scene_of(n, 8, "pipeline"));
    window.document.settle();
    for (int i = 0; i < 8; ++i) window.frame();
    std::vector<double> whole;
    double compute = 0;
    double longest_frame = 0;
    int late = 0;
    const int moves = n >= 1024 ? 12 : 60;
    for (int move = 0; move < moves; ++move) {
        window.document.next().model.temperature = 0.5F + 0.01F * static_cast<float>(move);
        const auto start = Clock::now();
        // Frames go on while a worker computes; the move is seen once a frame has drawn its trace.
        do {
            const auto frame_start = Clock::now();
            window.frame();
            const double frame = milliseconds_since(frame_start);
            longest_frame = std::max(longest_frame, frame);
            late += frame > 16 ? 1 : 0;
        } while (window.document.is_computing());
        window.frame();
        whole.push_back(milliseconds_since(start));
        compute += window.document.trace().milliseconds;
    }
    std::ranges::sort(whole);
    const double total = whole[whole.size() / 2];
    const double share = std::min(1.0, compute / moves / total);
    std::printf("%6d %10.2f %10.2f %9.0f %% %9.0f %% %12.1f %8d\n", n, total, whole.back(), share * 100,
                (1 - share) * 100, longest_frame, late);
}

void heads_hover(OffscreenHost& host) {
    Window window(host, scene_of(128, 64, "heads"));
    window.document.settle();
    for (int i = 0; i < 8; ++i) window.frame();
    std::vector<double> frames;
    for (int i = 0; i < 120; ++i) {
        ImGui::GetIO().AddMousePosEvent(360.0F + static_cast<float>(i * 37 % 600),
                                        160.0F + static_cast<float>(i * 23 % 380));
        const auto start = Clock::now();
        window.frame();
        frames.push_back(milliseconds_since(start));
    }
    std::ranges::sort(frames);
    std::printf(
        "heads: 64 heads of 128 tokens under a moving mouse: median %.1f ms, longest %.1f ms, %d of %zu frames over 33 "
        "ms\n",
        frames[frames.size() / 2], frames.back(),
        static_cast<int>(std::ranges::count_if(frames, [](double ms) { return ms > 33; })), frames.size());
}

}  // namespace
}  // namespace heed::app

int main(int argc, char** argv) {
    using namespace heed::app;
    auto host = open_offscreen({});
    if (!host) {
        std::fprintf(stderr, "%s\n", host.error().c_str());
        return 1;
    }
    std::printf("8 heads, d = 64, temperature moved; milliseconds from the event to the finished frame\n");
    std::printf("%6s %10s %10s %11s %11s %12s %8s\n", "n", "median", "longest", "compute", "draw", "worst frame",
                "> 16 ms");
    for (int i = 1; i < argc; ++i) slider_moves(**host, std::clamp(std::atoi(argv[i]), 1, 4096));
    if (argc > 1) return 0;
    for (const int n : {8, 64, 256, 1024}) slider_moves(**host, n);
    heads_hover(**host);
    return 0;
}
