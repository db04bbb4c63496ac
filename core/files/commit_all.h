// Several files that take their names together.
#pragma once

#include "core/files/atomic_write.h"

namespace heed {

// `paths` are where the files were staged for. Where one of them cannot take its name, those before it get back what they
// replaced, or go again.
Status commit_all(std::vector<StagedFile>& files, const std::vector<std::filesystem::path>& paths);

}  // namespace heed
