#include "app/take_away/export_settings.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace heed::app {

namespace {

constexpr PagePreset table[] = {
    {"slide", "Slide 16:9", 1920, 1080, 1.6F, 144},
    {"column", "Paper column", 1004, 640, 2.0F, 300},  // 8.5 cm at 300 dpi
    {"page", "Paper page", 2008, 1260, 2.1F, 300},     // 17 cm
    {"square", "Square", 1200, 1200, 1.6F, 144},
};

bool is_installed(const char* program) {
    return std::system((std::string("command -v ") + program + " > /dev/null 2>&1").c_str()) == 0;
}

// Writing to a program that has ended is an error here, and not the end of Heed. Made after that program was started: a
// program inherits what is ignored.
class WithoutBrokenPipe {
public:
    WithoutBrokenPipe() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
    ~WithoutBrokenPipe() { std::signal(SIGPIPE, before_); }
    WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;
    WithoutBrokenPipe& operator=(const WithoutBrokenPipe&) = delete;

private:
    void (*before_)(int);
};

}  // namespace

std::span<const PagePreset> page_presets() { return table; }

Status copy_picture(std::string_view png) {
    const char* command = nullptr;
    if (std::getenv("WAYLAND_DISPLAY") != nullptr && is_installed("wl-copy"))
        command = "wl-copy --type image/png";
    else if (std::getenv("DISPLAY") != nullptr && is_installed("xclip"))
        command = "xclip -selection clipboard -t image/png -i > /dev/null 2>&1";
    if (command == nullptr)
        return Error{"The picture could not be copied: neither wl-copy nor xclip is installed, or there is no display"};
    std::FILE* pipe = ::popen(command, "w");
    if (pipe == nullptr) return Error{"The picture could not be copied: the clipboard program did not start"};
    const WithoutBrokenPipe ignored;
    const bool is_written = std::fwrite(png.data(), 1, png.size(), pipe) == png.size();
    if (::pclose(pipe) != 0 || !is_written)
        return Error{"The picture could not be copied: the clipboard program failed"};
    return ok();
}

}  // namespace heed::app
