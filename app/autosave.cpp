#include "app/autosave.h"

#include "core/files/atomic_write.h"
#include "core/files/read_file.h"
#include "core/files/scene_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace heed::app {

namespace {

std::filesystem::path beside(std::filesystem::path copy, const char* extension) {
    return copy.replace_extension(extension);
}

// −1 where another program holds it. Not inherited by programs started from here.
int take_lock(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return -1;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    ::close(descriptor);
    return -1;
}

void remove_quietly(const std::filesystem::path& file) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
}

void remove_all_of(const std::filesystem::path& copy) {
    remove_quietly(copy);
    remove_quietly(beside(copy, ".origin"));
    remove_quietly(beside(copy, ".lock"));
}

Status write_copy(const Scene& scene, const std::optional<std::filesystem::path>& origin,
                  const std::filesystem::path& copy) {
    if (origin) {
        std::error_code failed;
        const std::filesystem::path absolute = std::filesystem::absolute(*origin, failed);
        if (Status status = write_file(beside(copy, ".origin"), (failed ? *origin : absolute).string(), Readers::owner);
            !status)
            return status;
    } else {
        remove_quietly(beside(copy, ".origin"));
    }
    return write_scene(copy, scene, max_scene_bytes, Readers::owner);
}

}  // namespace

Autosave::Autosave(const std::filesystem::path& folder, Clock::duration pause) : pause_(pause) {
    if (const Status made = make_folder(folder, Readers::owner); !made) {
        error_ = made.error();
        return;
    }
    remove_stale_temporaries(folder);
    // A number after the process id: a test, or an id used again, may find the name taken.
    for (int number = 0; number < 1000 && lock_ < 0; ++number) {
        copy_ = folder / (std::to_string(::getpid()) + "-" + std::to_string(number) + ".json");
        if (std::filesystem::exists(copy_)) continue;
        lock_ = take_lock(beside(copy_, ".lock"));
    }
    if (lock_ < 0) error_ = folder.string() + ": unsaved work cannot be kept here, the folder cannot be written to";
}

Autosave::~Autosave() {
    if (lock_ < 0) return;
    finish_writing();
    if (is_clean_ || !written_) remove_all_of(copy_);
    ::close(lock_);
}

void Autosave::finish_writing() {
    writing_.wait();
    take_written();
}

bool Autosave::write_now(const Document& document) {
    if (lock_ < 0) return false;
    finish_writing();
    written_ = document.next();
    const Status status = write_copy(*written_, document.path(), copy_);
    error_ = status ? std::string() : status.error();
    return error_.empty();
}

void Autosave::take_written() {
    if (const std::optional<Status> status = writing_.take()) error_ = *status ? std::string() : status->error();
}

void Autosave::frame(const UnsavedWork& work, bool gesture_in_progress, Clock::time_point now) {
    if (lock_ < 0) return;
    take_written();
    if (!work.is_edited) {
        due_.reset();
        if (written_ && !writing_.is_active()) {
            written_.reset();
            remove_quietly(copy_);
            remove_quietly(beside(copy_, ".origin"));
        }
        return;
    }
    if (written_ == work.scene) {
        due_.reset();
        return;
    }
    if (!due_) due_ = now + pause_;
    if (gesture_in_progress || now < *due_ || writing_.is_active()) return;
    due_.reset();
    written_ = work.scene;
    writing_.start([scene = work.scene, origin = work.path, copy = copy_](JobControl<>&) {
        return write_copy(scene, origin, copy);
    });
}

std::vector<Leftover> find_leftovers(const std::filesystem::path& folder) {
    std::vector<Leftover> leftovers;
    std::error_code failed;
    std::vector<std::filesystem::path> locks;
    for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::filesystem::path& path = entry->path();
        if (path.extension() == ".lock") locks.push_back(path);
        if (path.extension() != ".json") continue;
        const int lock = take_lock(beside(path, ".lock"));
        if (lock < 0) continue;
        ::close(lock);
        Leftover leftover{.copy = path, .title = {}, .origin = {}, .written = {}};
        // One that cannot be read is offered all the same: whoever recovers it is told why, and may keep the file.
        const Result<Scene> scene = read_scene(path);
        leftover.title = scene ? scene->title : path.filename().string();
        std::error_code no_time;
        leftover.written = std::filesystem::last_write_time(path, no_time);
        if (const Result<std::string> origin = read_file(beside(path, ".origin"), 1 << 16)) leftover.origin = *origin;
        leftovers.push_back(std::move(leftover));
    }
    // Locks of programs that died without unsaved work.
    for (const std::filesystem::path& path : locks) {
        if (std::filesystem::exists(beside(path, ".json"), failed)) continue;
        const int lock = take_lock(path);
        if (lock < 0) continue;
        remove_quietly(path);
        ::close(lock);
    }
    std::sort(leftovers.begin(), leftovers.end(),
              [](const Leftover& a, const Leftover& b) { return a.written > b.written; });
    return leftovers;
}

Result<Scene> read_leftover(const Leftover& leftover) { return read_scene(leftover.copy); }

void discard_leftover(const Leftover& leftover) { remove_all_of(leftover.copy); }

}  // namespace heed::app
