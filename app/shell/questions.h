// The two questions that keep work from being lost: before unsaved changes go, and when a crash left some behind.
#pragma once

#include "app/autosave.h"

#include <string_view>
#include <vector>

namespace heed::app {

enum class UnsavedAnswer { waiting, save, discard, cancel };

class UnsavedQuestion {
public:
    void ask() { open_ = true; }
    bool is_open() const { return open_; }
    // Once per frame; the answer in the frame in which it was given.
    UnsavedAnswer frame(std::string_view title);

private:
    bool open_ = false;
};

class RecoveryQuestion {
public:
    void ask(std::vector<Leftover> leftovers) { leftovers_ = std::move(leftovers); }
    bool is_open() const { return !leftovers_.empty(); }
    // Once per frame. The one to recover, taken out of the list; those given up are removed from the disk.
    std::optional<Leftover> frame();

private:
    std::vector<Leftover> leftovers_;
};

}  // namespace heed::app
