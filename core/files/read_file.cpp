#include "core/files/read_file.h"

#include "core/files/shown.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace heed {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

InputFile::InputFile(int descriptor, std::uintmax_t size, std::string name)
    : descriptor_(descriptor), size_(size), name_(std::move(name)) {}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_), name_(std::move(other.name_)) {}

InputFile::~InputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
    std::string name = shown_path(path);
    if (path.empty()) return Error{"the file name is empty"};

    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    InputFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), 0, name);
    if (file.descriptor_ < 0) {
        if (errno == ENOENT) return Error{name + ": there is no such file"};
        return Error{name + ": the file cannot be opened (" + reason(errno) + ")"};
    }
    struct stat status {};
    if (::fstat(file.descriptor_, &status) != 0)
        return Error{name + ": the file cannot be read (" + reason(errno) + ")"};
    if (S_ISDIR(status.st_mode)) return Error{name + ": this is a folder, not a file"};
    if (!S_ISREG(status.st_mode)) return Error{name + ": this is a device or pipe, not a file"};
    file.size_ = static_cast<std::uintmax_t>(status.st_size);
    return file;
}

Result<std::size_t> InputFile::read(std::span<char> bytes) {
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t got = ::read(descriptor_, bytes.data() + filled, bytes.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error{name_ + ": the file cannot be read (" + reason(errno) + ")"};
        if (got == 0) break;  // its end, or shortened while it was being read
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

Status check_size(const InputFile& file, std::uintmax_t max_bytes) {
    if (file.size() <= max_bytes) return ok();
    return Error{file.name() + ": the file has " + std::to_string(file.size()) + " bytes, more than the " +
                 std::to_string(max_bytes) + " that are read"};
}

Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
    Result<InputFile> file = InputFile::open(path);
    if (!file) return Error{file.error()};
    if (Status status = check_size(*file, max_bytes); !status) return Error{status.error()};
    std::string bytes(static_cast<std::size_t>(file->size()), '\0');
    const Result<std::size_t> filled = file->read(bytes);
    if (!filled) return Error{filled.error()};
    bytes.resize(*filled);
    return bytes;
}

}  // namespace heed
