// Unsaved work survives a crash: a copy of it lies in the user's state folder until it is saved or given up.
//
// Each running program holds a lock on a file of its own, which the system lets go when the program dies in whatever
// way; a copy whose lock can be had belongs to nobody.
#pragma once

#include "app/document.h"
#include "app/jobs/job.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heed::app {

class Autosave {
public:
    using Clock = std::chrono::steady_clock;

    // Makes the folder; where that fails error() says why and nothing is ever written.
    explicit Autosave(const std::filesystem::path& folder, Clock::duration pause = std::chrono::seconds(3));
    // The copy stays where end_cleanly() was not called: what throws in a frame is as good as a crash.
    ~Autosave();
    Autosave(const Autosave&) = delete;
    Autosave& operator=(const Autosave&) = delete;

    // Once per frame. Writes beside the window, at most once a pause, and never in the middle of a gesture.
    void frame(const UnsavedWork& work, bool gesture_in_progress, Clock::time_point now = Clock::now());
    void frame(const Document& document, bool gesture_in_progress, Clock::time_point now = Clock::now()) {
        frame(document.work(), gesture_in_progress, now);
    }
    // When frame() should be called again though nothing happens; none if there is nothing to write.
    std::optional<Clock::time_point> due() const { return due_; }
    void finish_writing();  // waits for a copy that is being written
    // At once and to the end; whether the copy is on the disk.
    bool write_now(const Document& document);
    // The work is saved, or the user has given it up: the copy goes.
    void end_cleanly() { is_clean_ = true; }

    const std::string& error() const { return error_; }
    std::string take_error() { return std::exchange(error_, {}); }  // to be said once

private:
    void take_written();

    std::filesystem::path copy_;
    int lock_ = -1;
    Clock::duration pause_;
    std::optional<Clock::time_point> due_;
    std::optional<Scene> written_;  // what the copy holds
    bool is_clean_ = false;
    std::string error_;
    Job<std::monostate> writing_;  // last: it writes to what the rest names
};

// A copy whose program is gone.
struct Leftover {
    std::filesystem::path copy;
    std::string title;                            // of the scene in it; the copy's name where it cannot be read
    std::optional<std::filesystem::path> origin;  // the file it was opened from
    std::filesystem::file_time_type written;
};

// Newest first.
std::vector<Leftover> find_leftovers(const std::filesystem::path& folder);
Result<Scene> read_leftover(const Leftover& leftover);
void discard_leftover(const Leftover& leftover);

}  // namespace heed::app
