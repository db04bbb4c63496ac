// The lines of a lesson's file as entries: keys, what stands behind them, and those below them.
#pragma once

#include "core/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct LessonEntry {
    std::string key;       // "ask"
    std::string argument;  // "number"; empty: none
    std::string value;     // lines joined by '\n'
    int line = 0;          // of the key, from 1
    int value_line = 0;    // of the value's first line
    std::vector<LessonEntry> below = {};
};

struct LessonBlock {
    std::string id;  // of a step; empty: what stands before the steps
    int line = 0;
    std::vector<LessonEntry> entries = {};
};

// What is wrong, and where.
struct LessonFileError {
    int line = 0;
    std::string sentence;
};

// The front matter first, then a block for each step. Empty, with the error filled in, where the lines have no such form.
std::vector<LessonBlock> lesson_entries(std::string_view text, LessonFileError& error);

}  // namespace heed
