#include "app/shell/status_bar.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "core/analysis/head_statistics.h"
#include "core/attention/normalizers.h"
#include "core/attention/statistics.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/figure/rich_text.h"
#include "core/language.h"
#include "core/model/depth.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

// Float sums of a few thousand weights stay well below this.
constexpr float sum_tolerance = 1e-4F;

bool any_head_sees(const AttentionTrace& trace) {
    for (Index head = 0; head < trace.weights.count(); ++head)
        if (any_row_sees(trace, head)) return true;
    return false;
}

// Rows of the maps with a weight that is not a number; a row is counted once, in however many heads it is one.
int rows_that_are_no_numbers(const AttentionTrace& trace) {
    int count = 0;
    for (Index row = 0; row < trace.weights.rows(); ++row) {
        bool is_one = false;
        for (Index head = 0; head < trace.weights.count() && !is_one; ++head)
            is_one = trace.weights[head].row(row).hasNaN();
        count += is_one ? 1 : 0;
    }
    return count;
}

// A query's weights stand in a row of the maps, or in a column where keys run down.
std::string sums_words(const Model& model, const AttentionTrace& trace, bool keys_down, bool sums_hold) {
    const auto either = [keys_down](std::string_view row, std::string_view column) { return keys_down ? column : row; };
    if (!any_head_sees(trace)) return "✗ " + std::string(tr(either("no row sees a key", "no column sees a key")));
    const Keeps keeps = normalizer(model.normalizer->id).keeps;
    const std::string_view what =
        keeps == Keeps::magnitudes    ? either("|weights| of a row sum to 1", "|weights| of a column sum to 1")
        : keeps == Keeps::squares     ? either("squares of a row sum to 1", "squares of a column sum to 1")
        : trace.fully_masked_rows > 0 ? either("rows that see a key sum to 1", "columns that see a key sum to 1")
                                      : either("rows sum to 1", "columns sum to 1");
    if (sums_hold) return "✓ " + std::string(tr(what));
    if (std::isnan(trace.worst_row_sum_error)) {
        const int count = rows_that_are_no_numbers(trace);
        if (count == 0)
            return "✗ " + std::string(tr(either("row sums are not numbers", "column sums are not numbers")));
        return "✗ " + fill(tr(count == 1 ? either("{0} row is not a number", "{0} column is not a number")
                                         : either("{0} rows are not numbers", "{0} columns are not numbers")),
                           {std::to_string(count)});
    }
    return "✗ " + fill(tr(either("a row misses 1 by {0}", "a column misses 1 by {0}")),
                       {compact(static_cast<double>(trace.worst_row_sum_error))});
}

// Over the heads that have one.
std::string mean_entropy(const AttentionTrace& trace) {
    double sum = 0;
    int heads = 0;
    for (Index head = 0; head < trace.weights.count(); ++head) {
        if (!any_row_sees(trace, head)) continue;
        sum += static_cast<double>(trace.heads[static_cast<std::size_t>(head)].entropy);
        ++heads;
    }
    return heads == 0 || !std::isfinite(sum) ? "—" : decimal(sum / heads, 2);
}

float draw_item(ImDrawList* list, ImVec2 at, ImU32 ink, const std::string& rich) {
    draw_rich_text(list, Font::words, small_size, at, ink, rich, AlignX::left, AlignY::middle);
    return at.x + rich_text_width(Font::words, small_size, rich) + px(20);
}

}  // namespace

StatusWords status_words(const Scene& scene, const AttentionTrace& trace) {
    const Model& model = scene.model;
    StatusWords words;
    words.sums_hold = trace.worst_row_sum_error <= sum_tolerance && any_head_sees(trace);  // false for NaN
    words.sums = sums_words(model, trace, scene.display.cells->keys_down, words.sums_hold);
    words.is_masked = trace.fully_masked_rows > 0;
    const int masked = fully_masked_rows_of_maps(trace);
    const bool keys_down = scene.display.cells->keys_down;
    words.masked = fill(tr(masked == 1 ? (keys_down ? "{0} column fully masked" : "{0} row fully masked")
                                       : (keys_down ? "{0} columns fully masked" : "{0} rows fully masked")),
                        {std::to_string(masked)});
    words.entropy = fill(tr("mean entropy {0} bits"), {have_entropy(model) ? mean_entropy(trace) : "—"});
    const std::string layer =
        model.depth->layers == 1
            ? std::string()
            : fill(tr("layer {0} of {1}"), {shown_number(model.layers.held), std::to_string(model.depth->layers)}) +
                  " · ";
    words.sizes = layer + fill(tr(model.n_heads == 1 ? "{0} head" : "{0} heads"), {std::to_string(model.n_heads)}) +
                  " · " + std::to_string(model.n_queries) + " × " + std::to_string(effective_n_keys(model)) +
                  " · d_{k} " + std::to_string(model.d_k);
    words.time =
        trace.milliseconds < 10 ? decimal(trace.milliseconds, 2) + " ms" : decimal(trace.milliseconds, 0) + " ms";
    return words;
}

Color notice_color(std::string_view notice) {
    return notice.starts_with("✓") ? colors().good : notice.starts_with("—") ? colors().dim : colors().warning;
}

bool draw_status_bar(ImVec2 at, ImVec2 size, const Document& document, const std::string& notice, bool show_computing) {
    const Palette& c = colors();
    ImGui::SetNextWindowPos(at);
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
    ImGui::Begin("###status", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar(4);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + size.x, at.y + std::max(1.0F, std::floor(px(1)))}, u32(c.hairline));
    const StatusWords words = status_words(document.scene(), document.trace());
    const float middle = at.y + size.y / 2;

    // Right to left: time, sizes, then whether a newer picture is on its way.
    float right = at.x + size.x - px(12);
    const auto from_right = [&](ImU32 ink, const std::string& rich) {
        const float width = rich_text_width(Font::words, small_size, rich);
        draw_rich_text(list, Font::words, small_size, {right - width, middle}, ink, rich, AlignX::left, AlignY::middle);
        right -= width + px(20);
    };
    // What does not fit beside the sum is left out, the least first.
    const float for_sums = px(12) + rich_text_width(Font::words, small_size, words.sums) + px(20);
    const auto fits = [&](const std::string& rich) {
        return right - rich_text_width(Font::words, small_size, rich) - px(20) > at.x + for_sums;
    };
    if (fits(words.sizes + words.time)) from_right(u32(c.dim), words.time);
    if (fits(words.sizes)) from_right(u32(c.dim), words.sizes);
    if (show_computing) {
        const float turn = static_cast<float>(std::fmod(ImGui::GetTime() * 5.0, 6.2831853));
        from_right(u32(c.accent), std::string(tr("computing…")));
        const ImVec2 center{right + px(8), middle};
        list->PathArcTo(center, px(5), turn, turn + 4.2F, 16);
        stroke_path(list, u32(c.accent), px(1.5F));
        right -= px(16);
    }

    // A notice comes before what is always there: it keeps at least this much room.
    const float for_notice = notice.empty() ? 0 : std::min(px(260), size.x / 2);
    float left = at.x + px(12);
    const auto from_left = [&](Color ink, const std::string& rich) {
        if (left + rich_text_width(Font::words, small_size, rich) + px(20) > right - for_notice) return;
        left = draw_item(list, {left, middle}, u32(ink), rich);
    };
    from_left(words.sums_hold ? c.good : c.warning, words.sums);
    from_left(words.is_masked ? c.warning : c.dim, words.masked);
    from_left(c.dim, words.entropy);

    bool is_dismissed = false;
    if (!notice.empty() && right - left > px(60)) {
        const float room = right - left - px(24);
        const std::string text = shorten(screen_measure(), notice, small_size, Font::words, room / ui_scale());
        ImGui::SetCursorScreenPos({left - px(4), at.y + px(3)});
        is_dismissed =
            ImGui::InvisibleButton("Notice", {text_width(Font::words, small_size, text) + px(28), size.y - px(6)});
        const ImVec2 from = ImGui::GetItemRectMin();
        const ImVec2 to = ImGui::GetItemRectMax();
        const Color ink = notice_color(notice);
        list->AddRectFilled(from, to, u32(with_alpha(ink, ImGui::IsItemHovered() ? 0.22F : 0.12F)), px(4));
        draw_text(list, Font::words, small_size, {from.x + px(8), middle}, u32(ink), text, AlignX::left,
                  AlignY::middle);
        draw_text(list, Font::words, small_size, {to.x - px(6), middle}, u32(ink), "×", AlignX::right, AlignY::middle);
        if (text != notice && ImGui::BeginItemTooltip()) {
            ImGui::PushTextWrapPos(px(420));
            ImGui::TextUnformatted(notice.c_str());
            ImGui::PopTextWrapPos();
            ImGui::EndTooltip();
        }
    }
    ImGui::End();
    return is_dismissed;
}

}  // namespace heed::app
