#include "core/files/temporaries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace heed {
namespace {

constexpr std::string_view prefix = ".heed-";
constexpr std::string_view suffix = ".tmp";
constexpr std::size_t n_random = 12;

// A signal handler may neither lock nor allocate. Whoever exchanges a path for null owns it; the handler never gives one back.
template <std::size_t n>
class Slots {
public:
    int add(const std::string& path) noexcept {
        char* copy = ::strdup(path.c_str());
        if (copy == nullptr) return -1;
        for (std::size_t i = 0; i < n; ++i) {
            char* empty = nullptr;
            if (paths_[i].compare_exchange_strong(empty, copy)) return static_cast<int>(i);
        }
        std::free(copy);  // more than anybody writes at once: these are not cleaned up
        return -1;
    }
    void forget(int slot) noexcept { std::free(paths_[static_cast<std::size_t>(slot)].exchange(nullptr)); }

    template <typename Remove>
    void remove_all(Remove remove) noexcept {
        for (std::atomic<char*>& path : paths_)
            if (char* taken = path.exchange(nullptr); taken != nullptr && remove(taken) != 0) path = taken;
    }

private:
    std::array<std::atomic<char*>, n> paths_{};
};

Slots<4096> files;
Slots<64> folders;

extern "C" void remove_and_die(int signal) {
    files.remove_all(::unlink);
    for (int depth = 0; depth < 8; ++depth)
        folders.remove_all(::rmdir);  // the innermost first, in whatever order they stand
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // comes once this handler has returned
}

bool is_temporary_name(std::string_view name) {
    return name.size() == prefix.size() + n_random + suffix.size() && name.starts_with(prefix) &&
           name.ends_with(suffix);
}

}  // namespace

Temporary::Temporary(Kind kind, const std::filesystem::path& path)
    : slot_(kind == Kind::file ? files.add(path.string()) : folders.add(path.string())), kind_(kind) {}

Temporary& Temporary::operator=(Temporary&& other) noexcept {
    if (this == &other) return *this;
    forget();
    slot_ = std::exchange(other.slot_, -1);
    kind_ = other.kind_;
    return *this;
}

void Temporary::forget() noexcept {
    if (slot_ < 0) return;
    kind_ == Kind::file ? files.forget(slot_) : folders.forget(slot_);
    slot_ = -1;
}

void clean_up_on_signals() {
    ::signal(SIGXFSZ, SIG_IGN);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        // Ignored by whoever started us (nohup): stays ignored.
        if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
        struct sigaction action {};
        action.sa_handler = remove_and_die;
        sigfillset(&action.sa_mask);
        ::sigaction(number, &action, nullptr);
    }
}

// Not the target's own name with a suffix: that could exceed the longest name the file system allows.
std::filesystem::path temporary_beside(const std::filesystem::path& target) {
    static constexpr char digits[] = "0123456789abcdefghijklmnopqrstuv";
    std::random_device random;
    std::string name(prefix);
    for (std::size_t i = 0; i < n_random; ++i) name += digits[random() % 32];
    return target.parent_path() / (name + std::string(suffix));
}

void remove_stale_temporaries(const std::filesystem::path& folder) noexcept {
    try {
        std::error_code failed;
        const auto now = std::filesystem::file_time_type::clock::now();
        for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
             entry.increment(failed)) {
            if (!is_temporary_name(entry->path().filename().string())) continue;
            std::error_code no_time;
            const auto written = std::filesystem::last_write_time(entry->path(), no_time);
            if (!no_time && now - written > std::chrono::hours(1)) ::unlink(entry->path().c_str());
        }
    } catch (const std::exception&) {  // nobody asked for it: nothing to say
        return;
    }
}

}  // namespace heed
