// The line at the bottom that tells the truth in numbers.
#pragma once

#include "app/document.h"
#include "app/session.h"

#include <imgui.h>

#include <string>
#include <string_view>

namespace heed::app {

// What the trace says of itself, as words; the bar draws these and tests read them.
struct StatusWords {
    std::string sums;  // "✓ rows sum to 1"
    bool sums_hold = true;
    std::string masked;  // "0 rows fully masked"
    bool is_masked = false;
    std::string entropy;  // "mean entropy 1.21 bits"
    std::string sizes;    // "4 heads · 6 × 6 · d_{k} 16"
    std::string time;     // "0.02 ms"
};
StatusWords status_words(const Scene& scene, const AttentionTrace& trace);

// Green for what was done, which begins with a tick; the colour of warnings for an error or a refusal.
Color notice_color(std::string_view notice);

// `notice` is a sentence about what was done, an error or a refusal. Returns whether the user clicked it away.
bool draw_status_bar(ImVec2 at, ImVec2 size, const Document& document, const std::string& notice, bool show_computing);

}  // namespace heed::app
