// The desktop's own file dialog, run as a program beside the window (zenity or kdialog): the frame never waits for it.
#pragma once

#include "app/jobs/job.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace heed::app {

struct FileFilter {
    std::string name;                     // in the user's language
    std::vector<std::string> extensions;  // ".json"
};

struct FileRequest {
    std::string purpose;           // the dialog's title, English: "Open scene"
    bool is_save = false;          // for a file that need not exist
    std::filesystem::path folder;  // to start in
    std::string name;              // proposed, for saving
    FileFilter filter;
};

class NativeDialog {
public:
    enum class Outcome { chosen, cancelled, failed };
    struct Answer {
        Outcome outcome;
        std::filesystem::path file;  // where chosen
    };

    // Whether there is a display and one of the programs.
    static bool is_available();

    NativeDialog(const FileRequest& request, Wake wake);
    ~NativeDialog();  // closes it if it is still open
    NativeDialog(const NativeDialog&) = delete;
    NativeDialog& operator=(const NativeDialog&) = delete;

    // Once the user is done with it.
    std::optional<Answer> take_answer();

private:
    Answer listen(int output);

    std::mutex mutex_;
    pid_t child_ = -1;  // under the lock; −1 once it has ended
    bool has_failed_ = false;
    Job<Answer> waiting_;  // last: it uses what is above
};

}  // namespace heed::app
