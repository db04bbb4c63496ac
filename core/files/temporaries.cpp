#include "core/files/temporaries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
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

std::atomic<int> uninterrupted = 0;  // how many ask for it
std::atomic<int> waiting_signal = 0;

extern "C" void remove_and_die(int signal) {
    // Written down first: either this sees that nobody asks any more, or who ends asking sees the signal.
    waiting_signal = signal;
    if (uninterrupted > 0) return;
    files.remove_all(::unlink);
    for (int depth = 0; depth < 8; ++depth)
        folders.remove_all(::rmdir);  // the innermost first, in whatever order they stand
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // comes once this handler has returned
}

constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";

// The process that made it; nothing where the name is none of temporary_beside()'s.
std::optional<pid_t> maker_of(std::string_view name) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    name.remove_suffix(suffix.size());
    const std::size_t dash = name.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    pid_t maker = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + dash, maker);
    if (error != std::errc() || end != name.data() + dash || maker <= 0) return std::nullopt;
    const std::string_view random = name.substr(dash + 1);
    const bool is_ours = random.size() == n_random && random.find_first_not_of(digits) == std::string_view::npos;
    return is_ours ? std::optional(maker) : std::nullopt;
}

bool is_alive(pid_t process) { return ::kill(process, 0) == 0 || errno == EPERM; }

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

Uninterrupted::Uninterrupted() noexcept { ++uninterrupted; }

Uninterrupted::~Uninterrupted() {
    if (--uninterrupted > 0) return;
    if (const int signal = waiting_signal.exchange(0); signal != 0) ::raise(signal);
}

void clean_up_on_signals() {
    ::signal(SIGXFSZ, SIG_IGN);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
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
    std::random_device random;
    std::string name(prefix);
    name += std::to_string(::getpid()) + "-";
    for (std::size_t i = 0; i < n_random; ++i) name += digits[random() % 32];
    return target.parent_path() / (name + std::string(suffix));
}

void remove_stale_temporaries(const std::filesystem::path& folder) noexcept {
    try {
        std::error_code failed;
        for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
             entry.increment(failed)) {
            const std::optional<pid_t> maker = maker_of(entry->path().filename().string());
            struct stat found {};
            if (!maker || ::lstat(entry->path().c_str(), &found) != 0) continue;
            if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid() || is_alive(*maker)) continue;
            if (std::time(nullptr) - found.st_mtime > 3600) ::unlink(entry->path().c_str());
        }
    } catch (const std::exception&) {  // nobody asked for it: nothing to say
        return;
    }
}

void remove_stale_temporaries_once(const std::filesystem::path& folder) noexcept {
    static std::mutex mutex;
    static std::set<std::string> seen;
    constexpr std::size_t most_seen = 1000;
    try {
        const std::lock_guard lock(mutex);
        if (seen.size() >= most_seen || !seen.insert(folder.string()).second) return;
    } catch (const std::exception&) {
        return;
    }
    remove_stale_temporaries(folder.empty() ? "." : folder);
}

}  // namespace heed
