// The Pipeline where room is short: what gives way, and what stays.
#include "core/attention/pipeline.h"
#include "core/display/pipeline_display.h"
#include "core/figure/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace heed {
namespace {

Figure pipeline(const Scene& scene, float width, float height) {
    const auto trace = std::make_shared<const AttentionTrace>(run_attention(scene.model));
    FigureContext context{.model = scene.model,
                          .trace = *trace,
                          .display = scene.display,
                          .trace_owner = trace,
                          .measure = rough_measure(),
                          .width = width,
                          .height = height};
    context.options.title = false;
    return find_figure_kind("pipeline")->make(context);
}

const TextMark* find_text(const Figure& figure, std::string_view text) {
    for (const Mark& mark : figure.marks)
        if (const auto* found = std::get_if<TextMark>(&mark); found != nullptr && found->text == text) return found;
    return nullptr;
}

Scene six_words() {
    Scene scene = default_scene();
    scene.model.query_tokens = {"The", "cat", "sat", "on", "the", "mat"};
    return scene;
}

TEST(PipelineRoom, SixTokensKeepTheirNumbersInAWindowOf1024By700) {
    const Figure figure = pipeline(six_words(), 700, 330);
    for (const char* map : {"scores", "scaled", "weights"}) {
        ASSERT_NE(figure.find_heatmap(map), nullptr) << map;
        EXPECT_GE(figure.find_heatmap(map)->decimals, 0) << map;
    }
    for (const char* token : {"The", "cat", "mat"}) EXPECT_NE(find_text(figure, token), nullptr) << token;
    EXPECT_NE(find_text(figure, "Σ"), nullptr);
}

TEST(PipelineRoom, TheHeadOfTheSumsStaysClearOfTheTitleAndItsButton) {
    int narrow = 0;
    for (float width = 300; width < 1200; width *= 1.08F)
        for (float height = 180; height < 600; height *= 1.11F) {
            const Figure figure = pipeline(six_words(), width, height);
            const TextMark* sum = find_text(figure, "Σ");
            const Target* button = figure.find_target({"enlarge", "weights"});
            if (sum == nullptr || button == nullptr) continue;
            narrow += button->area.right() > figure.find_heatmap("weights")->area.right() ? 1 : 0;
            EXPECT_GE(sum->at.x, button->area.right()) << width << " × " << height;
        }
    EXPECT_GT(narrow, 0) << "no map was narrower than its title";
}

}  // namespace
}  // namespace heed
