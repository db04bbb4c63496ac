// The presentation: the picture, the explainer and the sliders in use on the whole screen.
#include "app/panels/controls.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/shell/shell.h"
#include "app/widgets/item.h"
#include "core/figure/layer_kinds.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace heed::app {

namespace {

constexpr float margin = 16;  // logical pixels
constexpr float most_slider_width = 460;
constexpr float explainer_share = 0.3F;  // of the height

constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse;

// Views where the sliders that were moved last may change nothing have sliders of their own.
struct ViewSliders {
    std::string_view view;
    std::array<std::string_view, 2> names;  // empty: none
};
constexpr ViewSliders own_sliders[] = {{"block", {"layers", "temperature"}}, {"reach", {"temperature", ""}}};

// Where one layer of several is shown, which one is said and chosen.
constexpr std::string_view layer_slider = "layer";

}  // namespace

void Shell::remember_slider(const std::string& name) {
    if (name.empty() || !has_slider(document_.next().model, name)) return;
    std::erase(sliders_in_use_, name);
    sliders_in_use_.insert(sliders_in_use_.begin(), name);
    sliders_in_use_.resize(std::min(sliders_in_use_.size(), std::size_t{2}));
}

// Side by side: the last two that were moved, or the view's own.
void Shell::draw_sliders_in_use(ViewContext& context) {
    std::vector<std::string> shown;
    const auto* const own = std::ranges::find(own_sliders, std::string_view(context.display.view), &ViewSliders::view);
    const auto add = [&](std::string_view name) {
        if (has_slider(context.next.model, name)) shown.emplace_back(name);
    };
    if (own != std::end(own_sliders)) {
        std::ranges::for_each(own->names, add);
    } else {
        std::ranges::for_each(sliders_in_use_, add);
        std::erase(shown, layer_slider);
        // The same place for each while the other is moved.
        std::sort(shown.begin(), shown.end());
        if (shows_one_layer(context.display.view)) add(layer_slider);
    }
    const float room = ImGui::GetContentRegionAvail().x;
    const auto count = static_cast<float>(std::max<std::size_t>(1, shown.size()));
    const float width = std::min(px(most_slider_width), (room - (count - 1) * px(2 * margin)) / count);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (i > 0) ImGui::SameLine(0, px(2 * margin));
        ImGui::BeginChild(("slider " + shown[i]).c_str(), {width, px(row_height)}, 0, ImGuiWindowFlags_NoScrollbar);
        draw_slider(context, shown[i]);
        ImGui::EndChild();
    }
}

void Shell::draw_presentation(ImVec2 size) {
    ViewContext context = view_context(document_, session_);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(margin), px(margin)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(8)));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, vec4(colors().panel));
    ImGui::Begin("###presentation", nullptr, fixed);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(3);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float sliders = px(row_height);
    const bool shows_cell = presents_cell_ && view_has_cell();
    const float explainer = shows_cell ? std::min(px(228), room.y * explainer_share) : 0.0F;
    const float gaps = px(8) * (shows_cell ? 2.0F : 1.0F);
    const float picture = std::max(px(90), room.y - sliders - explainer - gaps);
    ImGui::BeginChild("picture", {room.x, picture}, 0, ImGuiWindowFlags_NoScrollbar);
    for (const View& view : views())
        if (view.id == document_.scene().display.view) draw_view(view, context);
    ImGui::EndChild();
    if (shows_cell) {
        ImGui::BeginChild("explainer", {room.x, explainer}, 0, ImGuiWindowFlags_NoScrollbar);
        draw_explainer(context);
        ImGui::EndChild();
    }
    draw_sliders_in_use(context);
    ImGui::PopStyleVar();
    ImGui::End();
}

}  // namespace heed::app
