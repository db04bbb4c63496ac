// The arrays that a command writes into one folder.
#pragma once

#include "core/attention/trace.h"
#include "core/files/atomic_write.h"
#include "core/files/commit_all.h"
#include "core/files/npy.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace heed::app {

// Staged files, all committed or none. An array grows by one or more heads at a time: all of them are never held at once.
class OutputFolder {
public:
    explicit OutputFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    Status make() { return made_.make(folder_); }

    // The next heads of an array (count × rows × cols in all), or (rows, cols) where the heads' dimension is left out.
    Status add(const char* name, std::span<const float> numbers, Index count, Index rows, Index cols, bool has_heads) {
        const std::filesystem::path path = folder_ / name;
        auto place = std::ranges::find(paths_, path);
        if (place == paths_.end()) {
            std::vector<Index> shape{rows, cols};
            if (has_heads) shape.insert(shape.begin(), count);
            Result<StagedFile> file = StagedFile::stage(path, npy_start(shape));
            if (!file) return Error{file.error()};
            files_.push_back(std::move(*file));
            paths_.push_back(path);
            place = std::prev(paths_.end());
        }
        std::string room;
        return files_[static_cast<std::size_t>(place - paths_.begin())].append(npy_numbers(numbers, room));
    }
    Status add(const char* name, const Stack& stack, Index count, bool has_heads) {
        const auto size = static_cast<std::size_t>(stack.count() * stack.rows() * stack.cols());
        return add(name, {stack.data(), size}, count, stack.rows(), stack.cols(), has_heads);
    }
    Status add(const char* name, const Matrix& matrix, Index count, bool has_heads) {
        return add(name, {matrix.data(), static_cast<std::size_t>(matrix.size())}, count, matrix.rows(), matrix.cols(),
                   has_heads);
    }

    Status commit() {
        if (Status status = commit_all(files_, paths_); !status) return status;
        made_.keep();
        return ok();
    }

private:
    std::filesystem::path folder_;
    StagedFolder made_;  // goes after the files in it
    std::vector<StagedFile> files_;
    std::vector<std::filesystem::path> paths_;  // of the files
};

}  // namespace heed::app
