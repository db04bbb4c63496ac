#include "app/shell/help_windows.h"

#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/screen/draw_figure.h"
#include "app/session.h"
#include "app/shell/panel.h"
#include "core/figure/plot.h"
#include "core/language.h"
#include "heed_version.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <implot.h>
#include <Eigen/Core>

#include <algorithm>

namespace heed::app {

namespace {

void version_row(const char* what, const std::string& version) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    dim_text(tr(what));
    ImGui::TableNextColumn();
    wrapped_text(version);
}

std::string eigen_version() {
    return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
           std::to_string(EIGEN_MINOR_VERSION);
}

}  // namespace

void draw_about_window(bool& open, const std::string& renderer) {
    if (!open) return;
    if (begin_tool_window("About Heed", open, 420)) {
        {
            const ScopedFont bold(Font::bold, 20);
            ImGui::TextUnformatted("Heed " HEED_VERSION);
        }
        wrapped_text(tr("A microscope for attention mechanisms"));
        ImGui::Dummy({0, px(4)});
        if (ImGui::BeginTable("versions", 2)) {
            ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, px(110));
            ImGui::TableSetupColumn("version");
            version_row("Renderer", renderer);
            version_row("Dear ImGui", ImGui::GetVersion());
            version_row("ImPlot", IMPLOT_VERSION);
            version_row("Eigen", eigen_version());
            version_row("GLFW", ::glfwGetVersionString());
            ImGui::EndTable();
        }
    }
    end_tool_window();
}

void FrameTimes::add(double compute_ms, double draw_ms) {
    compute_.push_back(compute_ms);
    draw_.push_back(draw_ms);
    if (compute_.size() > kept) {
        compute_.pop_front();
        draw_.pop_front();
    }
}

Figure FrameTimes::figure(float width, float height) const {
    Figure figure{.width = width, .height = height, .theme = current_theme(), .marks = {}, .targets = {}, .frames = {}};
    PlotMark plot;
    plot.id = "frame times";
    plot.area = {44, 24, std::max(40.0F, width - 52), std::max(40.0F, height - 54)};
    plot.x.words = tr("frame");
    plot.x.shown = {0, static_cast<double>(kept)};
    plot.x.policy = TickPolicy::none;
    plot.y.words = "ms";
    plot.text_size = small_size;
    Series compute{.id = "compute",
                   .legend = "compute",
                   .name = std::string(tr("compute")),
                   .kind = SeriesKind::band,
                   .color = with_alpha(colors().key, 0.45F),
                   .is_stacked = true};
    Series draw = compute;
    draw.id = draw.legend = "draw";
    draw.name = tr("draw");
    draw.color = with_alpha(colors().query, 0.3F);
    double worst = 0;
    for (std::size_t i = 0; i < compute_.size(); ++i) {
        const double total = compute_[i] + draw_[i];
        compute.x.push_back(static_cast<double>(i));
        compute.low.push_back(0);
        compute.y.push_back(compute_[i]);
        draw.y.push_back(total);
        worst = std::max(worst, total);
    }
    draw.x = compute.x;
    draw.low = compute.y;
    plot.y.shown = {0, std::max(4.0, worst * 1.15)};
    plot.series = {compute, draw};
    add_legend(figure, screen_measure(), display_,
               {.right = plot.area.right(),
                .y = 10,
                .entries = {{compute.name, compute.color, "compute"}, {draw.name, draw.color, "draw"}},
                .plots = {"frame times"},
                .tooltip = std::string(tr("Switch this off or on"))});
    add_plot(figure, screen_measure(), display_, std::move(plot));
    return figure;
}

void FrameTimes::draw_window(bool& open) {
    if (!open) return;
    if (begin_tool_window("Frame times", open, 460)) {
        const Figure shown = figure(ImGui::GetContentRegionAvail().x / ui_scale(), 240);
        keep_plot_views(display_, shown, draw_figure("frame times", shown));
        if (!compute_.empty()) {
            double worst = 0;
            for (std::size_t i = 0; i < compute_.size(); ++i) worst = std::max(worst, compute_[i] + draw_[i]);
            dim_text(
                fill(tr("last {0} ms, slowest {1} ms of {2} frames"),
                     {decimal(compute_.back() + draw_.back(), 2), decimal(worst, 2), std::to_string(compute_.size())}));
        }
    }
    end_tool_window();
}

}  // namespace heed::app
