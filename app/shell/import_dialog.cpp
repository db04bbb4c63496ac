#include "app/shell/import_dialog.h"

#include "app/session.h"
#include "app/platform/fonts.h"
#include "app/shell/panel.h"
#include "app/platform/theme.h"
#include "core/figure/context.h"
#include "core/figure/rich_text.h"
#include "core/files/shown.h"
#include "core/language.h"

#include <imgui.h>

#include <algorithm>

namespace heed::app {

namespace {

// A file called k.npy most likely holds K.
std::size_t likely_target(const std::filesystem::path& file) {
    std::string stem = file.stem().string();
    for (char& c : stem)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    struct Guess {
        std::string_view word;
        std::string_view target;
    };
    constexpr Guess guesses[] = {{"w_q", "W_{Q}"}, {"wq", "W_{Q}"},   {"w_k", "W_{K}"}, {"wk", "W_{K}"},
                                 {"w_v", "W_{V}"}, {"wv", "W_{V}"},   {"w_o", "W_{O}"}, {"wo", "W_{O}"},
                                 {"bias", "bias"}, {"mask", "mask"},  {"query", "Q"},   {"key", "K"},
                                 {"value", "V"},   {"embedding", "X"}};
    std::string_view wanted;
    for (const Guess& guess : guesses)
        if (wanted.empty() && stem.find(guess.word) != std::string::npos) wanted = guess.target;
    const auto targets = import_targets();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const bool is_letter =
            stem.size() == 1 && targets[i].name.size() == 1 && targets[i].name[0] == stem[0] - 'a' + 'A';
        if (is_letter || (!wanted.empty() && targets[i].name == wanted)) return i;
    }
    return 0;
}

}  // namespace

Status ImportDialog::open(const std::filesystem::path& file, const Scene& scene) {
    const Result<NpyArray> array = read_array(file);
    if (!array) return Error{array.error()};
    name_ = shown_path(file.filename());
    shape_ = shape_text(array->shape);
    chosen_ = likely_target(file);
    choices_.clear();
    for (const ImportTarget& target : import_targets()) {
        Choice choice{.sizes = import_size(scene.model, target), .refusal = {}, .model = scene.model};
        const Status status = import_array(choice.model, target, shown_head(scene), *array, name_);
        if (!status)
            choice.refusal = status.error();
        else if (const std::string after = import_size(choice.model, target); after != choice.sizes)
            choice.sizes += " → " + after;
        choices_.push_back(std::move(choice));
    }
    open_ = true;
    return ok();
}

void ImportDialog::frame(Document& document) {
    if (!begin_dialog("Import matrix", open_, 420)) return;
    const Palette& c = colors();
    wrapped_text(fill(tr("Put {0} ({1}) into"), {name_, shape_}));
    const auto targets = import_targets();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const ImportTarget& target = targets[i];
        const bool fits = choices_[i].refusal.empty();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float right = at.x + ImGui::GetContentRegionAvail().x;
        const float middle = at.y + px(11);
        if (ImGui::Selectable(("###" + plain_text(target.name)).c_str(), i == chosen_,
                              ImGuiSelectableFlags_DontClosePopups, {0, px(22)}))
            chosen_ = i;
        ImDrawList* list = ImGui::GetWindowDrawList();
        const bool is_word = target.name == "bias" || target.name == "mask";
        draw_rich_text(list, Font::bold, body_size, {at.x + px(8), middle}, u32(fits ? c.text : c.faint),
                       is_word ? tr(target.name) : target.name, AlignX::left, AlignY::middle);
        draw_rich_text(list, Font::words, small_size, {at.x + px(64), middle}, u32(c.dim), target.shape, AlignX::left,
                       AlignY::middle);
        draw_text(list, Font::mono, small_size, {right - px(8), middle}, u32(fits ? c.text : c.faint),
                  fits ? std::string_view(choices_[i].sizes) : tr("does not fit"), AlignX::right, AlignY::middle);
    }
    const std::string& refusal = choices_[chosen_].refusal;
    if (!refusal.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, vec4(c.warning));
        wrapped_text(refusal);
        ImGui::PopStyleColor();
    }
    switch (dialog_buttons({"Cancel", "Import"}, refusal.empty())) {
        case 0:
            open_ = false;
            break;
        case 1:
            document.next().model = choices_[chosen_].model;
            open_ = false;
            break;
        default:
            break;
    }
    if (!open_) choices_.clear();
    end_dialog(open_);
}

}  // namespace heed::app
