// Files that must not outlive the program: what is being written beside its destination, and folders made for it.
//
// A program that is interrupted (Ctrl+C, kill, a terminal that closes) removes what is listed here and then dies of the
// signal. What a power cut or kill -9 leaves is found by its name at a later start.
#pragma once

#include <filesystem>

namespace heed {

// Listed from its making until its end, from any thread.
class Temporary {
public:
    enum class Kind { file, folder };  // a folder goes only where it is empty
    Temporary() = default;
    Temporary(Kind kind, const std::filesystem::path& path);
    Temporary(Temporary&& other) noexcept : slot_(other.slot_), kind_(other.kind_) { other.slot_ = -1; }
    Temporary& operator=(Temporary&& other) noexcept;
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() { forget(); }

    void forget() noexcept;  // the path is another's business now

private:
    int slot_ = -1;  // −1: not listed
    Kind kind_ = Kind::file;
};

// While one is alive a signal waits: what takes several steps is then done whole.
class Uninterrupted {
public:
    Uninterrupted() noexcept;
    ~Uninterrupted();
    Uninterrupted(const Uninterrupted&) = delete;
    Uninterrupted& operator=(const Uninterrupted&) = delete;
};

// Once, at the program's start. A file that grows beyond the system's limit is from then on a failed write instead of the
// program's end.
void clean_up_on_signals();

// A name nobody else uses, in the same folder. It tells which process made it.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

// What programs that were killed have left in the folder, an hour ago or more: files of this user under such names, whose process
// is gone. On another machine that shares the folder it may be there all the same, hence the hour.
void remove_stale_temporaries(const std::filesystem::path& folder) noexcept;
// The same for whoever writes into a folder, once for each.
void remove_stale_temporaries_once(const std::filesystem::path& folder) noexcept;

}  // namespace heed
