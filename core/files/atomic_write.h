// Saving that never damages the old file: the new one is complete on disk before it takes the old one's name.
#pragma once

#include "core/files/temporaries.h"
#include "core/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Who may read it: as the user's umask and an existing file say, or the user alone whatever they say.
enum class Readers { usual, owner };

// A file written in full beside its destination, waiting for its name. Several can be staged before any is
// committed, so that a command with many outputs leaves either all of them or none.
//
// A link is followed and stays a link. An existing file keeps its permissions and group; one that may not be written
// is refused. Nobody else can read the file before it is whole. A device or pipe (/dev/stdout) cannot be replaced, so there commit() writes straight to it.
class StagedFile {
public:
    static Result<StagedFile> stage(const std::filesystem::path& path, std::string_view bytes,
                                    Readers readers = Readers::usual);

    StagedFile(StagedFile&& other) noexcept;
    StagedFile& operator=(StagedFile&& other) noexcept;
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;
    ~StagedFile();  // removes the temporary if it was not committed

    // More bytes at its end, for what is too large to be held at once.
    Status append(std::string_view bytes);

    Status commit();

private:
    StagedFile() = default;
    void discard() noexcept;

    std::filesystem::path named_;      // as the caller wrote it, for sentences
    std::filesystem::path target_;     // after following links
    std::filesystem::path temporary_;  // in the target's folder; empty once committed, or for a device
    Temporary listed_;                 // the same, for signals
    bool is_appended_to_ = false;      // since it was last known to be on disk
    std::string for_device_;           // the bytes, where target_ is a device or pipe
};

// stage and commit in one: on failure the old file is untouched and nothing is left behind.
Status write_file(const std::filesystem::path& path, std::string_view bytes, Readers readers = Readers::usual);

// The folder and its parents, unless they exist. For the owner alone: so is what had to be made, and the folder itself even
// where it existed.
Status make_folder(const std::filesystem::path& path, Readers readers = Readers::usual);

// A folder for files that may yet fail: what had to be made for it, parents too, goes again unless it is kept. What
// somebody else has put there in the meantime stays.
class StagedFolder {
public:
    StagedFolder() = default;
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;
    ~StagedFolder();

    Status make(const std::filesystem::path& path);
    void keep();

private:
    std::vector<std::filesystem::path> made_;  // the innermost first
    std::vector<Temporary> listed_;            // the same, for signals
};

}  // namespace heed
