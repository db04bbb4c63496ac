#include "core/files/atomic_write.h"

#include "core/files/shown.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace heed {
namespace fs = std::filesystem;
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

Error cannot_write(const fs::path& path, const std::string& why) {
    return Error{shown_path(path) + ": the file cannot be written (" + why + ")"};
}

// 0, or the errno of the write that failed.
int write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(file, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return 0;
}

// Follows links, also one that points to a file which does not exist yet.
Result<fs::path> follow_links(const fs::path& path) {
    fs::path at = path;
    for (int hops = 0; hops < 40; ++hops) {
        std::error_code error;
        if (!fs::is_symlink(fs::symlink_status(at, error))) return at;
        const fs::path next = fs::read_symlink(at, error);
        if (error) return cannot_write(path, error.message());
        at = at.parent_path() / next;  // an absolute next replaces the folder
    }
    return cannot_write(path, reason(ELOOP));
}

// Read, not set and set back: another thread may be making a file.
mode_t umask_now() {
    if (std::FILE* status = std::fopen("/proc/self/status", "re"); status != nullptr) {
        char line[256];
        unsigned mask = 0;
        bool found = false;
        while (!found && std::fgets(line, sizeof line, status) != nullptr)
            found = std::sscanf(line, "Umask: %o", &mask) == 1;
        std::fclose(status);
        if (found) return static_cast<mode_t>(mask);
    }
    return 022;
}

// What the file is to be in the end. `old`: the file that it replaces, or null.
void set_owner_and_mode(int file, const struct stat* old, Readers readers) {
    mode_t mode = 0666U & ~umask_now();
    if (old != nullptr) {
        mode = old->st_mode & 07777U;
        // Keeping the owner is for the administrator saving a user's file; anybody else may not, and need not.
        if (old->st_uid != ::geteuid() && ::fchown(file, old->st_uid, static_cast<gid_t>(-1)) != 0) errno = 0;
        struct stat made {};
        const bool has_group = ::fstat(file, &made) == 0 && made.st_gid == old->st_gid;
        // Another group than before may not read more than everybody.
        if (!has_group && ::fchown(file, static_cast<uid_t>(-1), old->st_gid) != 0)
            mode &= ~(070U & ~((mode & 07U) << 3U));
    }
    if (readers == Readers::owner) mode &= 0600U;
    // Not every file system has permissions. The file then stays as private as it was made.
    if (::fchmod(file, mode) != 0) errno = 0;
}

// 0, or the errno of what failed. Some file systems cannot do this, which is no reason not to save.
int sync_file(int file) {
    if (::fsync(file) == 0) return 0;
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

// A rename survives a power cut only once its folder has been written too. Not every file system can do this.
void sync_folder_of(const fs::path& target) {
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

}  // namespace

Result<StagedFile> StagedFile::stage(const fs::path& path, std::string_view bytes, Readers readers) {
    if (path.empty()) return Error{"the file name is empty"};
    Result<fs::path> target = follow_links(path);
    if (!target) return Error{target.error()};

    StagedFile staged;
    staged.named_ = path;
    staged.target_ = *std::move(target);

    struct stat old {};
    const bool exists = ::stat(staged.target_.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return cannot_write(path, "there is a folder of that name");
    if (!exists && !staged.target_.has_filename()) return cannot_write(path, "the name is that of a folder");
    if (exists && ::access(staged.target_.c_str(), W_OK) != 0) return cannot_write(path, reason(errno));
    if (exists && !S_ISREG(old.st_mode)) {
        staged.for_device_ = bytes;
        return staged;
    }

    remove_stale_temporaries_once(staged.target_.parent_path());
    int file = -1;
    for (int tries = 0; tries < 100; ++tries) {
        staged.temporary_ = temporary_beside(staged.target_);
        staged.listed_ = Temporary(Temporary::Kind::file, staged.temporary_);
        file = ::open(staged.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST) break;
    }
    if (file < 0) {
        const int error = errno;
        staged.temporary_.clear();
        staged.listed_.forget();
        std::error_code ignored;
        const std::filesystem::path folder = staged.target_.parent_path();
        const bool has_folder = folder.empty() || std::filesystem::is_directory(folder, ignored);
        if (error == ENOENT)  // also said by folders that take no files, as those of the system's own tables
            return cannot_write(path, has_folder ? "its folder takes no files" : "its folder does not exist");
        return cannot_write(path, reason(error));
    }

    int error = write_all(file, bytes);
    if (error == 0) set_owner_and_mode(file, exists ? &old : nullptr, readers);
    if (error == 0) error = sync_file(file);
    if (::close(file) != 0 && error == 0) error = errno;
    if (error != 0) return cannot_write(path, reason(error));
    return staged;
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : named_(std::move(other.named_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      listed_(std::move(other.listed_)),
      is_appended_to_(other.is_appended_to_),
      for_device_(std::move(other.for_device_)) {}

StagedFile& StagedFile::operator=(StagedFile&& other) noexcept {
    if (this == &other) return *this;
    discard();
    named_ = std::move(other.named_);
    target_ = std::move(other.target_);
    temporary_ = std::exchange(other.temporary_, {});
    listed_ = std::move(other.listed_);
    is_appended_to_ = other.is_appended_to_;
    for_device_ = std::move(other.for_device_);
    return *this;
}

StagedFile::~StagedFile() { discard(); }

void StagedFile::discard() noexcept {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
    listed_.forget();
}

Status StagedFile::append(std::string_view bytes) {
    if (temporary_.empty()) {
        for_device_ += bytes;
        return ok();
    }
    is_appended_to_ = true;
    const int file = ::open(temporary_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return cannot_write(named_, reason(errno));
    int error = write_all(file, bytes);
    if (::close(file) != 0 && error == 0) error = errno;
    return error == 0 ? ok() : Status(cannot_write(named_, reason(error)));
}

Status StagedFile::commit() {
    if (temporary_.empty()) {
        const int file = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0) return cannot_write(named_, reason(errno));
        int error = write_all(file, for_device_);
        if (::close(file) != 0 && error == 0) error = errno;
        return error == 0 ? ok() : Status(cannot_write(named_, reason(error)));
    }
    if (is_appended_to_) {
        const int file = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0) return cannot_write(named_, reason(errno));
        int error = sync_file(file);
        if (::close(file) != 0 && error == 0) error = errno;
        if (error != 0) return cannot_write(named_, reason(error));
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot_write(named_, reason(errno));
    temporary_.clear();
    listed_.forget();
    sync_folder_of(target_);
    return ok();
}

Status write_file(const fs::path& path, std::string_view bytes, Readers readers) {
    Result<StagedFile> staged = StagedFile::stage(path, bytes, readers);
    if (!staged) return Error{staged.error()};
    return staged->commit();
}

Status make_folder(const fs::path& path, Readers readers) {
    if (path.empty()) return Error{"the folder name is empty"};
    std::error_code error;
    if (fs::is_directory(path, error)) {
        if (readers == Readers::owner && ::chmod(path.c_str(), 0700) != 0) errno = 0;  // another's: as it is
        return ok();
    }
    if (fs::exists(path, error)) return Error{shown_path(path) + ": this is a file, not a folder"};
    if (readers == Readers::owner) {
        fs::path made;
        for (const fs::path& part : path) {
            made /= part;
            if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST)
                error = std::error_code(errno, std::generic_category());
        }
    } else {
        fs::create_directories(path, error);
    }
    // "a/b/" reports that nothing was created although it now exists, hence the second look.
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return ok();
    return Error{shown_path(path) + ": the folder cannot be made (" + (error ? error.message() : reason(EIO)) + ")"};
}

StagedFolder::~StagedFolder() {
    std::error_code ignored;
    for (const fs::path& folder : made_) fs::remove(folder, ignored);  // only where it is empty
}

Status StagedFolder::make(const fs::path& path) {
    std::error_code ignored;
    for (fs::path folder = path; !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path()) {
        made_.push_back(folder);
        listed_.emplace_back(Temporary::Kind::folder, folder);
    }
    return make_folder(path);
}

void StagedFolder::keep() {
    made_.clear();
    listed_.clear();
}

}  // namespace heed
