// A whole file as bytes, with a sentence for each way in which that can fail.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace heed {

// A file that is open for reading, from its beginning on.
class InputFile {
public:
    // Only regular files (or links to one): a pipe or device may never end.
    static Result<InputFile> open(const std::filesystem::path& path);

    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&&) = delete;
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    std::uintmax_t size() const { return size_; }
    const std::string& name() const { return name_; }  // for sentences

    // Fills as much of `bytes` as is left, and says how much that was.
    Result<std::size_t> read(std::span<char> bytes);

private:
    InputFile(int descriptor, std::uintmax_t size, std::string name);

    int descriptor_;
    std::uintmax_t size_;
    std::string name_;
};

// A sentence where it is larger than what is read.
Status check_size(const InputFile& file, std::uintmax_t max_bytes);

// The whole of it. Nothing is allocated for a file larger than max_bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t max_bytes);

}  // namespace heed
