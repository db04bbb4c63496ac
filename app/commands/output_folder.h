// The arrays that a command writes into one folder.
#pragma once

#include "core/attention/trace.h"
#include "core/files/atomic_write.h"
#include "core/files/commit_all.h"
#include "core/files/npy.h"
#include "core/kernels/thread_pool.h"

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

    // The next heads of an array: (count, rows, cols) in all, or (rows, cols) where the heads' dimension is left out.
    struct Part {
        const char* name;
        std::span<const float> numbers;
        Index count, rows, cols;
    };
    static Part part(const char* name, const Stack& stack, Index count) {
        const auto size = static_cast<std::size_t>(stack.count() * stack.rows() * stack.cols());
        return {name, {stack.data(), size}, count, stack.rows(), stack.cols()};
    }
    static Part part(const char* name, const Matrix& matrix, Index count) {
        return {name, {matrix.data(), static_cast<std::size_t>(matrix.size())}, count, matrix.rows(), matrix.cols()};
    }

    // Of different arrays, written side by side: most of the time of a large result is the system's.
    Status add(const std::vector<Part>& parts, bool has_heads) {
        std::vector<std::size_t> places;
        for (const Part& part : parts) {
            const Result<std::size_t> place = place_of(part, has_heads);
            if (!place) return Error{place.error()};
            places.push_back(*place);
        }
        std::vector<Status> done(parts.size(), ok());
        shared_pool().parallel_for(static_cast<Index>(parts.size()), [&](Index index, int) {
            const auto i = static_cast<std::size_t>(index);
            std::string room;
            done[i] = files_[places[i]].append(npy_numbers(parts[i].numbers, room));
        });
        for (const Status& status : done)
            if (!status) return status;
        return ok();
    }

    Status commit() {
        if (Status status = commit_all(files_, paths_); !status) return status;
        made_.keep();
        return ok();
    }

private:
    // Where the array's file is; begins it where there is none.
    Result<std::size_t> place_of(const Part& part, bool has_heads) {
        const std::filesystem::path path = folder_ / part.name;
        if (const auto known = std::ranges::find(paths_, path); known != paths_.end())
            return static_cast<std::size_t>(known - paths_.begin());
        std::vector<Index> shape{part.rows, part.cols};
        if (has_heads) shape.insert(shape.begin(), part.count);
        Result<StagedFile> file = StagedFile::stage(path, npy_start(shape));
        if (!file) return Error{file.error()};
        files_.push_back(std::move(*file));
        paths_.push_back(path);
        return files_.size() - 1;
    }

    std::filesystem::path folder_;
    StagedFolder made_;  // goes after the files in it
    std::vector<StagedFile> files_;
    std::vector<std::filesystem::path> paths_;  // of the files
};

}  // namespace heed::app
