#include "core/files/commit_all.h"

#include <system_error>
#include <utility>

namespace heed {
namespace {

namespace fs = std::filesystem;

// What stood under a name before, kept beside it under another until all is well.
class Before {
public:
    explicit Before(const fs::path& path) {
        std::error_code error;
        target_ = fs::weakly_canonical(path, error);  // a link stays a link: its target is replaced
        if (error) target_ = path;
        if (!fs::is_regular_file(target_, error)) return;
        const fs::path kept = temporary_beside(target_);
        fs::create_hard_link(target_, kept, error);
        if (error) fs::copy_file(target_, kept, error);  // a file system without links
        if (!error) kept_ = kept;
    }
    Before(Before&& other) noexcept : target_(std::move(other.target_)), kept_(std::exchange(other.kept_, {})) {}
    Before& operator=(Before&&) = delete;
    Before(const Before&) = delete;
    Before& operator=(const Before&) = delete;
    ~Before() {
        std::error_code ignored;
        if (!kept_.empty()) fs::remove(kept_, ignored);
    }

    void bring_back() {
        std::error_code ignored;
        if (!kept_.empty())
            fs::rename(std::exchange(kept_, {}), target_, ignored);
        else if (fs::is_regular_file(target_, ignored))
            fs::remove(target_, ignored);
    }

private:
    fs::path target_;
    fs::path kept_;  // empty where there was no file
};

}  // namespace

Status commit_all(std::vector<StagedFile>& files, const std::vector<fs::path>& paths) {
    const Uninterrupted whole;  // between the first name and the last
    std::vector<Before> before;
    before.reserve(paths.size());
    for (const fs::path& path : paths) before.emplace_back(path);
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (Status status = files[i].commit(); !status) {
            for (std::size_t done = i; done-- > 0;) before[done].bring_back();
            return status;
        }
    }
    return ok();
}

}  // namespace heed
