#include "core/files/read_file.h"

#include "core/files/shown.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace heed {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
    const std::string name = shown_path(path);
    if (path.empty()) return Error{"the file name is empty"};

    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0) {
        if (errno == ENOENT) return Error{name + ": there is no such file"};
        return Error{name + ": the file cannot be opened (" + reason(errno) + ")"};
    }
    struct stat status {};
    if (::fstat(file.number, &status) != 0) return Error{name + ": the file cannot be read (" + reason(errno) + ")"};
    if (S_ISDIR(status.st_mode)) return Error{name + ": this is a folder, not a file"};
    if (!S_ISREG(status.st_mode)) return Error{name + ": this is a device or pipe, not a file"};

    const auto size = static_cast<std::uintmax_t>(status.st_size);
    if (size > max_bytes)
        return Error{name + ": the file has " + std::to_string(size) + " bytes, more than the " +
                     std::to_string(max_bytes) + " that are read"};

    std::string bytes(static_cast<std::size_t>(size), '\0');
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t got = ::read(file.number, bytes.data() + filled, bytes.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error{name + ": the file cannot be read (" + reason(errno) + ")"};
        if (got == 0) break;  // shortened while it was being read
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace heed
