#include "app/shell/import_dialog.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/session.h"
#include "app/shell/panel.h"
#include "app/told.h"
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
                                 {"bias", "Bias"}, {"mask", "Mask"},  {"query", "Q"},   {"key", "K"},
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

void ImportDialog::open(const std::filesystem::path& file, const Scene& scene) {
    close();
    open_ = true;
    file_ = file;
    name_ = shown_path(file.filename());
    chosen_ = likely_target(file);
    reading_.start([file, name = name_, model = scene.model](JobControl<>& control) -> Result<Read> {
        Result<NpyArray> array = read_array(file, [&control](double share) {
            control.report(share);
            return !control.is_cancelled();
        });
        if (!array) return Error{array.error()};
        Read read{std::make_shared<const NpyArray>(std::move(*array)), {}};
        for (const ImportTarget& target : import_targets()) {
            Choice choice{.sizes = import_size(model, target)};
            const Result<std::string> after = import_size_after(model, target, *read.array, name);
            if (!after)
                choice.refusal = after.error();
            else if (*after != choice.sizes)
                choice.sizes += " → " + *after;
            if (after) choice.note = import_note(model, target, *read.array);
            read.choices.push_back(std::move(choice));
        }
        return read;
    });
}

void ImportDialog::close() {
    open_ = false;
    reading_.cancel();
    placing_.cancel();
    read_.reset();
}

void ImportDialog::finish() {
    reading_.wait();
    placing_.wait();
}

std::optional<std::string> ImportDialog::follow(Document& document) {
    if (std::optional<Result<Read>> read = reading_.take()) {
        if (!*read) {
            close();
            return read->error();
        }
        read_ = std::move(**read);
    }
    if (std::optional<Result<Model>> placed = placing_.take()) {
        close();
        if (!*placed) return placed->error();
        document.next().model = std::move(**placed);
    }
    return std::nullopt;
}

void ImportDialog::draw_progress() {
    wrapped_text(fill(tr(read_ ? "Importing {0}" : "Reading {0}"), {name_}));
    if (reading_.progress() > 0) ImGui::ProgressBar(static_cast<float>(reading_.progress()), {-1, px(6)}, "");
    if (dialog_buttons({"Cancel"}) == 0) open_ = false;
}

void ImportDialog::draw_choices(const Document& document) {
    const Palette& c = colors();
    wrapped_text(fill(tr("Put {0} ({1}) into"), {name_, shape_text(read_->array->shape)}));
    const auto targets = import_targets();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const ImportTarget& target = targets[i];
        const bool fits = read_->choices[i].refusal.empty();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float right = at.x + ImGui::GetContentRegionAvail().x;
        const float middle = at.y + px(11);
        if (ImGui::Selectable(("###" + plain_text(target.name)).c_str(), i == chosen_, keeps_popup, {0, px(22)}))
            chosen_ = i;
        ImDrawList* list = ImGui::GetWindowDrawList();
        draw_rich_text(list, Font::bold, body_size, {at.x + px(8), middle}, u32(fits ? c.text : c.faint),
                       target.is_word ? tr(target.name) : target.name, AlignX::left, AlignY::middle);
        draw_rich_text(list, Font::words, small_size, {at.x + px(64), middle}, u32(c.dim), target.shape, AlignX::left,
                       AlignY::middle);
        draw_text(list, Font::mono, small_size, {right - px(8), middle}, u32(fits ? c.text : c.faint),
                  fits ? std::string_view(read_->choices[i].sizes) : tr("does not fit"), AlignX::right, AlignY::middle);
    }
    // As much room as the longest of the sentences takes: the buttons stay where they are, whichever is shown.
    const auto sentence = [](const Choice& choice) {
        return choice.refusal.empty() ? std::string(tr(choice.note)) : told(choice.refusal);
    };
    const float width = ImGui::GetContentRegionAvail().x;
    float height = 0;
    for (const Choice& choice : read_->choices)
        height = std::max(height, ImGui::CalcTextSize(sentence(choice).c_str(), nullptr, false, width).y);
    const std::string& refusal = read_->choices[chosen_].refusal;
    const float top = ImGui::GetCursorPosY();
    ImGui::PushStyleColor(ImGuiCol_Text, vec4(refusal.empty() ? c.dim : c.warning));
    wrapped_text(sentence(read_->choices[chosen_]));
    ImGui::PopStyleColor();
    ImGui::SetCursorPosY(top);
    ImGui::Dummy({0, height});
    switch (dialog_buttons({"Cancel", "Import"}, refusal.empty())) {
        case 0:
            open_ = false;
            break;
        case 1:
            placing_.start([model = document.next().model, head = shown_head(document.next()), array = read_->array,
                            name = name_, target = targets[chosen_]](JobControl<>&) mutable -> Result<Model> {
                if (const Status status = import_array(model, target, head, *array, name); !status)
                    return Error{status.error()};
                return model;
            });
            break;
        default:
            break;
    }
}

std::optional<std::string> ImportDialog::frame(Document& document) {
    std::optional<std::string> sentence = follow(document);
    if (!begin_dialog("Import matrix", open_, 420)) {
        if (!open_ && reading_.is_active()) close();  // by Esc
        return sentence;
    }
    if (read_ && !placing_.is_active())
        draw_choices(document);
    else
        draw_progress();
    end_dialog(open_);
    if (!open_) close();
    return sentence;
}

}  // namespace heed::app
