// How pictures are taken away: remembered from one export to the next.
#pragma once

#include "app/print/print_figure.h"
#include "core/figure/context.h"

#include <span>
#include <string_view>

namespace heed::app {

// Sizes people need, in pixels; the text is as large as it reads well there.
struct PagePreset {
    std::string_view id;
    std::string_view name;  // English, through tr()
    int width = 1600;
    int height = 1000;
    float scale = 1.6F;  // pixels for each logical one
    double dpi = 144;
};
std::span<const PagePreset> page_presets();

struct ExportSettings {
    PrintOptions::Format format = PrintOptions::Format::png;
    int width = 1600;  // pixels
    int height = 1000;
    float scale = 1.6F;
    float dpi = 144;
    PrintOptions::Background background = PrintOptions::Background::theme;
    Theme theme = Theme::light;
    FigureOptions options;
    friend bool operator==(const ExportSettings&, const ExportSettings&) = default;
};

// Puts a PNG picture on the clipboard of the desktop, through wl-copy or xclip.
Status copy_picture(std::string_view png);

}  // namespace heed::app
