// Arguments; the window or a command.
#include "app/shell/run_window.h"
#include "heed_version.h"

#include <imgui.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
        std::puts("heed " HEED_VERSION);
        return 0;
    }
    const heed::Status ran = heed::app::run_window({}, [](heed::app::WindowHost& host) {
        ImGui::DockSpaceOverViewport();
        return !host.wants_to_close();
    });
    if (ran) return 0;
    std::fprintf(stderr, "%s\n", ran.error().c_str());
    return 1;
}
