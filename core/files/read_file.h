// A whole file as bytes, with a sentence for each way in which that can fail.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace heed {

// Only regular files (or links to one): a pipe or device may never end. Nothing is allocated for a file
// larger than max_bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t max_bytes);

}  // namespace heed
