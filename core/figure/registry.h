// Every picture Heed can draw, by name: what `heed views` lists, `heed render --view` takes and the window shows.
#pragma once

#include "core/figure/context.h"

#include <span>
#include <string_view>

namespace heed {

struct FigureKind {
    std::string_view id;    // in files and on the command line: never renamed
    std::string_view name;  // English, through tr()
    std::string_view help;  // one sentence, English, through tr()
    bool is_view;           // has a tab of its own in the window; the others are parts one may want alone
    Figure (*make)(const FigureContext&);
};

std::span<const FigureKind> figure_kinds();
const FigureKind* find_figure_kind(std::string_view id);  // null where there is none

}  // namespace heed
