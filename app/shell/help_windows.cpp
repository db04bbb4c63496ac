#include "app/shell/help_windows.h"

#include "app/session.h"
#include "app/platform/fonts.h"
#include "app/shell/panel.h"
#include "app/platform/theme.h"
#include "core/language.h"
#include "heed_version.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <implot.h>
#include <Eigen/Core>

#include <algorithm>
#include <vector>

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

void FrameTimes::draw_window(bool& open) const {
    if (!open) return;
    if (begin_tool_window("Frame times", open, 460)) {
        std::vector<double> frame;
        std::vector<double> compute;
        std::vector<double> total;
        for (std::size_t i = 0; i < compute_.size(); ++i) {
            frame.push_back(static_cast<double>(i));
            compute.push_back(compute_[i]);
            total.push_back(compute_[i] + draw_[i]);
        }
        const int count = static_cast<int>(frame.size());
        const double worst = total.empty() ? 1 : *std::max_element(total.begin(), total.end());
        const std::string compute_words = label("compute");
        const std::string draw_words = label("draw");
        if (ImPlot::BeginPlot("##frame times", {-1, px(220)}, ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect)) {
            const std::string x_words(tr("frame"));
            ImPlot::SetupAxes(x_words.c_str(), "ms", ImPlotAxisFlags_NoTickLabels, 0);
            ImPlot::SetupAxisLimits(ImAxis_X1, 0, static_cast<double>(kept), ImPlotCond_Always);
            ImPlot::SetupAxisLimits(ImAxis_Y1, 0, std::max(4.0, worst * 1.15), ImPlotCond_Always);
            ImPlot::SetupLegend(ImPlotLocation_NorthWest, ImPlotLegendFlags_Horizontal);
            ImPlot::SetNextFillStyle(vec4(with_alpha(colors().key, 0.45F)));
            ImPlot::PlotShaded((compute_words).c_str(), frame.data(), compute.data(), count, 0.0);
            ImPlot::SetNextFillStyle(vec4(with_alpha(colors().query, 0.3F)));
            ImPlot::PlotShaded(draw_words.c_str(), frame.data(), compute.data(), total.data(), count);
            ImPlot::EndPlot();
        }
        if (!total.empty())
            dim_text(fill(tr("last {0} ms, slowest {1} ms of {2} frames"),
                          {decimal(total.back(), 2), decimal(worst, 2), std::to_string(count)}));
    }
    end_tool_window();
}

}  // namespace heed::app
